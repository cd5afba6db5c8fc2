package arff

import (
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/lines"
)

// scanner takes one line apart.
type scanner struct {
	lines *lines.Reader
	text  string
	at    int
}

// token is a name or a value without its quotes, and where it begins.
type token struct {
	text   string
	quoted bool
	at     int
}

// end skips blanks and reports whether the line or a comment ends there.
func (s *scanner) end() bool {
	for s.at < len(s.text) && lines.Blank(s.text[s.at]) {
		s.at++
	}
	return s.at == len(s.text) || s.text[s.at] == '%'
}

// take skips blanks and then c, if that comes next.
func (s *scanner) take(c byte) bool {
	if s.end() || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

// word reads up to a blank.
func (s *scanner) word() string {
	begin := s.at
	for s.at < len(s.text) && !lines.Blank(s.text[s.at]) {
		s.at++
	}
	return s.text[begin:s.at]
}

// token reads a name or a value, which begins where the scanner stands and is not empty unless quoted.
func (s *scanner) token() (token, error) {
	if c := s.text[s.at]; c == '"' || c == '\'' {
		return s.quoted(c)
	}
	begin := s.at
	for s.at < len(s.text) && !s.delimiter(s.text[s.at]) {
		if c := s.text[s.at]; c == '"' || c == '\'' {
			return token{}, s.fault(s.at, "a quote inside an unquoted value").WithHint(quoting)
		}
		s.at++
	}
	t := token{text: s.text[begin:s.at], at: begin}
	if t.text == "" {
		return token{}, s.fault(begin, "%q where a name or a value must be", s.text[begin:begin+1]).WithHint(quoting)
	}
	return t, s.lines.Check(t.text, begin)
}

const quoting = `names and values with blanks, commas, braces or quotes are written 'like this', ` +
	`with \' for a quote inside`

func (s *scanner) delimiter(c byte) bool {
	return lines.Blank(c) || c == ',' || c == '{' || c == '}'
}

func (s *scanner) quoted(quote byte) (token, error) {
	begin := s.at
	for s.at++; s.at < len(s.text) && s.text[s.at] != quote; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	if s.at >= len(s.text) {
		return token{}, s.fault(begin, "the quote is not closed on its line").WithHint(quoting)
	}
	raw := s.text[begin+1 : s.at]
	s.at++
	if s.at < len(s.text) && !s.delimiter(s.text[s.at]) {
		return token{}, s.fault(s.at, "%q right after a closing quote", s.text[s.at:s.at+1]).WithHint(quoting)
	}
	return token{unescape(raw), true, begin}, s.lines.Check(raw, begin)
}

// fault is the error for the text that begins at byte at.
func (s *scanner) fault(at int, format string, args ...any) *fault.Error {
	return s.lines.Fault(at, format, args...)
}

// escapes are the escapes of C that Weka knows. \ooo is a character's number in octal; any other escaped character
// stands for itself.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'a': '\a', 'v': '\v'}

func unescape(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var out strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			out.WriteByte(raw[i])
			continue
		}
		i++
		value, digits := octal(raw[i:])
		letter, known := escapes[raw[i]]
		switch {
		case digits > 0:
			out.WriteRune(value)
			i += digits - 1
		case known:
			out.WriteByte(letter)
		default:
			out.WriteByte(raw[i])
		}
	}
	return out.String()
}

// octal reads at most three octal digits, up to 377.
func octal(text string) (value rune, digits int) {
	for digits < min(3, len(text)) && '0' <= text[digits] && text[digits] <= '7' && value < 0o40 {
		value = 8*value + rune(text[digits]-'0')
		digits++
	}
	return value, digits
}
