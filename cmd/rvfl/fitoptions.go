package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rvflplus/internal/kind"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
	"rvflplus/learn"
)

// fitOptions are the options of train and tune: the data, the kind with its hyper-parameters, and the model file.
type fitOptions struct {
	data     dataFlags
	model    modelFlags
	output   string
	keepPriv bool
	choose   bool // training chooses hyper-parameters
}

// add registers the flags of a verb that writes a model; with timed rows may be ordered in time.
func (o *fitOptions) add(c *cobra.Command, timed bool) {
	o.addSettings(c, timed)
	c.Flags().StringVarP(&o.output, "output", "o", "", "model file to write (default: none, only report)")
	c.Flags().BoolVar(&o.keepPriv, "keep-privileged", false, "store the privileged layer and weights too")
}

// addSettings registers the flags of the data and of the model, which --config may hold.
func (o *fitOptions) addSettings(c *cobra.Command, timed bool) {
	o.model.data = pflag.NewFlagSet("data", pflag.ContinueOnError)
	o.data.add(o.model.data)
	o.model.data.StringVar(&o.data.Group, "group", "", groupUsage)
	if timed {
		o.model.data.StringVar(&o.data.Time, "time", "", timeUsage)
	}
	c.Flags().AddFlagSet(o.model.data)
	o.model.add(c)
}

// config returns what the flags, the file of --config and a public data set say, before DATA is read.
func (o *fitOptions) config(a *app, c *cobra.Command, path string) (param.Config, kind.Kind, error) {
	entry, err := publicDataSet(path)
	if err == nil {
		err = o.model.readFile(c.Flags())
	}
	if err != nil {
		return param.Config{}, kind.Kind{}, err
	}
	hasPriv := o.data.Priv != "" || o.data.privData != "" || entry != nil && entry.Privileged() > 0
	config, k, err := o.model.resolve(a, c.Flags(), hasPriv, o.choose)
	if config.Task == "" {
		config.Task = o.data.task(entry)
	}
	config.AllowMissingPriv = o.data.allowMissing
	return config, k, err
}

// inputs lists the files that are read and must not be overwritten.
func (o *fitOptions) inputs(path string) []string {
	return []string{path, o.data.privData, o.data.targetData, o.data.unlabelled, o.model.path}
}

// fit trains a model and tells what happened meanwhile.
func (a *app) fit(
	ctx context.Context, data *roles.Data, c param.Config, loo learn.LeaveOneOut) (*pipeline.Model, error) {
	progress, end := a.progress()
	announce := func(text string) { a.note(text) }
	m, err := search.Train(ctx, data, c, pipeline.Options{LeaveOneOut: loo, Progress: progress, Announce: announce})
	end()
	if err == nil {
		a.note(worded(m.Report.Notes)...)
	}
	return m, err
}

// save tells the warnings of the fit and writes the model file, if -o names one.
func (o *fitOptions) save(ctx context.Context, a *app, m *pipeline.Model) error {
	a.say("warning", worded(m.Report.Warnings)...)
	if o.output == "" {
		a.note("no -o: the model was not saved")
		return nil
	}
	return modelfile.Save(ctx, o.output, m, o.keepPriv)
}

// pathOrNull returns what JSON says of a file: its path, or null if none was asked for.
func pathOrNull(path string) *string {
	if path == "" {
		return nil
	}
	return &path
}
