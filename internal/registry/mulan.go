package registry

import (
	"slices"
	"strconv"

	"rvflplus/internal/fetch"
)

const (
	mulanPage  = "https://mulan.sourceforge.net/datasets-mtr.html"
	mulanFiles = "https://raw.githubusercontent.com/tsoumakas/mulan/43f6389095ad71984264db4387a8074b22bc7d4a/" +
		"data/multi-target/"
	mulanLicence  = "unknown (no data licence stated; the Mulan library itself is GPL)"
	mulanCitation = "Spyromitros-Xioufis, E., Tsoumakas, G., Groves, W., Vlahavas, I. (2016). Multi-target " +
		"regression via input space expansion: treating targets as inputs. Machine Learning 104, 55-98. " +
		"https://doi.org/10.1007/s10994-016-5546-z"
)

var (
	androTargets = []string{"Target", "Target_2", "Target_3", "Target_4", "Target_5", "Target_6"}
	edmNames     = []string{"ASM_A_MeanT", "ASD_A_SDevT", "BSM_B_MeanT", "BSD_B_SDevT", "CSM_C_MeanT", "CSD_C_SDevT",
		"ISM_I_MeanT", "ISD_I_SDevT", "ALM_A_MeanT", "ALD_A_SDevT", "BLM_B_MeanT", "BLD_B_SDevT", "CLM_C_MeanT",
		"CLD_C_SDevT", "ILM_I_MeanT", "ILD_I_SDevT"}
	edmTargets   = []string{"DFlow", "DGap"}
	slumpNames   = []string{"Cemment", "Slag", "Fly_ash", "Water", "SP", "Coarse_Aggr", "Fine_Aggr"}
	slumpTargets = []string{"SLUMP_cm", "FLOW_cm", "Compressive_Strength_Mpa"}
)

var andro = Entry{
	Name:    "andro",
	Title:   "Andromeda: sea water quality, five days ahead",
	Page:    mulanPage,
	Licence: mulanLicence,
	Citation: "Hatzikos, E.V. et al. (2008). An empirical study on sea water quality prediction. Knowledge-Based " +
		"Systems 21, 471-478. " + mulanCitation,
	Task:     "regression",
	Rows:     49,
	Features: androNames(),
	Normal:   15,
	Targets:  androTargets,
	Blocks: []Block{{Rows: 49, Files: []File{{
		URL:     mulanFiles + "andro.arff",
		Path:    "mulan/andro.arff",
		Sum:     fetch.Sum{SHA256: "08f0e2757b2a7635136ac58ea76c4e801ffeb0a81116b29e6ac169228c8aa132"},
		Size:    10346,
		Format:  ARFF,
		Columns: slices.Concat(androNames(), androTargets),
	}}}},
	Split: Sizes{Train: 23, Test: 26},
	Folds: 10,
	Errata: []string{
		"Rows are overlapping windows of one series of days: rows of a random split share values.",
	},
}

var edm = Entry{
	Name:     "edm",
	Title:    "Electrical Discharge Machining",
	Page:     mulanPage,
	Licence:  mulanLicence,
	Citation: "Karalič, A., Bratko, I. (1997). First Order Regression. Machine Learning 26, 147-176. " + mulanCitation,
	Task:     "regression",
	Rows:     154,
	Features: edmNames,
	Normal:   8,
	Targets:  edmTargets,
	Blocks: []Block{{Rows: 154, Files: []File{{
		URL:     mulanFiles + "edm.arff",
		Path:    "mulan/edm.arff",
		Sum:     fetch.Sum{SHA256: "37777374030f592a53cbcf597ae0aa6105238a1c696dd04ccb229be982f6bc5b"},
		Size:    13939,
		Format:  ARFF,
		Columns: slices.Concat(edmNames, edmTargets),
	}}}},
	Split: Sizes{Train: 100, Test: 54},
	Folds: 10,
	Errata: []string{
		"The paper's 140 and 74 rows are those of Glass; the data have 154, split here into 100 and 54.",
		"Both targets take only the values -1, 0 and 1.",
		"Ten rows repeat an earlier row.",
	},
}

var slump = Entry{
	Name:    "slump",
	Title:   "Concrete Slump Test",
	Page:    mulanPage,
	Licence: mulanLicence,
	Citation: "Yeh, I-C. (2007). Modeling slump flow of concrete using second-order regressions and artificial " +
		"neural networks. Cement and Concrete Composites 29, 474-480. " + mulanCitation,
	Task:     "regression",
	Rows:     103,
	Features: slumpNames,
	Normal:   4,
	Targets:  slumpTargets,
	Blocks: []Block{{Rows: 103, Files: []File{{
		URL:     mulanFiles + "slump.arff",
		Path:    "mulan/slump.arff",
		Sum:     fetch.Sum{SHA256: "3a9a9eba416b06c7668153b44073a0e165afbfc9e526d53b174e5f97a707ca6c"},
		Size:    4608,
		Format:  ARFF,
		Columns: slices.Concat(slumpNames, slumpTargets),
	}}}},
	Split: Sizes{Train: 53, Test: 50},
	Folds: 10,
	Errata: []string{
		"The first attribute is spelt Cemment in the file.",
	},
}

var scm1d = Entry{
	Name:     "scm1d",
	Title:    "Supply Chain Management, one day ahead",
	Page:     mulanPage,
	Licence:  mulanLicence,
	Citation: mulanCitation,
	Task:     "regression",
	Rows:     9803,
	Features: scm1dNames(),
	Normal:   140,
	Targets:  scmTargets(""),
	Blocks: []Block{{Rows: 9803, Files: []File{{
		URL:     mulanFiles + "scm1d.arff",
		Path:    "mulan/scm1d.arff",
		Sum:     fetch.Sum{Git: "949342bac49be5f52c4a3b03068ff7e13b9b8e82"},
		Format:  ARFF,
		Columns: slices.Concat(scm1dNames(), scmTargets("")),
	}}}},
	Parts: []Part{{"train", 0, 8145}, {"test", 8145, 9803}},
	Split: Sizes{Train: 5000, Test: 4803},
	Folds: 2,
	Errata: []string{
		"The SHA-256 of the file is not known; it is checked by its git object.",
	},
}

// scm1dTest is what can be had where the file of scm1d cannot: its published test part, in a copy whose owner added
// four columns.
var scm1dTest = Entry{
	Name:     "scm1d-test",
	Title:    "Supply Chain Management, one day ahead, the published test part alone",
	Page:     mulanPage,
	Licence:  mulanLicence,
	Citation: mulanCitation,
	Task:     "regression",
	Rows:     1658,
	Features: scm1dNames(),
	Normal:   140,
	Targets:  scmTargets(""),
	Blocks: []Block{{Rows: 1658, Files: []File{{
		URL: "https://raw.githubusercontent.com/hasbiahmad11/semiconductor_prediction/" +
			"8de601ac09db5adc40ee6c9b882a383157952b73/dataset/data_test.csv",
		Path:    "mulan/partial/scm1d-test.csv",
		Sum:     fetch.Sum{SHA256: "508a37d8ace44fd075719c2a01dcd119b4dfcb7c824e2f09af2cfa2c4eb7e58e"},
		Size:    3619150,
		Header:  true,
		Columns: slices.Concat(scm1dNames(), scmTargets(""), []string{"", "", "", ""}),
	}}}},
	Split: Sizes{Train: 1000, Test: 658},
	Folds: 2,
	Errata: []string{
		"These are 1,658 of the 9,803 rows of scm1d: its published test part. The split is not the paper's.",
		"The file is a copy of somebody else's, who added four columns; these are not read.",
	},
}

var scm20d = Entry{
	Name:     "scm20d",
	Title:    "Supply Chain Management, 20 days ahead",
	Page:     mulanPage,
	Licence:  mulanLicence,
	Citation: mulanCitation,
	Task:     "regression",
	Rows:     8966,
	Features: scm20dNames(),
	Normal:   31,
	Targets:  scmTargets("A"),
	Blocks: []Block{{Rows: 8966, Files: []File{{
		URL:      mulanFiles + "scm20d.arff",
		Path:     "mulan/scm20d.arff",
		Sum:      fetch.Sum{Git: "60026c060b244c596af2e298f39410fe90d89719"},
		Unpacked: "2261a94bff5cfb617dbd2e7fd2c17d15d45135103a081917d1358c2ad13a4bd2",
		Format:   ARFF,
		Columns:  slices.Concat(scm20dNames(), scmTargets("A")),
	}}}},
	Parts: []Part{{"train", 0, 7463}, {"test", 7463, 8966}},
	Split: Sizes{Train: 6000, Test: 2966},
	Folds: 2,
	Errata: []string{
		"The SHA-256 is that of a copy with the same values in another number format; the publisher's file is " +
			"checked by its git object.",
	},
}

// numbered returns name and the numbers from first to last.
func numbered(name string, first, last int) []string {
	var names []string
	for i := first; i <= last; i++ {
		names = append(names, name+strconv.Itoa(i))
	}
	return names
}

func androNames() []string {
	var names []string
	for window := range 5 {
		names = append(names, numbered("Window"+strconv.Itoa(window)+"-Att", 0, 5)...)
	}
	return names
}

// lags returns a series and its values one, two, four and eight days before.
func lags(name string) []string {
	return []string{name, name + "l1", name + "l2", name + "l4", name + "l8"}
}

var (
	// leads are the days ahead for which components are priced.
	leads = []string{"lt2", "lt6", "lt10", "lt20", "lt30"}
	// followed are the components and products whose earlier prices are features.
	followed     = []int{0, 4, 6, 8, 10, 12, 14}
	followedSKUs = []int{1, 10, 11, 12, 13, 14, 15, 16}
	scmFirst     = []string{"timeunit", "storageCost", "interestRate"}
)

// scm20dNames returns 3 + 5·7 + 8 + 3·5 = 61 names.
func scm20dNames() []string {
	names := slices.Clone(scmFirst)
	for _, lead := range leads {
		for _, i := range followed {
			names = append(names, "compidx"+strconv.Itoa(i)+lead)
		}
	}
	for _, i := range followedSKUs {
		names = append(names, "sku"+strconv.Itoa(i))
	}
	return append(names, demandNames()...)
}

// scm1dNames returns 3 + 5·(16 + 7·4) + (10 + 8·4) + 3·5 = 280 names.
func scm1dNames() []string {
	names := slices.Clone(scmFirst)
	for _, lead := range leads {
		for i := range 16 {
			names = append(names, followedBy("compidx"+strconv.Itoa(i)+lead, i, followed)...)
		}
	}
	for _, i := range []int{1, 2, 9, 10, 11, 12, 13, 14, 15, 16} {
		names = append(names, followedBy("sku"+strconv.Itoa(i), i, followedSKUs)...)
	}
	return append(names, demandNames()...)
}

// followedBy returns a series, with its lags if it is among the followed ones.
func followedBy(name string, i int, followed []int) []string {
	if slices.Contains(followed, i) {
		return lags(name)
	}
	return []string{name}
}

func demandNames() []string {
	return slices.Concat(lags("demandseg1"), lags("demandseg2"), lags("demandseg3"))
}

// scmTargets returns the 16 targets: LBL and MTLp2 to MTLp16, with an ending.
func scmTargets(ending string) []string {
	targets := []string{"LBL"}
	for _, name := range numbered("MTLp", 2, 16) {
		targets = append(targets, name+ending)
	}
	return targets
}
