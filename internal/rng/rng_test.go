package rng

import (
	"math/rand/v2"
	"testing"
)

// FNV-1a of "a" is published with the algorithm: 0xaf63dc4c8601ec8c.
func TestStreamIsSeedAndHashOfName(t *testing.T) {
	want := rand.New(rand.NewPCG(7, 0xaf63dc4c8601ec8c))
	for got, i := New(7, "a"), 0; i < 100; i++ {
		if a, b := got.Uint64(), want.Uint64(); a != b {
			t.Fatalf("draw %d is %d, want %d", i, a, b)
		}
	}
}

func TestSeedsAndNamesDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for _, name := range []string{"", "hidden", "priv.hidden", "split"} {
		for seed := range uint64(50) {
			seen[New(seed, name).Uint64()] = true
		}
	}
	if len(seen) != 200 {
		t.Errorf("200 streams begin with %d different numbers", len(seen))
	}
}
