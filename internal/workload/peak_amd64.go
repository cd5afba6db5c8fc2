//go:build amd64 && !purego

package workload

import "golang.org/x/sys/cpu"

func nativeLoops() []loop {
	var loops []loop
	if cpu.X86.HasAVX512F {
		loops = append(loops, loop{"AVX-512", 16 * 8 * 2, loopAVX512})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		loops = append(loops, loop{"AVX2", 12 * 4 * 2, loopAVX2})
	}
	return loops
}

// loopAVX512 adds a·b to 16 registers of 8 numbers, steps ≥ 1 times each.
//
//go:noescape
func loopAVX512(steps int, a, b float64) float64

// loopAVX2 does so with 12 registers of 4 numbers.
//
//go:noescape
func loopAVX2(steps int, a, b float64) float64
