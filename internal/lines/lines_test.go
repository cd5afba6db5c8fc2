package lines

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"rvflplus/fault"
)

func all(text io.Reader) (lines []string, err error) {
	r, err := NewReader(text, "t")
	if err != nil {
		return nil, err
	}
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		if lines = append(lines, line); len(lines) != r.Number {
			return lines, errors.New("lines are counted wrongly")
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	for text, want := range map[string][]string{
		"a\nb\n":                 {"a", "b"},
		"a\r\nb":                 {"a", "b"},
		"\ufeffa\n\n\nb":         {"a", "", "", "b"},
		long + "\n" + long + "y": {long, long + "y"},
		"a\n" + long[1:] + "\nb": {"a", long[1:], "b"},
	} {
		got, err := all(strings.NewReader(text))
		if err != nil || strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%.20q: %.99q, %v", text, got, err)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, strings.Repeat("x", len(p))), nil }

func TestBadText(t *testing.T) {
	for name, c := range map[string]struct {
		text io.Reader
		want string
	}{
		"empty":   {strings.NewReader(""), "t is empty"},
		"blank":   {strings.NewReader(" \n\n"), "t is empty"},
		"binary":  {strings.NewReader("a\x00b"), "t is not a text"},
		"UTF-16":  {strings.NewReader("\xff\xfea\x00"), "t is UTF-16"},
		"gzip":    {strings.NewReader("\x1f\x8b\x08"), "t is a gzip"},
		"lone CR": {strings.NewReader("1 2\r3 4\r"), "t: lines end"},
		"endless": {endless{}, "t:1: a line of more"},
		"cut off": {io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(io.ErrUnexpectedEOF)),
			"t: the compressed"},
		"broken":   {io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errors.New("no"))), "t:2: no"},
		"no start": {iotest.ErrReader(errors.New("no")), "t:1: no"},
	} {
		if _, err := all(c.text); !errors.Is(err, fault.Data) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheck(t *testing.T) {
	r := &Reader{name: "t", Number: 7}
	for cell, want := range map[string]string{
		strings.Repeat("x", MaxCell+1): "t:7:4: a cell of 1048577 bytes",
		"\xff":                         "t:7:4: \"\\xff\" is not UTF-8",
		"a\x00":                        "t:7:4: ",
	} {
		if err := r.Check(cell, 3); !errors.Is(err, fault.Data) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.9q: %v", cell, err)
		}
	}
	if err := r.Check(strings.Repeat("x", MaxCell), 3); err != nil {
		t.Error(err)
	}
}
