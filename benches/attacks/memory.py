#!/usr/bin/env python3
"""Runs every command where memory is short: one line and exit code 1, or success, never an abort.

    benches/attacks/memory.py VELOXEL [--steps N] [--most MIB] [--only NAME …]

The steps are limits on the address space (ulimit -v), evenly spaced in their logarithms, from the smallest at which
`veloxel --version` runs up to 8 GB, or as much as said. A command that computes for a minute is
ended after five seconds of it. What fails leaves no output, hidden ones included. Prints a line for each failure and, for each
command, the smallest limit at which it succeeds. Linux; needs Python 3.10 alone.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import inputs
import running

MIB = 1 << 20
MOST_MIB = 8 << 10
LONG_S = 5


def smallest(program, folder):
    """The smallest address space in which the program says its version, to a quarter of a MiB."""
    too_few, enough = 0, MOST_MIB * MIB
    while enough - too_few > MIB // 4:
        middle = (too_few + enough) // 2
        if running.run([program, "--version"], folder, middle).code == 0:
            enough = middle
        else:
            too_few = middle
    return enough


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("program")
    reader.add_argument("--steps", type=int, default=20)
    reader.add_argument("--most", type=int, default=MOST_MIB)
    reader.add_argument("--only", nargs="*")
    given = reader.parse_args()
    program = os.path.realpath(shutil.which(given.program) or given.program)
    folder = Path(tempfile.mkdtemp(prefix="veloxel-memory-"))
    try:
        inputs.make(folder / "in")
        least = smallest(program, folder)
        limits = [round(least * (given.most * MIB / least) ** (k / (given.steps - 1))) for k in range(given.steps)]
        print("MiB:", ", ".join(f"{limit / MIB:.1f}" for limit in limits))
        counts, failed = Counter(), 0
        for name, template in {**inputs.WRITING, **inputs.PRINTING, **inputs.LONG}.items():
            if given.only and name not in given.only:
                continue
            enough = None
            for limit in limits:
                out = folder / "out"
                shutil.rmtree(out, ignore_errors=True)
                (out / "far").mkdir(parents=True)
                words = [program, *inputs.arguments(template, folder / "in", out)]
                is_long = name in inputs.LONG
                ended = running.run(words, folder, limit, LONG_S if is_long else running.MOST_CPU_S)
                if is_long and ended.hangs:
                    counts["still computing"] += 1
                    continue
                left = [str(p.relative_to(out)) for p in out.rglob("*") if p.is_file() or p.name.startswith(".")]
                failure = ended.failure(left)
                counts["done" if ended.code == 0 else "one line"] += failure is None
                if ended.code == 0 and enough is None:
                    enough = limit
                if failure:
                    failed += 1
                    said = ended.said.decode(errors="replace").strip()[-300:]
                    print(f"{name}, {limit / MIB:.1f} MiB: {failure} [{said}]", flush=True)
            print(f"  {name}: from {(enough or 0) / MIB:.0f} MiB on", flush=True)
        print(f"{given.steps} steps: {counts['done']} runs done, {counts['one line']} ended by one line, {counts['still computing']} were still computing, {failed} failed")
        sys.exit(failed > 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
