package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/registry"
	"rvflplus/internal/roles"
)

// What the shell completes: verbs and flags by cobra, words of a flag by completeWords, and here public data sets and
// the columns of the table that stands on the command line already.

// columnFlags are the flags whose values are lists of columns, or one column.
var columnFlags = []string{
	"target", "privileged", "normal", "drop", "categorical", "id", "weight", "group", "time", "columns", "by",
}

// completeTables makes the shell complete the arguments of a command, of which that at position data is a table: its
// public names once an @ is typed, files before; and names of its columns in flags that take columns. layout is how
// the command reads its files.
func completeTables(c *cobra.Command, data int, layout *layoutFlags) {
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) != data || !strings.HasPrefix(typed, "@") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return publicNames("@", typed), cobra.ShellCompDirectiveNoFileComp
	}
	columns := func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) <= data {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return beginningColumns(c.Context(), layout, args[data], typed),
			cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	for _, name := range columnFlags {
		if f := c.Flags().Lookup(name); f != nil && f.Value.Type() == "string" {
			_ = c.RegisterFlagCompletionFunc(name, columns)
		}
	}
}

// publicNames returns the public data sets whose names, after a prefix, begin as typed; after a colon their parts.
func publicNames(prefix, typed string) (names []string) {
	for _, e := range registry.Entries() {
		all := []string{prefix + e.Name}
		if strings.HasPrefix(typed, prefix+e.Name+":") {
			all = nil
			for _, part := range e.PartNames() {
				all = append(all, prefix+e.Name+":"+part)
			}
		}
		names = append(names, slices.DeleteFunc(all, func(name string) bool {
			return !strings.HasPrefix(name, typed)
		})...)
	}
	return names
}

// completionTime bounds the reading of a table whose columns are completed: somebody waits for the key.
const completionTime = 2 * time.Second

// beginningColumns returns the columns of the table at path that begin as the last name of a typed list does, each with
// the names before it. Errors complete nothing: the command tells them.
func beginningColumns(ctx context.Context, layout *layoutFlags, path, typed string) (completed []string) {
	if _, public := registry.Reference(path); !public {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return nil // reading a pipe would take what the command is to read
		}
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	t, err := layout.table(ctx, path, false)
	if err != nil {
		return nil
	}
	defer t.Close()
	begin := strings.LastIndex(typed, ",") + 1
	given := strings.Split(typed[:begin], ",")
	for _, name := range dataset.FieldNames(t.Fields()) {
		if written := roles.ByName([]string{name}); strings.HasPrefix(written, typed[begin:]) &&
			!slices.Contains(given, written) {
			completed = append(completed, typed[:begin]+written)
		}
	}
	return completed
}

// completeNames makes the shell complete names of public data sets, and files where the command takes them too.
func completeNames(c *cobra.Command, files bool) {
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		prefix := ""
		if strings.HasPrefix(typed, "@") {
			prefix = "@"
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if files {
			directive = cobra.ShellCompDirectiveDefault
		}
		return publicNames(prefix, typed), directive
	}
}

// mendCompletion makes the command completion an error for shells that it does not know, and makes its script for bash
// take a word such as @iris for one: bash breaks words at @, where it would complete names of hosts.
func (a *app) mendCompletion(c *cobra.Command) {
	c.Args = nil
	c.RunE, c.Run = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return fault.New(fault.Usage, "there is no completion for %q", args[0]).
			WithHint("write bash, zsh, fish or powershell")
	}, nil
	for _, shell := range c.Commands() {
		if write := shell.RunE; shell.Name() == "bash" {
			shell.RunE = func(c *cobra.Command, args []string) error {
				if err := write(c, args); err != nil {
					return err
				}
				_, err := fmt.Fprintln(a.stdout, "\nCOMP_WORDBREAKS=${COMP_WORDBREAKS//@}")
				return err
			}
		}
	}
}
