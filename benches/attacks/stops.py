#!/usr/bin/env python3
"""Stops every command that writes files at random moments, with older outputs and a user's folders in place.

    benches/attacks/stops.py VELOXEL [--runs N] [--seed S] [--only NAME …] [--first K]

A run ends by SIGINT, SIGTERM, SIGKILL, or a disk that is full (a small tmpfs; these need root, and are left out without it).
Half of the moments are spread over the whole run, half lie where outputs get their names.
Afterwards:

* SIGINT, SIGTERM, a full disk: all outputs are the older ones or all the newer ones, as the message says; nothing hidden stays.
* SIGKILL: each file is whole; as soon as the next run on that target has begun, all are older or all newer, that run says so,
  and nothing hidden stays. Some of these next runs are killed as well before one is left to end.
* A reader that opens the files all the time finds none that is cut.
* A user's files and folders stay, also a folder that has the name of an output.
* No run takes more than 20 s of processor time.

Prints a line for each failure, with the number of the run that repeats it (--first K --runs 1), and counts at the end.
Linux; needs Python 3.10 alone.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import inputs

MOST_CPU_S = 20
MOST_WALL_S = 300
PAGE = 4096
OLDER = b"an older output, "
THESIS = b"a user's own words\n"
WAYS = ["SIGINT", "SIGTERM", "SIGKILL", "full disk"]


def files_in(folder):
    """Relative names and content of all files of a folder."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def hidden_in(folder):
    """Names that a user does not see."""
    return sorted(n for _, fs, ns in os.walk(folder) for n in fs + ns if n.startswith("."))


class Command:
    """A command and what it writes."""

    def __init__(self, program, name, template, folder):
        self.program, self.name, self.template = program, name, template
        whole = [self.run_once(folder) for _ in range(2)]
        self.content = whole[0][0]
        self.varies = {name for name in self.content if self.content[name] != whole[1][0].get(name)}
        self.lasts_s = max(time_s for _, time_s in whole)
        self.bytes = sum(-(-len(data) // PAGE) * PAGE for data in self.content.values())

    def words(self, given, out):
        return [self.program] + inputs.arguments(self.template, given, out)

    def run_once(self, folder):
        out = folder / "whole"
        shutil.rmtree(out, ignore_errors=True)
        (out / "far").mkdir(parents=True)
        begin = time.monotonic()
        done = subprocess.run(self.words(folder / "in", out), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{self.name} fails: {done.stderr}")
        return files_in(out), time.monotonic() - begin

    def age(self, name, data):
        """older, newer, or what is wrong with the content of an output."""
        if data is None:
            return "gone"
        if data == OLDER + name.encode():
            return "older"
        if name not in self.varies:
            return "newer" if data == self.content[name] else "cut"
        try:
            whole = not name.endswith(".json") or json.loads(data) is not None
        except ValueError:
            whole = False
        if name.endswith(".html"):
            whole = data.rstrip().endswith(b"</html>")
        return "newer" if whole and data else "cut"


class Target:
    """A folder of older outputs with a user's things in it."""

    def __init__(self, command, out, chance, has_older):
        self.command, self.out, self.has_older = command, out, has_older
        self.names = sorted(command.content)
        self.taken = None
        self.own = {"far/thesis.txt": THESIS, "notes/thesis.txt": THESIS}
        if has_older and chance.random() < 0.15:
            self.taken = chance.choice(self.names)
            self.own[f"{self.taken}/deep/thesis.txt"] = THESIS
        for name in self.names if has_older else []:
            if name != self.taken:
                self.write(name, OLDER + name.encode())
        for name, data in self.own.items():
            self.write(name, data)

    def write(self, name, data):
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def read(self, name):
        try:
            return (self.out / name).read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None

    def ages(self):
        return {name: self.command.age(name, self.read(name)) for name in self.names if name != self.taken}

    def state(self):
        """older, newer, or the files of each age."""
        ages = self.ages()
        untouched = "older" if self.has_older else "gone"
        if all(age == untouched for age in ages.values()):
            return "older"
        if all(age == "newer" for age in ages.values()) and self.taken is None:
            return "newer"
        return "mixed: " + ", ".join(f"{age} {name}" for name, age in list(ages.items())[:12])

    def cut(self):
        """A file that is not whole; none if all are."""
        ages = self.ages()
        bad = {"cut", "gone"} if self.has_older else {"cut"}
        return next((f"{age} {name}" for name, age in ages.items() if age in bad), None)

    def lost(self):
        """What a user has lost."""
        return next((name for name, data in self.own.items() if self.read(name) != data), None)

    def is_deciding(self):
        """Whether outputs are about to get their names."""
        for root in (self.out, *(self.out / name.split("/")[0] for name in self.names if "/" in name)):
            try:
                found = [entry for entry in os.scandir(root) if entry.name.startswith(".veloxel-")]
            except (FileNotFoundError, NotADirectoryError):
                continue
            if any(os.path.exists(f"{entry.path}/{mark}") for entry in found for mark in ("earlier", "journal")):
                return True
        return False

    def was_left(self):
        """Whether a killed run left outputs in a hidden folder."""
        return any(path.is_file() for path in self.out.rglob(".veloxel-*.part/new/**/*"))


def processor_s(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def heed_signals():
    """Shells turn SIGINT off for what runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Run:
    """A run, what it said, and what a reader saw meanwhile."""

    def __init__(self, target, given, chance, way, near):
        command = target.command
        self.wrong = []
        log = tempfile.TemporaryFile()
        words = command.words(given, target.out)
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, preexec_fn=heed_signals
        )
        begin, at, deciding = time.monotonic(), None, False
        if near:
            delay = chance.choice([0, chance.uniform(0, 0.003), chance.uniform(0, 0.02)])
        else:
            at = begin + chance.uniform(0, 1.1 * command.lasts_s)
        sent, looked = way in (None, "full disk"), 0
        while process.poll() is None:
            now = time.monotonic()
            if near and not deciding and target.is_deciding():
                deciding, at = True, now + delay
            if not sent and at is not None and now >= at:
                process.send_signal(getattr(signal, way))
                sent = True
            if now - begin > MOST_WALL_S or processor_s(process.pid) > MOST_CPU_S:
                process.kill()
                self.wrong.append("hangs")
            # The moments of the moves are short: the reader looks at one file at a time, more often without a search for them.
            name = target.names[looked % len(target.names)]
            looked += 1
            if name != target.taken:
                age = command.age(name, target.read(name))
                if age == "cut" or age == "gone" and target.has_older:
                    self.wrong.append(f"a reader finds {name} {age}")
            time.sleep(0 if near else 0.001)
        self.code = process.returncode
        log.seek(0)
        self.said = log.read().decode(errors="replace")


def check_end(run, target, way):
    """What is wrong after a run that could clean up."""
    state, said, wrong = target.state(), run.said, []
    if state not in ("older", "newer"):
        wrong.append(state)
    errors = sum(line.startswith("error: ") for line in said.splitlines())
    expected = {0: 0}.get(run.code, 1)
    if run.code not in (0, 1, 130, 143) and not (run.code in (-2, -15) and not said):
        wrong.append(f"exit code {run.code}")
    elif run.code >= 0 and errors != expected:
        wrong.append(f"{errors} lines of errors")
    if run.code == 0 and state != "newer" or run.code == 1 and state != "older":
        wrong.append(f"exit code {run.code}, and outputs are {state}")
    if "nothing was left behind" in said and state != "older":
        wrong.append(f"says that nothing was left behind, and outputs are {state}")
    if "they stay" in said and "stopped after" in said and state != "newer":
        wrong.append(f"says that all outputs had been written, and they are {state}")
    if run.code > 128 and "stopped" not in said:
        wrong.append("does not say that it was stopped")
    if way == "full disk" and run.code == 1 and target.taken is None and not ("space" in said or "free" in said):
        wrong.append("does not say that the disk is full")
    if hidden_in(target.out):
        wrong.append("hidden: " + ", ".join(hidden_in(target.out)[:4]))
    return wrong


def check_kill(run, target, broken, given, chance, counts):
    """What is wrong after a run that was killed, and after the next ones."""
    wrong = [f"after the kill: {target.cut()}"] if target.cut() else []
    for _ in range(2):
        if chance.random() < 0.3:
            again = Run(target, given, chance, "SIGKILL", chance.random() < 0.5)
            counts["next runs killed as well"] += 1
            wrong += again.wrong + ([f"after another kill: {target.cut()}"] if target.cut() else [])
    left = target.was_left()
    decided = any(True for _ in target.out.rglob(".veloxel-*.part/journal"))
    counts["kills that left outputs staged"] += left
    counts["kills that left moves half done"] += decided
    after = Run(target, broken if chance.random() < 0.7 else given, chance, None, False)
    state = target.state()
    wrong += after.wrong
    if state not in ("older", "newer"):
        wrong.append(f"after the next run {state}")
    if after.code not in (0, 1) or after.code == 0 and state != "newer":
        wrong.append(f"next run: exit code {after.code}, and outputs are {state}: {after.said[-200:]}")
    if left and "an earlier run with" not in after.said:
        wrong.append(f"the next run does not tell of the earlier one: {after.said[-200:]}")
    if hidden_in(target.out):
        wrong.append("hidden after the next run: " + ", ".join(hidden_in(target.out)[:4]))
    return wrong


def full_disk(out, size):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},nr_inodes=10k", "veloxel-attack", str(out)], check=True)


def trial(command, folder, chance, way, counts):
    """One run stopped one way; what is wrong with it."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    (out / "far").mkdir(parents=True)
    mounted = None
    try:
        if way == "full disk":
            mounted = out / "far" if chance.random() < 0.3 else out
            older = PAGE * (len(command.content) + 6)
            full_disk(mounted, older + int(chance.uniform(0, 1.1) * (command.bytes + 4 * PAGE)))
            (out / "far").mkdir(exist_ok=True)
        try:
            target = Target(command, out, chance, chance.random() < 0.85)
        except OSError:
            counts["disks too small for the older files"] += 1
            return []
        near = chance.random() < 0.5
        run = Run(target, folder / "in", chance, way, near)
        counts[f"{way}: exit code {run.code}"] += 1
        if way == "SIGKILL":
            wrong = check_kill(run, target, folder / "broken", folder / "in", chance, counts)
        else:
            wrong = check_end(run, target, way)
            counts[f"{way}: {target.state().split(':')[0]}"] += 1
        if target.lost():
            wrong.append(f"the user's {target.lost()} is gone")
        return run.wrong + [f"{text} [{run.said.strip()[-300:]}]" for text in wrong]
    finally:
        if mounted:
            subprocess.run(["umount", str(mounted)], check=True)


def broken_inputs(folder):
    """The inputs, each cut after 20 bytes."""
    for place, _, names in os.walk(folder / "in"):
        for name in names:
            path = Path(place, name)
            cut = folder / "broken" / path.relative_to(folder / "in")
            cut.parent.mkdir(parents=True, exist_ok=True)
            cut.write_bytes(path.read_bytes()[:20])


def stop_early(program, folder, chance):
    """A command that takes long is stopped in its first seconds."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    words = [program] + inputs.arguments(inputs.LONG["demo"], folder / "in", out)
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(chance.uniform(0.05, 3))
    process.terminate()
    said = process.communicate()[1]
    fine = process.returncode in (143, -15) and not os.listdir(out)
    return [] if fine else [f"exit code {process.returncode}, left {os.listdir(out)} [{said[-200:]}]"]


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("program")
    reader.add_argument("--runs", type=int, default=2000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--first", type=int, default=0)
    reader.add_argument("--only", nargs="*")
    given = reader.parse_args()
    program = os.path.realpath(shutil.which(given.program) or given.program)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = Path(tempfile.mkdtemp(prefix="veloxel-stops-"))
    try:
        inputs.make(folder / "in")
        broken_inputs(folder)
        chosen = {n: t for n, t in inputs.WRITING.items() if not given.only or n in given.only}
        commands = [Command(program, name, template, folder) for name, template in chosen.items()]
        ways = WAYS if os.geteuid() == 0 else WAYS[:3]
        counts, failed = Counter(), 0
        for number in range(given.first, given.first + given.runs):
            chance = random.Random(f"{given.seed}:{number}")
            if number % 100 == 99 and not given.only:
                name, way, wrong = "demo", "SIGTERM", stop_early(program, folder, chance)
            else:
                command, way = chance.choice(commands), chance.choice(ways)
                name, wrong = command.name, trial(command, folder, chance, way, counts)
            counts[f"runs: {way}"] += 1
            failed += bool(wrong)
            for text in wrong[:3]:
                print(f"run {number}: {name}, {way}: {text}", flush=True)
        print(f"seed {given.seed}: {given.runs} runs of {len(commands)} commands, {failed} failed")
        for what, count in sorted(counts.items()):
            print(f"  {what}: {count}")
        sys.exit(failed > 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
