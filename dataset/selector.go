package dataset

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rvflplus/fault"
)

// Select returns the positions (from 0) of the columns that a selector names, in
// the selector's order, each once, and which of them it names exactly. A selector
// is a comma list; each part is first an exact name, then a:b with two positions
// (from 1, inclusive), then a glob with *, ? and [a-z]. A name that contains a
// comma is put in double quotes, or given as the whole selector. A part that
// selects nothing is a fault.Usage error. "" selects nothing.
func Select(selector string, names []string) (columns []int, exact map[int]bool, err error) {
	exact = map[int]bool{}
	if selector == "" {
		return nil, exact, nil
	}
	if i := slices.Index(names, selector); i >= 0 {
		return []int{i}, map[int]bool{i: true}, nil
	}
	parts, err := splitList(selector)
	if err != nil {
		return nil, nil, err
	}
	for _, part := range parts {
		found, isName, err := selectPart(part, names)
		if err != nil {
			return nil, nil, err
		}
		for _, i := range found {
			if _, seen := exact[i]; !seen {
				columns = append(columns, i)
			}
			exact[i] = exact[i] || isName
		}
	}
	return columns, exact, nil
}

// List returns a selector of the columns called names.
func List(names []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(names) // a strings.Builder takes all
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

func splitList(selector string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(selector))
	r.LazyQuotes, r.TrimLeadingSpace = true, true
	parts, err := r.Read()
	if err != nil || strings.ContainsAny(selector, "\n\r") {
		return nil, fault.New(fault.Usage, "%q is not a list of columns", selector).
			WithHint("write names, positions a:b or globs, separated by commas")
	}
	return parts, nil
}

func selectPart(part string, names []string) (found []int, isName bool, err error) {
	part = strings.TrimSpace(part)
	if i := slices.Index(names, part); i >= 0 {
		return []int{i}, true, nil
	}
	if from, to, ok := positions(part); ok {
		if from < 1 || to < from || to > len(names) {
			return nil, false, fault.New(fault.Usage, "columns %s: positions must be between 1 and %d, the first not after the last", part, len(names))
		}
		for i := from - 1; i < to; i++ {
			found = append(found, i)
		}
		return found, false, nil
	}
	if glob := compileGlob(part); glob != nil {
		for i, name := range names {
			if glob.MatchString(name) {
				found = append(found, i)
			}
		}
	}
	if len(found) == 0 {
		return nil, false, noColumn(part, names)
	}
	return found, false, nil
}

func positions(part string) (from, to int, ok bool) {
	a, b, cut := strings.Cut(part, ":")
	from, errFrom := strconv.Atoi(a)
	to, errTo := strconv.Atoi(b)
	return from, to, cut && errFrom == nil && errTo == nil
}

// compileGlob returns nil for a text without *, ? or a valid [set].
func compileGlob(part string) *regexp.Regexp {
	if !strings.ContainsAny(part, "*?[") {
		return nil
	}
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for len(part) > 0 {
		set := leadingSet.FindString(part)
		switch {
		case part[0] == '*':
			b.WriteString(".*")
		case part[0] == '?':
			b.WriteString(".")
		case set != "":
			b.WriteString(strings.Replace(set, "[!", "[^", 1))
			part = part[len(set)-1:]
		default:
			b.WriteString(regexp.QuoteMeta(part[:1]))
		}
		part = part[1:]
	}
	glob, err := regexp.Compile(b.String() + `\z`)
	if err != nil {
		return nil
	}
	return glob
}

var leadingSet = regexp.MustCompile(`\A\[!?[^\[\]\\!^]+\]`)

// noColumn is the error for a part that names no column.
func noColumn(part string, names []string) error {
	e := fault.New(fault.Usage, "no column is named %q", part)
	if i, err := strconv.Atoi(part); err == nil && i >= 1 && i <= len(names) {
		return e.WithHint("for column %d, %q, write its name or the positions %d:%d", i, names[i-1], i, i)
	}
	if len(names) == 1 {
		return e.WithHint("the only column is %q; if that is a whole line, give the separator with --sep", names[0])
	}
	if near := Nearest(part, names); near != "" {
		return e.WithHint("did you mean %q? The columns are: %s", near, Abbreviate(names))
	}
	return e.WithHint("the columns are: %s", Abbreviate(names))
}

// Abbreviate lists at most twelve names.
func Abbreviate(names []string) string {
	if len(names) > 12 {
		return strings.Join(names[:12], ", ") + ", … (" + strconv.Itoa(len(names)) + " in all)"
	}
	return strings.Join(names, ", ")
}

// Nearest returns the name closest to word, if it is close enough to be a
// misspelling, else "".
func Nearest(word string, names []string) string {
	best, bestName := len(word)/3+1, ""
	if len(word) < 3 {
		best = 0
	}
	for _, name := range names {
		if d := editDistance(strings.ToLower(word), strings.ToLower(name), best); d <= best && (d < best || bestName == "") {
			best, bestName = d, name
		}
	}
	return bestName
}

// editDistance is Levenshtein's; beyond limit it may be any larger number.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
