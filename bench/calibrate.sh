#!/bin/sh
# Measures matrix products with other blocking constants than blas/pack.go has, in
# a copy of the module: GFLOP/s of Gemm for each, best of three. Use it on another
# kind of processor and put what is best into pack.go.
#
#   GOMAXPROCS=1 sh bench/calibrate.sh                  # the settings below
#   GOMAXPROCS=1 sh bench/calibrate.sh 384/192/240 ...  # kBlock/tileRows/tileCols
#
# kBlock: multiple of 8. tileRows: multiple of 96. tileCols: multiple of 240.
set -eu
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' INT TERM
cp -r go.mod go.sum blas fault internal "$copy"
[ $# -gt 0 ] || set -- 384/192/240 256/192/240 320/192/240 512/192/240 384/96/240 384/288/240 384/192/480
set_constant() { sed -i "s|^\(const \)\{0,1\}\(	*\)$1\( *\)= [0-9]*\$|\1\2$1\3= $2|" "$copy/blas/pack.go"; }
echo "kBlock/tileRows/tileCols, then GFLOP/s for n = 1024, 2048, 4096"
for setting; do
	IFS=/ read -r k rows cols <<-END
		$setting
	END
	set_constant kBlock "$k"
	set_constant tileRows "$rows"
	set_constant tileCols "$cols"
	(cd "$copy" && go test ./blas -run xxx -bench 'Gemm/(1024|2048|4096)$' -benchtime 2s -count 3) |
		awk -v name="$setting" '/GFLOP/ { split($1, p, /[\/-]/); if ($(NF-1) > best[p[2]]) best[p[2]] = $(NF-1) }
			END { print name, best[1024], best[2048], best[4096] }'
done
