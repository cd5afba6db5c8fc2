package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rvflplus/activation"
	"rvflplus/fault"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/feature"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/prep"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/learn"
	"rvflplus/rvfl"
	"rvflplus/svmplus"
)

// modelFlags are the kind and its hyper-parameters.
type modelFlags struct {
	config     pipeline.Config
	correction string
	linear     bool
	center     bool
	kernel     map[string]*string // kernel parameters by flag name; "" when not given
	path       string             // --config
}

// groups tells to which kinds a flag applies; flags that are not listed apply to
// all.
var groups = map[string]func(pipeline.Kind) bool{
	"gamma": privKinds, "correction": func(k pipeline.Kind) bool { return privKinds(k) && closedKinds(k) }, "allow-missing-privileged": privKinds,
	"hidden": layerKinds, "u": layerKinds, "activation": layerKinds, "init": layerKinds,
	"priv-hidden": func(k pipeline.Kind) bool { return privKinds(k) && layerKinds(k) },
	"kernel":      kernelKinds, "width": kernelKinds, "degree": kernelKinds, "offset": kernelKinds,
	"dilation": kernelKinds, "frequency": kernelKinds,
	"priv-kernel": func(k pipeline.Kind) bool { return privKinds(k) && kernelKinds(k) },
	"linear":      closedKinds, "center": closedKinds, "solver": closedKinds,
	"tol": marginKinds, "max-iter": marginKinds,
	"svm-solver":   func(k pipeline.Kind) bool { return marginKinds(k) && privKinds(k) },
	"class-weight": func(k pipeline.Kind) bool { return marginKinds(k) && k.Task == target.Classification },
	"epsilon":      func(k pipeline.Kind) bool { return k.Name == "svr" },
	"priv-width":   func(k pipeline.Kind) bool { return privKinds(k) && kernelKinds(k) },
}

func privKinds(k pipeline.Kind) bool   { return k.Priv }
func kernelKinds(k pipeline.Kind) bool { return k.Kernel }
func marginKinds(k pipeline.Kind) bool { return k.Margin }
func closedKinds(k pipeline.Kind) bool { return !k.Margin }
func layerKinds(k pipeline.Kind) bool  { return !k.Kernel }

func (m *modelFlags) add(c *cobra.Command) {
	f := c.Flags()
	m.config = pipeline.Config{}.WithDefaults()
	m.config.PrivHidden, m.config.PrivKernel, m.config.Kind = 0, "", ""
	var names []string
	for _, k := range pipeline.Kinds() {
		names = append(names, k.Name)
	}
	m.choice(c, &m.config.Kind, "kind", "m", names, "what to train (default: rvfl+ with privileged columns, else rvfl)")
	m.choice(c, &m.config.Task, "task", "", []string{"classify", "regress", "classification", "regression"}, "what the target means (default: by its column)")
	m.number(f, &m.config.C, "C", "regularisation; the ridge is 1/C")
	m.number(f, &m.config.Gamma, "gamma", "weight of the privileged part: small lets it explain much, large little")
	m.correction = string(m.config.Correction)
	m.choice(c, &m.correction, "correction", "", words(learn.Corrections()), "right-hand side from privileged data")
	m.whole(f, &m.config.Hidden, "hidden", "enhancement nodes (rvfl kinds)")
	m.whole(f, &m.config.PrivHidden, "priv-hidden", "enhancement nodes of the privileged space (default: --hidden)")
	m.number(f, &m.config.U, "u", "scale of the random weights; biases lie in [0, u]")
	m.choice(c, &m.config.Activation, "activation", "", activation.Names(), "function of the enhancement nodes")
	m.choice(c, &m.config.Init, "init", "", feature.Inits(), "distribution of the random weights")
	f.Var(&epsilonValue{&m.config.Epsilon}, "epsilon", "errors up to this cost nothing, 0 or more (svr)")
	f.Var(&classWeightValue{&m.config.ClassWeight}, "class-weight", "what the classes' rows count as, beside --weight (svm, svm+): such as 'yes=5,no=1', or balanced (default: 1 each)")
	m.number(f, &m.config.Tol, "tol", "when a support vector machine counts as solved: its largest KKT violation (default 1e-3), of svm+ its relative duality gap (default 1e-6)")
	m.whole(f, &m.config.MaxIter, "max-iter", "iterations of one support vector machine (default 10,000,000, or 100 a row if that is more; of svm+ by solver)")
	m.choice(c, &m.config.SVMSolver, "svm-solver", "", svmplus.Solvers(), "solver of svm+: the first three solve one problem, fast another, and a third one with two linear kernels")
	m.choice(c, &m.config.Solver, "solver", "", rvfl.Solvers(), "closed form: auto takes the smaller system; pinv is rvfl without regularisation")
	m.addKernel(c)
	f.BoolVar(&m.linear, "linear", true, "direct links (rvfl kinds) or a linear kernel beside the named one (krvfl kinds; support vector machines have none)")
	f.BoolVar(&m.center, "center", true, "centre the targets of a regression, which gives an intercept")
	m.choice(c, &m.config.Encoding, "encoding", "", target.Encodings(), "one output a class, or one ±1 output for two classes")
	m.choice(c, &m.config.Scale, "scale", "", prep.Scales(), "preparation of each space: l1 and l2 divide each row by its norm")
	m.choice(c, &m.config.Impute, "impute", "", prep.Imputes(), "what fills missing cells")
	m.addUncertainty(c)
	f.Uint64Var(&m.config.Seed, "seed", 0, "seed of everything random")
	f.StringVar(&m.path, "config", "", "JSON file of these flags (underscores for dashes); flags on the command line win")
}

func words[T ~string](v []T) []string {
	var out []string
	for _, w := range v {
		out = append(out, string(w))
	}
	return out
}

func (m *modelFlags) choice(c *cobra.Command, dst *string, name, short string, words []string, usage string) {
	c.Flags().VarP(&choiceValue{dst, name, words}, name, short, usage+": "+strings.Join(words, ", "))
	// The name was registered on the line above, so this cannot fail.
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func (m *modelFlags) number(f *pflag.FlagSet, dst *float64, name, usage string) {
	f.Var(&floatValue{dst, name}, name, usage)
}

func (m *modelFlags) whole(f *pflag.FlagSet, dst *int, name, usage string) {
	f.Var(&intValue{dst, name, 1, math.MaxInt32}, name, usage)
}

func (m *modelFlags) addUncertainty(c *cobra.Command) {
	m.choice(c, &m.config.Proba, "proba", "", calibrate.Methods(), "keep class probabilities, fitted to exact leave-one-out scores (svm, svm+: to scores for rows left out in five folds; svm: platt only)")
	c.Flags().BoolVar(&m.config.Intervals, "intervals", false, "keep what prediction intervals need (regression): jackknife+, above 5,000 rows the plain jackknife")
	c.Flags().BoolVar(&m.config.Std, "std", false, "keep the standard deviation of the Gaussian process (regression, krvfl kinds)")
}

func (m *modelFlags) addKernel(c *cobra.Command) {
	f := c.Flags()
	f.Var(&kernelText{&m.config.Kernel}, "kernel", "kernel, or a sum such as rbf:width=2+poly:degree=3: "+strings.Join(kernel.Names(), ", "))
	f.Var(&kernelText{&m.config.PrivKernel}, "priv-kernel", "kernel of the privileged space (default: --kernel)")
	_ = c.RegisterFlagCompletionFunc("kernel", cobra.FixedCompletions(kernel.Names(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("priv-kernel", cobra.FixedCompletions(kernel.Names(), cobra.ShellCompDirectiveNoFileComp))
	m.kernel = map[string]*string{}
	for _, p := range []struct{ flag, param, usage string }{
		{"width", "width", "width of rbf, wavelet, laplacian and chi2 (default auto: the median distance of the rows)"},
		{"priv-width", "width", "width in the privileged space (default auto)"},
		{"degree", "degree", "degree of poly (default 3)"},
		{"offset", "offset", "offset of poly (default 1)"},
		{"dilation", "dilation", "dilation of wavelet (default 1)"},
		{"frequency", "frequency", "frequency of wavelet (default 1.75)"},
	} {
		m.kernel[p.flag] = new(string)
		f.Var(&kernelParam{m.kernel[p.flag], p.flag, p.param}, p.flag, p.usage)
	}
}

// resolve returns the config that the flags and --config spell; hasPriv chooses
// the default kind. Flags that do not apply to the kind are noted.
func (m *modelFlags) resolve(a *app, f *pflag.FlagSet, hasPriv bool) (pipeline.Config, error) {
	if err := m.readConfig(a, f); err != nil {
		return pipeline.Config{}, err
	}
	if m.config.Kind == "" {
		m.config.Kind = "rvfl"
		if hasPriv {
			m.config.Kind = "rvfl+"
		}
	}
	kind, err := pipeline.KindByName(m.config.Kind)
	if err != nil {
		return pipeline.Config{}, err
	}
	if kind.Kernel && !kind.Margin && (m.config.Solver == "primal" || m.config.Solver == "pinv") {
		return pipeline.Config{}, fault.New(fault.Usage, "--solver %s does not exist for kind %s: kernels are solved in the dual", m.config.Solver, kind.Name).
			WithHint("leave --solver out, or use -m rvfl+ or -m rvfl")
	}
	f.Visit(func(flag *pflag.Flag) {
		if applies := groups[flag.Name]; applies != nil && !applies(kind) {
			a.note(fmt.Sprintf("--%s does not apply to kind %s and is not used", flag.Name, kind.Name))
		}
	})
	if m.config.Solver == "pinv" && f.Changed("C") {
		a.note("--C does not apply to --solver pinv, which has no regularisation, and is not used")
	}
	c := m.config
	c.Correction, c.NoLinear, c.NoCenter = learn.Correction(m.correction), !m.linear, !m.center
	privText := c.PrivKernel
	if privText == "" {
		privText = c.Kernel
	}
	if c.Kernel, err = m.kernelSpec(c.Kernel, *m.kernel["width"]); err != nil {
		return c, err
	}
	c.PrivKernel, err = m.kernelSpec(privText, *m.kernel["priv-width"])
	return c, err
}

// kernelSpec fills in the parameters that a kernel's text does not give.
func (m *modelFlags) kernelSpec(text, width string) (string, error) {
	spec, err := kernel.Parse(text)
	if err != nil {
		return "", err
	}
	values := map[string]string{"width": width}
	for _, name := range []string{"degree", "offset", "dilation", "frequency"} {
		values[name] = *m.kernel[name]
	}
	for i := range spec {
		for name, value := range values {
			if _, given := spec[i].Params[name]; given || value == "" || !spec[i].Has(name) {
				continue
			}
			if err := spec[i].SetText(name, value); err != nil {
				return "", err
			}
		}
	}
	return spec.String(), nil
}

// readConfig sets the flags that --config gives and the command line does not.
// The file may be the "config" of rvfl train --json, or a whole answer of train or tune.
func (m *modelFlags) readConfig(a *app, f *pflag.FlagSet) error {
	if m.path == "" {
		return nil
	}
	settings, err := m.settings()
	if err != nil {
		return err
	}
	if err := setAll(f, settings); err != nil {
		return fault.New(fault.Usage, "--config %s: %w", m.path, err).WithHint("%s", fault.HintOf(err))
	}
	return nil
}

// settings reads the file of --config.
func (m *modelFlags) settings() (map[string]json.RawMessage, error) {
	data, err := os.ReadFile(m.path)
	if err != nil {
		return nil, fault.New(fault.Usage, "--config: %w", err)
	}
	settings, err := settingsOf(data)
	if err != nil {
		return nil, fault.New(fault.Usage, "--config %s: not a JSON object", m.path).WithHint(`write a JSON object such as {"kind": "krvfl+", "C": 10}`)
	}
	return settings, nil
}

// settingsOf finds the settings in a JSON object: itself, or the "config" of an answer
// of train, of a trial, or of the best trial of tune.
func settingsOf(data []byte) (settings map[string]json.RawMessage, err error) {
	for _, inside := range []string{"best", "config", ""} {
		settings = nil
		if err := json.Unmarshal(data, &settings); err != nil {
			return nil, err
		}
		if settings == nil {
			return nil, errors.New("null")
		}
		if settings[inside] != nil {
			data = settings[inside]
		}
	}
	return settings, nil
}

// apply sets the flags to a JSON object of settings.
func (m *modelFlags) apply(f *pflag.FlagSet, data []byte) error {
	settings, err := settingsOf(data)
	if err != nil {
		return fault.New(fault.Usage, "not a JSON object")
	}
	return setAll(f, settings)
}

func setAll(f *pflag.FlagSet, settings map[string]json.RawMessage) error {
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if err := setFromConfig(f, key, settings[key]); err != nil {
			return err
		}
	}
	return nil
}

// keyOf returns the name that a flag has in a config.
func keyOf(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// notInConfig are flags that say which data, not which model.
var notInConfig = []string{"config", "json", "threads", "help", "output", "loo", "keep-privileged",
	"trials", "cv", "strategy", "score", "folds", "repeats", "group", "validation", "candidates", "refit-preparation", "plot"}

func setFromConfig(f *pflag.FlagSet, key string, value json.RawMessage) error {
	name := strings.ReplaceAll(key, "_", "-")
	flag := f.Lookup(name)
	if flag == nil || slices.Contains(notInConfig, name) || dataFlagNames[name] {
		return fault.New(fault.Usage, "there is no setting %q", key)
	}
	if flag.Changed {
		return nil
	}
	text := string(value)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	if err := flag.Value.Set(text); err != nil {
		var known *fault.Error
		if errors.As(err, &known) {
			return known
		}
		return fault.New(fault.Usage, "%s: %w", key, err)
	}
	return nil
}

// dataFlagNames are the names of dataFlags.
var dataFlagNames = func() map[string]bool {
	names := map[string]bool{}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(dataFlags).add(f)
	f.VisitAll(func(flag *pflag.Flag) { names[flag.Name] = true })
	return names
}()
