"""Writes sklearn.json: scores of scikit-learn 1.2.1 (Debian) for kernel ridge regression.

Run as: python3 generate.py > sklearn.json
KFold(5) without shuffling, R2 averaged over outputs, as GridSearchCV reports it.
"""
import json
import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold

r = np.random.RandomState(1)
x = r.randn(53, 4).round(3)
y = (np.sin(x @ r.randn(4, 2)) + 0.2 * r.randn(53, 2)).round(3)
candidates = [{"C": c, "width": w} for c in (0.1, 1.0, 30.0) for w in (0.5, 8.0, 100.0)]
grid = [{"kernel": ["rbf"], "alpha": [1 / c["C"]], "gamma": [1 / c["width"]]} for c in candidates]
search = GridSearchCV(KernelRidge(), grid, cv=KFold(5), scoring="r2").fit(x, y)
print(json.dumps({
    "x": x.tolist(), "y": y.tolist(), "candidates": candidates,
    "r2": search.cv_results_["mean_test_score"].tolist(), "best": int(search.best_index_),
}))
