"""Graphs that grow."""

import inputs
from growing.case import case, text


def distances(path, *more):
    return ["distances", path, "-o", "d.npy", "--from", "0", *inputs.CPU, *more]


@case("mtx, n arcs between two nodes", 20000)
def _(folder, n):
    return distances(text(folder, "g.mtx", f"%%MatrixMarket matrix coordinate real general\n2 2 {n}\n" + "1 2 3\n" * n))


@case("mtx, a star of n arcs", 20000)
def _(folder, n):
    arcs = "".join(f"{k + 2} 1 1\n" for k in range(n))
    return distances(text(folder, "g.mtx", f"%%MatrixMarket matrix coordinate real symmetric\n{n + 1} {n + 1} {n}\n" + arcs))


@case("mtx, a path of n arcs", 20000)
def _(folder, n):
    arcs = "".join(f"{k + 2} {k + 1} {1 + k % 3}\n" for k in range(n))
    return distances(text(folder, "g.mtx", f"%%MatrixMarket matrix coordinate real symmetric\n{n + 1} {n + 1} {n}\n" + arcs))


@case("mtx, n comments", 20000)
def _(folder, n):
    return distances(text(folder, "g.mtx", "%%MatrixMarket matrix coordinate real general\n" + "% c\n" * n + "2 2 1\n1 2 1\n"))


@case("csv graph, arcs that undo what was found (Dijkstra)", 20000)
def _(folder, n):
    arcs = "".join(f"{k},{k + 1},1\n0,{k + 1},{2 * n - k}\n" for k in range(n))
    return distances(text(folder, "g.csv", "from,to,weight\n" + arcs), "--directed")


@case("csv graph, a line of n cells", 20000)
def _(folder, n):
    return distances(text(folder, "g.csv", "0,1,2" + ",3" * n + "\n"))


@case("mtx, n lonely nodes", 20000)
def _(folder, n):
    return distances(text(folder, "g.mtx", f"%%MatrixMarket matrix coordinate real general\n{n} {n} 1\n1 2 1\n"))
