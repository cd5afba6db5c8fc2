#!/usr/bin/env python3
"""Writes cvxopt.json: a problem of 40 rows and the optima that cvxopt finds of SVM+ and of
Fast SVM+ on it, over kernels, C and gamma. Needs Debian's python3-numpy and python3-cvxopt."""
import json
import numpy as np
from cvxopt import matrix, solvers

solvers.options.update(show_progress=False, abstol=1e-13, reltol=1e-13, feastol=1e-13, maxiters=300)


def optimum(form, linear, *conditions):
    """The x that minimises x'form x/2 + linear'x under conditions."""
    return np.array(solvers.qp(matrix(form), matrix(linear), *[matrix(c) for c in conditions])["x"]).ravel()


def plus(k, kp, y, c, gamma):
    """In units of C: u = alpha/C >= 0 and v = (alpha+beta-C)/C >= u - 1."""
    n = len(y)
    eye, zero = np.eye(n), np.zeros((n, n))
    form = np.block([[c * k * np.outer(y, y), zero], [zero, c / gamma * kp]])
    linear = np.r_[-np.ones(n), np.zeros(n)]
    sums = np.array([np.r_[y, 0 * y], np.r_[0 * y, np.ones(n)]])
    x = optimum(form, linear, np.block([[-eye, zero], [eye, -eye]]), np.r_[np.zeros(n), np.ones(n)], sums, np.zeros(2))
    return -c * (x @ form @ x / 2 + linear @ x)


def fast(k, kp, y, c, gamma):
    n = len(y)
    form = (k + 1) * np.outer(y, y) + np.linalg.solve(gamma * np.eye(n) + c * (kp + 1), kp + 1)
    form = (form + form.T) / 2
    x = optimum(form, -np.ones(n), -np.eye(n), np.zeros(n))
    return x.sum() - x @ form @ x / 2


def rbf(x, width):
    return np.exp(-((x[:, None] - x[None]) ** 2).sum(-1) / width)


r = np.random.default_rng(612)
x, priv = r.normal(size=(40, 4)), r.normal(size=(40, 3))
margin = x[:, 0] - x[:, 1] + 0.5 * r.normal(size=40)
y = np.where(margin > 0, 1.0, -1.0)
priv[:, 0] = y * margin + 0.3 * priv[:, 0]
cases = []
for name, k, kp in [("linear", x @ x.T, priv @ priv.T), ("rbf", rbf(x, 2), rbf(priv, 3))]:
    for c in [0.01, 0.1, 1, 10, 100, 1000]:
        for gamma in [0.01, 1, 100]:
            case = {"kernel": name, "c": c, "gamma": gamma, "plus": plus(k, kp, y, c, gamma)}
            if name == "rbf":
                case["fast"] = fast(k, kp, y, c, gamma)
            cases.append(case)
with open("cvxopt.json", "w") as f:
    json.dump({"x": x.tolist(), "priv": priv.tolist(), "y": y.tolist(), "cases": cases}, f)
    f.write("\n")
