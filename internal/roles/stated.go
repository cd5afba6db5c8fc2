package roles

import (
	"slices"

	"rvflplus/dataset"
)

// Complete returns s completed by the roles that a file states of its columns, which are called names: privileged ones
// and targets, where s names none. Targets of the file to which s gives no role are no features: they are dropped and
// returned. An empty s.Target or s.Priv stays empty if elsewhere says that these columns are in another file.
func Complete(s, stated dataset.Selection, names []string, elsewhere dataset.Selection) (
	out dataset.Selection, dropped []string) {
	chosen := func(selector string) []int {
		columns, _, _ := Select(selector, names) // whoever resolves the selection reports a wrong selector
		return columns
	}
	without := func(columns, others []int) []int {
		taken := make([]bool, len(names))
		for _, i := range others {
			taken[i] = true
		}
		return slices.DeleteFunc(columns, func(i int) bool { return taken[i] })
	}
	out = s
	if s.Priv == "" && elsewhere.Priv == "" {
		out.Priv = ByPosition(without(chosen(stated.Priv), chosen(s.Normal)))
	}
	if s.Target == "" && elsewhere.Target == "" {
		out.Target = stated.Target
		return out, nil
	}
	if s.Normal != "" {
		return out, nil
	}
	given := slices.Concat(chosen(s.ID), chosen(s.Weight), chosen(s.Group), chosen(s.Time), chosen(s.Drop))
	if elsewhere.Target == "" {
		given = append(given, chosen(s.Target)...)
	}
	if elsewhere.Priv == "" {
		given = append(given, chosen(s.Priv)...)
	}
	left := without(chosen(stated.Target), given)
	for _, i := range left {
		dropped = append(dropped, names[i])
	}
	switch positions := ByPosition(left); {
	case s.Drop == "":
		out.Drop = positions
	case positions != "" && slices.Contains(names, s.Drop): // a name, perhaps with a comma
		out.Drop = ByName([]string{s.Drop}) + "," + positions
	case positions != "":
		out.Drop = s.Drop + "," + positions
	}
	return out, dropped
}
