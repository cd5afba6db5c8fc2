package page

import (
	"bytes"
	"html/template"

	"rvflplus/internal/advise"
	"rvflplus/internal/report"
)

var advice = template.Must(template.New("advice").Parse(`<h2>Advice before fitting</h2>
<p><b>{{.Headline}}.</b> {{.Why}}{{range .Doubts}} {{.}}{{end}}</p>
<p><b>What to do next.</b> <code>{{.Command}}</code> {{.Instead}}</p>
<figure>{{.Plot}}<figcaption>How well the target is predicted on rows left out by each kind of columns, and how well ` +
	`the normal columns predict the privileged ones: bars with one standard error. Dashed: where the rules of the ` +
	`advice turn. {{.Caution}}</figcaption></figure>
`))

// Advice returns the section of a page that gives the advice before fitting, with its picture. command is the command
// line that trains as advised.
func Advice(a *advise.Advice, command string) (template.HTML, error) {
	picture := a.Picture()
	plot, err := inBothWidths(func(narrow bool) report.Drawing { picture.Narrow = narrow; return picture })
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = advice.Execute(&out, struct {
		*advise.Advice
		Plot             template.HTML
		Command, Caution string
	}{a, plot, command, advise.Caution})
	return template.HTML(out.String()), err // the template has escaped the texts
}
