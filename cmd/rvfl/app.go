package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rvflplus/fault"
	"rvflplus/internal/namelist"
	"rvflplus/internal/param"
	"rvflplus/internal/postgres"
)

// Exit codes beside those of fault.Kind, which are 2 to 5.
const (
	codeInternal    = 1
	codeInterrupted = 130
)

const exitCodes = `Exit codes:
  0    done
  1    internal error
  2    wrong usage
  3    bad input data or model file
  4    not solved (singular, not converged)
  5    resource (memory, disk, database server)
  130  interrupted
`

// app is one run of the command.
type app struct {
	stdout  *checkedWriter
	stderr  io.Writer
	json    bool
	quiet   bool // no notes and no progress on stderr
	threads int
	notes   []string // what the user was told; never nil
	secrets postgres.Secrets
}

func newApp(stdout, stderr io.Writer) *app {
	return &app{stdout: &checkedWriter{w: stdout}, stderr: stderr, notes: []string{}, secrets: postgres.Secrets{}}
}

// execute runs a command line and returns its exit code.
func (a *app) execute(ctx context.Context, args []string) (code int) {
	defer func() {
		if cause := recover(); cause != nil {
			code = a.report(fmt.Errorf("panic: %v", cause))
		}
	}()
	shown, err := a.secrets.Hide(args) // before anything can put an argument into a message
	if err != nil {
		a.json = wantsJSON(args)
		return a.report(err)
	}
	root := a.rootCommand()
	root.SetArgs(joinValues(shown))
	err = root.ExecuteContext(ctx)
	if failure := a.stdout.failure(); failure != nil {
		err = failure
	}
	if err == nil {
		return 0
	}
	a.json = a.json || wantsJSON(args) // a flag error can come before --json is parsed
	return a.report(err)
}

// wantsJSON finds --json among arguments that may not have been parsed.
func wantsJSON(args []string) bool {
	for _, arg := range args {
		name, value, given := strings.Cut(arg, "=")
		if on, err := strconv.ParseBool(value); name == "--json" && (!given || err == nil && on) {
			return true
		}
	}
	return false
}

// joinValues writes --proba platt as --proba=platt: the parser takes a word after a flag that may stand alone for an
// argument. A word that is not accepted is joined too, unless it is a file, so that it is refused as what it is.
func joinValues(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		out = append(out, args[i])
		name, isFlag := strings.CutPrefix(args[i], "--")
		p := param.ByName(name)
		if isFlag && p != nil && p.About().Words != nil && p.About().Alone != "" && i+1 < len(args) &&
			isWordFor(p.About(), args[i+1]) {
			i++
			out[len(out)-1] += "=" + args[i]
		}
	}
	return out
}

// isWordFor reports whether an argument is meant as a word of the parameter: it is one, or letters and no file.
func isWordFor(about *param.About, arg string) bool {
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	if slices.Contains(about.Words, arg) || strings.ContainsFunc(arg, notLetter) {
		return slices.Contains(about.Words, arg)
	}
	_, err := os.Stat(arg)
	return err != nil
}

func (a *app) rootCommand() *cobra.Command {
	showVersion := false
	root := &cobra.Command{
		Use:   "rvfl",
		Short: "Learn with privileged information: RVFL+, KRVFL+ and their relatives",
		Long: `rvfl trains models that learn with privileged information: columns that exist
when a model is trained (a later lab result, a better sensor, an expert's note)
and not when it is used.

  rvfl demo                                                  see what it is about
  rvfl train DATA -y COL -p 'lab_*' -m krvfl+ -o model.rvfl  train
  rvfl tune DATA -y COL -p 'lab_*' -m krvfl+ -o model.rvfl   search hyper-parameters
  rvfl cv DATA -y COL -p 'lab_*'                             cross-validate
  rvfl advise DATA -y COL -p 'lab_*'                         see what privileged columns are good for
  rvfl compare DATA -y COL -p 'lab_*'                        see whether privileged columns help
  rvfl eval model.rvfl DATA                                  measure
  rvfl predict model.rvfl DATA                               use
  rvfl explain model.rvfl DATA                               see what each column is worth
  rvfl bound model.rvfl DATA                                 a bound on its risk
  rvfl export model.rvfl --libsvm FILE                       write it for LIBSVM
  rvfl data list                                             public data sets, as @NAME
  rvfl repro table4                                          the paper's experiments`,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if a.threads > 0 {
				runtime.GOMAXPROCS(a.threads)
			}
			return noEmptyNames(c)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if showVersion {
				return a.printVersion()
			}
			return c.Help()
		},
		Args: unknownVerb,
	}
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "show the version, as rvfl version does")
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.PersistentFlags().BoolVar(&a.json, "json", false, "write results as JSON on standard output")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no notes and no progress on standard error")
	wholeFlag(root.PersistentFlags(), &a.threads, "threads", 1, 1024,
		"threads to compute with; the result does not depend on it (default: all cores)")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpTemplate(root.HelpTemplate() + "\n" + exitCodes)
	root.AddCommand(
		a.trainCommand(), a.tuneCommand(), a.cvCommand(), a.adviseCommand(), a.compareCommand(), a.predictCommand(),
		a.evalCommand(), a.explainCommand(),
		a.boundCommand(), a.reproCommand(), a.inspectCommand(), a.exportCommand(), a.demoCommand(), a.dataCommand(),
		a.versionCommand())
	completeDatabases(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	a.refuseUnknownTopics(root)
	return root
}

// refuseUnknownTopics makes help and completion of something that does not exist an error. Cobra would print a help
// text and succeed.
func (a *app) refuseUnknownTopics(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.RunE, c.Run = func(_ *cobra.Command, args []string) error {
				topic, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return unknownVerb(root, args[len(args)-max(1, len(rest)):])
				}
				return topic.Help()
			}, nil
		case "completion":
			a.mendCompletion(c)
		}
	}
}

// noEmptyNames refuses flags that were given an empty file or column name, which would count as not given: a long run
// must not lose its result to -o "$UNSET".
func noEmptyNames(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && err == nil {
			err = fault.New(fault.Usage, "--%s is empty", f.Name).WithHint("give a value, or leave the flag out")
		}
	})
	return err
}

// unknownVerb refuses arguments of a command that has verbs, and suggests verbs that are spelt alike.
func unknownVerb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := fault.New(fault.Usage, "there is no verb %q", args[0])
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		path := c.CommandPath() + " "
		return e.WithHint("did you mean: %s", path+strings.Join(near, ", "+path))
	}
	return e.WithHint("%s --help lists the verbs", c.CommandPath())
}

// flagError turns pflag's errors into usage faults: "gamma must be > 0, got 0".
func flagError(c *cobra.Command, err error) error {
	hint := c.CommandPath() + " --help lists the flags"
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		var known *fault.Error
		if errors.As(errors.Unwrap(invalid), &known) {
			return known
		}
		cause := errors.Unwrap(invalid)
		var number *strconv.NumError
		if errors.As(cause, &number) {
			cause = number.Err
		}
		return fault.New(fault.Usage, "--%s: %q is not valid: %v", invalid.GetFlag().Name, invalid.GetValue(), cause).
			WithHint("%s", hint)
	}
	unknown := fault.New(fault.Usage, "%v", err)
	if near := nearestFlag(c, err); near != "" {
		return unknown.WithHint("did you mean --%s? %s", near, hint)
	}
	return unknown.WithHint("%s", hint)
}

// nearestFlag returns the flag that a misspelt one may have meant, "" if there is none. -target with one dash means
// --target.
func nearestFlag(c *cobra.Command, err error) string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return namelist.Nearest(cmp.Or(missing.GetSpecifiedShortnames(), missing.GetSpecifiedName()), names)
}

// arguments asks for exactly the named arguments.
func arguments(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fault.New(fault.Usage, "%s: the argument %s is missing", c.CommandPath(), names[len(args)]).
				WithHint("usage: %s", c.UseLine())
		case len(args) > len(names):
			return fault.New(fault.Usage, "%s: unexpected argument %q", c.CommandPath(), args[len(names)]).
				WithHint("usage: %s", c.UseLine())
		}
		return nil
	}
}

// report writes an error and returns its exit code.
func (a *app) report(err error) int {
	code, text, hint := codeInternal, err.Error(), "this is a bug: please report it with the command line"
	var known *fault.Error
	switch {
	case errors.Is(err, context.Canceled):
		code, text, hint = codeInterrupted, "interrupted", ""
	case errors.As(err, &known):
		code = int(known.Kind)
		text, hint = fault.Wording(err, inFlags)
		text = strings.ReplaceAll(text, "\n", "; ")
	}
	if a.json {
		_ = a.writeJSON(struct {
			Error string `json:"error"`
			Hint  string `json:"hint"`
			Code  int    `json:"code"`
		}{text, hint, code})
	}
	a.say("error", text)
	if hint != "" {
		a.say("hint", hint)
	}
	return code
}
