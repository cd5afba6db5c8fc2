package celltext

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parseSlowly says what Parse means, without short cuts.
func parseSlowly(text string) (float64, Kind) {
	text = strings.TrimSpace(text)
	if slices.Contains([]string{"", "NA", "NaN", "nan", "?"}, text) {
		return math.NaN(), Missing
	}
	if digits, is := strings.CutPrefix(text, "−"); is && !strings.ContainsAny(digits[:min(1, len(digits))], "+-iInN") {
		text = "-" + digits
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case strings.ContainsAny(text, "_xXpP"), err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, Word
	case math.IsNaN(v):
		return v, Missing
	case math.IsInf(v, 0):
		return v, NotFinite
	}
	return v, Number
}

func sameCell(t *testing.T, text string) {
	t.Helper()
	v, kind := Parse(text)
	want, wantKind := parseSlowly(text)
	if kind != wantKind || math.Float64bits(v) != math.Float64bits(want) && !(math.IsNaN(v) && math.IsNaN(want)) {
		t.Errorf("%q is %v, %v, want %v, %v", text, v, kind, want, wantKind)
	}
}

// The short cuts must give the bits and kinds of the long way, which is strconv's.
func TestParseCellShortCuts(t *testing.T) {
	for _, text := range []string{
		"", "+", "-", ".", "-.", "..", "1..2", "1.2.3", ".5", "5.", "-0", "+0.0", "-0.000", "1-2", "--1", "e5", "1e",
		"1e5", "1E-400", "1e400",
		"9007199254740991", "9007199254740992", "9007199254740993", "9999999999999999999", "99999999999999999999",
		"0000000000000000001.5",
		"0.000000000000000001", "0.0000000000000000001", "1_0", "0x10", "1p3", "infinity", "-inf", "Infinity", "nAn",
		"NAN", "Iris", "x", "é", "naN1", " 1.5 ", "−3", " −.5e2", "−", "−-3", "−inf", "−x", "１", "1,5", "\xff",
	} {
		sameCell(t, text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		whole := strconv.FormatUint(random.Uint64()>>random.IntN(64), 10)
		at := random.IntN(len(whole) + 1)
		sameCell(t, strings.Repeat("-", random.IntN(2))+whole[:at]+"."+whole[at:])
		sameCell(t, FormatNumber(math.Float64frombits(random.Uint64())))
	}
}

func FuzzParseCell(f *testing.F) {
	for _, s := range []string{"1.5", "-0", "9007199254740993", ".", "1e5", "NA", " ?", "1.2.3",
		"123456789012345678901"} {
		f.Add(s)
	}
	f.Fuzz(sameCell)
}

func BenchmarkParseCell(b *testing.B) {
	for name, text := range map[string]string{"short": "-12.5", "digits17": "0.12345678901234567",
		"word": "Iris-setosa"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Parse(text)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	for text, want := range map[string]Kind{
		"": Missing, " ": Missing, "NA": Missing, "NaN": Missing, "?": Missing, "nan": Missing,
		"1": Number, " -1.5e3 ": Number, ".28": Number, "inf": NotFinite, "1e999": NotFinite, "-Infinity": NotFinite,
		"1,5": Word, "1_000": Word, "0x1p3": Word, "abc": Word, "1 2": Word,
	} {
		if _, got := Parse(text); got != want {
			t.Errorf("%q is of kind %d, want %d", text, got, want)
		}
	}
}

func TestAbbreviatedCells(t *testing.T) {
	forty := strings.Repeat("0123456789", 4)
	for text, want := range map[string]string{
		"": "", forty: forty, forty + "x": forty + "…", forty[1:] + "äx": forty[1:] + "…",
		forty[2:] + "äx": forty[2:] + "ä…", forty[3:] + "😀": forty[3:] + "…", forty + "\xff": forty + "…",
		strings.Repeat("\x80", 50): strings.Repeat("\x80", 36) + "…",
	} {
		if got := Abbreviate(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
