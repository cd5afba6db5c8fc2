package svmplus

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/realdata"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// table reads a file of comma-separated numbers.
func table(t testing.TB, name string) *mat.Dense {
	t.Helper()
	f, err := os.Open(realdata.File(t, "mnist-plus/"+name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var data []float64
	rows := 0
	for lines := bufio.NewScanner(f); lines.Scan(); rows++ {
		for _, cell := range strings.Split(lines.Text(), ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, v)
		}
	}
	return mat.NewDense(rows, len(data)/rows, data)
}

// normalised divides each row by the sum of its absolute values.
func normalised(m *mat.Dense) *mat.Dense {
	for i := range m.RawMatrix().Rows {
		row, sum := m.RawRowView(i), 0.0
		for _, v := range row {
			sum += math.Abs(v)
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return m
}

func digits(t testing.TB, name string) *mat.Dense {
	m := table(t, name)
	m.Apply(func(_, _ int, v float64) float64 { return map[float64]float64{5: -1, 8: 1}[v] }, m)
	return m
}

func mnistPlus(t testing.TB) (p learn.Problem, val, valY, test, testY *mat.Dense) {
	p = learn.Problem{X: normalised(table(t, "train_features")), Priv: normalised(table(t, "train_PFfeatures")),
		Y: digits(t, "train_labels")}
	return p, normalised(table(t, "val_features")), digits(t, "val_labels"), normalised(table(t, "test_features")),
		digits(t, "test_labels")
}

func accuracy(m *Model, x, y *mat.Dense) float64 {
	right, out := 0, predict(m, x)
	for i := range x.RawMatrix().Rows {
		right += int(b2f(out.At(i, 0)*y.At(i, 0) > 0))
	}
	return 100 * float64(right) / float64(x.RawMatrix().Rows)
}

// choose returns the accuracy on the test rows of the config that is best on the
// validation rows, and that config.
func choose(t *testing.T, configs []Config) (best Config, validation, test float64) {
	p, val, valY, testX, testY := mnistPlus(t)
	for _, c := range configs {
		m, _ := train(t, c, p)
		if a := accuracy(m, val, valY); a > validation {
			best, validation, test = c, a, accuracy(m, testX, testY)
		}
	}
	return best, validation, test
}

func TestMNISTPlusWithKernels(t *testing.T) {
	var configs []Config
	for _, width := range []string{"0.01", "0.015", "0.02", "0.025", "0.03", "0.04", "0.06", "0.1"} {
		for _, priv := range []string{"0.01", "0.1", "1"} {
			for _, c := range []float64{0.1, 1, 10, 100, 1000} {
				for _, gamma := range []float64{0.001, 0.01, 0.1, 1, 10, 100} {
					configs = append(configs, with(func(d *Config) {
						d.C, d.Gamma, d.Solver, d.Kernel, d.PrivKernel = c, gamma, "fast",
							kernel.Must("rbf:width="+width), kernel.Must("rbf:width="+priv)
					}))
				}
			}
		}
	}
	best, validation, test := choose(t, configs)
	t.Logf("%+v: %.2f %% on the validation rows, %.2f %% on the test rows", best, validation, test)
	if test < 93.1 {
		t.Errorf("%.2f %% on the test rows, the paper has 93.15", test)
	}
}

// A linear decision function with a Gaussian correcting function is better than a
// linear SVM, which chosen like this reaches 81.46 % (the paper: 81.73). With two
// linear kernels it is not: 81.1 %.
func TestMNISTPlusLinear(t *testing.T) {
	var configs []Config
	for _, priv := range []string{"0.01", "0.1", "1"} {
		for e := -2.0; e <= 4; e++ {
			for g := -4.0; g <= 3; g++ {
				configs = append(configs, with(func(c *Config) {
					c.C, c.Gamma, c.Solver, c.Kernel, c.PrivKernel = math.Pow(10, e), math.Pow(10, g), "fast",
						kernel.Must("linear"), kernel.Must("rbf:width="+priv)
				}))
			}
		}
	}
	best, validation, test := choose(t, configs)
	t.Logf("%+v: %.2f %% on the validation rows, %.2f %% on the test rows", best, validation, test)
	if test <= 83 {
		t.Errorf("%.2f %% on the test rows, the paper's linear Fast SVM+ has 84.62", test)
	}
}

// large draws rows whose labels a hidden plane tells, mostly, and privileged
// features of which some tell how far off it a row lies.
func large(rows, features, priv int) learn.Problem {
	r := rand.New(rand.NewPCG(8, 8))
	p := learn.Problem{X: mat.NewDense(rows, features, nil), Priv: mat.NewDense(rows, priv, nil),
		Y: mat.NewDense(rows, 1, nil)}
	plane := make([]float64, features)
	for j := range plane {
		plane[j] = r.NormFloat64() / math.Sqrt(float64(features))
	}
	for i := range rows {
		x, h := p.X.RawRowView(i), p.Priv.RawRowView(i)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		f := blas.Dot(plane, x) + 0.3*r.NormFloat64()
		y := math.Copysign(1, f)
		for j := range h {
			h[j] = r.NormFloat64()
		}
		h[0] = y*f + 0.3*h[0]
		p.Y.Set(i, 0, y)
	}
	return p
}

func BenchmarkLinear100000(b *testing.B) {
	p := large(100000, 100, 50)
	b.SetBytes(8 * 100000 * 150)
	for b.Loop() {
		_, report := train(b, with(func(c *Config) {
			c.C, c.Gamma, c.Solver, c.Kernel, c.Tolerance = 1, 1, "fast", kernel.Must("linear"), 1e-3
		}), p)
		b.ReportMetric(float64(report.Optimum.Iterations), "iterations")
		b.ReportMetric(report.Optimum.Gap/report.Optimum.Objective, "gap")
	}
}

// BenchmarkMNISTPlus compares the solvers on one problem.
func BenchmarkMNISTPlus(b *testing.B) {
	p, _, _, _, _ := mnistPlus(b)
	for _, solver := range Solvers() {
		b.Run(solver, func(b *testing.B) {
			b.SetBytes(8 * 100 * 121)
			for b.Loop() {
				_, report := train(b, with(func(c *Config) {
					c.C, c.Gamma, c.Solver, c.Kernel, c.PrivKernel = 10, 0.1, solver, kernel.Must("rbf:width=0.025"),
						kernel.Must("rbf:width=0.1")
				}), p)
				b.ReportMetric(float64(report.Optimum.Iterations), "iterations")
			}
		})
	}
}

// BenchmarkHard is on problems that take long: kernels that tell little, and prices
// at which the multipliers differ by orders of magnitude.
func BenchmarkHard(b *testing.B) {
	p := large(1000, 10, 5)
	for _, name := range []string{"rbf:width=10", "linear"} {
		for _, solver := range []string{"gsmo", "ipm", "mat", "fast"} {
			for _, c := range []float64{1, 1000} {
				b.Run(fmt.Sprintf("%s/%s/C=%v", name, solver, c), func(b *testing.B) {
					b.SetBytes(8 * 1000 * 15)
					for b.Loop() {
						_, report := train(b, with(func(d *Config) {
							d.C, d.Gamma, d.Solver, d.Kernel = c, 1/c, solver, kernel.Must(name)
						}), p)
						b.ReportMetric(float64(report.Optimum.Iterations), "iterations")
					}
				})
			}
		}
	}
}
