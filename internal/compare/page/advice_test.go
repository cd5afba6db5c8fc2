package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"rvflplus/internal/advise"
	"rvflplus/internal/lupi"
)

func TestAdviceIsTheFirstSection(t *testing.T) {
	e := func(v float64) lupi.Estimate { return lupi.Estimate{Value: v, SE: 0.05} }
	a := &advise.Advice{Rule: advise.Nothing, Losses: &lupi.Losses{
		Constant: e(1), Normal: e(0.5), All: e(0.46), Privileged: e(0.8), R2: e(0.4), AllToNormal: e(0.92), Features: 3,
	}, Doubts: []advise.Doubt{{Measured: e(0.92), Quantity: "a <ratio>", Threshold: 0.95, Otherwise: advise.Drop}}}
	section, err := Advice(a, "rvfl train '<data>.csv' -m averaged")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Write(&out, "d.csv", comparison("rmse"), section); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	at := strings.Index(page, "<h2>")
	if at < 0 || !strings.HasPrefix(page[at:], "<h2>Advice before fitting</h2>") {
		t.Error("the advice is not the first section")
	}
	for _, want := range []string{
		a.Headline(), "a &lt;ratio&gt; is 0.92 ± 0.05", "&lt;data&gt;.csv", "not a guarantee", "drop above",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, raw := range []string{"<ratio>", "<data>"} {
		if strings.Contains(page, raw) {
			t.Errorf("%s is not escaped", raw)
		}
	}
	if plain := write(t, comparison("rmse")); strings.Contains(plain, "Advice before fitting") {
		t.Error("a page without advice has the section")
	}
	d := xml.NewDecoder(strings.NewReader(string(section)))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("the section is not well-formed: %v", err)
		}
	}
}
