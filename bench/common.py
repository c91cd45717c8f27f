"""What the benchmarks of this directory share: where things are, one run of the engine, the file of raw figures.

Every row of raw figures ends with the seed, the budget of one run, the commit as `git describe --dirty` tells
it, and the date. Nobody fills these in by hand.
"""
import concurrent.futures
import csv
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "bench" / "programs"
REJOIN = ROOT / "target" / "release" / "rejoin"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
# What bench/fetch and scripts/install.sh build.
DEPS = pathlib.Path(os.environ.get("REJOIN_DEPS") or CACHE / "rejoin")


def commit():
    text = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return text.stdout.strip() or "unknown"


class Results:
    """Raw figures. Each row is on disk as soon as it is known, so an interrupted run keeps what it has.

    With `resume`, rows of the same commit, seed and budget that are in the file already are kept. Where `seeds` are
    given, each row has one of them.
    """

    def __init__(self, name, budget, seed=1, out=None, resume=False, seeds=()):
        self.known = {"seed": seed, "budget": budget, "commit": commit(), "date": datetime.date.today().isoformat()}
        # The commit is in the name: a file that is there is never overwritten by other code.
        self.path = out or ROOT / "bench" / "results" / f"{name}-{self.known['date']}-{self.known['commit']}.csv"
        self.rows, self.file, self.lock = [], None, threading.Lock()
        if resume and self.path.is_file():
            same = {k: str(v) for k, v in self.known.items() if k in ("budget", "commit")}
            seeds = set(map(str, seeds or [seed]))
            with open(self.path, newline="") as f:
                kept = [row for row in csv.DictReader(f) if same.items() <= row.items() and row["seed"] in seeds]
            for row in kept:
                self.add(row)

    def add(self, row):
        """One more row; what it says itself of seed and budget stays. May be called from several threads."""
        row = row | {k: v for k, v in self.known.items() if k not in row}
        with self.lock:
            if self.file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.file = open(self.path, "w", newline="")
                self.writer = csv.DictWriter(self.file, list(row))
                self.writer.writeheader()
            self.writer.writerow(row)
            self.file.flush()
            self.rows.append(row)
        return row

    def end(self):
        if self.file:
            self.file.close()
            print(f"raw figures: {os.path.relpath(self.path, ROOT)}")


def rejoin(source, params, flags, seed, max_time, scratch, binary=REJOIN):
    """The summary of one run of a C program; results stay on disk, since deleting files slows the next run's writes."""
    out = tempfile.mkdtemp(dir=scratch)
    command = [binary, "run", source, "--cflags", params, "--out", os.path.join(out, "o"), "--quiet", "--json",
               "--no-replay", "--seed", str(seed), "--max-time", max_time, *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def in_parallel(jobs, tasks, work):
    """Does `work(*task)` for every task, so many at a time; the results in the order of the tasks. One that fails ends
    all of them."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, *task) for task in tasks]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def processor_seconds(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


def bounded(command, seconds):
    """Runs `rejoin run` for so many seconds of the processor, whatever else the machine does, and interrupts it
    then. Its exit code, what it said, and whether it ended by itself."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = []
    reader = threading.Thread(target=lambda: said.extend(child.communicate()))
    reader.start()
    ended, limit = True, seconds
    while reader.is_alive():
        time.sleep(0.1)
        if processor_seconds(child.pid) > limit:
            # The first signal asks for an orderly end, a second one ends at once.
            child.send_signal(signal.SIGINT)
            ended, limit = False, limit + 20
    reader.join()
    return child.returncode, said, ended
