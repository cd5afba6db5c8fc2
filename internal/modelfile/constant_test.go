package modelfile

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rvflplus/fault"
	"rvflplus/internal/prep"
)

// What a column holds in use makes no difference where it was constant in training, before and after a model is kept.
func TestConstantColumnsTakeNoPart(t *testing.T) {
	all := models(t)
	for _, scale := range prep.Scales() {
		m := all["constant-"+scale]
		data := encode(t, m, false)
		header, _ := parts(t, data)
		want := "2"
		if bends(scale) {
			want = "3"
		}
		if v := header[metadataKey].(map[string]any)["format_version"]; v != want {
			t.Errorf("%s: format version %v", scale, v)
		}
		kept, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		same, err := m.Predict(ctx, withConstants(false), nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string][]float64{"new": outputs(t, m), "kept": outputs(t, kept)} {
			if !slices.Equal(got, same.Outputs.RawMatrix().Data) {
				t.Errorf("%s, %s model: the constant columns move predictions", scale, name)
			}
		}
		if len(same.Notes) > 0 {
			t.Errorf("%s: training values have notes: %q", scale, same.Notes)
		}
		other, err := m.Predict(ctx, withConstants(true), nil)
		if err != nil || len(other.Notes) != 1 || !strings.HasPrefix(other.Notes[0], "35 cells differ from a column") {
			t.Errorf("%s: notes %q, %v", scale, other.Notes, err)
		}
	}
}

// Files of format 1 answer as the program that wrote them did: there a constant column moves predictions.
func TestConstantColumnsOfFormat1(t *testing.T) {
	for _, scale := range slices.DeleteFunc(prep.Scales(), bends) {
		m, err := Load(filepath.Join("testdata", "format-1", "constant-"+scale+".rvfl"))
		if err != nil {
			t.Fatal(err)
		}
		same, err := m.Predict(ctx, withConstants(false), nil)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(outputs(t, m), same.Outputs.RawMatrix().Data) {
			t.Errorf("%s: the constant columns take no part", scale)
		}
		again, err := decode(encode(t, m, true))
		if err != nil || !slices.Equal(outputs(t, again), outputs(t, m)) {
			t.Errorf("%s: written again, the model answers otherwise (%v)", scale, err)
		}
	}
}

func TestEditedConstantColumnsAreRefused(t *testing.T) {
	data := encode(t, models(t)["constant-standard"], true)
	for name, edit := range map[string]func(metadata map[string]any){
		"older version": func(m map[string]any) { m["format_version"] = "1" },
		"numbers that vary": func(m map[string]any) {
			m["preparation"] = strings.ReplaceAll(m["preparation"].(string), `,"constant":true`, "")
			m["preparation"] = strings.Replace(m["preparation"].(string), `"min":`, `"constant":true,"min":`, 1)
		},
		"two categories": func(m map[string]any) {
			const levels = `["blue <&>","red"]`
			m["preparation"] = strings.Replace(m["preparation"].(string), levels, levels+`,"constant":true`, 1)
		},
	} {
		header, tensors := parts(t, data)
		before := header[metadataKey].(map[string]any)["preparation"]
		edit(header[metadataKey].(map[string]any))
		if name != "older version" && header[metadataKey].(map[string]any)["preparation"] == before {
			t.Fatalf("%s: nothing was edited: %v", name, before)
		}
		if m, err := decode(join(t, header, tensors)); !errors.Is(err, fault.Data) {
			t.Errorf("%s: model %v, error %v", name, m != nil, err)
		}
	}
}
