package lupi

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/metric"
	"rvflplus/learn"
)

// weigh gives rows weights by what the privileged features tell of their noise: log((y − f⁻ⁱ)²) is regressed on x̃, and
// v = exp(−fit), clipped to 20:1 about its median and of mean 1, to a power, weighs the rows of the ridge regression on
// normal features. Weights are accepted only if both the weighted and the plain loss of rows left out improve.
func (f *fit) weigh(ctx context.Context) (*member, error) {
	if m := f.members["weigh"]; m != nil {
		return m, nil
	}
	if f.large {
		return nil, fault.New(fault.Usage, "privileged row weights are chosen on at most %d rows with %s", mostChosenOn,
			fault.Set("base", "rvfl")).WithHint("use %s", fault.Set("base", "krvfl"))
	}
	if n := f.rows.X.RawMatrix().Rows; f.complete < n {
		return nil, fault.New(fault.Data, "privileged row weights need the privileged values of every row: %d of %d "+
			"rows lack them", n-f.complete, n).WithHint("leave such rows out")
	}
	tuned, err := f.tuned(ctx)
	if err != nil {
		return nil, err
	}
	losses := f.losses(tuned.out)
	best := &member{name: "weigh", privileged: true, out: tuned.out, parts: tuned.parts, tried: tuned.tried,
		of: tuned.of, settings: append([]learn.Setting{set("power", "0")}, tuned.settings...)}
	w, err := f.noise(ctx, losses)
	if err != nil || w == nil {
		return f.keep(best), err
	}
	v, err := w.reliability(ctx, f.rows, losses)
	if err != nil {
		return nil, err
	}
	chosenBase := f.choices[least(f.choices)]
	w.base = f.trainer(f.normal, chosenBase.r, chosenBase.c)
	if err := f.chooseWeighed(ctx, *w, v, losses, best); err != nil {
		return nil, err
	}
	return f.keep(best), nil
}

// chooseWeighed puts the ridge regression with the least weighted loss among those on rows of reliability v into best,
// if its loss is less than that of unweighted rows, weighted and plain.
func (f *fit) chooseWeighed(ctx context.Context, w weigher, v, losses []float64, best *member) error {
	normal, err := f.memberSpace(ctx)
	if err != nil {
		return err
	}
	counts := raised(v, 1, f.weight)
	leastWeighted, _ := metric.WeightedMean(losses, counts)
	plainLoss, _ := f.mean(losses)
	f.expect(len(f.Powers) * normal.size() * len(f.C))
	for _, power := range f.Powers {
		t := f.targets()
		t.weight, t.counts = raised(v, power, f.weight), counts
		choices, err := f.ridges(ctx, normal.inner, f.C, t)
		if err != nil {
			return err
		}
		for _, c := range choices {
			if c.out == nil {
				continue
			}
			own := f.losses(c.out)
			weighted, _ := metric.WeightedMean(own, counts)
			if loss, _ := f.mean(own); weighted >= leastWeighted || loss >= plainLoss {
				continue
			}
			leastWeighted = weighted
			w.power, w.last = power, f.trainer(normal, c.r, c.c)
			best.out, best.parts = c.out, []part{{key: "weigh", weight: 1, train: by(w)}}
			best.settings = []learn.Setting{number("power", power), number("C", c.c), normal.setting(c.r)}
		}
	}
	return nil
}

// noise chooses the regression of the log of the losses on the privileged features; nil when they tell nothing of it.
func (f *fit) noise(ctx context.Context, losses []float64) (*weigher, error) {
	hidden, err := f.privSpace(ctx)
	if err != nil {
		return nil, err
	}
	y, spread := logLosses(losses)
	f.expect(hidden.size() * len(f.C))
	t := target{y: y, weight: f.weight, folds: f.folds, scale: []float64{1}}
	choices, err := f.ridges(ctx, hidden.inner, f.C, t)
	if err != nil {
		return nil, err
	}
	best := choices[least(choices)]
	if best.loss > spread {
		return nil, nil
	}
	w := &weigher{scale: f.scale}
	w.noise = f.trainerOf(hidden, best.r, best.c, false)
	return w, nil
}

// logLosses returns the centred logarithms of losses, and their variance.
func logLosses(losses []float64) (y blas.Matrix, variance float64) {
	n := float64(len(losses))
	var mean, centre float64
	for _, v := range losses {
		mean += v / n
	}
	y = blas.New(len(losses), 1)
	for i, v := range losses {
		y.Data[i] = math.Log(v + 1e-3*mean)
		centre += y.Data[i] / n
	}
	for i := range y.Data {
		y.Data[i] -= centre
		variance += y.Data[i] * y.Data[i] / n
	}
	return y, variance
}

// raised returns weight·v^power.
func raised(v []float64, power float64, weight []float64) []float64 {
	out := slices.Clone(weight)
	for i := range out {
		out[i] *= math.Pow(v[i], power)
	}
	return out
}

// weigher trains on rows that are weighed by the noise that privileged features tell of.
type weigher struct {
	base  learn.Trainer // whose leave-one-out errors are looked at
	noise learn.Trainer
	last  learn.Trainer
	power float64
	scale []float64
}

// widest is the ratio between the median reliability and the bounds of the others.
const widest = 20

// reliability returns the weights v of the rows of p from their losses.
func (w weigher) reliability(ctx context.Context, p learn.Problem, losses []float64) ([]float64, error) {
	y, _ := logLosses(losses)
	q := learn.Problem{X: p.Priv, Columns: p.PrivColumns, Y: mat.NewDense(y.Rows, 1, y.Data), Weight: p.Weight,
		LeaveOneOut: learn.Always}
	_, report, err := w.noise.Train(ctx, q)
	if err != nil {
		return nil, err
	}
	v := make([]float64, y.Rows)
	for i := range v {
		v[i] = math.Exp(-report.LeaveOneOut.At(i, 0))
	}
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	half := len(sorted) / 2
	median := (sorted[half] + sorted[(len(sorted)-1)/2]) / 2
	var sum float64
	for i := range v {
		v[i] = min(max(v[i]/median, 1.0/widest), widest)
		sum += v[i]
	}
	for i := range v {
		v[i] *= float64(len(v)) / sum
	}
	return v, nil
}

// Train implements learn.Trainer.
func (w weigher) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	q := p
	q.Priv, q.HasPriv, q.Unlabelled = nil, nil, nil
	first := q
	first.LeaveOneOut = learn.Always
	_, report, err := w.base.Train(ctx, first)
	if err != nil {
		return nil, learn.Report{}, err
	}
	v, err := w.reliability(ctx, p, metric.SquaredErrors(p.Y.RawMatrix(), report.LeaveOneOut.RawMatrix(), w.scale))
	if err != nil {
		return nil, learn.Report{}, err
	}
	if q.Weight == nil {
		q.Weight = slices.Repeat([]float64{1}, len(v))
	}
	q.Weight = raised(v, w.power, q.Weight)
	return w.last.Train(ctx, q)
}
