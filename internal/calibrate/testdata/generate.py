"""Writes reference.json: calibration by SciPy and scikit-learn (1.2.1), for the tests of package calibrate.

    python3 calibrate/testdata/generate.py
"""
import json
import os

import numpy as np
from scipy.optimize import minimize
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

rng = np.random.default_rng(7)
cases = []
for n, scale, shift, weighted in [(12, 1, 0, False), (60, 1e3, 5e3, False), (60, 1e-6, 0, True), (200, 2, -1, True)]:
    y = rng.random(n) < 0.4
    s = np.round(rng.normal(size=n) + 1.5 * y, 1) * scale + shift  # rounded: ties
    w = rng.integers(0, 4, n).astype(float) if weighted else np.ones(n)
    pos, neg = w[y].sum(), w[~y].sum()
    t = np.where(y, (pos + 1) / (pos + 2), 1 / (neg + 2))
    z = (s - s.mean()) / s.std()

    def loss(ab):
        f = ab[0] * z + ab[1]
        return np.sum(w * (t * f + np.logaddexp(0, -f)))

    best = minimize(loss, [-1, 0], method="Nelder-Mead", options={"xatol": 1e-12, "fatol": 1e-14, "maxiter": 20000})
    platt = 1 / (1 + np.exp(best.x[0] * z + best.x[1]))
    case = {"scores": s.tolist(), "positive": y.tolist(), "weight": w.tolist(), "platt": platt.tolist(), "loss": best.fun}
    if not weighted:
        case["sklearn"] = _SigmoidCalibration().fit(z, y).predict(z).tolist()
    keep = w > 0  # scikit-learn 1.2 keeps the points of rows of weight 0 only at the ends
    iso = IsotonicRegression(out_of_bounds="clip").fit(s[keep], t[keep], sample_weight=w[keep])
    at = np.linspace(s.min() - scale, s.max() + scale, 41)
    case["at"], case["isotonic"] = at.tolist(), iso.predict(at).tolist()
    cases.append(case)
with open(os.path.join(os.path.dirname(__file__), "reference.json"), "w") as f:
    json.dump(cases, f)
