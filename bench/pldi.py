#!/usr/bin/env python3
"""The experiments of "Efficient State Merging in Symbolic Execution" (PLDI 2012) on coreutils, in kind.

    bench/pldi.py [--seconds S] [--sizes N...] [--tools 'T...'] [--jobs N] [--resume] [--out FILE.csv] [PART...]

Parts, by default all of them:
  sizes    exhaustive exploration at growing input size: none, SSM and DSM with QCE (figures 5 and 6)
  budget   paths that DSM+QCE stands for against none, and coverage of DSM and SSM against the driving
           search, after the same time (figures 4 and 8)
  fit      multiplicity m against exact paths p: log p = c1 + c2 log m (figure 3)
  qce      on sleep, `seconds` is live in the loop over the arguments, and not hot

Time is processor time of the run, start-up included, so a busy machine changes little. A run that is over
its budget is interrupted and counts with what it has. Tools run in parallel; with --resume, runs of the same commit
and budget that are in the file are not repeated. bench/fetch must have built coreutils. Exit code: 1
if plain and merged exploration disagree where both are exhaustive: in errors, or if merged states have more paths.
"""
import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from common import DEPS, REJOIN, Results, bounded, in_parallel

# Multiplicities have any number of digits.
sys.set_int_max_str_digits(0)

TOOLS = DEPS / "bench/coreutils/src"
# How the input of a tool grows: {} is the size.
GROWING = {
    "link": "--sym-args 1 1 {}", "nice": "--sym-args 1 1 {}", "basename": "--sym-args 1 1 {}",
    "sleep": "--sym-args 1 1 {}", "seq": "--sym-args 1 1 {}", "expr": "--sym-args 1 1 {}",
    "paste": "--sym-stdin {}", "pr": "-t --sym-stdin {}", "cut": "-f 2 --sym-stdin {}", "tsort": "--sym-stdin {}",
    "join": "A B --sym-files 2 {}", "comm": "A B --sym-files 2 {}",
}
# With `--sym-args 0 2 4 --sym-stdin 8`, as in bench/coreutils.py.
BUDGET = ("echo cat basename dirname comm cut expand expr fold head join link nice paste pr seq sleep sort test tr "
          "tsort uniq wc").split()
SYMBOLIC = "--sym-args 0 2 4 --sym-stdin 8"
# Where paths can be counted: each gives a point of multiplicity and paths.
COUNTED = ["--sym-args 0 1 1 --sym-stdin 2", "--sym-args 0 1 2 --sym-stdin 2", "--sym-args 0 2 1 --sym-stdin 2"]
# Counting paths is tried so long.
COUNTING = 20
DRIVING = ["--search", "random-path", "--search", "coverage"]
MERGING = {"none": ["--merge", "none"], "ssm": ["--merge", "ssm"], "dsm": ["--merge", "dsm"]}
FITTED = {"seq": "--sym-args 1 1 2", "join": "A B --sym-files 2 2", "tsort": "--sym-stdin 3"}
FIELDS = ("part tool input mode status finished paths represented exact_paths log_m c1 c2 merges refused queries cpu explore_cpu "
          "lines lines_total errors").split()
TEXT = {"part", "tool", "input", "mode", "status", "errors", "commit", "date", "budget"}


def typed(row):
    """A row of a file as it was before it was written."""
    def value(text):
        if text in ("True", "False"):
            return text == "True"
        return "" if text == "" else int(text) if text.lstrip("-").isdigit() else float(text)

    return {key: text if key in TEXT else value(text) for key, text in row.items()}


def log_m(estimate):
    """The logarithm of the multiplicity that an estimate was made for."""
    return (math.log(estimate["paths"]) - estimate["c1"]) / estimate["c2"] if estimate["c2"] else 0.0


def line_through(points):
    """Least squares: c1 and c2 of log p = c1 + c2 log m; a single path has multiplicity 1."""
    points = [(0.0, 0.0), *points]
    x, y = (sum(p[i] for p in points) / len(points) for i in (0, 1))
    spread = sum((p[0] - x) ** 2 for p in points)
    c2 = sum((p[0] - x) * (p[1] - y) for p in points) / spread if spread else 1.0
    return y - c2 * x, c2


class Bench:
    def __init__(self, options):
        self.options, self.disagree = options, 0
        self.results = Results("-".join(["pldi", *options.parts]), f"{options.seconds:g}s", out=options.out,
                               resume=options.resume)
        self.there = {(r["part"], r["tool"], r["input"], r["mode"]): typed(r) for r in self.results.rows}

    def run(self, part, tool, arguments, mode, flags):
        """One run within the budget, as a row."""
        if (part, tool, arguments, mode) in self.there:
            return self.there[part, tool, arguments, mode]
        with tempfile.TemporaryDirectory(dir=self.options.work) as work:
            out = Path(work) / "out"
            command = [self.options.rejoin, "run", "--quiet", "--no-replay", "--seed", "1", "--max-memory", "6G", "--out", out,
                       *flags, TOOLS / f"{tool}.bc", *arguments.split()]
            seconds = min(self.options.seconds, COUNTING) if part == "budget-fit" else self.options.seconds
            code, said, finished = bounded(command, seconds)
            if not (out / "summary.json").is_file():
                sys.exit(f"{' '.join(map(str, command))}: exit {code}\n{said[1]}")
            s = json.loads((out / "summary.json").read_text())
        exact = s["path_estimate"] if "--exact-paths" in flags else None
        errors = sorted({f"{e['kind']} {Path(e['file']).name}:{e['line']}" for e in s["errors"]})
        row = dict(zip(FIELDS, (
            part, tool, arguments, mode, s["status"], finished, s["paths_completed"], s["paths_represented"],
            s["paths_represented"] if exact else "", round(log_m(exact), 3) if exact else "", round(exact["c1"], 3) if exact else "",
            round(exact["c2"], 3) if exact else "", s["merges"], s["merges_refused"], s["queries"],
            round(s["cpu_seconds"], 3), round(s["explore_cpu_seconds"], 3), s["coverage"]["lines_covered"],
            s["coverage"]["lines_total"], "; ".join(errors))))
        return self.results.add(row)

    def same_errors(self, rows):
        """Exhaustive runs of the same input find the same errors."""
        found = {r["errors"] for r in rows if r["status"] == "exhaustive"}
        if len(found) > 1:
            self.disagree += 1
            print(f"DISAGREE: {rows[0]['tool']} {rows[0]['input']}: " + " | ".join(sorted(found)))

    def sizes(self):
        print("exhaustive exploration, processor seconds (* over the budget):  none   ssm   dsm   speed-up of the better")
        tools = [tool for tool in GROWING if tool in (self.options.tools or GROWING)]
        in_parallel(self.options.jobs, [(tool,) for tool in tools], self.sizes_of)

    def sizes_of(self, tool):
        for size in self.options.sizes:
            arguments = GROWING[tool].format(size)
            rows = [self.run("sizes", tool, arguments, mode, flags) for mode, flags in MERGING.items()]
            self.same_errors(rows)
            done = [r["finished"] for r in rows]
            shown = [f"{r['explore_cpu']:8.3f}{' ' if d else '*'}" for r, d in zip(rows, done)]
            best = min((r["explore_cpu"] for r, d in zip(rows[1:], done[1:]) if d), default=None)
            ratio = f"{rows[0]['explore_cpu'] / best:.2f}" if best else "-"
            print(f"  {tool:9} {arguments:24} {' '.join(shown)}  {'' if done[0] else '>'}{ratio}"
                  f"  ({rows[0]['paths']} paths, {rows[1]['paths']} and {rows[2]['paths']} merged)", flush=True)
            if not any(done):
                break

    def budget(self):
        print(f"{self.options.seconds} s each: paths of none, of dsm (estimated); lines of the driving search, dsm, ssm")
        tools = self.options.tools or BUDGET
        better, covered = zip(*in_parallel(self.options.jobs, [(tool,) for tool in tools], self.budget_of))
        print(f"  more paths with dsm on {sum(better)} of {len(tools)} tools; lines of dsm, ssm against the driving search: "
              + ", ".join(f"{100 * sum(c[mode] for c in covered) / sum(c['none'] for c in covered) - 100:+.1f} %"
                          for mode in ("dsm", "ssm")))

    def budget_of(self, tool):
        """Whether dsm stands for more paths than none has, and the lines of each."""
        # The fit is made on smaller inputs, where paths can be counted.
        exact = [self.run("budget-fit", tool, counted, "dsm", [*MERGING["dsm"], "--exact-paths"]) for counted in COUNTED]
        points = [(r["log_m"], math.log(r["exact_paths"])) for r in exact if r["finished"] and r["exact_paths"]]
        none = self.run("budget", tool, SYMBOLIC, "none", [*MERGING["none"], *DRIVING])
        dsm = self.run("budget", tool, SYMBOLIC, "dsm", [*MERGING["dsm"], *DRIVING])
        ssm = self.run("budget", tool, SYMBOLIC, "ssm", MERGING["ssm"])
        paths, ratio = "", 0
        if none["status"] == dsm["status"] == "exhaustive":
            paths = "all"
        elif points and dsm["represented"] > 0:
            # In logarithms: multiplicities may be larger than a float. Each state that ended has a path.
            c1, c2 = line_through(points)
            log = max(c1 + c2 * math.log(dsm["represented"]), math.log(dsm["paths"])) / math.log(10)
            paths, ratio = f"1e{log:.1f}", log - math.log10(max(1, none["paths"]))
        print(f"  {tool:9} {none['paths']:>9} {paths:>9}   lines {none['lines']:>4} {dsm['lines']:>4} {ssm['lines']:>4}"
              f" of {none['lines_total']}", flush=True)
        return ratio > 0, {"none": none["lines"], "dsm": dsm["lines"], "ssm": ssm["lines"]}

    def fit(self):
        print("multiplicity against exact paths: log p = c1 + c2 log m")
        in_parallel(self.options.jobs, FITTED.items(), self.fit_of)

    def fit_of(self, tool, arguments):
        exact = self.run("fit", tool, arguments, "dsm", [*MERGING["dsm"], "--exact-paths"])
        none = self.run("fit", tool, arguments, "none", MERGING["none"])
        print(f"  {tool:9} {arguments:24} c1 {exact['c1']} c2 {exact['c2']}: {exact['exact_paths']} paths "
              f"({exact['status']}); none: {none['paths']} ({none['status']})", flush=True)
        # Plain exploration also has a path for each of a few pointers that a symbolic address chooses from.
        if exact["status"] == none["status"] == "exhaustive" and exact["exact_paths"] > none["paths"]:
            self.disagree += 1
            print(f"DISAGREE: {tool}: {exact['exact_paths']} paths are more than {none['paths']}")

    def qce(self):
        said = subprocess.run([self.options.rejoin, "qce", TOOLS / "sleep.bc"], capture_output=True, text=True, check=True).stdout
        part = re.search(r"^main \(.*?\n(.*?)(?:\n\n|\Z)", said, re.S | re.M)
        # In the loop over the arguments, the loop's counter is live.
        loop = [l for l in (part[1] if part else "").splitlines() if re.search(r" i\*?=", l)]
        lines = [l for l in loop if re.search(r"\bseconds\*?=", l)]
        hot = [l for l in lines if "seconds*=" in l]
        print(f"qce on sleep: seconds is live on {len(lines)} lines of the loop over the arguments, and hot on {len(hot)}")
        if not lines or hot:
            self.disagree += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="sizes, budget, fit, qce")
    parser.add_argument("--seconds", type=float, default=20, help="processor seconds of each run")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 3, 4], help="sizes of part sizes")
    parser.add_argument("--tools", type=str.split, help="of parts sizes and budget; `all`: all that were built")
    parser.add_argument("--jobs", type=int, default=2, help="tools at the same time")
    parser.add_argument("--resume", action="store_true", help="keep the rows of this commit that are in the file")
    parser.add_argument("--rejoin", type=Path, default=REJOIN)
    parser.add_argument("--work", type=Path, default=None, help="where temporary files go")
    parser.add_argument("--out", type=Path, default=None, help="the CSV file")
    options = parser.parse_args()
    if not (TOOLS / "sleep.bc").is_file():
        sys.exit(f"there is no {TOOLS}/sleep.bc: run bench/fetch coreutils first")
    if options.tools == ["all"]:
        options.tools = sorted(f.stem for f in TOOLS.glob("*.bc"))
    bench = Bench(options)
    try:
        for part in options.parts or ["sizes", "budget", "fit", "qce"]:
            {"sizes": bench.sizes, "budget": bench.budget, "fit": bench.fit, "qce": bench.qce}[part]()
    finally:
        bench.results.end()
    return 1 if bench.disagree else 0


if __name__ == "__main__":
    sys.exit(main())
