package learn

// Outcome tells what a method that chooses its hyper-parameters tried and kept. Losses are mean squared errors of the
// coded targets of rows left out; of several targets of a regression each counts in units of its standard deviation.
type Outcome struct {
	Candidates []Candidate `json:"candidates"` // the constant first, then in the order in which they were tried
	Chosen     string      `json:"chosen"`     // the candidate that was kept
	Kappa      float64     `json:"kappa"`      // share of the stack in a shrunk stack, 0 … 1
	Rows       int         `json:"rows"`       // rows that settings were chosen on
	Left       string      `json:"left_out"`   // how rows were left out, for people
	// Growth is the factor by which C, chosen on a sample, was multiplied for all rows; 0 where nothing was sampled.
	Growth     float64 `json:"growth,omitempty"`
	Unlabelled int     `json:"unlabelled,omitempty"` // rows without targets that took part
	Nested     *Nested `json:"nested,omitempty"`     // nil where no nested estimate was asked for
}

// Candidate is one method that was tried.
type Candidate struct {
	Name       string    `json:"name"`
	Privileged bool      `json:"privileged"` // it learns from privileged columns
	Settings   []Setting `json:"settings"`   // chosen or held
	Loss       float64   `json:"loss"`       // mean loss of rows left out
	SE         float64   `json:"se"`         // its standard error
	Weight     float64   `json:"weight"`     // in the model that was kept
	Tried      int       `json:"tried"`      // settings that were tried
	Of         int       `json:"of"`         // settings to be tried; more than Tried where the budget ended
}

// Setting is one hyper-parameter of a candidate, for people.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Nested is the loss on rows that had no part in choosing, of models that the same rules chose on other rows.
type Nested struct {
	Rows     int     `json:"rows"`
	Loss     float64 `json:"loss"` // of what was chosen
	SE       float64 `json:"se"`
	Tuned    float64 `json:"tuned"` // of the tuned ridge regression without privileged columns
	TunedSE  float64 `json:"tuned_se"`
	Averaged float64 `json:"averaged"` // of the averaged ridge regression without privileged columns
	Gain     float64 `json:"gain"`     // Averaged − Loss, paired over rows
	GainSE   float64 `json:"gain_se"`
	How      string  `json:"how"` // for people
}
