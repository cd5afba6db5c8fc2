package modelfile

import (
	"fmt"
	"slices"

	"rvflplus/blas"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/kind"
	"rvflplus/internal/pipeline"
	"rvflplus/learn"
)

// Names of the tensors of what a model says of its uncertainty.
const (
	probaPlatt    = "proba.platt"
	probaIsotonic = "proba.isotonic." // and the number of the curve
	looResidual   = "loo.residual"
	looWeight     = "loo.weight"
	looOffset     = "loo.offset"
)

// uncertaintyTensors returns nothing for a model trained without.
func uncertaintyTensors(m *pipeline.Model) []kind.Tensor {
	var tensors []kind.Tensor
	if m.Proba != nil {
		tensors = curveTensors(m.Proba.Curves)
	}
	if m.Intervals == nil {
		return tensors
	}
	tensors = append(tensors, kind.MatrixTensor(looResidual, m.Intervals.Residual))
	if l, is := m.Kind.Estimator.(kind.LeaveOneOut); is && m.Intervals.LeftOut != nil {
		weight, offset := l.Weights(m.Intervals.LeftOut)
		tensors = append(tensors, kind.MatrixTensor(looWeight, weight), kind.VectorTensor(looOffset, offset))
	}
	return tensors
}

// curveTensors writes all Platt curves as one tensor of rows A, B, and each
// isotonic curve as one of rows score, probability.
func curveTensors(curves []calibrate.Curve) []kind.Tensor {
	var tensors []kind.Tensor
	var platt []calibrate.Sigmoid
	for k, c := range curves {
		switch c := c.(type) {
		case calibrate.Sigmoid:
			platt = append(platt, c)
		case calibrate.IsotonicCurve:
			points := blas.New(len(c.Scores), 2)
			for i, s := range c.Scores {
				points.Data[2*i], points.Data[2*i+1] = s, c.Values[i]
			}
			tensors = append(tensors, kind.MatrixTensor(isotonicName(k), points))
		}
	}
	if platt != nil {
		tensors = append(tensors, kind.SigmoidTensor(probaPlatt, platt))
	}
	return tensors
}

func isotonicName(k int) string { return fmt.Sprintf("%s%d", probaIsotonic, k) }

// restoreUncertainty takes what the config says was kept.
func restoreUncertainty(m *pipeline.Model, t *kind.Tensors) error {
	if m.Config.Proba != "" && !m.Kind.OwnProba {
		m.Proba = &calibrate.Classes{Curves: curves(t, m.Config.Proba, curveCount(m))}
	}
	if m.Config.Intervals {
		m.Intervals = &pipeline.Intervals{Residual: t.Matrix(looResidual)}
		if t.Has(looWeight) {
			l, is := m.Kind.Estimator.(kind.LeaveOneOut)
			if !is {
				return bad("%s belongs to no model of kind %s", looWeight, m.Kind.Name)
			}
			var err error
			if m.Intervals.LeftOut, err = l.WithWeights(m.Estimator, t.Matrix(looWeight),
				t.Vector(looOffset)); err != nil {
				return err
			}
		}
	}
	return t.Err
}

// curveCount is the number of curves that the classes ask for.
func curveCount(m *pipeline.Model) int {
	if n := len(m.Coder.Classes); n != 2 {
		return n
	}
	return 1
}

func curves(t *kind.Tensors, method string, count int) []calibrate.Curve {
	var out []calibrate.Curve
	if method == string(calibrate.Platt) {
		for _, c := range t.Sigmoids(probaPlatt) {
			out = append(out, c)
		}
		return out
	}
	for k := 0; k < count && t.Err == nil; k++ {
		p := t.Matrix(isotonicName(k))
		var c calibrate.IsotonicCurve
		for i := 0; i < p.Rows && p.Cols == 2; i++ {
			c.Scores, c.Values = append(c.Scores, p.Data[2*i]), append(c.Values, p.Data[2*i+1])
		}
		out = append(out, c)
	}
	return out
}

// checkUncertainty compares what was kept with the rest of the file.
func checkUncertainty(m *pipeline.Model) error {
	if s, ok := m.Estimator.(learn.Posterior); (ok && s.HasPosterior()) != m.Config.Std {
		return bad("config says std %v, the tensors otherwise", m.Config.Std)
	}
	if m.HasProbabilities() != (m.Config.Proba != "") {
		return bad("config says proba %q, the tensors otherwise", m.Config.Proba)
	}
	if m.Proba != nil {
		if len(m.Proba.Curves) != curveCount(m) {
			return bad("%d calibration curves for %d classes", len(m.Proba.Curves), len(m.Coder.Classes))
		}
		unsound := func(c calibrate.Curve) bool { s, is := c.(calibrate.IsotonicCurve); return is && !s.Sound() }
		if k := slices.IndexFunc(m.Proba.Curves, unsound); k >= 0 {
			return bad("%s is no monotone curve of probabilities", isotonicName(k))
		}
	}
	v := m.Intervals
	if v == nil {
		return nil
	}
	if v.Residual.Rows != m.Report.Rows || v.Residual.Cols != m.Coder.Outputs() {
		return bad("%s is %d×%d, the report and the schema ask for %d×%d", looResidual, v.Residual.Rows,
			v.Residual.Cols, m.Report.Rows, m.Coder.Outputs())
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
