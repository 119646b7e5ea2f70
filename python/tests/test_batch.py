"""Many rows as one call: the command's bits, what is left after an end, and what is refused."""

import csv
import json

import pytest
from conftest import waves

import veloxel

OPTIONS = {"preset": "fast"}


def rows(folder, count=3):
    """Rows of pairs that are written into a folder."""
    for nth in range(count + 1):
        veloxel.write(folder / f"{nth}.nii", waves(0.3 * nth))
    return [{"fixed": folder / "0.nii", "moving": folder / f"{nth + 1}.nii", "output": f"f/{nth}.nii"} for nth in range(count)]


def test_rows_have_the_bits_of_the_command(tmp_path, command):
    jobs = rows(tmp_path)
    told = []
    summary = veloxel.batch(
        jobs, tmp_path / "own", options=OPTIONS, device="cpu", threads=1, progress=lambda stage, done: told.append((stage, done))
    )
    assert (summary["rows"], summary["done"], summary["failed"], summary["left"]) == (3, 3, 0, 0)
    assert all(stage == "solve" and 0 <= done <= 1 for stage, done in told)
    with open(tmp_path / "jobs.csv", "w", newline="") as file:
        table = csv.DictWriter(file, ["fixed", "moving", "output"])
        table.writeheader()
        table.writerows(jobs)
    command(tmp_path, "batch", "jobs.csv", "-o", "other", "--option", "preset=fast", "--threads", "2")
    for nth in range(3):
        own, other = ((tmp_path / folder / f"f/{nth}.nii").read_bytes() for folder in ("own", "other"))
        assert own == other
    # What the command did is done for Python as well.
    again = veloxel.batch(tmp_path / "jobs.csv", tmp_path / "other", options=OPTIONS, device="cpu")
    assert again["done"] == 3
    assert len((tmp_path / "other/ledger.jsonl").read_text().splitlines()) == 4


def test_rows_that_fail_are_told_and_run_again(tmp_path):
    jobs = rows(tmp_path)
    whole = (tmp_path / "2.nii").read_bytes()
    (tmp_path / "2.nii").write_bytes(b"short")
    summary = veloxel.batch(jobs, tmp_path / "out", options=OPTIONS, device="cpu")
    assert [record["status"] for record in summary["records"]] == ["done", "failed", "done"]
    assert "2.nii" in summary["records"][1]["reason"]
    (tmp_path / "2.nii").write_bytes(whole)
    assert veloxel.batch(jobs, tmp_path / "out", options=OPTIONS, device="cpu", retry=True)["failed"] == 0
    assert json.loads((tmp_path / "out/summary.json").read_text())["done"] == 3


def test_shards_and_flags(tmp_path):
    jobs = [row | {"inverse_consistency": True, "set": ["alpha=0.2", "max_levels=2"]} for row in rows(tmp_path)]
    plan = veloxel.batch(jobs, tmp_path / "out", options=OPTIONS, shard="1/2", dry_run=True)
    assert plan["to_run"] == 2 and [row["state"] for row in plan["standings"]][1] == "of another shard"
    first = veloxel.batch(jobs, tmp_path / "out", options=OPTIONS, shard="1/2", device="cpu", at_once=2)
    assert (first["done"], first["left"]) == (2, 1)
    assert "--inverse-consistency" in first["records"][0]["job"] and "--set=max_levels=2" in first["records"][0]["job"]
    assert veloxel.batch(jobs, tmp_path / "out", options=OPTIONS, shard="2/2", device="cpu")["done"] == 3


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"moving": "none.nii"}, "row 2: none.nii is not there"),
        ({"output": "f/0.nii"}, "is written by row 1 as well"),
        ({"presett": "fast"}, "unexpected argument '--presett'"),
        ({"device": "cpu"}, "is for all rows together"),
    ],
)
def test_rows_are_refused_before_the_first_is_run(tmp_path, change, text):
    jobs = rows(tmp_path)
    jobs[1] |= change
    with pytest.raises(veloxel.InputError, match=text):
        veloxel.batch(jobs, tmp_path / "out", options=OPTIONS, device="cpu")
    assert not (tmp_path / "out").exists()


def test_an_exception_stops_the_rows_and_the_same_call_goes_on(tmp_path):
    jobs = rows(tmp_path, 12)

    def stop(stage, done):
        if done > 0:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        veloxel.batch(jobs, tmp_path / "out", options=OPTIONS, device="cpu", threads=1, progress=stop)
    assert veloxel.batch(jobs, tmp_path / "out", options=OPTIONS, device="cpu")["done"] == 12
    assert len((tmp_path / "out/ledger.jsonl").read_text().splitlines()) == 13
