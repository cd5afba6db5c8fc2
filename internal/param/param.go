// Package param describes every hyper-parameter once: its name, what it means, the values
// it takes, its default and the range it is tuned over. Flags, help texts, the JSON of
// settings and of model files, validation, the dimensions of a search and
// docs/parameters.md are made from these descriptions.
package param

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/fault"
)

// Param is a hyper-parameter as code sees it that treats all of them alike.
type Param interface {
	// About describes the parameter.
	About() *About
	// Text writes the parameter's value in c.
	Text(c *Config) string
	// SetText sets the parameter in c to what text spells, or returns a fault.Usage
	// error that names the accepted values.
	SetText(c *Config, text string) error
	// Check returns a fault.Usage error when the value in c is outside its range.
	Check(c *Config) error
	// JSON returns the value in c as encoding/json takes it; nil when there is none.
	JSON(c *Config) any
	// Number returns a numeric value in c, NaN when there is none.
	Number(c *Config) float64

	// Reset sets the default in c.
	Reset(c *Config)
}

// About describes a parameter.
type About struct {
	Name    string   // of the flag; with underscores for dashes, the key in JSON
	Short   string   // the flag's letter, or ""
	Doc     string   // what it means: a phrase for a help text
	Type    string   // number, int, word, kernel, weights, uint64 or bool
	Words   []string // of a word: the accepted values
	Want    string   // the accepted values, in words
	Default string   // the default in text, "" where Doc tells it
	Alone   string   // the value that the flag means when none follows it, "" where one has to follow
	Tuned   Range    // what a search varies it over; zero for parameters that are not tuned

	absent func(*Config) bool // nil: always present
}

// Key returns the parameter's name in JSON.
func (a *About) Key() string { return strings.ReplaceAll(a.Name, "-", "_") }

// Usage returns the phrase of a help text: Doc, and of a word the accepted ones.
func (a *About) Usage() string {
	if a.Words == nil {
		return a.Doc
	}
	return a.Doc + ": " + strings.Join(a.Words, ", ")
}

// Range is an interval that a search covers evenly in the logarithm.
type Range struct{ Low, High float64 }

// At returns the value a share t of the way, in the logarithm.
func (r Range) At(t float64) float64 {
	return r.Low * math.Exp(t*math.Log(r.High/r.Low))
}

// Of is a parameter that has a field of type T in Config.
type Of[T any] struct {
	about About
	field func(*Config) *T
	def   T
	clone func(T) T // nil where assigning copies
	check func(T) error
	parse func(text string) (T, error)
	text  func(T) string
}

// About implements Param.
func (p *Of[T]) About() *About { return &p.about }

// Text implements Param.
func (p *Of[T]) Text(c *Config) string { return p.text(*p.field(c)) }

// SetText implements Param.
func (p *Of[T]) SetText(c *Config, text string) error {
	v, err := p.parse(text)
	if err == nil {
		*p.field(c) = v
	}
	return err
}

// Check implements Param.
func (p *Of[T]) Check(c *Config) error {
	v := *p.field(c)
	if n, is := any(v).(int); is && n > math.MaxInt32 { // what files and flags take
		return fault.Param(p.about.Name, p.about.Want, n)
	}
	return p.CheckValue(v)
}

// CheckValue returns a fault.Usage error when v is outside the parameter's range.
func (p *Of[T]) CheckValue(v T) error {
	if p.check == nil {
		return nil
	}
	return p.check(v)
}

// Default returns the parameter's default, the caller's to change.
func (p *Of[T]) Default() T {
	if p.clone == nil {
		return p.def
	}
	return p.clone(p.def)
}

// Reset implements Param.
func (p *Of[T]) Reset(c *Config) { *p.field(c) = p.Default() }

// Set sets the parameter in c.
func (p *Of[T]) Set(c *Config, v T) { *p.field(c) = v }

// JSON implements Param.
func (p *Of[T]) JSON(c *Config) any {
	if p.about.absent != nil && p.about.absent(c) {
		return nil
	}
	switch v := any(*p.field(c)).(type) {
	case fmt.Stringer:
		return v.String()
	case float64:
		if v != v { // a foreign model's, which is not known
			return nil
		}
		return v
	default:
		return v
	}
}

// Number implements Param.
func (p *Of[T]) Number(c *Config) float64 {
	switch v := p.JSON(c).(type) {
	case float64:
		return v
	case int:
		return float64(v)
	}
	return math.NaN()
}

// JSONText returns the text of a JSON value, as SetText takes it.
func JSONText(data json.RawMessage) string {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return text
	}
	return string(data)
}

// number describes a float64; want tells which values ok accepts.
func number(about About, def float64, want string, ok func(float64) bool, field func(*Config) *float64) *Of[float64] {
	about.Type, about.Want, about.Default = "number", want, FormatNumber(def)
	good := func(v float64) bool { return ok(v) && !math.IsInf(v, 0) && v == v }
	return &Of[float64]{
		about: about, field: field, def: def,
		check: func(v float64) error {
			if !good(v) {
				return fault.Param(about.Name, want, v)
			}
			return nil
		},
		parse: func(text string) (float64, error) {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || !good(v) || strings.ContainsAny(text, "_xX") {
				return 0, fault.Param(about.Name, want, strconv.Quote(text))
			}
			return v + 0, nil // -0 becomes 0
		},
		text: FormatNumber,
	}
}

func positive(v float64) bool    { return v > 0 }
func notNegative(v float64) bool { return v >= 0 }

const (
	wantPositive    = "a finite number > 0"
	wantNotNegative = "a finite number >= 0"
)

// FormatNumber writes a number in the shortest form that reads back the same.
func FormatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// whole describes an int of at least 1; orNone also allows 0, which stands for a default
// that Doc tells.
func whole(about About, def int, orNone bool, field func(*Config) *int) *Of[int] {
	about.Type, about.Want = "int", fmt.Sprintf("a whole number from 1 to %d", math.MaxInt32)
	if def > 0 {
		about.Default = strconv.Itoa(def)
	}
	return &Of[int]{
		about: about, field: field, def: def,
		check: func(v int) error {
			if v < 1 && (v < 0 || !orNone) {
				return fault.Param(about.Name, "a whole number >= 1", v)
			}
			return nil
		},
		parse: func(text string) (int, error) {
			v, err := strconv.Atoi(text)
			if err != nil || v < 1 || v > math.MaxInt32 {
				return 0, fault.Param(about.Name, about.Want, strconv.Quote(text))
			}
			return v, nil
		},
		text: func(v int) string {
			if v == 0 {
				return ""
			}
			return strconv.Itoa(v)
		},
	}
}

// word describes one of some words; orNone also allows "", which stands for a default
// that Doc tells.
func word[T ~string](about About, def T, orNone bool, field func(*Config) *T) *Of[T] {
	about.Type, about.Want, about.Default = "word", "one of "+strings.Join(about.Words, ", "), string(def)
	return &Of[T]{
		about: about, field: field, def: def,
		check: func(v T) error {
			if !slices.Contains(about.Words, string(v)) && !(orNone && v == "") {
				return fault.Param(about.Name, about.Want, string(v))
			}
			return nil
		},
		parse: func(text string) (T, error) {
			if !slices.Contains(about.Words, text) {
				return "", fault.Param(about.Name, about.Want, strconv.Quote(text))
			}
			return T(text), nil
		},
		text: func(v T) string { return string(v) },
	}
}

func toggle(about About, def bool, field func(*Config) *bool) *Of[bool] {
	about.Type, about.Want, about.Default, about.Alone = "bool", "true or false", strconv.FormatBool(def), "true"
	return &Of[bool]{about: about, field: field, def: def, parse: strconv.ParseBool, text: strconv.FormatBool}
}
