package modelfile

import (
	"errors"
	"strings"
	"testing"

	"rvflplus/fault"
)

// Programs that know version 2 must not read a model whose columns they would prepare otherwise.
func TestScalingsOfVersion3(t *testing.T) {
	all := models(t)
	for name, want := range map[string]string{
		"krvfl+": "1", "constant-standard": "2", "constant-quantile": "3", "constant-log": "3", "skewed": "3",
		"privileged-ranks": "3", "class-weights": "4", "pairs": "1",
	} {
		for _, keep := range []bool{false, true} {
			header, _ := parts(t, encode(t, all[name], keep))
			if v := header[metadataKey].(map[string]any)["format_version"]; v != want {
				t.Errorf("%s, privileged rows %v: format version %v, want %s", name, keep, v, want)
			}
		}
	}
	m := all["skewed"]
	if c := m.Normal.Columns; c[0].Unit == 0 || c[0].Origin != c[0].Min || c[1].Unit == 0 || c[1].Origin != c[1].Max ||
		len(m.Priv.Columns[0].Knots) != 30 {
		t.Errorf("the columns are not what is tested: %+v", c)
	}
}

func TestEditedMapsAreRefused(t *testing.T) {
	all := models(t)
	for name, edit := range map[string]struct{ model, key, old, new string }{
		"version":          {"skewed", "format_version", "3", "2"},
		"no unit":          {"skewed", "preparation", `"unit":`, `"unit":-`},
		"origin":           {"skewed", "preparation", `"origin":`, `"origin":1`},
		"knots of a log":   {"skewed", "preparation", `"origin":`, `"knots":[1,2],"scores":[1,2],"origin":`},
		"knots descend":    {"privileged-ranks", "preparation", `"knots":[`, `"knots":[1e9,`},
		"knots are huge":   {"privileged-ranks", "preparation", `"knots":[`, `"knots":[-1e999,`},
		"a score too many": {"privileged-ranks", "preparation", `"scores":[`, `"scores":[-9,`},
		"no scores":        {"privileged-ranks", "preparation", `"scores":`, `"levels":[],"scores":`},
		"not the range":    {"privileged-ranks", "preparation", `"min":`, `"min":-`},
		"scaled otherwise": {"privileged-ranks", "config", `"priv_scale":"quantile"`, `"priv_scale":"log"`},
		"of standard":      {"privileged-ranks", "preparation", `"scale":"quantile"`, `"scale":"standard"`},
		"not chosen":       {"privileged-ranks", "config", `"priv_scale":"quantile"`, `"priv_scale":"auto"`},
		"not chosen yet":   {"krvfl", "config", `"scale":"standard"`, `"scale":"auto"`},
		"log of standard":  {"krvfl", "preparation", `"min":`, `"unit":1,"min":`},
	} {
		editIsRefused(t, name, encode(t, all[edit.model], true), edit.key, edit.old, edit.new)
	}
}

// editIsRefused replaces a text in the metadata of a file, once, and expects that the file is refused.
func editIsRefused(t *testing.T, name string, file []byte, key, old, text string) {
	t.Helper()
	header, tensors := parts(t, file)
	metadata := header[metadataKey].(map[string]any)
	before := metadata[key].(string)
	metadata[key] = strings.Replace(before, old, text, 1)
	if metadata[key] == before {
		t.Fatalf("%s: nothing was edited: %v", name, before)
	}
	if m, err := decode(join(t, header, tensors)); !errors.Is(err, fault.Data) {
		t.Errorf("%s: model %v, error %v", name, m != nil, err)
	}
}
