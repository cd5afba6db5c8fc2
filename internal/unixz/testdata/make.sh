#!/bin/sh
# Writes the .Z files with compress(1) of Debian's ncompress 4.2.4.6. The text is
# that of cubes in unixz_test.go: lines of numbers, then lines that have little
# in common with them, so that compress empties its dictionary.
# (Its -b 9 writes files that it cannot read itself.)
set -eu
cd "$(dirname "$0")"
awk 'BEGIN { for (i = 0; i < 6000; i++) print i, i*i*i % 9973
	for (i = 0; i < 3000; i++) { for (j = 0; j < 9; j++) printf "%c", 97 + (i*i + 7*i*j*j + j*j*j) % 23; print "" } }' >cubes
for bits in 10 12 16; do
	compress -f -b $bits <cubes >cubes$bits.Z
done
rm cubes
