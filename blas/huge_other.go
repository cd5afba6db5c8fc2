//go:build !linux

package blas

func useHugePages([]float64) {}
