package arff

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/lines"
)

// readHeader reads up to and including @data.
func (r *Reader) readHeader() error {
	seen := map[string]int{}
	for {
		text, err := r.lines.Next()
		if errors.Is(err, io.EOF) {
			return fault.New(fault.Data, "%s ends without a line @data", r.options.Name).
				WithHint("the file may be cut off")
		}
		if err != nil {
			return err
		}
		s := &scanner{lines: r.lines, text: text}
		if s.end() {
			continue
		}
		at := s.at
		switch keyword := s.word(); strings.ToLower(keyword) {
		case "@relation":
			r.relation, err = s.relation()
		case "@attribute":
			err = r.attribute(s, seen)
		case "@data":
			if len(r.attributes) == 0 {
				return s.fault(at, "@data comes before any @attribute")
			}
			return r.findTargets()
		default:
			err = s.fault(at, "%q where a line of the header must begin", lines.Abbreviate(keyword)).
				WithHint("an ARFF header has lines @relation NAME, @attribute NAME TYPE and, at last, @data")
		}
		if err != nil {
			return err
		}
	}
}

// relation reads the rest of the line, quoted or not.
func (s *scanner) relation() (string, error) {
	if s.end() {
		return "", nil
	}
	if c := s.text[s.at]; c == '"' || c == '\'' {
		t, err := s.token()
		return t.text, err
	}
	name := strings.TrimSpace(s.text[s.at:])
	return name, s.lines.Check(name, s.at)
}

func (r *Reader) attribute(s *scanner, seen map[string]int) error {
	if s.end() {
		return s.fault(s.at, "the attribute has no name")
	}
	name, err := s.token()
	if err != nil {
		return err
	}
	n := len(r.attributes)
	if first, again := seen[name.text]; again {
		return s.fault(name.at, "attributes %d and %d are both called %q", first+1, n+1, name.text).
			WithHint("rename one")
	}
	if n == r.most {
		return s.fault(name.at, "more than %d attributes", n)
	}
	seen[name.text] = n
	a := attribute{Field: dataset.Field{Name: name.text}}
	if err := s.typeOf(&a); err != nil {
		return err
	}
	r.attributes = append(r.attributes, a)
	return nil
}

// typeOf reads the type of an attribute.
func (s *scanner) typeOf(a *attribute) error {
	if s.take('{') {
		a.Kind = dataset.Nominal
		return s.levels(a)
	}
	at := s.at
	switch word := s.word(); strings.ToLower(word) {
	case "numeric", "real", "integer":
		a.Kind = dataset.Numeric
	case "string":
	case "date":
		return nil // a pattern may follow
	case "relational":
		return s.fault(at, "attribute %q is relational, which is not read", a.Name).WithHint("flatten it to columns")
	default:
		return s.fault(at, "attribute %q has the type %q; numeric, real, integer, string, date and {…} are read",
			a.Name, lines.Abbreviate(word)).WithHint(quoting)
	}
	return s.afterType(a)
}

// afterType accepts a comment, or the range that KEEL writes.
func (s *scanner) afterType(a *attribute) error {
	if s.end() || s.text[s.at] == '[' {
		return nil
	}
	return s.fault(s.at, "text after the type of attribute %q", a.Name).WithHint("weights of attributes are not read")
}

// levels reads a list of categories behind its opening brace.
func (s *scanner) levels(a *attribute) error {
	a.codes = map[string]int{}
	for !s.take('}') {
		if s.end() {
			return s.fault(s.at, "the list of values of attribute %q is not closed on its line", a.Name).
				WithHint(quoting)
		}
		level, err := s.token()
		if err != nil {
			return err
		}
		if _, again := a.codes[level.text]; again {
			return s.fault(level.at, "attribute %q has the value %q twice", a.Name, lines.Abbreviate(level.text))
		}
		a.codes[level.text] = len(a.Levels)
		a.Levels = append(a.Levels, level.text)
		s.take(',')
	}
	return s.afterType(a)
}

// findTargets reads MEKA's mark in the name of the relation, behind its first colon: -C k says that the first k
// attributes are targets, -C -k that the last k are.
func (r *Reader) findTargets() error {
	_, options, _ := strings.Cut(r.relation, ":")
	words := strings.Fields(options)
	for i := 1; i < len(words); i++ {
		k, err := strconv.Atoi(words[i])
		if words[i-1] != "-C" || err != nil {
			continue
		}
		n := len(r.attributes)
		if k == 0 || k > n || k < -n {
			return fault.New(fault.Data, "%s: the relation is called %q, but there are %d attributes",
				r.options.Name, lines.Abbreviate(r.relation), n).
				WithHint("-C k marks the first k attributes as targets, -C -k the last k")
		}
		marked := r.attributes[:max(k, 0)]
		if k < 0 {
			marked = r.attributes[n+k:]
		}
		for _, a := range marked {
			r.targets = append(r.targets, a.Name)
		}
		return nil
	}
	return nil
}
