package repro

// Gain is what a method has over another, in points, over the splits that both have.
type Gain struct {
	Dataset string  `json:"dataset"`
	Method  string  `json:"method"`
	Over    string  `json:"over"` // KRVFL or averaged
	Mean    float64 `json:"mean"`
	SE      float64 `json:"se"` // standard error of the mean
	Splits  int     `json:"splits"`
}
