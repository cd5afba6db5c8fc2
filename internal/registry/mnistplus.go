package registry

import (
	"slices"

	"rvflplus/internal/fetch"
)

// mnistPlusFiles is a copy: the publisher's own file was not found.
const mnistPlusFiles = "https://raw.githubusercontent.com/mariomartgarcia/privileged_logistic_regression/" +
	"5d203d4b03f4cf722b2b1fee767c75dff5db6cb6/data/mnist_plus/"

var (
	pixels       = numbered("pixel", 1, 100)
	descriptions = numbered("pf", 1, 21) // train_PFfeatures
	digit        = []string{"digit"}
)

// mnistPlus has privileged features for its training rows only.
var mnistPlus = Entry{
	Name: "mnist+", Title: "MNIST+: fives and eights with descriptions",
	Page: "http://ml.nec-labs.com/download/data/svm+/mnist.priviledged",
	Licence: "unknown (the repository states none; wenli-vision/svmplus_matlab says: non-commercial use only, all " +
		"rights reserved)",
	Citation: "Vapnik, V., Vashist, A. (2009). A new learning paradigm: Learning using privileged information. " +
		"Neural Networks 22, 544-557. https://doi.org/10.1016/j.neunet.2009.06.042",
	Task:     "classification",
	Rows:     5968,
	Features: slices.Concat(pixels, descriptions),
	Normal:   100,
	Targets:  digit,
	Classes:  []Class{{"5", 2943}, {"8", 3025}},
	Blocks: []Block{
		{Rows: 100, Files: []File{{
			URL:     mnistPlusFiles + "train_features.txt",
			Path:    "mnist-plus/train_features.txt",
			Sum:     fetch.Sum{SHA256: "241a91db28c16ade4e07823833c8bbfc5ed9cac43595133c3c75c568fa0e6d2c"},
			Size:    23381,
			Columns: pixels,
		}, {
			URL:     mnistPlusFiles + "train_PFfeatures.txt",
			Path:    "mnist-plus/train_PFfeatures.txt",
			Sum:     fetch.Sum{SHA256: "af2fbf0a6d72edbae0d7b3c87ab7a84ebf9fb2124d2dd22a51a0b080072ba5ec"},
			Size:    4200,
			Columns: descriptions,
		}, {
			URL:     mnistPlusFiles + "train_labels.txt",
			Path:    "mnist-plus/train_labels.txt",
			Sum:     fetch.Sum{SHA256: "e0abd1cf1900c53a9bb41be06f90d00e12214dd1697a61a903820bca252746f7"},
			Size:    200,
			Columns: digit,
		}}},
		{Rows: 4002, Files: []File{{
			URL:     mnistPlusFiles + "val_features.txt",
			Path:    "mnist-plus/val_features.txt",
			Sum:     fetch.Sum{SHA256: "12907f96ed063e41865699428dcd897dd2ef3f39f301c97c29d5e7dcf6c9e905"},
			Size:    946003,
			Columns: pixels,
		}, {
			URL:     mnistPlusFiles + "val_labels.txt",
			Path:    "mnist-plus/val_labels.txt",
			Sum:     fetch.Sum{SHA256: "57f9e49a560c509fbeb26b4fd270d22bae290c06102b72073e4cae115404903c"},
			Size:    8004,
			Columns: digit,
		}}},
		{Rows: 1866, Files: []File{{
			URL:     mnistPlusFiles + "test_features.txt",
			Path:    "mnist-plus/test_features.txt",
			Sum:     fetch.Sum{SHA256: "ad990ef40015499a5041d68ed52fac2722991a73ebf902545548bc06479c2bb1"},
			Size:    442347,
			Columns: pixels,
		}, {
			URL:     mnistPlusFiles + "test_labels.txt",
			Path:    "mnist-plus/test_labels.txt",
			Sum:     fetch.Sum{SHA256: "47df52967cb8c18b2dacacac0bdcdebb390d26e38488c8a2e4ac94c3bd23f41f"},
			Size:    3732,
			Columns: digit,
		}}},
	},
	Parts:   []Part{{"train", 0, 100}, {"validation", 100, 4102}, {"test", 4102, 5968}},
	Default: "train",
	Split:   Sizes{Train: 100, Validation: 4002, Test: 1866},
	Errata: []string{
		"Privileged features exist for the 100 training rows only.",
		"The paper says 4,000 validation rows; there are 4,002.",
		"The files are a copy, at a commit, in a public repository that agrees with two others; the publisher's " +
			"own distribution was not found.",
		"Another 31 privileged features (train_YYfeatures) are published; the paper uses the 21 of train_PFfeatures.",
		"Each part lists the fives first: shuffle before splitting.",
	},
}
