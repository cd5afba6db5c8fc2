package repro

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rvflplus/internal/registry"
)

// documents are the files that tell what was measured, with the least number of paragraphs that they tell.
var documents = map[string]int{
	"README.md": 4, "docs/reproduction.md": 12, "docs/methods.md": 15, "docs/ensembles.md": 6,
	"docs/results/README.md": 3,
}

// A block of lines <!-- measured: SUBJECT --> is followed by what was measured of these subjects, up to <!-- end -->. A
// subject is a paragraph of paragraphs_test.go or the beginning of a finding of docs/results/gains.json.
var (
	measuredBlock   = regexp.MustCompile(`((?:<!-- measured: [^\n]+ -->\n)+)((?s:.*?))<!-- end -->`)
	measuredSubject = regexp.MustCompile(`<!-- measured: ([^\n]+) -->`)
)

// root returns the path of a file of this repository.
func root(path string) string { return filepath.Join("..", "..", filepath.FromSlash(path)) }

func readDocument(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(root(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The blocks of the documents tell what follows from docs/results/*.json today. With -update they are written anew.
func TestDocumentsTellWhatWasMeasured(t *testing.T) {
	results := committed(t)
	for path, want := range documents {
		found := 0
		renewed := measuredBlock.ReplaceAllStringFunc(readDocument(t, path), func(b string) string {
			markers := measuredBlock.FindStringSubmatch(b)[1]
			out, last := markers, ""
			for _, m := range measuredSubject.FindAllStringSubmatch(markers, -1) {
				found++
				told := results.tell(t, m[1])
				if !strings.HasPrefix(last, "- ") || !strings.HasPrefix(told, "- ") { // a list has no blank lines
					out += "\n"
				}
				out, last = out+told+"\n", told
			}
			return out + "\n<!-- end -->"
		})
		if found < want {
			t.Errorf("%s tells %d paragraphs, want %d", path, found, want)
		}
		compareFile(t, root(path), []byte(renewed))
	}
}

// tell returns the text of a subject.
func (c *committedResults) tell(t *testing.T, subject string) string {
	t.Helper()
	if paragraph := paragraphs[subject]; paragraph != nil {
		return paragraph(c)
	}
	for _, f := range c.of("gains").Findings {
		if strings.HasPrefix(f, subject+": ") {
			return listed("Measured: " + f)
		}
	}
	t.Errorf("nothing was measured of %q", subject)
	return ""
}

// Every number in these documents stands in a block that is made from the results, in code, in a heading or a link, or
// is one that the program itself has: a new number that somebody types fails. The results beside them, *.md of
// docs/results, are compared as a whole by TestResultsFollowFromTheirTrials.
func TestDocumentsHaveNoOtherNumbers(t *testing.T) {
	allowed := allowedNumbers(t)
	for _, path := range []string{"README.md", "docs/reproduction.md", "docs/results/README.md"} {
		for _, line := range strays(readDocument(t, path), allowed) {
			t.Errorf("%s: the number is in no generated block: %s", path, line)
		}
	}
}

// The rules of the test above find a number, in digits or in words, and let through what may stay.
func TestStrayNumbersAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"KRVFL+ gains 3 points.": 1, "It took seven hours.": 1, "on average +0.7": 1, "- 12 of 14 data sets": 1,
		"| Iris | 74.8 |": 1, "twice as good": 1, "3 <!-- measured: x -->": 1,
		"<!-- measured: x -->\n\n3 points\n\n<!-- end -->": 0, "<!-- run: x -->\n\n3 points\n\n<!-- end -->": 0,
		"```sh\nrvfl --trials 3\n```": 0, "# Table 2": 0, "see table 4, tables 6 and 8 and figures 2, 3a and 3b": 0,
		"`--trials 3` and [a link](3.md)": 0, "the L1 norm": 0, "the value is 7\nor 8": 1,
		"more than two standard errors": 0,
	} {
		if got := strays(text, []string{"is 7 or"}); len(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

var (
	generatedPart = regexp.MustCompile(`(?s)<!-- (measured|run|readings): [^\n]+ -->\n.*?<!-- end -->`)
	fencedPart    = regexp.MustCompile("(?sm)^```.*?^```$")
	headingLine   = regexp.MustCompile(`(?m)^#.*$`)
	codeSpan      = regexp.MustCompile("`[^`\n]+`")
	linkTarget    = regexp.MustCompile(`\]\([^)]+\)`)
	paperPart     = regexp.MustCompile(`(?i)\b(tables?|figures?|section)\s(\d[ab]?\b(,\s|\s(and|to)\s)?)+`)
	numberWord    = regexp.MustCompile(`\d|\b(three|four|five|six|seven|eight|nine|ten|twelve|twenty|twice|hundred|` +
		`thousand)\b`)
	// The section whose numbers are of the paper and of the data, by the side of rvfl repro readings.
	whySection = regexp.MustCompile(`(?s)\n## Numbers that cannot be reproduced, and why\n.*?(\n## |\z)`)
)

// strays returns the lines of a document with a number that is in no generated block and that no rule allows.
func strays(text string, allowed []string) []string {
	for _, part := range []*regexp.Regexp{generatedPart, fencedPart, whySection, headingLine} {
		text = part.ReplaceAllString(text, "")
	}
	for _, phrase := range allowed {
		words := strings.Fields(regexp.QuoteMeta(phrase))
		text = regexp.MustCompile(strings.Join(words, `\s+`)).ReplaceAllString(text, "")
	}
	for _, part := range []*regexp.Regexp{codeSpan, linkTarget, paperPart} {
		text = part.ReplaceAllString(text, "")
	}
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if numberWord.MatchString(strings.ReplaceAll(line, "L1", "")) {
			out = append(out, line)
		}
	}
	return out
}

// allowedNumbers are what these documents may say: names, the reference, and phrases that are made from the constants
// of the program.
func allowedNumbers(t *testing.T) []string {
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readDocument(t, "go.mod"))
	phrases := []string{
		"Go " + version[1], "Neural Networks 122 (2020) 94-105", "Neural Networks 122, 2020",
		"8N² bytes and N³/3 operations", "two to four trials", regions["figure2"].words[:len("C = 1 and γ = 1000")],
		fmt.Sprintf("| `--trials` | %d |", defaultTrials), fmt.Sprintf("| `--limit` | %g |", defaultLimit.Minutes()),
		fmt.Sprintf("| `--seed` | %d |", Options{}.Seed), "standard error 0",
		fmt.Sprintf("for example %.1f with three trials", manyErrors(3)),
		fmt.Sprintf("white noise of %d dBW (variance %g)", noisePower, math.Pow(10, noisePower/10)),
		fmt.Sprintf("%d enhancement nodes", nodes), fmt.Sprintf("γ = %d", gammaOfPaper),
		fmt.Sprintf("more than %d iterations", maxIterations), fmt.Sprintf("duality gap of %g.", tightest),
		fmt.Sprintf("a gap 10 times as large, and so on up to %g.", 10*loosest),
	}
	for _, row := range registry.Paper() {
		phrases = append(phrases, row.Problem)
	}
	slices.SortFunc(phrases, func(a, b string) int { return len(b) - len(a) })
	return phrases
}
