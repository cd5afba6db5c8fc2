package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
)

// readFile sets what the file of --config gives and the command line does not. The file holds the "config" of rvfl
// train --json, a whole answer of train or tune, or what rvfl train --write-config wrote: roles of columns and the
// layout of files beside the hyper-parameters.
func (m *modelFlags) readFile(flags *pflag.FlagSet) error {
	if m.path == "" {
		return nil
	}
	data, err := os.ReadFile(m.path)
	if err != nil {
		return fault.New(fault.Usage, "--config: %w", err)
	}
	fields, err := settingsIn(data)
	if err != nil {
		return fault.New(fault.Usage, "--config %s: not a JSON object", m.path).
			WithHint(`write a JSON object such as {"kind": "krvfl+", "C": 10, "target": "outcome"}`)
	}
	if err := m.setAll(fields, flags); err != nil {
		return fault.New(fault.Usage, "--config %s: %w", m.path, err).WithHint("%s", fault.HintText(err))
	}
	return nil
}

// setAll sets the flags of the data that the fields name, and the hyper-parameters.
func (m *modelFlags) setAll(fields map[string]json.RawMessage, flags *pflag.FlagSet) error {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		name := flagName(key)
		switch {
		case m.data.Lookup(name) != nil:
			if err := setFlag(flags, name, fields[key]); err != nil {
				return err
			}
			delete(fields, key)
		case name != "kind" && param.ByName(name) == nil:
			return unknownSetting(key, m.dataKeys())
		}
	}
	return m.given.setJSON(fields, flags.Changed)
}

// dataKeys lists the keys of the flags of the data.
func (m *modelFlags) dataKeys() (keys []string) {
	m.data.VisitAll(func(f *pflag.Flag) { keys = append(keys, keyOf(f.Name)) })
	return keys
}

// setFlag sets a flag that the command line leaves out: from a text, from true or false, or from a list of names.
func setFlag(flags *pflag.FlagSet, name string, value json.RawMessage) error {
	if flags.Changed(name) {
		return nil
	}
	text := param.JSONText(value)
	var names []string
	if err := json.Unmarshal(value, &names); err == nil && names != nil {
		text = roles.ByName(names)
	} else if text == "null" || bytes.HasPrefix(value, []byte("{")) || bytes.HasPrefix(value, []byte("[")) {
		return fault.New(fault.Usage, "%s is neither a text, a list of names, true nor false", keyOf(name))
	}
	if text == "" && name != "na" { // an empty list leaves no cell missing
		return fault.New(fault.Usage, "%s is empty", keyOf(name)).WithHint("give a value, or leave it out")
	}
	err := flags.Set(name, text)
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return known
	case err != nil:
		return fault.New(fault.Usage, "%s: %w", keyOf(name), err)
	}
	return nil
}

// writeFile writes what readFile reads: the hyper-parameters and the flags of the data that were given, on the command
// line or in --config.
func (m *modelFlags) writeFile(ctx context.Context, path string) error {
	fields := map[string]any{}
	for name, text := range m.given {
		fields[keyOf(name)] = text
		if p := param.ByName(name); p != nil && p.About().Type != "word" && json.Valid([]byte(text)) {
			fields[keyOf(name)] = json.RawMessage(text)
		}
	}
	m.data.VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			return
		}
		fields[keyOf(f.Name)] = f.Value.String()
		if f.Value.Type() == "bool" {
			fields[keyOf(f.Name)] = f.Value.String() == "true"
		}
	})
	return atomicfile.Write(ctx, path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(fields)
	})
}
