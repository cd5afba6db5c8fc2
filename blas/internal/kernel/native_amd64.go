//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

func native() []Tile {
	var tiles []Tile
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		tiles = append(tiles, Tile{"avx512", 8, 24, tile8x24})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		tiles = append(tiles, Tile{"avx2", 4, 12, tile4x12})
	}
	return tiles
}

func nativeMaps() []Map {
	var maps []Map
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		maps = append(maps, Map{"avx512", 8, expAVX512, sigmoidAVX512})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		maps = append(maps, Map{"avx2", 4, expAVX2, sigmoidAVX2})
	}
	return maps
}
