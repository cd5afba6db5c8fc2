#!/usr/bin/env python3
"""Writes liac.arff and liac-sparse.arff with liac-arff, as scikit-learn 1.2.1 carries it,
and liac.json, the names, levels and rows that are in both."""
import json
import os
import random
from sklearn.externals import _arff as arff

here = os.path.dirname(os.path.abspath(__file__))
rnd = random.Random(4)
# liac-arff does not quote all that needs it: a name with a quote, a category ? or {x}.
names = ["plain", "two words", "a,b", "50%", "{x}", "back\\slash", "été", "数据", " padded ", "@data", "0"]
odd = ["plain", "two words", "it's", 'say "x"', "a,b", "50%", "back\\slash", "tab\there", "new\nline",
       "été", "数据", " padded ", "a%b", "\x01", "\x1f", "@data", "0", "NA"]
attributes = [(name, "REAL") for name in names] + [("class", odd), ("other", ["a", "b c"])]


def value(kind):
    if isinstance(kind, list):
        return rnd.choice(kind)
    return rnd.choice([0.0, 0.1, -1e300, 5e-324, 1 / 3, 123456.75, rnd.gauss(0, 1)])


rows = [[value(kind) for _, kind in attributes] for _ in range(40)]
dense = [[None if rnd.random() < 0.1 else v for v in row] for row in rows]
doc = {"relation": "it's: -C 2", "attributes": attributes, "data": dense, "description": "made by liac-arff"}
with open(os.path.join(here, "liac.arff"), "w", encoding="utf-8") as f:
    arff.dump(doc, f)

# A category left out is the first, a number left out is 0.
def absent(kind):
    return kind[0] if isinstance(kind, list) else 0.0


doc["data"] = [{i: v for i, v in enumerate(row) if v != absent(attributes[i][1])} for row in rows]
with open(os.path.join(here, "liac-sparse.arff"), "w", encoding="utf-8") as f:
    arff.dump(doc, f)
with open(os.path.join(here, "liac.json"), "w") as f:
    json.dump({"names": [n for n, _ in attributes], "levels": [k if isinstance(k, list) else None for _, k in attributes],
               "dense": dense, "sparse": rows}, f)
