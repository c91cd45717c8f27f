#!/usr/bin/env python3
"""Merging against plain symbolic execution: query count estimation, static and dynamic merging.

Everything is compared within one run of this script; compare ratios, not seconds. The raw figures go
to bench/results/ as CSV with the commit, the seed and the limit. `--short` leaves out the long runs,
`--only NAME` all experiments but one.
"""
import argparse
import math
import sys
import tempfile

from common import PROGRAMS as SOURCES, Results, rejoin

# A size where plain execution ends in seconds, and a larger one.
PROGRAMS = [
    ("echo", "-DN=3 -DL=8", "-DN=4 -DL=16"),
    ("json", "-DN=4", "-DN=5"),
    ("expr", "-DN=4", "-DN=5"),
    ("bubble", "-DN=4", "-DN=6"),
    ("memspn", "-DM=10 -DACC=2", "-DM=20 -DACC=2"),
    ("strtol", "-DK=2 -DL=4", "-DK=3 -DL=4"),
    ("tokens", "-DN=4", "-DN=6"),
    ("checksum", "-DN=4", "-DN=8"),
    ("options", "-DN=2 -DL=3", "-DN=3 -DL=3"),
]
SIMILARITIES = ["always", "live", "qce", "qce-full"]
ALPHAS = ["0", "1e-20", "1e-15", "1e-12", "1e-9", "1e-6", "1e-3", "0.01", "0.1", "0.3", "1", "inf"]
# Depth first never has two states close to each other: nothing is fast-forwarded.
DRIVERS = ["random-state", "random-path", "coverage"]
COUNTS = ["paths_completed", "paths_represented", "states_max", "instructions", "queries", "solver_calls", "merges",
          "merges_refused", "ites_introduced", "splits", "fast_forwards", "fast_forwards_merged",
          "merges_beyond_hash"]


class Bench:
    """Runs, remembers what was run, and prints."""

    def __init__(self, args, scratch):
        self.args, self.scratch, self.known = args, scratch, {}
        name = f"merging-{args.only}" if args.only else "merging"
        self.results = Results(name, args.max_time, args.seed)

    def run(self, experiment, program, params, *flags):
        """One run; the same command is not run again."""
        key = (program, params, flags)
        if key not in self.known:
            self.known[key] = rejoin(SOURCES / f"{program}.c", params, flags, self.args.seed, self.args.max_time, self.scratch)
        s = self.known[key]
        self.results.add({
            "experiment": experiment, "program": program, "params": params, "flags": " ".join(flags),
            "status": s["status"], **{c: s[c] for c in COUNTS}, "explore_cpu_s": f"{s['explore_cpu_seconds']:.4f}",
        })
        return s

    def against(self, experiment, program, params, *flags):
        """One run beside plain execution."""
        none = self.run(experiment, program, params, "--merge", "none")
        s = self.run(experiment, program, params, *flags)
        least = "" if none["status"] == "exhaustive" else "at least "
        fewer = none["instructions"] / max(s["instructions"], 1)
        faster = seconds(none) / seconds(s)
        end = "" if s["status"] == "exhaustive" else " (did not end)"
        print(f"  {program} {params} {' '.join(flags)}: {least}{fewer:.1f} times fewer instructions, "
              f"{least}{faster:.2f} times faster, {s['states_max']} states{end}", flush=True)
        return s


def seconds(s):
    """Less than a millisecond says nothing."""
    return max(s["explore_cpu_seconds"], 0.001)


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def echo(bench, short):
    print("echo, growing:")
    for n in (1, 2) if short else (1, 2, 3, 4):
        for mode in ("ssm", "dsm"):
            bench.against("echo", "echo", f"-DN={n} -DL=16", "--merge", mode)
    for mode in ("ssm", "dsm"):
        s = bench.run("echo", "echo", "-DN=6 -DL=16", "--merge", mode)
        print(f"  echo -DN=6 -DL=16 {mode}: {s['status']} in {s['explore_cpu_seconds']:.2f} s, {s['states_max']} states")


def similarities(bench, short):
    print("all modes and similarities:")
    lost = []
    for program, small, large in PROGRAMS:
        for mode in ("ssm", "dsm"):
            for similar in ["qce"] if short else SIMILARITIES:
                params = small if short else large
                flags = ["--merge", mode, "--similar", similar]
                s = bench.against("similarity", program, params, *flags)
                none = bench.run("similarity", program, params, "--merge", "none")
                if seconds(s) > 1.1 * seconds(none) or s["status"] != "exhaustive" == none["status"]:
                    lost.append(f"{program} {params} {' '.join(flags)}")
    print("slower than plain execution: " + ("; ".join(lost) or "nowhere"))


def exact(bench, short):
    print("paths, counted exactly in merged states:")
    wrong = 0
    for program, small, _ in PROGRAMS:
        none = bench.run("exact", program, small, "--merge", "none")
        for mode in ["ssm"] if short else ["ssm", "dsm"]:
            s = bench.run("exact", program, small, "--merge", mode, "--exact-paths")
            both_end = none["status"] == s["status"] == "exhaustive"
            equal = none["paths_completed"] == int(s["paths_represented"])
            wrong += both_end and not equal
            print(f"  {program} {small} {mode}: {s['paths_represented']}, unmerged {none['paths_completed']}: "
                  f"{'equal' if equal else 'DIFFERENT' if both_end else 'one of them did not end'}", flush=True)
    return wrong


def alphas(bench, short):
    print("alpha, seconds (figure 7 of PLDI'12):")
    for program, small, large in [p for p in PROGRAMS if p[0] in ("expr", "strtol", "tokens", "options")]:
        params = small if short else large
        cells = [bench.run("alpha", program, params, "--merge", "ssm", "--alpha", a) for a in ALPHAS]
        shown = [f"{a}: {seconds(s):.3f}{'' if s['status'] == 'exhaustive' else '+'}" for a, s in zip(ALPHAS, cells)]
        print(f"  {program} {params}: " + ", ".join(shown), flush=True)


def forwarding(bench, short):
    print("fast-forwarding, and dynamic against static merging:")
    started = merged = 0
    slower, more = [], []
    for program, small, large in PROGRAMS:
        params = small if short else large
        ssm = bench.run("forwarding", program, params, "--merge", "ssm")
        for driver in DRIVERS:
            s = bench.run("forwarding", program, params, "--merge", "dsm", "--search", driver)
            started += s["fast_forwards"]
            merged += s["fast_forwards_merged"]
            if s["status"] == ssm["status"] == "exhaustive":
                slower.append(seconds(s) / seconds(ssm))
                more.append(s["instructions"] / ssm["instructions"])
            print(f"  {program} {params} {driver}: {s['fast_forwards_merged']} of {s['fast_forwards']} merged, "
                  f"{seconds(s) / seconds(ssm):.2f} times the time of ssm", flush=True)
        s = bench.run("forwarding", program, params, "--merge", "dsm")
        slower_default = seconds(s) / seconds(ssm)
        print(f"  {program} {params} default driver: {slower_default:.2f} times the time of ssm", flush=True)
    print(f"{merged} of {started} fast-forwarded states merged: {100 * merged / max(started, 1):.0f} %")
    print(f"dsm with other drivers: {mean(slower):.2f} times the time and {mean(more):.2f} times the instructions of "
          f"ssm (geometric mean of {len(slower)} exhaustive runs)")


EXPERIMENTS = {"echo": echo, "similarity": similarities, "exact": exact, "alpha": alphas, "forwarding": forwarding}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-time", default="60s")
    parser.add_argument("--only", choices=EXPERIMENTS, help="only this experiment")
    parser.add_argument("--short", action="store_true", help="small sizes and few combinations")
    args = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="rejoin-bench-") as scratch:
        bench = Bench(args, scratch)
        try:
            for name, experiment in EXPERIMENTS.items():
                if args.only in (None, name):
                    wrong += experiment(bench, args.short) or 0
        finally:
            bench.results.end()
    sys.exit(f"{wrong} counts of paths differ" if wrong else 0)


if __name__ == "__main__":
    main()
