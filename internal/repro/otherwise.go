package repro

import "fmt"

// mostKernelRows bounds the rows that SVM+ with kernels is trained on: Fast SVM+ keeps 48 bytes for each pair of rows,
// 19 GB for so many.
const mostKernelRows = 20_000

// fitting returns the method as it is run on the data set. Where the kernel matrices of Fast SVM+ fit into no memory,
// it has linear kernels: its problem is then solved for the weights of the features and needs memory for the rows
// alone. The other solvers of SVM+ have no such form.
func (d *Dataset) fitting(m Method) Method {
	if d.Train <= mostKernelRows || m.Config.Kind != "svm+" || m.Config.SVMSolver != "fast" {
		return m
	}
	name := m.Kernel
	m = withLinearKernel(m)
	m.Kernel = name // the column that the cell stands in
	return m
}

// otherwise says in which way a cell is not the paper's by design, and how it is run instead; both are "" for most
// cells. Its rows are those that could be had, or its kernels are linear.
func (j *job) otherwise() (reason, how string) {
	switch {
	case j.dataset.Entry == "scm1d-test":
		return "not the paper's rows", fmt.Sprintf("%d training and %d test rows of the published test part: the file "+
			"of all rows is not at hand", j.dataset.Train, j.dataset.Test)
	case j.method.Kernel == gaussian && j.method.Config.Kernel.String() == "linear":
		return "linear kernels, not the paper's Gaussian ones", fmt.Sprintf("linear kernels on the features "+
			"themselves: Gaussian kernel matrices of %d rows do not fit into memory", j.dataset.Train)
	}
	return "", ""
}
