package main

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/namelist"
	"rvflplus/internal/param"
)

// settings holds the texts of the hyper-parameters that were given, by name, and the name of the kind under "kind".
type settings map[string]string

// set keeps a text that the parameter accepts.
func (s settings) set(name, text string) error {
	if name == "kind" {
		if _, err := kind.ByName(text); err != nil && text != kind.Auto {
			return fault.Param("kind", "one of auto, "+strings.Join(kind.Names(), ", "), strconv.Quote(text))
		}
	} else {
		scratch := param.Default()
		if err := param.ByName(name).SetText(&scratch, text); err != nil {
			return err
		}
	}
	s[name] = text
	return nil
}

// setJSON sets the parameters in a JSON object of settings, except those that fixed names.
func (s settings) setJSON(fields map[string]json.RawMessage, fixed func(name string) bool) error {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		name := flagName(key)
		if name != "kind" && param.ByName(name) == nil {
			return unknownSetting(key, nil)
		}
		if fixed(name) {
			continue
		}
		if err := s.set(name, param.JSONText(fields[key])); err != nil {
			var known *fault.Error
			if errors.As(err, &known) {
				return known
			}
			return fault.New(fault.Usage, "%s: %w", key, err)
		}
	}
	return nil
}

// flagName returns the name of the flag that a key in JSON stands for, keyOf the reverse.
func flagName(key string) string { return strings.ReplaceAll(key, "_", "-") }
func keyOf(flag string) string   { return strings.ReplaceAll(flag, "-", "_") }

// unknownSetting is the error for a setting that does not exist. others are keys that may stand beside settings.
func unknownSetting(key string, others []string) error {
	keys := append([]string{"kind"}, others...)
	for _, p := range param.All() {
		keys = append(keys, p.About().Key())
	}
	slices.Sort(keys)
	err := fault.New(fault.Usage, "there is no setting %q", key)
	if near := namelist.Nearest(key, keys); near != "" {
		return err.WithHint("did you mean %q? The settings are: %s", near, strings.Join(keys, ", "))
	}
	return err.WithHint("the settings are: %s", strings.Join(keys, ", "))
}

// config returns the defaults with the parameters that were given.
func (s settings) config() (param.Config, error) {
	c := param.Default()
	c.Kind = s["kind"]
	return c, param.SetAll(&c, func(p param.Param) (string, bool) {
		text, given := s[p.About().Name]
		return text, given
	})
}

// parameters lists the parameters that were given.
func (s settings) parameters() (given []param.Param) {
	for name := range s {
		if p := param.ByName(name); p != nil {
			given = append(given, p)
		}
	}
	return given
}

// settingsIn finds the settings in a JSON object: the object itself, the "config" of an answer of train or of a trial,
// or the "config" of the "best" trial in an answer of tune.
func settingsIn(data []byte) (fields map[string]json.RawMessage, err error) {
	for _, inside := range []string{"best", "config", ""} {
		fields = nil
		if err := json.Unmarshal(data, &fields); err != nil {
			return nil, err
		}
		if fields == nil {
			return nil, errors.New("null")
		}
		if fields[inside] != nil {
			data = fields[inside]
		}
	}
	return fields, nil
}
