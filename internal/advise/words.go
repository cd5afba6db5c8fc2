package advise

import (
	"fmt"

	"rvflplus/internal/lupi"
)

// Headlines say what to do, in a few words.
var Headlines = map[Rule]string{
	Label:             "learn from the rows without a target too",
	Drop:              "drop the privileged columns",
	Transfer:          "predict the privileged columns first, then the target from the predictions",
	Projected:         "train the projected form, which takes the privileged part out of the target",
	ProjectedOrDistil: "let the privileged columns teach the model: projected or distilled",
	Nothing:           "expect nothing from the privileged columns in training alone",
}

// Caution says how far the advice can be trusted.
const Caution = "The thresholds were read off 30 data sets: they are a guide, not a guarantee."

// Headline says what to do, as the beginning of a sentence.
func (a *Advice) Headline() string {
	text := Headlines[a.Rule]
	return string(text[0]-'a'+'A') + text[1:]
}

// Why tells what in the numbers leads to the advice.
func (a *Advice) Why() string {
	all, priv, r2 := percent(a.AllToNormal), percent(a.PrivilegedToNormal), a.R2.Value
	switch a.Rule {
	case Label:
		return fmt.Sprintf("%d rows have the privileged columns and no target, and a model that sees both kinds of "+
			"columns has only %s of the error of a model of the normal columns. The first model can estimate the "+
			"missing targets, and a model of the normal columns then learns from all %d rows.", a.Unlabelled, all,
			a.Unlabelled+a.Rows)
	case Drop:
		if a.Normal.Value >= a.Constant.Value && a.All.Value >= 0.95*a.Constant.Value {
			return "No model predicts the target better than always saying the mean, whichever columns it sees."
		}
		if a.Normal.Value <= 1e-9*a.Constant.Value {
			return "The normal columns predict the target without an error: there is nothing left to gain."
		}
		return fmt.Sprintf("A model that sees both kinds of columns has %s of the error of a model of the normal "+
			"columns. The privileged columns tell next to nothing about the target that the normal ones do not.", all)
	case Transfer:
		return fmt.Sprintf("The normal columns predict the privileged ones well (R² = %.2f), and a model of the "+
			"privileged columns has only %s of the error of a model of the normal ones. So the way from the normal "+
			"columns to the privileged ones, and from there to the target, is easier to learn than the direct one.", r2,
			priv)
	case Projected:
		return fmt.Sprintf("The privileged columns explain a part of the target (a model of both kinds of columns has "+
			"%s of the error of a model of the normal ones) that the normal columns cannot know (R² = %.2f). To a "+
			"model of the normal columns this part is noise. With the part taken out in training, the rest is easier "+
			"to learn.", all, r2)
	case ProjectedOrDistil:
		return fmt.Sprintf("A model of the privileged columns alone is about as good as a model of both kinds of "+
			"columns (%s and %s of the error of a model of the normal columns). What the privileged columns say of "+
			"the target can be a better lesson than the target itself.", priv, all)
	}
	return fmt.Sprintf("The privileged columns know something (a model of both kinds of columns has %s of the error "+
		"of a model of the normal ones), but training alone has no good way to pass it on to a model of the normal "+
		"columns.", all)
}

// Instead names what would help where training with the privileged columns will not, or what else there is to do.
func (a *Advice) Instead() string {
	switch a.Rule {
	case Nothing:
		return "Get rows that have both kinds of columns and no target: often they are cheap, and training learns " +
			"from them. Or have the privileged columns when the model is used, as normal columns."
	case Drop:
		return "Without the privileged columns there is less to collect, and nothing to lose."
	}
	return "Then see on held-out rows whether it gained: rvfl compare."
}

// percent writes a share as a whole number of per cent.
func percent(e lupi.Estimate) string { return fmt.Sprintf("%.0f %%", 100*e.Value) }

// Line is one measured number in plain words.
type Line struct {
	Words    string
	Key      string // its name in JSON
	Error    bool   // an error over that of always saying the mean; else R²
	Estimate lupi.Estimate
}

// Lines returns the four numbers that the advice rests on: errors as shares of the error of always saying the mean.
func (a *Advice) Lines() []Line {
	share := func(e lupi.Estimate) lupi.Estimate {
		return lupi.Estimate{Value: e.Value / a.Constant.Value, SE: e.SE / a.Constant.Value}
	}
	return []Line{
		{"the normal columns", "normal", true, share(a.Normal)},
		{"normal and privileged columns together", "all", true, share(a.All)},
		{"the privileged columns alone", "privileged", true, share(a.Privileged)},
		{"how well the normal columns predict the privileged ones", "r2", false, a.R2},
	}
}
