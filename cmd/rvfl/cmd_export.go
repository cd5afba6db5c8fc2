package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"rvflplus/fault"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/namelist"
)

func (a *app) exportCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "export MODEL --libsvm FILE",
		Short: "Write a model for another program",
		Long: `Write a model of kind svm or svr (kernels linear, rbf and poly) as a model file of
LIBSVM, with the probabilities of --proba, for svm-predict. Such a file has no
preparation of features: train with --scale none, or prepare what svm-predict is
given as the model does (rvfl inspect). Classes that are no whole numbers become 1, 2, …

The other way needs no verb: predict, eval and inspect read model files of LIBSVM.`,
		Example: `  rvfl train train.libsvm -m svm --scale none -o m.rvfl
  rvfl export m.rvfl --libsvm m.model
  svm-predict test.libsvm m.model predictions.txt`,
		Args: arguments("MODEL"),
		RunE: func(c *cobra.Command, args []string) error { return a.export(c.Context(), args[0], output) },
	}
	c.Flags().StringVar(&output, "libsvm", "", "model file of LIBSVM to write")
	return c
}

type exportJSON struct {
	Model  string         `json:"model"`
	Output string         `json:"output"`
	Format string         `json:"format"`
	Labels map[string]int `json:"labels,omitempty"` // what stands for each class
	Notes  []string       `json:"notes"`
}

func (a *app) export(ctx context.Context, path, output string) error {
	if output == "" {
		return fault.New(fault.Usage, "nothing to write").WithHint("name a file with --libsvm FILE")
	}
	if err := checkOutput(output, path); err != nil {
		return err
	}
	m, err := modelfile.Load(path)
	if err != nil {
		return err
	}
	labels, err := modelfile.SaveLIBSVM(ctx, output, m)
	if err != nil {
		return err
	}

	// The notes say what a model file of LIBSVM does not.
	labelOf := map[string]int{}
	var renamed []string
	for i, class := range m.Coder.Classes {
		labelOf[class] = labels[i]
		if class != strconv.Itoa(labels[i]) {
			renamed = append(renamed, fmt.Sprintf("%s is %d", class, labels[i]))
		}
	}
	if renamed != nil {
		a.note("classes by label: " + namelist.Abbreviate(renamed))
	}
	if m.Normal.Scale != "none" {
		a.note(fmt.Sprintf("the file holds features as --scale %s made them and nothing to make them so: "+
			"svm-predict needs rows prepared alike", m.Normal.Scale))
	}
	for i, c := range m.Schema.Normal {
		if c.Name != fmt.Sprint("f", i+1) {
			a.note("features are numbered from 1 in the order of the model's columns: " +
				namelist.Abbreviate(columnNames(m.Schema.Normal)))
			break
		}
	}
	if a.json {
		return a.writeJSON(exportJSON{path, output, "libsvm", labelOf, a.notes})
	}
	_, err = fmt.Fprintf(a.stdout, "model file of LIBSVM written to %s\n", output)
	return err
}
