// Package layers states which package may import which; its test enforces it.
package layers

// floor gives the floor of every package of the module, by its path below the
// module; a package imports only lower floors, and on its own floor only what
// sameFloor lists.
var floor = map[string]int{
	"fault":                -2,
	"internal/parallel":    -1,
	"internal/memory":      -1,
	"internal/atomicfile":  -1,
	"internal/lines":       -1,
	"internal/stream":      -1,
	"internal/unixz":       -1,
	"blas/internal/kernel": -1,
	"blas":                 0,

	"activation":        1,
	"kernel":            1,
	"kernel/kerneltest": 2,
	"metric":            1,
	"noise":             1,
	"qp":                1,
	"calibrate":         1,

	"feature": 2,
	"gram":    2,

	"ridge": 3,

	"learn":           4,
	"learn/learntest": 5,

	"rvfl":             5,
	"krvfl":            5,
	"svm":              5,
	"svmplus":          5,
	"dataset":          5,
	"dataset/csv":      5,
	"dataset/arff":     5,
	"dataset/libsvm":   5,
	"prep":             5,
	"target":           5,
	"dataset/fetch":    5,
	"dataset/registry": 5,
	"dataset/split":    5,
	"dataset/npy":      5,
	"dataset/parquet":  5,

	"pipeline": 6,

	"modelfile": 7,
	"bound":     7,
	"search":    7,

	"":     8,
	"lupi": 8,

	"dataset/open":  9,
	"internal/demo": 9,
	"report":        9,
	"repro":         9,

	"bench":           9,
	"bench/peers":     10,
	"bench/libsvm":    10,
	"bench/mnistplus": 10,
	"bench/compare":   10,

	"cmd/rvfl": 10,

	"internal/layers":   0,
	"internal/oracle":   0,
	"internal/realdata": 0,
}

var sameFloor = map[string][]string{
	"dataset/csv":      {"dataset"},
	"dataset/arff":     {"dataset"},
	"dataset/libsvm":   {"dataset"},
	"prep":             {"dataset"},
	"target":           {"dataset"},
	"dataset/registry": {"dataset", "dataset/csv", "dataset/fetch"},
	"dataset/split":    {"dataset"},
	"dataset/npy":      {"dataset"},
	"dataset/parquet":  {"dataset"},
	"repro":            {"report"},
}
