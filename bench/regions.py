#!/usr/bin/env python3
"""Merge regions: `--merge none`, `loops` and `pattern` on programs of bench/programs.

Two questions: how the path condition and the time grow with the capacity where loops merge, and what
the modes cost where nothing does. Raw figures go to bench/results/regions-*.csv with the commit, the
seed and the limit; times are processor time.
"""
import argparse
import tempfile

from common import PROGRAMS, Results, rejoin

MODES = {
    "none": ["--merge", "none"],
    "loops": ["--merge", "loops"],
    "pattern": ["--merge", "pattern"],
    "no-procedure": ["--merge", "pattern", "--no-procedure"],
    "no-incremental": ["--merge", "pattern", "--no-incremental"],
}
# Program, parameters for a capacity, capacities, modes.
SERIES = [
    ("memspn", "-DACC=1 -DM={}", [10, 50, 100, 200], ["none", "loops", "pattern"]),
    ("memspn", "-DACC=2 -DM={}", [10, 50, 100, 200], ["loops", "pattern"]),
    ("memspn", "-DACC=2 -DM={}", [10], ["none", "no-procedure", "no-incremental"]),
    ("spans", "-DKIND=TWICE -DM={}", [10, 50, 100, 200], ["loops", "pattern"]),
    ("spans", "-DKIND=EITHER -DM={}", [10, 50, 100, 200], ["loops", "pattern"]),
    ("spans", "-DKIND=EITHER -DM={}", [10], ["none", "no-incremental"]),
    ("spans", "-DKIND=HEAP -DM={}", [10, 50, 100], ["loops", "pattern"]),
]
# Where little or nothing merges.
OTHERS = [("json", "-DN=5"), ("expr", "-DN=5"), ("echo", "-DN=2 -DL=3"), ("tokens", "-DN=4"),
          ("options", "-DN=2 -DL=2"), ("strtol", "-DK=1 -DL=4"), ("checksum", "-DN=6")]
COLUMNS = ["status", "paths_completed", "merges", "pattern_merges", "merge_regions", "condition_nodes", "queries",
           "solver_calls", "fallbacks", "slowest_call_seconds", "explore_cpu_seconds", "memory_peak_bytes"]
SHOWN = ["program", "params", "mode", "status", "paths_completed", "pattern_merges", "condition_nodes",
         "explore_cpu_seconds", "slowest_call_seconds"]


def subjects():
    for program, params, capacities, modes in SERIES:
        for capacity in capacities:
            for mode in modes:
                yield program, params.format(capacity), mode
    for program, params in OTHERS:
        for mode in ["none", "loops", "pattern"]:
            yield program, params, mode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-time", default="60s")
    parser.add_argument("--only", help="only programs whose name contains this")
    args = parser.parse_args()
    results = Results("regions", args.max_time, args.seed)
    print(" | ".join(SHOWN))
    with tempfile.TemporaryDirectory(prefix="rejoin-bench-") as scratch:
        for program, params, mode in subjects():
            if args.only and args.only not in program:
                continue
            summary = rejoin(PROGRAMS / f"{program}.c", params, MODES[mode], args.seed, args.max_time, scratch)
            row = {"program": program, "params": params, "mode": mode, **{c: summary[c] for c in COLUMNS}}
            for column in ["explore_cpu_seconds", "slowest_call_seconds"]:
                row[column] = f"{row[column]:.3f}"
            results.add(row)
            print(" | ".join(str(row[c]) for c in SHOWN), flush=True)
    results.end()


if __name__ == "__main__":
    main()
