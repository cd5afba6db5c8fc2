package repro

import (
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/registry"
	"rvflplus/learn"
)

// plan is the part of an experiment that is run.
type plan struct {
	experiment *Experiment
	jobs       []*job
	statistics []registry.PaperRow
}

// plan picks protocols, data sets and methods, and skips experiments of which nothing is left. A name that is in none
// of the experiments is a fault.Usage error.
func (o Options) plan(experiments []*Experiment) ([]*plan, error) {
	if !slices.Contains([]string{PublishedName, OursName, "both"}, o.Protocol) {
		return nil, fault.Param("protocol", "published, ours or both", o.Protocol)
	}
	o, err := o.withNames(experiments)
	if err != nil {
		return nil, err
	}
	var plans []*plan
	for _, e := range experiments {
		if o.Quick {
			e = quick(e)
		}
		p := &plan{experiment: e, statistics: o.statistics(e)}
		for _, protocol := range e.Protocols {
			if o.Protocol != "both" && o.Protocol != protocol.family() {
				continue
			}
			if o.Draws > 0 {
				protocol.Draws = alike(o.Draws)
			}
			p.jobs = append(p.jobs, o.jobs(e, protocol)...)
		}
		if p.jobs != nil || p.statistics != nil {
			plans = append(plans, p)
		}
	}
	if plans == nil {
		const none = "none of the tables and figures has a cell of these data sets, methods and protocol"
		return nil, fault.New(fault.Usage, none).WithHint(
			"docs/reproduction.md tells which methods stand in which table; leave %s, %s or %s out",
			fault.Name("only"), fault.Name("method"), fault.Name("protocol"))
	}
	return plans, nil
}

// jobs returns the cells of an experiment under a protocol, row by row.
func (o Options) jobs(e *Experiment, protocol Protocol) []*job {
	var jobs []*job
	for _, d := range e.Datasets {
		if !named(o.Datasets, d.Name, d.Entry) {
			continue
		}
		for _, m := range e.Methods {
			if !named(o.Methods, m.Name) || !d.takes(m, protocol) {
				continue
			}
			j := &job{
				experiment: e, protocol: protocol, dataset: d, method: d.fitting(m), kind: m.kind(), repeats: repeats,
				substitute: o.substitute,
			}
			if m.SameAs != "" && e.Metric == "accuracy" {
				j.sameAs, j.method.Config.Correction = m.SameAs, learn.Paper
			}
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// takes reports whether a method is run on the data set: not a method that the paper does not have where trials are
// few, label only where there are rows without a target, and methods of Parity only where the data set says so.
func (d *Dataset) takes(m Method, protocol Protocol) bool {
	added := m.Ours && m.SameAs == ""
	few := d.KernelTrials != nil && (m.AllColumns || d.KernelTrials[protocol.Name] < 2)
	switch {
	case added && few && solvesAllRows(m.kind()), m.Own == "label" && d.Unlabelled == 0, m.Parity && !d.Parity:
		return false
	}
	return true
}

// statistics returns the rows of tables 3 and 5.
func (o Options) statistics(e *Experiment) []registry.PaperRow {
	var rows []registry.PaperRow
	if e.Metric != "" {
		return nil
	}
	for _, d := range e.Datasets {
		for _, r := range registry.Paper() {
			if r.Problem == d.Name && named(o.Datasets, d.Name, d.Entry) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// named reports whether one of the names is wanted; nil wants all.
func named(wanted []string, names ...string) bool {
	return wanted == nil || slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(wanted, func(w string) bool { return strings.EqualFold(w, name) })
	})
}

// withNames resolves the names of data sets and methods, and refuses a name that is in no experiment.
func (o Options) withNames(experiments []*Experiment) (Options, error) {
	var datasets, entries, methods []string
	for _, e := range experiments {
		for _, d := range e.Datasets {
			datasets, entries = append(datasets, d.Name), append(entries, d.Entry)
		}
		for _, m := range e.Methods {
			methods = append(methods, m.Name)
		}
	}
	known := slices.Concat(entries, datasets)
	o.Datasets, o.Methods = separated(o.Datasets, known), separated(o.Methods, methods)
	if err := allKnown("data set", o.Datasets, known, entries); err != nil {
		return o, err
	}
	return o, allKnown("method", o.Methods, methods, methods)
}

// separated cuts names at commas, unless a name has one itself.
func separated(names, known []string) []string {
	var out []string
	for _, name := range names {
		if known != nil && named(known, strings.TrimSpace(name)) {
			out = append(out, strings.TrimSpace(name))
			continue
		}
		for _, part := range strings.Split(name, ",") {
			out = append(out, strings.TrimSpace(part))
		}
	}
	return out
}

// allKnown returns the error for the first name that is not known. Its hint lists shown.
func allKnown(what string, names, known, shown []string) error {
	for _, name := range names {
		if named(known, name) && known != nil {
			continue
		}
		list := slices.Clone(shown)
		slices.Sort(list)
		return unknown(what, name, slices.Compact(list))
	}
	return nil
}
