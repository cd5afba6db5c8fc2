package modelfile

import (
	"fmt"
	"slices"

	"rvflplus/blas"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/pipeline"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// Names of the tensors of what a model says of its uncertainty.
const (
	probaPlatt    = "proba.platt"
	probaPairs    = "proba.pairs"     // of svm
	probaIsotonic = "proba.isotonic." // and the number of the curve
	looResidual   = "loo.residual"
	looWeight     = "loo.weight"
	looOffset     = "loo.offset"
)

// uncertaintyTensors returns nothing for a model trained without.
func uncertaintyTensors(m *pipeline.Model) []tensor {
	var tensors []tensor
	if m.Proba != nil {
		tensors = curveTensors(m.Proba.Curves)
	}
	if m.Intervals == nil {
		return tensors
	}
	tensors = append(tensors, matrixTensor(looResidual, m.Intervals.Residual))
	switch l := m.Intervals.LeftOut.(type) {
	case *rvfl.Model:
		tensors = append(tensors, matrixTensor(looWeight, l.Parts().Weight), vectorTensor(looOffset, l.Parts().Offset))
	case *krvfl.Model:
		tensors = append(tensors, matrixTensor(looWeight, l.Parts().Alpha), vectorTensor(looOffset, l.Parts().Offset))
	}
	return tensors
}

// curveTensors writes all Platt curves as one tensor of rows A, B, and each
// isotonic curve as one of rows score, probability.
func curveTensors(curves []calibrate.Curve) []tensor {
	var tensors []tensor
	var platt []calibrate.Sigmoid
	for k, c := range curves {
		switch c := c.(type) {
		case calibrate.Sigmoid:
			platt = append(platt, c)
		case calibrate.Steps:
			points := blas.New(len(c.Scores), 2)
			for i, s := range c.Scores {
				points.Data[2*i], points.Data[2*i+1] = s, c.Values[i]
			}
			tensors = append(tensors, matrixTensor(isotonicName(k), points))
		}
	}
	if platt != nil {
		tensors = append(tensors, matrixTensor(probaPlatt, sigmoidRows(platt)))
	}
	return tensors
}

func isotonicName(k int) string { return fmt.Sprintf("%s%d", probaIsotonic, k) }

// restoreUncertainty takes what the settings say was kept.
func restoreUncertainty(m *pipeline.Model, t *taker) error {
	if m.Settings.Proba != "" && m.Settings.Kind != "svm" {
		m.Proba = &calibrate.Classes{Curves: t.curves(m.Settings.Proba, curveCount(m))}
	}
	if m.Settings.Intervals {
		m.Intervals = &pipeline.Intervals{Residual: t.matrix(looResidual)}
		if _, kept := t.tensors[looWeight]; kept {
			l, err := leftOut(m.Estimator, t.matrix(looWeight), t.vector(looOffset))
			if err != nil {
				return err
			}
			m.Intervals.LeftOut = l
		}
	}
	return t.err
}

// curveCount is the number of curves that the classes ask for.
func curveCount(m *pipeline.Model) int {
	if n := len(m.Coder.Classes); n != 2 {
		return n
	}
	return 1
}

func (t *taker) curves(method string, count int) []calibrate.Curve {
	var curves []calibrate.Curve
	if method == string(calibrate.Platt) {
		for _, c := range t.sigmoids(probaPlatt) {
			curves = append(curves, c)
		}
		return curves
	}
	for k := 0; k < count && t.err == nil; k++ {
		p := t.matrix(isotonicName(k))
		var c calibrate.Steps
		for i := 0; i < p.Rows && p.Cols == 2; i++ {
			c.Scores, c.Values = append(c.Scores, p.Data[2*i]), append(c.Values, p.Data[2*i+1])
		}
		curves = append(curves, c)
	}
	return curves
}

// leftOut builds the models without one row each, which share the estimator's
// layer or support.
func leftOut(estimator learn.Model, weight blas.Matrix, offset []float64) (learn.Model, error) {
	switch m := estimator.(type) {
	case *rvfl.Model:
		return rvfl.FromParts(rvfl.Parts{Hidden: m.Parts().Hidden, Weight: weight, Offset: offset})
	case *krvfl.Model:
		return krvfl.FromParts(krvfl.Parts{Kernel: m.Parts().Kernel, Support: m.Parts().Support, Alpha: weight, Offset: offset})
	}
	return nil, bad("%s belongs to no %T", looWeight, estimator)
}

// checkUncertainty compares what was kept with the rest of the file.
func checkUncertainty(m *pipeline.Model) error {
	if s, ok := m.Estimator.(learn.Posterior); (ok && s.HasPosterior()) != m.Settings.Std {
		return bad("config says std %v, the tensors otherwise", m.Settings.Std)
	}
	if m.HasProbabilities() != (m.Settings.Proba != "") {
		return bad("config says proba %q, the tensors otherwise", m.Settings.Proba)
	}
	if m.Proba != nil {
		if len(m.Proba.Curves) != curveCount(m) {
			return bad("%d calibration curves for %d classes", len(m.Proba.Curves), len(m.Coder.Classes))
		}
		unsound := func(c calibrate.Curve) bool { s, is := c.(calibrate.Steps); return is && !s.Sound() }
		if k := slices.IndexFunc(m.Proba.Curves, unsound); k >= 0 {
			return bad("%s is no monotone curve of probabilities", isotonicName(k))
		}
	}
	v := m.Intervals
	if v == nil {
		return nil
	}
	if v.Residual.Rows != m.Report.Rows || v.Residual.Cols != m.Coder.Outputs() {
		return bad("%s is %d×%d, the report and the schema ask for %d×%d", looResidual, v.Residual.Rows, v.Residual.Cols, m.Report.Rows, m.Coder.Outputs())
	}
	if slices.ContainsFunc(v.Residual.Data, func(r float64) bool { return r < 0 }) {
		return bad("%s holds a negative number", looResidual)
	}
	if v.LeftOut != nil {
		if _, outputs := v.LeftOut.Dims(); outputs != v.Residual.Rows*v.Residual.Cols {
			return bad("%s has %d columns for %d residuals", looWeight, outputs, v.Residual.Rows*v.Residual.Cols)
		}
	}
	return nil
}
