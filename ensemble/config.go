// Package ensemble averages RVFL networks: independent ones (Config), the layers of a deep one (DeepConfig: edRVFL and
// edRVFL+) and the columns of a cascade (CascadeConfig: cmcRVFL+). KernelCascadeConfig (cKRVFL+) is a cascade of
// KRVFL+. Deep networks and cascades are there for comparison: no gain over a tuned KRVFL is known.
package ensemble

import (
	"errors"

	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/param"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// Config holds the hyper-parameters of an average of independent networks. It starts from DefaultConfig; a value
// outside its range is an error.
type Config struct {
	Network rvfl.Config // of every member; its Seed and the member's number draw the member's layers
	Members int         // networks K; ≥ 1, default 10
}

// DefaultConfig returns the documented defaults.
func DefaultConfig() Config { return Config{rvfl.DefaultConfig(), param.Members.Default()} }

// Validate returns a fault.Usage error that names every value out of its range.
func (c Config) Validate() error {
	return errors.Join(c.Network.Validate(), param.Members.CheckValue(c.Members))
}

// Layers of a deep network and of a cascade. The publications of edRVFL have up to 10 layers; the numbers of a model
// grow with layers times Hidden².
const (
	deepLayers    = 5
	cascadeLayers = 3
)

// DeepConfig holds the hyper-parameters of edRVFL and edRVFL+. It starts from DefaultDeepConfig; a value outside its
// range is an error.
type DeepConfig struct {
	Network rvfl.Config // of every layer: Hidden and PrivHidden are the nodes of one layer
	Layers  int         // L; ≥ 1, or 0 for the default 5
}

// DefaultDeepConfig returns the documented defaults.
func DefaultDeepConfig() DeepConfig { return DeepConfig{rvfl.DefaultConfig(), deepLayers} }

// Validate returns a fault.Usage error that names every value out of its range.
func (c DeepConfig) Validate() error {
	if init := c.Network.Init; init == feature.Differences || init == feature.Relevance {
		return fault.Param("init", "uniform or gaussian in a deep network", init)
	}
	return errors.Join(c.Network.Validate(), param.Layers.CheckValue(c.Layers))
}

// CascadeConfig holds the hyper-parameters of cmcRVFL+. It starts from DefaultCascadeConfig; a value outside its range
// is an error.
type CascadeConfig struct {
	Network rvfl.Config // of every column; its Correction starts as learn.Additive
	Members int         // columns K of a layer; ≥ 1, default 10
	Layers  int         // ≥ 1, or 0 for the default 3
}

// DefaultCascadeConfig returns the documented defaults. The privileged features of a cascade are predictions, and the
// normal features explain most of a prediction. The additive form takes the predictions as a covariance of the noise:
// rows with similar predictions share a part of their error. The other corrections would change the targets
// themselves by a function of the predictions.
func DefaultCascadeConfig() CascadeConfig {
	network := rvfl.DefaultConfig()
	network.Correction = learn.Additive
	return CascadeConfig{network, param.Members.Default(), cascadeLayers}
}

// Validate returns a fault.Usage error that names every value out of its range.
func (c CascadeConfig) Validate() error {
	return errors.Join(c.columns().Validate(), param.Layers.CheckValue(c.Layers))
}

// columns is one layer.
func (c CascadeConfig) columns() Config { return Config{c.Network, c.Members} }

// KernelCascadeConfig holds the hyper-parameters of cKRVFL+. It starts from DefaultKernelCascadeConfig; a value outside
// its range is an error.
type KernelCascadeConfig struct {
	// Network is every layer. Its Correction starts as learn.Additive, for the reason that DefaultCascadeConfig gives.
	// Its PrivKernel, of privileged features and of predictions, starts as rbf of automatic width.
	Network krvfl.Config
	Layers  int // ≥ 1, or 0 for the default 3
}

// DefaultKernelCascadeConfig returns the documented defaults.
func DefaultKernelCascadeConfig() KernelCascadeConfig {
	network := krvfl.DefaultConfig()
	network.Correction, network.PrivKernel = learn.Additive, kernel.Must("rbf")
	return KernelCascadeConfig{network, cascadeLayers}
}

// Validate returns a fault.Usage error that names every value out of its range.
func (c KernelCascadeConfig) Validate() error {
	return errors.Join(c.Network.Validate(), param.Layers.CheckValue(c.Layers))
}
