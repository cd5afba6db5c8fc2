package celltext

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"rvflplus/fault"
)

// disguise writes a whole number and decimals with separators.
func disguise(whole, frac string, group, decimal string) string {
	var b strings.Builder
	for i, d := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(group)
		}
		b.WriteRune(d)
	}
	if frac != "" {
		b.WriteString(decimal + frac)
	}
	return b.String()
}

// A number in any disguise has the bits of the plain number.
func TestDisguisesHaveTheBitsOfPlainNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		whole := strconv.Itoa(random.IntN(int(math.Pow10(1 + random.IntN(9)))))
		frac := strconv.Itoa(random.IntN(int(math.Pow10(1 + random.IntN(6)))))
		separators := [][2]string{{",", "."}, {".", ","}, {" ", ","}, {"\u00a0", "."}, {"'", "."}, {"", ","}}
		pair := separators[random.IntN(len(separators))]
		wraps := []string{"%s", "$%s", "%s €", "-%s", "(%s)", "%s%%", "%s kg", "€ %s", "- %s", "%s m²", "-$%s"}
		wrap := wraps[random.IntN(len(wraps))]
		text := strings.ReplaceAll(strings.Replace(wrap, "%s", disguise(whole, frac, pair[0], pair[1]), 1), "%%", "%")
		w, ok := Split(text)
		if !ok {
			t.Fatalf("%q is no number", text)
		}
		want, _ := strconv.ParseFloat(whole+"."+frac, 64)
		if strings.ContainsAny(wrap, "-(") {
			want = -want
		}
		if got, ok := w.Value(pair[1][0]); !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q is %v (%v), want %v: %+v", text, got, ok, want, w)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range []string{
		"-$1,234.50", "1.4%", "1.200,50 €", "(12)", "1 234,5", "5 mg/dl", "0,123", "1'234", "US$ 3", "12,34,567",
		"1.5e3", "3,67E-05", "1,234E5 kg", "1e400", "1.234.567e2",
		".5", ",", "- -1", "(-1)", "1,2,3", "１",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, ok := Split(text)
		if !ok {
			return
		}
		for _, decimal := range []byte(".,") {
			if v, ok := w.Value(decimal); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
				t.Errorf("%q is %v", text, v)
			}
		}
		// A plain number is no other number for being looked at more closely.
		if v, kind := Parse(text); kind == Number && w.Prefix+w.Suffix == "" && w.Decimal != ',' {
			if got, ok := w.Value('.'); !ok || got != v {
				t.Errorf("%q is %v, as a plain number %v", text, got, v)
			}
		}
	})
}

func TestDays(t *testing.T) {
	for text, want := range map[string]float64{
		"1970-01-01": 0, "1969-12-31": -1, "2000-03-01": 11017, "1970-01-01T06:00": 0.25, "1970-01-01 18:00:00": 0.75,
		"1970-01-01T00:00:00+12:00": -0.5, "1970-01-02T12:00:00.000Z": 1.5, "1970-02": 31, "19700102T120000": 1.5,
		"9999-12-31": 2932896, "0001-01-01": -719162, "1969-12-31T18:00Z": -0.25,
	} {
		at, ok := ISOTime(text)
		if got := Day(at); !ok || got != want {
			t.Errorf("%q is day %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{
		"", "1970", "1970-1-1", "1970-13-01", "2023-02-29", "19700101", "12:30", "1970-01-01T25:00", "01/02/1970",
		"1970-01-01 noon", "１970-01-01",
	} {
		if at, ok := ISOTime(text); ok {
			t.Errorf("%q is %v", text, at)
		}
	}
	for day, want := range map[float64]string{0: "1970-01-01", -0.5: "1969-12-31T12:00:00", 19782: "2024-02-29",
		0.25 + 1e-6/86400: "1970-01-01T06:00:00.000001"} {
		if got := FormatDay(day); got != want {
			t.Errorf("day %v is %q, want %q", day, got, want)
		}
	}
}

// strptime of Python's datetime gives these times.
func TestDateFormats(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"%d.%m.%Y", "31.1.2024", "2024-01-31"},
		{"%m/%d/%y", "1/31/68", "2068-01-31"},
		{"%m/%d/%y", "1/31/69", "1969-01-31"},
		{"%Y%m%d", "20240131", "2024-01-31"},
		{"%Y-%j", "2024-366", "2024-12-31"},
		{"%d %b %Y", "31 jan 2024", "2024-01-31"},
		{"%B %d, %Y", "January 31, 2024", "2024-01-31"},
		{"%A %d %B %Y", "Wednesday 31 January 2024", "2024-01-31"},
		{"%d/%m/%Y %I:%M %p", "31/01/2024 12:30 AM", "2024-01-31T00:30:00"},
		{"%d/%m/%Y %I:%M %p", "31/01/2024 01:30 PM", "2024-01-31T13:30:00"},
		{"%F %T.%f", "2024-01-31 10:20:30.5", "2024-01-31T10:20:30.5"},
		{"%FT%T%z", "2024-01-31T10:20:30+0100", "2024-01-31T09:20:30"},
		{"%FT%T%z", "2024-01-31T10:20:30+01:00", "2024-01-31T09:20:30"},
		{"%d.%m.%Y", "31.02.2024", ""},
		{"%d.%m.%Y", "31.01.24", ""},
		{"%d.%m.%Y", "31.01.2024 ?", ""},
		{"%Y-%j", "2023-366", ""},
		{"%d %b %Y", "31 foo 2024", ""},
		{"%m/%d/%Y", "13/01/2024", ""},
	} {
		f := DateFormat(c.format)
		if err := f.Check(); err != nil {
			t.Errorf("%s: %v", c.format, err)
		}
		at, ok := f.Time(c.text)
		got := ""
		if ok {
			got = FormatDay(Day(at))
		}
		if got != c.want {
			t.Errorf("%q by %s is %q, want %q", c.text, c.format, got, c.want)
		}
	}
	for _, format := range []string{"%", "%Q", "%Y", "%d.%m", "dd.mm.yyyy", "%H:%M"} {
		if err := DateFormat(format).Check(); err == nil || !strings.Contains(err.Error(), "date-format") ||
			fault.HintOf(err) != "" {
			t.Errorf("%q: %v", format, err)
		}
	}
}

func FuzzDates(f *testing.F) {
	f.Add("%Y-%m-%dT%H:%M:%S%z", "2024-01-31T10:20:30+01:00")
	f.Add("%d.%m.%y %I %p", "31.01.24 12 pm")
	f.Add("%j %Y %f", "366 2024 999999999")
	f.Add("%A %B %%", "monday january %")
	f.Fuzz(func(t *testing.T, format, text string) {
		for _, read := range []func(string) (time.Time, bool){DateFormat(format).Time, ISOTime} {
			at, ok := read(text)
			if !ok {
				continue
			}
			day := Day(at)
			back, is := ISOTime(FormatDay(day))
			if at.Year() > 1 && at.Year() < 9999 && (!is || math.Abs(Day(back)-day) > 1e-10) {
				t.Errorf("%q by %q is day %v, written %s", text, format, day, FormatDay(day))
			}
		}
	})
}

func TestMarkers(t *testing.T) {
	for _, text := range []string{"", " ", "NA", "na", "N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "None", "nil", "-",
		".",
		"?", "NaN", " NA "} {
		if !Markers(nil).Has(text) {
			t.Errorf("%q is not missing", text)
		}
	}
	for _, text := range []string{"0", "missing", "--", "nope", "n", "unknown"} {
		if Markers(nil).Has(text) {
			t.Errorf("%q is missing", text)
		}
	}
	own := ParseMarkers(" -999, unknown,,-999")
	if len(own) != 2 || !own.Has("-999") || !own.Has("") || own.Has("NA") || own.Numbers()[0] != -999 {
		t.Errorf("%q", own)
	}
	if none := ParseMarkers(""); none == nil || none.Has("NA") || !none.Has("") {
		t.Errorf("an empty list: %#v", none)
	}
}

func TestFoldUnit(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{{"kg", "KG", true}, {"Kg", "kg", true}, {"€", "€", true}, {"mW", "MW", false}, {"mg", "MG", false},
		{"MB", "Mb", true}, {"", "", true}} {
		if (FoldUnit(c.a) == FoldUnit(c.b)) != c.same {
			t.Errorf("%s and %s", c.a, c.b)
		}
	}
}
