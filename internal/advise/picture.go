package advise

import (
	"cmp"
	"fmt"
	"slices"

	"rvflplus/internal/report"
)

// Picture shows the four numbers, their standard errors and the thresholds of the rules that can apply.
func (a *Advice) Picture() *report.Bars {
	lines := a.Lines()
	toNormal := a.Normal.Value / a.Constant.Value // thresholds are shares of the normal columns' error
	all := []report.Mark{
		{At: 0.95 * toNormal, Text: "drop above"}, {At: 0.8 * toNormal, Text: "projected below, if R² is small"},
	}
	if a.Unlabelled > 0 {
		all = append(all, report.Mark{At: 0.7 * toNormal, Text: "label below"})
	}
	slices.SortFunc(all, func(a, b report.Mark) int { return cmp.Compare(a.At, b.At) })
	bar := func(name string, colour int, line Line, marks ...report.Mark) report.Bar {
		return report.Bar{Name: name, Colour: report.Palette[colour], Value: line.Estimate.Value, SE: line.Estimate.SE,
			Marks: marks}
	}
	return &report.Bars{
		Title: a.Headline(),
		Panels: []report.BarPanel{
			{
				Label: "error on rows left out, as a share of the error of always saying the mean (left is better)",
				Rule:  "always saying the mean",
				Bars: []report.Bar{
					bar("normal columns", 9, lines[0]),
					bar("both kinds together", 2, lines[1], all...),
					bar("privileged columns", 0, lines[2],
						report.Mark{At: 0.7 * toNormal, Text: "transfer below, if R² is large"}),
				},
			},
			{
				Label: fmt.Sprintf("R² of %s (1: predicted without an error)", features(a.Features)),
				Bars: []report.Bar{bar("normal → privileged", 1, lines[3],
					report.Mark{At: 0.1, Text: "small below"}, report.Mark{At: 0.75, Text: "large above"})},
			},
		},
	}
}

func features(n int) string {
	if n == 1 {
		return "the privileged column"
	}
	return fmt.Sprintf("the %d privileged features, on average", n)
}
