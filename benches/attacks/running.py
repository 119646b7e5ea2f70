"""Runs the command within limits, and tells what it took."""

import os
import re
import resource
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

MOST_CPU_S = 20
MOST_WALL_S = 300
MOST_ADDRESSES = 8 << 30
MOST_FILE = 1 << 30


@dataclass
class Ended:
    """A run that has ended."""

    code: int
    out: bytes
    said: bytes
    processor_s: float
    peak_bytes: int
    hangs: bool

    def failure(self, outputs=()):
        """What no run may do; none if all is well. `outputs`: what lies in the folder of outputs."""
        errors = sum(line.startswith(b"error: ") for line in self.said.split(b"\n"))
        if self.hangs:
            return f"hangs: {self.processor_s:.0f} s of processor time"
        if self.code not in (0, 1, 2) or b"panicked" in self.said:
            return f"ends with {self.code}"
        if self.code == 1 and errors != 1:
            return f"{errors} lines of errors"
        if self.code != 0 and outputs:
            return "left-overs: " + ", ".join(sorted(outputs)[:4])
        if any(name.startswith(".") for name in outputs):
            return "hidden left-overs"
        if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", self.out + self.said):
            return "control characters reach the terminal"
        if len(self.said) > 20000:
            return f"an error of {len(self.said)} bytes"
        return None


def processor_s(pid):
    """Processor time that a process has taken so far."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def run(words, folder, addresses=MOST_ADDRESSES, most_cpu_s=MOST_CPU_S):
    """Runs a program in a folder with this much address space; one that takes more processor time is killed, and hangs."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE, MOST_FILE))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=out, stderr=said, cwd=folder, preexec_fn=limit,
            env={**os.environ, "RUST_BACKTRACE": "0"},
        )
        begin, looks, hangs = time.monotonic(), 0, False
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            looks += 1
            if looks % 100 == 0:
                late = time.monotonic() - begin > MOST_WALL_S
                if not hangs and (late or processor_s(process.pid) > most_cpu_s):
                    hangs = True
                    process.kill()
            time.sleep(0.001 if looks < 100 else 0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), said.seek(0)
        taken = used.ru_utime + used.ru_stime
        return Ended(process.returncode, out.read(), said.read(), taken, used.ru_maxrss << 10, hangs)
