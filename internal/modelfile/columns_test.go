package modelfile

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"rvflplus/fault"
)

// How much columns count is kept with the model.
func TestColumnSharesRoundTrip(t *testing.T) {
	m := models(t)["relevance"]
	if len(m.Report.Columns) != 4 {
		t.Fatalf("shares %v", m.Report.Columns)
	}
	again, err := decode(encode(t, m, false))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Report.Columns, m.Report.Columns) {
		t.Errorf("shares %v, were %v", again.Report.Columns, m.Report.Columns)
	}
}

// Shares are those of all normal columns, the largest first and 1 together; a file need not have them.
func TestEditedColumnSharesAreRefused(t *testing.T) {
	data := encode(t, models(t)["relevance"], false)
	for name, c := range map[string]struct {
		shares string
		sound  bool
	}{
		"none":  {``, true},
		"sound": {share("x2", "0.5") + share("colour", "0.25") + share("x1", "0.25") + share("x3", "0"), true},
		"rounded": {share("x2", "0.9") + share("x1", "0.1") + share("x3", "1e-11") + share("colour", "0"),
			true},
		"ascending":  {share("x2", "0.25") + share("x1", "0.5") + share("x3", "0.25") + share("colour", "0"), false},
		"sum 0.9":    {share("x2", "0.5") + share("x1", "0.3") + share("x3", "0.1") + share("colour", "0"), false},
		"above 1":    {share("x2", "1.5") + share("x1", "0") + share("x3", "0") + share("colour", "0"), false},
		"negative":   {share("x2", "1") + share("x1", "0.5") + share("x3", "0") + share("colour", "-0.5"), false},
		"infinite":   {share("x2", "1e999") + share("x1", "0") + share("x3", "0") + share("colour", "0"), false},
		"twice":      {share("x2", "0.5") + share("x2", "0.5") + share("x3", "0") + share("colour", "0"), false},
		"privileged": {share("x2", "1") + share("lab_1", "0") + share("x3", "0") + share("colour", "0"), false},
		"too few":    {share("x2", "1") + share("x1", "0") + share("x3", "0"), false},
		"too many": {share("x2", "1") + share("x1", "0") + share("x3", "0") + share("colour", "0") + share("", "0"),
			false},
		"another key": {`{"column":"x2","shares":1},`, false},
	} {
		header, tensors := parts(t, data)
		metadata := header[metadataKey].(map[string]any)
		report := metadata["report"].(string)
		at := strings.Index(report, `,"relevance":[`)
		end := at + strings.Index(report[at:], "]") + 1
		edited := ""
		if c.shares != "" {
			edited = `,"relevance":[` + strings.TrimSuffix(c.shares, ",") + "]"
		}
		metadata["report"] = report[:at] + edited + report[end:]
		m, err := decode(join(t, header, tensors))
		if c.sound && err != nil || !c.sound && (!errors.Is(err, fault.Data) || m != nil) {
			t.Errorf("%s: model %v, error %v", name, m != nil, err)
		}
	}
}

func share(column, of string) string { return `{"column":"` + column + `","share":` + of + `},` }
