package rvflplus_test

import (
	"os"
	"strings"
	"testing"

	"rvflplus/activation"
	"rvflplus/kernel"
)

// The tables in docs/ show the formulas that the code states.
func TestDocumentedFormulas(t *testing.T) {
	plain := strings.NewReplacer("&#124;", "|", "‖", "|")
	contains := func(file, name, formula string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if row := "| `" + name + "` | " + formula; !strings.Contains(plain.Replace(string(text)), row) {
			t.Errorf("%s has no row %s", file, row)
		}
	}
	for _, name := range activation.Names() {
		formula, _ := activation.Formula(name)
		contains("docs/rvfl.md", name, formula)
	}
	for _, name := range kernel.Names() {
		contains("docs/krvfl.md", name, kernel.Formula(name))
	}
}
