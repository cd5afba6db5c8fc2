package fault

import (
	"errors"
	"fmt"
	"testing"
)

var flags = Speller{
	Name:    func(n Name) string { return "--" + string(n) },
	Setting: func(s Setting) string { return "--" + string(s.Name) + " " + s.Value },
}

// Messages name parameters; a program words them as its flags, however the error is wrapped.
func TestWording(t *testing.T) {
	inner := New(Usage, "%s applies to a %s", Name("proba"), "classification").
		WithHint("use %s or a smaller %s", Set("impute", "mean"), Name("C"))
	for what, c := range map[string]struct {
		err                  error
		plain, message, hint string
	}{
		"alone": {inner, "proba applies to a classification", "--proba applies to a classification",
			"use --impute mean or a smaller --C"},
		"wrapped": {fmt.Errorf("row 3: %w", inner), "row 3: proba applies to a classification",
			"row 3: --proba applies to a classification", "use --impute mean or a smaller --C"},
		"in a fault": {New(Data, "file %q: %w", "a", inner), `file "a": proba applies to a classification`,
			`file "a": --proba applies to a classification`, ""},
		"joined": {errors.Join(New(Usage, "no"), inner), "no\nproba applies to a classification",
			"no\n--proba applies to a classification", ""},
		"without names": {New(Data, "100 %% of %d", 7).WithHint("none"), "100 % of 7", "100 % of 7", "none"},
		"no fault":      {errors.New("broken"), "broken", "broken", ""},
		"by hand":       {&Error{Kind: Usage, Msg: "own", Hint: "do"}, "own", "own", "do"},
	} {
		message, hint := Wording(c.err, flags)
		if c.err.Error() != c.plain || message != c.message || hint != c.hint {
			t.Errorf("%s: %q, worded %q, hint %q", what, c.err, message, hint)
		}
	}
	if got := HintOf(inner); got != "use impute=mean or a smaller C" {
		t.Errorf("hint %q", got)
	}
}
