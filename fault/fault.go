// Package fault holds the errors a user can cause: what went wrong, where, what
// would be accepted, and a remedy. Everything else that fails is an internal
// error.
package fault

import (
	"errors"
	"fmt"
)

// Kind tells what has to change before a second try can succeed. It is an error
// itself, so that errors.Is(err, fault.Data) works. Its number is the exit code
// of the rvfl command.
type Kind int

const (
	Usage     Kind = 2 // a flag, a parameter or a column name is wrong
	Data      Kind = 3 // a data file or a model file is bad
	NotSolved Kind = 4 // the problem has no usable solution: singular, not finite
	Resource  Kind = 5 // memory or disk does not suffice, or a database server does not answer
)

// Error names the kind of failure.
func (k Kind) Error() string {
	switch k {
	case Usage:
		return "wrong usage"
	case Data:
		return "bad input"
	case NotSolved:
		return "not solved"
	case Resource:
		return "not enough memory or disk"
	}
	return "unknown fault"
}

// Error is a failure a user can cause and mend.
type Error struct {
	Kind Kind
	Msg  string // place, value received, values accepted
	Hint string // the remedy, or ""
	Err  error  // the cause, or nil

	msg, hint Text // Msg and Hint with their parameters told apart, for Wording
}

// Error returns the message without the hint.
func (e *Error) Error() string { return e.Msg }

// Is reports whether target is e's kind.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an error of kind k with a formatted message; a %w operand becomes its
// cause. Operands of type Name are parameters, which Wording can spell otherwise.
func New(k Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: k, Msg: err.Error(), Err: errors.Unwrap(err), msg: Text{format, args}}
}

// WithHint returns e with a remedy, whose operands may be Names too.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint, e.hint = fmt.Sprintf(format, args...), Text{format, args}
	return e
}

// Param returns the error for a parameter outside its range: "gamma must be > 0,
// got -1".
func Param(name, want string, got any) *Error {
	return New(Usage, "%s must be %s, got %v", name, want, got)
}

// HintOf returns the remedy of the first fault in err's chain, or "".
func HintOf(err error) string {
	var f *Error
	if errors.As(err, &f) {
		return f.Hint
	}
	return ""
}
