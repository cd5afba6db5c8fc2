package repro

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rvflplus/dataset"
	"rvflplus/internal/lupi"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/learn"
)

// gains compares methods that learn from privileged columns with the KRVFL and the averaged KRVFL, which know none, on
// settings in which such columns arise by themselves. Every method chooses its settings on the training rows of each
// split.
func gains() *Experiment {
	return &Experiment{
		Name: "gains", Title: "What privileged columns gain over the KRVFL without them", Metric: points, Trials: 20,
		Protocols: []Protocol{{
			Name: OursName, Scale: "standard", Choice: "loo", Draws: alike(parityDraws), Center: true,
			Title: "Features standardised on the training rows; every method chooses its settings on the training " +
				"rows of each split, by exact leave-one-out or by folds; all methods have the same splits.",
		}},
		Datasets: gainSettings(),
		Methods:  gainMethods(),
	}
}

// Networks that are run for comparison with the literature.
const (
	parityNodes = 100
	parityDraws = 30
	parityFolds = 3
)

// The names of methods that others are compared with.
const (
	tunedName      = "KRVFL"
	averagedName   = "averaged"
	allColumnsName = "KRVFL, all columns"
)

// gainMethods are the columns: the tuned KRVFL comes first.
func gainMethods() []Method {
	own := func(name, method string) Method {
		m := Method{Name: name, Kernel: gaussian, Config: config("stack"), Own: method, LabelledOnly: true}
		k := m.kind()
		m.Config.Free = k.Chosen
		return m
	}
	withUnlabelled := func(m Method) Method {
		m.LabelledOnly = false
		return m
	}
	methods := []Method{
		own(tunedName, "tuned"), own(averagedName, "averaged"), own("projected", "projected"),
		withUnlabelled(own("label", "label")), own("distill", "distill"), own("transfer", "transfer"),
		own("weigh", "weigh"), withUnlabelled(own("stack", "stack")), allColumns(own(tunedName, "tuned")),
	}
	for _, kind := range []string{"rvfl", "rvfl-ensemble", "edrvfl", "edrvfl+", "cmcrvfl+", "ckrvfl+"} {
		m := Method{Name: kind, Config: config(kind), Parity: true}
		m.Config.Correction = param.Default().Correction
		methods = append(methods, m)
	}
	return methods
}

// gainSettings are the rows. A setting is named by what is predicted from what, and by the rows with and without a
// target.
func gainSettings() []Dataset {
	var out []Dataset
	add := func(name, entry string, labelled, unlabelled, test int, selection *dataset.Selection) *Dataset {
		rows := fmt.Sprint(labelled)
		if unlabelled > 0 {
			rows += fmt.Sprintf("+%d", unlabelled)
		}
		out = append(out, Dataset{Name: name + " " + rows, Entry: entry, Roles: selection, Train: labelled,
			Unlabelled: unlabelled, Test: test, Folds: parityFolds})
		return &out[len(out)-1]
	}
	// Other targets, known in training only.
	for _, k := range []int{0, 4, 8, 12} {
		target := entry("scm20d").Targets[k]
		add("SCM20D "+target+" targets", "scm20d", 60, 240, 1000, otherTargets("scm20d", target))
	}
	for _, target := range entry("slump").Targets {
		short := map[string]string{
			"SLUMP_cm": "slump", "FLOW_cm": "flow", "Compressive_Strength_Mpa": "strength",
		}
		add("SLUMP "+short[target]+" targets", "slump", 25, 45, 33, otherTargets("slump", target))
	}
	for _, target := range entry("edm").Targets {
		add("EDM "+target+" targets", "edm", 40, 70, 44, otherTargets("edm", target))
	}
	add("ANDRO half", "andro", 30, 0, 19, nil)
	// Sensors: half of a supply chain's prices and demands.
	for _, k := range []int{0, 9, 11, 13, 15} {
		target := entry("scm20d").Targets[k]
		add("SCM20D "+target+" half", "scm20d", 60, 240, 1000, halfOf("scm20d", target))
	}
	// Measurements of a laboratory that stand for another one.
	for _, colour := range []string{"Red", "White"} {
		wine := "wine-" + strings.ToLower(colour)
		for _, target := range []string{"alcohol", "density"} {
			add(colour+" wine "+target+" lab", wine, 60, 240, 1000, laboratory(wine, target)).Task = "regression"
		}
		add(colour+" wine votes", wine, 60, 240, 1000, nil).Task = "regression"
	}
	// Half of the columns, with rows without a target and without such rows.
	for _, s := range []struct {
		name, entry, part         string
		labelled, unlabelled, all int
	}{
		{"Segment", "segment", "test", 60, 240, 1000}, {"Wine", "wine", "", 25, 80, 73},
		{"Iris", "iris", "", 40, 60, 50},
		{"Glass", "glass", "", 60, 100, 54}, {"Parkinsons", "parkinsons", "", 60, 90, 45},
		{"Abalone", "abalone", "", 60, 240, 1000}, {"Shuttle", "shuttle", "test", 60, 240, 1000},
	} {
		name := s.name + " half"
		add(name, s.entry, s.labelled, s.unlabelled, s.all, nil).Part = s.part
		if slices.Contains([]string{"segment", "wine", "glass", "abalone"}, s.entry) {
			d := add(name, s.entry, min(100, s.labelled+s.unlabelled/2), 0, s.all, nil)
			d.Part, d.Parity = s.part, true
		}
	}
	add("SLUMP half", "slump", 70, 0, 33, nil).Parity = true
	add("EDM half", "edm", 100, 0, 54, nil)
	return out
}

// without returns names without some.
func without(names []string, some ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(some, name) })
}

// otherTargets predicts one target of an entry from all features; the other targets are privileged.
func otherTargets(name, target string) *dataset.Selection {
	return &dataset.Selection{
		Target: roles.ByName([]string{target}), Priv: roles.ByName(without(entry(name).Targets, target)),
	}
}

// halfOf predicts one target of an entry from its normal features; the others are privileged.
func halfOf(name, target string) *dataset.Selection {
	s := entry(name).Selection()
	s.Target, s.Drop = roles.ByName([]string{target}), roles.ByName(without(entry(name).Targets, target))
	return &s
}

// laboratory predicts one feature of a wine from the first six; the other features are privileged, grades are left out.
func laboratory(name, target string) *dataset.Selection {
	e := entry(name)
	return &dataset.Selection{
		Target: roles.ByName([]string{target}), Priv: roles.ByName(without(e.Features[e.Normal:], target)),
		Drop: roles.ByName(e.Targets),
	}
}

// lossRatios are ratios of losses of rows left out, see lupi.Losses.
type lossRatios struct {
	UB float64 `json:"u_to_b"` // what normal and privileged columns leave unexplained, to what normal ones leave
	QB float64 `json:"q_to_b"` // the same of privileged columns alone
	R2 float64 `json:"r2"`     // how well normal columns predict privileged ones
}

// problem returns what the method is trained on.
func (j *job) problem(p *pipeline.Prepared) learn.Problem {
	problem := p.Problem()
	if j.method.LabelledOnly {
		problem.Unlabelled = nil
	}
	return problem
}

// own reports whether a method chooses its settings itself.
func (e *Experiment) own(method string) bool {
	return slices.ContainsFunc(e.Methods, func(m Method) bool { return m.Name == method && m.Own != "" })
}

// keepOwn notes the loss of rows left out of a method that chose its settings itself and, of the tuned KRVFL, the
// shares.
func (j *job) keepOwn(ctx context.Context, p *pipeline.Prepared, t *Trial, report learn.Report) error {
	t.Config.Free = nil
	for _, c := range report.Outcome.Candidates {
		if c.Name == report.Outcome.Chosen {
			t.Score = c.Loss
		}
	}
	if j.method.Name != tunedName || j.method.AllColumns {
		return nil
	}
	trainer, err := p.Trainer(j.base(0))
	if err != nil {
		return err
	}
	losses, err := trainer.(lupi.Config).Losses(ctx, j.problem(p))
	if err != nil {
		return err
	}
	t.Shares = &lossRatios{losses.AllToNormal.Value, losses.PrivilegedToNormal.Value, losses.R2.Value}
	return nil
}
