package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The README's walk-through tells what its commands answer: the excerpt of the first train, the errors on test rows,
// and the verdict. With -update the excerpt and the sentences are written anew.
func TestReadmeWalkThrough(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	_, section, found := strings.Cut(readme, "## A walk-through\n")
	_, commands, opened := strings.Cut(section, "```sh\n")
	commands, _, closed := strings.Cut(commands, "```")
	if !found || !opened || !closed {
		t.Fatal("README.md has no walk-through")
	}
	answers := map[string]string{}
	dir := t.TempDir()
	for line := range strings.Lines(commands) {
		line, _, _ = strings.Cut(line, " #")
		line, _, _ = strings.Cut(line, " | head")
		words := strings.Fields(strings.ReplaceAll(line, "'", ""))
		if words[0] == "rvfl" { // the others install the command
			answers[strings.Join(words[1:3], " ")] += output(t, dir, words[1:]...)
		}
	}

	want := replaced(t, readme, "(excerpt):\n\n```\n", "```\n", excerpt(answers["train train.csv"]))
	want = replaced(t, want, "<!-- run: walk-through -->\n", "<!-- end -->", "\n"+outcome(t, answers)+"\n")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != readme {
		t.Errorf("the walk-through of README.md tells other answers: go test ./cmd/rvfl -run Readme -update\n%s",
			want[strings.Index(want, "(excerpt)"):strings.Index(want, "## Should I use it?")])
	}
}

// replaced puts a text between two others.
func replaced(t *testing.T, text, begin, end, between string) string {
	t.Helper()
	before, after, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(after, end)
	if !found || !closed {
		t.Fatalf("README.md has no part from %q to %q", begin, end)
	}
	return before + begin + between + end + after
}

// excerpt returns the rows of some methods of what the first train answers, and what it kept.
func excerpt(answer string) string {
	shown := regexp.MustCompile(`^  (method|tuned|averaged|projected|stack) `)
	continued := regexp.MustCompile(`^ {20}`)
	var out strings.Builder
	showing := false
	for line := range strings.Lines(answer) {
		if strings.HasPrefix(line, "  Kept: ") {
			return out.String() + "\n" + line
		}
		if showing = shown.MatchString(line) || showing && continued.MatchString(line); showing {
			out.WriteString(line)
		}
	}
	return "the answer keeps nothing\n"
}

// outcome says what the commands behind the first train answer.
func outcome(t *testing.T, answers map[string]string) string {
	t.Helper()
	find := func(command, pattern string) []string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(answers[command])
		if m == nil {
			t.Fatalf("%s: no %q in\n%s", command, pattern, answers[command])
		}
		return m[1:]
	}
	rmse := func(model string) string {
		v, err := strconv.ParseFloat(find("eval "+model, `all rows +([0-9.]+)`)[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	loss := find("train train.csv", `the loss is ([0-9.]+ ± [0-9.]+ %) (smaller|larger)\s+than that of averaged`)
	verdict := find("compare train.csv", `(Verdict: .*)\n`)[0]
	return "The two `eval` find a test RMSE of " + rmse("with.rvfl") + " with the lab columns in training and of " +
		rmse("without.rvfl") + " without them. So few rows\n" +
		"decide little: the first `train` also says that on rows that had no part in choosing the loss is " +
		loss[0] + " " + loss[1] + "\n" +
		"than without the lab columns. `compare` measures on many splits, tests against permutations of the lab " +
		"columns'\nresiduals, and says `" + verdict + "` ([docs/compare.md](docs/compare.md)).\n"
}
