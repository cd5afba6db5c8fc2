package kind

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rvflplus/fault"
	"rvflplus/internal/param"
)

func TestKindsAreWhole(t *testing.T) {
	used := slices.Clone(common)
	for _, k := range All() {
		if k.Summary == "" || k.Estimator == nil || k.Remedy.String() == "" || len(k.Tuned) == 0 {
			t.Errorf("%s is not whole", k.Name)
		}
		for _, d := range k.Tuned {
			if !k.Has(d.Param) || !(0 < d.Low && d.Low < d.High) || !k.Tunes(d.Param) {
				t.Errorf("%s tunes %s over %v", k.Name, d.About().Name, d.Range)
			}
		}
		for _, name := range []string{k.Plain, k.OtherTask} {
			if _, err := ByName(name); name != "" && err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
		}
		if k.Privileged != (k.Plain != "") || (k.Task == "") != (k.OtherTask == "") {
			t.Errorf("%s has siblings %q and %q", k.Name, k.Plain, k.OtherTask)
		}
		c := param.With(func(c *param.Config) { c.Kind = k.Name })
		if err := Validate(c); err != nil {
			t.Errorf("the defaults of %s: %v", k.Name, err)
		}
		if once := k.Complete(c); !reflect.DeepEqual(k.Complete(once), once) {
			t.Errorf("%s completes twice", k.Name)
		}
		used = append(used, k.Params...)
	}
	for _, p := range param.All() {
		if !slices.Contains(used, p) {
			t.Errorf("no kind has %s", p.About().Name)
		}
	}
	if _, err := ByName("elm"); !errors.Is(err, fault.Usage) {
		t.Errorf("unknown kind: %v", err)
	}
}

// What a kind writes of its settings is what it takes: with a key less, a key more or a
// value of another type it is no longer.
func TestSettingsAreTakenWhole(t *testing.T) {
	for _, k := range All() {
		c := k.Complete(param.With(func(c *param.Config) {
			c.Kind, c.Task, c.Seed = k.Name, "classification", 1<<63+
				1
		}))
		if k.Task != "" {
			c.Task = string(k.Task)
		}
		text, err := json.Marshal(Settings(c))
		if err != nil {
			t.Fatal(err)
		}
		var read Settings
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatalf("%s: %s: %v", k.Name, text, err)
		}
		if again, err := json.Marshal(read); err != nil || string(again) != string(text) {
			t.Errorf("%s: %s is read as %s (%v)", k.Name, text, again, err)
		}
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		for key, value := range fields {
			change := func(to json.RawMessage) {
				t.Helper()
				other := map[string]json.RawMessage{key: to}
				for k, v := range fields {
					if k != key {
						other[k] = v
					}
				}
				if to == nil {
					delete(other, key)
				}
				changed, err := json.Marshal(other)
				if err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(changed, new(Settings)); err == nil {
					t.Errorf("%s: taken with %s = %s", k.Name, key, to)
				}
			}
			change(nil)
			change(json.RawMessage(`[]`))
			change(json.RawMessage(`null`))
			if value[0] == '"' {
				change(json.RawMessage(`"x"`))
			} else {
				change(json.RawMessage(`"` + string(value) + `"`))
			}
		}
		more := strings.Replace(string(text), "{", `{"elm":1,`, 1)
		if err := json.Unmarshal([]byte(more), new(Settings)); err == nil {
			t.Errorf("%s: taken with an unknown key", k.Name)
		}
	}
}

// A kind does not look at the parameters of other kinds: they have their defaults when it is complete.
func TestParametersOfOtherKindsDoNotMatter(t *testing.T) {
	for _, k := range All() {
		c := param.With(func(c *param.Config) {
			c.Kind, c.Gamma, c.Correction, c.PrivHidden, c.Activation, c.SVMSolver = k.Name, 0, "", -1, "zz", "x"
			if c.Task = string(k.Task); k.Task == "" {
				c.Task = "classification"
			}
			if !k.Takes(param.Solver) {
				c.Solver = "pinv"
			}
			if k.Has(param.Gamma) {
				c.Gamma = 2
			}
			if k.Has(param.Correction) {
				c.Correction = "additive"
			}
			if k.Has(param.Activation) {
				c.Activation, c.PrivHidden = "tanh", 5
			}
			if k.Has(param.SVMSolver) {
				c.SVMSolver = "mat"
			}
		})
		if err := Validate(c); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		text, err := json.Marshal(Settings(k.Complete(c)))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, new(Settings)); err != nil {
			t.Errorf("%s: %s: %v", k.Name, text, err)
		}
	}
}
