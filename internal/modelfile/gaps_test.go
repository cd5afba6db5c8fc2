package modelfile

import (
	"slices"
	"testing"
)

// Programs that know version 3 must not read a model whose columns they would prepare otherwise.
func TestGapsAreOfVersion4(t *testing.T) {
	all := models(t)
	for name, want := range map[string]string{"imputed": "1", "skewed": "3", "gaps": "4"} {
		for _, keep := range []bool{false, true} {
			header, _ := parts(t, encode(t, all[name], keep))
			if v := header[metadataKey].(map[string]any)["format_version"]; v != want {
				t.Errorf("%s, privileged rows %v: format version %v, want %s", name, keep, v, want)
			}
		}
	}
	m := all["gaps"]
	colour := m.Normal.Columns[len(m.Normal.Columns)-1]
	if !slices.Equal(colour.Levels, []string{"blue <&>", "red"}) ||
		!slices.Equal(colour.Rare, []string{"green", "grey"}) || !colour.Indicator ||
		!m.Normal.Columns[0].Indicator || m.Normal.Columns[1].Indicator || !m.Priv.Columns[0].Indicator {
		t.Errorf("the columns are not what is tested: %+v", m.Normal.Columns)
	}
}

func TestEditedGapsAreRefused(t *testing.T) {
	gaps := models(t)["gaps"]
	for name, edit := range map[string]struct{ key, old, new string }{
		"version":                {"format_version", "4", "3"},
		"no indicator":           {"preparation", `,"missing_indicator":true`, ""},
		"no group":               {"preparation", `,"rare":["green","grey"]`, ""},
		"rare twice":             {"preparation", `"rare":["green",`, `"rare":["green","green",`},
		"rare and not":           {"preparation", `"rare":["green",`, `"rare":["red",`},
		"indicators not asked":   {"config", `"missing_indicator":true,`, ""},
		"groups not asked":       {"config", `"min_category":12,`, ""},
		"groups of one":          {"config", `"min_category":12,`, `"min_category":1,`},
		"indicators, not filled": {"config", `"impute":"median"`, `"impute":"none"`},
	} {
		editIsRefused(t, name, encode(t, gaps, false), edit.key, edit.old, edit.new)
	}
}
