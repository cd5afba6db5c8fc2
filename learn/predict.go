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
	rows, columns := x.Dims()
	if rows == 0 {
		return &mat.Dense{}, ctx.Err()
	}
	_, outputs := m.Dims()
	out := mat.NewDense(rows, outputs, nil)
	const block = 4 * PredictBlock
	for lo := 0; lo < rows; lo += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+block, rows)
		m.PredictTo(out.Slice(lo, hi, 0, outputs).(*mat.Dense), x.Slice(lo, hi, 0, columns).(*mat.Dense))
		progress.Tell("prediction", hi, rows)
	}
	return out, nil
}
