package activation

import (
	"errors"
	"math"
	"testing"

	"rvflplus/fault"
)

func TestValues(t *testing.T) {
	const z = 0.6
	want := map[string][2]float64{ // at z and at -2
		"sigmoid":         {0.6456563062257954, 0.11920292202211755},
		"tanh":            {0.5370495669980353, -0.9640275800758169},
		"sine":            {0.5646424733950354, -0.9092974268256817},
		"hardlim":         {1, 0},
		"softlim":         {0.6, 0},
		"tribas":          {0.4, 0},
		"radbas":          {0.6976763260710310, 0.018315638888734179},
		"multiquadric":    {1.1661903789690602, 2.23606797749979},
		"invmultiquadric": {0.857492925712544, 0.4472135954999579},
		"relu":            {0.6, 0},
	}
	if len(want) != len(Names()) {
		t.Fatalf("%d names, %d tested", len(Names()), len(want))
	}
	for name, w := range want {
		f, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		x := []float64{z, -2}
		f.Apply(x)
		for i := range x {
			if math.Abs(x[i]-w[i]) > 1e-15 {
				t.Errorf("%s: %v, want %v", name, x[i], w[i])
			}
		}
		if formula, values := Formula(name); formula == "" || values == "" {
			t.Errorf("%s has no formula or range", name)
		}
	}
}

func TestExtremesStayFinite(t *testing.T) {
	for _, name := range []string{"sigmoid", "tanh", "hardlim", "softlim", "tribas", "radbas", "invmultiquadric"} {
		f, _ := ByName(name)
		x := []float64{-1e308, -750, 750, 1e308}
		f.Apply(x)
		for _, v := range x {
			if math.IsNaN(v) || math.Abs(v) > 1 {
				t.Errorf("%s: %v", name, x)
			}
		}
	}
}

func TestZeroValueIsSigmoid(t *testing.T) {
	x := []float64{0}
	Func{}.Apply(x)
	f, err := ByName("")
	if x[0] != 0.5 || err != nil || f.Name() != "sigmoid" || (Func{}).Name() != "sigmoid" {
		t.Errorf("%v %v %v", x, f.Name(), err)
	}
}

func TestUnknownName(t *testing.T) {
	if _, err := ByName("relux"); !errors.Is(err, fault.Usage) {
		t.Errorf("error %v", err)
	}
}
