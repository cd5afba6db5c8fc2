package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"rvflplus/fault"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/namelist"
	"rvflplus/internal/pipeline"
)

type exportOptions struct{ libsvm string }

func (a *app) exportCommand() *cobra.Command {
	var o exportOptions
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
		RunE: func(c *cobra.Command, args []string) error {
			if err := noEmptyNames(c); err != nil {
				return err
			}
			return a.export(c.Context(), args[0], &o)
		},
	}
	c.Flags().StringVar(&o.libsvm, "libsvm", "", "model file of LIBSVM to write")
	return c
}

type exportJSON struct {
	Model  string         `json:"model"`
	Output string         `json:"output"`
	Format string         `json:"format"`
	Labels map[string]int `json:"labels,omitempty"` // what stands for each class
	Notes  []string       `json:"notes"`
}

func (a *app) export(ctx context.Context, path string, o *exportOptions) error {
	if o.libsvm == "" {
		return fault.New(fault.Usage, "nothing to write").WithHint("name a file with --libsvm FILE")
	}
	if err := checkOutput(o.libsvm, path); err != nil {
		return err
	}
	m, err := modelfile.Load(path)
	if err != nil {
		return err
	}
	labels, err := modelfile.SaveLIBSVM(ctx, o.libsvm, m)
	if err != nil {
		return err
	}
	named := map[string]int{}
	for i, class := range m.Coder.Classes {
		named[class] = labels[i]
	}
	a.noteExport(m, labels)
	if a.json {
		return a.writeJSON(exportJSON{path, o.libsvm, "libsvm", named, orEmpty(a.notes)})
	}
	fmt.Fprintf(a.stdout, "model file of LIBSVM written to %s\n", o.libsvm)
	return nil
}

// noteExport says what a model file of LIBSVM does not.
func (a *app) noteExport(m *pipeline.Model, labels []int) {
	var renamed []string
	for i, class := range m.Coder.Classes {
		if class != strconv.Itoa(labels[i]) {
			renamed = append(renamed, fmt.Sprintf("%s is %d", class, labels[i]))
		}
	}
	if renamed != nil {
		a.note("classes by label: " + namelist.Abbreviate(renamed))
	}
	if m.Normal.Scale != "none" {
		a.note(fmt.Sprintf("the file holds features as --scale %s made them and nothing to make them so: svm-predict needs rows prepared alike", m.Normal.Scale))
	}
	for i, c := range m.Schema.Normal {
		if c.Name != fmt.Sprint("f", i+1) {
			a.note("features are numbered from 1 in the order of the model's columns: " + namelist.Abbreviate(columnNames(m.Schema.Normal)))
			break
		}
	}
}
