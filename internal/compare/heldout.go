package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/search"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// outcome is a tuned method on the rows of one split.
type outcome struct {
	loss  float64 // left-out training rows
	value float64 // the metric on the test rows
	// denoised is the RMSE with the known noise of the test rows taken out of them; another metric as it is.
	denoised float64
	classes  *classOutcome // of a classification
	seconds  float64       // tuning and training
}

var notMeasured = outcome{loss: math.NaN(), value: math.NaN(), denoised: math.NaN()}

// part is one split: preparation, tuning and training see its training rows only.
type part struct {
	views     map[Role]view
	test      map[Role]*mat.Dense
	held      *pipeline.Held
	known     []string   // of a classification: the classes of the test rows
	noises    *mat.Dense // of the test rows, see part.setNoise
	methods   []outcome  // NaN values for an upper bound that cannot be had
	controls  []outcome  // in the order of run.controls
	constant  outcome    // of the predictor that knows no column
	auto      outcome    // of what training makes of the normal columns, not measured on every split
	train     *pipeline.Prepared
	testRows  int
	trainRows int
}

// heldOut measures every method on every split.
func (r *run) heldOut(ctx context.Context) error {
	r.parts = make([]*part, r.Splits)
	seeds := make([]uint64, r.Splits)
	random := r.random("splits")
	for i := range seeds {
		seeds[i] = random.Uint64()
	}
	return each(ctx, r.Splits, func(i int) (err error) {
		r.parts[i], err = r.measure(ctx, i, seeds[i])
		return err
	})
}

func (r *run) measure(ctx context.Context, i int, seed uint64) (*part, error) {
	p, err := r.newPart(ctx, i, seed)
	if err != nil {
		return nil, err
	}
	left, err := r.newResiduals(ctx, p.views[Privileged].problem, r.config.Seed)
	if err != nil {
		return nil, err
	}
	if r.Early { // upper bounds do not bear upon the verdict
		p.views[UpperBound] = view{}
	}
	if err := r.setNoise(ctx, p, left); err != nil {
		return nil, err
	}
	for lo := 0; lo < len(r.methods); {
		hi := lo + 1
		for hi < len(r.methods) && r.methods[hi].Role == r.methods[lo].Role {
			hi++
		}
		outcomes, err := r.try(ctx, p, r.methods[lo:hi], p.views[r.methods[lo].Role])
		if err != nil {
			return nil, err
		}
		p.methods, lo = append(p.methods, outcomes...), hi
	}
	if err := r.standBeside(ctx, p, i); err != nil {
		return nil, err
	}
	return p, r.control(ctx, p, left, i)
}

// newPart draws and prepares the rows of a split.
func (r *run) newPart(ctx context.Context, i int, seed uint64) (*part, error) {
	s, err := r.draw(i, seed)
	if err != nil {
		return nil, err
	}
	prepared, err := r.prepareRows(ctx, s.Train)
	if err != nil && r.blocks {
		err = fmt.Errorf("split %d, whose training rows follow each other in time: %w", i+1, err)
	}
	if err != nil {
		return nil, err
	}
	held, err := prepared.Apply(r.data.Only(s.Test))
	if err != nil {
		return nil, err
	}
	p := &part{train: prepared, held: held, testRows: len(s.Test), trainRows: len(s.Train)}
	if prepared.Coder().Task == target.Classification {
		p.known, _ = held.Classes(held.Y)
	}
	if err := r.measureConstant(p); err != nil {
		return nil, fault.New(fault.Data, "split %d: %w", i+1, err).
			WithHint("leave out more rows with %s, or use another %s", fault.Name("test"), fault.Name("score"))
	}
	return p, p.look(r.grouped(prepared.Problem(), s.Train), r.metric, seed)
}

// sizes returns the numbers of training and test rows of a split, whose ratio is that of
// --test also where training rows are bounded: the corrected interval grows with the
// ratio, and with all other rows for testing would say nothing.
func (r *run) sizes() (train, test int) {
	rows := r.rows
	if r.blocks {
		rows = int(window * float64(r.rows))
	}
	test = max(2, int(math.Round(r.Test*float64(rows))))
	if train = rows - test; train > r.Rows {
		train = r.Rows
		test = max(2, int(math.Round(r.Test/(1-r.Test)*float64(train))))
	}
	return train, min(test, rows-train)
}

// look makes the views of the roles.
func (p *part) look(problem learn.Problem, metric search.Score, seed uint64) error {
	full, err := newView(problem, p.train.Truth(), metric, seed)
	if err != nil {
		return err
	}
	plain, err := full.withPriv(nil)
	if err != nil {
		return err
	}
	p.views = map[Role]view{Privileged: full, Baseline: plain}
	p.test = map[Role]*mat.Dense{Privileged: p.held.X, Baseline: p.held.X}
	if p.held.Priv == nil {
		return nil
	}
	all := plain.problem
	x, priv := problem.X, problem.Priv
	all.X = beside(x, priv)
	all.Columns = learn.ColumnsBeside(problem.Columns, x.RawMatrix().Cols, problem.PrivColumns, priv.RawMatrix().Cols)
	if p.views[UpperBound], err = newView(all, p.train.Truth(), metric, seed); err != nil {
		return err
	}
	p.test[UpperBound] = beside(p.held.X, p.held.Priv)
	return nil
}

func beside(a, b *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Augment(a, b)
	return &out
}

// try tunes and trains methods of one role and measures them on the test rows.
func (r *run) try(ctx context.Context, p *part, methods []Method, v view) ([]outcome, error) {
	defer r.tell(r.cost(methods, p.trainRows))
	out := make([]outcome, len(methods))
	if v.loo == nil {
		for k := range out {
			out[k] = notMeasured
		}
		return out, nil
	}
	best, err := v.tune(ctx, methods)
	if err != nil {
		return nil, err
	}
	for k, m := range methods {
		start := time.Now()
		model, _, err := best[k].trainer.Train(ctx, v.problem)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		seconds := best[k].seconds + time.Since(start).Seconds()
		outputs, err := learn.Predict(ctx, model, p.test[m.Role], nil)
		if err != nil {
			return nil, err
		}
		if out[k], err = r.outcomeOf(p, outputs); err != nil {
			return nil, err
		}
		if r.metric.Name == variateMetric {
			out[k].denoised = p.denoised(outputs)
		}
		out[k].loss, out[k].seconds = best[k].loss, seconds
	}
	return out, nil
}

// control measures methods with privileged features that know nothing of the target beyond the normal ones: shuffled
// residuals and noise, for the method that leave-one-out chooses of those in the permutation test, which rests on them;
// and rows in random order, for each method that is judged on held-out rows.
func (r *run) control(ctx context.Context, p *part, left *residuals, i int) error {
	full := p.views[Privileged]
	random := r.random(fmt.Sprintf("controls %d", i))
	stand := []*mat.Dense{left.shuffled(random), noise(full.problem.Priv, random)}
	if r.Early { // nor do these controls
		p.controls, stand = []outcome{notMeasured, notMeasured}, nil
	}
	for _, priv := range stand {
		v, err := full.withPriv(priv)
		if err != nil {
			return err
		}
		outcomes, err := r.try(ctx, p, r.controlled(), v)
		if err != nil {
			return err
		}
		p.controls = append(p.controls, slices.MinFunc(outcomes, func(a, b outcome) int {
			return cmp.Compare(a.loss, b.loss)
		}))
	}
	judged := r.only(Method.judgedHeldOut)
	if judged == nil {
		return nil
	}
	v, err := full.withRowsExchanged(left.exchanger, random)
	if err != nil {
		return err
	}
	outcomes, err := r.try(ctx, p, judged, v)
	p.controls = append(p.controls, outcomes...)
	return err
}

// controlled returns the methods that get shuffled residuals and noise.
func (r *run) controlled() []Method {
	if methods := r.only(Method.permutes); methods != nil {
		return methods
	}
	return r.inClosedForm(Privileged)
}

// controlOf names the control of a method that is judged on held-out rows.
func controlOf(method string) string { return "permuted " + method }

// controls names the controls in the order of part.controls.
func (r *run) controls() []string {
	names := []string{"shuffled", "noise"}
	for _, m := range r.only(Method.judgedHeldOut) {
		names = append(names, controlOf(m.Name))
	}
	return names
}

// withRowsExchanged returns the view with the rows of the privileged features in another order, of those that have
// some, and of the rows without a target among themselves.
func (v view) withRowsExchanged(x exchanger, random *rand.Rand) (view, error) {
	p := v.problem
	rows, _ := p.Priv.Dims()
	var complete []int
	for i := range rows {
		if p.HasPriv == nil || p.HasPriv[i] {
			complete = append(complete, i)
		}
	}
	priv := mat.DenseCopyOf(p.Priv)
	other := x.exchanged(learn.GatherRows(p.Priv, complete), random)
	for k, row := range complete {
		priv.SetRow(row, other.RawRowView(k))
	}
	if u := p.Unlabelled; u != nil {
		count, _ := u.Priv.Dims()
		v.problem.Unlabelled = &learn.Unlabelled{X: u.X, Priv: learn.GatherRows(u.Priv, random.Perm(count))}
	}
	return v.withPriv(priv)
}

// chosen returns the outcome of the method of a role that leave-one-out prefers on
// the training rows, and whether there is one.
func (r *run) chosen(p *part, role Role) (outcome, bool) {
	best, found := outcome{loss: math.Inf(1)}, false
	for j, m := range r.methods {
		if o := p.methods[j]; m.Role == role && m.Closed && o.loss < best.loss {
			best, found = o, true
		}
	}
	return best, found
}
