"""Stereo, features, meshes, graphs and files."""

import pickle

import numpy as np
import pytest

import veloxel


def textured(shift, shape=(64, 96)):
    y, x = np.mgrid[: shape[0], : shape[1]].astype(np.float32)
    return sum(np.sin((x + shift) / w + y / (w + 2) + w) for w in (1.7, 3.1, 5.3, 9.0)) * 25 + 128


def test_stereo_gives_the_bits_of_the_command(tmp_path, command, session):
    left, right = (textured(shift).astype(np.uint8) for shift in (0, 3))
    veloxel.Image(left).save(tmp_path / "left.png")
    veloxel.Image(right).save(tmp_path / "right.png")
    command(tmp_path, "stereo", "left.png", "right.png", "-o", "disparity.npy")
    found = veloxel.stereo(left, right, session=session)
    assert np.array_equal(np.load(tmp_path / "disparity.npy").reshape(64, 96), found.disparity.array, equal_nan=True)
    assert np.nanmedian(found.disparity.array) == pytest.approx(3.0, abs=0.2)


def test_features(session):
    scales = veloxel.features(textured(0), session=session)
    assert scales[0].energy.shape == (64, 96) and scales[1].energy.shape == (32, 48)
    assert np.nanmax(np.abs(scales[0].phase.array)) <= np.pi + 1e-6


def tube(sides=24, rings=30):
    angle = 2 * np.pi * np.arange(sides) / sides
    radius = 1 - 0.7 * np.exp(-((np.arange(rings) - rings / 2) ** 2) / 4)
    points = [(r * np.cos(a), r * np.sin(a), 0.2 * z) for z, r in enumerate(radius) for a in angle]
    triangles = []
    for z in range(rings - 1):
        for s in range(sides):
            a, b = z * sides + s, z * sides + (s + 1) % sides
            triangles += [(a, b, a + sides), (b, b + sides, a + sides)]
    return np.array(points), np.array(triangles)


def test_parts_of_a_mesh(session):
    points, triangles = tube()
    found = veloxel.segment(points, 2, triangles=triangles, session=session)
    assert len(set(found.labels)) == 2 and found.labels[0] != found.labels[-1]
    assert found.probability.shape == found.labels.shape and 0.3 < found.probability.min() < found.probability.max() <= 1
    assert np.all(np.diff(found.probability[np.argsort(found.certainty)]) >= 0)
    fuzzy = veloxel.segment(points, 2, triangles=triangles, method="fuzzy", membership=True, session=session)
    assert fuzzy.probability.shape == fuzzy.labels.shape and np.all(np.diff(fuzzy.probability[np.argsort(fuzzy.certainty)]) >= 0)
    assert fuzzy.membership.shape == (len(triangles), 2) and np.allclose(fuzzy.membership.sum(axis=1), 1, atol=1e-4)


def test_meshes_of_other_libraries(session):
    trimesh = pytest.importorskip("trimesh")
    points, triangles = tube()
    theirs = trimesh.Trimesh(points, triangles, process=False)
    ours = veloxel.segment(points, 2, triangles=triangles, session=session).labels
    assert np.array_equal(veloxel.segment(theirs, 2, session=session).labels, ours)


def test_distances_of_graphs(session):
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(3)
    dense = np.where(rng.uniform(size=(40, 40)) < 0.15, rng.uniform(0.1, 2.0, (40, 40)), 0)
    theirs = sparse.csgraph.dijkstra(sparse.csr_matrix(dense), directed=True)
    ours = veloxel.distances(sparse.csr_matrix(dense), directed=True, session=session)
    assert np.allclose(ours, theirs, rtol=1e-5)
    some = veloxel.distances(sparse.coo_matrix(dense), directed=True, sources=[3, 1], session=session)
    assert np.allclose(some, theirs[[3, 1]], rtol=1e-5)


def test_distances_of_networkx(session):
    networkx = pytest.importorskip("networkx")
    graph = networkx.path_graph(4)
    assert veloxel.distances(graph, session=session)[0].tolist() == [0, 1, 2, 3]


def test_distances_of_faces(session):
    points, triangles = tube(8, 6)
    found = veloxel.distances(points, triangles=triangles, angle_share=0.8, session=session)
    assert found.shape == (len(triangles),) * 2 and np.allclose(found, found.T, atol=1e-5)
    with pytest.raises(veloxel.ParameterError):
        veloxel.distances(points, triangles=triangles, angel_share=0.8, session=session)


def test_files_and_their_headers(tmp_path):
    image = veloxel.Image(np.arange(24).reshape(2, 3, 4), spacing_zyx=(3, 2, 1))
    veloxel.write(tmp_path / "image.mha", image)
    assert np.array_equal(veloxel.read(tmp_path / "image.mha").array, image.array)
    assert veloxel.info(tmp_path / "image.mha")["size"] == [4, 3, 2]
    labels = np.array([[1, 2], [3, 0]])
    veloxel.write(tmp_path / "labels.nii.gz", labels)
    assert np.array_equal(veloxel.read_labels(tmp_path / "labels.nii.gz"), labels)
    with pytest.raises(veloxel.FileError, match=r"nothing\.nii") as raised:
        veloxel.read(tmp_path / "nothing.nii")
    assert raised.value.kind == "io"
    with pytest.raises(FileNotFoundError, match=r"nothing\.nii") as raised:
        veloxel.flow(tmp_path / "nothing.nii", tmp_path / "image.mha", device="cpu")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), str(again)) == (veloxel.FileMissingError, str(raised.value))
    # A folder that is no image is there.
    with pytest.raises(Exception) as raised:
        veloxel.read(tmp_path)
    assert not isinstance(raised.value, FileNotFoundError)
