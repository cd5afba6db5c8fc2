package repro

import (
	"strings"
	"testing"
)

// committedResults are the results of docs/results, by the names of their files.
type committedResults struct{ results map[string]*Result }

func committed(t *testing.T) *committedResults {
	t.Helper()
	c := &committedResults{map[string]*Result{}}
	for _, name := range resultNames(t) {
		c.results[name] = readResult(t, name)
	}
	return c
}

func (c *committedResults) of(name string) *Result {
	r := c.results[name]
	if r == nil {
		panic("docs/results has no " + name + ".json")
	}
	return r
}

// view returns what a result has under a protocol.
func (c *committedResults) view(name, protocol string) view {
	r := c.of(name)
	for _, g := range r.grids() {
		if g.protocol.Name == protocol {
			return r.view(&g)
		}
	}
	panic(name + " has no protocol " + protocol)
}

// The tables with numbers of the paper, and those that have KRVFL+ beside KRVFL on several data sets.
var (
	tablesWithNumbers = []string{"table1", "table2", "table4", "table6", "table7", "table8"}
	tablesOfPairs     = []string{"table4", "table6", "table7", "table8"}
)

// paragraphs write what the results say, by the subjects of the documents' blocks: gainparagraphs_test.go what methods
// gain, paperparagraphs_test.go what stands beside the paper, runparagraphs_test.go how it was run.
var paragraphs = map[string]func(*committedResults) string{
	"where the columns helped":       (*committedResults).helped,
	"all differences of the stack":   (*committedResults).stackDifferences,
	"the worst splits of label":      (*committedResults).worstSplits,
	"networks of the literature":     (*committedResults).literature,
	"numbers of the paper, in short": (*committedResults).agreementInShort,
	"numbers of the paper":           (*committedResults).agreementTable,
	"pairs":                          (*committedResults).pairs,
	"how settings are chosen":        (*committedResults).tuningTable,
	"ranges":                         (*committedResults).ranges,
	"trials":                         (*committedResults).fewerTrials,
	"time of the full run":           (*committedResults).fullRun,
	"unfinished cells":               (*committedResults).unfinished,
	"table 2, published":             (*committedResults).table2,
	"findings of table 2, published": func(c *committedResults) string {
		return c.findings("table2", PublishedName, "")
	},
	"table 4, ours, in short": func(c *committedResults) string {
		return c.table4("KRVFL+", "KRVFL", "RVFL+", "RVFL", "SVM")
	},
	"table 4, ours": func(c *committedResults) string {
		return c.table4("KRVFL+", "RVFL+", "RVFL", "Fast SVM+", "MAT-SVM+", "SVM", "KRVFL")
	},
	"findings of table 4, ours": func(c *committedResults) string { return c.findings("table4", OursName, "") },
	"comparisons of table 4, ours": func(c *committedResults) string {
		return c.findings("table4", OursName, "RVFL+ against ")
	},
	"the paper's gain on Iris":        (*committedResults).iris,
	"Shuttle":                         (*committedResults).shuttle,
	"the files of the paper's tables": (*committedResults).files,
}

// Every paragraph is told by a document.
func TestParagraphsAreTold(t *testing.T) {
	all := ""
	for path := range documents {
		all += readDocument(t, path)
	}
	for subject := range paragraphs {
		if !strings.Contains(all, "<!-- measured: "+subject+" -->") {
			t.Errorf("no document tells %q", subject)
		}
	}
}

// filled wraps a text at column 120.
func filled(text string) string { return item("", text) }

// listed writes a text as an item of a Markdown list.
func listed(text string) string { return item("- ", text) }

func item(prefix, text string) string {
	var b strings.Builder
	wrapped(&b, prefix, text, 120)
	return strings.TrimSuffix(b.String(), "\n")
}

// tableText writes a Markdown table whose first columns are names.
func tableText(t table) string {
	var b strings.Builder
	t.markdown(&b)
	return strings.Trim(b.String(), "\n")
}

// findings lists the findings of a result under a protocol that contain a text.
func (c *committedResults) findings(name, protocol, containing string) string {
	var items []string
	for _, f := range c.of(name).Findings {
		if text, ok := strings.CutPrefix(f, protocol+": "); ok && strings.Contains(text, containing) {
			if word, _, _ := strings.Cut(text, " "); word == strings.ToLower(word) { // not gSMO-SVM+
				text = strings.ToUpper(text[:1]) + text[1:]
			}
			items = append(items, listed(text))
		}
	}
	return strings.Join(items, "\n")
}
