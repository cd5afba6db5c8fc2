//go:build !amd64 || purego

package workload

func nativeLoops() []loop { return nil }
