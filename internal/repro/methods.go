package repro

import (
	"rvflplus/internal/param"
	"rvflplus/kernel"
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

// config is the default config of a kind of model, with the paper's form and its γ.
func config(kind string) param.Config {
	c := param.Default()
	c.Kind, c.Correction, c.Gamma = kind, learn.Paper, 1000
	return c
}

// kernelMethod is a method with Gaussian kernels.
func kernelMethod(name, kind string) Method {
	return Method{Name: name, Kernel: gaussian, Config: config(kind)}
}

// layerMethod is a method with random layers; word is the paper's for the activation.
func layerMethod(name, kind, activation, word string) Method {
	m := Method{Name: name, Activation: word, Config: config(kind)}
	m.Config.Activation, m.Config.Hidden = activation, nodes
	return m
}

// marginMethod is a support vector machine with Gaussian kernels.
func marginMethod(name, kind string) Method {
	m := kernelMethod(name, kind)
	m.Limited = true
	return m
}

// svmPlus is a support vector machine with privileged columns, trained by the given solver.
func svmPlus(name, solver string) Method {
	m := marginMethod(name, "svm+")
	m.Config.SVMSolver = solver
	return m
}

func withLinearKernel(m Method) Method {
	m.Kernel, m.Config.Kernel = linear, kernel.Must("linear")
	return m
}

// chosenFaster is a slow solver of SVM+. A faster solver of the same problem chooses its settings.
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

// allColumns is a method that sees the privileged columns of test rows too. It is no bound: another method or protocol
// may do better with half of the columns.
func allColumns(m Method) Method {
	m.Name += ", all columns"
	m.Ours, m.AllColumns = true, true
	return m
}

// columns are the methods of tables 4, 6, 7 and 8. svm is the support vector machine of the task, and margin are the
// paper's machines with privileged columns.
func columns(svm Method, margin ...Method) []Method {
	krvflPlus, rvflPlus := kernelMethod("KRVFL+", "krvfl+"), layerMethod("RVFL+", "rvfl+", "sigmoid", sigmoid)
	krvfl := kernelMethod("KRVFL", "krvfl")
	out := []Method{krvflPlus, rvflPlus, layerMethod("RVFL", "rvfl", "sigmoid", sigmoid)}
	out = append(append(out, margin...), svm)
	return append(out, oursToo(krvfl), additive(krvflPlus), additive(rvflPlus), allColumns(krvfl), allColumns(svm))
}

func classifiers() []Method {
	fast := svmPlus("Fast SVM+", "fast")
	fast.OnceTrials = 3 // two N×N systems or more for each class
	return columns(marginMethod("SVM", "svm"), fast, chosenFaster(svmPlus("MAT-SVM+", "mat")))
}

func regressors() []Method {
	svr := marginMethod("SVR", "svr")
	svr.OnceTrials = 1 // a machine for each of 16 targets
	return columns(svr)
}
