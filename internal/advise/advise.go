// Package advise tells, before anything is fitted, what privileged columns are good for: it measures how well the
// target is predicted by each kind of columns, and finds the rule that applies.
package advise

import (
	"context"
	"fmt"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/lupi"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// Rule is what an advice comes down to.
type Rule string

const (
	Label     Rule = "label"
	Drop      Rule = "drop"
	Transfer  Rule = "transfer"
	Projected Rule = "projected"
	// ProjectedOrDistil leaves the choice between two methods to training.
	ProjectedOrDistil Rule = "projected-or-distil"
	Nothing           Rule = "nothing"
)

// Advice is the rule that applies to a table, and what it rests on.
type Advice struct {
	*lupi.Losses
	Rule Rule
	// Doubts are the thresholds that are nearer than one standard error, and whose other side would lead to another
	// rule.
	Doubts []Doubt

	Task                       target.Task
	NormalColumns, PrivColumns int
	WithoutPriv                int // rows that have a target and no privileged values: they are not looked at

	Scalings []pipeline.Scaling // of the columns, where they were chosen
}

// Doubt is a threshold that a measured number is near to.
type Doubt struct {
	Measured  lupi.Estimate
	Quantity  string // what was measured, for people
	Threshold float64
	Otherwise Rule // the rule on the other side
}

// Kind is the kind that tables are loaded and prepared for: it learns from privileged columns, and from rows without a
// target.
func Kind() kind.Kind {
	k, err := kind.ByName("stack")
	if err != nil {
		panic("advise: " + err.Error())
	}
	return k
}

// Config returns c for Kind, with everything that this kind chooses left free.
func Config(c param.Config) param.Config {
	k := Kind()
	c.Kind, c.Free = k.Name, k.Chosen
	return c
}

// Advise measures the losses of a table on at most 1,000 of its rows and finds the rule that applies. c gives the
// task, the preparation, the kernels and the seed. Cost: about 200 factorisations of these rows.
func Advise(ctx context.Context, d *roles.Data, c param.Config, progress learn.Progress) (*Advice, error) {
	if len(d.Roles.Priv) == 0 {
		return nil, fault.New(fault.Usage, "no privileged columns to give advice on").
			WithHint("name them with %s, or give a file with %s", fault.Name("privileged"), fault.Name("priv-data"))
	}
	p, err := pipeline.Prepare(ctx, d, Config(c))
	if err != nil {
		return nil, err
	}
	trainer, err := p.Trainer(p.Config())
	if err != nil {
		return nil, err
	}
	problem := p.Problem()
	problem.Progress = progress
	if problem.Group, err = p.Data().Groups(); err != nil {
		return nil, err
	}
	losses, err := trainer.(lupi.Config).Losses(ctx, problem)
	if err != nil {
		return nil, err
	}
	a := &Advice{
		Losses: losses, Task: p.Coder().Task, NormalColumns: len(d.Roles.Normal), PrivColumns: len(d.Roles.Priv),
		WithoutPriv: p.Data().Rows - losses.Rows, Scalings: p.Scalings(),
	}
	a.Rule, a.Doubts = judge(losses)
	return a, nil
}

// A condition holds when a measured number is on one side of a threshold.
type condition struct {
	quantity  string
	of        func(*lupi.Losses) lupi.Estimate
	atLeast   bool // else at most
	threshold float64
}

// rule applies when all its conditions hold.
type rule struct {
	name       Rule
	unlabelled bool // needs rows without a target
	conditions []condition
}

const (
	allToNormal  = "the error of all columns over that of the normal ones"
	privToNormal = "the error of the privileged columns over that of the normal ones"
	privToAll    = "the error of the privileged columns over that of all columns"
	predicted    = "R² of the privileged columns on the normal ones"
)

func ofAll(l *lupi.Losses) lupi.Estimate       { return l.AllToNormal }
func ofPriv(l *lupi.Losses) lupi.Estimate      { return l.PrivilegedToNormal }
func ofPrivToAll(l *lupi.Losses) lupi.Estimate { return l.PrivilegedToAll }
func ofR2(l *lupi.Losses) lupi.Estimate        { return l.R2 }

// rules are looked at in this order; the first that applies is the advice. Their thresholds were read off 30 public and
// generated data sets.
var rules = []rule{
	{Label, true, []condition{{allToNormal, ofAll, false, 0.7}}},
	{Drop, false, []condition{{allToNormal, ofAll, true, 0.95}}},
	{Transfer, false, []condition{{predicted, ofR2, true, 0.75}, {privToNormal, ofPriv, false, 0.7}}},
	{Projected, false, []condition{{predicted, ofR2, false, 0.1}, {allToNormal, ofAll, false, 0.8}}},
	{ProjectedOrDistil, false, []condition{{privToAll, ofPrivToAll, false, 1.03}, {allToNormal, ofAll, true, 0.3}}},
}

// holds reports whether a number is on the side of the threshold that the condition asks for.
func (c condition) holds(l *lupi.Losses) bool {
	v := c.of(l).Value
	return c.atLeast && v >= c.threshold || !c.atLeast && v <= c.threshold
}

// near reports whether a number is nearer to the threshold than its standard error.
func (c condition) near(l *lupi.Losses) bool {
	v := c.of(l)
	return v.Value-v.SE < c.threshold && c.threshold < v.Value+v.SE
}

// judge returns the first rule that applies, and the thresholds that leave doubt of it.
func judge(l *lupi.Losses) (Rule, []Doubt) {
	chosen := first(l, nil)
	var doubts []Doubt
	for r := range rules {
		if rules[r].unlabelled && l.Unlabelled == 0 {
			continue
		}
		for k := range rules[r].conditions {
			c := &rules[r].conditions[k]
			if !c.near(l) {
				continue
			}
			if other := first(l, c); other != chosen {
				doubts = append(doubts, Doubt{c.of(l), c.quantity, c.threshold, other})
			}
		}
	}
	return chosen, doubts
}

// first returns the first rule that applies. The condition flipped, if any, counts as the opposite of what it is.
func first(l *lupi.Losses, flipped *condition) Rule {
	for r := range rules {
		applies := !rules[r].unlabelled || l.Unlabelled > 0
		for k := range rules[r].conditions {
			c := &rules[r].conditions[k]
			applies = applies && c.holds(l) != (c == flipped)
		}
		if applies {
			return rules[r].name
		}
	}
	return Nothing
}

// String writes a doubt as a sentence.
func (d Doubt) String() string {
	return fmt.Sprintf("Close call: %s is %.2f ± %.2f, and the threshold is %.4g. On its other side: %s.",
		d.Quantity, d.Measured.Value, d.Measured.SE, d.Threshold, Headlines[d.Otherwise])
}

// Next returns the settings of the training that the advice leads to.
func (a *Advice) Next() []fault.Setting {
	switch a.Rule {
	case Label:
		return []fault.Setting{fault.Set("kind", "label")}
	case Transfer:
		return []fault.Setting{fault.Set("kind", "transfer")}
	case Projected:
		return []fault.Setting{fault.Set("kind", "krvfl+")}
	case ProjectedOrDistil:
		return []fault.Setting{fault.Set("kind", "stack"), fault.Set("methods", "projected,distill")}
	case Drop:
		return []fault.Setting{fault.Set("kind", "averaged")} // which does not read the privileged columns
	}
	return nil // the default keeps privileged columns out where leave-one-out shows no gain
}

// Say returns the advice as text: what to do, why, and how sure that is.
func (a *Advice) Say() string {
	parts := []string{a.Headline() + ".", a.Why()}
	for _, d := range a.Doubts {
		parts = append(parts, d.String())
	}
	return strings.Join(parts, " ")
}
