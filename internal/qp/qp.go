// Package qp solves convex quadratic programs: by interior points, by an active set, by sequential minimal
// optimisation, and programs over x ≥ 0 by block principal pivoting and by coordinate descent. It knows problems and
// their solutions, not features or models.
//
// Every solver takes a context, a tolerance for the relative duality gap (SMO: for the KKT violation, as LIBSVM) and a
// cap on its iterations. Reaching the cap is no error: the solver returns the best point with Converged false. Errors
// are the context's, or of kind fault.NotSolved when no usable point was found.
package qp

// Result tells how a solver ended.
type Result struct {
	Objective  float64 // as the solver documents it
	Gap        float64 // upper bound on the distance to the optimum, absolute
	KKT        float64 // largest violation of the optimality conditions
	Iterations int
	Converged  bool
}
