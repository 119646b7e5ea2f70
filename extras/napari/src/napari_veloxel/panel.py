"""The panel: two layers or one with time, a method, a preset, progress, cancel; the results become layers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import napari.layers
import numpy as np
import veloxel
from napari.qt.threading import thread_worker
from napari.viewer import Viewer
from qtpy.QtCore import Signal
from qtpy.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from . import layers

PRESETS = ("accurate", "fast")
#: What takes the place of MOVING when FIXED is a sequence.
EVERY_FRAME = ("each frame to the next", "the first frame to all")
MODES = dict(zip(EVERY_FRAME, ("consecutive", "reference"), strict=True))


class Cancelled(Exception):
    """The reader of the screen pressed Cancel."""


class FlowPanel(QWidget):
    """Finds the flow between image layers in a thread of its own."""

    progressed = Signal(str, float)

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.viewer, self.stop, self.worker = viewer, threading.Event(), None
        self.fixed, self.moving, self.method, self.preset = (QComboBox() for _ in range(4))
        self.method.addItems([name for name in veloxel.methods() if name != "phase"])
        self.method.setCurrentText("clg")
        self.preset.addItems(PRESETS)
        self.run, self.cancel, self.bar, self.told = QPushButton("Run"), QPushButton("Cancel"), QProgressBar(), QLabel()
        self.bar.setRange(0, 100)
        self.cancel.setEnabled(False)
        self.told.setWordWrap(True)
        form = QFormLayout(self)
        for name, widget in ("Fixed", self.fixed), ("Moving", self.moving), ("Method", self.method), ("Preset", self.preset):
            form.addRow(name, widget)
        buttons = QHBoxLayout()
        buttons.addWidget(self.run)
        buttons.addWidget(self.cancel)
        form.addRow(buttons)
        form.addRow(self.bar)
        form.addRow(self.told)
        self.run.clicked.connect(self.begin)
        self.cancel.clicked.connect(self.stop.set)
        self.progressed.connect(self._progress)
        viewer.layers.events.inserted.connect(self.refresh)
        viewer.layers.events.removed.connect(self.refresh)
        self.refresh()

    def refresh(self, _event: Any = None) -> None:
        """Lists the image layers; what was chosen stays so while it is there."""
        names = [layer.name for layer in self.viewer.layers if isinstance(layer, napari.layers.Image) and not layer.rgb]
        for box, more in (self.fixed, ()), (self.moving, EVERY_FRAME):
            chosen = box.currentText()
            box.clear()
            box.addItems([*names, *more])
            if chosen in (*names, *more):
                box.setCurrentText(chosen)

    def begin(self) -> None:
        """Starts what is chosen; the panel stays usable, and Cancel ends it."""
        if not self.fixed.currentText() or self.worker is not None:
            return
        self.stop.clear()
        task = self._task()
        self.worker = thread_worker(task, start_thread=False, connect={"returned": self._add, "errored": self._failed, "finished": self._end})()
        self._busy(True)
        self.told.setText("")
        self.worker.start()

    def _task(self) -> Callable[[], list[layers.LayerData]]:
        fixed = self.viewer.layers[self.fixed.currentText()]
        settings = {"method": self.method.currentText(), "preset": self.preset.currentText(), "progress": self._report}
        other = self.moving.currentText()
        place = layers.placed(tuple(fixed.scale), tuple(fixed.translate))
        if other in MODES:
            frames = [_image(values, fixed.scale[1:], fixed.translate[1:]) for values in np.asarray(fixed.data)]
            return lambda: layers.of_sequence(veloxel.sequence(frames, mode=MODES[other], **settings), fixed.name, place)
        moving = self.viewer.layers[other]
        pair = [_image(np.asarray(layer.data), layer.scale, layer.translate) for layer in (fixed, moving)]
        return lambda: layers.of_pair(veloxel.flow(*pair, warped="edge", **settings), fixed.name, place)

    def _report(self, stage: str, share: float) -> None:
        """Called in the thread that computes."""
        if self.stop.is_set():
            raise Cancelled
        self.progressed.emit(stage, share)

    def _progress(self, stage: str, share: float) -> None:
        self.bar.setValue(round(100 * share))
        self.bar.setFormat(f"{stage} %p%")

    def _add(self, found: list[layers.LayerData]) -> None:
        for data, attributes, kind in found:
            getattr(self.viewer, f"add_{kind}")(data, **attributes)

    def _failed(self, error: BaseException) -> None:
        self.told.setText("Cancelled." if isinstance(error, Cancelled) else str(error))

    def _end(self) -> None:
        self.worker = None
        self._busy(False)

    def _busy(self, is_busy: bool) -> None:
        self.run.setEnabled(not is_busy)
        self.cancel.setEnabled(is_busy)
        if not is_busy:
            self.bar.reset()


def _image(values: np.ndarray, scale: Any, translate: Any) -> veloxel.Image:
    """A layer's samples with their place."""
    return veloxel.Image(values, spacing_zyx=tuple(scale), origin_zyx=tuple(translate))
