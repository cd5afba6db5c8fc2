// Package kernel holds the innermost loops of matrix products: tiles of C += A·B
// from packed panels, for the instruction sets a machine may have.
//
// Every element of a tile is one chain of fused multiply-adds over k, from zero,
// that is then added to C. All tiles therefore give the same bits.
package kernel

//go:generate sh -c "cd ../../_asm && go run . -out ../internal/kernel/kernel_amd64.s -stubs ../internal/kernel/kernel_amd64.go -pkg kernel"

// Tile computes C += A·B for an MR×NR tile of C with row stride ldc. A holds kc
// columns of MR numbers, B kc rows of NR numbers, both without gaps.
type Tile struct {
	Name   string
	MR, NR int
	Run    func(kc int, a, b, c *float64, ldc int)
}

// Largest MR·NR of any tile.
const MaxSize = 8 * 24

// Best is the fastest tile of this machine.
var Best = Available()[0]

// Available lists the tiles that this machine can run, the fastest first and the
// portable one last.
func Available() []Tile { return append(native(), portable) }
