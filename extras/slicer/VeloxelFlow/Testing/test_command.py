"""The part of the module that needs no Slicer, with the command that VELOXEL names."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from VeloxelFlowLib import command


@unittest.skipUnless(os.environ.get("VELOXEL"), "VELOXEL names no command")
class CommandTest(unittest.TestCase):
    """A pair of known motion, saved as Slicer saves volumes: .nrrd."""

    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        self.program = command.program()
        subprocess.run([self.program, "phantom", "shift", "--size", "40,36,32", "-o", self.folder], check=True, capture_output=True)
        self.words = command.arguments(
            self.folder / "fixed.nii.gz",
            self.folder / "moving.nii.gz",
            self.folder / "field.nrrd",
            {"preset": "fast", "init": "", "confidence": str(self.folder / "confidence.nrrd")},
        )

    def test_field_and_confidence_are_written(self):
        command.run(self.words, self.program)
        self.assertTrue((self.folder / "field.nrrd").stat().st_size > 40 * 36 * 32 * 12)
        self.assertTrue((self.folder / "confidence.nrrd").exists())

    def test_a_failure_has_the_commands_words(self):
        with self.assertRaisesRegex(command.VeloxelError, "missing.nii.gz"):
            command.run(command.arguments(pathlib.Path("missing.nii.gz"), pathlib.Path("b.nii.gz"), self.folder / "f.nrrd", {}), self.program)

    def test_a_cancelled_run_leaves_nothing(self):
        with self.assertRaisesRegex(command.VeloxelError, "cancelled"):
            command.run(self.words, self.program, lambda: True)
        self.assertFalse((self.folder / "field.nrrd").exists())


if __name__ == "__main__":
    unittest.main()
