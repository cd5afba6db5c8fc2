package lupi

import (
	"testing"

	"rvflplus/internal/learntest"
	"rvflplus/kernel"
)

// What every estimator promises, with all hyper-parameters held. Methods that take weights from leave-one-out see a row
// of weight 2 as one row.
func TestEstimatorPromises(t *testing.T) {
	held := func(c *Config) {
		c.Kernel, c.PrivKernel = kernel.Must("rbf:width=2"), kernel.Must("rbf:width=3")
		c.ProjectC, c.ProjectKernel = 2, kernel.Must("rbf:width=3")
		c.C, c.Gamma, c.U, c.Widths = []float64{2}, []float64{0.5}, []float64{1}, []float64{1}
		c.Lambdas, c.Powers = []float64{0.5}, []float64{0.5}
	}
	layers := func(c *Config) { c.Base = "rvfl" }
	for name, e := range map[string]learntest.Estimator{
		"tuned":     {Trainer: small("tuned", held), NoPriv: true},
		"layers":    {Trainer: small("tuned", held, layers), NoPriv: true},
		"averaged":  {Trainer: small("averaged", held), NoPriv: true, Chooses: true, LearnsLeftOut: true},
		"projected": {Trainer: small("projected", held)},
		"distill":   {Trainer: small("distill", held), NeedsAllPriv: true, LearnsLeftOut: true},
		"transfer":  {Trainer: small("transfer", held), Chooses: true, LearnsLeftOut: true},
		"weigh":     {Trainer: small("weigh", held), Chooses: true, LearnsLeftOut: true, NeedsAllPriv: true},
		"stack":     {Trainer: small("stack", held), Chooses: true, LearnsLeftOut: true},
	} {
		e.NoLeftOut = true
		t.Run(name, func(t *testing.T) { learntest.Run(t, e) })
	}
}
