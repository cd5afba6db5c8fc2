package roles

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/namelist"
)

// Select returns the positions (from 0) of the columns that a selector names (see dataset.Selection), in the selector's
// order, each once, and which of them it names exactly. An element of the list that selects nothing is a fault.Usage
// error. "" selects nothing.
func Select(selector string, names []string) (columns []int, exact map[int]bool, err error) {
	exact = map[int]bool{}
	if selector == "" {
		return nil, exact, nil
	}
	if i := slices.Index(names, selector); i >= 0 {
		return []int{i}, map[int]bool{i: true}, nil
	}
	list := csv.NewReader(strings.NewReader(selector))
	list.LazyQuotes, list.TrimLeadingSpace = true, true
	elements, err := list.Read()
	if err != nil || strings.ContainsAny(selector, "\n\r") {
		return nil, nil, fault.New(fault.Usage, "%q is not a list of columns", selector).
			WithHint("write names, positions a:b or globs, separated by commas")
	}
	for _, element := range elements {
		found, isName, err := selectElement(strings.TrimSpace(element), names)
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

// ByName returns a selector of the columns called names.
func ByName(names []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(names) // a strings.Builder takes all
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// ByPosition returns a selector of the columns at positions from 0. Where another selector names such a column, that
// one takes precedence.
func ByPosition(columns []int) string {
	elements := make([]string, len(columns))
	for k, i := range columns {
		elements[k] = strconv.Itoa(i+1) + ":" + strconv.Itoa(i+1)
	}
	return strings.Join(elements, ",")
}

// selectElement returns the columns that an element of a selector's list names.
func selectElement(element string, names []string) (found []int, isName bool, err error) {
	if i := slices.Index(names, element); i >= 0 {
		return []int{i}, true, nil
	}
	first, last, cut := strings.Cut(element, ":")
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	if cut && errFrom == nil && errTo == nil {
		if from < 1 || to < from || to > len(names) {
			return nil, false, fault.New(fault.Usage,
				"columns %s: positions must be between 1 and %d, the first not after the last", element, len(names))
		}
		for i := from - 1; i < to; i++ {
			found = append(found, i)
		}
		return found, false, nil
	}
	if glob := compileGlob(element); glob != nil {
		for i, name := range names {
			if glob.MatchString(name) {
				found = append(found, i)
			}
		}
	}
	if len(found) == 0 {
		return nil, false, noColumn(element, names)
	}
	return found, false, nil
}

// compileGlob returns nil for a text without *, ? or a valid [set].
func compileGlob(text string) *regexp.Regexp {
	if !strings.ContainsAny(text, "*?[") {
		return nil
	}
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for len(text) > 0 {
		set := leadingSet.FindString(text)
		switch {
		case text[0] == '*':
			b.WriteString(".*")
		case text[0] == '?':
			b.WriteString(".")
		case set != "":
			b.WriteString(strings.Replace(set, "[!", "[^", 1))
			text = text[len(set)-1:]
		default:
			b.WriteString(regexp.QuoteMeta(text[:1]))
		}
		text = text[1:]
	}
	glob, err := regexp.Compile(b.String() + `\z`)
	if err != nil {
		return nil
	}
	return glob
}

var leadingSet = regexp.MustCompile(`\A\[!?[^\[\]\\!^]+\]`)

// noColumn is the error for an element that names no column.
func noColumn(element string, names []string) error {
	e := fault.New(fault.Usage, "no column is named %q", element)
	if i, err := strconv.Atoi(element); err == nil && i >= 1 && i <= len(names) {
		return e.WithHint("for column %d, %q, write its name or the positions %d:%d", i, names[i-1], i, i)
	}
	if len(names) == 1 {
		return e.WithHint("the only column is %q; if that is a whole line, give the separator with %s",
			names[0], fault.Name("sep"))
	}
	if near := namelist.Nearest(element, names); near != "" {
		return e.WithHint("did you mean %q? The columns are: %s", near, namelist.Abbreviate(names))
	}
	return e.WithHint("the columns are: %s", namelist.Abbreviate(names))
}
