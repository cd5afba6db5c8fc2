//go:build !amd64 || purego

package bench

func nativeLoops() []loop { return nil }
