"""Times rvfl tune beside scikit-learn's RandomizedSearchCV, in one run on one machine.

    go build -o rvfl ./cmd/rvfl && python3 bench/tune.py --rvfl ./rvfl

KRVFL without its linear part and without centring is kernel ridge regression with an RBF
kernel: the same candidates, the same ten folds (contiguous) and the same R² must give the
same scores and the same best setting. The two sides take turns; the medians are compared,
of wall time and of processor time, which tells more on a machine that is not idle.
It needs Debian's python3-numpy and python3-sklearn. --jobs is scikit-learn's n_jobs: None,
its default, leaves the cores to OpenBLAS; -1 starts a process a core.
"""
import argparse, json, os, subprocess, sys, tempfile, time

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold, RandomizedSearchCV


def table(path, rows, features, targets):
    r = np.random.RandomState(0)
    x = r.randn(rows, features)
    y = np.sin(x @ r.randn(features, targets) / 3) + 0.3 * r.randn(rows, targets)
    names = [f"x{i}" for i in range(features)] + [f"y{i}" for i in range(targets)]
    with open(path, "w") as f:
        f.write(",".join(names) + "\n")
        for row in np.hstack([x, y]).tolist():
            f.write(",".join(map(repr, row)) + "\n")
    return x, y


def candidates(path, trials, features):
    r = np.random.RandomState(1)
    all = [{"C": 10 ** r.uniform(-5, 5), "width": 2 * features * 2 ** r.uniform(-5, 5)} for _ in range(trials)]
    with open(path, "w") as f:
        json.dump(all, f)
    return all


def clocks():
    """Wall and processor time, of child processes too."""
    t = os.times()
    return np.array([time.perf_counter(), t.user + t.system + t.children_user + t.children_system])


def ours(rvfl, data, file, folds, targets):
    command = [rvfl, "tune", data, "-y", ",".join(f"y{i}" for i in range(targets)), "-m", "krvfl", "--linear=false", "--center=false",
               "--scale", "none", "--candidates", file, "--cv", str(folds), "--folds", "contiguous", "--score", "r2", "--json"]
    start = clocks()
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return clocks() - start, [t["score"] for t in answer["trials"]]


def theirs(x, y, settings, folds, jobs):
    space = [{"kernel": ["rbf"], "alpha": [1 / c["C"]], "gamma": [1 / c["width"]]} for c in settings]
    start = clocks()
    search = RandomizedSearchCV(KernelRidge(), space, n_iter=len(space), cv=KFold(folds), scoring="r2", n_jobs=jobs).fit(x, y)
    seconds = clocks() - start
    place = {c["alpha"][0]: i for i, c in enumerate(space)}
    scores = [None] * len(space)
    for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"]):
        scores[place[params["alpha"]]] = score
    return seconds, scores


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rvfl", default="rvfl", help="the command to time")
    for name, value in ("rows", 1000), ("features", 20), ("targets", 3), ("trials", 100), ("folds", 10), ("rounds", 3):
        p.add_argument("--" + name, type=int, default=value)
    p.add_argument("--jobs", type=int, default=None)
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data, file = os.path.join(folder, "data.csv"), os.path.join(folder, "candidates.json")
        x, y = table(data, o.rows, o.features, o.targets)
        settings = candidates(file, o.trials, o.features)
        a, b = [], []
        for _ in range(o.rounds):
            seconds, mine = ours(o.rvfl, data, file, o.folds, o.targets)
            a.append(seconds)
            seconds, sklearn = theirs(x, y, settings, o.folds, o.jobs)
            b.append(seconds)
            print(f"rvfl tune {a[-1][0]:.2f} s, scikit-learn {b[-1][0]:.2f} s", file=sys.stderr)
    difference = max(abs(s - t) for s, t in zip(mine, sklearn))
    best = int(np.argmax(mine)), int(np.argmax(sklearn))
    for what, first, second in zip(("", " of processor time"), np.median(a, axis=0), np.median(b, axis=0)):
        print(f"rvfl tune {first:.2f} s{what}, scikit-learn {second:.2f} s: {second / first:.1f} times as fast")
    print(f"best setting {best[0]} and {best[1]}; scores differ by at most {difference:.1e}")
    sys.exit(1 if best[0] != best[1] or difference > 1e-9 else 0)


if __name__ == "__main__":
    main()
