//go:build !amd64 || purego

package kernel

func native() []Tile { return nil }

func nativeMaps() []Map { return nil }
