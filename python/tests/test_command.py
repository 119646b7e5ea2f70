"""The command inside of the package is the command."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import veloxel
from conftest import waves


def run(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "veloxel_command", *arguments], capture_output=True, text=True, **options)


def test_it_is_the_command_without_numpy(tmp_path):
    assert run("--version").stdout == f"veloxel {veloxel.__version__}\n"
    asked = "import sys, veloxel_command; sys.argv = ['veloxel', 'devices']; sys.addaudithook(lambda event, given: event == 'import' and given[0] == 'numpy' and print('numpy')); veloxel_command.main()"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert told.returncode == 0 and "cpu" in told.stdout and "numpy" not in told.stdout


def test_it_writes_the_bits_of_the_program_and_its_line(tmp_path, command):
    for nth, name in enumerate(("fixed.nii.gz", "moving.nii.gz")):
        veloxel.Image(waves(0.5 * nth)).save(tmp_path / name)
    line = ("flow", "fixed.nii.gz", "moving.nii.gz", "--preset", "fast", "--report", "report.json", "-o")
    command(tmp_path, *line, "program.npy")
    done = run(*line, "package.npy", "--device", "cpu", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(tmp_path / "program.npy"), np.load(tmp_path / "package.npy"), equal_nan=True)
    assert '"veloxel flow fixed.nii.gz' in (tmp_path / "report.json").read_text(encoding="utf-8")


def test_mistakes_have_the_exit_codes_of_the_command(tmp_path):
    wrong = run("flow", "--nothing")
    assert wrong.returncode == 2 and "--nothing" in wrong.stderr
    missing = run("info", "missing.nii.gz", cwd=tmp_path)
    assert missing.returncode == 1 and missing.stderr.startswith("error: ") and missing.stderr.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_leaves_nothing_behind(tmp_path):
    for nth, name in enumerate(("fixed.nii.gz", "moving.nii.gz")):
        veloxel.Image(waves(1.5 * nth, (96, 112, 128))).save(tmp_path / name)
    line = [sys.executable, "-m", "veloxel_command", "flow", "fixed.nii.gz", "moving.nii.gz", "-o", "field.nii.gz", "--device", "cpu"]
    # A test in the background of a shell is started with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        running = subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        time.sleep(1.0)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    finally:
        signal.signal(signal.SIGINT, before)
    assert running.returncode == 130 and "nothing was left behind" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fixed.nii.gz", "moving.nii.gz"]
