#!/usr/bin/env python3
"""Pairs a second of a batch against one over the time that a pair's solution takes alone.

    benches/batch.py PROGRAM [--device cuda] [--pairs 1000] [--size 64] [--preset accurate] [--at-once 1 2 3] [--folder /dev/shm]

Pairs are uncompressed NIfTI files, in a memory file system where there is one; fields are 32-bit floats. The stages are medians of
the reports of a batch of 60.
"""

import argparse
import csv
import gzip
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

#: Different pairs; rows take them in turn.
PAIRS = 50
#: Rows whose reports tell the stages, the first of them left out, which compile kernels.
REPORTED, WARM = 60, 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--preset", default="accurate")
    parser.add_argument("--at-once", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--folder", default="/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None)
    given = parser.parse_args()
    program = given.program.resolve()
    with tempfile.TemporaryDirectory(dir=given.folder) as made:
        folder = pathlib.Path(made)
        size = ",".join([str(given.size)] * 3)
        line = [program, "phantom", "sinusoid", "--size", size, "--seeds", str(PAIRS), "-o", "pairs"]
        subprocess.run(line, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        pairs = sorted((folder / "pairs").iterdir())
        for packed in (folder / "pairs").rglob("*.nii.gz"):
            packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))

        def batch(name, count, at_once, reports):
            with open(folder / f"{name}.csv", "w", newline="") as file:
                table = csv.writer(file)
                table.writerow(["fixed", "moving", "output"] + ["report"] * reports)
                for nth in range(count):
                    pair = f"pairs/{pairs[nth % PAIRS].name}"
                    row = [f"{pair}/fixed.nii", f"{pair}/moving.nii", f"fields/{nth}.nii"]
                    table.writerow(row + [f"reports/{nth}.json"] * reports)
            line = [program, "batch", f"{name}.csv", "-o", name, "--device", given.device, "--at-once", str(at_once), "--quiet"]
            start = time.monotonic()
            subprocess.run([*line, "--option", f"preset={given.preset}"], cwd=folder, check=True)
            return time.monotonic() - start

        batch("reported", REPORTED, 1, True)
        reports = [json.loads((folder / f"reported/reports/{nth}.json").read_text()) for nth in range(WARM, REPORTED)]
        stages = {}
        for report in reports:
            for stage in report["stage_times"]:
                stages.setdefault(stage["stage"], []).append(stage["time_ms"])
        medians = {stage: statistics.median(times) for stage, times in stages.items()}
        print(reports[0]["device"]["name"], f"{given.size}³, {given.preset}:", {name: round(ms, 2) for name, ms in medians.items()}, "ms")
        for at_once in given.at_once:
            took_s = batch(f"at_once_{at_once}", given.pairs, at_once, False)
            share = given.pairs / took_s * medians["solve"] / 1e3
            print(f"{at_once} at once: {given.pairs} pairs in {took_s:.1f} s, {given.pairs / took_s:.1f} a second, {share:.2f} of 1 / solve")


if __name__ == "__main__":
    main()
