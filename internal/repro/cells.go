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
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/param"
)

// identity is what determines the numbers of a cell. The number of trials is not part of it, because trials are kept
// one by one.
type identity struct {
	Computation computation
	Fingerprint string // of the computation
	Dataset     Dataset
	TuningRows  int // on how many rows settings are chosen
	Draws       int // how many settings are drawn
	Trials      int // of a figure, whose points are means
	Seed        uint64
	Sums        []string // of the data's files
}

// identity returns the identity of a job's cell, without the fingerprint, which depends on the processor too.
func (r *runner) identity(j *job) identity {
	id := identity{
		Computation: j.computation(), Dataset: j.dataset, TuningRows: j.tuningRows(), Draws: j.draws(), Seed: r.Seed,
	}
	id.Dataset.KernelTrials, id.Dataset.Name, id.Dataset.Note = nil, "", ""
	if id.Computation.Sweep != nil {
		id.Trials = j.trials(r.asked(j.experiment))
	}
	for _, f := range entry(j.dataset.Entry).Files() {
		id.Sums = append(id.Sums, f.SHA256()+f.Sum.Git)
	}
	return id
}

// name returns the file name of a cell: words for people and a hash of its identity.
func (r *runner) name(ctx context.Context, j *job) (string, error) {
	id := r.identity(j)
	key := string(mustMarshal(id.Computation))
	if r.fingerprints[key] == "" {
		var err error
		if r.fingerprints[key], err = j.fingerprint(ctx); err != nil {
			return "", err
		}
	}
	id.Fingerprint = r.fingerprints[key]
	words := []string{j.protocol.family(), j.dataset.Entry, j.kind.Name}
	if j.kind.Has(param.SVMSolver) {
		words = append(words, j.method.Config.SVMSolver)
	}
	sum := sha256.Sum256(mustMarshal(id))
	return strings.ToLower(strings.Join(words, "-")) + "-" + hex.EncodeToString(sum[:8]) + ".json", nil
}

// mustMarshal returns the JSON of a value that has one.
func mustMarshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("repro: " + err.Error())
	}
	return text
}

// kept is the file of a cell.
type kept struct {
	Version string   `json:"version"`           // the program and the machine of the last trial
	Earlier []string `json:"earlier,omitempty"` // the programs and machines of the trials before, if others
	Cell    string   `json:"cell"`              // for people
	Trials  []Trial  `json:"trials"`
	Points  []Point  `json:"points,omitempty"`
	Stopped string   `json:"stopped,omitempty"`
	Limit   float64  `json:"limit,omitempty"`
	Spent   float64  `json:"spent"`
	mayPass bool     // the reason of Stopped may be gone next time
	absent  error    // the data set is not there
	left    bool     // to another machine, which has trials to add
}

// recall returns the cell of a name: what this run has made of it, or what the folder keeps.
func (r *runner) recall(name string) *kept {
	if k := r.cells[name]; k != nil {
		return k
	}
	k := &kept{}
	if r.Cells != "" && !r.Fresh {
		k.read(filepath.Join(r.Cells, name))
	}
	if k.Limit > 0 && k.Limit < r.Limit.Seconds() {
		k.Stopped, k.Limit = "", 0
	}
	r.cells[name] = k
	return k
}

// keep writes a cell, unless it stopped for a reason that may pass.
func (r *runner) keep(ctx context.Context, j *job, name string, k *kept) error {
	if r.Cells == "" || k.mayPass {
		return nil
	}
	run := r.about(j.experiment)
	if now := run.maker(); k.Version != now {
		if k.Version != "" && !slices.Contains(k.Earlier, k.Version) {
			k.Earlier = append(k.Earlier, k.Version)
		}
		k.Version = now
	}
	k.Cell = strings.Join([]string{
		j.experiment.Name, j.protocol.Name, j.dataset.Name, j.method.Name, j.method.Kernel + j.method.Activation,
	}, ", ")
	return k.write(ctx, filepath.Join(r.Cells, name))
}

// maxCell is the most bytes of a cell's file that are read; the largest of all has 1000 trials of 2 kB.
const maxCell = 64 << 20

// read reads the file of a cell. It reports false, and leaves k as it is, for a file that is not there or not whole.
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
	if d.Decode(&read) != nil {
		return false
	}
	*k = read
	return true
}

func (k *kept) write(ctx context.Context, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fault.New(fault.Usage, "%s: %w", fault.Name("cells"), err).
			WithHint("name another folder with %s", fault.Name("cells"))
	}
	return atomicfile.Write(ctx, path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "\t")
		return e.Encode(k)
	})
}
