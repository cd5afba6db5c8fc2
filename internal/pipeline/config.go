package pipeline

import (
	"errors"

	"rvflplus/internal/prep"
	"rvflplus/internal/target"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
	"rvflplus/svm"
	"rvflplus/svmplus"
)

// Config says what is trained and how. Its zero value trains rvfl+, or rvfl
// without privileged columns, with the documented defaults; a field at its zero
// value means its default.
type Config struct {
	Kind string // see Kinds; default "rvfl+", "rvfl" without privileged columns

	C          float64          // regularisation, ridge 1/C; > 0, default 1
	Gamma      float64          // weight of the privileged part; > 0, default 1000
	Correction learn.Correction // default learn.Paper

	Hidden     int     // rvfl kinds: enhancement nodes; ≥ 1, default 1000
	PrivHidden int     // of the privileged space; ≥ 1, default Hidden
	U          float64 // scale of random weights and biases; > 0, default 1
	Activation string  // default "sigmoid"
	Init       string  // "uniform" (default) or "gaussian"
	Solver     string  // "auto" (default), "primal", "dual", "pinv"

	Kernel     string // krvfl kinds: see kernel.Parse; default "rbf" of automatic width
	PrivKernel string // of the privileged space; default Kernel

	Epsilon *float64 // svr: half the width of the tube of errors that cost nothing; ≥ 0, nil means 0.1
	Tol     float64  // support vector machines: when they are solved; > 0, default by kind
	MaxIter int      // support vector machines: of one machine; ≥ 1, default by kind

	// ClassWeight multiplies C for the rows of each class, beside their own weights
	// (svm, svm+): "yes=5,no=1", classes not named having weight 1, or Balanced for
	// weights inverse to the classes' shares. A class with a comma is quoted as in CSV.
	ClassWeight string

	SVMSolver string // svm+: see svmplus.Solvers; default "gsmo"

	NoLinear bool // leaves out the direct links, or the linear part of the kernels
	NoCenter bool // does not centre the targets of a regression
	Seed     uint64

	Scale    string // see prep.Scales; default "standard"
	Impute   string // see prep.Imputes; default "none"
	Task     string // "classify", "regress" or "" (by the target column)
	Encoding string // of classes: "onehot" (default) or "sign"

	// What the model says of its own uncertainty, from exact leave-one-out (which is
	// then always computed); of support vector machines from five folds.
	Proba     string // classification: class probabilities by "platt" or (not svm) "isotonic" scaling; "" for none
	Intervals bool   // regression: prediction intervals, see Intervals
	Std       bool   // regression, krvfl kinds: posterior standard deviation of f

	// AllowMissingPriv trains on rows without privileged values too, instead of
	// refusing them: rows that a join found no match for and rows in which a
	// privileged cell is missing (with Impute: in which all are). Kinds that learn
	// from none have no use for it. It is about the data: no setting of the model.
	AllowMissingPriv bool
}

// WithDefaults returns the config with every default filled in.
func (c Config) WithDefaults() Config {
	r, k := c.rvfl(false).WithDefaults(), c.krvfl(false).WithDefaults()
	c.Kind = learn.Or(c.Kind, "rvfl+")
	c.C, c.Gamma, c.Correction = r.C, r.Gamma, r.Correction
	c.Hidden, c.PrivHidden, c.U, c.Activation, c.Init, c.Solver = r.Hidden, r.PrivHidden, r.U, r.Activation, r.Init, r.Solver
	c.Kernel, c.PrivKernel = k.Kernel, k.PrivKernel
	c.SVMSolver = c.svmplus().WithDefaults().Solver
	c.Epsilon = c.svr().WithDefaults().Epsilon
	c.Scale, c.Impute = learn.Or(c.Scale, "standard"), learn.Or(c.Impute, "none")
	c.Encoding = learn.Or(c.Encoding, "onehot")
	return c
}

// Validate returns a fault.Usage error that names every value out of its range.
func (c Config) Validate() error {
	c = c.WithDefaults()
	kind, err := KindByName(c.Kind)
	if err != nil {
		return err
	}
	return errors.Join(c.trainer(kind, false, nil).Validate(), CheckClassWeight(c.ClassWeight), kind.checkTask(c.Task), c.validateUncertainty(kind), prep.Options{Scale: c.Scale, Impute: c.Impute}.Validate(), target.Options{Task: c.Task, Encoding: c.Encoding}.Validate())
}

// estimator is the config of one.
type estimator interface {
	learn.Trainer
	Validate() error
}

// trainer returns the estimator. Only targets of a regression are centred;
// classWeight has a weight for each class, or is nil.
func (c Config) trainer(kind Kind, classification bool, classWeight []float64) estimator {
	switch {
	case kind.Name == "svm":
		s := c.svm()
		s.ClassWeight = classWeight
		return s
	case kind.Name == "svr":
		return c.svr()
	case kind.Name == "svm+":
		s := c.svmplus()
		s.ClassWeight = classWeight
		return s
	case kind.Kernel:
		return c.krvfl(classification)
	}
	return c.rvfl(classification)
}

func (c Config) svm() svm.Config {
	return svm.Config{C: c.C, Kernel: c.Kernel, Tolerance: c.Tol, MaxIterations: c.MaxIter, Seed: c.Seed, Probability: c.Proba != ""}
}

func (c Config) svr() svm.RegressionConfig {
	return svm.RegressionConfig{C: c.C, Epsilon: c.Epsilon, Kernel: c.Kernel, Tolerance: c.Tol, MaxIterations: c.MaxIter, Seed: c.Seed}
}

func (c Config) svmplus() svmplus.Config {
	return svmplus.Config{
		C: c.C, Gamma: c.Gamma, Solver: c.SVMSolver, Kernel: c.Kernel, PrivKernel: c.PrivKernel,
		Tolerance: c.Tol, MaxIterations: c.MaxIter, Seed: c.Seed,
	}
}

func (c Config) rvfl(classification bool) rvfl.Config {
	return rvfl.Config{
		C: c.C, Gamma: c.Gamma, Correction: c.Correction, Hidden: c.Hidden, PrivHidden: c.PrivHidden, U: c.U,
		Activation: c.Activation, Init: c.Init, NoDirect: c.NoLinear, NoCenter: c.NoCenter || classification,
		Solver: c.Solver, Seed: c.Seed,
	}
}

func (c Config) krvfl(classification bool) krvfl.Config {
	return krvfl.Config{
		C: c.C, Gamma: c.Gamma, Correction: c.Correction, Kernel: c.Kernel, PrivKernel: c.PrivKernel,
		NoLinear: c.NoLinear, NoCenter: c.NoCenter || classification, Seed: c.Seed,
	}
}
