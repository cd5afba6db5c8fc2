package postgres

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"rvflplus/fault"
)

// scheme begins the URL of a database.
var scheme = regexp.MustCompile(`(?i)^postgres(?:ql)?://`)

// IsURL reports whether a file name is the URL of a PostgreSQL database instead.
func IsURL(name string) bool { return scheme.MatchString(name) }

// Secrets holds the passwords that were taken out of URLs: the secret parameters by the URL without them.
type Secrets map[string]string

// inFlag is a flag with a URL behind it: --priv-data=postgres://…, -opostgres://….
var inFlag = regexp.MustCompile(`(?i)^(?:--[a-z-]+=|-[a-z]=?)(postgres(?:ql)?://.*)$`)

// other is an argument that holds a password, as far as its form tells, and is no URL that IsURL knows: a misspelt one,
// one of another database, or the key=value pairs of libpq and of JDBC.
var other = regexp.MustCompile(`(?i)^\s*(?:--[a-z-]+=|-[a-z]=?)?\s*` +
	`(?:(?:[a-z0-9+.:-]*:/*|postgres[a-z]*:?/*)//?[^/@\s]*:[^@\s]+@|` +
	`(?:\w+\s*=\s*\S*\s+)*password\s*=|jdbc:.*password=)`)

// Hide takes the passwords out of the URLs among the arguments of a command, so that no message, answer or page can
// show one. A URL that does not tell where its password ends is a fault.Usage error, which does not show it either.
func (s Secrets) Hide(args []string) ([]string, error) {
	args = slices.Clone(args)
	for i, arg := range args {
		flag, address := "", arg
		if m := inFlag.FindStringSubmatch(arg); m != nil {
			address = m[1]
			flag = strings.TrimSuffix(arg, address)
		}
		if !IsURL(address) {
			if other.MatchString(arg) {
				return nil, errAmbiguous()
			}
			continue
		}
		shown, secret, err := divide(address)
		if err != nil {
			return nil, err
		}
		switch known := s[shown]; {
		case known == "":
			s[shown] = secret
		case secret != "" && secret != known:
			return nil, fault.New(fault.Usage, "%s is given with two passwords", shown).
				WithHint("give the right one, or none and PGPASSWORD or ~/.pgpass")
		}
		args[i] = flag + shown
	}
	return args, nil
}

// server is a host with or without a port: a name, an address, or a folder of sockets with its slashes as %2F.
var server = regexp.MustCompile(`^(?:\[[0-9a-fA-F:.%]+\]|[^:\[\]]*)(?::[0-9]*)?$`)

// divide divides a URL into what may be shown and its passwords, as parameters of a URL. As in libpq, the user ends at
// the first @ before the path.
func divide(address string) (shown, secret string, err error) {
	begin := strings.ToLower(scheme.FindString(address))
	rest := address[len(begin):]
	var secrets []string
	user := ""
	if at := strings.IndexAny(rest, "@/"); at >= 0 && rest[at] == '@' {
		name, password, given := strings.Cut(rest[:at], ":")
		if given {
			password = strings.NewReplacer("&", "%26", "=", "%3D").Replace(password)
			secrets = append(secrets, "password="+password)
		}
		user, rest = name+"@", rest[at+1:]
	}
	place, query, asked := strings.Cut(rest, "?")
	servers, _, _ := strings.Cut(place, "/")
	for _, one := range strings.Split(servers, ",") {
		if !server.MatchString(one) || strings.Contains(place, "@") {
			return "", "", errAmbiguous()
		}
	}
	kept, more, err := divideParameters(query)
	if shown = begin + user + place; asked && len(kept) > 0 {
		shown += "?" + strings.Join(kept, "&")
	}
	return shown, strings.Join(append(secrets, more...), "&"), err
}

// divideParameters divides the parameters of a URL into those that may be shown and those that hold passwords.
func divideParameters(query string) (kept, secrets []string, err error) {
	for _, parameter := range strings.Split(query, "&") {
		key, value, given := strings.Cut(parameter, "=")
		name, err := url.PathUnescape(key)
		switch name = strings.ToLower(name); {
		case parameter == "":
			continue
		case err != nil || !given || strings.Contains(value, "@") && !slices.Contains(ownParameters, name):
			return nil, nil, errAmbiguous()
		case strings.Contains(name, "pass") && name != "passfile": // password, sslpassword, or one of them misspelt
			secrets = append(secrets, parameter)
		default:
			kept = append(kept, parameter)
		}
	}
	return kept, secrets, nil
}

func errAmbiguous() error {
	return fault.New(fault.Usage, "the URL of a database, which is not shown because of its password, cannot be read").
		WithHint("write postgres://USER:PASSWORD@HOST:PORT/DATABASE?table=NAME; in names and passwords %%40 is @, " +
			"%%2F is /, %%3A is :, %%3F is ?, %%26 is &")
}

// ownParameters are the parameters of a URL that libpq does not know: they say what is read or written.
var ownParameters = []string{"table", "query"}

// target is what a URL names.
type target struct {
	name         string // of the database, for messages: the URL without parameters
	connection   string // the URL for the driver, with passwords
	secret       string // the parameters with passwords in it
	table, query string
}

// parse reads a URL whose passwords were hidden.
func (s Secrets) parse(shown string) (*target, error) {
	place, parameters, _ := strings.Cut(shown, "?")
	t := &target{name: place}
	var driver []string
	for _, parameter := range strings.Split(parameters, "&") {
		key, value, _ := strings.Cut(parameter, "=")
		name, err := url.PathUnescape(key)
		if err != nil || !slices.Contains(ownParameters, name) {
			driver = append(driver, parameter)
			continue
		}
		if value, err = url.PathUnescape(value); err != nil || value == "" {
			return t, fault.New(fault.Usage, "%s: the parameter %s is empty or has a wrong %%", place, name).
				WithHint("write %%25 for a percent sign and %%26 for &")
		}
		if name == "table" {
			t.table = value
		} else {
			t.query = value
		}
	}
	t.secret = s[shown]
	driver = append(driver, t.secret)
	driver = slices.DeleteFunc(driver, func(parameter string) bool { return parameter == "" })
	t.connection = place
	if len(driver) > 0 {
		t.connection += "?" + strings.Join(driver, "&")
	}
	return t, nil
}
