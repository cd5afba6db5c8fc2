#!/bin/sh
# Writes the files beside it: training rows, the models that Debian's svm-train
# (libsvm-tools 3.24) makes of them, and what its svm-predict says of the same rows.
set -e
cd "$(dirname "$0")"
/usr/bin/python3 - <<'PY'
import numpy as np
r = np.random.default_rng(20261)
x = r.normal(size=(60, 3)).round(3)
f = x @ [1, -1, .5] + np.sin(2 * x[:, 1])
labels = np.array([7, -2, 3])[np.digitize(f + .5 * r.normal(size=60), [-.7, .7])]
for name, y in ("classes", labels), ("numbers", (f + .1 * r.normal(size=60)).round(3)):
    with open(name + ".txt", "w") as out:
        for i in range(60):
            print(y[i], *(f"{j + 1}:{v}" for j, v in enumerate(x[i]) if v and (i + j) % 7), file=out)
PY
make() { # name, data, options
    name=$1 data=$2
    shift 2
    svm-train -q -e 1e-8 "$@" "$data.txt" "$name.model"
    svm-predict -q "$data.txt" "$name.model" "$name.out"
}
make rbf classes -c 2 -g 0.4
make poly classes -t 1 -d 2 -g 0.3 -r 0.6 -c 3
make linear classes -t 0 -w7 3
make svr numbers -s 3 -g 0.3 -p 0.05 -c 5
make nu numbers -s 4 -t 0
svm-train -q -e 1e-8 -b 1 -g 0.4 classes.txt prob.model
svm-predict -q -b 1 classes.txt prob.model prob.out
