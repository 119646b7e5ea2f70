"""A module of 3D Slicer: the displacement field between two volumes, as a transform that moves MOVING onto FIXED."""

import pathlib
import tempfile

import qt
import slicer
from slicer.ScriptedLoadableModule import (
    ScriptedLoadableModule,
    ScriptedLoadableModuleLogic,
    ScriptedLoadableModuleTest,
    ScriptedLoadableModuleWidget,
)
from VeloxelFlowLib import command

PRESETS = ("fast", "accurate")
STARTS = ("none", "centre-of-mass", "affine")


class VeloxelFlow(ScriptedLoadableModule):
    """What Slicer shows of the module."""

    def __init__(self, parent):
        super().__init__(parent)
        parent.title = "Veloxel flow"
        parent.categories = ["Registration"]
        parent.contributors = ["The Veloxel contributors"]
        parent.helpText = "Finds where each voxel of the fixed volume lies in the moving one. Needs the command veloxel."
        parent.acknowledgementText = "MIT or Apache-2.0."


class VeloxelFlowWidget(ScriptedLoadableModuleWidget):
    """Two volumes, a preset, a start, and what comes out."""

    def setup(self):
        super().setup()
        form = qt.QFormLayout()
        self.layout.addLayout(form)
        self.fixed, self.moving = self._volumes(form, "Fixed"), self._volumes(form, "Moving")
        self.preset, self.start = qt.QComboBox(), qt.QComboBox()
        self.preset.addItems(PRESETS)
        self.start.addItems(STARTS)
        form.addRow("Preset", self.preset)
        form.addRow("Start", self.start)
        self.program = qt.QLineEdit()
        self.program.setPlaceholderText("veloxel, from the path")
        form.addRow("Command", self.program)
        self.apply, self.cancel = qt.QPushButton("Apply"), qt.QPushButton("Cancel")
        self.cancel.enabled = False
        form.addRow(self.apply, self.cancel)
        self.apply.connect("clicked()", self.onApply)
        self.cancel.connect("clicked()", self.onCancel)
        self.layout.addStretch(1)
        self.isCancelled = False

    def _volumes(self, form, name):
        chooser = slicer.qMRMLNodeComboBox()
        chooser.nodeTypes = ["vtkMRMLScalarVolumeNode"]
        chooser.addEnabled = chooser.removeEnabled = False
        chooser.setMRMLScene(slicer.mrmlScene)
        form.addRow(name, chooser)
        return chooser

    def onCancel(self):
        self.isCancelled = True

    def onApply(self):
        self.isCancelled = False
        self.apply.enabled, self.cancel.enabled = False, True
        try:
            with slicer.util.tryWithErrorDisplay("Veloxel failed", waitCursor=False):
                VeloxelFlowLogic().process(
                    self.fixed.currentNode(),
                    self.moving.currentNode(),
                    {"preset": self.preset.currentText, "init": self.start.currentText.replace("none", "")},
                    command.program(self.program.text),
                    self._asked,
                )
        finally:
            self.apply.enabled, self.cancel.enabled = True, False

    def _asked(self):
        slicer.app.processEvents()
        return self.isCancelled


class VeloxelFlowLogic(ScriptedLoadableModuleLogic):
    """Volumes of the scene to the command, and its files back."""

    def process(self, fixed, moving, options, program, isCancelled=lambda: False):
        """Adds a transform, which MOVING gets, and the confidence as a volume; returns both nodes."""
        if fixed is None or moving is None:
            raise ValueError("choose a fixed and a moving volume")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            paths = [folder / f"{role}.nrrd" for role in ("fixed", "moving", "field", "confidence")]
            for node, path in zip((fixed, moving), paths, strict=False):
                if not slicer.util.saveNode(node, str(path)):
                    raise RuntimeError(f"{node.GetName()} could not be written")
            words = command.arguments(*paths[:3], {**options, "confidence": str(paths[3])})
            command.run(words, program, isCancelled)
            transform = slicer.util.loadTransform(str(paths[2]))
            confidence = slicer.util.loadVolume(str(paths[3]), {"singleFile": True})
        transform.SetName(f"{moving.GetName()} to {fixed.GetName()}")
        confidence.SetName("Confidence")
        moving.SetAndObserveTransformNodeID(transform.GetID())
        return transform, confidence


class VeloxelFlowTest(ScriptedLoadableModuleTest):
    """Two samples of Slicer's, when it tests the module."""

    def runTest(self):
        import SampleData

        before, after = SampleData.SampleDataLogic().downloadMRBrainTumor1(), SampleData.SampleDataLogic().downloadMRBrainTumor2()
        options = {"preset": "fast", "init": "affine"}
        transform, confidence = VeloxelFlowLogic().process(before, after, options, command.program())
        self.assertIsNotNone(transform)
        self.assertIsNotNone(confidence.GetImageData())
