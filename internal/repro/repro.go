// Package repro runs the experiments of the RVFL+ paper (Zhang and Yang, Neural Networks 122, 2020) on the real
// data and puts the paper's numbers beside the measured ones. A table or figure is data: its data sets, methods and
// protocols, and the numbers that the paper prints. One runner works on all of them:
//
//   - plan.go picks the cells (a method on a data set under a protocol) that are to be filled;
//   - run.go fills them trial by trial and keeps finished trials (cells.go, fingerprint.go);
//   - job.go and choose.go make one trial: choose settings, train, measure on test rows;
//   - conclude.go, findings.go and remarks.go compare the cells with the paper, and pairs.go with each other;
//   - json.go writes a result and read.go reads it back;
//   - gains.go and gainfindings.go are an experiment of this project's own: what methods gain by privileged columns
//     over the KRVFL without them;
//   - readings.go is another: which reading of what the paper leaves open comes nearest to its numbers;
//   - document.go lays a result out for a terminal (text.go), Markdown (markdown.go) and a page (page.go).
package repro

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"rvflplus/dataset"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/registry"
)

// Experiment is a table or figure of the paper.
type Experiment struct {
	Name      string     // table4, figure3a, gains
	Title     string     // what it shows, in a few words
	Metric    string     // accuracy, in percent, rmse, or points; "" where nothing is trained
	Trials    int        // of a cell where none are asked for; 0 for 10
	Noise     bool       // tables 7 and 8: 10 dBW on all features, the clean ones privileged
	Protocols []Protocol // that it is run under, in order
	Datasets  []Dataset  // the rows
	Methods   []Method   // the columns
	// Sweep is what a figure varies; nil for tables.
	Sweep *Sweep
	// Numbers names the table of the paper whose numbers the cells stand beside, where it is not the experiment itself.
	Numbers string
}

// Protocol says how models are prepared, chosen and measured.
type Protocol struct {
	Name  string // "published", "ours", or that of a reading
	Title string // one plain sentence
	Scale string // see prep.Scales; each space by itself
	// Choice is how settings are scored: on "validation" rows, in "folds" (as many as the data set says) or by "loo",
	// leave-one-out in closed form. Support vector machines have no such form and take folds for "loo".
	Choice   string
	Draws    Draws
	Gamma    float64 // γ of KRVFL+; 0: drawn as for the other methods
	OneWidth bool    // the kernels of KRVFL+ have the same width in both spaces
	Center   bool    // targets of regressions are centred

	// Of is the protocol that a reading of the paper belongs to, "" for a protocol that is none; Reading is what it
	// takes the paper to mean. See readings.go.
	Of      string  `json:"-"`
	Reading Reading `json:",omitzero"`
}

// family is the protocol's name or, of a reading, that of the protocol it belongs to.
func (p *Protocol) family() string { return cmp.Or(p.Of, p.Name) }

// Draws is how many settings are drawn for a method, by its kind. Methods with and without privileged columns have
// equally many.
type Draws struct {
	Kernel int `json:"kernel"`
	Layer  int `json:"layer"`
	Margin int `json:"margin"`
	// ManyRows takes the place of Kernel where settings are chosen on a part of the training rows; 0 keeps Kernel.
	ManyRows int `json:"kernel_many_rows,omitempty"`
}

// alike draws as many settings for every kind.
func alike(n int) Draws { return Draws{Kernel: n, Layer: n, Margin: n} }

// Dataset is a row of an experiment.
type Dataset struct {
	Name  string // the paper's word
	Entry string // in the registry
	// Group renames classes, by their old names; nil keeps the names.
	Group map[string]string
	Note  string // what a reader should know of this row
	// Train, Validation, Test and Folds are the paper's numbers of rows and of folds, as far as the data allow.
	Train, Validation, Test, Folds int
	// Fixed takes the published training, validation and test rows in every trial, Published in the first one.
	// Otherwise a trial draws its rows from all rows, with the same mixture of classes.
	Fixed, Published bool
	// Once chooses settings in the first trial only, instead of anew in each trial. TuneRows is the number of training
	// rows that settings are chosen on, drawn with the same mixture of classes; MarginTuneRows is the number for
	// support vector machines. 0 takes all rows.
	Once                     bool `json:",omitempty"`
	TuneRows, MarginTuneRows int
	// KernelTrials bounds the trials of methods with an N×N system, by the names of protocols; nil means all. With
	// such a bound, some methods that are not in the paper are left out: those that see all columns, and where the
	// bound is 1 the others too, because one trial is no comparison.
	KernelTrials map[string]int `json:",omitempty"`
	// Else is run in its place where the data set is not at hand; nil for nothing.
	Else *Dataset `json:"-"`

	// What follows is of gains.go. Roles take the place of the registry's, Task that of its task, and Part names the
	// rows that a trial draws from, "" for all. A trial draws Unlabelled rows beside Train, whose targets it hides.
	Roles      *dataset.Selection `json:",omitempty"`
	Task       string             `json:",omitempty"`
	Part       string             `json:",omitempty"`
	Unlabelled int                `json:",omitempty"`
	Parity     bool               `json:",omitempty"` // methods of Parity are run too, on networks of few nodes
}

// Method is a column of an experiment.
type Method struct {
	Name       string // the paper's word: "KRVFL+", "Fast SVM+"
	Kernel     string // the paper's word: "Gaussian kernel"; "" for random layers
	Activation string // the paper's word: "Triangular basis"; "" for kernels
	Config     param.Config
	// ChosenWith, when not "", is the SVM+ solver that settings are chosen with. It solves the same problem as
	// Config.SVMSolver, which then only trains with the chosen settings.
	ChosenWith string
	// SameAs names a method that predicts the same classes: under one-hot coding the correction adds the same to every
	// output. Classifications show the trials of that method.
	SameAs     string
	AllColumns bool // the model sees all columns: privileged ones count as normal ones
	Ours       bool // not in the paper
	Limited    bool // cut off at the runner's limit
	// OnceTrials bounds the trials on data sets whose settings are chosen once; 0 means all.
	OnceTrials int
	// Own names the method of package lupi that is trained; it chooses its settings itself, on the training rows.
	// LabelledOnly leaves rows without a target out of its training, and Parity leaves the method to data sets of
	// Parity.
	Own                  string
	LabelledOnly, Parity bool
}

// kind returns the kind of the method's models.
func (m *Method) kind() kind.Kind {
	k, err := kind.ByName(m.Config.Kind)
	if err != nil {
		panic("repro: a method: " + err.Error())
	}
	return k
}

// key names the method's cell.
func (m *Method) key(protocol, dataset string) Key {
	return Key{Protocol: protocol, Dataset: dataset, Method: m.Name, Kernel: m.Kernel, Activation: m.Activation}
}

// Sweep is the grid of a figure: one hyper-parameter or two, and their values.
type Sweep struct {
	X, Y             string // "C", "gamma", "width"; Y is "" for a curve
	XValues, YValues []float64
	// Over names hyper-parameters with their values: every point shows the best of these settings.
	Over map[string][]float64
}

// Published is a number of the paper.
type Published struct {
	Value   float64
	SD      float64 // NaN where none is printed
	Seconds float64 // NaN where none is printed
	Over    bool    // printed as "> Seconds"
}

// Key names a cell of an experiment.
type Key struct {
	Protocol string `json:"protocol"`
	Dataset  string `json:"dataset"`
	Method   string `json:"method"`
	// One of the two, in the paper's words.
	Kernel     string `json:"kernel,omitempty"`
	Activation string `json:"activation,omitempty"`
}

// Cell is one method on one data set under one protocol.
type Cell struct {
	Key
	Trials []Trial
	// Stopped says why there are fewer trials than asked for: the time limit, a missing data set, a fit that has no
	// solution. It is "" if all trials are there.
	Stopped string
	Limit   float64 // seconds, when the time limit stopped it, with or without trials
	// TestRows is the number of test rows of a trial where the metric is a share of rows; otherwise 0.
	TestRows int
	// SameAs names the method whose trials these are, because both predict the same.
	SameAs string
	Notes  []string // how it was run, where it was run otherwise than most cells
	Spent  float64  // seconds of everything, loading and predicting too
	// Otherwise says in which way the cell is not the paper's by design, "" for most cells; Notes tell more.
	Otherwise string
	Paper     *Published
	Ours      bool   // the method is not in the paper
	Best      bool   // of its data set and protocol
	Remark    string // why it differs from the paper, when it does by more than two standard errors
}

// Trial is one split, or one drawing of random layers, of a cell.
type Trial struct {
	Value       float64       `json:"value"`        // the metric on test rows
	Seconds     float64       `json:"seconds"`      // of training with the chosen settings
	TuneSeconds float64       `json:"tune_seconds"` // of choosing them; 0 when an earlier trial did
	Score       float64       `json:"score"`        // of the chosen settings
	Config      param.Config  `json:"config"`       // as it was chosen
	Settings    kind.Settings `json:"settings"`     // as it was trained
	Solver      string        `json:"solver"`
	// Shares, of the tuned KRVFL of gains.go, are what the training rows tell of their privileged columns.
	Shares *lossRatios `json:"shares,omitempty"`
}

// Mean returns the mean of the trials' values, NaN without any.
func (c *Cell) Mean() float64 { return c.mean(func(t Trial) float64 { return t.Value }) }

// Seconds returns the mean time of training, NaN without trials.
func (c *Cell) Seconds() float64 { return c.mean(func(t Trial) float64 { return t.Seconds }) }

func (c *Cell) mean(of func(Trial) float64) float64 {
	return total(c.Trials, of) / float64(len(c.Trials))
}

func total(trials []Trial, of func(Trial) float64) float64 {
	sum := 0.0
	for _, t := range trials {
		sum += of(t)
	}
	return sum
}

// SD returns the standard deviation of the trials' values, NaN for fewer than two.
func (c *Cell) SD() float64 {
	if len(c.Trials) < 2 {
		return math.NaN()
	}
	mean, sum := c.Mean(), 0.0
	for _, t := range c.Trials {
		sum += (t.Value - mean) * (t.Value - mean)
	}
	return math.Sqrt(sum / float64(len(c.Trials)-1))
}

// StandardError returns the standard error of the mean over trials. Trials without spread (a single one, or trials
// without chance) have the standard error of a share of TestRows rows, NaN where TestRows is 0.
func (c *Cell) StandardError() float64 {
	n := float64(len(c.Trials))
	if sd := c.SD(); sd > 0 {
		return sd / math.Sqrt(n)
	}
	if c.TestRows == 0 {
		return math.NaN()
	}
	p := c.Mean() / 100
	return 100 * math.Sqrt(p*(1-p)/float64(c.TestRows))
}

// Differs reports whether the mean is more than two standard errors from the paper's number.
func (c *Cell) Differs() bool {
	return c.Paper != nil && math.Abs(c.Mean()-c.Paper.Value) > c.twoErrors()
}

// twoErrors returns two standard errors of the mean, or more of them where the spread of few trials tells little.
func (c *Cell) twoErrors() float64 {
	if c.SD() > 0 {
		return manyErrors(len(c.Trials)) * c.StandardError()
	}
	return 2 * c.StandardError()
}

// manyErrors returns how many standard errors of n values count as two: for two to four values as many as 95 % of
// Student's distribution lie within.
func manyErrors(n int) float64 {
	if n < 2 || n > 4 {
		return 2
	}
	return distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
}

// Result is an experiment as it was run here.
type Result struct {
	Experiment *Experiment
	Protocol   string // "published", "ours" or "both"
	Cells      []*Cell
	Statistics []registry.PaperRow // of tables 3 and 5
	Points     []Point             // of figures
	Gains      []Gain              // of gains.go
	Nearest    []Nearest           // of readings.go, by method and data set
	Overall    []Overall           // of readings.go, the readings over all data sets
	Findings   []string            // plain sentences
	Run        Run
}

// Point is a point of a figure.
type Point struct {
	Protocol string  `json:"protocol"`
	X        float64 `json:"x"`
	Y        float64 `json:"y,omitempty"`
	Value    float64 `json:"value"` // the metric on the rows of choice
}

// Run says how a result came about.
type Run struct {
	Seed    uint64  `json:"seed"`
	Trials  int     `json:"trials"`
	Draws   int     `json:"draws"`
	Quick   bool    `json:"quick"`
	Shard   string  `json:"shard,omitempty"`      // "i/n" where other machines fill the rest of the cells
	Left    int     `json:"cells_left,omitempty"` // cells, and figures, that are left to them
	Version string  `json:"version"`              // of the program, with its commit where that is known
	Machine string  `json:"machine"`              // processor, cores, operating system, Go
	Seconds float64 `json:"seconds"`              // of the cells, including those that were kept
	// Command is the command line that made the report; "" without a report.
	Command string `json:"command,omitempty"`
	// Kept lists other programs and machines that filled some of the cells.
	Kept []string `json:"kept_from,omitempty"`
}
