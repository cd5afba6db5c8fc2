package main

import "github.com/spf13/cobra"

func (a *app) dataCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "data",
		Short: "List, fetch, describe, convert and split data sets, add later values",
		Long: `Public data sets have names: wherever a command takes a table, @NAME is the data
set of that name and @NAME:PART a published part of it. They are not part of this
program: rvfl data fetch downloads them from their publishers and checks them.

  rvfl data list                         what there is
  rvfl data fetch iris                   download it
  rvfl data show iris                    what is in it; also for files of your own
  rvfl train @iris -m krvfl+             use it`,
		RunE: func(c *cobra.Command, args []string) error { return c.Help() },
		Args: unknownVerb,
	}
	c.SuggestionsMinimumDistance = 2
	c.AddCommand(a.listCommand(), a.showCommand(), a.fetchCommand(), a.convertCommand(), a.splitCommand(),
		a.leadCommand())
	return c
}
