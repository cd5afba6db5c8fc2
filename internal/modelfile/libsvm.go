package modelfile

import (
	"bufio"
	"context"
	"io"
	"strconv"

	"rvflplus/internal/atomicfile"
	"rvflplus/internal/kind"
	"rvflplus/internal/pipeline"
)

// libsvmHead begins the model files that LIBSVM writes. As the length of a header
// it would be 8·10¹⁸ bytes.
const libsvmHead = "svm_type"

func isLIBSVM(r *bufio.Reader) bool {
	head, _ := r.Peek(len(libsvmHead))
	return string(head) == libsvmHead
}

// SaveLIBSVM writes a model of kind svm or svr to path as a model file of LIBSVM,
// which holds the prepared features and no preparation. It returns the labels that
// stand for the classes, in their order: the classes themselves where all are whole
// numbers, else 1, 2, …. Other kinds, kernels that LIBSVM lacks and several targets
// are fault.Usage errors.
func SaveLIBSVM(ctx context.Context, path string, m *pipeline.Model) (labels []int, err error) {
	if err := m.Kind.CheckLIBSVM(); err != nil {
		return nil, err
	}
	labels = classLabels(m.Coder.Classes)
	return labels, atomicfile.Write(ctx, path,
		func(w io.Writer) error { return kind.WriteLIBSVM(w, m.Kind, m.Estimator, labels) })
}

// classLabels returns the whole numbers that classes are, or numbers from 1.
func classLabels(classes []string) []int {
	var labels, numbers []int
	for i, class := range classes {
		numbers = append(numbers, i+1)
		if v, err := strconv.ParseInt(class, 10, 32); err == nil && strconv.FormatInt(v, 10) == class {
			labels = append(labels, int(v))
		}
	}
	if len(labels) < len(classes) {
		return numbers
	}
	return labels
}
