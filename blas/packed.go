package blas

import (
	"context"

	"rvflplus/blas/internal/kernel"
)

// Packed is a matrix laid out for many products with few rows each, which would
// otherwise lay it out anew every time. It holds a second copy until Release.
type Packed struct {
	b      Matrix
	buffer *[]float64
}

// Pack lays B out. B must not change before Release.
func Pack(ctx context.Context, b Matrix) (*Packed, error) {
	t := kernel.Best
	width := roundUp(b.Cols, t.NR)
	p := &Packed{b, takeBuffer(width * b.Rows)}
	err := forWork(float64(len(*p.buffer)))(ctx, width/t.NR, func(i int) {
		kShare := share(b.Rows, kBlock, 8)
		for k := 0; k < b.Rows; k += kShare {
			kc := min(kShare, b.Rows-k)
			strip{b, false, i * t.NR, t.NR, k, kc, 1}.pack((*p.buffer)[k*width+i*t.NR*kc:][:t.NR*kc], t)
		}
	})
	return p, err
}

// LeftTimes computes C = A·B with the bits of Gemm.
func (p *Packed) LeftTimes(ctx context.Context, a, c Matrix) error {
	q := product{alpha: 1, a: a, b: p.b, c: c, k: innerDim(false, false, a, p.b, c), packed: *p.buffer}
	return q.compute(ctx, 0)
}

// Release gives the copy's memory back; the Packed must not be used any more.
func (p *Packed) Release() { packBuffers.Put(p.buffer) }
