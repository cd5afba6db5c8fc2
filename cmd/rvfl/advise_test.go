package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// situations make the privileged columns and the target of a row in which privileged columns are worth something, or
// nothing, for a known reason.
var situations = map[string]func(x []float64, noise func() float64) (lab1, lab2, y float64){
	"noise": func(x []float64, noise func() float64) (lab1, lab2, y float64) {
		return noise(), noise(), known(x) + 0.3*noise()
	},
	"copies": func(x []float64, noise func() float64) (lab1, lab2, y float64) {
		return x[0], x[1], x[0] + x[1] - x[2] + 0.3*noise()
	},
	// What the target is made of, measured with an error.
	"informative": func(x []float64, noise func() float64) (lab1, lab2, y float64) {
		lab1 = known(x) + 0.3*noise()
		return lab1, noise(), lab1 + 0.1*noise()
	},
	// A better representation than the normal columns, which predict it.
	"predictable": func(x []float64, noise func() float64) (lab1, lab2, y float64) {
		lab1, lab2 = math.Sin(x[0])+0.05*noise(), math.Cos(x[1])+0.05*noise()
		return lab1, lab2, math.Sin(6*lab1*lab2) + 0.1*noise()
	},
	"independent": func(x []float64, noise func() float64) (lab1, lab2, y float64) {
		lab1, lab2 = noise(), noise()
		return lab1, lab2, x[0] + lab1 + math.Sin(2*lab2) + 0.2*noise()
	},
}

func known(x []float64) float64 { return math.Sin(2*x[0]) + x[1]*x[2]/2 }

// situation writes: situation NAME FILE ROWS [UNLABELLED], a table of so many rows with a target and so many without.
func situation(ts *testscript.TestScript, _ bool, args []string) {
	rows, err := strconv.Atoi(args[2])
	ts.Check(err)
	without := 0
	if len(args) > 3 {
		without, err = strconv.Atoi(args[3])
		ts.Check(err)
	}
	r := rand.New(rand.NewPCG(4, 2))
	var b strings.Builder
	b.WriteString("x1,x2,x3,lab_1,lab_2,y\n")
	for i := range rows + without {
		x := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		lab1, lab2, y := situations[args[0]](x, r.NormFloat64)
		fmt.Fprintf(&b, "%.6g,%.6g,%.6g,%.6g,%.6g,", x[0], x[1], x[2], lab1, lab2)
		if i < rows {
			fmt.Fprintf(&b, "%.6g", y)
		}
		b.WriteString("\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o644))
}
