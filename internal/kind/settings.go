package kind

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"rvflplus/fault"
	"rvflplus/internal/param"
)

// Complete returns c with the defaults that its kind decides; an unknown kind is a
// fault.Usage error.
func Complete(c param.Config) (param.Config, Kind, error) {
	k, err := ByName(c.Kind)
	if err != nil {
		return c, k, err
	}
	return k.Complete(c), k, nil
}

// Validate returns a fault.Usage error that names every value of c out of its range.
func Validate(c param.Config) error {
	c, k, err := Complete(c)
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range param.All() {
		if k.Takes(p) {
			errs = append(errs, p.Check(&c))
		}
	}
	return errors.Join(append(errs, k.Estimator.Validate(c))...)
}

// Settings is a config in JSON: what applies to its kind and task, under the names of the
// command's flags, with underscores for dashes.
type Settings param.Config

// MarshalJSON implements json.Marshaler.
func (s Settings) MarshalJSON() ([]byte, error) {
	c := param.Config(s)
	k, err := ByName(c.Kind)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(`{"kind":` + strconv.Quote(c.Kind))
	for _, p := range stored(k) {
		v := p.JSON(&c)
		if v == nil || slices.Contains(c.Free, p) {
			continue
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		b.WriteString(`,"` + p.About().Key() + `":`)
		b.Write(text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// stored lists the parameters of a kind's Settings. Files of support vector machines hold
// "linear": false, although these kinds do not have the parameter.
func stored(k Kind) []param.Param {
	return slices.DeleteFunc(slices.Clone(param.All()), func(p param.Param) bool {
		return !k.Has(p) &&
			p != param.Param(param.Linear)
	})
}

// UnmarshalJSON implements json.Unmarshaler. It takes what MarshalJSON writes, whole:
// settings that are missing, unknown, of another type or out of range are fault.Usage
// errors.
func (s *Settings) UnmarshalJSON(data []byte) error {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	c := param.Default()
	if err := json.Unmarshal(fields["kind"], &c.Kind); err != nil {
		return fault.New(fault.Usage, "there is no kind")
	}
	k, err := ByName(c.Kind)
	if err != nil {
		return err
	}
	own := stored(k)
	if err := param.SetAll(&c, func(p param.Param) (string, bool) {
		raw, given := fields[p.About().Key()]
		return param.JSONText(raw), given && slices.Contains(own, p)
	}); err != nil {
		return err
	}
	for _, p := range k.Chosen {
		if _, given := fields[p.About().Key()]; !given && p.JSON(&c) != nil {
			c.Free = append(c.Free, p)
		}
	}
	if err := Validate(c); err != nil {
		return err
	}
	text, err := Settings(k.Complete(c)).MarshalJSON()
	if err != nil {
		return err
	}
	expected := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &expected); err != nil {
		return err
	}
	sameType := func(a, b json.RawMessage) bool { return jsonType(a) == jsonType(b) }
	if k.Complete(c).Linear != c.Linear || !maps.EqualFunc(fields, expected, sameType) {
		return fault.New(fault.Usage, "settings are missing, or do not belong to kind %s", c.Kind)
	}
	*s = Settings(c)
	return nil
}

// jsonType tells a JSON string from a number and a boolean.
func jsonType(v json.RawMessage) byte {
	switch {
	case len(v) == 0:
		return 0
	case v[0] == '"':
		return '"'
	case v[0] == 't' || v[0] == 'f':
		return 'b'
	}
	return '0'
}
