#!/usr/bin/env bash
# Makes docs/comparison.png, the picture in the README: the top of a comparison page of generated data.
# Needs Go and Chromium (Debian: apt-get update && apt-get install -y chromium).
set -euo pipefail
cd "$(dirname "$0")/.."
picture=$PWD/docs/comparison.png
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/rvfl" ./cmd/rvfl
cd "$work"
./rvfl demo --seed 1 --write data.csv
./rvfl data split data.csv train.csv test.csv --train 60 --seed 1
./rvfl compare train.csv -y y -p 'lab_*' --report page.html
chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
	--disable-component-update --disable-sync --user-data-dir="$work/profile" --hide-scrollbars \
	--window-size=1000,1080 --screenshot="$picture" "file://$work/page.html"
