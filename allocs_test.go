//go:build !race && !openblas

package rvflplus_test

import (
	"context"
	"testing"

	"rvflplus"
)

// One row takes no more than two allocations. The race detector makes pools forget, so this test is not built with it.
func TestOneRowTakesLittleMemory(t *testing.T) {
	ctx := context.Background()
	for _, scale := range []string{"standard", "quantile", "log"} {
		m, x := hundred(t, scale)
		row, one, o := rowOf(x, 0), x.Slice(0, 1, 0, 100), rvflplus.PredictOptions{}
		for what, predict := range map[string]func() (*rvflplus.Predictions, error){
			"row":    func() (*rvflplus.Predictions, error) { return m.PredictRow(ctx, row, o) },
			"matrix": func() (*rvflplus.Predictions, error) { return m.PredictMatrix(ctx, one, o) },
		} {
			if n := testing.AllocsPerRun(1000, func() {
				if _, err := predict(); err != nil {
					t.Fatal(err)
				}
			}); n > 2 {
				t.Errorf("%s, scale %s: %g allocations", what, scale, n)
			}
		}
	}
}
