package csv

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// readIn reads text in chunks of about size bytes with a number of threads, and
// writes down all that is read.
func readIn(text string, as []dataset.ReadAs, size, threads int) string {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	r, err := newReader(iotest.HalfReader(strings.NewReader(text)), Options{Name: "t", Separator: ","}, size)
	if err != nil {
		return err.Error()
	}
	t, err := dataset.Collect(context.Background(), r,
		append(as, make([]dataset.ReadAs, len(r.Fields()))...)[:len(r.Fields())])
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	for _, c := range t.Columns {
		fmt.Fprintln(&out, c.Name, c.Numeric(), c.Numbers, c.Codes, c.Levels, c.Texts, c.Origin.Lines)
	}
	return out.String()
}

// longHeader makes the first chunk end within the texts of tests.
var longHeader = strings.Repeat("x", 520) + ",b,c\n"

func sameInChunks(t *testing.T, text string, want ...dataset.ReadAs) {
	t.Helper()
	whole := readIn(text, want, maxRow, 1)
	for _, size := range []int{1, 20, 300} {
		for _, threads := range []int{1, 2, 5} {
			if got := readIn(text, want, size, threads); got != whole {
				t.Fatalf("%q\nin chunks of %d with %d threads:\n%s\nas a whole:\n%s", text, size, threads, got, whole)
			}
		}
	}
}

// A chunk cannot know alone what its columns hold: these are cells that mean one
// thing as the first of a column and another further down.
func TestColumnsAreDecidedInTheOrderOfTheFile(t *testing.T) {
	cells := []string{"", "NA", "1", "-2.5", "inf", "1e999", "0,45", "word", "other", "\xff", "\"a\nb\"", "x\"y", "\"q",
		"7,", "NaN"}
	random := rand.New(rand.NewPCG(1, 2))
	wants := []dataset.ReadAs{dataset.Auto, dataset.Auto, dataset.Categorical, dataset.Text,
		dataset.Auto | dataset.WithText, dataset.Skip}
	for range 300 {
		text := longHeader
		kinds := 1 + random.IntN(len(cells))
		for range 40 {
			row := []string{"", "", ""}
			for i := range row {
				if random.IntN(4) == 0 {
					row[i] = cells[random.IntN(kinds)]
				}
			}
			text += strings.Join(row, ",") + "\n"
		}
		sameInChunks(t, text, wants[random.IntN(len(wants))], wants[random.IntN(len(wants))])
	}
	sameInChunks(t, longHeader+strings.Repeat("w,,\n", 30)+"0,45,\ninf,,\n"+strings.Repeat("inf,v,1\n", 90))
	sameInChunks(t, longHeader+strings.Repeat("\"0,45\",,\n", 30))
	sameInChunks(t, longHeader+"w,,\n"+strings.Repeat("\"0,45\",,\n", 30)+"1,,\n")
}

func FuzzChunks(f *testing.F) {
	for i, text := range hardTexts {
		f.Add(text, byte(i), byte(i))
	}
	f.Fuzz(func(t *testing.T, text string, first, second byte) {
		wants := []dataset.ReadAs{dataset.Auto, dataset.Categorical, dataset.Text, dataset.Auto | dataset.WithText,
			dataset.Skip}
		sameInChunks(t, longHeader+text, wants[first%5], wants[second%5])
	})
}

// The first error of the file is reported, whichever thread finds one first.
func TestFirstErrorWins(t *testing.T) {
	text := longHeader + strings.Repeat("1,2,3\n", 50) + "1,2,\xff\n" + strings.Repeat("1,2\n", 50)
	for range 20 {
		if got := readIn(text, nil, 10, 4); !strings.HasPrefix(got,
			"t:52:5: column \"c\": \"\\xff\" is not UTF-8 text") {
			t.Fatal(got)
		}
	}
}

// A cut-off file is an error behind its whole rows, in which errors come first.
func TestErrorsOfTheInput(t *testing.T) {
	broken := errors.New("broken pipe")
	for text, want := range map[string]string{
		"a,b\n1,2\n3,":   "t: broken pipe",
		"a,b\n1,2\n3\n4": "t:3: 1 cells",
		"a,b":            "t: broken pipe",
		"":               "t: broken pipe",
	} {
		r, err := NewReader(&failing{strings.NewReader(text), broken}, Options{Name: "t"})
		if err == nil {
			_, err = dataset.Collect(context.Background(), r, make([]dataset.ReadAs, 2))
		}
		if !errors.Is(err, fault.Data) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// failing gives an error in place of the end.
type failing struct {
	text *strings.Reader
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.text.Len() == 0 {
		return 0, f.err
	}
	return f.text.Read(p)
}

// No goroutine is left when the caller stops, is cancelled or gets an error.
func TestWorkersEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, use := range map[string]func(ctx context.Context, cancel func(), r *Reader){
		"stops": func(ctx context.Context, _ func(), r *Reader) {
			for range r.Blocks(ctx, make([]dataset.ReadAs, 1)) {
				break
			}
		},
		"is cancelled": func(ctx context.Context, cancel func(), r *Reader) {
			var last error
			for _, err := range r.Blocks(ctx, make([]dataset.ReadAs, 1)) {
				cancel()
				last = err
			}
			if !errors.Is(last, context.Canceled) {
				t.Errorf("error %v after cancelling", last)
			}
		},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		r, err := NewReader(many{}, Options{Name: "t", NoHeader: true})
		if err != nil {
			t.Fatal(err)
		}
		use(ctx, cancel, r)
		cancel()
		if n := goroutines(before); n > before {
			t.Errorf("%d goroutines after the caller %s, %d before", n, name, before)
		}
	}
}

// goroutines counts them, once those that have done their work are gone.
func goroutines(least int) int {
	for range 1000 {
		if runtime.NumGoroutine() <= least {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine()
}

func TestBlocksAreSmallAndTheCallersOwn(t *testing.T) {
	text := "n,w\n" + strings.Repeat("1,a\n", 3*blockRows) + strings.Repeat("2,b\n", blockRows)
	r, err := NewReader(strings.NewReader(text), Options{Name: "t"})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for block, err := range r.Blocks(context.Background(), make([]dataset.ReadAs, 2)) {
		if err != nil || block.Rows > blockRows || block.Check() != nil {
			t.Fatalf("%d rows: %v, %v", block.Rows, err, block.Check())
		}
		n, w := &block.Columns[0], &block.Columns[1]
		if n.Numbers[0] == 0 || w.Codes[0] < 0 {
			t.Fatal("what the caller does to a block shows in the next")
		}
		n.Numbers, w.Codes, w.Levels = append(n.Numbers, 0), append(w.Codes, -1), append(w.Levels, "mine")
		rows += block.Rows
	}
	if rows != 4*blockRows {
		t.Errorf("%d rows", rows)
	}
}
