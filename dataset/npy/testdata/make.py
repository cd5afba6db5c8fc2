#!/usr/bin/python3
"""Writes the fixtures of this folder with NumPy 1.24: arrays in many layouts."""
import os
import zipfile

import numpy as np
from numpy.lib import format

os.chdir(os.path.dirname(os.path.abspath(__file__)))
grid = np.array([[1.5, -2, 3], [0.1, np.nan, 1e300], [-0.0, 5e-324, 7], [2**53, 9, 10]])
whole = np.array([[1, -2, 3], [100, 0, -128], [127, 5, 7], [8, 9, 10]])
words = np.array([["a", "ü€𝄞"], ["", "b c"], ["a", "long word"], ["z", ""]])

np.save("f8_c.npy", grid)
np.save("f8_fortran.npy", np.asfortranarray(grid))
np.save("f8_big.npy", grid.astype(">f8"))
np.save("f8_big_fortran.npy", np.asfortranarray(grid.astype(">f8")))
np.save("f4.npy", grid[:, [0, 2]][[0, 3]].astype("<f4"))
np.save("f8_line.npy", grid[:, 0])
for t in "i1 i2 i4 i8".split():
    np.save(t + ".npy", whole.astype("<" + t))
    np.save(t + "_big_fortran.npy", np.asfortranarray(whole.astype(">" + t)))
for t in "u1 u2 u4 u8".split():
    np.save(t + ".npy", abs(whole).astype("<" + t))
    np.save(t + "_big.npy", abs(whole).astype(">" + t))
np.save("bool.npy", whole > 5)
np.save("U.npy", words)
np.save("U_big_fortran.npy", np.asfortranarray(words.astype(">U9")))
np.save("S.npy", np.array([b"a", b"", b"bc", b"a"]))
np.save("empty.npy", np.zeros((0, 3)))
for version in (2, 0), (3, 0):
    with open("f8_v%d.npy" % version[0], "wb") as f:
        format.write_array(f, grid, version=version)

# Refused.
np.save("bad_big_int.npy", np.array([1, 2, 2**53 + 1]))
np.save("bad_big_uint.npy", np.array([1, 2**64 - 1], "u8"))
np.save("bad_inf.npy", np.array([[1, 2], [3, -np.inf]]))
np.save("bad_object.npy", np.array([1, "a", None], dtype=object), allow_pickle=True)
np.save("bad_struct.npy", np.zeros(3, dtype=[("a", "f8"), ("b", "i4")]))
np.save("bad_complex.npy", np.zeros(3, dtype="c16"))
np.save("bad_date.npy", np.zeros(3, dtype="M8[s]"))
np.save("bad_half.npy", np.zeros(3, dtype="f2"))
np.save("bad_zero.npy", np.float64(3))
np.save("bad_three.npy", np.zeros((2, 2, 2)))
np.save("bad_wide.npy", np.zeros((2, 0)))

arrays = dict(X=grid, y=whole[:, 0], name=words[:, 1], Z=np.asfortranarray(whole.astype("i2")))
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)
np.savez("bad_rows.npz", X=grid, y=np.zeros(5))
np.savez("bad_names.npz", X=grid, X2=np.zeros(4))
np.savez("bad_object.npz", X=grid, names=np.array([1, "a", None, 2], dtype=object))
with zipfile.ZipFile("bad_member.npz", "w") as z:
    z.writestr("README.txt", "not an array")
