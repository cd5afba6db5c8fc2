"""Writes vectors.json, scikit-learn's scores of some predictions: python3 vectors.py > vectors.json

It needs Debian's python3-sklearn (1.2.1 wrote the file). Values are rounded, so that ties occur.
"""
import json

import numpy as np
from sklearn import metrics

random = np.random.default_rng(7)


def case(name, rows, classes, probable, weighted, digits):
    truth = random.integers(0, classes, rows)
    if classes == 2:
        truth = (random.random(rows) < 0.2).astype(int)
    values = random.normal(size=(rows, classes)) + 1.2 * np.eye(classes)[truth]
    if probable:
        values = np.exp(values)
        values = np.round(values / values.sum(1, keepdims=True), digits) + 10.0**-digits
        values /= values.sum(1, keepdims=True)
    else:
        values = np.round(values, digits)
    weight = np.round(random.uniform(0.1, 3, rows), 2) if weighted else None
    predicted = values.argmax(1)
    kw = {"sample_weight": weight}
    one = np.eye(classes)[truth]
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(truth, predicted, labels=range(classes),
                                                                       zero_division=0, **kw)
    roc = [metrics.roc_auc_score(one[:, k], values[:, k], **kw) for k in range(classes)]
    pr = [metrics.average_precision_score(one[:, k], values[:, k], **kw) for k in range(classes)]
    out = {"name": name, "truth": truth.tolist(), "values": values.tolist(), "probable": probable,
           "weight": None if weight is None else weight.tolist(),
           "accuracy": metrics.accuracy_score(truth, predicted, **kw),
           "balanced_accuracy": metrics.balanced_accuracy_score(truth, predicted, **kw),
           "f1": metrics.f1_score(truth, predicted, average="macro", **kw),
           "confusion": metrics.confusion_matrix(truth, predicted, labels=range(classes), **kw).tolist(),
           "precision": precision.tolist(), "recall": recall.tolist(), "class_f1": f1.tolist(),
           "class_roc_auc": roc, "class_pr_auc": pr,
           "roc_auc": roc[1] if classes == 2 else float(np.mean(roc)),
           "pr_auc": pr[1] if classes == 2 else float(np.mean(pr))}
    if probable:
        out["log_loss"] = metrics.log_loss(truth, values, labels=range(classes), **kw)
        if classes == 2:
            out["brier"] = metrics.brier_score_loss(truth, values[:, 1], **kw)
        else:
            out["brier"] = float(np.average(((values - one) ** 2).sum(1), weights=weight))
    return out


def regression(rows, targets, weighted):
    truth = random.normal(size=(rows, targets)) * [1, 20, 300][:targets]
    predicted = truth + random.normal(size=(rows, targets))
    weight = np.round(random.uniform(0.1, 3, rows), 2) if weighted else None
    kw = {"sample_weight": weight}
    return {"truth": truth.tolist(), "predicted": predicted.tolist(),
            "weight": None if weight is None else weight.tolist(),
            "rmse": metrics.mean_squared_error(truth, predicted, **kw) ** 0.5,
            "mae": metrics.mean_absolute_error(truth, predicted, **kw),
            "r2": metrics.r2_score(truth, predicted, **kw)}


print(json.dumps({
    "classes": [case("scores", 60, 2, False, False, 1), case("weighted scores", 60, 2, False, True, 1),
                case("probabilities", 60, 2, True, False, 1), case("weighted probabilities", 60, 2, True, True, 1),
                case("three classes", 80, 3, False, True, 1), case("four classes", 80, 4, True, False, 2),
                case("four weighted classes", 80, 4, True, True, 1)],
    "numbers": [regression(30, 1, False), regression(30, 3, False), regression(30, 3, True)]}))
