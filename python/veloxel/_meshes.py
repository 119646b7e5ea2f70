"""Meshes: their parts, and distances on them and on graphs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _veloxel
from ._arguments import Progress, as_progress, several, whole
from ._flow import settings
from ._plots.look import Plot
from ._plots.pictures import Picture, Shown, drawn
from ._session import Session, lent
from ._warnings import tell


class Mesh:
    """A surface of triangles.

    Args:
        mesh: Points ``(n, 3)`` with ``triangles``; a mesh of trimesh, PyVista or pymeshlab; or a path.
        triangles: Numbers of points, ``(m, 3)``, anticlockwise seen from outside.

    Raises:
        InputError: Triangles whose corners are not there, points that are not finite, faces that are no triangles.

    >>> import veloxel
    >>> tetrahedron = veloxel.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    >>> tetrahedron.triangles.shape
    (4, 3)
    """

    def __init__(self, mesh: Any, triangles: Any = None) -> None:
        self._own: _veloxel.Mesh
        if isinstance(mesh, Mesh):
            self._own = mesh._own
            return
        if isinstance(mesh, (str, os.PathLike)):
            from ._files import read_mesh

            self._own = read_mesh(mesh)._own
            return
        points, corners = (mesh, triangles) if triangles is not None else _points_and_triangles(mesh)
        self._own = _veloxel.Mesh(_rows_of_three(points, "points", np.float64), _rows_of_three(corners, "triangles", np.int64))

    @classmethod
    def _of(cls, own: Any) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._own = own
        return mesh

    @property
    def points(self) -> np.ndarray:
        """Coordinates, ``(n, 3)``, ``float64``."""
        return self._own.points().reshape(-1, 3)

    @property
    def triangles(self) -> np.ndarray:
        """Numbers of points, ``(m, 3)``, ``uint32``."""
        return self._own.triangles().reshape(-1, 3)

    def __reduce__(self) -> tuple[Any, ...]:
        """Meshes are pickled and copied with their points and triangles."""
        return Mesh, (np.array(self.points), np.array(self.triangles))

    def __repr__(self) -> str:
        return f"Mesh({len(self.points)} points, {len(self.triangles)} triangles)"


def _points_and_triangles(mesh: Any) -> tuple[Any, Any]:
    """Points and triangles of a foreign mesh."""
    if hasattr(mesh, "vertices") and hasattr(mesh, "faces"):
        return mesh.vertices, mesh.faces
    if hasattr(mesh, "vertex_matrix") and hasattr(mesh, "face_matrix"):
        return mesh.vertex_matrix(), mesh.face_matrix()
    if hasattr(mesh, "points") and hasattr(mesh, "faces"):
        # PyVista writes the number of corners before those of each face.
        faces = np.asarray(mesh.faces)
        if faces.size % 4 or (faces.reshape(-1, 4)[:, 0] != 3).any():
            raise _veloxel.InputError("the mesh has faces that are no triangles: `mesh.triangulate()` divides them")
        return mesh.points, faces.reshape(-1, 4)[:, 1:]
    raise _veloxel.InputError(f"{type(mesh).__name__} is no mesh: give points and triangles=, a mesh of trimesh, PyVista or pymeshlab, or a path")


def _rows_of_three(rows: Any, what: str, dtype: Any) -> np.ndarray:
    """An array ``(n, 3)`` of numbers, of which none is changed."""
    try:
        array = np.asarray(rows)
    except (TypeError, ValueError):
        raise _veloxel.InputError(f"the {what} are no rows of three numbers") from None
    if array.ndim != 2 or array.shape[1] != 3:
        raise _veloxel.InputError(f"the {what} have the shape {array.shape}: rows of three are expected, (n, 3)")
    kinds, named = ("iuf", "real numbers") if dtype is np.float64 else ("iu", "whole numbers")
    if array.dtype.kind not in kinds:
        raise _veloxel.InputError(f"the {what} are of the type {array.dtype}: {named} are expected")
    return np.require(array, dtype, ["C", "A"])


@dataclass(frozen=True, eq=False, repr=False)
class Parts(Shown):
    """The parts of a mesh.

    ``labels``, ``certainty`` and ``probability`` have a number for each triangle, ``membership`` a row of them where it was asked for, ``report`` says what
    there is to say of each part, ``mesh`` is the mesh.

    :func:`segment` makes it:

    >>> import veloxel
    >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> found = veloxel.segment(points, triangles=[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], device="cpu")
    >>> found.labels.shape == found.certainty.shape, found.membership is None
    (True, True)
    """

    labels: np.ndarray
    """The part of each triangle, from 0 on, ``(m,)``."""
    certainty: np.ndarray
    """How certain each triangle's part is, 0 to 1, ``(m,)``."""
    probability: np.ndarray | None
    """The probability that people give each triangle to its part, ``(m,)``."""
    membership: np.ndarray | None
    """The probability of each part for each triangle, ``(m, parts)``, if it was asked for."""
    report: dict[str, Any]
    """Device, times, parameters, what there is to say of each part."""
    mesh: Mesh
    """The mesh itself."""

    def plot(self, *, certainty: bool = True, up: str = "z") -> Plot:
        """The mesh from two sides in the colours of its parts, which are those of the command's files. Needs matplotlib.

        Args:
            certainty: Whether triangles are the whiter, the less certain their part is.
            up: The axis that points up: ``"x"``, ``"y"`` or ``"z"``.

        Raises:
            InputError: An axis that there is not.
        """
        from ._plots.surfaces import parts_plot

        return parts_plot(self, certainty, up)

    def _picture(self) -> Picture | None:
        return drawn(self.plot)

    def _facts(self) -> dict[str, str]:
        sizes = np.bincount(self.labels)
        sure = f"mean {float(self.certainty.mean()):.2f}" if self.certainty.size else "none"
        return {"mesh": repr(self.mesh), "parts": f"{len(sizes)}, of {sizes.min()} to {sizes.max()} triangles", "certainty": sure}

    def __repr__(self) -> str:
        fuzzy = "" if self.membership is None else ", with membership"
        return f"Parts({len(np.bincount(self.labels))} parts of {len(self.labels)} triangles{fuzzy})"


def segment(
    mesh: Any,
    parts: int | None = None,
    *,
    triangles: Any = None,
    method: str = "cuts",
    preset: str | None = None,
    membership: bool = False,
    device: str | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Parts:
    """Finds the parts of a mesh.

    Args:
        mesh, triangles: As for :class:`Mesh`.
        parts: How many; ``None``: as many as the mesh shows.
        method: ``"cuts"`` or ``"fuzzy"``.
        membership: Whether the probability of every part is wanted.
        preset, device, session, progress, parameters: As for :func:`flow`.

    Raises:
        InputError: A mesh without area, or a number of parts that is not possible.

    >>> import veloxel
    >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> veloxel.segment(points, triangles=[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], device="cpu").labels.shape
    (4,)
    """
    surface = Mesh(mesh, triangles)
    count = None if parts is None else whole(parts, "parts", 1)
    labels, certainty, probability, probabilities, report, told = _veloxel.segment(
        lent(session, device), surface._own, settings(method, preset, parameters), count, membership, as_progress(progress)
    )
    tell(told)
    rows = None
    if probabilities is not None:
        flat, columns = probabilities
        rows = flat.reshape(-1, columns)
    return Parts(labels, certainty, probability, rows, json.loads(report), surface)


def distances(
    graph: Any,
    *,
    triangles: Any = None,
    sources: Any = None,
    algorithm: str = "auto",
    directed: bool = False,
    device: str | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> np.ndarray:
    """Shortest distances between all nodes of a graph, or between the faces of a mesh.

    Args:
        graph: A sparse matrix of SciPy whose entries are lengths of arcs, a graph of networkx (attribute ``weight``, else 1; nodes in
            its order), or a mesh as :class:`Mesh` takes it.
        triangles: Triangles of the mesh whose points ``graph`` is.
        sources: Nodes whose rows are wanted; ``None``: all.
        algorithm: ``"auto"``, ``"dijkstra"``, ``"floyd-warshall"``, ``"floyd-warshall-undirected"`` or ``"dissection"``.
        directed: Whether arcs of a matrix lead one way. A graph of networkx says so itself.
        **parameters: Of meshes: those of the method ``"fuzzy"`` that weigh its dual graph, such as ``angle_share``.

    Returns:
        ``float32``, a row for each source, a column for each node; infinite where no path leads.

    Raises:
        InputError: Arcs of negative length, an algorithm that does not take the graph.

    >>> import numpy as np
    >>> import veloxel
    >>> class Rows:
    ...     indptr, indices, data = np.array([0, 1, 2, 2]), np.array([1, 2]), np.array([1.0, 2.5])
    >>> veloxel.distances(Rows, device="cpu")[0].tolist()
    [0.0, 1.0, 3.5]
    """
    own = lent(session, device)
    wanted = None if sources is None else several(sources, "sources=")
    rows = None if triangles is not None else _rows(graph, directed)
    if rows is None and triangles is None and isinstance(graph, np.ndarray):
        raise _veloxel.InputError("a full matrix does not say which arcs there are: give scipy.sparse.csr_array(matrix), or points with triangles=")
    if rows is not None:
        if parameters:
            raise _veloxel.ParameterError(f"{next(iter(parameters))} is a parameter of meshes: this is a graph")
        flat, count, columns, _ = _veloxel.graph_distances(own, rows, wanted, algorithm, as_progress(progress))
    else:
        fuzzy = settings("fuzzy", None, parameters)
        flat, count, columns, _ = _veloxel.distances(own, Mesh(graph, triangles)._own, fuzzy, wanted, algorithm, as_progress(progress))
    return flat.reshape(count, columns)


def _rows(graph: Any, directed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool] | None:
    """A graph in compressed rows, and whether arcs lead one way; none if it is no graph."""
    if hasattr(graph, "adjacency") and hasattr(graph, "is_directed"):
        numbers = {node: nth for nth, node in enumerate(graph)}
        parallel = bool(hasattr(graph, "is_multigraph") and graph.is_multigraph())
        rows = [[(numbers[end], _weight(data, parallel)) for end, data in ends.items()] for _, ends in graph.adjacency()]
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        arcs = [arc for row in rows for arc in row]
        targets, weights = [end for end, _ in arcs], [weight for _, weight in arcs]
        return (*_typed(offsets, targets, weights), bool(graph.is_directed()))
    if hasattr(graph, "tocsr"):
        graph = graph.tocsr()
    if all(hasattr(graph, name) for name in ("indptr", "indices", "data")):
        return (*_typed(graph.indptr, graph.indices, graph.data), directed)
    return None


def _weight(data: Any, parallel: bool) -> float:
    """The weight of an edge of networkx; of several edges between two nodes the least: no path takes another one."""
    if parallel:
        return min(_weight(own, False) for own in data.values())
    weight = data.get("weight", 1.0)
    try:
        return float(weight)
    except (TypeError, ValueError):
        raise _veloxel.InputError(f"the weight {weight!r} of an edge is no number") from None


def _typed(offsets: Any, targets: Any, weights: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    kind = np.asarray(weights).dtype
    if kind.kind not in "biuf":
        raise _veloxel.InputError(f"the weights of the graph are of the type {kind}: real numbers are expected")
    return (
        np.require(offsets, np.uint32, "A"),
        np.require(targets, np.uint32, "A"),
        np.require(weights, np.float32, "A"),
    )
