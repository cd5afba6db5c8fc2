package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const guard = -12345.678

// TestTilesAgree compares every tile, bit for bit, with the definition, and looks
// at guard words around C.
func TestTilesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tile := range Available() {
		for _, kc := range []int{0, 1, 2, 3, 27, 28, 29, 64, 255} {
			for _, gap := range []int{0, 1, 5} {
				for _, add := range []bool{false, true} {
					checkTile(t, r, tile, kc, gap, add)
				}
			}
		}
	}
}

func checkTile(t *testing.T, r *rand.Rand, tile Tile, kc, gap int, add bool) {
	t.Helper()
	a, b := random(r, kc*tile.MR), random(r, kc*tile.NR)
	ldc := tile.NR + gap
	c := guarded(tile.MR * ldc)
	want := slices.Clone(c)
	for i := range tile.MR {
		for j := range tile.NR {
			at := 16 + i*ldc + j
			c[at], want[at] = r.NormFloat64(), chain(a, b, kc, tile, i, j)
			if add {
				want[at] += c[at]
			}
		}
	}
	narrow, wantNarrow := slices.Clone(c), slices.Clone(c)
	for i := range tile.MR {
		copy(wantNarrow[16+i*ldc:][:tile.MR], want[16+i*ldc:])
	}
	tile.Run(kc, head(a), head(b), &c[16], ldc, add, head(b))
	same(t, c, want, "%s, kc=%d, gap %d, add %v", tile.Name, kc, gap, add)
	tile.RunNarrow(kc, head(a), head(b), &narrow[16], ldc, add, head(b))
	same(t, narrow, wantNarrow, "narrow %s, kc=%d, gap %d, add %v", tile.Name, kc, gap, add)
}

// guarded returns n guard words with 16 more on either side.
func guarded(n int) []float64 {
	v := make([]float64, n+32)
	for i := range v {
		v[i] = guard
	}
	return v
}

func same(t *testing.T, got, want []float64, format string, args ...any) {
	t.Helper()
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: word %d is %v, want %v", fmt.Sprintf(format, args...), i-16, got[i], want[i])
		}
	}
}

func TestSolveIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	for _, tile := range Available() {
		m, n := tile.MR, tile.NR
		a, sums := random(r, m*m), random(r, m*n)
		x := guarded(m * n)
		copy(x[16:], random(r, m*n))
		want := slices.Clone(x)
		for j := range n {
			for i := range m {
				s := sums[i*n+j]
				for l := range i {
					s = math.FMA(a[l*m+i], want[16+l*n+j], s)
				}
				want[16+i*n+j] = (want[16+i*n+j] - s) / a[i*m+i]
			}
		}
		narrow, wantNarrow := slices.Clone(x), slices.Clone(x)
		for i := range m {
			copy(wantNarrow[16+i*n:][:m], want[16+i*n:])
		}
		tile.Solve(&a[0], &x[16], &sums[0])
		same(t, x, want, "%s", tile.Name)
		tile.SolveNarrow(&a[0], &narrow[16], &sums[0])
		same(t, narrow, wantNarrow, "narrow %s", tile.Name)
	}
}

func TestFactorIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	for _, tile := range Available() {
		for n := range Side + 1 {
			a, want := guarded(Side*Side), guarded(Side*Side)
			for i := range n {
				for j := i; j < n; j++ {
					a[16+i*Side+j] = r.NormFloat64()
				}
				a[16+i*Side+i] += 2 * Side
			}
			copy(want, a)
			if pivot := tile.Factor(&a[16], n); pivot != n || factorRows(&want[16], n) != n {
				t.Fatalf("%s, n=%d: pivot %d", tile.Name, n, pivot)
			}
			for i := range n {
				same(t, a[16+i*Side+i:][:n-i], want[16+i*Side+i:][:n-i], "%s, n=%d, row %d", tile.Name, n, i)
			}
			same(t, a[16+n*Side:], want[16+n*Side:], "%s, n=%d, rows behind", tile.Name, n)
			for _, pivot := range []float64{0, -1, math.NaN()} {
				for row := range n {
					clear(a[16 : 16+n*Side])
					for i := range n {
						a[16+i*(Side+1)] = 4
					}
					a[16+row*(Side+1)] = pivot
					if got := tile.Factor(&a[16], n); got != row {
						t.Fatalf("%s, n=%d: pivot %v of row %d was found in %d", tile.Name, n, pivot, row, got)
					}
				}
			}
		}
	}
}

func TestInvertIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 2))
	for _, tile := range Available() {
		for n := range Side + 1 {
			a := guarded(Side * Side)
			clear(a[16 : 16+n*Side])
			for i := range n {
				for j := i; j < n; j++ {
					a[16+i*Side+j] = r.NormFloat64()
				}
				a[16+i*Side+i] += 8
			}
			want := slices.Clone(a)
			tile.Invert(&a[16], n)
			invertRows(&want[16], n)
			same(t, a, want, "%s, n=%d", tile.Name, n)
		}
	}
}

func TestPackingIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for _, tile := range Available() {
		for _, n := range []int{0, tile.MR, 5 * tile.MR} {
			for _, gap := range []int{0, 3} {
				checkCopy(t, r, tile.Name, tile.CopyA, tile.MR, n, gap)
				checkCopy(t, r, tile.Name, tile.CopyB, tile.NR, n, gap)
				checkTurn(t, r, tile, n, gap)
			}
		}
		checkCopy(t, r, tile.Name, tile.CopyA, tile.MR, 1, 0)
		checkCopy(t, r, tile.Name, tile.CopyB, tile.NR, 17, 1)
	}
}

func checkCopy(
	t *testing.T, r *rand.Rand, name string,
	copyRows func(dst, src *float64, n, dstStep, srcStep int, alpha float64), width, n, gap int,
) {
	t.Helper()
	src, dst := random(r, n*(width+gap)), guarded(n*(width+2*gap))
	want := slices.Clone(dst)
	for k := range n {
		for i := range width {
			want[16+k*(width+2*gap)+i] = 1.5 * src[k*(width+gap)+i]
		}
	}
	copyRows(&dst[16], head(src), n, width+2*gap, width+gap, 1.5)
	same(t, dst, want, "%s copies %d rows of %d", name, n, width)
}

func checkTurn(t *testing.T, r *rand.Rand, tile Tile, n, gap int) {
	t.Helper()
	m := tile.MR
	src, dst := random(r, m*(n+gap)), guarded(n*(m+gap))
	want := slices.Clone(dst)
	for k := range n {
		for i := range m {
			want[16+k*(m+gap)+i] = -2 * src[i*(n+gap)+k]
		}
	}
	tile.Turn(&dst[16], head(src), n, m+gap, n+gap, -2)
	same(t, dst, want, "%s turns %d columns", tile.Name, n)
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

// TestNativePathsAreThere reads what the processor can do where Linux says it, and
// fails when a tile or a Vector for it is not used: then the other tests would only
// compare portable code with itself.
func TestNativePathsAreThere(t *testing.T) {
	t.Logf("fastest tile: %s", Best.Name)
	for _, tile := range Available() {
		if tile.MR*tile.NR > MaxSize || tile.NR%tile.MR != 0 {
			t.Errorf("%s: %d×%d", tile.Name, tile.MR, tile.NR)
		}
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if len(native()) == 0 && (runtime.GOARCH != "amd64" || purego) || err != nil {
		return
	}
	flags := strings.Fields(string(info))
	for name, needs := range map[string][]string{"avx512": {"avx512f", "avx512dq"}, "avx2": {"avx2", "fma"}} {
		has := !slices.ContainsFunc(needs, func(f string) bool { return !slices.Contains(flags, f) })
		tile := slices.ContainsFunc(Available(), func(t Tile) bool { return t.Name == name })
		vector := slices.ContainsFunc(vectors(), func(v Vector) bool { return v.Name == name })
		if tile != has || vector != has {
			t.Errorf("%s: the processor has it: %v, a tile uses it: %v, a vector uses it: %v", name, has, tile, vector)
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
				tile.Run(kc, &x[0], &y[0], &c[0], tile.NR, false, &y[0])
			}
			b.ReportMetric(2*float64(kc*tile.MR*tile.NR)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
