//go:build !openblas || !cgo

package blas

// Without the build tag openblas no system library does this package's work.

func systemProduct(product, float64) bool { return false }

func systemSolve(triangular, Matrix, Matrix) bool { return false }

func systemFactor(Matrix) (pivot int, done bool) { return -1, false }
