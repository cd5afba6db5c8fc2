"""Writes test vectors for the forms of learning with privileged information.

    python3 vectors.py LUPI.PY FOLDER

LUPI.PY is the reference implementation in NumPy (SciPy too, for the stack). FOLDER receives one JSON file for each
seed. README.md describes the fields.
"""
import importlib.util
import json
import os
import sys

import numpy as np

N, U = 9, 4  # labelled rows, rows without a target
SETTINGS = {  # seed: gamma, C, C2 of the second stage and of the student, lambda
    1: (0.3, 2.0, 0.7, 0.25),
    2: (1.0, 10.0, 100.0, 0.5),
    3: (5.0, 0.1, 5.0, 0.75),
    4: (0.05, 50.0, 0.02, 1.0),
}


def case(ref, seed):
    gamma, c, c2, lam = SETTINGS[seed]
    rng = np.random.default_rng(seed)
    x, p = rng.standard_normal((N + U, 3)), rng.standard_normal((N + U, 2))
    p[:, 0] += 0.5 * x[:, 0]
    y = np.c_[np.sin(x[:N, 0]) + p[:N, 0], x[:N, 1] * p[:N, 1]] + 0.1 * rng.standard_normal((N, 2))
    omega, priv, omega2 = ref.kern(x[:N], x[:N]), ref.kern(p, p) - 1, ref.kern(x, x, 4.0)
    h = np.hstack([np.ones((N + U, 1)), x, np.tanh(x @ rng.uniform(-1, 1, (3, 3)))])
    hp = np.hstack([p, np.tanh(p @ rng.uniform(-1, 1, (2, 3)))])

    m = np.linalg.inv(priv[:N, :N] + np.eye(N) / c)
    two = ref.leave_two_out(m, m @ y, y)
    ms = np.linalg.inv(omega2[:N, :N] + np.eye(N) / c2)
    of_y = y - ms @ y / np.diag(ms)[:, None]
    of_teacher = np.stack([ref.student_loo(ms, t) for t in two], 1)
    additive = ref.additive_loo(omega, priv[:N, :N], gamma, c, y)
    projected = ref.projected_loo(omega, priv[:N, :N], gamma, c, omega2[:N, :N], c2, y)
    labelled = ref.labelled_loo(omega, priv, gamma, c, np.linalg.inv(omega2 + np.eye(N + U) / c2), y)
    distilled = (1 - lam) * of_y + lam * of_teacher
    w, w_loo = ref.primal_projected(h[:N], hp[:N], y, h[:N], hp[:N], gamma, c, c2)
    wu, wu_loo = ref.primal_projected(h[:N], hp[:N], y, h, hp, gamma, c, c2)

    members = [ref.Fit(loo, None) for loo in (of_y, projected, labelled, distilled)]
    stack = ref.stack(members, y)
    shrunk = ref.shrunk(stack, members[0], y)
    return dict(
        gamma=gamma, c=c, c2=c2, lambda_=lam, y=y, omega=omega, priv=priv, omega2=omega2, h=h, h_priv=hp,
        additive=additive, projected=projected, labelled=labelled,
        leave_two_out=np.stack(two), of_y=of_y, of_teacher=of_teacher, distilled=distilled,
        primal=dict(w=w, loo=w_loo), primal_labelled=dict(w=wu, loo=wu_loo),
        stack=dict(members=[f.loo for f in members], weights=stack.info['weights'], loo=stack.loo),
        shrunk=dict(kappa=shrunk.info['kappa'], z=shrunk.info['z'], loo=shrunk.loo))


def plain(v):
    if isinstance(v, dict):
        return {k.rstrip('_'): plain(u) for k, u in v.items()}
    if isinstance(v, list):
        return [plain(u) for u in v]
    return np.asarray(v).tolist()


def main():
    source, folder = sys.argv[1:]
    spec = importlib.util.spec_from_file_location('lupi', source)
    ref = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(ref)
    for seed in SETTINGS:
        with open(os.path.join(folder, 'seed%d.json' % seed), 'w') as f:
            json.dump(plain(case(ref, seed)), f)
            f.write('\n')


if __name__ == '__main__':
    main()
