package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"rvflplus/internal/modelfile"
)

// version is the released version, or the next one.
const version = "0.1.0"

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  arguments(),
		RunE:  func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if a.json {
		return a.writeJSON(map[string]string{
			"version": version, "model_format": modelfile.Version, "go": runtime.Version(), "platform": platform,
		})
	}
	_, err := fmt.Fprintf(a.stdout, "rvfl %s (model format %s, %s, %s)\n",
		version, modelfile.Version, runtime.Version(), platform)
	return err
}
