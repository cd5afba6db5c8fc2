// Package gram holds the sufficient statistics of RVFL and RVFL+: their primal form needs nothing from the data but
// sums over rows, which can be added up block by block, subtracted again, and merged from several machines.
package gram

import (
	"context"
	"fmt"
	"math"

	"rvflplus/blas"
)

// Stats is the weighted sum over rows of rᵀr for the augmented row
// r = [h(x), h̃(x̃), y, 1] of D + D̃ + m + 1 numbers. It holds HᵀVH, HᵀVH̃, H̃ᵀVH̃,
// HᵀVY, H̃ᵀVY, YᵀVY and, through the trailing 1, HᵀV1, H̃ᵀV1, YᵀV1 and Σv. Neither
// C nor γ enters. Memory 8·(D+D̃+m+1)² bytes whatever the number of rows.
type Stats struct {
	normal, priv, targets int
	rows                  int
	sum                   blas.Matrix // upper triangle
}

// New returns the statistics of no rows, for D normal and D̃ privileged features
// after the feature map, and m targets.
func New(normal, priv, targets int) *Stats {
	width := normal + priv + targets + 1
	return &Stats{normal: normal, priv: priv, targets: targets, sum: blas.New(width, width)}
}

// Bytes returns the memory that New takes.
func Bytes(normal, priv, targets int) float64 {
	width := float64(normal + priv + targets + 1)
	return 8 * width * width
}

// Dims returns D, D̃ and m.
func (s *Stats) Dims() (normal, priv, targets int) { return s.normal, s.priv, s.targets }

// Rows returns the number of rows added, less those subtracted.
func (s *Stats) Rows() int { return s.rows }

// Block is a buffer for some rows: fill it, then add it. H, Priv and Y are views of one memory; Priv stays zero for
// rows without privileged values.
type Block struct {
	H, Priv, Y blas.Matrix
	all        blas.Matrix
}

// NewBlock returns a zeroed block for rows rows of statistics New(normal, priv,
// targets).
func NewBlock(normal, priv, targets, rows int) Block {
	e := normal + priv
	all := blas.New(rows, e+targets+1)
	return Block{
		all:  all,
		H:    blas.View(all, 0, rows, 0, normal),
		Priv: blas.View(all, 0, rows, normal, e),
		Y:    blas.View(all, 0, rows, e, e+targets),
	}
}

// Block returns a zeroed block for rows rows.
func (s *Stats) Block(rows int) Block { return NewBlock(s.normal, s.priv, s.targets, rows) }

// Head returns a view of the block's first rows rows.
func (b Block) Head(rows int) Block {
	head := func(a blas.Matrix) blas.Matrix { return blas.View(a, 0, rows, 0, a.Cols) }
	return Block{H: head(b.H), Priv: head(b.Priv), Y: head(b.Y), all: head(b.all)}
}

// Add adds the block's rows with the given weights (nil means 1 each; they must
// be ≥ 0). The block's contents are changed: fill it anew before the next call.
// Cost (D+D̃+m+1)² operations a row.
func (s *Stats) Add(ctx context.Context, b Block, weight []float64) error {
	return s.update(ctx, 1, b, weight)
}

// Sub takes rows out again that were added before, with the same weights.
func (s *Stats) Sub(ctx context.Context, b Block, weight []float64) error {
	return s.update(ctx, -1, b, weight)
}

func (s *Stats) update(ctx context.Context, sign float64, b Block, weight []float64) error {
	if b.all.Cols != s.sum.Cols || weight != nil && len(weight) != b.all.Rows {
		panic("gram: dimension mismatch")
	}
	for i := range b.all.Rows {
		row := blas.Row(b.all, i)
		row[len(row)-1] = 1
		if weight != nil && weight[i] != 1 {
			root := math.Sqrt(weight[i])
			for j := range row {
				row[j] *= root
			}
		}
	}
	s.rows += int(sign) * b.all.Rows
	return blas.Syrk(ctx, true, sign, b.all, 1, s.sum)
}

// Merge adds the rows of other, which must have the same dimensions.
func (s *Stats) Merge(other *Stats) error {
	if s.normal != other.normal || s.priv != other.priv || s.targets != other.targets {
		return fmt.Errorf("gram: statistics of %d+%d features and %d targets do not fit those of %d+%d and %d",
			other.normal, other.priv, other.targets, s.normal, s.priv, s.targets)
	}
	for i, v := range other.sum.Data {
		s.sum.Data[i] += v
	}
	s.rows += other.rows
	return nil
}

// Features returns [H, H̃]ᵀV[H, H̃], (D+D̃)×(D+D̃), upper triangle. Its result and the results of the methods below
// share the memory of the statistics and must not be written.
func (s *Stats) Features() blas.Matrix {
	k := s.normal + s.priv
	return blas.View(s.sum, 0, k, 0, k)
}

// FeaturesTargets returns [H, H̃]ᵀVY, (D+D̃)×m.
func (s *Stats) FeaturesTargets() blas.Matrix {
	k := s.normal + s.priv
	return blas.View(s.sum, 0, k, k, k+s.targets)
}

// FeatureSums returns [H, H̃]ᵀV1, (D+D̃)×1.
func (s *Stats) FeatureSums() blas.Matrix {
	k, last := s.normal+s.priv, s.sum.Cols-1
	return blas.View(s.sum, 0, k, last, last+1)
}

// Targets returns YᵀVY, m×m, upper triangle.
func (s *Stats) Targets() blas.Matrix {
	k := s.normal + s.priv
	return blas.View(s.sum, k, k+s.targets, k, k+s.targets)
}

// TargetSums returns YᵀV1, m×1.
func (s *Stats) TargetSums() blas.Matrix {
	k, last := s.normal+s.priv, s.sum.Cols-1
	return blas.View(s.sum, k, k+s.targets, last, last+1)
}

// Weight returns Σv.
func (s *Stats) Weight() float64 { return s.sum.Data[len(s.sum.Data)-1] }

// PrivTrace returns the trace of H̃ᵀVH̃, the weighted sum of ‖h̃‖² over rows.
func (s *Stats) PrivTrace() float64 {
	var t float64
	for i := s.normal; i < s.normal+s.priv; i++ {
		t += s.sum.Data[i*s.sum.Stride+i]
	}
	return t
}
