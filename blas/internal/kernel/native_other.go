//go:build !amd64 || purego

package kernel

func native() []Tile { return nil }

func vectors() []Vector { return nil }
