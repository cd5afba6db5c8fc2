package registry

// Figures are the numbers in a row of the paper's tables 3 and 5, which describe a data set.
type Figures struct {
	Train      int `json:"train"`
	Validation int `json:"validation,omitempty"`
	Test       int `json:"test"`
	Attributes int `json:"attributes"`
	Normal     int `json:"normal"`
	Privileged int `json:"privileged"`
	Classes    int `json:"classes,omitempty"` // 0 where none are given
}

// PaperRow is a row of the paper's table 3 (classification) or 5 (regression), or,
// with Table 0, what its section on MNIST+ says.
type PaperRow struct {
	Table   int
	Problem string // the paper's name
	Entry   string
	Figures        // as printed
	Remark  string // on differences, or what the figures hide
}

// Difference is a figure in which the data and the paper differ.
type Difference struct {
	Figure string `json:"figure"`
	Paper  int    `json:"paper"`
	Data   int    `json:"data"`
}

// Paper returns the paper's statistics of data sets, in its order: MNIST+, table 3,
// table 5.
func Paper() []PaperRow {
	return []PaperRow{
		{0, "MNIST+", "mnist+", Figures{100, 4000, 1866, 121, 100, 21, 2},
			"4,000 stands for the 4,002 validation images"},
		{3, "Iris", "iris", Figures{90, 0, 60, 4, 2, 2, 3}, ""},
		{3, "Glass", "glass", Figures{140, 0, 74, 9, 5, 4, 5}, "six classes occur; a seventh is defined and empty"},
		{3, "Abalone", "abalone", Figures{2000, 0, 2177, 8, 4, 4, 3},
			"the three classes are the usual grouping of 28 numbers of rings; one attribute, the sex, is text"},
		{3, "Wine", "wine", Figures{100, 0, 78, 13, 7, 6, 3}, ""},
		{3, "Red Wine Quality", "wine-red", Figures{1000, 0, 599, 11, 6, 5, 3},
			"six qualities occur, 3 to 8; the paper does not say how it groups them"},
		{3, "White Wine Quality", "wine-white", Figures{3000, 0, 1898, 11, 6, 5, 7}, ""},
		{3, "Shuttle", "shuttle", Figures{43500, 0, 14500, 9, 5, 4, 7}, "the published split"},
		{3, "Segment", "segment", Figures{100, 0, 110, 19, 11, 8, 7},
			"segmentation.data alone; 11 and 8 are not halves of 19"},
		{5, "ANDRO", "andro", Figures{23, 0, 26, 30, 15, 15, 0}, ""},
		{5, "EDM", "edm", Figures{140, 0, 74, 16, 8, 8, 0},
			"140 and 74 are the numbers of Glass; the data have 154 rows, used here as 100 and 54"},
		{5, "SLUMP", "slump", Figures{53, 0, 50, 7, 4, 3, 0}, ""},
		{5, "SCM1D", "scm1d", Figures{5000, 0, 4803, 280, 140, 140, 0}, ""},
		{5, "SCM20D", "scm20d", Figures{6000, 0, 2966, 61, 31, 30, 0}, ""},
	}
}

// Data returns the figures of the data, in the registry's split. Classes are given
// where the paper gives them.
func (r PaperRow) Data() Figures {
	e, _, err := Find(r.Entry)
	if err != nil {
		panic("registry: a row of the paper has no entry")
	}
	f := Figures{
		Train: e.Split.Train, Validation: e.Split.Validation, Test: e.Split.Test,
		Attributes: len(e.Features), Normal: e.Normal, Privileged: e.Privileged(),
	}
	if r.Classes > 0 {
		f.Classes = len(e.Classes)
	}
	return f
}

// Differences returns where the data differ from the paper.
func (r PaperRow) Differences() []Difference {
	d := r.Data()
	var diff []Difference
	for _, c := range []Difference{
		{"training rows", r.Train, d.Train},
		{"validation rows", r.Validation, d.Validation},
		{"test rows", r.Test, d.Test},
		{"attributes", r.Attributes, d.Attributes},
		{"normal features", r.Normal, d.Normal},
		{"privileged features", r.Privileged, d.Privileged},
		{"classes", r.Classes, d.Classes},
	} {
		if c.Paper != c.Data {
			diff = append(diff, c)
		}
	}
	return diff
}
