// Package kernel holds the innermost loops of matrix products, triangular solves
// and functions of slices, for the instruction sets a machine may have. All give
// the same bits: an element is always the same chain of operations.
package kernel

//go:generate sh -c "cd ../../_asm && go run . -out ../internal/kernel/kernel_amd64.s -stubs ../internal/kernel/kernel_amd64.go -pkg kernel"

// Tile computes MR×NR tiles from packed panels: A holds kc columns of MR numbers,
// B kc rows of NR, both without gaps. NR is a multiple of MR.
type Tile struct {
	Name   string
	MR, NR int
	// Run computes C = A·B, or C += A·B, with row stride ldc. An element is one
	// chain of fused multiply-adds over k, from zero. Meanwhile kc·MR·NR/24 bytes
	// from next on are brought into the second level of cache.
	// RunNarrow computes the first MR columns alone, and reads nothing from next.
	Run, RunNarrow func(kc int, a, b, c *float64, ldc int, add bool, next *float64)
	// Solve ends a triangular solve of MR rows: x = (x − t)/a row by row, where t's
	// chains go on with the rows solved before; a is packed as for Run.
	// SolveNarrow solves the first MR columns alone.
	Solve, SolveNarrow func(a, x, t *float64)
	// Factor replaces the upper triangle of the first n rows and columns of a by its Cholesky factor,
	// n ≤ Side; rows of a have Side numbers. What it leaves below the diagonal means nothing. It returns n or, when
	// a pivot is not positive, the number of its row.
	Factor func(a *float64, n int) int
	// Invert replaces the upper triangle of the first n rows and columns of a by its inverse, from the last row up:
	// row i is (eᵢ − Σ aᵢₖ·row k)/aᵢᵢ. All else in these rows must be 0; n and a are as for Factor.
	Invert func(a *float64, n int)
	// CopyA and CopyB set n rows of MR or NR numbers, dstStep apart, to alpha times
	// rows that lie srcStep apart. A step may be negative.
	CopyA, CopyB func(dst, src *float64, n, dstStep, srcStep int, alpha float64)
	// Turn sets n rows of MR numbers to alpha times the columns of MR rows; n is a
	// multiple of MR.
	Turn func(dst, src *float64, n, dstStep, srcStep int, alpha float64)
}

// Side is the number of columns of matrices for Factor.
const Side = 32

// MaxSize is the largest MR·NR of any tile.
const MaxSize = 8 * 24

// Best is the fastest tile of this machine.
var Best = Available()[0]

// Available lists the tiles that this machine can run, the fastest first and the
// portable one last.
func Available() []Tile { return append(native(), portable) }
