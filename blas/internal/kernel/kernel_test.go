package kernel

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

const guard = -12345.678

// TestTilesAgree compares every tile, bit for bit, with the definition, and looks
// at guard words around C.
func TestTilesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tile := range Available() {
		for _, kc := range []int{0, 1, 2, 3, 64, 255} {
			for _, gap := range []int{0, 1, 5} {
				a, b := random(r, kc*tile.MR), random(r, kc*tile.NR)
				ldc := tile.NR + gap
				c := make([]float64, 16+tile.MR*ldc+16)
				for i := range c {
					c[i] = guard
				}
				want := make([]float64, len(c))
				copy(want, c)
				for i := range tile.MR {
					for j := range tile.NR {
						at := 16 + i*ldc + j
						c[at] = r.NormFloat64()
						want[at] = c[at] + chain(a, b, kc, tile, i, j)
					}
				}
				tile.Run(kc, head(a), head(b), &c[16], ldc)
				for i := range c {
					if math.Float64bits(c[i]) != math.Float64bits(want[i]) {
						t.Fatalf("%s, kc=%d, gap %d: word %d is %v, want %v", tile.Name, kc, gap, i-16, c[i], want[i])
					}
				}
			}
		}
	}
}

func head(v []float64) *float64 {
	if len(v) == 0 {
		return new(float64)
	}
	return &v[0]
}

func random(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

func chain(a, b []float64, kc int, tile Tile, i, j int) float64 {
	var s float64
	for k := range kc {
		s = math.FMA(a[k*tile.MR+i], b[k*tile.NR+j], s)
	}
	return s
}

// TestNativeTilesAreThere fails on amd64 when no fast tile can be run.
func TestNativeTilesAreThere(t *testing.T) {
	if runtime.GOARCH == "amd64" && len(Available()) != 1+len(native()) {
		t.Error("native tiles are not listed")
	}
	t.Logf("fastest tile: %s", Best.Name)
	for _, tile := range Available() {
		if tile.MR*tile.NR > MaxSize {
			t.Errorf("%s is larger than MaxSize", tile.Name)
		}
	}
}

func BenchmarkTile(b *testing.B) {
	for _, tile := range Available() {
		b.Run(tile.Name, func(b *testing.B) {
			const kc = 256
			r := rand.New(rand.NewPCG(1, 1))
			x, y, c := random(r, kc*tile.MR), random(r, kc*tile.NR), make([]float64, MaxSize)
			for b.Loop() {
				tile.Run(kc, &x[0], &y[0], &c[0], tile.NR)
			}
			b.ReportMetric(2*float64(kc*tile.MR*tile.NR)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
