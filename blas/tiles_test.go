package blas

import (
	"math/rand/v2"
	"slices"
	"testing"

	"rvflplus/blas/internal/kernel"
)

// withTile runs fn with another tile than the machine's best.
func withTile(t kernel.Tile, fn func()) {
	best := kernel.Best
	defer func() { kernel.Best = best }()
	kernel.Best = t
	fn()
}

// TestEveryTileGivesTheSameBits compares every instruction set with the portable
// code, over all transposes, with gaps between rows that must stay untouched.
func TestEveryTileGivesTheSameBits(t *testing.T) {
	tiles := kernel.Available()
	plain := tiles[len(tiles)-1]
	for _, shape := range [][3]int{
		{1, 1, 1}, {8, 24, 256}, {9, 25, 257}, {100, 50, 3}, {97, 241, 300}, {3, 500, 20},
		{30, 50, 800}, {rowBlock + 9, 26, 5}, {9, colBlock + 25, 5}, // several blocks of k, rows, columns
	} {
		for mode := range 8 {
			tA, tB, beta := mode&1 > 0, mode&2 > 0, 0.7*float64(mode>>2)
			run := func(tile kernel.Tile) (c Matrix) {
				withTile(tile, func() {
					r := rand.New(rand.NewPCG(uint64(mode), 5))
					a, b := transposedIf(tA, r, shape[0], shape[2]), transposedIf(tB, r, shape[2], shape[1])
					c = random(r, shape[0], shape[1])
					if err := Gemm(ctx, tA, tB, -1.5, a, b, beta, c); err != nil {
						t.Fatal(err)
					}
				})
				return c
			}
			want := run(plain)
			for _, tile := range tiles {
				if got := run(tile); !slices.Equal(got.Data, want.Data) {
					t.Errorf("%s, shape %v, mode %d: other bits than the portable tile", tile.Name, shape, mode)
				}
			}
		}
	}
}

// TestGapsStayUntouched checks the words between the rows of C.
func TestGapsStayUntouched(t *testing.T) {
	for _, tile := range kernel.Available() {
		withTile(tile, func() {
			r := rand.New(rand.NewPCG(3, 3))
			for _, n := range sizes {
				a, c := random(r, n, 5), random(r, n, n)
				before := slices.Clone(c.Data)
				if err := Syrk(ctx, false, 1, a, 1, c); err != nil {
					t.Fatal(err)
				}
				for i, v := range c.Data {
					if i%c.Stride >= n && v != before[i] {
						t.Fatalf("%s, n=%d: the word %d beside row %d was changed", tile.Name, n, i%c.Stride,
							i/c.Stride)
					}
				}
			}
		})
	}
}

// TestSolvesGiveTheSameBits compares triangular solves and factorisations of every
// instruction set with the portable code, at sizes that straddle strips and leaves.
func TestSolvesGiveTheSameBits(t *testing.T) {
	run := func(n int) (out []float64) {
		r := rand.New(rand.NewPCG(uint64(n), 6))
		u, left, right := spd(r, n), random(r, n, 50), random(r, 49, n)
		if pivot, err := Factor(ctx, u, nil); pivot >= 0 || err != nil {
			t.Fatalf("n=%d: pivot %d, %v", n, pivot, err)
		}
		if err := SolveCholesky(ctx, u, left); err != nil {
			t.Fatal(err)
		}
		if err := SolveRight(ctx, right, u); err != nil {
			t.Fatal(err)
		}
		return slices.Concat(u.Data, left.Data, right.Data)
	}
	tiles := kernel.Available()
	for _, n := range []int{1, 3, 8, 31, 32, 33, 100, 255, 257, 600} {
		var want []float64
		withTile(tiles[len(tiles)-1], func() { want = run(n) })
		for _, tile := range tiles {
			withTile(tile, func() {
				if !slices.Equal(run(n), want) {
					t.Errorf("%s, n=%d: other bits than the portable tile", tile.Name, n)
				}
			})
		}
	}
}

// A column that is solved with few others has the bits that it has among many.
func TestFewColumnsHaveTheBitsOfMany(t *testing.T) {
	for _, n := range []int{1, 7, 8, 100, 255, 256, 257, 600} {
		r := rand.New(rand.NewPCG(uint64(n), 7))
		u, many := spd(r, n), random(r, n, 30)
		if pivot, err := Factor(ctx, u, nil); pivot >= 0 || err != nil {
			t.Fatalf("n=%d: pivot %d, %v", n, pivot, err)
		}
		var parts []Matrix
		for lo, width := 0, 1; lo < 30; lo, width = lo+width, width+1 {
			parts = append(parts, Clone(View(many, 0, n, lo, min(lo+width, 30))))
		}
		if err := SolveCholesky(ctx, u, many); err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, part := range parts {
			if err := SolveCholesky(ctx, u, part); err != nil {
				t.Fatal(err)
			}
			if want := Clone(View(many, 0, n, at, at+part.Cols)); !slices.Equal(part.Data, want.Data) {
				t.Errorf("n=%d: %d columns from %d on have other bits alone", n, part.Cols, at)
			}
			at += part.Cols
		}
	}
}

func TestPackedGivesGemmsBits(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, tile := range kernel.Available() {
		withTile(tile, func() {
			for _, shape := range [][3]int{{1, 1, 1}, {2, 3, 5}, {30, 400, 800}, {60, 250, 390},
				{9, colBlock + 25, 5}} {
				a, b := random(r, shape[0], shape[2]), random(r, shape[2], shape[1])
				got, want := New(shape[0], shape[1]), New(shape[0], shape[1])
				p, err := Pack(ctx, b)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if err := p.LeftTimes(ctx, a, got); err != nil {
						t.Fatal(err)
					}
				}
				p.Release()
				if err := Gemm(ctx, false, false, 1, a, b, 0, want); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Data, want.Data) {
					t.Errorf("%s, shape %v: other bits than Gemm's", tile.Name, shape)
				}
			}
		})
	}
}
