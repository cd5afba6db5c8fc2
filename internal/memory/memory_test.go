package memory

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"rvflplus/fault"
)

func TestCheckHonoursGoMemLimit(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(100 << 20))
	if err := Check(1<<20, "a small table", "none"); err != nil {
		t.Error(err)
	}
	err := Check(1e9, "a large table", "stream it")
	if !errors.Is(err, fault.Resource) || fault.HintOf(err) != "stream it" {
		t.Errorf("error %v, hint %q", err, fault.HintOf(err))
	}
}

var garbage []byte

// What an earlier fit left behind is collected before a later one is refused.
func TestCheckCollectsFirst(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	debug.FreeOSMemory()
	debug.SetMemoryLimit(int64(inUse()) + 100<<20)
	garbage = make([]byte, 60<<20)
	garbage = nil
	if free := Available(); free > 50<<20 {
		t.Fatalf("%s are free beside the garbage", Text(free))
	}
	if err := Check(80<<20, "a matrix", "none"); err != nil {
		t.Error(err)
	}
}

func TestMemAvailable(t *testing.T) {
	if got := memAvailable([]byte("MemTotal: 9 kB\nMemAvailable:   2 kB\n")); got != 2048 {
		t.Errorf("got %g", got)
	}
	if got := memAvailable([]byte("nothing")); !math.IsInf(got, 1) {
		t.Errorf("got %g", got)
	}
}

func TestGroup(t *testing.T) {
	dir := t.TempDir()
	if got := group(dir); !math.IsInf(got, 1) {
		t.Errorf("no control group: %g", got)
	}
	for name, text := range map[string]string{"memory.max": "1000\n", "memory.current": "400\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := group(dir); got != 600 {
		t.Errorf("got %g, want 600", got)
	}
}

func TestText(t *testing.T) {
	for bytes, want := range map[float64]string{12: "12 bytes", 1.5e9: "1.5 GB", 999.9e6: "1 GB", 15.14e9: "15.1 GB"} {
		if got := Text(bytes); got != want {
			t.Errorf("%g: %q, want %q", bytes, got, want)
		}
	}
}
