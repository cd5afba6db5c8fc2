package svm

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// WriteLIBSVM writes a model in LIBSVM's text format, which svm-predict reads.
// labels are the numbers of a classifier's classes, in the order of the classes; nil is 1, 2 …
// Kernels that LIBSVM lacks, regressors of several targets and classes without
// rows in training are fault.Usage errors. The features are the prepared ones.
func WriteLIBSVM(w io.Writer, m learn.Model, labels []int) error {
	out := bufio.NewWriter(w)
	var err error
	switch m := m.(type) {
	case *Classifier:
		err = m.writeLIBSVM(out, labels)
	case *Regressor:
		err = m.writeLIBSVM(out)
	default:
		err = fault.New(fault.Usage, "a %T is no support vector machine of LIBSVM", m)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

func (m *Classifier) writeLIBSVM(w io.Writer, labels []int) error {
	p := m.parts
	k := len(p.Order)
	if labels == nil {
		for class := range k {
			labels = append(labels, class+1)
		}
	}
	if len(labels) != k {
		return fault.New(fault.Usage, "%d labels for %d classes", len(labels), k)
	}
	if err := writeKernel(w, "c_svc", p.Kernel); err != nil {
		return err
	}
	var rho, label, probA, probB, count []string
	for pair, b := range p.Offset {
		rho = append(rho, digits(0-b))
		if p.Sigmoids != nil {
			probA, probB = append(probA, digits(p.Sigmoids[pair].A)), append(probB, digits(p.Sigmoids[pair].B))
		}
	}
	for place, class := range p.Order {
		label, count = append(label, strconv.Itoa(labels[class])), append(count, strconv.Itoa(p.Count[place]))
	}
	fmt.Fprintf(w, "nr_class %d\ntotal_sv %d\nrho %s\nlabel %s\n",
		k, p.Support.Rows, strings.Join(rho, " "), strings.Join(label, " "))
	if probA != nil {
		fmt.Fprintf(w, "probA %s\nprobB %s\n", strings.Join(probA, " "), strings.Join(probB, " "))
	}
	fmt.Fprintf(w, "nr_sv %s\n", strings.Join(count, " "))
	return writeSupport(w, p.Coef, p.Support)
}

func (m *Regressor) writeLIBSVM(w io.Writer) error {
	p := m.parts
	if len(p.Offset) != 1 {
		return fault.New(fault.Usage, "LIBSVM's models have one target, this one has %d", len(p.Offset)).
			WithHint("train each target alone")
	}
	if err := writeKernel(w, "epsilon_svr", p.Kernel); err != nil {
		return err
	}
	fmt.Fprintf(w, "nr_class 2\ntotal_sv %d\nrho %s\n", p.Support.Rows, digits(0-p.Offset[0]))
	return writeSupport(w, p.Coef, p.Support)
}

func digits(v float64) string { return strconv.FormatFloat(v, 'g', 17, 64) }

func writeKernel(w io.Writer, machine string, k kernel.Kernel) error {
	fmt.Fprintf(w, "svm_type %s\n", machine)
	switch k := k.(type) {
	case kernel.Linear:
		fmt.Fprintln(w, "kernel_type linear")
	case kernel.RBF:
		fmt.Fprintf(w, "kernel_type rbf\ngamma %s\n", digits(1/k.Width))
	case kernel.Polynomial:
		fmt.Fprintf(w, "kernel_type polynomial\ndegree %v\ngamma 1\ncoef0 %s\n", k.Degree, digits(k.Offset))
	default:
		return fault.New(fault.Usage, "LIBSVM has no kernel %s", k).WithHint("use linear, rbf or poly")
	}
	return nil
}

func writeSupport(w io.Writer, coef, support blas.Matrix) error {
	if _, err := fmt.Fprintln(w, "SV"); err != nil {
		return err
	}
	for i := range support.Rows {
		var line []byte
		for _, v := range blas.Row(coef, i) {
			line = append(strconv.AppendFloat(line, v, 'g', 17, 64), ' ')
		}
		for j, v := range blas.Row(support, i) {
			if v != 0 {
				line = append(strconv.AppendInt(line, int64(j+1), 10), ':')
				line = append(strconv.AppendFloat(line, v, 'g', 17, 64), ' ')
			}
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
