package svmplus

import (
	"fmt"
	"math"
	"testing"

	"rvflplus/internal/oracle"
	"rvflplus/kernel"
)

// The second part of Fast SVM+'s form is the same from features, from a kernel's
// matrix at small C/γ and from one at large C/γ.
func TestSlackForms(t *testing.T) {
	for e := -10.0; e <= 10; e++ {
		form := func(priv string) []float64 {
			config := with(func(c *Config) { c.C, c.Gamma, c.PrivKernel = 1, math.Pow(10, e), kernel.Must(priv) })
			s := newTraining(config, problemOf(oracle.ReadMargin(t)[0]))
			var err error
			if s.priv, err = kernel.Must(priv).Resolve(s.rows.Priv, 0); err != nil {
				t.Fatal(err)
			}
			m, err := s.slackForm(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return m.Data
		}
		// a kernel of linear features has null directions, in which rounding is divided by γ
		near(t, fmt.Sprintf("gamma = 1e%v", e), form("poly:degree=1,offset=0"), form("linear"),
			1e-12*max(1, math.Pow(10, -e)))
	}
}
