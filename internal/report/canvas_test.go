package report

import (
	"strings"
	"testing"
)

// Names are cut to the room they have, and drawn as wide as they are counted.
func TestFittingNames(t *testing.T) {
	const room = 200
	for _, name := range []string{"", "a", strings.Repeat("W", 99), strings.Repeat("列", 99), strings.Repeat("i", 99)} {
		cut := fitting(name, nameRunes, nameSize, room)
		if drawnWidth(cut, nameSize) > room || len([]rune(cut)) > nameRunes {
			t.Errorf("%q is cut to %q, %v wide", name, cut, drawnWidth(cut, nameSize))
		}
	}
	if cut := fitting("WWWW", nameRunes, nameSize, 25); cut != "W…" {
		t.Errorf("%q", cut)
	}
}
