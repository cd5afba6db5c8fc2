package prep

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// draws returns numbers made of standard normal ones.
func draws(n int, of func(z float64) float64) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]float64, n)
	for i := range out {
		out[i] = of(r.NormFloat64())
	}
	return out
}

// under returns what cells become under a scaling that is fitted to other cells.
func under(t *testing.T, scale string, train, use []float64) []float64 {
	t.Helper()
	got, _ := prepared(t, Options{Scale: scale}, []*dataset.Column{numbers("x", train...)},
		[]*dataset.Column{numbers("x", use...)})
	return got
}

func near(a, b []float64, tolerance float64) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool { return math.Abs(a-b) <= tolerance })
}

func column(t *testing.T, scale string, cells []float64) Column {
	t.Helper()
	s, err := Fit([]*dataset.Column{numbers("x", cells...)}, Options{Scale: scale})
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.Columns[0]
}

// scoreOf is the normal score of a cell by counting; equal cells share their mean rank.
func scoreOf(cells []float64, x float64) float64 {
	var less, equal float64
	for _, v := range cells {
		if v < x {
			less++
		} else if v == x {
			equal++
		}
	}
	return mathext.NormalQuantile((less + equal/2) / float64(len(cells)))
}

// standardised returns numbers with mean 0 and standard deviation 1.
func standardised(v []float64) []float64 {
	var mean, square float64
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		square += (x - mean) * (x - mean) / float64(len(v))
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = (x - mean) / math.Sqrt(square)
	}
	return out
}

// With few distinct values every one of them is a knot: the scores are those of the definition.
func TestQuantilesOfFewValues(t *testing.T) {
	for name, cells := range map[string][]float64{
		"all differ": draws(150, math.Exp),
		"counts":     draws(1000, func(z float64) float64 { return math.Floor(math.Exp(z)) }),
		"two values": draws(90, func(z float64) float64 { return math.Round(min(max(z, 0), 1)) }),
	} {
		want := make([]float64, len(cells))
		for i, x := range cells {
			want[i] = scoreOf(cells, x)
		}
		if got := under(t, "quantile", cells, cells); !near(got, standardised(want), 1e-12) {
			t.Errorf("%s: %v, want %v", name, got[:5], standardised(want)[:5])
		}
	}
}

// Between two cells the map is a straight line, and beyond the last ones it stays.
func TestQuantilesBetweenAndBeyondCells(t *testing.T) {
	got := under(t, "quantile", []float64{-1, 5, 0, 100}, []float64{-1, 0, 1, 5, 52.5, 100, -9, 1e300})
	low, high := got[0], got[5]
	want := []float64{low, got[1], 0.8*got[1] + 0.2*got[3], got[3], (got[3] + high) / 2, high, low, high}
	if !near(got, want, 1e-15) || !(low < got[1] && got[1] < got[3] && got[3] < high) {
		t.Errorf("%v, want %v", got, want)
	}
	wide := under(t, "quantile", []float64{-math.MaxFloat64, math.MaxFloat64}, []float64{-math.MaxFloat64, 0,
		math.MaxFloat64})
	if !near(wide, []float64{-1, 0, 1}, 1e-15) {
		t.Errorf("the range of all numbers: %v", wide)
	}
}

// Of many distinct values some are knots. The others' scores are off by less than what lies between knots.
func TestQuantilesOfManyValues(t *testing.T) {
	cells := draws(20_000, func(z float64) float64 { return math.Exp(2 * z) })
	c := column(t, "quantile", cells)
	if n := len(c.Knots); n < mostKnots/2 || n > mostKnots || c.Knots[0] != c.Min || c.Knots[n-1] != c.Max {
		t.Fatalf("%d knots from %v to %v", n, c.Knots[0], c.Knots[n-1])
	}
	slices.Sort(cells)
	got := under(t, "quantile", cells, cells)
	if !slices.IsSorted(got) || !near(got, standardised(got), 1e-9) {
		t.Error("the scores do not ascend, or their mean and spread are not 0 and 1")
	}
	scores := slices.Clone(got)
	for i, x := range got {
		scores[i] = x*c.Scale + c.Shift
	}
	distinct, exact := normalScores(cells)
	if len(distinct) != len(cells) || !near(scores, exact, 0.05) {
		t.Errorf("%d distinct cells, or scores farther than a twentieth", len(distinct))
	}
}

func TestLogTakesSkewnessAway(t *testing.T) {
	for name, cells := range map[string][]float64{
		"log-normal": draws(300, func(z float64) float64 { return math.Exp(1.5 * z) }),
		"shifted":    draws(300, func(z float64) float64 { return 1e6 + math.Exp(z) }),
		"negative":   draws(300, func(z float64) float64 { return z*z - 7 }),
		"Gumbel":     draws(300, func(z float64) float64 { return -math.Log(-math.Log(math.Erfc(-z/math.Sqrt2) / 2)) }),
		"left":       draws(300, func(z float64) float64 { return -math.Exp(z) }),
		"many":       draws(50_000, math.Exp),
	} {
		c := column(t, "log", cells)
		got := under(t, "log", cells, cells)
		before, after := skewness(cells), skewness(got)
		lowest := c.Unit == tenth(cells, c.Origin)
		if math.Abs(after) > 0.02 && !lowest || !(math.Abs(after) < math.Abs(before)/2) {
			t.Errorf("%s: skewness %v after, %v before, unit %v, the least %v", name, after, before, c.Unit, lowest)
		}
		if !near(got, standardised(got), 1e-9) {
			t.Errorf("%s: mean and spread are not 0 and 1", name)
		}
		for i, x := range cells { // the definition, and back
			d := x - c.Origin
			g := math.Copysign(math.Log(1+math.Abs(d)/c.Unit), d)
			back := c.Origin + math.Copysign(c.Unit*(math.Exp(math.Abs(g))-1), g)
			if math.Abs(got[i]-(g-c.Shift)/c.Scale) > 1e-9 || math.Abs(back-x) > 1e-9*math.Max(1, math.Abs(x)) {
				t.Errorf("%s: %v becomes %v, want %v; back %v", name, x, got[i], (g-c.Shift)/c.Scale, back)
				break
			}
		}
		beyond := under(t, "log", cells, []float64{c.Min - 1e9, c.Min - 1, c.Min, c.Max, c.Max + 1, c.Max + 1e9})
		if !slices.IsSorted(beyond) || beyond[0] == beyond[1] || beyond[4] == beyond[5] {
			t.Errorf("%s: beyond the training cells %v", name, beyond)
		}
	}
}

// tenth is the distance from a number to the nearest tenth of the other cells.
func tenth(cells []float64, from float64) float64 {
	var distances []float64
	for _, x := range cells {
		if x != from {
			distances = append(distances, math.Abs(x-from))
		}
	}
	slices.Sort(distances)
	return distances[len(distances)/10]
}

// The logarithm of a column in another unit, or turned round, is the same or turned round.
func TestLogDoesNotDependOnUnits(t *testing.T) {
	cells := draws(200, math.Exp)
	want := under(t, "log", cells, cells)
	for _, factor := range []float64{1e-9, 7, 1e12, -3} {
		other := slices.Clone(cells)
		for i := range other {
			other[i] = factor*other[i] + 5*factor
		}
		got := under(t, "log", other, other)
		for i := range got {
			got[i] = math.Copysign(1, factor) * got[i]
		}
		if !near(got, want, 1e-5) {
			t.Errorf("times %v: %v, want %v", factor, got[:3], want[:3])
		}
	}
}

// A column that is not skewed, or whose logarithm is no less skewed, stays as it is under "standard".
func TestLogLeavesOtherColumns(t *testing.T) {
	for name, cells := range map[string][]float64{
		"normal":     draws(300, func(z float64) float64 { return 3 + z }),
		"uniform":    draws(300, func(z float64) float64 { return math.Erf(z) }),
		"two values": draws(300, func(z float64) float64 { return math.Floor(min(max(z, 0), 1)) }),
	} {
		if got := under(t, "log", cells, cells); !slices.Equal(got, under(t, "standard", cells, cells)) {
			t.Errorf("%s: not as under standard", name)
		}
	}
}

// A few huge cells must not make the others alike.
func TestHugeCells(t *testing.T) {
	cells := append(draws(200, func(z float64) float64 { return z }), 1e9, 1e12)
	use := cells[:200]
	spread := func(scale string) float64 {
		_, sd := moments(under(t, scale, cells, use))
		return sd
	}
	if standard := spread("standard"); standard > 1e-6 {
		t.Errorf("the other cells' standard deviation is %v under standard: this tests nothing", standard)
	}
	if quantile := spread("quantile"); quantile < 0.9 {
		t.Errorf("quantile: the other cells' standard deviation is %v", quantile)
	}
	if log := spread("log"); log < 0.1 {
		t.Errorf("log: the other cells' standard deviation is %v", log)
	}
}

// Counts of which most are 0 keep the order of the others.
func TestLogOfCounts(t *testing.T) {
	cells := slices.Concat(make([]float64, 60), slices.Repeat([]float64{1}, 20), []float64{2, 2, 2, 3, 5, 9, 40})
	c := column(t, "log", cells)
	if c.Unit != 1 || c.Origin != 0 {
		t.Errorf("counts are not counted in ones: %+v", c)
	}
	got := under(t, "log", cells, []float64{0, 1, 3, 40})
	if step := (math.Log(2)) / c.Scale; math.Abs(got[1]-got[0]-step) > 1e-12 || math.Abs(got[2]-got[1]-step) > 1e-12 {
		t.Errorf("%v", got)
	}
}

func TestScalingsOfFilledAndCategoricalColumns(t *testing.T) {
	for _, scale := range []string{"quantile", "log"} {
		train := []*dataset.Column{numbers("n", 1, 2, nan, 4, 300), categories("c", "u", "v", "u", "u", "")}
		got, seen := prepared(t, Options{Scale: scale, Impute: "median"}, train, train)
		cell := func(row, j int) float64 { return got[3*row+j] }
		filled := under(t, scale, []float64{1, 2, 3, 4, 300}, []float64{3})
		if !near([]float64{cell(2, 0)}, filled, 1e-14) || cell(0, 1) != 1 ||
			cell(1, 2) != 1 || cell(4, 1) != 1 || seen.OutOfRange != 0 {
			t.Errorf("%s: %v, %+v, want %v for the missing cell", scale, got, seen, filled)
		}
		_, seen = prepared(t, Options{Scale: scale, Impute: "median"}, train,
			[]*dataset.Column{numbers("n", 301, 0.5, 2), categories("c", "u", "w", "v")})
		if seen.OutOfRange != 2 || seen.Unknown != 1 {
			t.Errorf("%s: %+v", scale, seen)
		}
	}
}

// Where the spread of a column overflows, the logarithm cannot be fitted; ranks can.
func TestSpreadsThatOverflow(t *testing.T) {
	for _, cells := range [][]float64{{-1e308, 1e308, 0}, {0, 5e-324, 1e-323, 1e308}} {
		wide := []*dataset.Column{numbers("x", cells...)}
		if s, err := Fit(wide, Options{Scale: "log"}); !errors.Is(err, fault.Data) {
			t.Errorf("%v: %+v, %v", cells, s, err)
		}
		if got := under(t, "quantile", cells, cells); !near(got, standardised(got), 1e-12) {
			t.Errorf("%v become %v", cells, got)
		}
	}
}
