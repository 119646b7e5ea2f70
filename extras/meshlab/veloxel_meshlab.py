"""Parts of a mesh as layers of MeshLab: `veloxel segment` called from pymeshlab.

In a script:

    import pymeshlab
    import veloxel_meshlab

    meshes = pymeshlab.MeshSet()
    meshes.load_new_mesh("hand.off")
    parts = veloxel_meshlab.segment(meshes, parts=6)

`segment` sends the current layer to the command and adds its answer as a layer: faces have the colours of their parts, and as
quality (MeshLab's scalar) how certain they are, from 0 to 1, or with `quality="part"` the number of their part.

On a command line, with a project that MeshLab opens:

    python veloxel_meshlab.py hand.off -k 6 -o hand_parts.mlp && meshlab hand_parts.mlp

Needs pymeshlab and NumPy (`pip install pymeshlab`), and the program `veloxel` on the path or in the variable VELOXEL.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy
import pymeshlab

CERTAINTY, PART = "certainty", "part"


class SegmentError(RuntimeError):
    """The command failed; the text is its own line."""


def segment(meshes, parts=None, method="cuts", settings=(), quality=CERTAINTY, program=None):
    """Cuts the current layer into parts, and adds them as a layer, which becomes the current one.

    `meshes` is a `pymeshlab.MeshSet` whose current layer has faces; MeshLab's transform of the layer is applied first.
    `parts` is their number, or none for the command's choice.
    `method` is "cuts" or "fuzzy", `settings` are texts such as "angle_share=0.8" for --set.
    `quality` is "certainty" or "part": what the faces' quality holds.
    Returns the number of each face's part, counted from 0, in the order of the layer's faces.
    Raises SegmentError with the command's line.
    """
    name = meshes.current_mesh().label()
    with tempfile.TemporaryDirectory() as folder:
        mesh, coloured, labels = (Path(folder) / file for file in ("mesh.ply", "parts.ply", "parts.seg"))
        meshes.save_current_mesh(str(mesh), save_face_color=False, save_vertex_color=False)
        words = [program or os.environ.get("VELOXEL", "veloxel"), "segment", mesh, "-q"]
        words += ["-o", coloured, "--labels", labels, "--method", method]
        words += ["-k", str(parts)] if parts is not None else []
        for setting in settings:
            words += ["--set", setting]
        run = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SegmentError(run.stderr.strip().splitlines()[-1] if run.stderr.strip() else "veloxel segment failed")
        of_face = numpy.loadtxt(labels, dtype=int, ndmin=1)
        meshes.load_new_mesh(str(coloured))
    layer = meshes.current_mesh()
    layer.set_label(f"{name}, {of_face.max() + 1} parts")
    if quality == PART:
        layer = with_quality(meshes, of_face)
    return of_face


def with_quality(meshes, values):
    """Replaces the current layer by the same faces and colours with other numbers as their quality."""
    layer = meshes.current_mesh()
    label, colours = layer.label(), layer.face_color_matrix()
    other = pymeshlab.Mesh(
        vertex_matrix=layer.vertex_matrix(),
        face_matrix=layer.face_matrix(),
        f_scalar_array=values.astype(float),
        f_color_matrix=colours,
    )
    meshes.delete_current_mesh()
    meshes.add_mesh(other, label)
    return meshes.current_mesh()


def project(layers):
    """A project of MeshLab; `layers` says of each mesh's file whether it is shown."""
    identity = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
    lines = ["<!DOCTYPE MeshLabDocument>", "<MeshLabProject>", " <MeshGroup>"]
    for path, is_shown in layers.items():
        names = f"filename={quoteattr(str(path))} label={quoteattr(path.name)}"
        lines.append(f'  <MLMesh {names} visible="{int(is_shown)}"><MLMatrix44>{identity}</MLMatrix44></MLMesh>')
    return "\n".join([*lines, " </MeshGroup>", " <RasterGroup/>", "</MeshLabProject>", ""])


def main(arguments=None):
    """Cuts a mesh, and writes a project of MeshLab with the mesh and its parts."""
    parser = argparse.ArgumentParser(description="Cut a mesh into parts, as a project of MeshLab.")
    parser.add_argument("mesh", type=Path, help="the mesh: any format of MeshLab")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the project: .mlp, with the parts in a .ply of its name")
    parser.add_argument("-k", "--parts", type=int, help="how many parts; without it the number is found")
    parser.add_argument("--method", choices=["cuts", "fuzzy"], default="cuts", help="how parts are found")
    parser.add_argument("--set", action="append", default=[], dest="settings", help="a parameter of the method: NAME=VALUE")
    parser.add_argument("--quality", choices=[CERTAINTY, PART], default=CERTAINTY, help="what the faces' quality holds")
    given = parser.parse_args(arguments)
    coloured = given.output.with_suffix(".ply").resolve()
    if given.mesh.resolve() in (coloured, given.output.resolve()):
        parser.error(f"{given.mesh} would be overwritten: give the project another name")
    meshes = pymeshlab.MeshSet()
    meshes.load_new_mesh(str(given.mesh.resolve()))
    try:
        of_face = segment(meshes, given.parts, given.method, given.settings, given.quality)
    except (SegmentError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    meshes.save_current_mesh(str(coloured))
    given.output.write_text(project({given.mesh.resolve(): False, coloured: True}), encoding="utf-8")
    print(f"{of_face.max() + 1} parts of {len(of_face)} faces: {given.output}, {coloured.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
