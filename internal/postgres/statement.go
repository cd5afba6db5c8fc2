package postgres

import (
	"io"
	"strings"
	"unicode/utf8"

	"rvflplus/fault"
	"rvflplus/internal/inputfile"
)

// maxName is the greatest number of bytes of a name; PostgreSQL cuts longer ones without an error.
const maxName = 63

// tableName reads the name of a table, NAME or SCHEMA.NAME, and quotes it for SQL. Names are taken as they are
// written; a part with a dot or a quote in it is put in double quotes, where "" is a quote.
func tableName(text string) (string, error) {
	wrong := func(why string) error {
		return fault.New(fault.Usage, "the table %s: %s", text, why).
			WithHint(`write NAME or SCHEMA.NAME; a name with a dot goes in double quotes, as in '"a.b"'`)
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", wrong("the name is not UTF-8 text")
	}
	var parts []string
	for rest, more := text, true; more; {
		var part string
		if strings.HasPrefix(rest, `"`) {
			length := closingQuote(rest)
			if length < 0 {
				return "", wrong("a quote is not closed")
			}
			part, rest = strings.ReplaceAll(rest[1:length], `""`, `"`), rest[length+1:]
			if more = strings.HasPrefix(rest, "."); !more && rest != "" {
				return "", wrong("something follows a closing quote")
			}
			rest = strings.TrimPrefix(rest, ".")
		} else {
			part, rest, more = strings.Cut(rest, ".")
		}
		if part == "" || len(part) > maxName {
			return "", wrong("a name has 1 to 63 bytes")
		}
		parts = append(parts, quoted(part))
	}
	if len(parts) > 2 {
		return "", wrong("the database is named in the URL")
	}
	return strings.Join(parts, "."), nil
}

// closingQuote returns where the quoted name at the beginning of text ends, or -1.
func closingQuote(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		if i+1 == len(text) || text[i+1] != '"' {
			return i
		}
		i++
	}
	return -1
}

// quoted writes a name so that SQL takes it as it is.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// maxStatement is the greatest length of a query in a file.
const maxStatement = 1 << 20

// queryText returns the query that a flag gives: SQL, or @FILE.
func queryText(text string) (string, error) {
	path, inFile := strings.CutPrefix(text, "@")
	if inFile {
		f, err := inputfile.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		content, err := io.ReadAll(io.LimitReader(f, maxStatement+1))
		if err != nil {
			return "", inputfile.ReadError(path, err)
		}
		if len(content) > maxStatement {
			return "", fault.New(fault.Data, "%s: a query of more than %d bytes", path, maxStatement)
		}
		text = strings.TrimPrefix(string(content), "\ufeff")
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", fault.New(fault.Data, "the query is not UTF-8 text")
	}
	return text, nil
}

// ordered reports whether a query says in which order its rows come: the words ORDER BY stand outside parentheses,
// quotes and comments.
func ordered(query string) bool {
	depth, before := 0, ""
	for s := (scanner{query}); s.rest != ""; {
		switch word := s.next(); {
		case word == "(":
			depth++
		case word == ")":
			depth--
		case depth == 0 && word == "by" && before == "order":
			return true
		case strings.TrimSpace(word) != "":
			before = word
		}
	}
	return false
}

// scanner divides SQL into words in lower case and single characters; quoted text and comments are a blank.
type scanner struct{ rest string }

func (s *scanner) next() string {
	switch rest := s.rest; {
	case strings.HasPrefix(rest, "--"):
		return s.skip(after(rest[2:], "\n") + 2)
	case strings.HasPrefix(rest, "/*"):
		return s.skip(commentLength(rest))
	case rest[0] == '"':
		return s.skip(after(rest[1:], `"`) + 1)
	case rest[0] == '\'':
		return s.skip(after(rest[1:], "'") + 1)
	case strings.HasPrefix(strings.ToLower(rest), "e'"):
		return s.skip(escapedLength(rest))
	case rest[0] == '$':
		if tag := dollarTag(rest); tag != "" {
			return s.skip(after(rest[len(tag):], tag) + len(tag))
		}
	}
	n := 0
	for n < len(s.rest) && wordByte(s.rest[n]) {
		n++
	}
	word := s.rest[:max(n, 1)]
	s.rest = s.rest[len(word):]
	return strings.ToLower(word)
}

// skip passes over n bytes that are no words.
func (s *scanner) skip(n int) string {
	s.rest = s.rest[n:]
	return " "
}

// after returns how many bytes of text end with the first mark, or all.
func after(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}

// commentLength returns the length of the comment at the beginning of text; comments are nested.
func commentLength(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// escapedLength returns the length of the text E'…' with backslashes.
func escapedLength(text string) int {
	for i := 2; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'':
			return i + 1
		}
	}
	return len(text)
}

// dollarTag returns the tag $…$ that text begins with, or "".
func dollarTag(text string) string {
	for i := 1; i < len(text); i++ {
		if text[i] == '$' {
			return text[:i+1]
		}
		if !wordByte(text[i]) {
			break
		}
	}
	return ""
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= utf8.RuneSelf
}
