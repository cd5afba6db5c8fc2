package repro

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// nearestText holds what rvfl repro readings and readings-regression measured, as docs/results has it. It is written by
// go test ./internal/repro -run MeasuredReadings -update.
//
//go:embed nearest.json
var nearestText []byte

// readReadings are the nearest readings of one experiment.
type readReadings struct {
	Experiment string    `json:"experiment"` // readings, or readings-regression
	Table      string    `json:"table"`      // whose numbers they stand beside
	First      string    `json:"first"`      // the reading of the table
	Nearest    []Nearest `json:"nearest"`
}

// measuredReadings returns the nearest readings that nearest.json holds.
var measuredReadings = sync.OnceValue(func() []readReadings {
	var file struct {
		Readings []readReadings `json:"readings"`
	}
	if err := json.Unmarshal(nearestText, &file); err != nil {
		panic("repro: nearest.json: " + err.Error())
	}
	return file.Readings
})

// nearestReading is the remark on a cell of a table under the published protocol that differs from the paper's number
// for a reason that is not known: which reading of the paper comes nearest to the number, where readings were measured.
// dataset and method are named as in the table.
func nearestReading(table, dataset, method string) string {
	for _, of := range measuredReadings() {
		i := slices.IndexFunc(of.Nearest, func(n Nearest) bool { return n.Dataset == dataset && n.Method == method })
		if of.Table != table || i < 0 {
			continue
		}
		n, e := of.Nearest[i], Experiment{Metric: accuracy}
		if table == "table6" {
			e.Metric = rmse
		}
		page := fmt.Sprintf("(docs/results/%s.md)", of.Experiment)
		if n.Reading == of.First {
			return notKnown + "; no other reading of the paper comes nearer " + page
		}
		return fmt.Sprintf("%s; the nearest reading of the paper, %s, has %s %s", notKnown, n.Words, e.number(n.Value),
			page)
	}
	return notKnown
}
