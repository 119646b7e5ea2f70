"""The page on Python runs, in one piece, as a reader would run it."""

import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


@pytest.mark.filterwarnings("ignore::veloxel.VeloxelWarning")
def test_every_example_of_the_page_runs():
    pytest.importorskip("SimpleITK")
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(examples) >= 4
    exec(compile("\n".join(examples), str(PAGE), "exec"), {"__name__": "page"})
