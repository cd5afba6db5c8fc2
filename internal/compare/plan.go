package compare

import "math"

// The time left is told from the start, so work is counted in units that take about equal time: a tenth of a
// millisecond for a model of planRows rows, measured on one core. Only the ratios matter.
const planRows = 150

// chooses is the work of the methods of package lupi, and of what they share, to choose their settings.
var chooses = map[string]float64{
	"tuned": 50, "mixture": 30, "additive": 250, "projected": 450, "label": 450, "distill": 150,
	"transfer": 680, "weigh": 150,
}

// permutes is the same in a permutation, where the normal space is known.
var permutes = map[string]float64{"additive": 190, "projected": 160, "distill": 55}

// shares lists what a method needs of chooses beside its own entry.
var shares = map[string][]string{
	"averaged": {"tuned", "mixture"}, "additive": {"tuned"}, "transfer": {"tuned"}, "weigh": {"tuned"},
	"stack": {"tuned", "mixture", "projected", "distill", "transfer"},
}

// The work of one setting of other methods: without and with privileged features, and trained anew for every fold.
const (
	plainSetting      = 4
	privilegedSetting = 20
	refittedSetting   = 40
)

// cost returns the expected work to tune methods on some rows.
func (r *run) cost(methods []Method, rows int) int {
	var units float64
	counted := map[string]bool{}
	count := func(part, base string, rows int) {
		if key := base + " " + part; !counted[key] {
			counted[key] = true
			units += grown(chooses[part], rows)
		}
	}
	for _, m := range methods {
		if m.member == "" {
			units += grown(r.work[m.Name], rows)
			continue
		}
		size := rows
		if u := r.all.Problem().Unlabelled; u != nil && m.member == "label" {
			size += u.X.RawMatrix().Rows
		}
		count(m.member, m.base, size)
		for _, part := range shares[m.member] {
			count(part, m.base, rows)
		}
	}
	return int(units)
}

// autoWork is the work of Auto on planRows rows.
const autoWork = 20000

func (r *run) autoCost(rows int) int { return int(grown(autoWork, rows)) }

// permutationCost returns the expected work of one permutation.
func (r *run) permutationCost(tested []Method) int {
	var units float64
	for _, m := range tested {
		work := permutes[m.member]
		if m.member == "" {
			work = r.work[m.Name]
		}
		units += grown(work, r.all.Problem().X.RawMatrix().Rows)
	}
	return int(units)
}

// grown returns the work on some rows.
func grown(work float64, rows int) float64 { return work * math.Pow(float64(rows)/planRows, 3) }

// plan sets the work there is: just what is told of later.
func (r *run) plan() error {
	r.work = map[string]float64{}
	for _, m := range r.methods {
		if m.member != "" {
			continue
		}
		candidates, err := m.Candidates(r.all.Problem())
		if err != nil {
			return err
		}
		setting := 1.0 * refittedSetting
		switch {
		case m.Closed && m.Role == Privileged:
			setting = privilegedSetting
		case m.Closed:
			setting = plainSetting
		}
		r.work[m.Name] = setting * float64(len(candidates))
	}
	train, _ := r.sizes()
	of := func(role Role) []Method { return r.only(func(m Method) bool { return m.Role == role }) }
	split := 2*r.cost(r.controlled(), train) + r.cost(r.only(Method.judgedHeldOut), train)
	for _, role := range []Role{Baseline, Privileged, UpperBound} {
		split += r.cost(of(role), train)
	}
	r.autos = r.autoCount(train)
	r.total = r.Splits*split + r.autos*r.autoCost(train) +
		r.cost(r.inClosedForm(Baseline), r.all.Problem().X.RawMatrix().Rows)
	if tested := r.only(Method.permutes); tested != nil {
		r.total += (1 + r.Permutations) * r.permutationCost(tested)
	}
	r.Progress.Tell("comparing", 0, r.total)
	return nil
}

// tell reports work that was done.
func (r *run) tell(work int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.done += work
	r.Progress.Tell("comparing", r.done, r.total)
}
