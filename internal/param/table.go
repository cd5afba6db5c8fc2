package param

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rvflplus/activation"
	"rvflplus/fault"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/feature"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Config holds the values of all parameters; package internal/kind tells which of them a
// kind has. It starts from Default.
type Config struct {
	Kind string
	Task string

	C          float64
	Gamma      float64
	Correction learn.Correction

	ProjectC      float64
	ProjectKernel kernel.Spec

	Hidden     int
	PrivHidden int
	U          float64
	Activation string
	Init       string
	Members    int
	Layers     int

	Kernel     kernel.Spec
	PrivKernel kernel.Spec

	Epsilon     float64
	Tol         float64
	MaxIter     int
	ClassWeight string
	SVMSolver   string

	Solver   string
	Linear   bool
	Center   bool
	Encoding string
	Scale    string
	// PrivScale is left out of keys of kept trials where it is empty, as before there was one.
	PrivScale string `json:",omitempty"`
	Impute    string
	// So are these three.
	Dates            string `json:",omitempty"`
	MissingIndicator bool   `json:",omitempty"`
	MinCategory      int    `json:",omitempty"`
	Seed             uint64

	Proba     string
	Intervals bool
	Std       bool

	Base    string
	Lambda  float64
	Power   float64
	Methods string

	// Free lists the hyper-parameters that training chooses itself, where its kind does. Single, Nested and Budget
	// are of a stack; see package internal/lupi.
	Free           []Param
	Single, Nested bool
	Budget         time.Duration

	// Relevance and PrivRelevance hold, where Init is relevance, the factors of the features' random weights in both
	// spaces. They are learned from the rows: no parameters that users set, and none of the model, which keeps weights.
	Relevance, PrivRelevance []float64

	// AllowMissingPriv trains on rows without privileged values too, instead of refusing
	// them: rows that a join found no match for and rows in which a privileged cell is
	// missing (with Impute: in which all are). Kinds that learn from none have no use for
	// it. It is about the data: no parameter of the model.
	AllowMissingPriv bool
}

// The parameters. Ranges of C, γ, u and widths are the paper's; widths are multiples of the
// automatic width.
var (
	Task = word(About{
		Name: "task", Words: []string{"classify", "regress", "classification", "regression"},
		Doc: "what the target means (default: by its column)",
	}, "", true, func(c *Config) *string { return &c.Task })

	C = number(About{
		Name: "C", Doc: "regularisation; the ridge is 1/C", Tuned: Range{1e-5, 1e5},
		absent: func(c *Config) bool { return c.Solver == "pinv" },
	}, 1, wantPositive, positive, func(c *Config) *float64 { return &c.C })

	Gamma = number(About{
		Name: "gamma", Doc: "weight of the privileged part: small lets it explain much, large little",
		Tuned: Range{1e-5, 1e5},
	}, 10000, wantPositive, positive, func(c *Config) *float64 { return &c.Gamma })

	Correction = word(About{
		Name: "correction", Words: words(learn.Corrections()), Doc: "form in which privileged columns enter",
	}, learn.Projected, false, func(c *Config) *learn.Correction { return &c.Correction })

	ProjectC = unset(number(About{
		Name:   "project-C",
		Doc:    "regularisation of the second stage of correction projected (default: chosen by its own leave-one-out)",
		absent: func(c *Config) bool { return c.Correction != learn.Projected || c.ProjectC == 0 },
	}, 0, wantPositive, positive, func(c *Config) *float64 { return &c.ProjectC }))

	ProjectKernel = kernelJSON{kernelSpec(About{
		Name: "project-kernel",
		Doc: "kernel of the second stage of correction projected (default: kernel, its width chosen by the " +
			"stage's own leave-one-out)",
	}, nil, func(c *Config) *kernel.Spec { return &c.ProjectKernel })}

	Hidden = whole(About{Name: "hidden", Doc: "enhancement nodes (rvfl kinds)"},
		1000, false, func(c *Config) *int { return &c.Hidden })

	PrivHidden = whole(About{Name: "priv-hidden",
		Doc: "enhancement nodes of the privileged space (default: as many as hidden)"},
		0, true, func(c *Config) *int { return &c.PrivHidden })

	U = number(About{
		Name: "u", Doc: "scale of the random weights; biases lie in [0, u]", Tuned: Range{1.0 / 32, 32},
	}, 1, wantPositive, positive, func(c *Config) *float64 { return &c.U })

	Activation = word(About{
		Name: "activation", Words: activation.Names(), Doc: "function of the enhancement nodes",
	}, "sigmoid", false, func(c *Config) *string { return &c.Activation })

	Init = word(About{
		Name: "init", Words: feature.Inits(),
		Doc: "distribution of the random weights (relevance: uniform times the learned relevance of each feature; " +
			"differences: from pairs of rows with different targets)",
	}, "uniform", false, func(c *Config) *string { return &c.Init })

	Members = whole(About{
		Name: "members", Doc: "networks that are averaged (rvfl-ensemble), columns of each layer (cmcrvfl+)",
	}, 10, false, func(c *Config) *int { return &c.Members })

	Layers = whole(About{
		Name: "layers", Doc: "layers (default: 5 of edrvfl and edrvfl+, 3 of the cascades cmcrvfl+ and ckrvfl+)",
		absent: func(c *Config) bool { return c.Layers == 0 },
	}, 0, true, func(c *Config) *int { return &c.Layers })

	Kernel = kernelJSON{kernelSpec(About{
		Name: "kernel", Doc: "kernel, or a sum such as rbf:width=2+poly:degree=3",
	}, kernel.Spec{{Name: "rbf"}}, func(c *Config) *kernel.Spec { return &c.Kernel })}

	PrivKernel = kernelJSON{kernelSpec(About{
		Name: "priv-kernel", Doc: "kernel of the privileged space (default: that of the normal space)",
	}, nil, func(c *Config) *kernel.Spec { return &c.PrivKernel })}

	Width = ofKernel(About{
		Name: "width", Tuned: Range{1.0 / 32, 32}, Want: "> 0, auto or relevance",
		Doc: "width of rbf, wavelet, laplacian, chi2 and the additive kernels (default auto: the median distance of " +
			"the rows; relevance: one for each feature, learned from the targets)",
	}, "width", false)

	PrivWidth = ofKernel(About{
		Name: "priv-width", Tuned: Range{1.0 / 32, 32}, Want: "> 0, auto or relevance",
		Doc: "width in the privileged space (default auto; relevance as in the normal one)",
	}, "width", true)

	Degree = ofKernel(About{
		Name: "degree", Doc: "degree of poly (default 3)", Want: "a whole number from 1 to 100",
	}, "degree", false)

	Offset = ofKernel(About{
		Name: "offset", Doc: "offset of poly and affine (default 1)", Want: ">= 0",
	}, "offset", false)

	Dilation = ofKernel(About{Name: "dilation", Doc: "dilation of wavelet (default 1)", Want: "> 0"}, "dilation", false)

	Frequency = ofKernel(About{
		Name: "frequency", Doc: "frequency of wavelet (default 1.75)", Want: ">= 0",
	}, "frequency", false)

	Epsilon = number(About{
		Name: "epsilon", Doc: "errors up to this cost nothing, 0 or more (svr)", Tuned: Range{1e-3, 1},
	}, 0.1, wantNotNegative, notNegative, func(c *Config) *float64 { return &c.Epsilon })

	Tol = unset(number(About{
		Name: "tol",
		Doc: "when a support vector machine counts as solved: its largest KKT violation (default 1e-3, of svr times " +
			"the targets' standard deviation), of svm+ its relative duality gap (default 1e-6)",
		absent: func(c *Config) bool { return c.Tol == 0 },
	}, 0, wantPositive, positive, func(c *Config) *float64 { return &c.Tol }))

	MaxIter = whole(About{
		Name: "max-iter",
		Doc: "iterations of one support vector machine (default 10,000,000, or 100 a row if that is more; " +
			"of svm+ by solver)",
		absent: func(c *Config) bool { return c.MaxIter == 0 },
	}, 0, true, func(c *Config) *int { return &c.MaxIter })

	ClassWeights = &Of[string]{
		about: About{
			Name: "class-weight", Type: "weights", Want: "balanced, or weights by class such as yes=5,no=1",
			Doc: "what the classes' rows count as in training, beside the weights of rows: such as 'yes=5,no=1', or " +
				"balanced, so that all classes count alike (default: 1 each)",
			absent: func(c *Config) bool { return c.ClassWeight == "" },
		},
		field: func(c *Config) *string { return &c.ClassWeight },
		check: func(text string) error { _, err := ParseClassWeight(text); return err },
		parse: func(text string) (string, error) {
			if text == "" {
				return "", fault.New(fault.Usage, "%s is empty", fault.Name("class-weight")).
					WithHint("write balanced, or weights by class such as yes=5,no=1")
			}
			_, err := ParseClassWeight(text)
			return text, err
		},
		text: func(text string) string { return text },
	}

	SVMSolver = word(About{
		Name: "svm-solver", Words: []string{"gsmo", "ipm", "mat", "fast"},
		Doc: "solver of svm+: gsmo, ipm and mat solve SVM+; fast solves Fast SVM+, a different problem",
	}, "gsmo", false, func(c *Config) *string { return &c.SVMSolver })

	Linear = toggle(About{
		Name: "linear",
		Doc: "direct links (rvfl kinds) or a linear kernel beside the named one (krvfl kinds; " +
			"support vector machines have none)",
	}, true, func(c *Config) *bool { return &c.Linear })

	Center = toggle(About{
		Name: "center", Doc: "centre the targets of a regression, which gives an intercept",
		absent: func(c *Config) bool { return c.Task != "regression" },
	}, true, func(c *Config) *bool { return &c.Center })

	Encoding = word(About{
		Name: "encoding", Words: []string{"onehot", "sign"},
		Doc:    "one output a class, or one ±1 output for two classes",
		absent: func(c *Config) bool { return c.Task != "classification" },
	}, "onehot", false, func(c *Config) *string { return &c.Encoding })

	Scale = word(About{
		Name: "scale", Words: scales,
		Doc: "preparation of each space: l1 and l2 divide each row by its norm, quantile takes the normal scores of " +
			"ranks, log the logarithm of skewed columns; auto chooses standard, log or quantile by leave-one-out, as " +
			"a stack does",
	}, "standard", false, func(c *Config) *string { return &c.Scale })

	PrivScale = word(About{
		Name: "priv-scale", Words: scales,
		Doc:    "preparation of the privileged space (default: as scale; auto chooses for each space by itself)",
		absent: func(c *Config) bool { return c.PrivScale == "" },
	}, "", true, func(c *Config) *string { return &c.PrivScale })

	Impute = word(About{
		Name: "impute", Words: []string{"none", "mean", "median", "most-frequent"}, Doc: "what fills missing cells",
	}, "none", false, func(c *Config) *string { return &c.Impute })

	Dates = word(About{
		Name: "dates", Words: []string{"plain", "cyclic", "drop"},
		Doc: "columns of dates: a number of days; with cyclic the day of the week and of the year too, as pairs of " +
			"sine and cosine; drop leaves them out (default plain)",
		absent: func(c *Config) bool { return c.Dates == "" },
	}, "", true, func(c *Config) *string { return &c.Dates })

	MissingIndicator = toggle(About{
		Name: "missing-indicator",
		Doc: "tell the model which cells are missing: a 0/1 feature beside each column with missing training cells " +
			"(needs impute)",
		absent: func(c *Config) bool { return !c.MissingIndicator },
	}, false, func(c *Config) *bool { return &c.MissingIndicator })

	MinCategory = whole(About{
		Name:   "min-category",
		Doc:    "categories that fewer training rows have are grouped into one (default: none is)",
		absent: func(c *Config) bool { return c.MinCategory == 0 },
	}, 0, true, func(c *Config) *int { return &c.MinCategory })

	Solver = word(About{
		Name: "solver", Words: []string{"auto", "primal", "dual", "pinv"},
		Doc: "closed form: auto takes the smaller system; pinv is rvfl without regularisation",
	}, "auto", false, func(c *Config) *string { return &c.Solver })

	Seed = &Of[uint64]{
		about: About{
			Name: "seed", Type: "uint64", Doc: "seed of everything random", Default: "0",
			Want: fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)),
		},
		field: func(c *Config) *uint64 { return &c.Seed },
		parse: func(text string) (uint64, error) { return strconv.ParseUint(text, 0, 64) },
		text:  func(v uint64) string { return strconv.FormatUint(v, 10) },
	}

	Proba = word(About{
		Name: "proba", Words: calibrate.Methods(), Alone: string(calibrate.Platt),
		Doc: "keep class probabilities, fitted to exact leave-one-out scores (svm, svm+ and cascades: to scores for " +
			"rows left out in five folds; svm: platt only); alone it means platt",
		absent: func(c *Config) bool { return c.Proba == "" },
	}, "", true, func(c *Config) *string { return &c.Proba })

	Intervals = toggle(About{
		Name:   "intervals",
		Doc:    "keep what prediction intervals need (regression): jackknife+, above 5,000 rows the plain jackknife",
		absent: func(c *Config) bool { return !c.Intervals },
	}, false, func(c *Config) *bool { return &c.Intervals })

	Std = toggle(About{
		Name: "std", Doc: "keep the standard deviation of the Gaussian process (regression, krvfl kinds)",
		absent: func(c *Config) bool { return !c.Std },
	}, false, func(c *Config) *bool { return &c.Std })
)

// AutoScale is the scaling that training chooses.
const AutoScale = "auto"

var scales = []string{"standard", "none", "minmax", "l1", "l2", "quantile", "log", AutoScale}

// Parameters of the methods that choose among settings; see package internal/lupi.
var (
	Base = word(About{
		Name: "base", Words: []string{"auto", "krvfl", "rvfl"},
		Doc: "what the method is built on: kernels (auto: up to 5,000 rows) or random layers",
	}, "auto", false, func(c *Config) *string { return &c.Base })

	Lambda = number(About{
		Name: "lambda", Doc: "share of the teacher's predictions in the student's targets, from 0 to 1",
	}, 0.5, "a number from 0 to 1", func(v float64) bool { return v >= 0 && v <= 1 },
		func(c *Config) *float64 { return &c.Lambda })

	Power = number(About{
		Name: "power", Doc: "power of the row weights that the privileged columns tell",
	}, 1, wantNotNegative, notNegative, func(c *Config) *float64 { return &c.Power })

	Methods = &Of[string]{
		about: About{
			Name: "methods", Type: "list", Want: "a comma list of " + strings.Join(StackMembers(), ", "),
			Doc:    "members of the stack beside the averaged one (default: those that the rows allow)",
			absent: func(c *Config) bool { return c.Methods == "" },
		},
		field: func(c *Config) *string { return &c.Methods },
		check: checkMethods,
		parse: func(text string) (string, error) { return text, checkMethods(text) },
		text:  func(text string) string { return text },
	}
)

// StackMembers lists the members that a stack may have beside the averaged one.
func StackMembers() []string { return []string{"projected", "label", "distill", "transfer", "weigh"} }

func checkMethods(text string) error {
	if text == "" {
		return nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if !slices.Contains(StackMembers(), name) {
			return fault.Param("methods", "a comma list of "+strings.Join(StackMembers(), ", "), strconv.Quote(name))
		}
	}
	return nil
}

// table lists the parameters in the order of their keys in JSON.
var table = []Param{
	C, Gamma, Correction, ProjectC, ProjectKernel, Hidden, PrivHidden, U, Activation, Init, Members, Layers,
	Kernel, Width, Degree, Offset, Dilation, Frequency, PrivKernel, PrivWidth,
	Epsilon, Tol, MaxIter, ClassWeights, SVMSolver,
	Base, Lambda, Power, Methods, Linear, Center, Task, Encoding, Scale, PrivScale, Impute, Dates,
	MissingIndicator, MinCategory, Solver,
	Seed, Proba, Intervals, Std,
}

// Scales returns the scalings of the normal and of the privileged space, AutoScale where training chooses.
func (c *Config) Scales() (normal, priv string) {
	normal = c.Scale
	if slices.Contains(c.Free, Param(Scale)) {
		normal = AutoScale
	}
	return normal, cmp.Or(c.PrivScale, normal)
}

// Default returns the config in which every parameter has its default.
func Default() (c Config) {
	for _, p := range table {
		p.Reset(&c)
	}
	return c
}

// With returns the defaults after a change.
func With(change func(*Config)) Config {
	c := Default()
	change(&c)
	return c
}

// All returns the parameters of every kind, in the order of their keys in JSON. The kind
// itself is not among them.
func All() []Param { return table }

// SetAll sets the parameters in c that given has a text for, kernels before the parameters
// of kernels.
func SetAll(c *Config, given func(Param) (text string, ok bool)) error {
	kernels := []Param{Kernel, PrivKernel, ProjectKernel}
	rest := slices.DeleteFunc(slices.Clone(table), func(p Param) bool { return slices.Contains(kernels, p) })
	for _, p := range append(kernels, rest...) {
		if text, ok := given(p); ok {
			if err := p.SetText(c, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// ByName returns the parameter of a flag's name, nil if there is none.
func ByName(name string) Param {
	for _, p := range table {
		if p.About().Name == name {
			return p
		}
	}
	return nil
}

// unset lets a number be 0, which stands for a default that Doc tells.
func unset(p *Of[float64]) *Of[float64] {
	check := p.check
	p.about.Default = ""
	p.check = func(v float64) error {
		if v == 0 {
			return nil
		}
		return check(v)
	}
	p.text = func(v float64) string {
		if v == 0 {
			return ""
		}
		return FormatNumber(v)
	}
	return p
}

func words[T ~string](v []T) []string {
	var out []string
	for _, w := range v {
		out = append(out, string(w))
	}
	return out
}
