package repro

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// gainsWhere counts the gains of a method over another on the settings that fit.
func (c *committedResults) gainsWhere(method, over string, fits func(*Dataset) bool) *contest {
	r, out := c.of("gains"), new(contest)
	for _, g := range r.gainsOf(method, over) {
		i := slices.IndexFunc(r.Experiment.Datasets, func(d Dataset) bool { return d.Name == g.Dataset })
		if fits(&r.Experiment.Datasets[i]) {
			out.add(g.Dataset, pair{g.Mean, float64(g.SE), g.Splits, g.Side}, true)
		}
	}
	return out
}

func (c *committedResults) helped() string {
	with := c.gainsWhere("stack", averagedName, func(d *Dataset) bool { return d.Unlabelled > 0 })
	without := c.gainsWhere("stack", averagedName, func(d *Dataset) bool { return d.Unlabelled == 0 })
	all := c.gainsWhere("stack", averagedName, func(*Dataset) bool { return true })
	return filled(fmt.Sprintf("On public data the default method, `stack`, beside a mixture that knows no privileged "+
		"columns: where there are rows with privileged columns and without a target, %s; where there are no such "+
		"rows, %s; %s.", with.counts("setting"), without.counts("setting"), all.average(1, "setting", "split")))
}

func (c *committedResults) stackDifferences() string {
	gains, losses, n := 0, []string(nil), 0
	for _, over := range []string{tunedName, averagedName} {
		for _, g := range c.of("gains").gainsOf("stack", over) {
			n++
			switch g.Side {
			case 1:
				gains++
			case -1:
				losses = append(losses, fmt.Sprintf("%s against the %s, %s", g.Dataset, described(over), plain(g)))
			}
		}
	}
	text := fmt.Sprintf("Differences of the stack to the two baselines: %d. Gains of more than two standard errors: "+
		"%d. Losses of more: %d (%s).", n, gains, len(losses), cmp.Or(strings.Join(losses, "; "), "none"))
	for _, name := range []string{"gains-glass-seed-1000", "gains-glass-seed-2000"} {
		r := c.of(name)
		for _, g := range r.gainsOf("stack", averagedName) {
			text += fmt.Sprintf(" On %d other splits of %s (seed %d) the stack has %s over the averaged KRVFL.",
				g.Splits, g.Dataset, r.Run.Seed, plain(g))
		}
	}
	return filled(text)
}

// plain writes a gain without the mark of a loss.
func plain(g Gain) string { return strings.TrimSuffix(g.String(), " "+mark) }

func (c *committedResults) worstSplits() string {
	r := c.of("gains")
	type worst struct {
		value   float64
		dataset string
	}
	least := map[string]worst{}
	for _, method := range []string{"label", "stack"} {
		found := worst{value: math.Inf(1)}
		for _, row := range r.grids()[0].rows {
			g := r.grids()[0]
			a, b := g.cell(row.dataset, r.method(method)), g.cell(row.dataset, r.method(tunedName))
			if row.dataset.Unlabelled == 0 || !a.measured() || !b.measured() {
				continue
			}
			for i := range min(len(a.Trials), len(b.Trials)) {
				if d := a.Trials[i].Value - b.Trials[i].Value; d < found.value {
					found = worst{d, row.dataset.Name}
				}
			}
		}
		least[method] = found
	}
	return filled(fmt.Sprintf("A single split can go badly wrong: the worst of `label` is %+.1f points against the "+
		"tuned KRVFL (%s), the worst of `stack` on the same settings %+.1f points (%s).", least["label"].value,
		least["label"].dataset, least["stack"].value, least["stack"].dataset))
}

func (c *committedResults) literature() string {
	all := new(contest)
	r := c.of("gains")
	for i := range r.Experiment.Methods {
		if m := &r.Experiment.Methods[i]; m.Parity && m.Name != "rvfl" {
			for _, g := range r.gainsOf(m.Name, tunedName) {
				all.add(m.Name+" on "+g.Dataset, pair{g.Mean, float64(g.SE), g.Splits, g.Side}, true)
			}
		}
	}
	return filled("On public data the five kinds were " + all.counts("comparison") +
		" with a tuned KRVFL (`-m krvfl`).")
}
