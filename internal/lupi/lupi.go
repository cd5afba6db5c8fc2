// Package lupi holds methods that learn with privileged information and are built on kernel or random-layer ridge
// regressions: the averaged KRVFL, the projected additive form and labelling of rows without targets, distillation,
// knowledge transfer, privileged row weights, and their stack shrunk by leave-one-out. Every method chooses its
// hyper-parameters itself by exact leave-one-out or by folds, and predicts from normal features alone.
//
// What is chosen and why is written in docs/methods.md. The losses that methods are chosen by are squared errors of
// the coded targets: of several targets of a regression each counts in units of its standard deviation.
package lupi

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/memory"
	"rvflplus/internal/metric"
	"rvflplus/internal/param"
	"rvflplus/internal/ridge"
	"rvflplus/internal/rng"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Config is a method with what it is built on. A list of values with more than one element is chosen from, one with a
// single element is held.
type Config struct {
	Method string // see Methods

	Base string // "krvfl", "rvfl", or "auto": krvfl up to MostKernelRows rows
	// Kernel is the kernel on normal features. Its width may be to be learned for each column.
	Kernel kernel.Spec
	// Kernels are chosen among by leave-one-out where there are any; Kernel is one of them.
	Kernels []kernel.Spec
	// Relevance tries kernels with a learned width for each column beside those with a width for all.
	Relevance  bool
	PrivKernel kernel.Spec // nil: as Kernel
	Linear     bool        // adds the linear kernel, or direct links
	// Printed adds the linear kernel as the paper prints it, x·y, as the kinds krvfl and krvfl+ do. Otherwise it is
	// x·y/n + 1, see withLinear.
	Printed bool
	Layers  feature.Layers

	Center  bool // centres the targets
	Classes bool // the targets are codes of classes, which share a unit
	Seed    uint64

	C          []float64 // > 0; nil: chosen from a list for the base
	Gamma      []float64 // > 0
	Widths     []float64 // multiples of the automatic widths of Kernel
	PrivWidths []float64 // of PrivKernel
	U          []float64 // scales of random weights
	Lambdas    []float64 // shares of the teacher in distillation, from 0 to 1
	Powers     []float64 // powers of the privileged row weights

	ProjectC      float64     // 0: chosen, see krvfl.Config
	ProjectKernel kernel.Spec // nil: chosen

	Members []string      // of a stack; nil for those that the problem allows
	Single  bool          // a stack keeps the best single member instead of the shrunk stack
	Nested  bool          // a stack estimates the loss of what it chose on rows that had no part in choosing
	Budget  time.Duration // after which no further setting is tried; 0 for none
}

// MostKernelRows is the number of rows up to which the base "auto" is krvfl.
const MostKernelRows = 5000

// mostChosenOn is the number of rows on which settings are chosen; of more rows a sample is drawn.
const mostChosenOn = 1000

// Grids that are chosen from where a hyper-parameter is free. Features of random layers have squared lengths of
// hundreds, so their C starts lower.
var (
	cGrid      = []float64{1e-3, 1e-2, 0.1, 1, 10, 100, 1000}
	layerCGrid = []float64{1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10}
	gammaGrid  = []float64{1e-3, 1e-2, 0.1, 1, 10, 100, 1000}
	scaleGrid  = []float64{0.25, 1, 4}
	lambdaGrid = []float64{0, 0.25, 0.5, 0.75, 1}
	powerGrid  = []float64{0.5, 1}
)

// Grids are the lists that free hyper-parameters are chosen from.
type Grids struct {
	Gamma   []float64
	Scales  []float64 // multiples of automatic widths, and scales of random weights
	Lambdas []float64
	Powers  []float64
}

// Free returns the lists that free hyper-parameters are chosen from. That of C depends on the base: nil stands for it.
func Free() Grids { return Grids{gammaGrid, scaleGrid, lambdaGrid, powerGrid} }

// Methods lists the methods.
func Methods() []string {
	return slices.Concat([]string{"tuned", "averaged"}, Members(), []string{"stack"})
}

// Members lists the methods that learn from privileged features: those of a stack, beside the averaged one.
func Members() []string { return param.StackMembers() }

// Train implements learn.Trainer.
func (c Config) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	f, ordered, err := c.begin(p)
	if err != nil {
		return nil, learn.Report{}, err
	}
	if c.Method != "stack" {
		if _, err := f.tuned(ctx); err != nil { // what the method has to beat
			return nil, learn.Report{}, err
		}
	}
	chosen, err := f.methods()[c.Method](ctx)
	if err != nil {
		return nil, learn.Report{}, err
	}
	if err := f.grow(ctx); err != nil {
		return nil, learn.Report{}, err
	}
	model, err := f.refit(ctx, chosen, f.all)
	if err != nil {
		return nil, learn.Report{}, err
	}
	report, err := f.report(ctx, p, ordered, chosen, model)
	if err != nil {
		return nil, learn.Report{}, err
	}
	report.Outcome = f.outcome(chosen)
	return model, report, nil
}

// methods returns what chooses the settings of each method.
func (f *fit) methods() map[string]func(context.Context) (*member, error) {
	return map[string]func(context.Context) (*member, error){
		"tuned": f.tuned, "averaged": f.averaged, "additive": f.additive, "projected": f.projected,
		"label": f.projected, "distill": f.distill, "transfer": f.transfer, "weigh": f.weigh, "stack": f.stack,
	}
}

// Chosen are the hyper-parameters that Choose found.
type Chosen struct {
	C, Gamma, U        float64
	Kernel, PrivKernel kernel.Spec // of the base krvfl
}

// Choose returns the hyper-parameters of the methods tuned and projected that fit would train with, and what was tried.
func (c Config) Choose(ctx context.Context, p learn.Problem) (Chosen, *learn.Outcome, error) {
	f, _, err := c.begin(p)
	if err != nil {
		return Chosen{}, nil, err
	}
	m, err := f.tuned(ctx)
	if err == nil && c.Method == "projected" {
		m, err = f.projected(ctx)
	}
	if err != nil {
		return Chosen{}, nil, err
	}
	if err := f.grow(ctx); err != nil {
		return Chosen{}, nil, err
	}
	m.chosen.C = f.grownC(m.chosen.C, f.all)
	return m.chosen, f.outcome(m), nil
}

// begin makes ready what is chosen on.
func (c Config) begin(p learn.Problem) (*fit, learn.Ordered, error) {
	if err := p.Check(); err != nil {
		return nil, learn.Ordered{}, err
	}
	if err := c.check(p); err != nil {
		return nil, learn.Ordered{}, err
	}
	ordered := p.CompleteFirst()
	f := &fit{Config: c, all: p.Only(ordered.Order()), progress: p.Progress,
		widths: &widths{of: map[uint64]*learnedOnce{}}}
	if f.Budget > 0 {
		f.deadline = time.Now().Add(f.Budget)
	}
	return f, ordered, f.setUp()
}

// check refuses a problem that the method cannot learn from.
func (c Config) check(p learn.Problem) error {
	needsPriv := slices.Contains(Members(), c.Method)
	switch {
	case !slices.Contains(append(Methods(), "additive"), c.Method): // additive is chosen with others alone, by Together
		return fault.Param("method", "one of "+strings.Join(Methods(), ", "), c.Method)
	case needsPriv && p.Priv == nil:
		return fault.New(fault.Usage, "%s learns from privileged columns, and there are none", c.Method).
			WithHint("name them with %s", fault.Name("privileged"))
	case c.Method == "label" && p.Unlabelled == nil:
		return fault.New(fault.Data,
			"label learns from rows without a target that have privileged values, and there are none").
			WithHint("leave the target of such rows empty, give a file of them with %s, or use %s",
				fault.Name("unlabelled"), fault.Set("kind", "krvfl+"))
	}
	ordered := p.CompleteFirst()
	if rows := len(ordered.Order()); rows < fewest {
		return fault.New(fault.Data, "settings cannot be chosen on %d rows of positive weight: at least %d are needed",
			rows, fewest)
	}
	if needsPriv && ordered.Complete < fewest {
		return fewComplete(ordered.Complete)
	}
	var squares float64
	for _, y := range p.Y.RawMatrix().Data {
		squares += y * y
	}
	if math.IsInf(squares, 0) {
		return fault.New(fault.Data, "targets are so large that the squares of their differences overflow").
			WithHint("use other units for the target")
	}
	return c.checkMembers(p)
}

// fewest is the number of rows, and of rows with privileged values, that settings can be chosen on.
const fewest = 3

func fewComplete(rows int) error {
	return fault.New(fault.Data, "%d rows have privileged values: at least %d are needed", rows, fewest).
		WithHint("fill in the privileged columns of more rows, or leave them out")
}

// checkMembers refuses members of a stack that the problem does not allow.
func (c Config) checkMembers(p learn.Problem) error {
	if c.Method != "stack" {
		return nil
	}
	for _, name := range c.Members {
		own := c
		own.Method = name
		if !slices.Contains(Members(), name) {
			return fault.Param("methods", "some of "+strings.Join(Members(), ", "), name)
		}
		if err := own.check(p); err != nil {
			return err
		}
	}
	return nil
}

// fit is one run of a method.
type fit struct {
	Config
	all     learn.Problem // rows of positive weight, those with privileged values first
	rows    learn.Problem // those that settings are chosen on
	sampled []int         // their numbers in all; nil for all
	// Large problems on random layers; see large.go. rows are then those of basis that are held out.
	large    bool
	growth   float64 // factor of every C on all rows, see grow; 0 for none
	basis    learn.Problem
	held     []int     // numbers of rows in basis
	test     []int     // rows of all that have no part in choosing
	complete int       // of rows, those with privileged values
	weight   []float64 // of rows
	scale    []float64 // of each output in losses
	folds    [][]int   // of rows, nil to leave out each alone
	normal   *space
	priv     *space
	linear   choice   // of a large problem, the ridge regression on the features themselves
	choices  []choice // of ridge regressions on normal features, one for each representation
	progress learn.Progress
	deadline time.Time
	parent   *fit       // whose nested estimate this run is part of
	lock     sync.Mutex // for done, total and skipped
	done     int
	total    int
	skipped  int
	members  map[string]*member // those that were made
	order    []string           // their names
	chosen   *member            // by a stack
	nested   *learn.Nested
	kappa    float64

	widths      *widths    // learned ones
	learnedAll  []*learned // see learn
	learnedBest []*learned
	learnedBy   [][]int   // folds
	averages    []*member // that averaged mixes
	stackedOn   []*member // that the stack mixes
}

func (f *fit) setUp() error {
	n := f.all.X.RawMatrix().Rows
	if err := f.setBase(n); err != nil {
		return err
	}
	if f.C == nil {
		f.C = cGrid
		switch {
		case f.Base == "rvfl" && n > mostChosenOn:
			f.C = largeCGrid
		case f.Base == "rvfl":
			f.C = layerCGrid
		}
	}
	f.PrivKernel = f.PrivKernel.Or(f.Kernel)
	f.members = map[string]*member{}
	f.rows = f.all
	f.large = f.Base == "rvfl" && n > mostChosenOn
	switch {
	case f.large:
		if err := f.setUpLarge(); err != nil {
			return err
		}
	case n > mostChosenOn:
		order := rng.New(f.Seed, "choose").Perm(n)
		f.sampled = slices.Sorted(slices.Values(order[:mostChosenOn]))
		f.rows = f.all.Only(f.sampled)
		f.test = f.outside(order[mostChosenOn:])
	}
	n = f.rows.X.RawMatrix().Rows
	f.complete = n
	if f.rows.Priv == nil {
		f.complete = 0
	} else if f.rows.HasPriv != nil {
		f.complete = countTrue(f.rows.HasPriv)
	}
	f.weight = f.rows.Weight
	if f.weight == nil {
		f.weight = slices.Repeat([]float64{1}, n)
	}
	f.scale = f.outputScale()
	return f.setFolds()
}

// setBase settles what the ridge regressions are built on, and refuses kernel matrices of all n rows that would not fit
// into memory before settings are chosen on few of them.
func (f *fit) setBase(n int) error {
	if f.all.Unlabelled != nil {
		n += f.all.Unlabelled.X.RawMatrix().Rows
	}
	if f.Base == "auto" || f.Base == "" {
		f.Base = "krvfl"
		if n > MostKernelRows {
			f.Base = "rvfl"
		}
	}
	if f.Base == "rvfl" {
		return nil
	}
	remedy := fault.Set("base", "rvfl")
	if f.Method == "tuned" || f.Method == "projected" { // their kinds, krvfl and krvfl+, have no base
		remedy = fault.Set("kind", "rvfl")
	}
	return memory.Check(ridge.DualBytes(n, false), fmt.Sprintf("a kernel model of %d rows", n),
		"use %s, whose memory does not grow with the rows, or fewer rows", remedy)
}

func countTrue(v []bool) int {
	n := 0
	for _, b := range v {
		if b {
			n++
		}
	}
	return n
}

// outputScale returns the factor of each output's error: the standard deviations of several targets of a regression
// differ by their units alone.
func (f *fit) outputScale() []float64 {
	y := f.rows.Y.RawMatrix()
	scale := slices.Repeat([]float64{1}, y.Cols)
	if f.Classes || y.Cols == 1 {
		return scale
	}
	var total float64
	for _, v := range f.weight {
		total += v
	}
	for j := range scale {
		var mean, square float64
		for i, v := range f.weight {
			mean += v * y.Data[i*y.Stride+j] / total
		}
		for i, v := range f.weight {
			d := y.Data[i*y.Stride+j] - mean
			square += v * d * d / total
		}
		if square > 0 {
			scale[j] = 1 / math.Sqrt(square)
		}
	}
	return scale
}

// mostGroups is the number of folds that groups are dealt to at most.
const mostGroups = 10

// setFolds deals whole groups to folds; without groups every row is left out alone.
func (f *fit) setFolds() error {
	if f.rows.Group == nil || f.large {
		return nil
	}
	folds, err := split.Groups(f.rows.Group, min(mostGroups, len(split.Members(f.rows.Group))), f.Seed)
	f.folds = folds
	return err
}

// left says how rows were left out.
func (f *fit) left() string {
	switch {
	case f.large:
		return fmt.Sprintf("%d rows held out", len(f.held))
	case f.learnedBy != nil && f.folds == nil:
		return fmt.Sprintf("%d folds", len(f.learnedBy))
	case f.folds == nil:
		return "leave-one-out"
	}
	return fmt.Sprintf("%d folds of whole groups", len(f.folds))
}

// losses returns the loss of each row of some predictions.
func (f *fit) losses(out *mat.Dense) []float64 {
	return metric.SquaredErrors(f.rows.Y.RawMatrix(), out.RawMatrix(), f.scale)
}

// mean returns the weighted mean of losses and its standard error.
func (f *fit) mean(loss []float64) (mean, se float64) { return metric.WeightedMean(loss, f.weight) }

// late reports whether the budget is used up.
func (f *fit) late() bool { return !f.deadline.IsZero() && time.Now().After(f.deadline) }

// skip counts a setting that there was no time for.
func (f *fit) skip() {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.skipped++
}

// expect announces settings that will be tried, unless plan did.
func (f *fit) expect(settings int) {
	if f.parent != nil {
		return
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	f.total = max(f.total, f.done+settings)
	f.progress.Tell("settings", f.done, f.total)
}

// tell counts settings that were tried.
func (f *fit) tell(settings int) {
	if f.parent != nil {
		f.parent.tell(settings)
		return
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	f.done = min(f.done+settings, f.total)
	f.progress.Tell("settings", f.done, f.total)
}
