"""Recomputes every part of the bound from the model files and data.csv with NumPy, and writes numbers.json,
which the test of package bound compares with.

    rvfl train data.csv -y y -p lab -m rvfl+ --hidden 12 --priv-hidden 6 --encoding sign -o layer.rvfl
    rvfl train data.csv -y y -p lab -m krvfl+ --encoding sign --C 5 -o kernel.rvfl
    rvfl train data.csv -y y -m krvfl --encoding sign --C 0.01 -o small.rvfl
    python3 recompute.py

Without model files data.csv is drawn first: python3 recompute.py --data
"""
import csv
import json
import os
import struct
import sys

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))


def draw():
    rng = np.random.default_rng(11)
    x = rng.normal(size=(60, 3)) * [1, 5, 0.1] + [0, 20, 1]
    lab = rng.normal(size=60)
    y = np.where(x[:, 0] + (x[:, 1] - 20) / 5 + lab > 0, "yes", "no")
    with open(os.path.join(here, "data.csv"), "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["a", "b", "c", "lab", "y"])
        w.writerows([*map(repr, map(float, row)), repr(float(l)), t] for row, l, t in zip(x, lab, y))


def read(path):  # docs/model-file.md
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    meta = header.pop("__metadata__")
    tensors = {name: np.frombuffer(data[slice(*t["data_offsets"])], "<f8").reshape(t["shape"]) for name, t in header.items()}
    return tensors, {k: json.loads(v) if v.startswith("{") else v for k, v in meta.items()}


def kernel(x, y, width):
    return x @ y.T + np.exp(-((x[:, None] - y[None]) ** 2).sum(2) / width)


def parts(name, rows, y, loss, delta):
    tensors, meta = read(os.path.join(here, name))
    space = meta["preparation"]["normal"]["columns"]
    x = np.column_stack([(np.array([float(r[c["name"]]) for r in rows]) - c["shift"]) / c["scale"] for c in space])
    n = len(x)
    if "hidden.weight" in tensors:
        h = np.hstack([x, 1 / (1 + np.exp(-(x @ tensors["hidden.weight"].T + tensors["hidden.bias"])))])
        w = tensors["output.weight"][:, 0]
        f, b, gram = h @ w, np.linalg.norm(w), h @ h.T
    else:
        s, alpha, width = tensors["support.x"], tensors["output.alpha"][:, 0], meta["config"]["width"]
        f, b, gram = kernel(x, s, width) @ alpha, np.sqrt(alpha @ kernel(s, s, width) @ alpha), kernel(x, x, width)
    risk = np.mean(np.abs(y - f) if loss == "absolute" else np.clip(1 - y * f, 0, 1))
    z, trace = np.sqrt(gram.diagonal().max()), gram.trace()
    signs = np.random.default_rng(5).choice([-1.0, 1.0], size=(n, 20000))
    lengths = b / n * np.sqrt(np.maximum(0, (signs * (gram @ signs)).sum(0)))
    out = {
        "model": name, "loss": loss, "delta": delta, "Z": z, "B": b, "empirical_risk": risk,
        "paper": z * b / np.sqrt(n), "trace": b * np.sqrt(trace) / n,
        "monte_carlo": lengths.mean(), "se": lengths.std(ddof=1) / np.sqrt(lengths.size),
        "bound": risk + 2 * z * b / np.sqrt(n) + z * b * np.sqrt(np.log(1 / delta) / (2 * n)),
    }
    if loss == "ramp":
        j = 1 + max(0, int(np.ceil(np.log2(b))))
        delta_j = delta / (j * (j + 1))
        out["bound_posteriori"] = risk + 2 * 2 ** (j - 1) * np.sqrt(trace) / n + 3 * np.sqrt(np.log(2 / delta_j) / (2 * n))
    return {k: float(v) if isinstance(v, np.floating) else v for k, v in out.items()}


if "--data" in sys.argv:
    draw()
    sys.exit()
with open(os.path.join(here, "data.csv"), newline="") as f:
    table = list(csv.DictReader(f))
classes = np.array([1.0 if r["y"] == "yes" else -1.0 for r in table])
numbers = [parts(name, table, classes, loss, delta) for name in ("layer.rvfl", "kernel.rvfl", "small.rvfl") for loss, delta in (("ramp", 0.05), ("absolute", 0.01))]
with open(os.path.join(here, "numbers.json"), "w") as f:
    json.dump(numbers, f, indent=1)
