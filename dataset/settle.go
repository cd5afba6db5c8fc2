package dataset

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"rvflplus/fault"
	"rvflplus/internal/categories"
	"rvflplus/internal/celltext"
)

// settler decides what columns of unknown kind are: numbers, dates or categories.
type settler struct {
	Cells
	markers celltext.Markers
	commas  bool // a comma probably stands before decimals
}

// wording is what the cells of a column look like: how often each word occurs, and what is known of plain numbers.
type wording struct {
	*Column
	count, first []int // of each level: its cells and the row of the first
	words        []int // the levels that are neither plain numbers nor texts of missing cells
	present      int   // cells that are not missing
	plain        int   // cells that are plain numbers
	firstPlain   int   // the row of the first, or -1
	texts        bool  // the texts of the plain numbers are among the levels
	missing      []int // levels that are markers of missing cells
}

// decide makes a column with words one of numbers, of dates or of categories.
func (s *settler) decide(c *Column) error {
	if c.Codes == nil {
		return nil
	}
	w := s.look(c)
	if w.plain == 0 && len(w.words) == 0 { // None alone may be a word
		c.Numbers = nil
		return nil
	}
	for _, read := range []func(*wording) (*Reading, error){s.dates, s.numbers} {
		r, err := read(w)
		if err != nil {
			return err
		}
		if r != nil {
			return w.become(r)
		}
	}
	if w.identifiers() {
		w.becomePadded()
		return nil
	}
	if err := s.refuseMixture(w); err != nil {
		return err
	}
	c.Numbers = nil
	return nil
}

// look counts the cells.
func (s *settler) look(c *Column) *wording {
	n := len(c.Levels)
	w := &wording{Column: c, count: make([]int, n), first: make([]int, n), firstPlain: -1}
	plain := make([]bool, n) // the level is a plain number
	for i, k := range c.Codes {
		number := c.Numbers != nil && isNumber(c.Numbers[i])
		if number {
			if w.plain++; w.firstPlain < 0 {
				w.firstPlain = i
			}
		}
		if k < 0 {
			continue
		}
		if w.count[k]++; w.count[k] == 1 {
			w.first[k] = i
		}
		plain[k] = plain[k] || number
		w.texts = w.texts || number
	}
	w.present = w.plain
	for k, level := range c.Levels {
		switch {
		case w.count[k] == 0 || plain[k]:
		case s.markers.Has(level):
			w.missing = append(w.missing, k)
		default:
			w.words = append(w.words, k)
			w.present += w.count[k]
		}
	}
	return w
}

// numberLevels returns the levels that must be read as numbers: the words and, where their texts are known, the plain
// numbers.
func (w *wording) numberLevels() []int {
	if !w.texts {
		return w.words
	}
	var all []int
	for k := range w.Levels {
		if w.count[k] > 0 && !slices.Contains(w.missing, k) {
			all = append(all, k)
		}
	}
	return all
}

// become makes the column one of numbers as the reading says; every cell fits it.
func (w *wording) become(r *Reading) error {
	c := w.Column
	for _, k := range w.missing {
		c.Markers = append(c.Markers, c.Levels[k])
	}
	markers := c.Markers
	if err := c.ReadBy(r, markers); err != nil {
		return err
	}
	c.Markers = markers
	return nil
}

// dates returns the reading of dates if all cells are some.
func (s *settler) dates(w *wording) (*Reading, error) {
	if len(w.words) == 0 && !w.texts || w.plain > 0 && !w.texts {
		return nil, nil
	}
	for _, format := range []string{s.DateFormat, ISO} {
		r := &Reading{Date: format}
		isDate := func(k int) bool { return r.isDate(w.Levels[k]) }
		levels := w.numberLevels()
		if format == "" || !slices.ContainsFunc(levels, isDate) {
			continue
		}
		odd := slices.IndexFunc(levels, func(k int) bool { return !isDate(k) })
		if odd < 0 {
			return r, nil
		}
		if w.mostly(levels, isDate) {
			like := levels[slices.IndexFunc(levels, isDate)]
			return nil, w.notAlike(r, levels[odd], like)
		}
	}
	return nil, nil
}

// isDate reports whether a text is a date of the reading, and no number of a day.
func (r *Reading) isDate(text string) bool {
	if r.Date != ISO {
		if _, ok := celltext.DateFormat(r.Date).Time(text); ok {
			return true
		}
	}
	_, ok := celltext.ISOTime(text)
	return ok
}

// mostly reports whether the levels of which is says so are at least half of the cells that are not missing.
func (w *wording) mostly(levels []int, is func(level int) bool) bool {
	n := 0
	for _, k := range levels {
		if is(k) {
			n += w.count[k]
		}
	}
	return 2*n >= w.present
}

// notAlike is the error for two cells of a column that are not written alike.
func (w *wording) notAlike(r *Reading, odd, like int) error {
	const message = "%s: %q is not %s, but %q %s is"
	return fault.New(fault.Data, message, w.Place(w.first[odd]), celltext.Abbreviate(w.Levels[odd]), r.what(),
		celltext.Abbreviate(w.Levels[like]), w.on(w.first[like])).
		WithHint(mixtureHint, celltext.UsualMarkers, fault.Name("na"), fault.Set("categorical", w.Name))
}

const mixtureHint = "correct the cell, or leave it empty if it is unknown (%s count as missing, %s LIST names " +
	"others), or use %s if the column holds categories"

// on tells where row i stands, beside another place in the same file.
func (c *Column) on(i int) string {
	switch {
	case c.Origin == nil:
		return fmt.Sprintf("in row %d", i+1)
	case c.Origin.Lines == nil:
		return fmt.Sprintf("in row %d", c.Origin.row(i))
	}
	return fmt.Sprintf("on line %d", c.Origin.Lines[i])
}

// identifiers reports whether all cells are digits and some begin with a zero.
func (w *wording) identifiers() bool {
	return len(w.words) > 0 && w.Shapes&^celltext.Padded == 0 && !slices.ContainsFunc(w.words, func(k int) bool {
		_, shape, ok := celltext.Plain(w.Levels[k])
		return !ok || shape != celltext.Padded
	})
}

// numbers returns the reading of the column if all cells are numbers written alike, or an error if they are not quite.
func (s *settler) numbers(w *wording) (*Reading, error) {
	if len(w.words) == 0 && (!w.texts || s.Decimal != ",") {
		return &Reading{}, nil
	}
	if w.identifiers() {
		return nil, nil
	}
	f := form{settler: s, wording: w, written: map[int]celltext.Written{}}
	for _, k := range w.numberLevels() {
		f.add(k)
	}
	switch {
	case f.disguised:
		return f.reading()
	case w.texts && len(f.others) == 0:
		return &Reading{}, nil
	}
	return nil, nil // plain numbers in a column of texts are categories
}

// form collects what the numbers of a column have in common.
type form struct {
	*settler
	*wording
	numbers   []int // levels that are numbers
	others    []int // levels that are not
	written   map[int]celltext.Written
	disguised bool // some number is not a plain one
}

func (f *form) add(k int) {
	w, ok := celltext.Split(f.Levels[k])
	_, kind := celltext.Parse(f.Levels[k])
	if !ok && kind != celltext.Number {
		f.others = append(f.others, k)
		return
	}
	f.written[k] = w
	f.numbers = append(f.numbers, k)
	f.disguised = f.disguised || kind != celltext.Number || w.Ambiguous != 0 && f.Decimal == ","
	if _, shape, plain := celltext.Plain(f.Levels[k]); plain && shape == celltext.Padded && f.plain > 0 {
		f.disguised = true // 007 beside 7.5
	}
}

// affix is what stands before and behind a number.
type affix struct{ prefix, suffix string }

// affix returns that of a level.
func (f *form) affix(k int) affix {
	return affix{celltext.FoldUnit(f.written[k].Prefix), celltext.FoldUnit(f.written[k].Suffix)}
}

// commonest returns a level with the commonest affix and the number of cells that have it.
func (f *form) commonest() (like, cells int) {
	counts := map[affix]int{}
	if !f.texts {
		counts[affix{}] = f.plain
	}
	for _, k := range f.numbers {
		counts[f.affix(k)] += f.count[k]
	}
	like = slices.MaxFunc(f.numbers, func(a, b int) int { return counts[f.affix(a)] - counts[f.affix(b)] })
	return like, counts[f.affix(like)]
}

// reading decides how the numbers are written: the commonest prefix and suffix are those of the column.
func (f *form) reading() (*Reading, error) {
	like, most := f.commonest()
	best := f.affix(like)
	r := &Reading{Prefix: f.written[like].Prefix, Suffix: f.written[like].Suffix}
	others := slices.Clone(f.others)
	for _, k := range f.numbers {
		if f.affix(k) != best {
			others = append(others, k)
		}
	}
	slices.SortFunc(others, func(a, b int) int { return f.first[a] - f.first[b] })
	bare := best == affix{}
	plain := f.plain > 0 && !f.texts // there are plain numbers, whose texts are not among the levels
	switch {
	case plain && (!bare && f.plain > most || bare && len(others) > 0):
		return nil, f.notNumber(f.firstOf(f.numbers, others, bare))
	case len(others) > 0 && 2*most >= f.present:
		return nil, f.notAlike(r, others[0], like)
	case len(others) > 0:
		return nil, f.mixedUnits(r, like)
	case plain && !bare:
		return nil, f.plainBeside(r, like)
	}
	r, err := f.separators(r)
	if err != nil || !r.Plain() {
		return r, err
	}
	return f.plainOrBrackets()
}

// mixedUnits is the error for a column whose cells are all numbers with some short unit, none of which has half of the
// cells; nil for other texts.
func (f *form) mixedUnits(r *Reading, like int) error {
	if len(f.others) > 0 || f.plain > 0 || slices.ContainsFunc(f.numbers, func(k int) bool { return !f.shortUnit(k) }) {
		return nil
	}
	odd := slices.IndexFunc(f.numbers, func(k int) bool { return f.affix(k) != f.affix(like) })
	return f.notAlike(r, f.numbers[odd], like)
}

// shortUnit reports whether a level is a number with money or a unit of few letters, and no code such as 12A or 2XL.
func (f *form) shortUnit(k int) bool {
	w := f.written[k]
	if celltext.IsCurrency(w.Prefix) || celltext.IsCurrency(w.Suffix) || w.Suffix == "%" {
		return true
	}
	const longest = 5
	letters := utf8.RuneCountInString(w.Suffix)
	attached := !strings.HasSuffix(strings.TrimSuffix(f.Levels[k], w.Suffix), " ")
	code := attached && (letters == 1 || w.Suffix == strings.ToUpper(w.Suffix))
	return letters > 0 && letters <= longest && !code
}

// plainOrBrackets returns the reading of plain numbers, nil for a column of words such as (3), and the error where
// both are there: without money or separators brackets are no sign.
func (f *form) plainOrBrackets() (*Reading, error) {
	plain := func(k int) bool {
		_, kind := celltext.Parse(f.Levels[k])
		return kind == celltext.Number
	}
	odd := slices.IndexFunc(f.numbers, func(k int) bool { return !plain(k) })
	like := slices.IndexFunc(f.numbers, plain)
	switch {
	case odd < 0:
		return &Reading{}, nil
	case like >= 0:
		return nil, f.notAlike(&Reading{}, f.numbers[odd], f.numbers[like])
	case f.firstPlain >= 0:
		return nil, f.notNumber(f.numbers[odd])
	}
	return nil, nil
}

// firstOf returns the level of the odd cell: of numbers with a unit beside more plain ones, or of other texts.
func (f *form) firstOf(numbers, others []int, bare bool) int {
	if bare {
		return others[0]
	}
	return slices.MinFunc(numbers, func(a, b int) int { return f.first[a] - f.first[b] })
}

// plainBeside is the error for a plain number beside numbers with a sign or a unit.
func (f *form) plainBeside(r *Reading, like int) error {
	return fault.New(fault.Data, "%s: %q is not %s, but %q %s is", f.Place(f.firstPlain),
		celltext.FormatNumber(f.Numbers[f.firstPlain]), r.what(), celltext.Abbreviate(f.Levels[like]),
		f.on(f.first[like])).
		WithHint(mixtureHint, celltext.UsualMarkers, fault.Name("na"), fault.Set("categorical", f.Name))
}

// becomePadded makes the column one of categories, the digits as written.
func (w *wording) becomePadded() {
	c := w.Column
	coder := categories.New()
	markers := make([]bool, len(c.Levels))
	for _, k := range w.missing {
		markers[k] = true
		c.Markers = append(c.Markers, c.Levels[k])
	}
	codes := make([]int, len(c.Codes))
	for i, k := range c.Codes {
		switch {
		case k >= 0 && !markers[k]:
			codes[i] = coder.Code(c.Levels[k])
		case c.Numbers != nil && isNumber(c.Numbers[i]): // digits without a leading zero
			codes[i] = coder.Code(strconv.FormatFloat(c.Numbers[i], 'f', -1, 64))
		default:
			codes[i] = -1
		}
	}
	c.Codes, c.Levels, c.Numbers, c.Padded, c.Shapes = codes, coder.Levels, nil, true, 0
}

// numericDate is what dates look like that are not of ISO 8601.
var numericDate = regexp.MustCompile(`^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}([ T,]+\d{1,2}:\d{2}.*)?$`)

// refuseMixture is the error for a column that is neither one of numbers nor one of words, nil for words.
func (s *settler) refuseMixture(w *wording) error {
	isDate := func(k int) bool { return numericDate.MatchString(w.Levels[k]) }
	switch {
	case len(w.words) == 0:
		return nil
	case w.mostly(w.words, isDate):
		k := w.words[slices.IndexFunc(w.words, isDate)]
		return fault.New(fault.Data, "%s: %q looks like a date", w.Place(w.first[k]), celltext.Abbreviate(w.Levels[k])).
			WithHint("say how dates are written with %s, write them as 2006-01-31, or use %s if the column holds "+
				"categories", fault.Set("date-format", guessFormat(w)), fault.Set("categorical", w.Name))
	}
	k := slices.MinFunc(w.words, func(a, b int) int { return w.first[a] - w.first[b] })
	_, kind := celltext.Parse(w.Levels[k])
	switch {
	case w.plain == 0 && (kind != celltext.NotFinite || len(w.words) > 1):
		return nil
	case kind == celltext.NotFinite:
		return fault.New(fault.Data, "%s: %q is not a finite number",
			w.Place(w.first[k]), celltext.Abbreviate(w.Levels[k])).
			WithHint("leave the cell empty if the value is unknown")
	}
	return w.notNumber(k)
}

// notNumber is the error for a word beside plain numbers, at the place of what there is less of.
func (w *wording) notNumber(k int) error {
	if words := w.present - w.plain; words > w.plain || words == w.plain && w.first[k] < w.firstPlain {
		return fault.New(fault.Data, "%s: %q is a number, but %q %s is text", w.Place(w.firstPlain),
			celltext.FormatNumber(w.Numbers[w.firstPlain]), celltext.Abbreviate(w.Levels[k]), w.on(w.first[k])).
			WithHint(mixtureHint, celltext.UsualMarkers, fault.Name("na"), fault.Set("categorical", w.Name))
	}
	return fault.New(fault.Data, "%s: %q is not a number, but %q %s is one", w.Place(w.first[k]),
		celltext.Abbreviate(w.Levels[k]), celltext.FormatNumber(w.Numbers[w.firstPlain]), w.on(w.firstPlain)).
		WithHint(mixtureHint, celltext.UsualMarkers, fault.Name("na"), fault.Set("categorical", w.Name))
}

// guessFormat returns the first usual format that most dates of the column have.
func guessFormat(w *wording) string {
	best, most := "%d/%m/%Y", 0
	for _, format := range []string{
		"%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%m/%d/%y", "%d/%m/%y",
		"%d.%m.%y", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M", "%Y/%m/%d %H:%M", "%m/%d/%Y %H:%M:%S",
		"%d/%m/%Y %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%Y/%m/%d %H:%M:%S", "%m/%d/%Y %I:%M %p",
	} {
		n := 0
		for _, k := range w.words {
			if _, ok := celltext.DateFormat(format).Time(w.Levels[k]); ok {
				n += w.count[k]
			}
		}
		if n > most {
			best, most = format, n
		}
	}
	return best
}
