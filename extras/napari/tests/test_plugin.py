"""The plugin with napari's layers and Qt, without a screen: layers are made and not drawn, which needs OpenGL."""

import threading

import numpy as np
import pytest
import veloxel
from napari.components import ViewerModel
from napari_veloxel import files, layers
from napari_veloxel.panel import FlowPanel
from npe2 import PluginManager, PluginManifest


def waves(shift: float, shape: tuple[int, ...] = (48, 64)) -> np.ndarray:
    axes = np.meshgrid(*(np.arange(n, dtype=np.float32) for n in shape), indexing="ij")
    return np.sin(0.3 * (axes[-1] - shift)) + sum(np.cos(0.25 * axis) for axis in axes[:-1])


def run(panel: FlowPanel, qtbot, fixed: str, moving: str) -> None:
    panel.fixed.setCurrentText(fixed)
    panel.moving.setCurrentText(moving)
    panel.preset.setCurrentText("fast")
    panel.begin()
    qtbot.waitUntil(lambda: panel.worker is None, timeout=60_000)


@pytest.fixture
def panel(qtbot):
    viewer = ViewerModel()
    viewer.add_image(waves(0.0), name="a", scale=(2.0, 1.0))
    viewer.add_image(waves(0.5), name="b", scale=(2.0, 1.0))
    widget = FlowPanel(viewer)
    qtbot.addWidget(widget)
    return widget


def test_the_manifest_names_what_is_there():
    manifest = PluginManifest.from_distribution("napari-veloxel")
    manifest.validate_imports()
    assert PluginManager.instance() is not None


def test_a_pair_becomes_vectors_confidence_and_warped(panel, qtbot):
    run(panel, qtbot, "a", "b")
    added = {layer.name: layer for layer in panel.viewer.layers}
    assert {"a warped", "a confidence", "a flow"} <= set(added), panel.told.text()
    middle = np.median(added["a flow"].data[:, 1], axis=0)
    assert abs(middle[1] - 0.5) < 0.1 and abs(middle[0]) < 0.1
    assert tuple(added["a flow"].scale) == (2.0, 1.0)
    assert abs(added["a warped"].data - waves(0.0))[8:-8, 8:-8].mean() < 0.05


def test_a_sequence_becomes_vectors_over_time(panel, qtbot):
    panel.viewer.add_image(np.stack([waves(0.4 * t, (10, 20, 24)) for t in range(3)]), name="film")
    run(panel, qtbot, "film", "the first frame to all")
    arrows = panel.viewer.layers["film flow"].data
    assert arrows.shape[1:] == (2, 4) and set(arrows[:, 0, 0]) == {1.0, 2.0}


def test_cancel_ends_a_run_and_adds_nothing(panel, qtbot):
    for name, shift in ("first", 0.0), ("second", 0.7):
        panel.viewer.add_image(waves(shift, (40, 48, 56)), name=name)
    count = len(panel.viewer.layers)
    began = threading.Event()
    report = panel._report
    panel._report = lambda stage, share: (began.set(), panel.stop.set(), report(stage, share))
    run(panel, qtbot, "first", "second")
    assert began.is_set() and panel.told.text() == "Cancelled." and len(panel.viewer.layers) == count
    panel._report = report
    run(panel, qtbot, "first", "second")
    assert len(panel.viewer.layers) > count


def test_a_failure_is_told_in_the_panel(panel, qtbot):
    panel.viewer.add_image(waves(0.0, (8, 9, 10)), name="volume")
    run(panel, qtbot, "a", "volume")
    assert panel.told.text() and panel.run.isEnabled()


@pytest.mark.parametrize("ending", [".flo", ".nii.gz", ".mha", ".nrrd"])
def test_a_field_is_saved_and_opened_again(tmp_path, ending):
    field = veloxel.Field(np.random.default_rng(1).normal(size=(12, 16, 2)).astype(np.float32))
    data, attributes, kind = layers.vectors(field, "field", layers.placed((1.0, 1.0)))
    path = str(tmp_path / f"field{ending}")
    assert kind == "vectors" and files.write(path, data, attributes) == [path]
    again = files.reader(path)(path)[0]
    assert np.allclose(again[1]["metadata"]["veloxel"].array, field.array, atol=1e-6)
    assert np.allclose(again[0], data, atol=1e-6)


def test_images_are_left_to_other_readers(tmp_path):
    path = str(tmp_path / "image.nrrd")
    veloxel.write(path, waves(0.0))
    assert files.reader(path) is None
