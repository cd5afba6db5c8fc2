"""scikit-learn's side of bench/rivals: tunes, trains and tests its methods on the splits that the Go program wrote.

    rivals.py FOLDER own NAME...         writes the tables that scikit-learn brings along or generates
    rivals.py FOLDER run METHODS SPLITS PROCESSES AGAIN TABLE...
                                         measures the cells of table, split and method, of SPLITS splits or all (0);
                                         without AGAIN (true or false) those that are not there yet

It needs Debian's python3-sklearn and python3-pandas. Every cell is computed on one thread; PROCESSES of them run at a
time. Seconds are those of the process, so that other work on the machine counts little.
"""
import base64, json, multiprocessing, os, sys, time, warnings

for name in "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS":
    os.environ[name] = "1"

import numpy as np
import pandas as pd
from scipy.stats import loguniform, uniform
from sklearn import datasets
from sklearn.ensemble import (ExtraTreesClassifier, ExtraTreesRegressor, HistGradientBoostingClassifier,
                              HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor)
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import KFold, ParameterSampler, StratifiedKFold
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

class whole:
    """A distribution rounded down to whole numbers."""

    def __init__(self, distribution):
        self.distribution = distribution

    def rvs(self, random_state=None):
        return int(self.distribution.rvs(random_state=random_state))


SETTINGS, FOLDS = 50, 3  # of the tuning
TREES, TREES_TUNING = 300, 50  # of forests: in the final fit, and while tuning

FOREST = {"max_features": uniform(0.1, 0.9), "min_samples_leaf": whole(loguniform(1, 11)),
          "max_depth": [None, None, 4, 8, 16]}
BOOSTING = {"learning_rate": loguniform(0.02, 0.5), "max_iter": whole(loguniform(20, 201)),
            "max_leaf_nodes": whole(loguniform(3, 32)), "min_samples_leaf": whole(loguniform(1, 31)),
            "l2_regularization": loguniform(1e-4, 10)}
SVM = {"C": loguniform(2**-5, 2**10), "gamma": loguniform(2**-15, 2**3)}
RANGES = {"extra-trees": {**FOREST, "bootstrap": [False, True]}, "random-forest": FOREST, "boosting": BOOSTING,
          "svm": SVM}
EPSILON = loguniform(1e-3, 1)  # of support vector regression, in standard deviations of the target
LINEAR = np.logspace(-4, 4, SETTINGS)  # C of the logistic regression, alpha of the ridge regression


def settings(method, task):
    if method == "linear":
        return [{"C" if task == "classification" else "alpha": v} for v in LINEAR]
    ranges = dict(RANGES[method])
    if method == "svm" and task == "regression":
        ranges["epsilon"] = EPSILON
    return list(ParameterSampler(ranges, SETTINGS, random_state=0))


def estimator(method, task, targets, setting, trees):
    """An untrained estimator; targets is the number of targets of a regression."""
    classes = task == "classification"
    if method in ("extra-trees", "random-forest"):
        kind = {("extra-trees", True): ExtraTreesClassifier, ("extra-trees", False): ExtraTreesRegressor,
                ("random-forest", True): RandomForestClassifier, ("random-forest", False): RandomForestRegressor}
        return kind[method, classes](n_estimators=trees, random_state=0, n_jobs=1, **setting)
    if method == "boosting":
        kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
        one = kind(early_stopping=False, random_state=0, **setting)
        return one if targets == 1 or classes else MultiOutputRegressor(one)
    if method == "svm":
        if classes:
            return make_pipeline(StandardScaler(), SVC(cache_size=500, max_iter=10**7, **setting))
        one = SVR(cache_size=500, max_iter=10**7, **setting)
        one = one if targets == 1 else MultiOutputRegressor(one)
        return make_pipeline(StandardScaler(), TransformedTargetRegressor(one, transformer=StandardScaler()))
    if classes:
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, **setting))
    return make_pipeline(StandardScaler(), Ridge(**setting))


def score(task, truth, predicted):
    if task == "classification":
        return accuracy_score(truth, predicted)
    return r2_score(truth, predicted)  # of several targets the mean


def tuned(method, task, x, y):
    """The setting of the best mean score of the folds, and that score. Of equal ones it is the first."""
    targets = 1 if y.ndim == 1 else y.shape[1]
    kind = StratifiedKFold if task == "classification" else KFold
    folds = list(kind(FOLDS, shuffle=True, random_state=0).split(x, y))
    best = None, -np.inf
    for setting in settings(method, task):
        scores = []
        for train, held in folds:
            model = estimator(method, task, targets, setting, TREES_TUNING).fit(x[train], y[train])
            scores.append(score(task, y[held], model.predict(x[held])))
        if np.mean(scores) > best[1]:
            best = setting, float(np.mean(scores))
    return best


def losses(task, truth, predicted):
    """The loss of every row: 1 where the class is wrong, or the squared error over the variance of the target among
    the rows, the mean over targets. Their mean is the share of errors, or 1 - R²."""
    if task == "classification":
        return (truth != predicted).astype(float)
    truth, predicted = truth.reshape(len(truth), -1), predicted.reshape(len(truth), -1)
    return ((truth - predicted) ** 2 / truth.var(axis=0)).mean(axis=1)


def packed(task, values):
    """Losses as bytes: a bit a row, or the upper half of a 32-bit number, rounded."""
    if task == "classification":
        return np.packbits(values.astype(bool))
    bits = values.astype("<f4").view("<u4").astype(np.uint64) + 0x8000
    return (bits >> np.uint64(16)).astype("<u2")


def read(folder, name):
    """The table's description, its features (categories as 0 and 1) and its targets."""
    with open(os.path.join(folder, name + ".json")) as f:
        about = json.load(f)
    table = pd.read_csv(os.path.join(folder, name + ".csv"), float_precision="round_trip")
    x = pd.get_dummies(table.drop(columns=about["targets"])).to_numpy(float)
    y = table[about["targets"]].to_numpy()
    if about["task"] == "classification":
        y = y[:, 0].astype(str)
    elif y.shape[1] == 1:
        y = y[:, 0]
    return about, x, y


def measure(job):
    folder, name, number, method = job
    about, x, y = read(folder, name)
    task, split = about["task"], about["splits"][number]
    train, test = split["train"], split["test"]
    start = time.process_time()
    setting, value = tuned(method, task, x[train], y[train])
    targets = 1 if y.ndim == 1 else y.shape[1]
    model = estimator(method, task, targets, setting, TREES).fit(x[train], y[train])
    trained = time.process_time()
    predicted = model.predict(x[test])
    done = time.process_time()
    each = losses(task, y[test], predicted)
    cell = {
        "table": name, "split": number, "method": method, "data": split["data"], "loss": float(each.mean()),
        "train_seconds": trained - start, "predict_seconds": done - trained,
        "losses": base64.b64encode(packed(task, each).tobytes()).decode(), "setting": setting, "score": value,
    }
    path = cell_path(folder, name, number, method)
    with open(path + ".part", "w") as f:
        json.dump(cell, f, default=float)
    os.replace(path + ".part", path)
    return f"{name} {number} {method}: {cell['loss']:.4f}, {cell['train_seconds']:.1f} s"


def cell_path(folder, name, number, method):
    return os.path.join(folder, "cells", f"{name}.{number}.{method}.json")


def measured(folder, name, number, method, data):
    try:
        with open(cell_path(folder, name, number, method)) as f:
            return json.load(f)["data"] == data
    except FileNotFoundError:
        return False


def run(folder, methods, splits, processes, again, names):
    jobs = []
    for name in names:
        with open(os.path.join(folder, name + ".json")) as f:
            about = json.load(f)
        for number, split in enumerate(about["splits"][:splits or None]):
            jobs += [(folder, name, number, method) for method in methods
                     if again or not measured(folder, name, number, method, split["data"])]
    jobs.sort(key=lambda job: job[2])  # the first split of every table first
    os.makedirs(os.path.join(folder, "cells"), exist_ok=True)
    with multiprocessing.Pool(processes) as pool:
        for i, line in enumerate(pool.imap_unordered(measure, jobs), 1):
            print(f"{i}/{len(jobs)} {line}", flush=True)


# Friedman's functions with the noise of his paper (Annals of Statistics 19, 1991: a signal three times the noise).
OWN = {
    "breast-cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "diabetes": lambda: datasets.load_diabetes(return_X_y=True, scaled=False),
    "friedman1": lambda: datasets.make_friedman1(2150, noise=1.0, random_state=1),
    "friedman2": lambda: datasets.make_friedman2(2100, noise=125.0, random_state=2),
    "friedman3": lambda: datasets.make_friedman3(2300, noise=0.1, random_state=3),
}


def own(folder, names):
    for name in names:
        x, y = OWN[name]()
        table = pd.DataFrame(x, columns=[f"x{j + 1}" for j in range(x.shape[1])])
        table["target"] = y
        table.to_csv(os.path.join(folder, name + ".csv"), index=False)


def main():
    warnings.filterwarnings("ignore")  # of a class with fewer rows than folds, of lbfgs that takes its 1,000 steps
    folder, action, *rest = sys.argv[1:]
    if action == "own":
        own(folder, rest)
    else:
        run(folder, rest[0].split(","), int(rest[1]), int(rest[2]), rest[3] == "true", rest[4:])


if __name__ == "__main__":
    main()
