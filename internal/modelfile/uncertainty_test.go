package modelfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"rvflplus/fault"
)

// A model trained without the additions of a later program has the same bytes.
func TestOlderFilesAreWrittenAsTheyWere(t *testing.T) {
	for _, name := range []string{"rvfl", "rvfl+", "krvfl", "krvfl+", "imputed"} {
		path := filepath.Join("testdata", "format-1", name+".rvfl")
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(t, m, true), want) {
			t.Errorf("%s: other bytes", name)
		}
	}
}

func TestUnsoundUncertaintyIsRefused(t *testing.T) {
	type object = map[string]any
	all := models(t)
	rename := func(from, to string) func(object, []byte) {
		return func(h object, _ []byte) { h[to] = h[from]; delete(h, from) }
	}
	reshape := func(name string, shape ...int) func(object, []byte) {
		return func(h object, _ []byte) { h[name].(object)["shape"] = shape }
	}
	set := func(name string, at int, v float64) func(object, []byte) {
		return func(h object, data []byte) {
			from := int(h[name].(object)["data_offsets"].([]any)[0].(float64))
			binary.LittleEndian.PutUint64(data[from+8*at:], math.Float64bits(v))
		}
	}
	config := func(old, new string) func(object, []byte) {
		return func(h object, _ []byte) {
			m := h[metadataKey].(object)
			text := m["config"].(string)
			if m["config"] = string(bytes.Replace([]byte(text), []byte(old), []byte(new), 1)); m["config"] == text {
				t.Errorf("%s is not in %s", old, text)
			}
		}
	}
	for name, c := range map[string]struct {
		model string
		edit  func(h object, data []byte)
	}{
		"no curve":            {"platt", rename("proba.platt", "zz")},
		"curve of three":      {"platt", reshape("proba.platt", 2, 1)},
		"flat curve":          {"platt", reshape("proba.platt", 2)},
		"other method":        {"platt", config(`"proba":"platt"`, `"proba":"isotonic"`)},
		"unknown method":      {"platt", config(`"proba":"platt"`, `"proba":"zz"`)},
		"not said":            {"platt", config(`,"proba":"platt"`, ``)},
		"missing curve":       {"monotone", rename("proba.isotonic.2", "proba.isotonic.3")},
		"falling curve":       {"monotone", set("proba.isotonic.0", 1, 0.99)},
		"above one":           {"monotone", set("proba.isotonic.0", 1, -0.5)},
		"scores in disorder":  {"monotone", set("proba.isotonic.1", 0, 1e9)},
		"no pairs":            {"pairs", rename("proba.pairs", "zz")},
		"pairs missing":       {"pairs", reshape("proba.pairs", 2, 3)},
		"pairs of two":        {"pairs", reshape("proba.pairs", 6)},
		"pairs not said":      {"pairs", config(`,"proba":"platt"`, ``)},
		"pairs monotone":      {"pairs", config(`"proba":"platt"`, `"proba":"isotonic"`)},
		"weight of a class":   {"pairs", config(`a=2,c=0.5`, `a=2,c=0`)},
		"weights of none":     {"svr", config(`"tol"`, `"class_weight":"a=2","tol"`)},
		"negative tube":       {"exact", config(`"epsilon":0`, `"epsilon":-1`)},
		"no tube":             {"exact", config(`"epsilon":0,`, ``)},
		"no residuals":        {"interval", rename("loo.residual", "zz")},
		"residuals shaped":    {"interval", reshape("loo.residual", 2, 30)},
		"negative residual":   {"interval", set("loo.residual", 0, -1)},
		"residual not finite": {"interval", set("loo.residual", 3, math.Inf(1))},
		"left-out shaped":     {"interval", reshape("loo.weight", 60, 12)},
		"no offset":           {"interval", rename("loo.offset", "zz")},
		"intervals not said":  {"interval", config(`,"intervals":true`, ``)},
		"intervals of none":   {"rvfl+", config(`"seed":0`, `"seed":0,"intervals":true`)},
		"factor":              {"spread", set("spread.factor", 30, 1)},
		"scale":               {"spread", set("spread.scale", 0, -1)},
		"no scale":            {"spread", rename("spread.scale", "zz")},
		"std not said":        {"spread", config(`,"std":true`, ``)},
		"std of a layer":      {"rvfl+", config(`"seed":0`, `"seed":0,"std":true`)},
		"std of classes":      {"krvfl", config(`"seed":0`, `"seed":0,"std":true`)},
	} {
		header, data := parts(t, encode(t, all[c.model], true))
		c.edit(header, data)
		if m, err := decode(join(t, header, data)); !errors.Is(err, fault.Data) {
			t.Errorf("%s: model %v, error %v", name, m != nil, err)
		}
	}
}
