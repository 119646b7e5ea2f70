"""Tests of the layer of parts: `python -m unittest` in this folder, with pymeshlab and the program there."""

import tempfile
import unittest
from pathlib import Path

import numpy
import pymeshlab

import veloxel_meshlab

SCRIPT = Path(__file__).with_name("certainty.mlx")


def snowman():
    """Two spheres that touch, as one surface."""
    meshes = pymeshlab.MeshSet()
    meshes.create_sphere(radius=1.0, subdiv=4)
    meshes.create_sphere(radius=0.7, subdiv=4)
    meshes.compute_matrix_from_translation(traslmethod="XYZ translation", axisz=1.4)
    meshes.generate_boolean_union(first_mesh=0, second_mesh=1)
    return meshes


class Layers(unittest.TestCase):
    def test_parts_are_a_layer_with_colours_and_certainty(self):
        meshes = snowman()
        layers, faces = meshes.mesh_number(), meshes.current_mesh().face_number()
        of_face = veloxel_meshlab.segment(meshes, parts=2)
        layer = meshes.current_mesh()
        self.assertEqual((meshes.mesh_number(), layer.face_number(), len(of_face)), (layers + 1, faces, faces))
        self.assertEqual(set(of_face), {0, 1})
        self.assertTrue(layer.has_face_color() and layer.has_face_scalar())
        certainty = layer.face_scalar_array()
        self.assertTrue(0 <= certainty.min() < certainty.max() <= 1)
        upper = layer.face_matrix()[:, 0]
        heights = layer.vertex_matrix()[upper, 2]
        parts = [heights[of_face == part].mean() for part in (0, 1)]
        self.assertGreater(abs(parts[0] - parts[1]), 1.0)

    def test_quality_may_be_the_part(self):
        meshes = snowman()
        of_face = veloxel_meshlab.segment(meshes, parts=2, method="fuzzy", settings=["angle_share=0.8"], quality="part")
        layer = meshes.current_mesh()
        self.assertTrue(numpy.array_equal(layer.face_scalar_array(), of_face))
        self.assertGreater(len(numpy.unique(layer.face_color_matrix(), axis=0)), 1)

    def test_the_filter_script_colours_by_quality(self):
        meshes = snowman()
        veloxel_meshlab.segment(meshes, parts=2)
        before = meshes.current_mesh().face_color_matrix().copy()
        meshes.load_filter_script(str(SCRIPT))
        meshes.apply_filter_script()
        self.assertFalse(numpy.array_equal(before, meshes.current_mesh().face_color_matrix()))

    def test_a_failure_is_the_commands_line(self):
        with self.assertRaises(veloxel_meshlab.SegmentError) as failed:
            veloxel_meshlab.segment(snowman(), parts=2, settings=["no_such=1"])
        self.assertIn("no_such", str(failed.exception))

    def test_a_project_holds_the_mesh_and_its_parts(self):
        with tempfile.TemporaryDirectory() as folder:
            mesh, project = Path(folder) / "snowman.ply", Path(folder) / "parts.mlp"
            snowman().save_current_mesh(str(mesh))
            self.assertEqual(veloxel_meshlab.main([str(mesh), "-k", "2", "-o", str(project)]), 0)
            layers = pymeshlab.MeshSet()
            layers.load_project(str(project))
            self.assertEqual(layers.mesh_number(), 2)
            self.assertEqual([layer.has_face_scalar() for layer in layers], [False, True])
            with self.assertRaises(SystemExit):
                veloxel_meshlab.main([str(mesh), "-o", str(mesh.with_suffix(".mlp"))])


if __name__ == "__main__":
    unittest.main()
