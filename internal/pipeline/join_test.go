package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/dataset/csv"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/learn"
)

// text writes the named columns of t, rows in the given order, with the row's
// number before them.
func text(t *dataset.Table, order []int, names ...string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "row,%s\n", strings.Join(names, ","))
	for _, i := range order {
		fmt.Fprint(b, i)
		for _, name := range names {
			fmt.Fprintf(b, ",%s", t.Find(name).Text(i))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// model returns the bytes of the model of two files.
func model(t *testing.T, main, priv, key string, c param.Config) []byte {
	t.Helper()
	open := func(text string) dataset.Source {
		r, err := csv.NewReader(strings.NewReader(text), csv.Options{Name: "t.csv"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	sel := dataset.Selection{Target: "y", Drop: "row", Priv: "lab_1,kind"}
	if key != "" {
		sel.Drop = ""
	}
	data, err := roles.Sources{Main: open(main), Priv: open(priv), Key: key}.Load(context.Background(), sel)
	if err != nil {
		t.Fatal(err)
	}
	m, err := pipeline.Train(context.Background(), data, c, pipeline.Options{LeaveOneOut: learn.Always})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := modelfile.Encode(&out, m, true); err != nil {
		t.Fatal(err)
	}
	if _, err := modelfile.Decode(bytes.NewReader(out.Bytes()), int64(out.Len())); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A join by the row's number is row alignment, in whatever order the file is, also
// where rows lack values.
func TestJoinByRowNumberIsAlignment(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		rows := 10 + r.IntN(60)
		table, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.1, Seed: seed}.Table()
		kind := dataset.Column{Name: "kind", Levels: []string{"u", "v", "w"}, Codes: make([]int, rows)}
		for i := range kind.Codes {
			kind.Codes[i] = (i + r.IntN(2)) % 3
		}
		table.Columns = append(table.Columns, kind)
		order, lacking := r.Perm(rows), int(seed%2)*rows/3
		c := param.Default()
		c.Kind, c.Hidden, c.Seed, c.AllowMissingPriv = []string{"rvfl+", "krvfl+"}[seed/2%2], 6, seed, lacking > 0
		c.Correction = learn.Corrections()[seed%4]
		shuffled := text(table, order[lacking:], "lab_1", "kind") // does not have the other rows at all
		for _, i := range order[:lacking] {
			table.Find("lab_1").Numbers[i], kind.Codes[i] = math.NaN(), -1
		}
		inOrder := slices.Sorted(slices.Values(order))
		main := text(table, inOrder, "x1", "x2", "x3", "y")
		want := model(t, main, text(table, inOrder, "lab_1", "kind"), "", c)
		if got := model(t, main, shuffled, "row", c); !bytes.Equal(got, want) {
			t.Errorf("seed %d: joined and aligned training of %d rows, %d without values, differ", seed, rows, lacking)
		}
	}
}
