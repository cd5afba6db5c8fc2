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
	"internal/rng":         -1,
	"internal/unixz":       -1,
	"internal/celltext":    -1,
	"internal/categories":  -1,
	"internal/namelist":    -1,
	"internal/inputfile":   0,
	"blas/internal/kernel": -1,
	"blas":                 0,

	"activation":          1,
	"kernel":              1,
	"internal/kerneltest": 2,
	"internal/metric":     1,
	"internal/noise":      1,
	"internal/qp":         1,
	"internal/calibrate":  1,

	"internal/feature": 2,
	"internal/gram":    2,
	"learn":            2,

	"internal/param":     3,
	"internal/ridge":     3,
	"internal/bound":     4,
	"internal/heldout":   4,
	"internal/relevance": 4,
	"internal/learntest": 3,

	"dataset":            4,
	"dataset/csv":        4,
	"dataset/arff":       4,
	"dataset/libsvm":     4,
	"dataset/npy":        4,
	"dataset/parquet":    4,
	"internal/prep":      4,
	"internal/target":    4,
	"internal/fetch":     4,
	"internal/registry":  4,
	"internal/split":     4,
	"internal/roles":     4,
	"internal/lead":      4,
	"internal/survey":    4,
	"internal/postgres":  4,
	"internal/tabletest": 5,
	"dataset/tablefile":  5,
	"internal/report":    5,

	"rvfl":    5,
	"krvfl":   5,
	"svm":     5,
	"svmplus": 5,

	"ensemble":      5,
	"internal/lupi": 5,

	"internal/kind":           6,
	"internal/param/generate": 7,

	"internal/pipeline": 7,

	"internal/modelfile": 8,
	"internal/search":    8,

	"internal/advise":   9,
	"internal/compare":  9,
	"internal/crossval": 9,
	"internal/explain":  9,

	"":                      10,
	"internal/compare/page": 10,

	"internal/demo":  11,
	"internal/repro": 11,

	"internal/workload": 11,
	"bench/peers":       12,
	"bench/libsvm":      12,
	"bench/mnistplus":   12,
	"bench/compare":     12,
	"bench/safe":        12,
	"bench/rivals":      12,
	"bench/unbalanced":  12,

	"cmd/rvfl": 12,

	"internal/layers":       0,
	"internal/oracle":       0,
	"internal/postgrestest": 0,
	"internal/realdata":     0,
}

var sameFloor = map[string][]string{
	"internal/feature":   {"learn"},
	"ensemble":           {"rvfl", "krvfl"}, // averages and cascades of these estimators
	"internal/lupi":      {"rvfl", "krvfl"},
	"internal/relevance": {"internal/split"},
	"dataset/csv":        {"dataset"},
	"dataset/arff":       {"dataset"},
	"dataset/libsvm":     {"dataset"},
	"dataset/npy":        {"dataset"},
	"dataset/parquet":    {"dataset"},
	"internal/postgres":  {"dataset"},
	"internal/prep":      {"dataset"},
	"internal/target":    {"dataset"},
	"internal/registry":  {"dataset", "dataset/arff", "dataset/csv", "internal/fetch", "internal/roles"},
	"internal/roles":     {"dataset"},
	"internal/survey":    {"dataset"},
	"internal/split":     {"dataset"},
	"internal/lead":      {"dataset"},
}
