package registry

import (
	"slices"

	"rvflplus/internal/fetch"
)

const (
	uciPages   = "https://archive.ics.uci.edu/dataset/"
	uciFiles   = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
	uciLicence = "CC BY 4.0 (as published by UCI)"
)

// Names of the columns as the publisher's descriptions give them.
var (
	irisNames    = []string{"sepal_length", "sepal_width", "petal_length", "petal_width"}
	glassNames   = []string{"RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"}
	abaloneNames = []string{"sex", "length", "diameter", "height", "whole_weight", "shucked_weight", "viscera_weight",
		"shell_weight"}
	wineNames = []string{"alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols",
		"flavanoids",
		"nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue", "od280/od315", "proline"}
	wineQualityNames = []string{"fixed acidity", "volatile acidity", "citric acid", "residual sugar", "chlorides",
		"free sulfur dioxide", "total sulfur dioxide", "density", "pH", "sulphates", "alcohol"}
	shuttleNames = []string{"time", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"}
	segmentNames = []string{"REGION-CENTROID-COL", "REGION-CENTROID-ROW", "REGION-PIXEL-COUNT", "SHORT-LINE-DENSITY-5",
		"SHORT-LINE-DENSITY-2", "VEDGE-MEAN", "VEDGE-SD", "HEDGE-MEAN", "HEDGE-SD", "INTENSITY-MEAN", "RAWRED-MEAN",
		"RAWBLUE-MEAN", "RAWGREEN-MEAN", "EXRED-MEAN", "EXBLUE-MEAN", "EXGREEN-MEAN", "VALUE-MEAN", "SATURATION-MEAN",
		"HUE-MEAN"}
	parkinsonsNames = []string{"MDVP:Fo(Hz)", "MDVP:Fhi(Hz)", "MDVP:Flo(Hz)", "MDVP:Jitter(%)", "MDVP:Jitter(Abs)",
		"MDVP:RAP",
		"MDVP:PPQ", "Jitter:DDP", "MDVP:Shimmer", "MDVP:Shimmer(dB)", "Shimmer:APQ3", "Shimmer:APQ5", "MDVP:APQ",
		"Shimmer:DDA",
		"NHR", "HNR", "RPDE", "DFA", "spread1", "spread2", "D2", "PPE"}
)

// around returns a file's columns: those before, the features, those after.
func around(before []string, features []string, after ...string) []string {
	return slices.Concat(before, features, after)
}

var iris = Entry{
	Name:     "iris",
	Title:    "Iris",
	Page:     uciPages + "53/iris",
	Licence:  uciLicence,
	Citation: "Fisher, R. (1936). Iris. UCI Machine Learning Repository. https://doi.org/10.24432/C56C76",
	Task:     "classification",
	Rows:     150,
	Features: irisNames,
	Normal:   2,
	Targets:  []string{"class"},
	Classes:  []Class{{"Iris-setosa", 50}, {"Iris-versicolor", 50}, {"Iris-virginica", 50}},
	Blocks: []Block{{Rows: 150, Files: []File{{
		URL:     uciFiles + "iris/iris.data",
		Path:    "uci/iris/iris.data",
		Sum:     fetch.Sum{SHA256: "6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0"},
		Size:    4551,
		Columns: around(nil, irisNames, "class"),
	}}}},
	Extra: []Extra{{Name: "bezdek", Block: Block{Rows: 150, Files: []File{{
		URL:     uciFiles + "iris/bezdekIris.data",
		Path:    "uci/iris/bezdekIris.data",
		Sum:     fetch.Sum{SHA256: "0fed2a99db77ec533a62dc66894d3ec6df3b58b6a8f3cf4a6b47e4086b7f97dc"},
		Size:    4551,
		Columns: around(nil, irisNames, "class"),
	}}}}},
	Split: Sizes{Train: 90, Test: 60},
	Folds: 10,
	Errata: []string{
		"Row 35 is 4.9,3.1,1.5,0.1 where Fisher has 4.9,3.1,1.5,0.2; row 38 is 4.9,3.1,1.5,0.1 where Fisher has " +
			"4.9,3.6,1.4,0.1. iris:bezdek has the corrected rows.",
		"Rows are sorted by class: shuffle before splitting.",
	},
}

var glass = Entry{
	Name:    "glass",
	Title:   "Glass Identification",
	Page:    uciPages + "42/glass+identification",
	Licence: uciLicence,
	Citation: "German, B. (1987). Glass Identification. UCI Machine Learning Repository. " +
		"https://doi.org/10.24432/C5WW2P",
	Task:     "classification",
	Rows:     214,
	Features: glassNames,
	Normal:   5,
	Targets:  []string{"type"},
	Classes:  []Class{{"1", 70}, {"2", 76}, {"3", 17}, {"5", 13}, {"6", 9}, {"7", 29}},
	Blocks: []Block{{Rows: 214, Files: []File{{
		URL:     uciFiles + "glass/glass.data",
		Path:    "uci/glass/glass.data",
		Sum:     fetch.Sum{SHA256: "dd67373f4baf2807345df02cbfef2093d342e61ad0d82a4fb79af43ef8ce449d"},
		Size:    11903,
		Columns: around([]string{""}, glassNames, "type"),
	}}}},
	Split: Sizes{Train: 140, Test: 74},
	Folds: 10,
	Errata: []string{
		"Seven classes are defined, six occur (not 4); the paper says five.",
		"The first column of the file, a number of the row, is not read.",
		"Rows are sorted by class: shuffle before splitting.",
	},
}

var abalone = Entry{
	Name:    "abalone",
	Title:   "Abalone",
	Page:    uciPages + "1/abalone",
	Licence: uciLicence,
	Citation: "Nash, W., Sellers, T., Talbot, S., Cawthorn, A., Ford, W. (1994). Abalone. UCI Machine Learning " +
		"Repository. https://doi.org/10.24432/C55C7W",
	Task:     "classification",
	Rows:     4177,
	Features: abaloneNames,
	Normal:   4,
	Targets:  []string{"rings"},
	Classes:  []Class{{"1-8", 1407}, {"9-10", 1323}, {"11+", 1447}},
	Group:    []Interval{{"1-8", 1, 8}, {"9-10", 9, 10}, {"11+", 11, 29}},
	Blocks: []Block{{Rows: 4177, Files: []File{{
		URL:     uciFiles + "abalone/abalone.data",
		Path:    "uci/abalone/abalone.data",
		Sum:     fetch.Sum{SHA256: "de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f"},
		Size:    191873,
		Columns: around(nil, abaloneNames, "rings"),
	}}}},
	Split: Sizes{Train: 2000, Test: 2177},
	Folds: 5,
	Errata: []string{
		"The 28 numbers of rings that occur are grouped into 1-8, 9-10 and 11 or more.",
		"The sex is text: M, F or I (infant).",
		"Rows 1258 and 3997 have height 0.",
	},
}

var wine = Entry{
	Name:    "wine",
	Title:   "Wine",
	Page:    uciPages + "109/wine",
	Licence: uciLicence,
	Citation: "Aeberhard, S., Forina, M. (1992). Wine. UCI Machine Learning Repository. " +
		"https://doi.org/10.24432/C5PC7J",
	Task:     "classification",
	Rows:     178,
	Features: wineNames,
	Normal:   7,
	Targets:  []string{"class"},
	Classes:  []Class{{"1", 59}, {"2", 71}, {"3", 48}},
	Blocks: []Block{{Rows: 178, Files: []File{{
		URL:     uciFiles + "wine/wine.data",
		Path:    "uci/wine/wine.data",
		Sum:     fetch.Sum{SHA256: "6be6b1203f3d51df0b553a70e57b8a723cd405683958204f96d23d7cd6aea659"},
		Size:    10782,
		Columns: around([]string{"class"}, wineNames),
	}}}},
	Split: Sizes{Train: 100, Test: 78},
	Folds: 10,
	Errata: []string{
		"Rows are sorted by class: shuffle before splitting.",
	},
}

var wineRed = Entry{
	Name:    "wine-red",
	Title:   "Wine Quality (red)",
	Page:    uciPages + "186/wine+quality",
	Licence: uciLicence,
	Citation: "Cortez, P., Cerdeira, A., Almeida, F., Matos, T., Reis, J. (2009). Wine Quality. UCI Machine " +
		"Learning Repository. https://doi.org/10.24432/C56S3T",
	Task:     "classification",
	Rows:     1599,
	Features: wineQualityNames,
	Normal:   6,
	Targets:  []string{"quality"},
	Classes:  []Class{{"3", 10}, {"4", 53}, {"5", 681}, {"6", 638}, {"7", 199}, {"8", 18}},
	Blocks: []Block{{Rows: 1599, Files: []File{{
		URL:       uciFiles + "wine-quality/winequality-red.csv",
		Path:      "uci/wine-quality/winequality-red.csv",
		Sum:       fetch.Sum{SHA256: "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e"},
		Size:      84199,
		Separator: ";",
		Header:    true,
		Columns:   around(nil, wineQualityNames, "quality"),
	}}}},
	Split: Sizes{Train: 1000, Test: 599},
	Folds: 5,
	Errata: []string{
		"Six qualities occur, 3 to 8; the paper says three classes and not how it groups them.",
		"240 rows repeat an earlier row, so that a random split has some in both parts.",
	},
}

var wineWhite = Entry{
	Name:    "wine-white",
	Title:   "Wine Quality (white)",
	Page:    uciPages + "186/wine+quality",
	Licence: uciLicence,
	Citation: "Cortez, P., Cerdeira, A., Almeida, F., Matos, T., Reis, J. (2009). Wine Quality. UCI Machine " +
		"Learning Repository. https://doi.org/10.24432/C56S3T",
	Task:     "classification",
	Rows:     4898,
	Features: wineQualityNames,
	Normal:   6,
	Targets:  []string{"quality"},
	Classes:  []Class{{"3", 20}, {"4", 163}, {"5", 1457}, {"6", 2198}, {"7", 880}, {"8", 175}, {"9", 5}},
	Blocks: []Block{{Rows: 4898, Files: []File{{
		URL:       uciFiles + "wine-quality/winequality-white.csv",
		Path:      "uci/wine-quality/winequality-white.csv",
		Sum:       fetch.Sum{SHA256: "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836"},
		Size:      264426,
		Separator: ";",
		Header:    true,
		Columns:   around(nil, wineQualityNames, "quality"),
	}}}},
	Split: Sizes{Train: 3000, Test: 1898},
	Folds: 5,
	Errata: []string{
		"937 rows repeat an earlier row, so that a random split has some in both parts.",
	},
}

var shuttle = Entry{
	Name:     "shuttle",
	Title:    "Statlog (Shuttle)",
	Page:     uciPages + "148/statlog+shuttle",
	Licence:  uciLicence,
	Citation: "Statlog (Shuttle). UCI Machine Learning Repository. https://doi.org/10.24432/C5WS31",
	Task:     "classification",
	Rows:     58000,
	Features: shuttleNames,
	Normal:   5,
	Targets:  []string{"class"},
	Classes:  []Class{{"1", 45586}, {"2", 50}, {"3", 171}, {"4", 8903}, {"5", 3267}, {"6", 10}, {"7", 13}},
	Blocks: []Block{
		{Rows: 43500, Files: []File{{
			URL:       uciFiles + "statlog/shuttle/shuttle.trn.Z",
			Path:      "uci/statlog-shuttle/shuttle.trn.Z",
			Sum:       fetch.Sum{SHA256: "ffd2cbf221d4982ccc77c674621c23291447f3fd9484c00d8078858965e0e7ed"},
			Size:      319869,
			Unpacked:  "87b24ee9fb5137e1d417659cf905d84d0e15342bbaa60770f1ae83da1a38200a",
			Separator: "space",
			Columns:   around(nil, shuttleNames, "class"),
		}}},
		{Rows: 14500, Files: []File{{
			URL:       uciFiles + "statlog/shuttle/shuttle.tst",
			Path:      "uci/statlog-shuttle/shuttle.tst",
			Sum:       fetch.Sum{SHA256: "f776934a628d9b94c482cb058a76ddaa63823e0f74aec065813c9dff3b89d661"},
			Size:      384257,
			Separator: "space",
			Columns:   around(nil, shuttleNames, "class"),
		}}},
	},
	Parts:   []Part{{"train", 0, 43500}, {"test", 43500, 58000}},
	Default: "train",
	Split:   Sizes{Train: 43500, Test: 14500},
	Folds:   2,
	Errata: []string{
		"79 % of the rows are of class 1; classes 2, 6 and 7 have 50, 10 and 13 rows.",
	},
}

var segment = Entry{
	Name:     "segment",
	Title:    "Image Segmentation",
	Page:     uciPages + "50/image+segmentation",
	Licence:  uciLicence,
	Citation: "Image Segmentation (1990). UCI Machine Learning Repository. https://doi.org/10.24432/C5GP4N",
	Task:     "classification",
	Rows:     210,
	Features: segmentNames,
	Normal:   11,
	Targets:  []string{"class"},
	Classes: []Class{{"BRICKFACE", 30}, {"SKY", 30}, {"FOLIAGE", 30}, {"CEMENT", 30}, {"WINDOW", 30}, {"PATH", 30},
		{"GRASS", 30}},
	Blocks: []Block{{Rows: 210, Files: []File{{
		URL:     uciFiles + "image/segmentation.data",
		Path:    "uci/image-segmentation/segmentation.data",
		Sum:     fetch.Sum{SHA256: "ed5b5aee8081bbe875357149f73f50d7085e22cc0897f5b52eb7b52fea969a5b"},
		Size:    34842,
		Skip:    5,
		Columns: around([]string{"class"}, segmentNames),
	}}}},
	Extra: []Extra{{Name: "test", Block: Block{Rows: 2100, Files: []File{{
		URL:     uciFiles + "image/segmentation.test",
		Path:    "uci/image-segmentation/segmentation.test",
		Sum:     fetch.Sum{SHA256: "2e9e966479d54c6aaec309059376dd9c89c1b46bf3a23aceeefb36d20d93a189"},
		Size:    345084,
		Skip:    5,
		Columns: around([]string{"class"}, segmentNames),
	}}}}},
	Split: Sizes{Train: 100, Test: 110},
	Folds: 10,
	Errata: []string{
		"The paper's 100 and 110 rows are those of segmentation.data; the published test part of 2,100 rows is " +
			"segment:test.",
		"REGION-PIXEL-COUNT is 9 in every row.",
		"The paper's 11 normal and 8 privileged features are not halves of 19.",
		"Rows are sorted by class: shuffle before splitting.",
	},
}

var parkinsons = Entry{
	Name:     "parkinsons",
	Title:    "Parkinsons",
	Page:     uciPages + "174/parkinsons",
	Licence:  uciLicence,
	Citation: "Little, M. (2007). Parkinsons. UCI Machine Learning Repository. https://doi.org/10.24432/C59C74",
	Task:     "classification",
	Rows:     195,
	Features: parkinsonsNames,
	Normal:   11,
	Targets:  []string{"status"},
	Classes:  []Class{{"0", 48}, {"1", 147}},
	Blocks: []Block{{Rows: 195, Files: []File{{
		URL:     uciFiles + "parkinsons/parkinsons.data",
		Path:    "uci/parkinsons/parkinsons.data",
		Sum:     fetch.Sum{SHA256: "a36116c2deac07895b79ce97a2f99a1b3720ac4892995ff5c3b9ccb397ed2bc5"},
		Size:    40697,
		Header:  true,
		Columns: around([]string{""}, parkinsonsNames[:16], slices.Concat([]string{"status"}, parkinsonsNames[16:])...),
	}}}},
	Errata: []string{
		"Not in the RVFL+ paper.",
		"Every person has six or seven rows: a random split has the same people in both parts. The file's first " +
			"column, which is not read, names the person.",
		"The class, 1 for Parkinson's disease, stands between the features in the file.",
	},
}
