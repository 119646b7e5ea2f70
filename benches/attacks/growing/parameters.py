"""Files of parameters that grow."""

import json

import inputs
from growing.case import case, text


def with_parameters(folder, name, data):
    a, b = text(folder, "a.pgm", inputs.pgm(0)), text(folder, "b.pgm", inputs.pgm(1))
    return ["flow", a, b, "-o", "f.flo", "--preset", "fast", "--params", text(folder, name, data), *inputs.CPU]


@case("toml, n keys", 20000)
def _(folder, n):
    return with_parameters(folder, "p.toml", "".join(f"k{k} = 1\n" for k in range(n)))


@case("toml, a key of n parts", 20000)
def _(folder, n):
    return with_parameters(folder, "p.toml", "a" + ".a" * n + " = 1\n")


@case("toml, n tables", 20000)
def _(folder, n):
    return with_parameters(folder, "p.toml", "".join(f"[t{k}]\n" for k in range(n)))


@case("toml, an array of n levels", 20000)
def _(folder, n):
    return with_parameters(folder, "p.toml", "alpha = " + "[" * n + "]" * n + "\n")


@case("json parameters, n keys", 20000)
def _(folder, n):
    return with_parameters(folder, "p.json", json.dumps({f"k{k}": 1 for k in range(n)}))
