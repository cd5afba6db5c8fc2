package compare

import (
	"cmp"

	"rvflplus/fault"
	"rvflplus/internal/search"
	"rvflplus/learn"
)

// Options of a comparison. The zero value of a field means its default.
type Options struct {
	// Methods are names as Methods takes them, or All alone; default DefaultMethods.
	Methods []string
	// More are compared beside those: any trainer can join.
	More []Method
	// Splits is the number of random splits into training and test rows; 2 to 1000,
	// default 30.
	Splits int
	// Test is the share of test rows in a split, inside (0, 1), such that at least 10
	// rows are left for training; default 0.25.
	Test float64
	// Permutations is B; 19 to 100,000, default 199. The smallest p-value is 1/(B+1).
	Permutations int
	// Rows bounds the rows that models are tuned and trained on; at least 20, default
	// 200. Where there are more, so many drawn by the seed stand for all, and each
	// split draws as many anew.
	Rows int
	// Score is what held-out rows are measured by, and gains told in: a name of search.Measures, that fits the task;
	// default accuracy or rmse. Methods in closed form are tuned by squared error all the same.
	Score string
	// LeastGain is the share of the baseline's loss that a gain on held-out rows must reach where its interval holds 0.
	// The loss is the RMSE or MAE, or what an accuracy, F1, area or R² is short of 1; default 0.01, negative for none.
	LeastGain float64
	// Data is what stands between the command and its flags in an advice, such as "d.csv -y y"; default
	// "DATA -y TARGET -p PRIVILEGED".
	Data string
	// Early leaves out what does not bear upon the verdict: upper bounds, the controls shuffled and noise, and
	// permutations from when on the verdict cannot become Helps. Made for studies of many comparisons.
	Early bool
	// NoAuto leaves Auto out, and the question whether it does as well: most of the time of few splits.
	NoAuto bool
	// Progress, when not nil, is told how far the comparison has come.
	Progress learn.Progress
}

func (o Options) withDefaults() (Options, error) {
	o.Splits, o.Test = cmp.Or(o.Splits, 30), cmp.Or(o.Test, 0.25)
	o.LeastGain, o.Data = cmp.Or(o.LeastGain, 0.01), cmp.Or(o.Data, "DATA -y TARGET -p PRIVILEGED")
	o.Permutations, o.Rows = cmp.Or(o.Permutations, 199), cmp.Or(o.Rows, 200)
	for _, c := range []struct {
		name     string
		value    int
		min, max int
	}{{"splits", o.Splits, 2, 1000}, {"permutations", o.Permutations, 19, 100000}, {"rows", o.Rows, 20, 20000}} {
		if c.value < c.min || c.value > c.max {
			return o, fault.New(fault.Usage, "%s must be a whole number from %d to %d, got %d", c.name, c.min, c.max,
				c.value)
		}
	}
	if !(o.Test > 0 && o.Test < 1) {
		return o, fault.Param("the share of test rows", "between 0 and 1", o.Test)
	}
	if !(o.LeastGain < 1) {
		return o, fault.Param("the least gain", "a share of the loss below 1", o.LeastGain)
	}
	return o, search.CheckMeasure(o.Score)
}
