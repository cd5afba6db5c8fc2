package postgres

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"rvflplus/fault"
)

// The passwords leave the arguments, and the driver gets them back.
func TestHide(t *testing.T) {
	for _, c := range []struct{ arg, shown, connection string }{
		{"postgres://u:pw@h:5432/db", "postgres://u@h:5432/db", "postgres://u@h:5432/db?password=pw"},
		{"postgresql://u:p%40w%2F@h/db?table=t&sslmode=require", "postgresql://u@h/db?table=t&sslmode=require",
			"postgresql://u@h/db?sslmode=require&password=p%40w%2F"},
		{"POSTGRES://u:pw@h/db", "postgres://u@h/db", "postgres://u@h/db?password=pw"},
		{"postgres://:pw@/db", "postgres://@/db", "postgres://@/db?password=pw"},
		{"postgres://u:a:b?c&d=e@h", "postgres://u@h", "postgres://u@h?password=a:b?c%26d%3De"},
		{"postgres://h/db?password=pw&user=u", "postgres://h/db?user=u", "postgres://h/db?user=u&password=pw"},
		{"postgres://h/db?pass%77ord=pw", "postgres://h/db", "postgres://h/db?pass%77ord=pw"},
		{"postgres://h/db?sslpassword=pw&PassWord=x", "postgres://h/db", "postgres://h/db?sslpassword=pw&PassWord=x"},
		{"postgres://h/db?passfile=/a", "postgres://h/db?passfile=/a", "postgres://h/db?passfile=/a"},
		{"postgres://u:pw@h1:1,[::1]:2,%2Ftmp/db", "postgres://u@h1:1,[::1]:2,%2Ftmp/db",
			"postgres://u@h1:1,[::1]:2,%2Ftmp/db?password=pw"},
		{"postgres://?query=@a.sql", "postgres://?query=@a.sql", "postgres://"},
		{"--priv-data=postgres://u:pw@h/db", "--priv-data=postgres://u@h/db", ""},
		{"-opostgres://u:pw@h/db", "-opostgres://u@h/db", ""},
		{"-o=postgres://u:pw@h/db", "-o=postgres://u@h/db", ""},
		{"SELECT 'postgres://u:pw@h/db'", "SELECT 'postgres://u:pw@h/db'", ""},
		{"data.csv", "data.csv", ""},
	} {
		s := Secrets{}
		shown, err := s.Hide([]string{"train", c.arg})
		if err != nil || !slices.Equal(shown, []string{"train", c.shown}) {
			t.Errorf("%s: shown as %v, %v", c.arg, shown, err)
			continue
		}
		if c.connection == "" {
			continue
		}
		parsed, err := s.parse(c.shown)
		if err != nil || parsed.connection != c.connection {
			t.Errorf("%s: the driver gets %s, %v", c.arg, parsed.connection, err)
		}
	}
}

// A URL that does not tell its password apart is refused in words that hold no part of it.
func TestAmbiguousURLs(t *testing.T) {
	for _, arg := range []string{
		"postgres://u:secret@more@h/db", "postgres://u:secret/more@h/db", "postgres://u:12/secret@h/db",
		"postgres://u:12/db?secret@h/db", "postgres://u:12/db?x=secret@h/db", "postgres://u:secret",
		"postgres://u:12/db?secret", "--priv-data=postgres://u:secret/@h", "postgres://u:%zz/secret@h",
	} {
		_, err := Secrets{}.Hide([]string{arg})
		if !errors.Is(err, fault.Usage) || strings.Contains(err.Error()+fault.HintOf(err), "secret") {
			t.Errorf("%s: %v", arg, err)
		}
	}
	_, err := Secrets{}.Hide([]string{"postgres://u:a@h/db", "postgres://u:b@h/db"})
	if !errors.Is(err, fault.Usage) {
		t.Errorf("two passwords for one URL: %v", err)
	}
}

// What the driver cannot use is told without the password.
// What looks like the address of a database and is none is refused without being shown.
func TestOtherAddressesWithPasswords(t *testing.T) {
	for _, arg := range []string{
		" postgres://alice:hush@h/c", "postgres:/alice:hush@h/c", "postgres//alice:hush@h/c",
		"postgresq://alice:hush@h/c",
		"host=h user=alice password=hush dbname=c", "password = hush", "jdbc:postgresql://h/c?user=a&password=hush",
		"mysql://alice:hush@h/c", "--priv-data=mysql://alice:hush@h/c", "-omysql://alice:hush@h/c",
	} {
		if _, err := (Secrets{}).Hide([]string{"train", arg}); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", arg, err)
		}
	}
	plain := []string{"train", "a.csv", "C:/data/a@b.csv", "-y", "user@host", "--query", "SELECT 1 WHERE password='x'",
		"@iris", "/home/a:b/c.csv", "--drop=password", "password.csv", "--kernel=rbf:width=2", "a:b@c.csv"}
	if got, err := (Secrets{}).Hide(plain); err != nil || !slices.Equal(got, plain) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestUnusableURLs(t *testing.T) {
	for arg, want := range map[string]string{
		"postgres://u:secret@h/db?tabel=t":             `connection string key "tabel" is not in`,
		"postgres://u:secret@h/db?sslmode=maybe":       "sslmode",
		"postgres://u:secret@h:99999/db":               "invalid port",
		"postgres://u:sec%zzret@h/db":                  "password",
		"postgres://u:secret@h/d%zzb":                  "invalid percent-encoded token",
		"postgres://u:secret@h/db?connect_timeout=one": "invalid connect_timeout",
		"postgres://u:secret@h/db?service=none":        "failed to read service",
	} {
		s := Secrets{}
		shown, err := s.Hide([]string{arg})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), shown[0], s, Options{Table: "t"})
		if !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error()+fault.HintOf(err), "secret") || strings.Contains(err.Error(), "sec%zzret") {
			t.Errorf("%s: %v, want %s", arg, err, want)
		}
	}
}

func TestOrdered(t *testing.T) {
	for query, want := range map[string]bool{
		"SELECT * FROM t ORDER BY a":                              true,
		"select 1 order\n\tby 1":                                  true,
		"SELECT * FROM t ORDER /* x */ BY a":                      true,
		"SELECT * FROM t":                                         false,
		"SELECT row_number() OVER (ORDER BY a) FROM t":            false,
		"SELECT 'ORDER BY a' FROM t":                              false,
		"SELECT 'it''s', 'ORDER BY' FROM t":                       false,
		"SELECT E'\\' ORDER BY a' FROM t":                         false,
		`SELECT "ORDER BY" FROM t`:                                false,
		"SELECT $$ ORDER BY a $$ FROM t":                          false,
		"SELECT $x$ ORDER BY $$ a $x$ FROM t":                     false,
		"SELECT 1 -- ORDER BY a":                                  false,
		"SELECT 1 /* ORDER /* BY */ ORDER BY a */":                false,
		"WITH q AS (SELECT 1 ORDER BY 1) SELECT * FROM q":         false,
		"WITH q AS (SELECT 1) SELECT * FROM q ORDER BY 1 -- done": true,
		"SELECT reorder by_ FROM t":                               false,
		"SELECT a FROM t WHERE b = 'x' ORDER BY a LIMIT 3":        true,
		"SELECT 'unfinished ORDER BY":                             false,
		"SELECT \"unfinished ORDER BY":                            false,
		"SELECT $tag$ unfinished ORDER BY":                        false,
		"/* unfinished ORDER BY":                                  false,
		"SELECT E'unfinished \\":                                  false,
	} {
		if got := ordered(query); got != want {
			t.Errorf("%s: ordered is %v", query, got)
		}
	}
}

// No query, however it is written, makes the search for ORDER BY fail.
func FuzzOrdered(f *testing.F) {
	f.Add("SELECT $a$ x $a$, E'\\'', \"b\" /* c */ -- d\nORDER BY 1")
	f.Fuzz(func(t *testing.T, query string) {
		if ordered(query) && !strings.Contains(strings.ToLower(query), "order") {
			t.Errorf("%q has no ORDER BY", query)
		}
	})
}

// No argument makes Hide fail otherwise than with a fault, and none that is taken shows its password.
func FuzzHide(f *testing.F) {
	f.Add("postgres://u:pw@h:5432/db?password=x&table=t")
	f.Add("-opostgres://a@[::1]/%20?query=@f")
	f.Fuzz(func(t *testing.T, arg string) {
		s := Secrets{}
		shown, err := s.Hide([]string{arg})
		if err != nil {
			if !errors.Is(err, fault.Usage) {
				t.Error(err)
			}
			return
		}
		again, err := Secrets{}.Hide(shown)
		if err != nil || again[0] != shown[0] {
			t.Errorf("%q is shown as %q, which is shown as %q (%v)", arg, shown, again, err)
		}
		if IsURL(shown[0]) {
			_, _ = s.parse(shown[0])
		}
	})
}

// No bytes of a server make a cell that is neither read nor refused.
func FuzzCells(f *testing.F) {
	f.Add(uint8(float8), true, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(uint8(date), true, []byte{0x7f, 0xff, 0xff, 0xff})
	f.Add(uint8(timestamp), true, []byte{0x80, 0, 0, 0, 0, 0, 0, 1})
	f.Add(uint8(number), false, []byte("1e400"))
	f.Fuzz(func(t *testing.T, which uint8, binary bool, raw []byte) {
		c := class(which % uint8(timestampUTC+1))
		form := int16(textFormat)
		if binary {
			form = binaryFormat
		}
		if c.isNumber() {
			if v, p := c.numberOf(raw, form); p == nil && v-v != 0 && v == v {
				t.Errorf("%x is read as %v", raw, v)
			}
			return
		}
		if text, p := c.textOf(raw); p == nil && len(text) > maxCell {
			t.Errorf("a text of %d bytes", len(text))
		}
	})
}
