#!/usr/bin/env python3
"""Time and memory of every reader on inputs of n, 10 n and 100 n elements that are arranged against it.

    benches/attacks/growth.py VELOXEL [--only PART …]

A reader may take a time that grows like n log n, or refuse the input within a second of processor time. A row fails if 100 n
elements take more than 30 times as long as 10 n (a quadratic reader takes 100 times as long), with a tenth of a second granted, or
end in anything but success or one line. The largest input is read once more with a budget of 100 MiB (--max-decode, --max-memory for
graphs), and fails if the run takes more than 1.1 times as much; of meshes and their parts, which are looked at after the reading, the peak is
printed alone. Prints a line for each input: processor time and peak memory for the
three sizes, and the peak with the budget.
Linux; needs Python 3.10 alone.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import growing  # noqa: F401: its modules fill the list of cases
import running
from growing.case import CASES, text

REFUSED_S = 1.0
GRANTED_S = 0.1
# A quadratic reader takes a hundred times as long; caches that get too small make a linear one take up to twenty times as long.
MOST_RATIO = 30
BUDGET_BYTES = 100 << 20
# What is done with them after the reading takes more than the reading.
COMPUTED = {"off", "obj", "ply", "stl", "gltf", "parts"}
BUDGET_SHARE = 1.1


def made(make, folder, size):
    """The arguments that read an input, which a process of its own makes: a child's peak of memory is no less than its parent's."""
    child = os.fork()
    if child == 0:
        try:
            text(folder, "words.json", json.dumps(make(folder, size)))
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        sys.exit("an input could not be made")
    return json.loads((folder / "words.json").read_text())


def tried(program, n, make):
    """Runs over the three sizes, and the one with a budget."""
    row, bounded = [], None
    for size in (n, 10 * n, 100 * n):
        folder = Path(tempfile.mkdtemp(prefix="veloxel-growth-"))
        try:
            words = [program, *made(make, folder, size)]
            row.append(running.run(words, folder))
            if size == 100 * n:
                budget = "--max-memory" if words[1] == "distances" else "--max-decode"
                bounded = running.run([*words, budget, str(BUDGET_BYTES)], folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if row[-1].hangs:
            break
    return row, bounded


def failure_of(row, bounded, is_computed):
    """What is wrong with the runs over an input; none if nothing is."""
    last, times = row[-1], [ended.processor_s for ended in row]
    if last.failure():
        return last.failure()
    refused = last.code == 1 and times[-1] <= REFUSED_S
    if not refused and times[-1] > MOST_RATIO * times[-2] + GRANTED_S:
        return f"grows {times[-1] / times[-2]:.0f} times"
    if bounded.failure():
        return "with a budget: " + bounded.failure()
    if not is_computed and bounded.peak_bytes > BUDGET_SHARE * BUDGET_BYTES:
        return f"takes {bounded.peak_bytes >> 20} MiB of {BUDGET_BYTES >> 20}"
    return None


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("program")
    reader.add_argument("--only", nargs="*")
    given = reader.parse_args()
    program = os.path.realpath(shutil.which(given.program) or given.program)
    failed = 0
    for name, (n, make) in CASES.items():
        if given.only and not any(part in name for part in given.only):
            continue
        row, bounded = tried(program, n, make)
        failure = failure_of(row, bounded, name.split(",")[0] in COMPUTED)
        failed += failure is not None
        taken = "  ".join(f"{e.processor_s:6.2f} s {e.peak_bytes >> 20:5} MiB" for e in row)
        peak = "" if bounded is None else f"{bounded.peak_bytes >> 20:5} MiB"
        end = {0: "", 1: "refused"}.get(row[-1].code, f"ends with {row[-1].code}")
        print(f"{'FAILS ' if failure else ''}{name}, n = {n}: {taken} {peak}  {end} {failure or ''}", flush=True)
        if failure or row[-1].code == 2:
            print("   " + row[-1].said.decode(errors="replace").strip()[-300:])
            print("   " + (bounded.said.decode(errors="replace").strip()[-300:] if bounded else ""))
    print(f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
