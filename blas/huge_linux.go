package blas

import (
	"syscall"
	"unsafe"
)

// hugeFrom is the size from which a matrix asks for large pages.
const hugeFrom = 4 << 20

// useHugePages asks the system to back a large matrix with large pages: fewer page
// faults, fewer misses of the address cache, and a process that ends in a moment
// even with many gigabytes. Where the system refuses, nothing changes.
func useHugePages(v []float64) {
	const page, advice = 2 << 20, 14 // MADV_HUGEPAGE
	if 8*len(v) < hugeFrom {
		return
	}
	start := uintptr(unsafe.Pointer(&v[0]))
	skip := (page - start%page) % page
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 8*len(v))[skip:]
	_ = syscall.Madvise(bytes[:len(bytes)/page*page], advice)
}
