package advise

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/lupi"
	"rvflplus/internal/param"
	"rvflplus/internal/report"
	"rvflplus/internal/roles"
)

// measured returns losses of which the ratios and R² are given, with standard errors of 0.
func measured(all, priv, r2 float64, unlabelled int) *lupi.Losses {
	e := func(v float64) lupi.Estimate { return lupi.Estimate{Value: v} }
	return &lupi.Losses{
		Constant: e(2), Normal: e(1), All: e(all), Privileged: e(priv), R2: e(r2), AllToNormal: e(all),
		PrivilegedToNormal: e(priv), PrivilegedToAll: e(priv / all), Rows: 60, Used: 60, Features: 3,
		Unlabelled: unlabelled,
	}
}

func TestFirstRuleThatApplies(t *testing.T) {
	for _, c := range []struct {
		all, priv, r2 float64
		unlabelled    int
		want          Rule
	}{
		{0.70, 0.9, 0.5, 240, Label},
		{0.70, 0.9, 0.5, 0, Nothing},
		{0.71, 0.9, 0.5, 240, Nothing},
		{0.6, 0.6, 0.9, 240, Label}, // before transfer
		{0.96, 0.6, 0.9, 240, Drop}, // before transfer
		{1.2, 2, 0.5, 0, Drop},
		{0.94, 2, 0.5, 0, Nothing},
		{0.6, 0.70, 0.75, 0, Transfer},
		{0.6, 0.71, 0.75, 0, Nothing},
		{0.6, 0.68, 0.74, 0, Nothing},
		{0.8, 0.9, 0.1, 0, Projected},
		{0.8, 0.9, 0.11, 0, Nothing},
		{0.81, 0.9, 0.1, 0, Nothing},
		{0.8, 0.8, -0.2, 0, Projected}, // before projected or distilled
		{0.3, 0.309, 0.5, 0, ProjectedOrDistil},
		{0.29, 0.29, 0.5, 0, Nothing}, // of such a table the privileged columns say nearly everything
		{0.3, 0.32, 0.5, 0, Nothing},
	} {
		l := measured(c.all, c.priv, c.r2, c.unlabelled)
		if got, doubts := judge(l); got != c.want || doubts != nil {
			t.Errorf("%+v: %s, doubts %v", c, got, doubts)
		}
	}
}

func TestNearThresholdsLeaveDoubt(t *testing.T) {
	l := measured(0.93, 1.2, 0.5, 0)
	l.AllToNormal.SE = 0.03
	rule, doubts := judge(l)
	if rule != Nothing || len(doubts) != 1 || doubts[0].Otherwise != Drop || doubts[0].Threshold != 0.95 {
		t.Fatalf("%s, %+v", rule, doubts)
	}
	want := "Close call: the error of all columns over that of the normal ones is 0.93 ± 0.03, and the threshold is " +
		"0.95. On its other side: drop the privileged columns."
	if got := doubts[0].String(); got != want {
		t.Error(got)
	}
	l.AllToNormal.SE = 0.01
	if _, doubts := judge(l); doubts != nil {
		t.Errorf("two standard errors away: %+v", doubts)
	}
	// R² is near to its threshold, but the other side needs the privileged columns to be better than they are.
	l.R2 = lupi.Estimate{Value: 0.74, SE: 0.05}
	if _, doubts := judge(l); doubts != nil {
		t.Errorf("no other rule on the other side: %+v", doubts)
	}
	// The rule of rows without a target counts only where there are any.
	l = measured(0.71, 1.2, 0.5, 0)
	l.AllToNormal.SE = 0.05
	if _, doubts := judge(l); doubts != nil {
		t.Errorf("no row without a target: %+v", doubts)
	}
	l.Unlabelled = 1
	if _, doubts := judge(l); len(doubts) != 1 || doubts[0].Otherwise != Label {
		t.Errorf("%+v", doubts)
	}
}

// Every rule has words, a next step and a picture.
func TestEveryRuleIsSaid(t *testing.T) {
	for rule, l := range map[Rule]*lupi.Losses{
		Label: measured(0.5, 0.6, 0.5, 9), Drop: measured(1, 2, 0.5, 0), Transfer: measured(0.5, 0.6, 0.9, 0),
		Projected: measured(0.5, 0.9, 0, 0), ProjectedOrDistil: measured(0.5, 0.5, 0.5, 0),
		Nothing: measured(0.9, 1.2, 0.5, 0),
	} {
		a := &Advice{Losses: l}
		if a.Rule, _ = judge(l); a.Rule != rule {
			t.Fatalf("%s instead of %s", a.Rule, rule)
		}
		text := a.Say()
		if !strings.HasPrefix(text, a.Headline()+". ") || strings.Contains(text, "%!") || len(a.Why()) < 60 ||
			len(a.Instead()) < 30 {
			t.Errorf("%s: %s", rule, text)
		}
		next := a.Next()
		if named := len(next) > 0 && next[0].Name == "kind"; named == (rule == Nothing) {
			t.Errorf("%s: next %v", rule, next)
		}
		var svg, image bytes.Buffer
		picture := a.Picture()
		if err := picture.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		if labelled := strings.Contains(svg.String(), "label below"); labelled != (rule == Label) {
			t.Errorf("%s: the picture has the mark of label: %v", rule, labelled)
		}
		if err := report.Write(&image, ".png", picture); err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(&image); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

func TestNothingToPredict(t *testing.T) {
	l := measured(1, 1, 0, 0)
	l.Constant.Value = 0.99 // all models are worse
	if why := (&Advice{Losses: l, Rule: Drop}).Why(); !strings.Contains(why, "always saying the mean") {
		t.Error(why)
	}
	l.Constant.Value, l.Normal.Value = 1, 1e-12
	if why := (&Advice{Losses: l, Rule: Drop}).Why(); !strings.Contains(why, "without an error") {
		t.Error(why)
	}
}

// table returns rows with normal columns x1 … x3, and the privileged columns p1, p2 and the target y that row makes.
func table(t *testing.T, rows int, row func(x []float64, noise func() float64) (p1, p2, y float64)) *roles.Data {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 2))
	var columns []dataset.Column
	for i, name := range []string{"x1", "x2", "x3", "p1", "p2", "y"} {
		columns = append(columns, dataset.Column{Name: name, Number: i + 1, Numbers: make([]float64, rows)})
	}
	for i := range rows {
		x := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		p1, p2, y := row(x, r.NormFloat64)
		for j, v := range append(x, p1, p2, y) {
			columns[j].Numbers[i] = v
		}
	}
	d, err := roles.Assign(&dataset.Table{Rows: rows, Columns: columns}, dataset.Selection{Target: "y", Priv: "p*"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func advice(t *testing.T, d *roles.Data, c param.Config) *Advice {
	t.Helper()
	a, err := Advise(context.Background(), d, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func smooth(x []float64) float64 { return math.Sin(2*x[0]) + x[1]*x[2]/2 }

// Tables that are made as the rules suppose get the advice of their rule.
func TestGeneratedTables(t *testing.T) {
	for _, c := range []struct {
		want Rule
		row  func(x []float64, noise func() float64) (p1, p2, y float64)
	}{
		{Drop, func(x []float64, noise func() float64) (p1, p2, y float64) { // noise
			return noise(), noise(), smooth(x) + 0.3*noise()
		}},
		{Drop, func(x []float64, noise func() float64) (p1, p2, y float64) { // copies
			return x[0], x[1], x[0] + x[1] - x[2] + 0.3*noise()
		}},
		{Transfer, func(x []float64, noise func() float64) (p1, p2, y float64) { // predictable, a better representation
			p1, p2 = math.Sin(x[0])+0.05*noise(), math.Cos(x[1])+0.05*noise()
			return p1, p2, math.Sin(6*p1*p2) + 0.1*noise()
		}},
		{Projected, func(x []float64, noise func() float64) (p1, p2, y float64) { // independent, additive
			p1, p2 = noise(), noise()
			return p1, p2, x[0] + p1 + math.Sin(2*p2) + 0.2*noise()
		}},
	} {
		a := advice(t, table(t, 150, c.row), param.Default())
		if a.Rule != c.want {
			t.Errorf("%s instead of %s: %+v", a.Rule, c.want, *a.Losses)
		}
		if a.Rows != 150 || a.NormalColumns != 3 || a.PrivColumns != 2 {
			t.Errorf("%s: %+v", c.want, a)
		}
	}
}

func screened(x []float64, noise func() float64) (p1, p2, y float64) {
	p1 = smooth(x) + 0.3*noise()
	return p1, noise(), p1 + 0.1*noise()
}

// Rows whose target is missing count as rows without a target; with them the privileged columns are worth much.
func TestRowsWithoutATarget(t *testing.T) {
	d := table(t, 160, screened)
	for i := 40; i < 160; i++ {
		d.Columns[5].Numbers[i] = math.NaN()
	}
	a := advice(t, d, param.Default())
	if a.Rule != Label || a.Unlabelled != 120 || a.Rows != 40 || a.Next()[0].Value != "label" {
		t.Errorf("%s: %d rows, %d without a target", a.Rule, a.Rows, a.Unlabelled)
	}
	if why := a.Why(); !strings.Contains(why, "120 rows") || !strings.Contains(why, "all 160 rows") {
		t.Error(why)
	}
}

// Classes by text, several targets, weights, groups, and rows without privileged values.
func TestOtherTables(t *testing.T) {
	d := table(t, 90, screened)
	for name, c := range map[string]struct {
		change func(d *roles.Data, c *param.Config)
		rows   int
	}{
		"classes": {func(d *roles.Data, _ *param.Config) {
			y := &d.Columns[5]
			for _, v := range y.Numbers {
				y.Codes = append(y.Codes, min(2, max(0, int(v+1))))
			}
			y.Numbers, y.Levels = nil, []string{"low", "middle", "high"}
		}, 90},
		"two targets": {func(d *roles.Data, _ *param.Config) {
			d.Roles.Target, d.Roles.Priv = []int{4, 5}, []int{3}
		}, 90},
		"weights": {func(d *roles.Data, _ *param.Config) {
			d.Roles.Weight, d.Roles.Priv = 4, []int{3}
			for i := range d.Columns[4].Numbers {
				d.Columns[4].Numbers[i] = float64(i % 3)
			}
		}, 60},
		"groups": {func(d *roles.Data, _ *param.Config) {
			d.Roles.Group, d.Roles.Priv = 4, []int{3}
			for i := range d.Columns[4].Numbers {
				d.Columns[4].Numbers[i] = float64(i / 3)
			}
		}, 90},
		"missing": {func(d *roles.Data, c *param.Config) {
			d.Columns[3].Numbers[7], c.AllowMissingPriv = math.NaN(), true
		}, 89},
	} {
		own, config := *d, param.Default()
		own.Table = d.Subset(count(90))
		c.change(&own, &config)
		a := advice(t, &own, config)
		if a.Rows != c.rows || !(a.All.Value < a.Normal.Value) || a.Rule == "" {
			t.Errorf("%s: %d rows, %+v", name, a.Rows, *a.Losses)
		}
	}
}

func count(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func TestRefusals(t *testing.T) {
	d := table(t, 30, screened)
	for name, c := range map[string]struct {
		change func(d *roles.Data)
		want   fault.Kind
	}{
		"no privileged columns": {func(d *roles.Data) { d.Roles.Priv = nil }, fault.Usage},
		"two rows":              {func(d *roles.Data) { d.Table = d.Subset([]int{0, 1}) }, fault.Data},
		"no privileged values": {func(d *roles.Data) {
			for _, j := range d.Roles.Priv {
				for i := range d.Rows {
					d.Columns[j].Numbers[i] = math.NaN()
				}
			}
		}, fault.Data},
		"no targets": {func(d *roles.Data) {
			for i := range d.Rows {
				d.Columns[5].Numbers[i] = math.NaN()
			}
		}, fault.Data},
	} {
		own := *d
		own.Table = d.Subset(count(30))
		c.change(&own)
		_, err := Advise(context.Background(), &own, param.Default(), nil)
		if !errors.Is(err, c.want) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v (hint %q)", name, err, fault.HintOf(err))
		}
	}
}

// The advice does not depend on the units of a target.
func TestUnitsOfTheTarget(t *testing.T) {
	d := table(t, 60, screened)
	a := advice(t, d, param.Default())
	for i := range d.Rows {
		d.Columns[5].Numbers[i] *= 1024 // exact
	}
	b := advice(t, d, param.Default())
	if math.Abs(a.AllToNormal.Value-b.AllToNormal.Value) > 1e-9 || a.Rule != b.Rule {
		t.Errorf("%v, in other units %v", a.AllToNormal, b.AllToNormal)
	}
	for i, line := range a.Lines() {
		if other := b.Lines()[i]; math.Abs(line.Estimate.Value-other.Estimate.Value) > 1e-9 {
			t.Error(strconv.Quote(line.Words), line.Estimate, other.Estimate)
		}
	}
}
