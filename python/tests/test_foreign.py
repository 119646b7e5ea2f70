"""Meshes and graphs of other libraries are the same mesh and the same graph; wrong ones are one clear error.

Images and tensors of other libraries are in ``test_images`` and ``test_tensors``.
"""

import numpy as np
import pytest

import veloxel
from test_others import tube


def of_trimesh(points, triangles):
    return pytest.importorskip("trimesh").Trimesh(points, triangles, process=False)


def of_pyvista(points, triangles):
    faces = np.column_stack([np.full(len(triangles), 3), triangles]).ravel()
    return pytest.importorskip("pyvista").PolyData(points, faces)


def of_pymeshlab(points, triangles):
    return pytest.importorskip("pymeshlab").Mesh(points, triangles)


@pytest.mark.parametrize("convert", [of_trimesh, of_pyvista, of_pymeshlab], ids=["trimesh", "pyvista", "pymeshlab"])
def test_meshes_of_other_libraries_are_the_same_mesh(convert):
    points, triangles = tube()
    # What every library holds: some keep 32 bits of a coordinate.
    points = points.astype(np.float32).astype(np.float64)
    ours, theirs = veloxel.Mesh(points, triangles), veloxel.Mesh(convert(points, triangles))
    assert np.array_equal(theirs.points, ours.points) and np.array_equal(theirs.triangles, ours.triangles)
    found, expected = (veloxel.segment(mesh, 2, device="cpu") for mesh in (theirs, ours))
    assert np.array_equal(found.labels, expected.labels) and np.array_equal(found.certainty, expected.certainty)


def test_meshes_of_faces_that_are_no_triangles_are_refused_with_the_way_out():
    pyvista = pytest.importorskip("pyvista")
    with pytest.raises(veloxel.InputError, match="triangulate"):
        veloxel.Mesh(pyvista.PolyData(np.eye(4)[:, :3], [4, 0, 1, 2, 3]))
    with pytest.raises(veloxel.InputError, match="no mesh"):
        veloxel.Mesh(pyvista.ImageData(dimensions=(3, 3, 3)))


@pytest.mark.parametrize(
    ("points", "triangles", "says"),
    [
        ([[0, 0], [1, 0], [0, 1]], [[0, 1, 2]], r"points have the shape \(3, 2\)"),
        (np.eye(3), [[0, 1, 2, 0]], r"triangles have the shape \(1, 4\)"),
        (np.eye(3), [[0.0, 1.0, 1.5]], "whole numbers"),
        (np.eye(3) * 1j, [[0, 1, 2]], "complex"),
        ([["a", "b", "c"]], [[0, 0, 0]], "real numbers"),
        (np.eye(3), [[0, 1], [0, 1, 2]], "rows of three"),
        (np.eye(3), [[0, 1, 3]], "3"),
        (np.full((3, 3), np.nan), [[0, 1, 2]], "finite|NaN"),
    ],
)
def test_wrong_meshes_are_one_clear_error(points, triangles, says):
    with pytest.raises(veloxel.InputError, match=says):
        veloxel.Mesh(points, triangles)


WEIGHTS = np.array([[0, 1.5, 0, 0.25], [0, 0, 2.0, 0], [0.75, 0, 0, 0], [0, 3.0, 0, 0]])


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr"])
@pytest.mark.parametrize("made", ["matrix", "array"])
def test_sparse_matrices_of_every_kind_are_the_same_graph(kind, made):
    sparse = pytest.importorskip("scipy.sparse")
    graph = getattr(sparse, f"{kind}_{made}")(WEIGHTS)
    expected = veloxel.distances(sparse.csr_array(WEIGHTS), directed=True, device="cpu")
    assert np.array_equal(veloxel.distances(graph, directed=True, device="cpu"), expected)
    assert expected[0].tolist() == [0.0, 1.5, 3.5, 0.25]


def test_graphs_of_networkx_are_the_same_graph():
    networkx = pytest.importorskip("networkx")
    sparse = pytest.importorskip("scipy.sparse")
    expected = veloxel.distances(sparse.csr_array(WEIGHTS), directed=True, device="cpu")
    one_way = networkx.from_numpy_array(WEIGHTS, create_using=networkx.DiGraph)
    assert np.array_equal(veloxel.distances(one_way, device="cpu"), expected)
    both = veloxel.distances(networkx.from_numpy_array(WEIGHTS + WEIGHTS.T), device="cpu")
    assert np.array_equal(both, veloxel.distances(sparse.csr_array(WEIGHTS + WEIGHTS.T), device="cpu"))


def test_of_several_edges_between_two_nodes_the_shortest_counts():
    networkx = pytest.importorskip("networkx")
    graph = networkx.MultiGraph()
    graph.add_edge("a", "b", weight=5.0)
    graph.add_edge("a", "b", weight=2.0)
    graph.add_edge("b", "c")
    assert veloxel.distances(graph, device="cpu").tolist() == [[0, 2, 3], [2, 0, 1], [3, 1, 0]]


def test_wrong_graphs_are_one_clear_error():
    networkx = pytest.importorskip("networkx")
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(veloxel.InputError, match="complex"):
        veloxel.distances(sparse.csr_array(WEIGHTS * 1j), device="cpu")
    graph = networkx.Graph()
    graph.add_edge(0, 1, weight="far")
    with pytest.raises(veloxel.InputError, match="'far'"):
        veloxel.distances(graph, device="cpu")
    with pytest.raises(veloxel.InputError, match="negative|-1"):
        veloxel.distances(sparse.csr_array(-WEIGHTS), directed=True, device="cpu")
    with pytest.raises(veloxel.InputError, match="no mesh"):
        veloxel.distances(object(), device="cpu")
