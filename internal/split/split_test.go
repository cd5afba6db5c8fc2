package split

import (
	"errors"
	"math"
	"slices"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
)

func all(s Split) []int {
	rows := slices.Concat(s.Train, s.Test)
	slices.Sort(rows)
	return rows
}

func isRange(rows []int, n int) bool {
	for i, r := range rows {
		if r != i {
			return false
		}
	}
	return len(rows) == n
}

// classes has the given number of rows of each class, mixed.
func classes(counts ...int) []int {
	var v []int
	for {
		before := len(v)
		for class, n := range counts {
			if n > 0 {
				counts[class]--
				v = append(v, class)
			}
		}
		if len(v) == before {
			return v
		}
	}
}

func counts(rows, class []int, k int) []int {
	n := make([]int, k)
	for _, r := range rows {
		n[class[r]]++
	}
	return n
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		n           int
		train, test string
		a, b        int
	}{
		{150, "90", "60", 90, 60},
		{150, "90", "", 90, 60},
		{150, "", "60", 90, 60},
		{150, "0.6", "", 90, 60},
		{150, "60%", "40%", 90, 60},
		{5, "0.7", "0.3", 4, 1},
		{100, "0.29", "0.71", 29, 71},
		{100, "0.57", "0.43", 57, 43},
		{100, "0.1", "0.1", 10, 10},
		{100, "10", "0.5", 10, 50},
		{2, "1", "1", 1, 1},
	} {
		train, err1 := ParseSize(c.train)
		test, err2 := ParseSize(c.test)
		a, b, err := sizes(c.n, train, test)
		if err != nil || err1 != nil || err2 != nil || a != c.a || b != c.b {
			t.Errorf("%q and %q of %d rows: %d and %d, %v %v %v", c.train, c.test, c.n, a, b, err, err1, err2)
		}
	}
}

func TestImpossibleSizes(t *testing.T) {
	for _, text := range []string{"0", "-3", "1.5", "0%", "100%", "x", "NaN", "1e-400", "inf", "5 rows"} {
		if _, err := ParseSize(text); !errors.Is(err, fault.Usage) {
			t.Errorf("size %q: %v", text, err)
		}
	}
	for name, c := range map[string]struct {
		n           int
		train, test Size
	}{
		"neither":      {10, Size{}, Size{}},
		"too many":     {10, Rows(6), Rows(5)},
		"no test":      {10, Rows(10), Size{}},
		"beyond":       {10, Rows(11), Size{}},
		"no train":     {10, Size{}, Share(0.99)},
		"zero rows":    {10, Rows(0), Size{}},
		"negative":     {10, Size{}, Rows(-1)},
		"share of 1":   {10, Share(1), Size{}},
		"share NaN":    {10, Share(math.NaN()), Size{}},
		"shares above": {10, Share(0.6), Share(0.6)},
		"empty table":  {0, Rows(1), Size{}},
	} {
		for kind, f := range map[string]func() (Split, error){
			"shuffled":   func() (Split, error) { return Shuffled(c.n, c.train, c.test, 1) },
			"ordered":    func() (Split, error) { return Ordered(c.n, c.train, c.test) },
			"stratified": func() (Split, error) { return Stratified(make([]int, c.n), c.train, c.test, 1) },
		} {
			if s, err := f(); !errors.Is(err, fault.Usage) || s.Train != nil {
				t.Errorf("%s, %s: %v, %v", name, kind, s, err)
			}
		}
	}
}

func TestOrdered(t *testing.T) {
	s, err := Ordered(10, Rows(3), Rows(2))
	if err != nil || !slices.Equal(s.Train, []int{0, 1, 2}) || !slices.Equal(s.Test, []int{3, 4}) {
		t.Errorf("%v, %v", s, err)
	}
}

func TestShuffledIsAPartition(t *testing.T) {
	for n := 2; n < 40; n++ {
		s, err := Shuffled(n, Rows(n/2), Size{}, uint64(n))
		if err != nil || len(s.Train) != n/2 || !isRange(all(s), n) || !slices.IsSorted(s.Train) ||
			!slices.IsSorted(s.Test) {
			t.Fatalf("%d rows: %v, %v", n, s, err)
		}
	}
}

// Every row is drawn for training equally often: 2000 draws of half the rows, five
// standard deviations allowed.
func TestShuffledIsFair(t *testing.T) {
	const n, draws = 20, 2000
	times := make([]float64, n)
	for seed := range uint64(draws) {
		s, _ := Shuffled(n, Rows(n/2), Size{}, seed)
		for _, r := range s.Train {
			times[r]++
		}
	}
	for r, k := range times {
		if math.Abs(k-draws/2) > 5*math.Sqrt(draws)/2 {
			t.Errorf("row %d was drawn %v times of %d", r, k, draws)
		}
	}
}

func TestSameSeedSameSplit(t *testing.T) {
	class := classes(30, 20, 10)
	same := func(a, b Split) bool { return slices.Equal(a.Train, b.Train) && slices.Equal(a.Test, b.Test) }
	for name, f := range map[string]func(seed uint64) Split{
		"shuffled":   func(seed uint64) Split { s, _ := Shuffled(60, Rows(30), Size{}, seed); return s },
		"stratified": func(seed uint64) Split { s, _ := Stratified(class, Rows(30), Size{}, seed); return s },
		"folds":      func(seed uint64) Split { f, _ := KFold(60, 3, seed); return f.Split(0) },
	} {
		if !same(f(5), f(5)) || same(f(5), f(6)) {
			t.Errorf("%s: the split is not that of the seed", name)
		}
	}
	// Rows keep their place whatever the numbers of the classes are.
	renamed := make([]int, len(class))
	for i, c := range class {
		renamed[i] = []int{7, -4, 90}[c]
	}
	a, _ := Stratified(class, Rows(30), Size{}, 5)
	b, _ := Stratified(renamed, Rows(30), Size{}, 5)
	if !same(a, b) {
		t.Error("the split depends on how the classes are numbered")
	}
}

// A pinned split: a change of it is a change of every published result.
func TestSplitIsStable(t *testing.T) {
	s, _ := Shuffled(12, Rows(4), Rows(3), 0)
	if got := slices.Concat(s.Train, s.Test); !slices.Equal(got, []int{1, 2, 3, 4, 8, 9, 11}) {
		t.Errorf("seed 0 gives %v", got)
	}
}

// Every class is within one row of its quota in the training part, and in the test
// part when that is the rest.
func TestStratifiedProportions(t *testing.T) {
	for _, c := range [][]int{{50, 50, 50}, {70, 76, 17, 13, 9, 29}, {34108, 37, 132, 6748, 2458, 6, 11}, {1, 1, 1},
		{5, 1}, {10}} {
		class := classes(slices.Clone(c)...)
		n := len(class)
		for _, train := range []int{1, n / 3, n / 2, n - 1} {
			if train < 1 {
				continue
			}
			s, err := Stratified(class, Rows(train), Size{}, 3)
			if err != nil || len(s.Train) != train || !isRange(all(s), n) {
				t.Fatalf("%v: %d of %d: %v", c, len(s.Train), train, err)
			}
			for part, rows := range map[string][]int{"train": s.Train, "test": s.Test} {
				for k, got := range counts(rows, class, len(c)) {
					if quota := float64(len(rows)) * float64(c[k]) / float64(n); math.Abs(float64(got)-quota) >= 1 {
						t.Errorf("%v, %s of %d rows: class %d has %d rows, its quota is %v", c, part, len(rows), k, got,
							quota)
					}
				}
			}
		}
	}
}

// The paper's 90/60 of Iris has 30 and 20 of each class.
func TestStratifiedIris(t *testing.T) {
	class := classes(50, 50, 50)
	s, err := Stratified(class, Rows(90), Rows(60), 1)
	if err != nil || !slices.Equal(counts(s.Train, class, 3), []int{30, 30, 30}) ||
		!slices.Equal(counts(s.Test, class, 3), []int{20, 20, 20}) {
		t.Errorf("%v, %v", s, err)
	}
}

// Parts that leave rows out, where the quotas of both parts compete.
func TestStratifiedWithRowsLeft(t *testing.T) {
	for _, c := range [][]int{{1, 1, 1}, {3, 3, 1}, {20, 10, 5, 1}} {
		class := classes(slices.Clone(c)...)
		for train := 1; train < len(class); train++ {
			for test := 1; train+test <= len(class); test++ {
				s, err := Stratified(class, Rows(train), Rows(test), 1)
				rows := all(s)
				if err != nil || len(s.Train) != train || len(s.Test) != test ||
					len(slices.Compact(rows)) != train+test {
					t.Fatalf("%v, %d and %d: %v, %v", c, train, test, s, err)
				}
			}
		}
	}
}

func TestFolds(t *testing.T) {
	class := classes(70, 76, 17, 13, 9, 29)
	for _, k := range []int{2, 5, 10, len(class)} {
		plain, err1 := KFold(len(class), k, 1)
		even, err2 := StratifiedKFold(class, k, 1)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for name, f := range map[string]Folds{"plain": plain, "stratified": even} {
			var tested []int
			lo, hi := make([]int, 7), make([]int, 7)
			for i := range k {
				s := f.Split(i)
				if !isRange(all(s), len(class)) {
					t.Fatalf("%s fold %d of %d is not a partition", name, i, k)
				}
				tested = append(tested, s.Test...)
				for j, n := range append(counts(s.Test, class, 6), len(s.Test)) {
					if i == 0 || n < lo[j] {
						lo[j] = n
					}
					hi[j] = max(hi[j], n)
				}
			}
			slices.Sort(tested)
			if !isRange(tested, len(class)) {
				t.Errorf("%s: %d folds do not test every row once", name, k)
			}
			for j := range lo {
				if hi[j] > lo[j]+1 && (name == "stratified" || j == 6) {
					t.Errorf("%s, %d folds: class %d (6 is all) has %d to %d rows", name, k, j, lo[j], hi[j])
				}
			}
		}
	}
	for _, k := range []int{-1, 0, 1, 11} {
		if _, err := KFold(10, k, 1); !errors.Is(err, fault.Usage) {
			t.Errorf("%d folds of 10 rows: %v", k, err)
		}
		if _, err := StratifiedKFold(make([]int, 10), k, 1); !errors.Is(err, fault.Usage) {
			t.Errorf("%d stratified folds of 10 rows: %v", k, err)
		}
	}
}

func TestClasses(t *testing.T) {
	for name, c := range map[string]dataset.Column{
		"numbers":    {Numbers: []float64{5, 8, 5, 7}},
		"categories": {Codes: []int{0, 2, 0, 1}, Levels: []string{"a", "b", "c"}},
	} {
		if got, err := Classes(&c); err != nil || !slices.Equal(got, []int{0, 2, 0, 1}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	missing := dataset.Column{Name: "y", Numbers: []float64{1, math.NaN()}}
	if _, err := Classes(&missing); !errors.Is(err, fault.Data) {
		t.Errorf("a missing class: %v", err)
	}
	if _, err := Classes(&dataset.Column{Name: "y", Texts: []string{"a"}}); !errors.Is(err, fault.Usage) {
		t.Errorf("an identifier as class: %v", err)
	}
}

func TestBlocks(t *testing.T) {
	whole := &dataset.Table{Rows: 10, Columns: []dataset.Column{{Name: "x",
		Numbers: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}}}
	failure := errors.New("no more")
	blocks := func(yield func(*dataset.Table, error) bool) {
		if yield(whole.Subset([]int{0, 1, 2, 3}), nil) &&
			yield(&dataset.Table{Columns: []dataset.Column{{Name: "x", Numbers: []float64{}}}}, nil) &&
			yield(whole.Subset([]int{4, 5, 6, 7, 8, 9}), nil) {
			yield(nil, failure)
		}
	}
	var got []float64
	for block, err := range Blocks(blocks, []int{0, 3, 4, 9}) {
		if err != nil {
			if !errors.Is(err, failure) {
				t.Error(err)
			}
			continue
		}
		got = append(got, block.Columns[0].Numbers...)
	}
	if !slices.Equal(got, []float64{0, 3, 4, 9}) {
		t.Errorf("rows %v", got)
	}
	for range Blocks(blocks, []int{1}) {
		break
	}
}
