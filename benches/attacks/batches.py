#!/usr/bin/env python3
"""Kills batches at random moments, goes on with them, and looks whether every row was done once, with the bits of a run that nothing
disturbed.

    benches/attacks/batches.py PROGRAM [--pairs 200] [--kills 10] [--seed 1] [--device cpu]
"""

import argparse
import collections
import csv
import hashlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time


def rows(folder, name):
    """The records of a ledger whose lines are whole."""
    path = folder / name / "ledger.jsonl"
    lines = path.read_text().split("\n")[1:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def fields(folder, name):
    """A checksum of every field."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / name / "fields").glob("*.nii")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    program, random_times = given.program.resolve(), random.Random(given.seed)
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        line = [program, "phantom", "sinusoid", "--size", "32,32,24", "--seeds", str(given.pairs), "-o", "pairs"]
        subprocess.run(line, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with open(folder / "jobs.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["fixed", "moving", "output", "preset"])
            for pair in sorted((folder / "pairs").iterdir()):
                inputs = [f"pairs/{pair.name}/{image}.nii.gz" for image in ("fixed", "moving")]
                table.writerow([*inputs, f"fields/{pair.name}.nii", "fast"])

        def begin(name):
            batch = [program, "batch", "jobs.csv", "-o", name, "--device", given.device, "--quiet"]
            return subprocess.Popen(batch, cwd=folder)

        start = time.monotonic()
        assert begin("whole").wait() == 0
        took_s = time.monotonic() - start
        before, unknown = 0, 0
        for kill in range(given.kills):
            run = begin("killed")
            time.sleep(random_times.uniform(0.02, took_s / (given.kills - 1)))
            run.kill()
            run.wait()
            found = rows(folder, "killed")
            known = {pathlib.Path(row["outputs"][0]["path"]).name for row in found}
            lost = len(fields(folder, "killed").keys() - known)
            assert len(found) >= before, "rows that were done are lost"
            before, unknown = len(found), max(unknown, lost)
            print(f"kill {kill + 1}: {len(found)} rows are done, {lost} outputs of a row that the ledger does not know")
        assert begin("killed").wait() == 0
        counts = collections.Counter(row["row"] for row in rows(folder, "killed"))
        is_same = fields(folder, "killed") == fields(folder, "whole")
        left = [path for path in (folder / "killed").rglob(".*") if path.name.endswith(".part")]
        print(f"{len(counts)} rows, {sum(count > 1 for count in counts.values())} recorded twice, same bits: {is_same}, left over: {left}")
        is_good = len(counts) == given.pairs and set(counts.values()) == {1} and is_same and not left and unknown <= 1
        return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
