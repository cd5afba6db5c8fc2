package param

import (
	"slices"
	"testing"
)

func TestClassWeightsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, given := range [][]ClassWeight{
		nil, {{"yes", 5}}, {{"yes", 0.1}, {"no", 1e-30}}, {{"a,b", 2}, {`say "a=b"`, 3}, {" c ", 1. / 3}},
	} {
		text := FormatClassWeight(given)
		if got, err := ParseClassWeight(text); err != nil || !slices.Equal(got, given) {
			t.Errorf("%v is written %q and read %v, %v", given, text, got, err)
		}
	}
}
