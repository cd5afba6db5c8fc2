package dataset_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/tabletest"
)

// inBlocks is a source of one column whose blocks have some rows each.
func inBlocks(blocks []dataset.Column) tabletest.Source {
	d := tabletest.Source{Columns: []dataset.Field{{Name: "c"}}}
	for _, c := range blocks {
		c.Name = "c"
		d.Tables = append(d.Tables, &dataset.Table{Rows: len(c.Texts) + len(c.Codes), Columns: []dataset.Column{c}})
	}
	return d
}

// Few long texts are weighed as they are, not as some of a hundred.
func TestCollectWeighsFewTexts(t *testing.T) {
	texts := make([]string, 10)
	for i := range texts {
		texts[i] = strings.Repeat("x", 1<<20)
	}
	tabletest.LimitMemory(t, 3<<20)
	src := inBlocks([]dataset.Column{{Texts: texts}, {Texts: texts}})
	if _, err := dataset.Collect(context.Background(), src,
		[]dataset.ReadAs{dataset.Text}); !errors.Is(err, fault.Resource) {
		t.Errorf("a quarter more of 20 MB in 3 MB: %v", err)
	}
}

// Every block brings new categories. The time for each grows with the block, not
// with the categories before it.
func BenchmarkCollectCategories(b *testing.B) {
	for _, blocks := range []int{10, 100, 1000} {
		b.Run(strconv.Itoa(blocks), func(b *testing.B) {
			columns := make([]dataset.Column, blocks)
			levels := make([]string, 1000*blocks)
			for i := range levels {
				levels[i] = strconv.Itoa(i)
			}
			for i := range columns {
				columns[i] = dataset.Column{Codes: make([]int, 1000), Levels: levels[:1000*(i+1)]}
			}
			b.SetBytes(int64(8 * len(levels)))
			for b.Loop() {
				src := inBlocks(columns)
				if _, err := dataset.Collect(context.Background(), src,
					[]dataset.ReadAs{dataset.Categorical}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
