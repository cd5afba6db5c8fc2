package repro

import (
	"math"
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/namelist"
)

// Experiments returns the tables and figures, in the paper's order, and then those of this project. They are the
// caller's to change.
func Experiments() []*Experiment {
	return append(ofPaper(), gains(), readingsOfClassifications(), readingsOfRegressions())
}

func ofPaper() []*Experiment {
	return []*Experiment{
		table1(), figure2(), figure3a(), figure3b(), table2(),
		table3(), table4(), table5(), table6(), table7(), table8(),
	}
}

// Names lists the experiments.
func Names() []string {
	var names []string
	for _, e := range Experiments() {
		names = append(names, e.Name)
	}
	return names
}

// Find returns the experiments that names name, "all" for all of the paper. An unknown name is a
// fault.Usage error.
func Find(names ...string) ([]*Experiment, error) {
	var found []*Experiment
	for _, name := range names {
		if name == "all" {
			return ofPaper(), nil
		}
		i := slices.Index(Names(), name)
		if i < 0 {
			return nil, unknown("table or figure", name, append(Names(), "all"))
		}
		found = append(found, Experiments()[i])
	}
	return found, nil
}

func unknown(what, name string, known []string) error {
	wrong := fault.New(fault.Usage, "there is no %s %q", what, name)
	if near := namelist.Nearest(name, known); near != "" {
		return wrong.WithHint("did you mean %q? There are: %s", near, strings.Join(known, "; "))
	}
	return wrong.WithHint("there are: %s", strings.Join(known, "; "))
}

func table1() *Experiment {
	return &Experiment{
		Name: "table1", Title: "RVFL+ with different activation functions on MNIST+", Metric: accuracy,
		Protocols: []Protocol{published("validation", mnistDraws), ours(mnistDraws)},
		Datasets:  []Dataset{mnistPlus()},
		Methods: []Method{
			layerMethod("RVFL+", "rvfl+", "sigmoid", sigmoid),
			layerMethod("RVFL+", "rvfl+", "sine", "Sine function"),
			layerMethod("RVFL+", "rvfl+", "hardlim", "Hardlim function"),
			layerMethod("RVFL+", "rvfl+", "tribas", "Triangular basis function"),
			layerMethod("RVFL+", "rvfl+", "radbas", "Radial basis function"),
		},
	}
}

func figure2() *Experiment {
	m := layerMethod("RVFL+", "rvfl+", "tribas", triangular)
	m.Config.U = math.Exp2(2.5)
	return &Experiment{
		Name: "figure2", Metric: accuracy,
		Title:     "RVFL+ on MNIST+ by C and γ (triangular basis, u = 2^2.5), accuracy on the validation rows",
		Protocols: []Protocol{atEveryPoint()},
		Datasets:  []Dataset{mnistPlus()},
		Methods:   []Method{m},
		Sweep:     &Sweep{X: "C", Y: "gamma", XValues: decades(-5, 5, 1), YValues: decades(-5, 5, 1)},
	}
}

// decades returns powers of ten from 10^low to 10^high, per of them in each decade.
func decades(low, high, per int) []float64 {
	var out []float64
	for i := low * per; i <= high*per; i++ {
		out = append(out, math.Pow(10, float64(i)/float64(per)))
	}
	return out
}

func figure3a() *Experiment {
	return &Experiment{
		Name: "figure3a", Metric: accuracy,
		Title:     "KRVFL+ on MNIST+ by γ, the best over C and width, accuracy on the validation rows",
		Protocols: []Protocol{atEveryPoint()},
		Datasets:  []Dataset{mnistPlus()},
		Methods:   []Method{kernelMethod("KRVFL+", "krvfl+")},
		Sweep: &Sweep{
			X:       "gamma",
			XValues: []float64{0.01, 0.1, 1, 10, 50, 100, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000},
			Over:    map[string][]float64{"C": decades(-1, 3, 4), "width": widthsOfFigures()},
		},
	}
}

// widthsOfFigures are around 0.02 to 0.03, where the paper finds the best.
func widthsOfFigures() []float64 {
	return []float64{0.0025, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16}
}

func figure3b() *Experiment {
	m := kernelMethod("KRVFL+", "krvfl+")
	m.Config.Gamma = gammaOfPaper
	return &Experiment{
		Name: "figure3b", Metric: accuracy,
		Title:     "KRVFL+ on MNIST+ by C and width τ at γ = 5000, accuracy on the validation rows",
		Protocols: []Protocol{atEveryPoint()},
		Datasets:  []Dataset{mnistPlus()},
		Methods:   []Method{m},
		Sweep:     &Sweep{X: "C", Y: "width", XValues: decades(-2, 3, 4), YValues: widthsOfFigures()},
	}
}

// mnistDraws is for MNIST+, whose validation rows make the choice of kernels cheap.
var mnistDraws = Draws{Kernel: 500, Layer: 300, Margin: 500}

func table2() *Experiment {
	krvflPlus, rvflPlus := kernelMethod("KRVFL+", "krvfl+"), layerMethod("RVFL+", "rvfl+", "tribas", triangular)
	return &Experiment{
		Name: "table2", Title: "Methods on MNIST+", Metric: accuracy,
		Protocols: []Protocol{published("validation", mnistDraws), ours(mnistDraws)},
		Datasets:  []Dataset{mnistPlus()},
		Methods: []Method{
			withLinearKernel(marginMethod("SVM", "svm")),
			chosenFaster(withLinearKernel(svmPlus("gSMO-SVM+", "gsmo"))),
			withLinearKernel(svmPlus("Fast SVM+", "fast")),
			marginMethod("SVM", "svm"),
			chosenFaster(svmPlus("gSMO-SVM+", "gsmo")),
			svmPlus("CVX-SVM+", "ipm"),
			chosenFaster(svmPlus("MAT-SVM+", "mat")),
			svmPlus("Fast SVM+", "fast"),
			layerMethod("RVFL", "rvfl", "tribas", triangular),
			rvflPlus,
			krvflPlus,
			oursToo(kernelMethod("KRVFL", "krvfl")),
			additive(rvflPlus),
			additive(krvflPlus),
		},
	}
}

func table3() *Experiment {
	return &Experiment{Name: "table3", Title: "Statistics of the classification data sets", Datasets: ofTable(3)}
}

// tableDraws is for tables 4, 6, 7 and 8.
var tableDraws = Draws{Kernel: 400, Layer: 100, Margin: 50, ManyRows: 100}

func table4() *Experiment {
	return &Experiment{
		Name: "table4", Title: "Classification with half of the features, the others privileged", Metric: accuracy,
		Protocols: []Protocol{published("folds", tableDraws), ours(tableDraws)},
		Datasets:  classifications(map[string]int{PublishedName: 1, OursName: 3}),
		Methods:   classifiers(),
	}
}

func table5() *Experiment {
	return &Experiment{Name: "table5", Title: "Statistics of the regression data sets", Datasets: ofTable(5)}
}

func table6() *Experiment {
	return &Experiment{
		Name: "table6", Title: "Regression with half of the features, the others privileged", Metric: rmse,
		Protocols: []Protocol{published("folds", tableDraws), ours(tableDraws)},
		Datasets:  regressions(),
		Methods:   regressors(),
	}
}

func table7() *Experiment {
	return &Experiment{
		Name: "table7", Title: "Classification of noisy features, the clean ones privileged", Metric: accuracy,
		Noise:     true,
		Protocols: []Protocol{published("folds", tableDraws), ours(tableDraws)},
		Datasets:  classifications(map[string]int{PublishedName: 1, OursName: 1}),
		Methods:   classifiers(),
	}
}

func table8() *Experiment {
	return &Experiment{
		Name: "table8", Title: "Regression on noisy features, the clean ones privileged", Metric: rmse,
		Noise:     true,
		Protocols: []Protocol{published("folds", tableDraws), ours(tableDraws)},
		Datasets:  regressions(),
		Methods:   regressors(),
	}
}
