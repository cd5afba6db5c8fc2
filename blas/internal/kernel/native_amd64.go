//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

var (
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
)

func native() []Tile {
	var tiles []Tile
	if hasAVX512 {
		tiles = append(tiles, Tile{"avx512", 8, 24, tile8x24, tile8x8, solve8x24, solve8x8, factorAVX512, invertAVX512,
			copy8, copy24, turn8})
	}
	if hasAVX2 {
		tiles = append(tiles, Tile{"avx2", 4, 12, tile4x12, tile4x4, solve4x12, solve4x4, factorAVX2, invertAVX2,
			copy4, copy12, turn4})
	}
	return tiles
}

func vectors() []Vector {
	var all []Vector
	if hasAVX512 {
		all = append(all, Vector{"avx512", expAVX512, sigmoidAVX512, tanhAVX512, rbfAVX512, axpyAVX512, gapsAVX512,
			dotAVX512})
	}
	if hasAVX2 {
		all = append(all, Vector{"avx2", expAVX2, sigmoidAVX2, tanhAVX2, rbfAVX2, axpyAVX2, gapsAVX2, dotAVX2})
	}
	return all
}
