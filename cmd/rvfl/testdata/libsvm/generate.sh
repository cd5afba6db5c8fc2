#!/bin/sh
# Writes the files beside it: rows; models that svm-train (Debian's libsvm-tools
# 3.24) makes of them, theirs.*, and models that rvfl makes and exports, ours.*;
# and what svm-predict says of new rows with either, *.out without and *.prob with
# probabilities; and what svm-train says of the optimum, *.log. New rows have a feature that no row of training has.
set -e
cd "$(dirname "$0")"
rvfl() { go run ../.. "$@"; }
/usr/bin/python3 - <<'PY'
import numpy as np
r = np.random.default_rng(20262)
for name, n, d in ("train", 80, 4), ("new", 30, 5):
    x = r.normal(size=(n, d)).round(3)
    f = x[:, :4] @ [1, -1, .5, 0] + np.sin(2 * x[:, 1]) + .4 * r.normal(size=n)
    label = np.array([7, -2, 3])[np.digitize(f, [-.7, .7])]
    for kind, y in ("classes", label), ("numbers", f.round(3)):
        with open(f"{name}-{kind}.libsvm", "w") as out:
            for i in range(n):
                print(y[i], *(f"{j + 1}:{v}" for j, v in enumerate(x[i]) if (i + j) % 7), file=out)
PY
predict() { # model, rows
    svm-predict -q "new-$2.libsvm" "$1.model" "$1.out" >/dev/null
    svm-predict -q -b 1 "new-$2.libsvm" "$1.model" "$1.prob" >/dev/null 2>&1 || true
}
svm-train -q -e 1e-8 -b 1 -c 2 -g 0.4 train-classes.libsvm theirs.model
predict theirs classes
svm-train -e 1e-8 -c 2 -g 0.4 -w7 2 -w3 0.5 train-classes.libsvm /dev/null | grep obj >weighted.log
svm-train -e 1e-8 -s 3 -t 1 -d 2 -r 1 -g 1 -p 0 train-numbers.libsvm theirs-svr.model | grep obj >tube.log
predict theirs-svr numbers
rvfl train train-classes.libsvm -m svm --scale none --C 2 --width 2.5 --class-weight 7=2 --proba platt -o ours.rvfl
rvfl export ours.rvfl --libsvm ours.model
predict ours classes
rvfl train train-numbers.libsvm -m svr --scale none --kernel poly --degree 2 --epsilon 0 -o ours-svr.rvfl
rvfl export ours-svr.rvfl --libsvm ours-svr.model
predict ours-svr numbers
rm -f theirs-svr.prob ours-svr.prob
