"""Results as pictures: the command's own pixels, and what a notebook shows without a network."""

import io

import numpy as np
import pytest

import veloxel
from conftest import waves
from test_others import textured


def pixels(path):
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(path).convert("RGB"))


@pytest.mark.parametrize("options", [{}, {"plane": "coronal", "scale": 2.0}, {"overlay": True, "key": False}])
def test_fields_have_the_pixels_of_the_command(tmp_path, command, session, options):
    fixed, moving = (veloxel.Image(waves(shift, (16, 20, 24)), spacing_zyx=(1.5, 1.0, 1.0)) for shift in (0.0, 0.7))
    fixed.save(tmp_path / "fixed.nii.gz")
    moving.save(tmp_path / "moving.nii.gz")
    given = {"plane": ["--plane", options.get("plane")], "scale": ["--scale", str(options.get("scale"))], "overlay": ["--overlay"]}
    line = [word for name, words in given.items() if options.get(name) for word in words]
    wheel = ["--wheel"] if options.get("key", True) else []
    command(tmp_path, "flow", "fixed.nii.gz", "moving.nii.gz", "-o", "f.npy", "--preset", "fast", "--picture", "p.png", *line, *wheel)
    found = veloxel.flow(fixed, moving, session=session, preset="fast")
    picture = found.plot(**options)
    assert np.array_equal(picture.array, pixels(tmp_path / "p.png"))
    picture.save(tmp_path / "own.png")
    assert np.array_equal(pixels(tmp_path / "own.png"), picture.array)
    assert np.array_equal(pixels(io.BytesIO(picture._repr_png_())), picture.array)


def test_disparities_have_the_pixels_of_the_command(tmp_path, command, session):
    left, right = (textured(shift).astype(np.uint8) for shift in (0, 3))
    veloxel.Image(left).save(tmp_path / "left.png")
    veloxel.Image(right).save(tmp_path / "right.png")
    command(tmp_path, "stereo", "left.png", "right.png", "-o", "d.npy", "--picture", "p.png", "--overlay", "--key", "--scale", "5")
    picture = veloxel.stereo(left, right, session=session).plot(overlay=True, scale=5.0)
    assert np.array_equal(picture.array, pixels(tmp_path / "p.png"))


def test_notebooks_show_results_without_a_network(session):
    parts = veloxel.phantom("shift", (40, 48))
    found = veloxel.flow(parts["fixed"], parts["moving"], session=session, preset="fast")
    shown = [
        found._repr_html_(),
        found.flow._repr_html_(),
        veloxel.stereo(textured(0), textured(3), session=session)._repr_html_(),
        veloxel.compare(parts["fixed"], parts["moving"], methods=["clg:fast"], session=session)._repr_html_(),
    ]
    for text in shown:
        assert "src" in text and "http://" not in text and "https://" not in text and "<script" not in text
    assert "data:image/png;base64," in shown[0] and "device" in shown[0] and "srcdoc" in shown[3]


def test_planes_and_images_that_do_not_fit_are_told():
    field = veloxel.Field(np.zeros((4, 5, 6, 3)))
    with pytest.raises(veloxel.InputError, match="coronal"):
        field.plot(plane="diagonal")
    with pytest.raises(veloxel.InputError):
        field.plot(plane="z=9")
    with pytest.raises(veloxel.InputError, match="image"):
        field.plot(on=np.zeros((4, 5)))
    assert veloxel.Field(np.full((4, 5, 2), np.nan))._repr_html_().count("unknown everywhere") == 1
