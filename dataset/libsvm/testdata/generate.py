#!/usr/bin/env python3
"""Writes sklearn.svm with scikit-learn's dump_svmlight_file, and sklearn.bits, what
load_svmlight_file reads from it: a row a line, the 64-bit patterns in hexadecimal of its
features, its query and its label. Made with scikit-learn 1.2.1, numpy 1.24."""
import os
import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.RandomState(4)
rows, columns = 60, 23
X = rng.randn(rows, columns) * 10.0 ** rng.randint(-12, 13, (rows, columns))
X[rng.rand(rows, columns) < 0.7] = 0
X[:, columns - 1] = 0
X[41, columns - 1] = 1 / 3  # the last column is seen late
X[3] = 0                    # a row without features
X[5, :6] = [5e-324, 1.797693134862315e308, -2.2250738585072014e-308, 0.1, -1e22, 123456789012345.6]
y = rng.randint(-3, 4, rows) + np.where(rng.rand(rows) < 0.3, 0.5, 0)
query = np.sort(rng.randint(0, 9, rows))

path = os.path.join(here, "sklearn.svm")
dump_svmlight_file(X, y, path, zero_based=False, query_id=query, comment="# with comments\nand a query")
X, y, query = load_svmlight_file(path, query_id=True)
with open(os.path.join(here, "sklearn.bits"), "w") as f:
    for row in np.column_stack([X.toarray(), query.astype(float), y]):
        f.write(" ".join("%x" % b for b in np.ascontiguousarray(row).view(np.uint64)) + "\n")
