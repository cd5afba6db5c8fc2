package compare

// Work is counted in units that take about equal time, so that the time that is left can be told from the start.

// share is the time that a method of package lupi takes to choose its settings, relative to a ridge regression of as
// many rows, measured on 60 to 200 rows: for a model of some rows, and in a permutation.
var share = map[string][2]float64{
	"tuned": {20, 0}, "averaged": {28, 0}, "projected": {170, 75}, "label": {250, 0}, "distill": {70, 25},
	"transfer": {140, 0}, "weigh": {70, 0}, "stack": {380, 0},
}

// cost returns the expected time to choose the settings of methods on some rows; permuted is 1 in a permutation.
func (r *run) cost(methods []Method, rows, permuted int) int {
	return 0
}

// plan sets the work there is.
func (r *run) plan() error {
	r.total = 1
	r.Progress.Tell("comparing", 0, r.total)
	return nil
}

// tell reports work that was done.
func (r *run) tell(work int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.done = min(r.done+work, r.total)
	r.Progress.Tell("comparing", r.done, r.total)
}
