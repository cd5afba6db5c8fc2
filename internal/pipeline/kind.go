// Package pipeline joins preparation, target coding and an estimator into one
// model over tables: what training, prediction, evaluation and saving work on.
package pipeline

import (
	"errors"
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/target"
)

// Kind is one kind of model the pipeline can train.
type Kind struct {
	Name    string
	Summary string
	Priv    bool        // learns from privileged columns
	Kernel  bool        // has kernels instead of random layers
	Margin  bool        // a support vector machine: iterative, with bare kernels
	Task    target.Task // the only one it learns, "" for both
}

var kinds = []Kind{
	{Name: "rvfl", Summary: "random vector functional-link network"},
	{Name: "rvfl+", Summary: "RVFL with privileged columns", Priv: true},
	{Name: "krvfl", Summary: "kernel RVFL", Kernel: true},
	{Name: "krvfl+", Summary: "kernel RVFL with privileged columns", Priv: true, Kernel: true},
	{Name: "svm", Summary: "support vector classification", Kernel: true, Margin: true, Task: target.Classification},
	{Name: "svr", Summary: "support vector regression", Kernel: true, Margin: true, Task: target.Regression},
	{Name: "svm+", Summary: "support vector classification with privileged columns", Priv: true, Kernel: true, Margin: true, Task: target.Classification},
}

// Kinds lists the kinds that can be trained.
func Kinds() []Kind { return slices.Clone(kinds) }

// KindByName returns the kind called name, or a fault.Usage error.
func KindByName(name string) (Kind, error) {
	var names []string
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fault.Param("kind", "one of "+strings.Join(names, ", "), name)
}

// checkTask returns a fault.Usage error when a kind does not learn the task that
// was asked for.
func (k Kind) checkTask(task string) error {
	asked, err := target.ParseTask(task)
	if err != nil || asked == "" || k.Task == "" || asked == k.Task {
		return nil // other checks judge the name
	}
	return fault.New(fault.Usage, "kind %s learns a %s, not a %s", k.Name, k.Task, asked).WithHint("use -m %s", k.sibling())
}

// sibling returns the kind for the task that k does not learn.
func (k Kind) sibling() string {
	return map[string]string{"svm": "svr", "svr": "svm", "svm+": "krvfl+"}[k.Name]
}

// explain adds to the error of a target that is no class that another kind takes
// numbers.
func (k Kind) explain(err error, task string) error {
	var known *fault.Error
	if task == "" && k.Task == target.Classification && errors.As(err, &known) && known.Kind == fault.Data && strings.Contains(known.Hint, "--task regress") {
		return fault.New(fault.Data, "%w", err).WithHint("use -m %s for a regression; %s", k.sibling(), strings.TrimPrefix(known.Hint, "use --task regress, or "))
	}
	return err
}
