// Package rng gives every purpose random numbers of its own.
package rng

import (
	"hash/fnv"
	"math/rand/v2"
)

// New returns the generator (PCG) of the purpose called name: its stream is the
// seed and the FNV-1a hash of the name, so that different names give independent
// numbers and the same seed and name the same ones on every machine.
func New(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
