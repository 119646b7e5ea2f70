#!/usr/bin/env python3
"""Sends mutated DICOM folders, glTF scenes with buffers, and TIFF variants through the commands that read them.

    benches/attacks/mutate.py VELOXEL [--files N] [--seed S] [--only dicom|gltf|tiff] [--first K] [--keep FOLDER]

N files (or folders) of each kind, 5,000 unless said otherwise. Readers get a budget of 192 MiB (--max-decode), flows one of
400 MiB for the whole process (--max-memory). A failure is a panic or an abort; more than 20 s of processor time; more resident
memory than 1.1 times the budget where one budget holds for the whole run (info, segment, flow); an error that is not one line;
left-overs of a run that failed; control characters on the terminal. Prints a line for each with the number of the file, which
--first K --files 1 makes again, and keeps the input in FOLDER. Linux; needs Python 3.10 alone.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import running
from mutations import dicom, gltf, tiff
from mutations.limits import DECODE_BYTES, SHARE

KINDS = {"dicom": (dicom.dicom_folder, dicom.dicom_runs), "gltf": (gltf.gltf_scene, gltf.gltf_runs), "tiff": (tiff.tiff_file, tiff.tiff_runs)}


def attack(program, kind, number, chance, work, keep, counts, peaks):
    """Makes one input and runs the commands that read it; the number of failures."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    make, runs = KINDS[kind]
    path, failed, ended = make(work, chance), 0, None
    for words, budget in runs(path, chance, lambda: ended.code == 0):
        out = work / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        limit = ["--max-decode", str(DECODE_BYTES)]
        ended = running.run([program, *words, *limit], work)
        failure = ended.failure(os.listdir(out))
        if failure is None and budget is not None and ended.peak_bytes > SHARE * budget:
            failure = f"takes {ended.peak_bytes >> 20} MiB of {budget >> 20}"
        counts[f"{kind}, {words[0]}: " + {0: "read", 1: "refused", 2: "wrong usage"}.get(ended.code, "failed")] += 1
        peaks[words[0]] = max(peaks.get(words[0], (0, 0.0)), (ended.peak_bytes >> 20, ended.processor_s))
        peaks[words[0] + " "] = max(peaks.get(words[0] + " ", 0.0), ended.processor_s)
        if failure:
            failed += 1
            said = ended.said.decode(errors="replace").strip()[-300:]
            print(f"{kind} {number}: {failure}: {' '.join(words)} [{said}]", flush=True)
            if keep:
                shutil.copytree(work, keep / f"{kind}-{number}", dirs_exist_ok=True, symlinks=True)
    return failed


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("program")
    reader.add_argument("--files", type=int, default=5000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--first", type=int, default=0)
    reader.add_argument("--only", choices=list(KINDS))
    reader.add_argument("--keep", type=Path)
    given = reader.parse_args()
    program = os.path.realpath(shutil.which(given.program) or given.program)
    place = Path(tempfile.mkdtemp(prefix="veloxel-mutate-"))
    counts, peaks, failed = Counter(), {}, 0
    try:
        for kind in [given.only] if given.only else KINDS:
            for number in range(given.first, given.first + given.files):
                chance = random.Random(f"{given.seed}:{kind}:{number}")
                failed += attack(program, kind, number, chance, place / "work", given.keep, counts, peaks)
            print(f"{kind}: seed {given.seed}, {given.files} files, {failed} failures so far", flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    for what, count in sorted(counts.items()):
        print(f"  {what}: {count}")
    for command, peak in sorted(peaks.items()):
        if isinstance(peak, tuple):
            print(f"  {command}: at most {peak[0]} MiB and {peaks[command + ' ']:.1f} s of processor time")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
