package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Name is a parameter in a message, by the name that the command's flag has. A message
// of the library shows the name alone; a program with another way to set parameters
// words it by Wording.
type Name string

// Setting is a parameter with a value, as a remedy names it: impute=mean.
type Setting struct {
	Name  Name
	Value string
}

// Set returns the setting of a parameter to a value.
func Set(name Name, value string) Setting { return Setting{name, value} }

// String returns name=value.
func (s Setting) String() string { return string(s.Name) + "=" + s.Value }

// Speller writes parameters and settings as a program's users know them.
type Speller struct {
	Name    func(Name) string
	Setting func(Setting) string
}

// Wording returns err's message and the remedy of the first fault in its chain, both
// with parameters as s spells them.
func Wording(err error, s Speller) (message, hint string) {
	message = err.Error()
	var f *Error
	if !errors.As(err, &f) {
		return message, ""
	}
	replace(err, s, &message)
	return message, f.hint.or(f.Hint, s)
}

// replace puts the wording of every fault in err's tree in the place of its message.
func replace(err error, s Speller, message *string) {
	if f, is := err.(*Error); is {
		*message = strings.Replace(*message, f.Msg, f.msg.or(f.Msg, s), 1)
		return // the wording of f holds that of its cause
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if cause := e.Unwrap(); cause != nil {
			replace(cause, s, message)
		}
	case interface{ Unwrap() []error }:
		for _, cause := range e.Unwrap() {
			replace(cause, s, message)
		}
	}
}

// Text is a message with its parameters told apart: a note or a warning.
type Text struct {
	format string
	args   []any
}

// Textf returns the message of a format, whose operands may be Names and Settings.
func Textf(format string, args ...any) Text { return Text{format, args} }

// Plain returns s as a message without parameters.
func Plain(s string) Text { return Text{"%s", []any{s}} }

// String returns the message with parameters by their names.
func (t Text) String() string { return fmt.Sprintf(t.format, t.args...) }

// Spell returns the message with parameters as s spells them.
func (t Text) Spell(s Speller) string {
	args := make([]any, len(t.args))
	for i, arg := range t.args {
		switch v := arg.(type) {
		case Name:
			args[i] = s.Name(v)
		case Setting:
			args[i] = s.Setting(v)
		case Text:
			args[i] = v.Spell(s)
		case error:
			args[i], _ = Wording(v, s)
		default:
			args[i] = arg
		}
	}
	return fmt.Sprintf(strings.ReplaceAll(t.format, "%w", "%v"), args...)
}

// MarshalText implements encoding.TextMarshaler.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Plain(string(text))
	return nil
}

// HintText is HintOf with its parameters told apart, for the hint of another error:
// WithHint("%s", HintText(err)).
func HintText(err error) Text {
	var f *Error
	if !errors.As(err, &f) {
		return Plain("")
	}
	if f.hint.format == "" {
		return Plain(f.Hint)
	}
	return f.hint
}

// or returns the text as s spells it; plain if there is no format.
func (t Text) or(plain string, s Speller) string {
	if t.format == "" {
		return plain
	}
	return t.Spell(s)
}
