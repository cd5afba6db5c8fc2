package repro

import (
	"rvflplus/internal/pipeline"
	"rvflplus/learn"
)

// The paper's words.
const (
	gaussian   = "Gaussian kernel"
	linear     = "Linear kernel"
	sigmoid    = "Sigmoid function"
	triangular = "Triangular basis"
)

// nodes is the paper's number of enhancement nodes.
const nodes = 1000

// kernelMethod is a method with Gaussian kernels.
func kernelMethod(name, kind string) Method {
	return Method{Name: name, Kernel: gaussian, Config: pipeline.Config{Kind: kind, Kernel: "rbf", Correction: learn.Paper}}
}

// layerMethod is a method with random layers; word is the paper's for the activation.
func layerMethod(name, kind, activation, word string) Method {
	return Method{Name: name, Activation: word, Config: pipeline.Config{Kind: kind, Activation: activation, Hidden: nodes, Correction: learn.Paper}}
}

// marginMethod is a support vector machine; those with privileged columns name their
// solver.
func marginMethod(name, kind, solver, kernel string) Method {
	m := Method{Name: name, Kernel: gaussian, Limited: true, Config: pipeline.Config{Kind: kind, Kernel: kernel, SVMSolver: solver}}
	if kernel == "linear" {
		m.Kernel = linear
	}
	return m
}

// chosenFaster is a slow solver of SVM+, whose settings a faster one of the same
// problem chooses.
func chosenFaster(m Method) Method {
	m.ChosenWith, m.OnceTrials = "ipm", 1
	return m
}

// additive is a method with the additive correction.
func additive(m Method) Method {
	m.SameAs, m.Ours = m.Name, true
	m.Name += " additive"
	m.Config.Correction = learn.Additive
	return m
}

func oursToo(m Method) Method {
	m.Ours = true
	return m
}

// allColumns is the upper bound: the method sees the privileged columns of test rows.
func allColumns(m Method) Method {
	m.Name += ", all columns"
	m.Ours, m.AllColumns = true, true
	return m
}

// columns are those of tables 4, 6, 7 and 8; svm is that of the task, and margin are
// the paper's machines with privileged columns.
func columns(svm Method, margin ...Method) []Method {
	krvflPlus, rvflPlus := kernelMethod("KRVFL+", "krvfl+"), layerMethod("RVFL+", "rvfl+", "sigmoid", sigmoid)
	krvfl := kernelMethod("KRVFL", "krvfl")
	out := []Method{krvflPlus, rvflPlus, layerMethod("RVFL", "rvfl", "sigmoid", sigmoid)}
	out = append(append(out, margin...), svm)
	return append(out, oursToo(krvfl), additive(krvflPlus), additive(rvflPlus), allColumns(krvfl), allColumns(svm))
}

func classifiers() []Method {
	fast := marginMethod("Fast SVM+", "svm+", "fast", "rbf")
	fast.OnceTrials = 3 // two N×N systems or more for each class
	return columns(marginMethod("SVM", "svm", "", "rbf"), fast, chosenFaster(marginMethod("MAT-SVM+", "svm+", "mat", "rbf")))
}

func regressors() []Method {
	svr := marginMethod("SVR", "svr", "", "rbf")
	svr.OnceTrials = 1 // a machine for each of 16 targets
	return columns(svr)
}
