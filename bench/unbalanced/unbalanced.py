"""scikit-learn's side of bench/unbalanced.

    unbalanced.py breast FILE          writes the breast cancer data that scikit-learn brings along, as CSV
    unbalanced.py svc SETTINGS FOLDS SEED FILE...
                                       for each pair FILE.train.csv, FILE.test.csv: tunes SVC with and without
                                       class_weight="balanced" on the training rows, by balanced accuracy, and
                                       prints one line of JSON: the balanced accuracies on the test rows

It needs Debian's python3-sklearn and python3-pandas. The last column is the class.
"""
import json, os, sys, warnings

for name in "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS":
    os.environ[name] = "1"

import numpy as np
import pandas as pd
from scipy.stats import loguniform
from sklearn import datasets
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

RANGES = {"svc__C": loguniform(2**-5, 2**10), "svc__gamma": loguniform(2**-15, 2**3)}


def read(path):
    table = pd.read_csv(path)
    return table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()


def balanced_accuracy(train, test, weight, settings, folds, seed):
    search = RandomizedSearchCV(
        make_pipeline(StandardScaler(), SVC(class_weight=weight)), RANGES, n_iter=settings, random_state=seed,
        scoring="balanced_accuracy", cv=StratifiedKFold(folds, shuffle=True, random_state=seed))
    search.fit(*train)
    return balanced_accuracy_score(test[1], search.predict(test[0]))


if sys.argv[1] == "breast":
    data = datasets.load_breast_cancer(as_frame=True)
    table = data.data
    table["class"] = np.where(data.target == 0, "malignant", "benign")
    table.to_csv(sys.argv[2], index=False, float_format="%.17g")
else:
    warnings.simplefilter("ignore")
    settings, folds, seed = map(int, sys.argv[2:5])
    for path in sys.argv[5:]:
        train, test = read(path + ".train.csv"), read(path + ".test.csv")
        print(json.dumps({name: balanced_accuracy(train, test, weight, settings, folds, seed)
                          for name, weight in [("balanced", "balanced"), ("plain", None)]}), flush=True)
