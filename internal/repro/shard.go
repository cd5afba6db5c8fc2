package repro

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/fault"
)

// Shard is the share of the cells that one of several machines fills: share Part, from 1, of Of. The zero value is all.
type Shard struct{ Part, Of int }

// maxShards is more machines than there are cells.
const maxShards = 10_000

// ParseShard reads "i/n" with 1 ≤ i ≤ n; anything else is a fault.Usage error.
func ParseShard(text string) (Shard, error) {
	part, of, found := strings.Cut(text, "/")
	i, errPart := strconv.Atoi(part)
	n, errOf := strconv.Atoi(of)
	if !found || errPart != nil || errOf != nil || i < 1 || i > n || n > maxShards {
		return Shard{}, fault.Param("shard", fmt.Sprintf("i/n with 1 <= i <= n <= %d, such as 2/3", maxShards),
			strconv.Quote(text))
	}
	return Shard{i, n}, nil
}

// String writes a shard as ParseShard reads it, "" for all cells.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Part, s.Of)
}

// divide gives every cell of the plans to a shard, by its identity: cells that several tables share are filled by one
// machine. The dearest cell that is left goes to the shard with the least to do. The division depends on what is asked
// for, and neither on the machine nor on what is kept.
func (r *runner) divide(plans []*plan) map[string]int {
	type share struct {
		identity string
		cost     float64
	}
	var cells []share
	known := map[string]bool{}
	for _, p := range plans {
		for _, j := range p.jobs {
			if id := r.shardKey(j); !known[id] {
				known[id] = true
				cells = append(cells, share{id, j.cost(j.trials(r.asked(p.experiment)))})
			}
		}
	}
	slices.SortFunc(cells, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(a.identity, b.identity))
	})
	owner, load := map[string]int{}, make([]float64, r.Shard.Of)
	for _, c := range cells {
		least := slices.Index(load, slices.Min(load))
		owner[c.identity] = least + 1
		load[least] += c.cost
	}
	return owner
}

// shardKey tells the cells of a run apart.
func (r *runner) shardKey(j *job) string { return string(mustMarshal(r.identity(j))) }

// cost is about how many seconds a cell takes: what its shard needs to know to have as much to do as the others. The
// rates are those of the tables in docs/results.
func (j *job) cost(trials int) float64 {
	fit := func(rows int) float64 {
		n := float64(rows)
		switch {
		case !j.kind.ClosedForm && j.kind.Privileged:
			return 1e-9 * n * n * n
		case !j.kind.ClosedForm:
			return 1e-8 * n * n
		case j.kind.Kernels:
			return 1e-11 * n * n * n
		}
		return 2e-11 * n * math.Pow(min(n, nodes), 2)
	}
	const overhead = 1e-4 // of every fit
	choices, rows := trials, j.dataset.Train
	if j.choosesOnce() {
		choices = min(trials, 1)
	}
	if j.tunesOnSubset() {
		rows = j.tuningRows()
	}
	tuning, training := float64(choices*j.draws())*(fit(rows)+overhead), float64(trials)*(fit(j.dataset.Train)+overhead)
	if j.method.Limited {
		return min(tuning, defaultLimit.Seconds()) + min(training, defaultLimit.Seconds())
	}
	return tuning + training
}

// leave returns what is kept of another machine's cell, which is said to be left to that machine where trials lack.
func (r *runner) leave(k *kept, owner, trials int) *kept {
	left := *k
	if len(k.Trials) < trials && k.Stopped == "" && k.Points == nil {
		left.left, left.Stopped = true, "left to the machine with shard "+Shard{owner, r.Shard.Of}.String()
	}
	return &left
}
