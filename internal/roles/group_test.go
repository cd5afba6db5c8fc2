package roles

import (
	"errors"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
)

func TestTheGroupIsNoFeature(t *testing.T) {
	names := []string{"a", "who", "y", "b"}
	r, err := Resolve(dataset.Selection{Target: "y", Group: "who"}, names)
	if err != nil || r.Group != 1 || len(r.Normal) != 2 || r.readAs(4)[1] != dataset.Text {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Resolve(dataset.Selection{Target: "y", Group: "a,b"}, names); !errors.Is(err, fault.Usage) {
		t.Errorf("two columns: %v", err)
	}
	if moved := r.moved(func(i int) int { return i + 3 }); moved.Group != 4 {
		t.Errorf("moved to %d", moved.Group)
	}
}
