"""The NumPy side of bench/peers: reads one request a line, answers with one line.

It needs Debian's python3-numpy python3-scipy python3-sklearn. Numbers, sizes and
hyper-parameters are those of package bench. OPENBLAS_NUM_THREADS sets the threads.
"""
import ctypes, json, sys, time

try:
    import numpy as np
    import scipy
    from scipy.linalg import blas, lapack
except ImportError as missing:
    print(json.dumps({"error": f"{missing}: install Debian's python3-numpy python3-scipy python3-sklearn, or name a Python that has them with -python"}))
    sys.exit(1)


def uniform(seed, n, lo=-1.0, hi=1.0):
    """The first n numbers of SplitMix64, between lo and hi."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return lo + (hi - lo) * ((z >> np.uint64(11)) * 2.0**-53)


def matrix(seed, rows, cols):
    return uniform(seed, rows * cols).reshape(rows, cols)


def one_hot(seed, rows, classes):
    y = np.zeros((rows, classes))
    y[np.arange(rows), uniform(seed, rows, 0, classes).astype(int)] = 1
    return y


def sample(m, upper=False):
    t = np.arange(512)
    i, j = t * 7919 % m.shape[0], t * 104729 % m.shape[1]
    if upper:
        i, j = np.minimum(i, j), np.maximum(i, j)
    return m[i, j]


# A work is (reset or None, run, answer). Matrices that BLAS overwrites are in
# Fortran order, so that SciPy copies nothing; of OpenBLAS's two triangles the lower
# one is used, which is the faster for potrf.


def gemm(n):
    a, b, c = matrix(1, n, n), matrix(2, n, n), np.empty((n, n))
    return None, lambda: np.dot(a, b, out=c), lambda: sample(c)


def syrk(rows, cols):
    a, c = matrix(1, rows, cols), np.zeros((cols, cols), order="F")
    run = lambda: blas.dsyrk(1.0, a.T, beta=0.0, c=c, lower=1, overwrite_c=1)
    return None, run, lambda: sample(c.T, upper=True)


def cholesky(n):
    a = matrix(1, n, n)
    np.fill_diagonal(a, 2 * n)
    a = a.T  # its lower triangle is the other side's upper one
    work = np.empty((n, n), order="F")
    return lambda: np.copyto(work, a), lambda: factor(work), lambda: sample(work.T, upper=True)


def factor(a):
    """Replaces the lower triangle of a by its Cholesky factor."""
    u, info = lapack.dpotrf(a, lower=1, clean=0, overwrite_a=1)
    assert info == 0 and np.shares_memory(u, a)
    return u


def exp(n):
    x, y = uniform(1, n, -10, 10), np.empty(n)
    return lambda: np.copyto(y, x), lambda: np.exp(y, out=y), lambda: sample(y[None])


def layer(x, a, b, out):
    """out = [x, 1/(1+exp(-(x aᵀ + b)))]."""
    out[:, : x.shape[1]] = x
    nodes = out[:, x.shape[1] :]
    np.matmul(x, -a.T, out=nodes)
    nodes -= b
    np.exp(nodes, out=nodes)
    nodes += 1
    np.reciprocal(nodes, out=nodes)


def rvfl_plus(rows, block=512):
    """The primal form: one pass over blocks of rows, then one Cholesky."""
    c, gamma, nodes = 1.0, 1000.0, 1000
    x, priv, y = matrix(1, rows, 5), matrix(2, rows, 4), one_hot(3, rows, 7)
    a, b = matrix(4, nodes, 5), uniform(5, nodes, 0, 1)
    ap, bp = matrix(6, nodes, 4), uniform(7, nodes, 0, 1)
    d, e = 5 + nodes, 4 + nodes
    weights = []

    def run():
        s, right = np.zeros((d + e, d + e), order="F"), np.zeros((d + e, 7), order="F")
        sums = np.zeros(e)
        room = np.empty((block, d + e))
        for lo in range(0, rows, block):
            hi = min(lo + block, rows)
            z = room[: hi - lo]
            layer(x[lo:hi], a, b, z[:, :d])
            layer(priv[lo:hi], ap, bp, z[:, d:])
            sums += z[:, d:].sum(axis=0)
            z[:, d:] *= 1 / np.sqrt(gamma)
            blas.dsyrk(1.0, z.T, beta=1.0, c=s, lower=1, overwrite_c=1)
            right += z.T @ y[lo:hi]
        right[d:] += sums[:, None] / np.sqrt(gamma)  # what -(C/γ)ZᵀH̃s̃ amounts to, see docs/rvfl.md
        s[np.diag_indices(d + e)] += 1 / c
        solution, info = lapack.dpotrs(factor(s), right, lower=1, overwrite_b=1)
        assert info == 0
        weights[:] = [solution[:d]]

    return None, run, lambda: sample(weights[0])


def krvfl(rows):
    from sklearn.kernel_ridge import KernelRidge

    x, y = matrix(1, rows, 20), matrix(2, rows, 3)
    model = KernelRidge(alpha=1.0, kernel="rbf", gamma=1 / 20)
    return None, lambda: model.fit(x, y), lambda: sample(model.dual_coef_)


def kernel(x, width):
    """Linear plus Gaussian."""
    k = x @ x.T
    norms = np.diag(k)
    squares = np.maximum(0, norms[:, None] + norms - 2 * k)
    squares /= -width
    k += np.exp(squares, out=squares)
    return k


def krvfl_plus(rows):
    c, gamma = 3.0, 5000.0
    x, priv, y = matrix(1, rows, 100), matrix(2, rows, 21), one_hot(3, rows, 2)
    weights = []

    def run():
        s, k = kernel(x, 60), kernel(priv, 15)
        s += k / gamma
        s[np.diag_indices(rows)] += 1 / c
        right = y - (c / gamma) * k.sum(axis=1)[:, None]
        alpha, info = lapack.dpotrs(factor(s.T), right, lower=1)
        assert info == 0
        weights[:] = [alpha]

    return None, run, lambda: sample(weights[0])


MAKERS = {
    "gemm": gemm, "syrk": lambda n: syrk(n, n), "panel": lambda rows: syrk(rows, 2009), "cholesky": cholesky,
    "exp": exp, "rvfl+": rvfl_plus, "krvfl": krvfl, "krvfl+": krvfl_plus,
}  # fmt: skip


def about():
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "openblas" in line and "lib" in line}
    name, threads = "a BLAS that is not OpenBLAS", 0
    for path in sorted(paths, key=lambda p: "libopenblas" not in p):
        try:
            library = ctypes.CDLL(path)
            library.openblas_get_config.restype = ctypes.c_char_p
            kind = ["sequential", "pthread", "OpenMP"][library.openblas_get_parallel()]
            name, threads = f"{library.openblas_get_config().decode()} ({kind})", library.openblas_get_num_threads()
            break
        except (OSError, AttributeError):
            continue
    import sklearn

    versions = f"Python {sys.version.split()[0]}, NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    return {"about": f"{versions}, {name}", "threads": threads}


def peak_bytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def serve():
    key, work = None, None
    for line in sys.stdin:
        q = json.loads(line)
        if q.get("about"):
            print(json.dumps(about()), flush=True)
            continue
        if key != (q["work"], q["size"]):
            work = None  # frees it
            key, work = (q["work"], q["size"]), MAKERS[q["work"]](q["size"])
        reset, run, answer = work
        before, seconds = peak_bytes(), 0.0
        for _ in range(q["repeat"]):
            if reset:
                reset()
            start = time.perf_counter()
            run()
            seconds += time.perf_counter() - start
        r = {"seconds": seconds / q["repeat"], "bytes_before": before, "bytes": peak_bytes()}
        if q.get("answer"):
            r["answer"] = [float(v) for v in answer()]
        print(json.dumps(r), flush=True)


serve()
