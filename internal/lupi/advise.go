package lupi

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/metric"
	"rvflplus/internal/ridge"
	"rvflplus/internal/rng"
	"rvflplus/learn"
)

// Estimate is a number measured on rows, and its standard error.
type Estimate struct{ Value, SE float64 }

// Losses tell how well the target is predicted by each kind of columns, on rows left out: what advice before fitting
// rests on. A loss is the mean squared error of the coded targets; of several targets of a regression each counts in
// units of its standard deviation. Every regression has its C, widths and γ chosen.
type Losses struct {
	Constant   Estimate // of the targets' means
	Normal     Estimate // B, of the normal columns
	All        Estimate // U, of both kinds of columns: under one kernel, or additive, whichever is better
	Privileged Estimate // Q, of the privileged columns
	// R2 is how well the normal columns predict the privileged ones: the mean over these of 1 for a perfect
	// prediction, 0 for one as good as the column's mean.
	R2 Estimate
	// The ratios U/B, Q/B and Q/U. Their errors are those of paired rows. They are 1 where both losses are nothing
	// beside that of the constant.
	AllToNormal, PrivilegedToNormal, PrivilegedToAll Estimate

	Rows       int // with a target and privileged values
	Used       int // of Rows, those measured on
	Features   int // privileged features that R2 is the mean of
	Unlabelled int // rows with both kinds of columns and no target
}

// mostPredicted is the number of privileged features that R2 is measured on; of more a sample is drawn.
const mostPredicted = 300

// negligible is the share of the constant's loss below which a loss counts as nothing.
const negligible = 1e-9

// Losses measures the losses of a problem on the rows that have privileged values: at most 1,000 of them, drawn by the
// seed. Whole groups are left out together. Cost: about 200 factorisations of these rows.
func (c Config) Losses(ctx context.Context, p learn.Problem) (*Losses, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if p.Priv == nil {
		return nil, fault.New(fault.Usage, "there are no privileged columns to give advice on").
			WithHint("name them with %s", fault.Name("privileged"))
	}
	var rows []int
	for i := range p.Y.RawMatrix().Rows {
		if (p.HasPriv == nil || p.HasPriv[i]) && (p.Weight == nil || p.Weight[i] > 0) {
			rows = append(rows, i)
		}
	}
	if len(rows) < 3 {
		return nil, fault.New(fault.Data, "%d of %d rows have a target and privileged values: at least 3 are needed",
			len(rows), p.Y.RawMatrix().Rows).WithHint("use more rows")
	}
	f := &fit{Config: c, all: p.Only(rows), progress: p.Progress}
	f.all.HasPriv, f.Base, f.Method = nil, "krvfl", "advise"
	f.Kernels, f.Relevance = nil, false // the thresholds of advice were read off losses of one kernel
	// Without a constant, a kernel with nothing to say would be worse than the targets' means.
	f.Center = true
	if err := f.setUp(); err != nil {
		return nil, err
	}
	out := &Losses{Rows: len(rows), Used: f.rows.Y.RawMatrix().Rows}
	if p.Unlabelled != nil {
		out.Unlabelled = p.Unlabelled.X.RawMatrix().Rows
	}
	return out, f.measure(ctx, out)
}

// measure sets the losses and what is computed from them.
func (f *fit) measure(ctx context.Context, out *Losses) error {
	s, hidden, err := f.spaces(ctx)
	if err != nil {
		return err
	}
	one := max(0, slices.Index(f.PrivWidths, 1)) % hidden.size() // the additive form takes the automatic width
	middle := &space{specs: hidden.specs[one : one+1], inner: hidden.inner[one : one+1]}
	f.expect(len(f.C) * (3*s.size() + hidden.size() + s.size()*len(f.Gamma)))
	normal, err := f.leastLosses(ctx, s)
	if err != nil {
		return err
	}
	priv, err := f.leastLosses(ctx, hidden)
	if err != nil {
		return err
	}
	all, err := f.lossesOfBoth(ctx, s, middle)
	if err != nil {
		return err
	}
	if out.R2, out.Features, err = f.predictability(ctx, s); err != nil {
		return err
	}
	constant := f.losses(f.constant().out)
	for _, part := range []struct {
		to   *Estimate
		loss []float64
	}{{&out.Constant, constant}, {&out.Normal, normal}, {&out.All, all}, {&out.Privileged, priv}} {
		mean, _ := f.mean(part.loss)
		*part.to = Estimate{mean, f.clustered(part.loss, mean)}
	}
	if !(out.Constant.Value > 0) {
		return fault.New(fault.Data, "the target is the same in all %d rows: there is nothing to predict", out.Used)
	}
	nothing := negligible * out.Constant.Value
	out.AllToNormal = f.ratio(all, normal, nothing)
	out.PrivilegedToNormal = f.ratio(priv, normal, nothing)
	out.PrivilegedToAll = f.ratio(priv, all, nothing)
	return nil
}

// leastLosses returns the row losses of the best ridge regression on a space.
func (f *fit) leastLosses(ctx context.Context, s *space) ([]float64, error) {
	choices, err := f.ridges(ctx, s.inner, f.C, f.targets())
	if err != nil {
		return nil, err
	}
	return f.losses(choices[least(choices)].out), nil
}

// lossesOfBoth returns the row losses of the better of the ridge regression on [x, x̃] and of f(x) + g(x̃).
func (f *fit) lossesOfBoth(ctx context.Context, s, hidden *space) ([]float64, error) {
	var both mat.Dense
	both.Augment(f.rows.X, f.rows.Priv)
	joined, err := f.newSpace(ctx, both.RawMatrix(), false)
	if err != nil {
		return nil, err
	}
	first, err := f.leastLosses(ctx, joined)
	if err != nil {
		return nil, err
	}
	best, err := f.joint(ctx, s, hidden)
	if err != nil {
		return nil, err
	}
	t := f.targets()
	sum := combined(s.inner[best.r], hidden.inner[best.priv], 1/best.gamma, blas.Matrix{})
	path := ridge.NewPath(ridge.PathProblem{Omega: sum, Y: t.y, Weight: t.weight, Sets: t.folds})
	out, err := t.predict(ctx, path, best.c)
	if err != nil {
		return nil, err
	}
	second := f.losses(out)
	if a, _ := f.mean(first); a < best.loss {
		return first, nil
	}
	return second, nil
}

// predictability returns the mean over the privileged features of R² on the normal ones, each with the representation
// and C of the least loss, and the number of features. Features that do not vary do not count; where none varies, R²
// is 1.
func (f *fit) predictability(ctx context.Context, s *space) (Estimate, int, error) {
	priv, varying := f.varying()
	n, d := priv.Dims()
	if d == 0 {
		return Estimate{Value: 1}, 0, nil
	}
	t := f.targets()
	t.y, t.scale = priv.RawMatrix(), ones(d)
	settings := s.size() * len(f.C)
	predict := func(k int) (*mat.Dense, error) {
		path := ridge.NewPath(ridge.PathProblem{Omega: s.inner[k/len(f.C)], Y: t.y, Weight: t.weight, Sets: t.folds})
		return t.predict(ctx, path, f.C[k%len(f.C)])
	}
	losses := make([][]float64, settings)
	errs := make([]error, settings)
	err := f.each(ctx, settings, n, 1, func(k int) {
		var out *mat.Dense
		if out, errs[k] = predict(k); errs[k] == nil {
			losses[k] = t.columns(out)
		}
	})
	if err != nil {
		return Estimate{}, 0, err
	}
	features := make([][]int, settings) // those that are predicted best by each setting
	for j := range d {
		best := -1
		for k, loss := range losses {
			if loss != nil && (best < 0 || loss[j] < losses[best][j]) {
				best = k
			}
		}
		if best < 0 {
			return Estimate{}, 0, errs[0]
		}
		features[best] = append(features[best], j)
	}
	// 1 − R² of the features is a mean over rows of the shares of their squared errors in their variances.
	var shares []float64
	influence := make([]float64, n)
	for k, chosen := range features {
		if chosen == nil {
			continue
		}
		out, err := predict(k)
		if err != nil {
			return Estimate{}, 0, err
		}
		for _, j := range chosen {
			shares = append(shares, f.addShares(influence, t.y, out, j))
		}
	}
	for i := range influence {
		influence[i] /= float64(d)
	}
	mean, ofSample := metric.WeightedMean(shares, ones(d))
	ofSample *= math.Sqrt(1 - float64(d)/float64(varying))
	return Estimate{1 - mean, math.Hypot(f.clustered(influence, 0), ofSample)}, d, nil
}

// addShares adds the influence of each row on 1 − R² of privileged feature j, and returns 1 − R².
func (f *fit) addShares(influence []float64, y blas.Matrix, out *mat.Dense, j int) float64 {
	errors, spreads := make([]float64, y.Rows), make([]float64, y.Rows)
	column := make([]float64, y.Rows)
	for i := range column {
		column[i] = y.Data[i*y.Stride+j]
	}
	centre, _ := f.mean(column)
	for i, v := range column {
		e := out.At(i, j) - v
		errors[i], spreads[i] = e*e, (v-centre)*(v-centre)
	}
	loss, _ := f.mean(errors)
	spread, _ := f.mean(spreads)
	share := loss / spread
	for i := range influence {
		influence[i] += (errors[i] - share*spreads[i]) / spread
	}
	return share
}

// varying returns the privileged features that vary, at most mostPredicted of them, and how many vary.
func (f *fit) varying() (priv *mat.Dense, all int) {
	_, d := f.rows.Priv.Dims()
	var features []int
	for j := range d {
		column := mat.Col(nil, j, f.rows.Priv)
		mean, _ := f.mean(column)
		for i := range column {
			column[i] = (column[i] - mean) * (column[i] - mean)
		}
		if spread, _ := f.mean(column); spread > 1e-12 {
			features = append(features, j)
		}
	}
	if all = len(features); all > mostPredicted {
		drawn := rng.New(f.Seed, "advise").Perm(len(features))[:mostPredicted]
		slices.Sort(drawn)
		features = learn.Gather(features, drawn)
	}
	if len(features) == 0 {
		return &mat.Dense{}, 0
	}
	return columnsOf(f.rows.Priv, features), all
}

// ratio returns the ratio of the means of two losses. Losses of at most nothing count as nothing.
func (f *fit) ratio(above, below []float64, nothing float64) Estimate {
	a, _ := f.mean(above)
	b, _ := f.mean(below)
	if b <= nothing {
		if a <= nothing {
			return Estimate{Value: 1}
		}
		b = nothing
	}
	r := Estimate{Value: a / b}
	influence := make([]float64, len(above))
	for i := range influence {
		influence[i] = (above[i] - r.Value*below[i]) / b
	}
	r.SE = f.clustered(influence, 0)
	return r
}

// clustered returns the standard error of the weighted mean of v; rows of a group vary together.
func (f *fit) clustered(v []float64, mean float64) float64 {
	sums, total := map[int]float64{}, 0.0
	var order []int // of the groups: sums over a map would have other bits each time
	for i, w := range f.weight {
		group := i
		if f.rows.Group != nil {
			group = f.rows.Group[i]
		}
		if _, known := sums[group]; !known {
			order = append(order, group)
		}
		sums[group] += w * (v[i] - mean)
		total += w
	}
	var square float64
	for _, g := range order {
		square += sums[g] * sums[g]
	}
	n := float64(len(order))
	return math.Sqrt(square*n/(n-1)) / total
}
