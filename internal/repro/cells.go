package repro

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/pipeline"
)

// revision changes when cells of an older program must not be used any more: when code or
// a constant changes numbers that what identity holds does not tell of.
const revision = 2

// solverRevisions adds to revision where only the numbers of a solver of support vector
// machines changed.
var solverRevisions = map[string]int{"fast": 1}

// identity is what determines the numbers of a cell beside the program itself, but for
// the number of trials where they are kept one by one.
type identity struct {
	Revision int
	Noise    bool
	Metric   string
	Protocol Protocol
	Dataset  Dataset
	Config   pipeline.Config
	Fixed    []string
	With     string // Method.ChosenWith
	All      bool   // Method.AllColumns
	Sweep    *Sweep
	Trials   int // of a figure, whose points are means
	Seed     uint64
	Sums     []string // of the data's files
}

// name returns the file name of a cell: words for people and a hash of its identity.
// asked is the number of trials.
func (j *job) name(seed uint64, asked int) string {
	id := identity{
		Revision: revision + solverRevisions[j.method.Config.SVMSolver], Noise: j.experiment.Noise, Metric: j.experiment.Metric, Protocol: j.protocol, Dataset: j.dataset,
		Config: j.method.Config, Fixed: j.method.Fixed, With: j.method.ChosenWith, All: j.method.AllColumns, Sweep: j.experiment.Sweep, Seed: seed,
	}
	id.Dataset.KernelTrials = nil
	if id.Protocol.Title, id.Dataset.Name, id.Dataset.Note = "", "", ""; id.Sweep != nil {
		id.Trials = j.trials(asked)
	}
	for _, f := range entry(j.dataset.Entry).Files() {
		id.Sums = append(id.Sums, f.SHA256()+f.Sum.Git)
	}
	text, err := json.Marshal(id)
	if err != nil {
		panic("repro: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return fileName(j.protocol.Name+" "+j.dataset.Entry+" "+j.method.Config.Kind+" "+j.method.Config.SVMSolver) + "-" + hex.EncodeToString(sum[:8]) + ".json"
}

// words names a cell for people.
func (j *job) words() string {
	return strings.Join([]string{j.experiment.Name, j.protocol.Name, j.dataset.Name, j.method.Name, j.method.Kernel + j.method.Activation}, ", ")
}

// fileName keeps letters, digits and signs that every file system takes.
func fileName(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '+', r == '-':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.ToLower(text))
}

// kept is the file of a cell.
type kept struct {
	Version string            `json:"version"`           // of the program and the machine of the last trial
	Earlier []string          `json:"earlier,omitempty"` // of those before, if others
	Cell    string            `json:"cell"`              // for people
	Trials  []Trial           `json:"trials"`
	Configs []pipeline.Config `json:"configs"` // of the trials
	Points  []Point           `json:"points,omitempty"`
	Stopped string            `json:"stopped,omitempty"`
	Limit   float64           `json:"limit,omitempty"`
	Spent   float64           `json:"spent"`
	passing bool              // Stopped may be otherwise next time
}

// maxCell is the most bytes of a cell's file that are read; the largest of all has 1000
// trials of 2 kB.
const maxCell = 64 << 20

// read returns a cell that is there; none if the file is not, or not whole.
func (k *kept) read(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCell {
		return false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var read kept
	if d.Decode(&read) != nil || len(read.Configs) != len(read.Trials) {
		return false
	}
	for i := range read.Trials {
		read.Trials[i].Config = read.Configs[i]
	}
	*k = read
	return true
}

func (k *kept) write(ctx context.Context, path string) error {
	k.Configs = nil
	for _, t := range k.Trials {
		k.Configs = append(k.Configs, t.Config)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fault.New(fault.Usage, "--cells: %w", err).WithHint("name another folder with --cells")
	}
	return atomicfile.Write(ctx, path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "\t")
		return e.Encode(k)
	})
}
