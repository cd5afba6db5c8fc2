package modelfile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/ensemble"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/learntest"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/prep"
	"rvflplus/internal/roles"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
	"rvflplus/svm"
	"rvflplus/svmplus"
)

var ctx = context.Background()

func table() *dataset.Table {
	t, _ := dataset.Synthetic{Rows: 30, Strength: 1, Noise: 0.1, Seed: 5}.Table()
	colour := dataset.Column{Name: "colour", Levels: []string{"red", "blue <&>"}, Codes: make([]int, 30)}
	three := dataset.Column{Name: "three", Levels: []string{"a", "b", "c"}, Codes: make([]int, 30)}
	label := dataset.Column{Name: "label", Levels: []string{"5", "10"}, Codes: make([]int, 30)}
	for i, y := range t.Find("y").Numbers {
		colour.Codes[i] = i % 2
		three.Codes[i] = min(2, int(max(0, 1.5+y)))
		if y > 0 {
			label.Codes[i] = 1
		}
	}
	t.Columns = append(t.Columns, colour, label, three)
	return t
}

// withConstants is table with a column of numbers and one of categories that are constant, or vary.
func withConstants(vary bool) *dataset.Table {
	t := table()
	always := dataset.Column{Name: "always", Numbers: make([]float64, t.Rows)}
	only := dataset.Column{Name: "only", Levels: []string{"x", "other"}, Codes: make([]int, t.Rows)}
	for i := range t.Rows {
		if always.Numbers[i] = 3.5; vary {
			always.Numbers[i] += float64(i % 3)
			only.Codes[i] = i % 2
		}
	}
	t.Columns = append(t.Columns, always, only)
	return t
}

// skewed is table with a column that is skewed to the right and one that is skewed to the left.
func skewed() *dataset.Table {
	t := table()
	for i := range t.Rows {
		x1, x2 := t.Find("x1").Numbers, t.Find("x2").Numbers
		x1[i], x2[i] = math.Exp(2*x1[i]), -math.Exp(x2[i])
	}
	return t
}

// withGaps is table with missing cells, some of them privileged, and with rare categories.
func withGaps() *dataset.Table {
	t := table()
	colour := t.Find("colour")
	colour.Levels = append(colour.Levels, "green", "grey")
	for i := range t.Rows {
		switch {
		case i%5 == 0:
			t.Find("x1").Numbers[i], t.Find("lab_1").Numbers[i] = math.NaN(), math.NaN()
		case i%7 == 0:
			colour.Codes[i] = 2 + i%2
		case i%11 == 0:
			colour.Codes[i] = -1
		}
	}
	return t
}

// disguised is table as it would be read from cells in disguise.
func disguised() *dataset.Table {
	t := table()
	t.Missing = []string{"none", "-9"}
	t.Find("x1").Reading = &dataset.Reading{Suffix: "%"}
	t.Find("x2").Reading = &dataset.Reading{Date: "%d.%m.%Y"}
	t.Find("lab_1").Reading = &dataset.Reading{Prefix: "$", Decimal: ",", Group: "."}
	t.Find("y").Reading = &dataset.Reading{Suffix: "kg"}
	return t
}

func train(t testing.TB, target, drop string, c param.Config) *pipeline.Model {
	t.Helper()
	return trainOn(t, table(), target, drop, c)
}

func trainOn(t testing.TB, rows *dataset.Table, target, drop string, c param.Config) *pipeline.Model {
	t.Helper()
	data, err := roles.Assign(rows, dataset.Selection{Target: target, Priv: "lab_*", Drop: dropped(target, drop)})
	if err != nil {
		t.Fatal(err)
	}
	o := pipeline.Options{LeaveOneOut: learn.Always}
	if k, err := kind.ByName(c.Kind); err == nil && !k.ClosedForm {
		o.LeaveOneOut = learn.Never
	}
	m, err := pipeline.Train(ctx, data, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// dropped leaves out column three unless it is the target.
func dropped(target, drop string) string {
	if target == "three" {
		return drop
	}
	return drop + ",three"
}

// models are one of every kind, coding and task.
func models(t testing.TB) map[string]*pipeline.Model {
	all := map[string]*pipeline.Model{
		"rvfl": train(t, "y", "label", param.With(func(c *param.Config) {
			c.Kind, c.Hidden, c.Init, c.Activation, c.Linear = "rvfl", 8, "gaussian", "relu", false
		})),
		"rvfl+": train(t, "y,x1", "label",
			param.With(func(c *param.Config) { c.Kind, c.Hidden, c.PrivHidden = "rvfl+", 8, 6 })),
		"krvfl": train(t, "label", "y", param.With(func(c *param.Config) {
			c.Kind, c.Kernel, c.Encoding = "krvfl", kernel.Must("rbf:width=2+poly:degree=2"), "sign"
		})),
		"krvfl+": train(t, "label", "y",
			param.With(func(c *param.Config) {
				c.Kind, c.PrivKernel, c.Scale = "krvfl+", kernel.Must("wavelet"),
					"minmax"
			})),
		"differences": train(t, "label", "y", param.With(func(c *param.Config) {
			c.Kind, c.Hidden, c.PrivHidden, c.Init = "rvfl+", 8, 6, "differences"
		})),
		"relevance": train(t, "y", "label", param.With(func(c *param.Config) {
			c.Kind, c.Kernel = "krvfl+", kernel.Must("wavelet:width=2,relevance=0.1/0/1e+05/1/3")
			c.PrivKernel = kernel.Must("laplacian:relevance=0/3")
		})),
		"platt": train(t, "label", "y",
			param.With(func(c *param.Config) { c.Kind, c.Hidden, c.PrivHidden, c.Proba = "rvfl+", 5, 4, "platt" })),
		"monotone": train(t, "three", "y,label",
			param.With(func(c *param.Config) { c.Kind, c.Proba = "krvfl", "isotonic" })),
		"interval": train(t, "y,x1", "label",
			param.With(func(c *param.Config) { c.Kind, c.Hidden, c.PrivHidden, c.Intervals = "rvfl+", 8, 6, true })),
		"spread": train(t, "y", "label",
			param.With(func(c *param.Config) {
				c.Kind, c.Intervals, c.Std, c.Correction = "krvfl+", true, true,
					"additive"
			})),
		"projected": train(t, "y", "label",
			param.With(func(c *param.Config) { c.Kind, c.Intervals, c.Std, c.Gamma = "krvfl+", true, true, 1 })),
		"plain": train(t, "y", "label",
			param.With(func(c *param.Config) { c.Kind, c.Hidden, c.Solver, c.Intervals = "rvfl", 4, "pinv", true })),
		"svm": train(t, "label", "y",
			param.With(func(c *param.Config) {
				c.Kind, c.Kernel, c.Encoding = "svm", kernel.Must("laplacian"),
					"sign"
			})),
		"svr": train(t, "y,x1", "label",
			param.With(func(c *param.Config) { c.Kind, c.C, c.Tol = "svr", 10, 1e-6 })),
		"svm2": train(t, "label", "y", param.With(func(c *param.Config) { c.Kind, c.MaxIter = "svm", 100000 })),
		"svm+": train(t, "label", "y", param.With(func(c *param.Config) {
			c.Kind, c.Gamma, c.PrivKernel, c.Encoding = "svm+", 1, kernel.Must("laplacian"), "sign"
		})),
		"svm+fast": train(t, "label", "y", param.With(func(c *param.Config) {
			c.Kind, c.Gamma, c.SVMSolver, c.Kernel = "svm+", 1, "fast", kernel.Must("linear")
		})),
		"pairs": train(t, "three", "y,label",
			param.With(func(c *param.Config) { c.Kind, c.Proba, c.ClassWeight = "svm", "platt", "a=2,c=0.5" })),
		"exact": train(t, "y", "label", param.With(func(c *param.Config) { c.Kind, c.Epsilon = "svr", 0.0 })),
		"svm+prob": train(t, "label", "y", param.With(func(c *param.Config) {
			c.Kind, c.Gamma, c.Proba, c.ClassWeight = "svm+", 1, "isotonic", param.Balanced
		})),
		"average": train(t, "y,x1", "label", param.With(func(c *param.Config) {
			c.Kind, c.Hidden, c.Members, c.Intervals = "rvfl-ensemble", 4, 3, true
		})),
		"deep": train(t, "label", "y", param.With(func(c *param.Config) {
			c.Kind, c.Hidden, c.Layers, c.Linear, c.Proba = "edrvfl", 5, 3, false, "platt"
		})),
		"deep+": train(t, "y,x1", "label", param.With(func(c *param.Config) {
			c.Kind, c.Hidden, c.PrivHidden, c.Layers, c.Intervals, c.Correction = "edrvfl+", 5, 4, 2, true, "additive"
		})),
		"columns": train(t, "label", "y", param.With(func(c *param.Config) {
			c.Kind, c.Hidden, c.Members, c.Layers, c.Encoding = "cmcrvfl+", 4, 2, 2, "sign"
		})),
		"cascade": train(t, "y", "label", param.With(func(c *param.Config) { c.Kind = "ckrvfl+" })),
		"mixture": train(t, "y,x1", "label", param.With(func(c *param.Config) {
			c.Kind, c.Free, c.Intervals = "averaged", []param.Param{param.C, param.Width}, true
		})),
		"networks": train(t, "label", "y", param.With(func(c *param.Config) {
			c.Kind, c.Base, c.Hidden, c.Proba = "stack", "rvfl", 5, "platt"
			c.Free = []param.Param{param.C, param.Gamma, param.U}
		})),
		"student":  train(t, "y", "label", param.With(func(c *param.Config) { c.Kind, c.Lambda = "distill", 0.5 })),
		"reliable": train(t, "three", "y,label", param.With(func(c *param.Config) { c.Kind = "weigh" })),
		"transfer": train(t, "y", "label", param.With(func(c *param.Config) { c.Kind = "transfer" })),
		"imputed": train(t, "label", "y",
			param.With(func(c *param.Config) { c.Kind, c.Impute, c.Linear = "krvfl+", "median", false })),
	}
	for _, scale := range prep.Scales() {
		c := param.With(func(c *param.Config) { c.Kind, c.Scale = "krvfl", scale })
		all["constant-"+scale] = trainOn(t, withConstants(false), "y", "label", c)
	}
	all["skewed"] = trainOn(t, skewed(), "y", "label", param.With(func(c *param.Config) {
		c.Kind, c.Scale, c.PrivScale, c.Impute = "krvfl+", "log", "quantile", "mean"
	}))
	all["readings"] = trainOn(t, disguised(), "y", "label", param.With(func(c *param.Config) {
		c.Kind, c.Dates, c.Impute = "krvfl+", "cyclic", "mean"
	}))
	all["class-weights"] = train(t, "three", "y,label", param.With(func(c *param.Config) {
		c.Kind, c.Proba, c.ClassWeight = "krvfl", "platt", "a=2,c=0.5"
	}))
	all["privileged-ranks"] = train(t, "label", "y", param.With(func(c *param.Config) {
		c.Kind, c.Hidden, c.PrivScale = "rvfl+", 5, "quantile"
	}))
	all["gaps"] = trainOn(t, withGaps(), "y", "label", param.With(func(c *param.Config) {
		c.Kind, c.Impute, c.MissingIndicator, c.MinCategory = "krvfl+", "median", true, 12
	}))
	return all
}

func encode(t testing.TB, m *pipeline.Model, keep bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, m, keep); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(data []byte) (*pipeline.Model, error) {
	return Decode(bytes.NewReader(data), int64(len(data)))
}

func outputs(t testing.TB, m *pipeline.Model) []float64 {
	t.Helper()
	level := 0.0
	if m.Intervals != nil {
		level = 0.8
	}
	p, err := m.PredictAt(ctx, withConstants(true), level, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := append(p.Outputs.RawMatrix().Data, p.Probabilities.Data...)
	for _, more := range []*mat.Dense{p.Std, p.Lower, p.Upper} {
		if more != nil {
			all = append(all, more.RawMatrix().Data...)
		}
	}
	return all
}

func TestSavedAndLoadedModelsPredictTheSameBits(t *testing.T) {
	for name, m := range models(t) {
		for _, keep := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "m.rvfl")
			if err := Save(ctx, path, m, keep); err != nil {
				t.Fatal(err)
			}
			loaded, err := Load(path)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.Equal(outputs(t, loaded), outputs(t, m)) {
				t.Errorf("%s: the loaded model predicts other bits", name)
			}
			again := encode(t, loaded, keep)
			if !bytes.Equal(again, encode(t, m, keep)) {
				t.Errorf("%s: saving the loaded model gives other bytes", name)
			}
		}
	}
}

func TestTensorNamesAndShapes(t *testing.T) {
	want := map[string][]string{
		"rvfl+": {"hidden.bias [8]", "hidden.weight [8 4]", "output.offset [2]", "output.weight [12 2]",
			"priv.hidden.bias [6]", "priv.hidden.weight [6 2]", "priv.output.weight [8 2]"},
		"krvfl+": {"output.alpha [30 2]", "output.offset [2]", "priv.output.alpha [30 2]", "priv.support.x [30 2]",
			"project.alpha [30 2]", "support.x [30 5]"},
		"projected": {"loo.offset [30]", "loo.residual [30 1]", "loo.weight [60 30]", "output.alpha [30 1]",
			"output.offset [1]", "priv.output.alpha [30 1]", "priv.support.x [30 2]", "project.alpha [30 1]",
			"project.spread.factor [30 30]", "project.spread.scale [1]", "spread.factor [30 30]", "spread.scale [1]",
			"support.x [30 5]"},
		"svr":      {"dual.coef [30 2]", "dual.offset [2]", "support.x [30 4]"},
		"svm+":     {"output.alpha [29 1]", "output.offset [1]", "support.x [29 5]"},
		"svm+fast": {"output.offset [2]", "output.weight [5 2]"},
		"deep+": {"layer1.hidden.bias [5]", "layer1.hidden.weight [5 4]", "layer1.output.weight [9 2]",
			"layer2.hidden.bias [5]", "layer2.hidden.weight [5 9]", "layer2.output.weight [9 2]", "loo.offset [60]",
			"loo.residual [30 2]", "loo.weight [18 60]", "output.offset [2]"},
		"columns": {"member1.hidden.bias [4]", "member1.hidden.weight [4 5]", "member1.output.weight [9 1]",
			"member2.hidden.bias [4]", "member2.hidden.weight [4 5]", "member2.output.weight [9 1]",
			"output.offset [1]"},
		"cascade": {"output.alpha [30 1]", "output.offset [1]", "support.x [30 5]"},
		"krvfl":   {"output.alpha [30 1]", "output.offset [1]", "support.x [30 5]"},
	}
	all := models(t)
	for name, tensors := range want {
		path := filepath.Join(t.TempDir(), "m.rvfl")
		if err := Save(ctx, path, all[name], true); err != nil {
			t.Fatal(err)
		}
		_, c, size, err := Inspect(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tensor := range c.Tensors {
			shape, _ := json.Marshal(tensor.Shape)
			got = append(got, tensor.Name+" "+strings.ReplaceAll(string(shape), ",", " "))
		}
		if !slices.Equal(got, tensors) || size == 0 || c.FormatVersion != "1" {
			t.Errorf("%s: %v, want %v", name, got, tensors)
		}
	}
}

func TestEstimatorsRoundTrip(t *testing.T) {
	layers := rvfl.DefaultConfig()
	layers.Hidden, layers.ProjectC = 6, 2
	learntest.Run(t, learntest.Estimator{Trainer: layers, RoundTrip: roundTrip("rvfl+")})
	kernels := krvfl.DefaultConfig()
	kernels.Kernel, kernels.ProjectC, kernels.ProjectKernel = kernel.Must("rbf:width=2"), 2, kernel.Must("rbf:width=3")
	learntest.Run(t, learntest.Estimator{Trainer: kernels, RoundTrip: roundTrip("krvfl+")})
	c := svm.DefaultConfig()
	c.Kernel, c.Tolerance = kernel.Must("rbf:width=2"), 1e-11
	learntest.Run(t, learntest.Estimator{Trainer: c, OneHot: true, NoPriv: true, NoLeaveOneOut: true, Tolerance: 1e-7,
		RoundTrip: roundTrip("svm")})
	plus := svmplus.DefaultConfig()
	plus.Kernel, plus.C, plus.Gamma, plus.Tolerance = kernel.Must("rbf:width=2"), 50, 0.01, 1e-9
	learntest.Run(t, learntest.Estimator{Trainer: plus, OneHot: true, NoLeaveOneOut: true, NeedsAllPriv: true,
		Tolerance: 1e-4, RoundTrip: roundTrip("svm+")})
	r := svm.DefaultRegressionConfig()
	r.Kernel, r.Tolerance = kernel.Must("rbf:width=2"), 1e-11
	learntest.Run(t, learntest.Estimator{Trainer: r, NoPriv: true, NoLeaveOneOut: true, Tolerance: 1e-7,
		RoundTrip: roundTrip("svr")})
	layers.Correction = learn.Additive
	learntest.Run(t, learntest.Estimator{Trainer: ensemble.Config{Network: layers, Members: 10},
		RoundTrip: roundTrip("rvfl-ensemble")})
	learntest.Run(t, learntest.Estimator{Trainer: ensemble.DeepConfig{Network: layers},
		RoundTrip: roundTrip("edrvfl+")})
	cascade := learntest.Estimator{NoLeaveOneOut: true, LearnsLeftOut: true}
	cascade.Trainer, cascade.RoundTrip = ensemble.CascadeConfig{Network: layers, Members: 10}, roundTrip("cmcrvfl+")
	learntest.Run(t, cascade)
	kernels.PrivKernel, kernels.Correction = kernel.Must("rbf:width=4"), learn.Additive
	cascade.Trainer, cascade.RoundTrip = ensemble.KernelCascadeConfig{Network: kernels}, roundTrip("ckrvfl+")
	learntest.Run(t, cascade)
}

// A file must hold the members that its config names, and fit together.
func TestDamagedAveragesAreRefused(t *testing.T) {
	m := models(t)["deep+"]
	for name, spoil := range map[string]func(*param.Config, map[string]kind.Tensor){
		"missing": func(_ *param.Config, m map[string]kind.Tensor) { delete(m, "layer2.output.weight") },
		"more":    func(c *param.Config, _ map[string]kind.Tensor) { c.Layers = math.MaxInt32 },
		"kind":    func(c *param.Config, _ map[string]kind.Tensor) { c.Linear = false },
		"other": func(_ *param.Config, m map[string]kind.Tensor) {
			m["layer2.hidden.weight"] = m["layer1.hidden.weight"]
		},
	} {
		c, broken := m.Config, map[string]kind.Tensor{}
		for _, one := range m.Kind.Tensors(m.Estimator, false) {
			broken[one.Name] = one
		}
		spoil(&c, broken)
		if _, err := m.Kind.Model(c, &kind.Tensors{All: broken}); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// roundTrip saves an estimator's tensors and makes one of what is read back.
func roundTrip(name string) func(learn.Model) (learn.Model, error) {
	return func(m learn.Model) (learn.Model, error) {
		c, k, err := kind.Complete(configOf(name))
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := writeTensors(&b, k.Tensors(m, true), map[string]string{}); err != nil {
			return nil, err
		}
		read, _, err := readTensors(&b, int64(b.Len()))
		if err != nil {
			return nil, err
		}
		return k.Model(c, &kind.Tensors{All: read})
	}
}

func configOf(name string) param.Config {
	return param.With(func(c *param.Config) {
		c.Kind, c.Kernel, c.ProjectKernel = name, kernel.Must("rbf:width=2"), kernel.Must("rbf:width=3")
	})
}

func TestSupportVectorMachinesOfSeveralClassesRoundTrip(t *testing.T) {
	x, y := mat.NewDense(30, 2, nil), mat.NewDense(30, 3, nil)
	for i := range 30 {
		x.SetRow(i, []float64{math.Sin(float64(i)), math.Cos(float64(3 * i))})
		y.Set(i, (i*i+1)%3, 1) // one class has no rows
	}
	machine := svm.DefaultConfig()
	machine.Kernel = kernel.Must("rbf:width=2")
	m, _, err := machine.Train(ctx, learn.Problem{X: x, Y: y})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := roundTrip("svm")(m)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(loaded.(*svm.Classifier).Parts(), m.(*svm.Classifier).Parts()) {
		t.Error("other parts")
	}
}

// A model with numbers that fit nothing is refused, not used.
func TestDamagedMachinesAreRefused(t *testing.T) {
	s := models(t)["svm2"]
	tensors := s.Kind.Tensors(s.Estimator, false)
	for name, spoil := range map[string]func(map[string]kind.Tensor){
		"order": func(m map[string]kind.Tensor) {
			m["class.order"] = kind.VectorTensor("class.order",
				[]float64{0, 0})
		},
		"fraction": func(m map[string]kind.Tensor) {
			m["class.order"] = kind.VectorTensor("class.order",
				[]float64{0, 0.5})
		},
		"far": func(m map[string]kind.Tensor) {
			m["class.order"] = kind.VectorTensor("class.order", []float64{0, 1e300})
		},
		"more classes": func(m map[string]kind.Tensor) {
			m["class.order"] = kind.VectorTensor("class.order", []float64{0, 1, 2})
		},
		"negative": func(m map[string]kind.Tensor) {
			m["class.support"] = kind.VectorTensor("class.support", []float64{-1, 31})
		},
		"count": func(m map[string]kind.Tensor) {
			m["class.support"] = kind.VectorTensor("class.support", []float64{1, 1})
		},
		"offset":  func(m map[string]kind.Tensor) { m["dual.offset"] = kind.VectorTensor("dual.offset", nil) },
		"missing": func(m map[string]kind.Tensor) { delete(m, "dual.coef") },
	} {
		broken := map[string]kind.Tensor{}
		for _, one := range tensors {
			broken[one.Name] = one
		}
		spoil(broken)
		if _, err := s.Kind.Model(s.Config, &kind.Tensors{All: broken}); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// parts splits a file into its header, as JSON values, and its tensor bytes.
func parts(t testing.TB, data []byte) (map[string]any, []byte) {
	t.Helper()
	length := binary.LittleEndian.Uint64(data)
	header := map[string]any{}
	if err := json.Unmarshal(data[8:8+length], &header); err != nil {
		t.Fatal(err)
	}
	return header, data[8+length:]
}

// join builds a file from a header and tensor bytes, with the right checksums.
func join(t testing.TB, header map[string]any, tensors []byte) []byte {
	t.Helper()
	sum := sha256.Sum256(tensors)
	if metadata, ok := header[metadataKey].(map[string]any); ok {
		metadata["sha256"] = hex.EncodeToString(sum[:])
		texts := map[string]string{}
		for key, value := range metadata {
			texts[key] = value.(string)
		}
		metadata["metadata_sha256"] = metadataSum(texts)
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return append(append(out, text...), tensors...)
}

func TestEditedHeadersAreRefused(t *testing.T) {
	type object = map[string]any
	metadata := func(h object) object { return h[metadataKey].(object) }
	replace := func(key, old, new string) func(object) {
		return func(h object) {
			text := metadata(h)[key].(string)
			if !strings.Contains(text, old) {
				t.Fatalf("%s holds no %s: %s", key, old, text)
			}
			metadata(h)[key] = strings.Replace(text, old, new, 1)
		}
	}
	entryOf := func(h object) object { return h["output.weight"].(object) }
	for name, edit := range map[string]func(object){
		"no metadata":      func(h object) { delete(h, metadataKey) },
		"newer version":    func(h object) { metadata(h)["format_version"] = "5" },
		"no config":        func(h object) { delete(metadata(h), "config") },
		"kind":             replace("config", `"rvfl+"`, `"elm"`),
		"margin kind":      replace("config", `"rvfl+"`, `"svm"`),
		"a tolerance":      replace("config", `"linear":true`, `"linear":true,"tol":0.001`),
		"other kind":       replace("config", `"rvfl+"`, `"krvfl+"`),
		"activation":       replace("config", `"sigmoid"`, `"x"`),
		"linear":           replace("config", `"linear":true`, `"linear":false`),
		"task":             replace("schema", `"regression"`, `"x"`),
		"targets":          replace("schema", `["y","x1"]`, `["y"]`),
		"column name":      replace("schema", `"x2"`, `"x9"`),
		"column type":      replace("schema", `"categorical"`, `"numeric"`),
		"scale":            replace("preparation", `"standard"`, `"x"`),
		"zero scale":       replace("preparation", `"name":"x2"`, `"name":"x2","scale":0,"levels":["b","a"]`),
		"no columns":       replace("preparation", `"columns":[`, `"columnz":[`),
		"levels":           replace("preparation", `["blue <&>","red"]`, `["red","blue <&>"]`),
		"fewer levels":     replace("preparation", `["blue <&>","red"]`, `["red"]`),
		"no activation":    replace("config", `"activation":"sigmoid",`, ``),
		"negative C":       replace("config", `"C":1`, `"C":-1`),
		"no gamma":         replace("config", `"gamma":10000,`, ``),
		"correction":       replace("config", `"correction":"projected"`, `"correction":"zz"`),
		"project C":        replace("config", `"project_C":0`, `"project_C":-0`),
		"project kernel":   replace("config", `"project_C"`, `"project_kernel":"rbf:width=1","project_C"`),
		"solver":           replace("config", `"solver":"auto"`, `"solver":"zz"`),
		"hidden":           replace("config", `"hidden":8`, `"hidden":9`),
		"config scale":     replace("config", `"standard"`, `"minmax"`),
		"config task":      replace("config", `"task":"regression"`, `"task":"classification"`),
		"plain kind":       replace("config", `"rvfl+"`, `"rvfl"`),
		"unknown key":      replace("config", `"seed"`, `"sead"`),
		"a feature target": replace("schema", `["y","x1"]`, `["y","x2"]`),
		"an empty target":  replace("schema", `["y","x1"]`, `["y",""]`),
		"unknown type":     replace("schema", `"categorical"`, `"zebra"`),
		"id is a feature":  replace("schema", `"privileged":`, `"id":"x2","privileged":`),
		"negative scale":   replace("preparation", `"scale":0.`, `"scale":-0.`),
		"range":            replace("preparation", `"min":-`, `"min":9`),
		"l2":               replace("preparation", `"scale":"standard"`, `"scale":"l2"`),
		"fill":             replace("preparation", `"min":`, `"fill":3,"min":`),
		"no rows":          replace("report", `"rows":30`, `"rows":-5`),
		"extra tensor": func(h object) {
			h["zz"] = object{"dtype": "F64", "shape": []int{0},
				"data_offsets": []int{0, 0}}
		},
		"dtype":            func(h object) { entryOf(h)["dtype"] = "F32" },
		"shape":            func(h object) { entryOf(h)["shape"] = []int{2, 12} },
		"three dimensions": func(h object) { entryOf(h)["shape"] = []int{2, 6, 2} },
		"negative":         func(h object) { entryOf(h)["shape"] = []int{-12, -2} },
		"overflow":         func(h object) { entryOf(h)["shape"] = []int{1 << 31, 1 << 31} },
		"offsets":          func(h object) { entryOf(h)["data_offsets"] = []int{0, 192} },
		"beyond the end":   func(h object) { entryOf(h)["data_offsets"] = []int{1 << 40, 1<<40 + 192} },
		"missing tensor":   func(h object) { delete(h, "hidden.bias") },
		"renamed tensor":   func(h object) { h["x"] = h["output.offset"]; delete(h, "output.offset") },
		"not a tensor":     func(h object) { h["output.weight"] = 3 },
	} {
		header, tensors := parts(t, encode(t, models(t)["rvfl+"], false))
		edit(header)
		if m, err := decode(join(t, header, tensors)); !errors.Is(err, fault.Data) {
			t.Errorf("%s: model %v, error %v", name, m != nil, err)
		}
	}
}

// The second stage of a projected model stands in config and tensors, or in neither.
func TestEditedSecondStagesAreRefused(t *testing.T) {
	data := encode(t, models(t)["projected"], true)
	for name, edit := range map[string]func(header, metadata map[string]any){
		"no kernel":      func(_, m map[string]any) { m["config"] = without(m["config"], "project_kernel") },
		"other form":     func(_, m map[string]any) { m["config"] = changed(m["config"], "correction", "additive") },
		"unknown kernel": func(_, m map[string]any) { m["config"] = changed(m["config"], "project_kernel", "x") },
		"open width":     func(_, m map[string]any) { m["config"] = changed(m["config"], "project_kernel", "rbf") },
		"other kind":     func(_, m map[string]any) { m["config"] = changed(m["config"], "kind", "krvfl") },
		"no weights":     func(h, _ map[string]any) { h["zz"] = h["project.alpha"]; delete(h, "project.alpha") },
		"no spread": func(h, _ map[string]any) {
			h["zz"] = h["project.spread.factor"]
			delete(h, "project.spread.factor")
		},
		"shape": func(h, _ map[string]any) {
			h["project.alpha"].(map[string]any)["shape"] = []int{15, 2}
		},
	} {
		header, tensors := parts(t, data)
		edit(header, header[metadataKey].(map[string]any))
		m, err := decode(join(t, header, tensors))
		if !errors.Is(err, fault.Data) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: model %v, error %v", name, m != nil, err)
		}
	}
}

// A relevance holds a number for each feature of its space.
func TestEditedRelevanceIsRefused(t *testing.T) {
	for name, m := range map[string]*pipeline.Model{
		"krvfl+": models(t)["relevance"],
		"svm": train(t, "label", "y", param.With(func(c *param.Config) {
			c.Kind, c.Kernel = "svm", kernel.Must("rbf:relevance=0.1/0/1e+05/1/3")
		})),
		"svr": train(t, "y", "label", param.With(func(c *param.Config) {
			c.Kind, c.Kernel, c.Tol = "svr", kernel.Must("rbf:relevance=0.1/0/1e+05/1/3"), 1e-3
		})),
		"svm+": train(t, "label", "y", param.With(func(c *param.Config) {
			c.Kind, c.Kernel = "svm+", kernel.Must("rbf:relevance=0.1/0/1e+05/1/3")
		})),
	} {
		for _, key := range []string{"kernel", "priv_kernel"} {
			header, tensors := parts(t, encode(t, m, true))
			metadata := header[metadataKey].(map[string]any)
			var config map[string]any
			if err := json.Unmarshal([]byte(metadata["config"].(string)), &config); err != nil {
				t.Fatal(err)
			}
			text, _ := config[key].(string)
			if !strings.Contains(text, "/3") {
				continue
			}
			metadata["config"] = changed(metadata["config"], key, strings.Replace(text, "/3", "", 1))
			if _, err := decode(join(t, header, tensors)); !errors.Is(err, fault.Data) ||
				!strings.Contains(err.Error(), "relevance") {
				t.Errorf("%s of %s: %v", key, name, err)
			}
		}
	}
}

// The description of a model's parts and its tensors stand for each other.
func TestEditedPartsAreRefused(t *testing.T) {
	all := models(t)
	for name, edit := range map[string]func(header, metadata map[string]any){
		"none":        func(_, m map[string]any) { delete(m, "parts") },
		"empty":       func(_, m map[string]any) { m["parts"] = "" },
		"other model": func(_, m map[string]any) { m["parts"] = changed(m["parts"], "model", "elm") },
		"other text":  func(_, m map[string]any) { m["parts"] = "[]" },
		"unknown key": func(_, m map[string]any) { m["parts"] = changed(m["parts"], "x", "y") },
		"more":        func(_, m map[string]any) { m["parts"] = m["parts"].(string) + "{}" },
		"open width":  func(_, m map[string]any) { m["parts"] = `{"model":"krvfl","kernels":["rbf"],"from":[0]}` },
		"fewer parts": func(_, m map[string]any) { m["parts"] = `{"model":"sum","parts":[]}` },
		"plain kind":  func(_, m map[string]any) { m["config"] = changed(m["config"], "kind", "krvfl") },
		"a tensor":    func(h, _ map[string]any) { h["zz"] = h["output.offset"] },
	} {
		for _, model := range []string{"mixture", "student"} {
			header, tensors := parts(t, encode(t, all[model], true))
			edit(header, header[metadataKey].(map[string]any))
			m, err := decode(join(t, header, tensors))
			if !errors.Is(err, fault.Data) {
				t.Errorf("%s, %s: model %v, error %v", model, name, m != nil, err)
			}
		}
	}
	header, tensors := parts(t, encode(t, all["krvfl"], true))
	header[metadataKey].(map[string]any)["parts"] = `{"model":"krvfl","kernels":["linear"],"from":[0]}`
	if _, err := decode(join(t, header, tensors)); !errors.Is(err, fault.Data) {
		t.Errorf("parts of a kind without parts: %v", err)
	}
}

// changed returns a config in JSON with another text under a key.
func changed(config any, key, value string) string {
	return edited(config, func(c map[string]any) { c[key] = value })
}

func without(config any, key string) string {
	return edited(config, func(c map[string]any) { delete(c, key) })
}

func edited(config any, edit func(map[string]any)) string {
	c := map[string]any{}
	if err := json.Unmarshal([]byte(config.(string)), &c); err != nil {
		panic(err)
	}
	edit(c)
	text, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestDamagedTensorsAreRefused(t *testing.T) {
	data := encode(t, models(t)["krvfl+"], true)
	header, tensors := parts(t, data)
	if _, err := decode(join(t, header, tensors)); err != nil {
		t.Fatalf("the undamaged file: %v", err)
	}
	for at := range len(data) {
		if at > 8 && at%7 != 0 {
			continue
		}
		flipped := slices.Clone(data)
		flipped[at] ^= 1 << (at % 8)
		if m, err := decode(flipped); !errors.Is(err, fault.Data) && !sameModel(t, m, data) {
			t.Errorf("a flipped bit in byte %d: %v", at, err)
		}
	}
	for name, v := range map[string]uint64{"NaN": 0x7FF8000000000001, "Inf": 0x7FF0000000000000} {
		spoilt := slices.Clone(tensors)
		binary.LittleEndian.PutUint64(spoilt, v)
		if _, err := decode(join(t, header, spoilt)); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range len(data) {
		if n > 3000 && n%97 != 0 {
			continue
		}
		if _, err := decode(data[:n]); !errors.Is(err, fault.Data) {
			t.Fatalf("cut off after %d of %d bytes: %v", n, len(data), err)
		}
	}
	if _, err := decode(append(slices.Clone(data), 0)); !errors.Is(err, fault.Data) {
		t.Errorf("a byte too many: %v", err)
	}
	huge := slices.Clone(data)
	binary.LittleEndian.PutUint64(huge, 1<<62)
	if _, err := decode(huge); !errors.Is(err, fault.Data) {
		t.Errorf("a huge header: %v", err)
	}
}

// sameModel reports whether a model is the one that data holds: a flipped bit may
// fall on a letter's case or a blank that JSON does not care about.
func sameModel(t *testing.T, m *pipeline.Model, data []byte) bool {
	t.Helper()
	want, err := decode(data)
	if err != nil || m == nil {
		return false
	}
	return bytes.Equal(encode(t, m, true), encode(t, want, true))
}

func TestLoadNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "a.csv")
	if err := os.WriteFile(text, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, text, filepath.Join(dir, "none")} {
		if _, err := Load(path); !errors.Is(err, fault.Data) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range models(f) {
		f.Add(encode(f, m, true))
	}
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(data)
		if _, streamErr := Decode(bytes.NewReader(data), UnknownSize); (err == nil) != (streamErr == nil) {
			t.Errorf("as a file: %v, as a stream: %v", err, streamErr)
		}
		if err != nil {
			if !errors.Is(err, fault.Data) {
				t.Errorf("error of another kind: %v", err)
			}
			return
		}
		mustBeUsable(t, m)
	})
}

// mustBeUsable predicts with a model that was accepted.
func mustBeUsable(t *testing.T, m *pipeline.Model) {
	t.Helper()
	columns := &dataset.Table{Rows: 1}
	for i, c := range m.Schema.Normal {
		column := dataset.Column{Name: c.Name, Numbers: []float64{0}}
		if levels := m.Normal.Columns[i].Levels; levels != nil {
			column = dataset.Column{Name: c.Name, Codes: []int{0}, Levels: levels}
		}
		columns.Columns = append(columns.Columns, column)
	}
	if _, err := m.Predict(ctx, columns, nil); err != nil && !errors.Is(err, fault.Data) {
		t.Errorf("an accepted model fails with %v", err)
	}
}

// FuzzMetadata changes what the metadata says and makes the checksums right.
func FuzzMetadata(f *testing.F) {
	files := map[string][]byte{}
	for name, m := range models(f) {
		files[name] = encode(f, m, true)
		header, _ := parts(f, files[name])
		metadata := header[metadataKey].(map[string]any)
		f.Add(name, metadata["config"].(string), metadata["schema"].(string), metadata["preparation"].(string),
			metadata["report"].(string))
	}
	f.Fuzz(func(t *testing.T, name, config, schema, preparation, report string) {
		file, known := files[name]
		if !known {
			return
		}
		header, tensors := parts(t, file)
		metadata := header[metadataKey].(map[string]any)
		metadata["config"], metadata["schema"], metadata["preparation"], metadata["report"] = config, schema,
			preparation, report
		m, err := decode(join(t, header, tensors))
		if err == nil {
			mustBeUsable(t, m)
		} else if !errors.Is(err, fault.Data) {
			t.Errorf("error of another kind: %v", err)
		}
	})
}
