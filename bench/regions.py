#!/usr/bin/env python3
"""Merge regions: `--merge none`, `loops` and `pattern` (ESEC/FSE 2023).

    bench/regions.py [--seconds S] [--only 'TEXT...'] [--out FILE.csv] [PART...]

Parts, by default the first two:
  spans      growth with the capacity where loops merge: memspn with one character and with "ab", one span
             after another, blocks of symbolic size, rows of bytes
  others     what the modes cost where little or nothing merges
  libraries  the functions of bench/drivers and busybox applets, DFS, five modes (tables 3 and 5 to 7)
  capacities libosip2 at growing capacity (table 4)
  concrete   the libraries with inputs of fixed size
  search     the libraries with another search: random-path and coverage in turn

Time is processor time. A run that is over its budget is interrupted and counts with what it has. Raw figures go to
bench/results/regions-PART-*.csv; a part that was interrupted goes on where it was, with the same commit.
bench/fetch-libraries and `bench/fetch busybox` build what the last four parts need.
"""
import argparse
import concurrent.futures
import json
import sys
import tempfile
from pathlib import Path

import tables
from common import PROGRAMS, REJOIN, Results, bounded
from libraries import LIBRARIES, subjects

MODES = {
    "none": ["--merge", "none"],
    "loops": ["--merge", "loops"],
    "pattern": ["--merge", "pattern"],
    "no-procedure": ["--merge", "pattern", "--no-procedure"],
    "no-incremental": ["--merge", "pattern", "--no-incremental"],
}
# Of programs only: patterns are never given up.
KEPT = {"kept": ["--merge", "pattern", "--merge-worth", "1000000"]}
# Program, parameters for a capacity, capacities, modes.
SERIES = [
    ("memspn", "-DACC=1 -DM={}", [10, 50, 100, 200], ["none", "loops", "pattern"]),
    ("memspn", "-DACC=2 -DM={}", [10, 50, 100, 200], ["loops", "pattern"]),
    ("memspn", "-DACC=2 -DM={}", [10], ["none", "no-procedure", "no-incremental"]),
    ("spans", "-DKIND=TWICE -DM={}", [10, 50, 100, 200], ["loops", "pattern", "kept"]),
    ("spans", "-DKIND=EITHER -DM={}", [10, 50, 100, 200], ["loops", "pattern"]),
    ("spans", "-DKIND=EITHER -DM={}", [10], ["none", "no-incremental"]),
    ("spans", "-DKIND=HEAP -DM={}", [10, 50, 100], ["loops", "pattern"]),
    ("spans", "-DKIND=ROWS -DM={}", [5, 10, 15, 20], ["loops", "pattern", "kept"]),
]
# Where little or nothing merges.
OTHERS = [("json", "-DN=5"), ("expr", "-DN=5"), ("echo", "-DN=2 -DL=3"), ("tokens", "-DN=4"),
          ("options", "-DN=2 -DL=2"), ("strtol", "-DK=1 -DL=4"), ("checksum", "-DN=6")]
COUNTS = ["status", "paths_completed", "paths_represented", "merges", "pattern_merges", "merge_regions", "condition_nodes", "queries",
          "solver_calls", "quantified_queries", "fallbacks", "slowest_call_seconds", "explore_cpu_seconds",
          "memory_peak_bytes"]
DFS, DRIVING = [], ["--search", "random-path", "--search", "coverage"]


class Bench:
    def __init__(self, options):
        self.options = options

    def results(self, part):
        return Results(f"regions-{part}", f"{self.options.seconds:g}s", self.options.seed, self.options.out, resume=True)

    def run(self, program, flags):
        """One run within the budget: its figures as a part of a row."""
        with tempfile.TemporaryDirectory(prefix="rejoin-bench-") as scratch:
            out = Path(scratch) / "out"
            command = [REJOIN, "run", "--quiet", "--no-replay", "--max-memory", "4G", "--seed", str(self.options.seed),
                       "--out", out, *flags, *program]
            code, said, ended = bounded(command, self.options.seconds)
            if code == 70 or not (out / "summary.json").is_file():
                # A failure of the engine is a figure too, and must not end the other runs.
                print(f"FAILED: {' '.join(map(str, command))}: exit {code}\n{said[1]}", file=sys.stderr)
                return dict.fromkeys(["ended", *COUNTS, "lines", "errors", "ledger"], "") | {"status": "failed"}
            summary = json.loads((out / "summary.json").read_text())
            ledger = json.loads((out / "ledger.json").read_text())
        row = {"ended": ended} | {c: summary[c] for c in COUNTS}
        for column in ["explore_cpu_seconds", "slowest_call_seconds"]:
            row[column] = f"{row[column]:.3f}"
        row["lines"] = summary["coverage"]["lines_covered"]
        row["errors"] = "; ".join(sorted({f"{e['kind']} {Path(e['file']).name}:{e['line']}" for e in summary["errors"]}))
        # That a question was interrupted at the end of the budget is not worth a word.
        row["ledger"] = "; ".join(sorted({entry["kind"] for entry in ledger if entry["name"] != "interrupted"}))
        return row

    def all(self, part, wanted):
        """Runs what is not in the results yet, several at a time: each of `wanted` is (key columns, program, flags)."""
        results = self.results(part)
        key = lambda row, columns: tuple(str(row[c]) for c in columns)
        there = {key(row, wanted[0][0]) for row in results.rows} if wanted else set()

        def one(job):
            columns, program, flags = job
            row = results.add(columns | self.run(program, flags))
            print(" ".join(str(v) for v in columns.values()), row["status"], row["explore_cpu_seconds"], "s", flush=True)

        with concurrent.futures.ThreadPoolExecutor(self.options.processes) as pool:
            list(pool.map(one, [job for job in wanted if key(job[0], job[0]) not in there]))
        results.end()
        return results.rows

    def programs(self, part, series):
        """The parts `spans` and `others`."""
        wanted = [({"program": program, "params": params, "mode": mode},
                   [PROGRAMS / f"{program}.c"], ["--cflags", params, *(MODES | KEPT)[mode]])
                  for program, params, mode in series if any(text in program for text in self.options.only)]
        rows = self.all(part, wanted)
        columns = ["program", "params", "mode", "status", "paths_completed", "pattern_merges", "condition_nodes",
                   "explore_cpu_seconds", "slowest_call_seconds"]
        print(" | ".join(columns))
        for row in rows:
            print(" | ".join(str(row[c]) for c in columns))

    def spans(self):
        self.programs("spans", [(program, params.format(capacity), mode) for program, params, capacities, modes in SERIES
                                for capacity in capacities for mode in modes])

    def others(self):
        self.programs("others", [(program, params, mode) for program, params in OTHERS
                                 for mode in ["none", "loops", "pattern"]])

    def drivers(self, part, libraries, modes, capacities=None, fixed=False, search=DFS):
        """Subjects of libraries in some modes, as rows."""
        chosen = subjects([l for l in libraries if l in (self.options.libraries or LIBRARIES)], self.options.only)
        chosen = chosen[::self.options.every]
        wanted = [({"library": s.library, "subject": s.name, "capacity": capacity, "mode": mode},
                   s.command(capacity, fixed), ["--capacity", str(capacity), *search, *MODES[mode]])
                  for s in chosen for capacity in capacities or [LIBRARIES[s.library].capacity] for mode in modes if mode in self.options.modes]
        return self.all(part, wanted)

    def libraries(self):
        rows = self.drivers("libraries", LIBRARIES, MODES)
        tables.subjects(rows)
        tables.compare(rows, "pattern", "loops", {name: library.paper for name, library in LIBRARIES.items()})
        tables.compare(rows, "pattern", "none")
        tables.compare(rows, "loops", "none")
        tables.compare(rows, "pattern", "no-procedure")
        tables.compare(rows, "pattern", "no-incremental")
        tables.losers(rows)

    def capacities(self):
        capacities = [10, 20, 50, 100, 200]
        rows = self.drivers("capacities", ["libosip2"], ["loops", "pattern"], capacities)
        for capacity in capacities:
            print(f"capacity {capacity}")
            tables.compare([r for r in rows if int(r["capacity"]) == capacity], "pattern", "loops")

    def concrete(self):
        # Arguments and files of applets have a fixed size anyway.
        rows = self.drivers("concrete", [l for l in LIBRARIES if l != "busybox"], ["none", "loops", "pattern"], fixed=True)
        tables.subjects(rows)
        tables.compare(rows, "pattern", "loops")

    def search(self):
        rows = self.drivers("search", LIBRARIES, ["none", "loops", "pattern"], search=DRIVING)
        tables.subjects(rows)
        tables.compare(rows, "pattern", "loops")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="spans, others, libraries, capacities, concrete, search")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60, help="processor seconds of each run")
    parser.add_argument("--only", type=str.split, default=[""], help="only programs, or LIBRARY/SUBJECT, whose name has one of these in it")
    parser.add_argument("--libraries", type=str.split, help="only subjects of these libraries")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th subject of the libraries")
    parser.add_argument("--modes", type=str.split, default=list(MODES), help="only these modes")
    parser.add_argument("--processes", type=int, default=2, help="runs at the same time")
    parser.add_argument("--out", type=Path, help="where raw figures go, for one part")
    options = parser.parse_args()
    bench = Bench(options)
    parts = {p.__name__: p for p in [bench.spans, bench.others, bench.libraries, bench.capacities, bench.concrete, bench.search]}
    for part in options.parts or ["spans", "others"]:
        if part not in parts:
            sys.exit(f"no part {part}; known: {', '.join(parts)}")
        parts[part]()


if __name__ == "__main__":
    main()
