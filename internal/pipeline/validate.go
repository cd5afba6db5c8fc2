package pipeline

import (
	"errors"

	"rvflplus/fault"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/prep"
	"rvflplus/internal/target"
)

// Validate returns a fault.Usage error that names every value of c out of its range and
// every parameter that its kind cannot honour.
func Validate(c param.Config) error {
	k, err := kind.ByName(c.Kind)
	if err != nil {
		return err
	}
	preparation := prep.Options{Impute: c.Impute, MissingIndicator: c.MissingIndicator}
	return errors.Join(kind.Validate(c), preparation.Validate(), checkTask(k, c.Task), validateUncertainty(k, c))
}

// checkTask returns a fault.Usage error when a kind does not learn the task that was
// asked for.
func checkTask(k kind.Kind, task string) error {
	asked, err := target.ParseTask(task)
	if err != nil || asked == "" || k.Task == "" || asked == k.Task {
		return nil // other checks judge the name
	}
	return fault.New(fault.Usage, "kind %s learns a %s, not a %s", k.Name, k.Task, asked).
		WithHint("use %s", fault.Set("kind", k.OtherTask))
}

func validateUncertainty(k kind.Kind, c param.Config) error {
	switch {
	case !k.ClosedForm && c.Intervals:
		return fault.New(fault.Usage, "kind %s has no exact leave-one-out, which %s needs", k.Name,
			fault.Name("intervals")).
			WithHint("leave it out, or use %s or krvfl+", fault.Set("kind", "krvfl"))
	case c.Proba != "" && k.Task == target.Regression:
		return fault.New(fault.Usage, "%s applies to a classification, kind %s learns a regression",
			fault.Name("proba"), k.Name).
			WithHint("leave it out, or use %s %s", fault.Set("kind", "krvfl"), fault.Name("intervals"))
	case k.OwnProba && c.Proba == string(calibrate.Isotonic):
		return fault.New(fault.Usage, "kind %s has no %s: its curves are of pairs of classes", k.Name,
			fault.Set("proba", "isotonic")).
			WithHint("use %s", fault.Set("proba", "platt"))
	case c.Std && !k.Posterior:
		return fault.New(fault.Usage, "kind %s has no standard deviation: it is that of a Gaussian process", k.Name).
			WithHint("use %s or krvfl+, or %s", fault.Set("kind", "krvfl"), fault.Name("intervals"))
	}
	return nil
}
