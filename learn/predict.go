package learn

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// PredictBlock is the number of rows that models predict at once.
const PredictBlock = 256

// Predict returns m's outputs for the rows of x, which may be none. It works block by
// block, so that it can be cancelled and can tell how far it has come.
func Predict(ctx context.Context, m Model, x *mat.Dense, progress Progress) (*mat.Dense, error) {
	rows, _ := x.Dims()
	if rows == 0 {
		return &mat.Dense{}, ctx.Err()
	}
	_, outputs := m.Dims()
	out := mat.NewDense(rows, outputs, nil)
	err := InBlocks(ctx, "prediction", rows, 4*PredictBlock, progress, func(lo, hi int) {
		m.PredictTo(Rows(out, lo, hi), Rows(x, lo, hi))
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// InBlocks calls use for rows lo … hi-1 of block rows at a time, so that it can be
// cancelled and can tell how far the stage has come.
func InBlocks(ctx context.Context, stage string, rows, block int, progress Progress, use func(lo, hi int)) error {
	for lo := 0; lo < rows; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+block, rows)
		use(lo, hi)
		progress.Tell(stage, hi, rows)
	}
	return nil
}

// Rows returns rows lo … hi-1 of m; they share its memory.
func Rows(m *mat.Dense, lo, hi int) *mat.Dense {
	return m.Slice(lo, hi, 0, m.RawMatrix().Cols).(*mat.Dense)
}
