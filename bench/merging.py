#!/usr/bin/env python3
"""Merging against plain symbolic execution: query count estimation, static and dynamic merging.

Everything is compared within one run of this script; compare ratios, not seconds. The tables are for
docs/benchmarks.md; the raw figures go to bench/results/. `--short` takes small sizes, `--only NAME` leaves
out all experiments but one. Exit code: 1 if an exact path count is not that of plain execution.
"""
import argparse
import math
import sys
import tempfile

from common import PROGRAMS as SOURCES, Results, rejoin

# A size where plain execution ends in a moment, and a larger one.
PROGRAMS = [
    ("echo", "-DN=3 -DL=8", "-DN=4 -DL=8"),
    ("json", "-DN=4", "-DN=5"),
    ("expr", "-DN=4", "-DN=5"),
    ("bubble", "-DN=4", "-DN=6"),
    ("memspn", "-DM=10 -DACC=2", "-DM=12 -DACC=2"),
    ("strtol", "-DK=2 -DL=4", "-DK=3 -DL=4"),
    ("tokens", "-DN=4", "-DN=6"),
    ("checksum", "-DN=4", "-DN=8"),
    ("options", "-DN=2 -DL=3", "-DN=3 -DL=3"),
]
SIMILARITIES = ["always", "live", "qce", "qce-full"]
SWEPT = ["expr", "strtol", "tokens", "options"]
ALPHAS = ["0", "1e-20", "1e-16", "1e-12", "1e-8", "1e-4", "1e-3", "0.01", "0.1", "1", "inf"]
# Depth first never has two states close to each other: nothing is fast-forwarded.
DRIVERS = ["random-state", "random-path", "coverage"]
SEEDS = [1, 2, 3, 4, 5]
COUNTS = ["paths_completed", "paths_represented", "states_max", "instructions", "queries", "solver_calls", "merges",
          "merges_refused", "ites_introduced", "splits", "fast_forwards", "fast_forwards_merged",
          "merges_beyond_hash"]


class Bench:
    """Runs, remembers what was run, and prints."""

    def __init__(self, args, scratch):
        self.args, self.scratch, self.known = args, scratch, {}
        name = f"merging-{args.only}" if args.only else "merging"
        self.results = Results(name, args.max_time, args.seed)

    def run(self, experiment, program, params, *flags, seed=None, times=1):
        """One run, or the fastest of several; the same is not done again."""
        seed = seed or self.args.seed
        key = (program, params, flags, seed, times)
        if key not in self.known:
            source = SOURCES / f"{program}.c"
            runs = [rejoin(source, params, flags, seed, self.args.max_time, self.scratch) for _ in range(times)]
            self.known[key] = min(runs, key=lambda s: s["explore_cpu_seconds"])
        s = self.known[key]
        self.results.add({
            "experiment": experiment, "program": program, "params": params, "flags": " ".join(flags),
            "status": s["status"], **{c: s[c] for c in COUNTS}, "explore_cpu_s": f"{s['explore_cpu_seconds']:.4f}",
            "seed": seed,
        })
        return s


def seconds(s):
    """Less than a millisecond says nothing."""
    return max(s["explore_cpu_seconds"], 0.001)


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def shown(s):
    """Seconds, with a star if the run did not end."""
    return f"{seconds(s):.3f}{'' if s['status'] == 'exhaustive' else ' *'}"


def table(*columns):
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns), flush=True)


def line(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def echo(bench, short):
    print("\necho, L=16: instructions, seconds, most states waiting")
    table("N", "paths", "none", "ssm", "dsm", "fewer instructions", "less time")
    for n in (1, 2, 3, 4, 6):
        params = f"-DN={n} -DL=16"
        merged = [bench.run("echo", "echo", params, "--merge", mode) for mode in ("ssm", "dsm")]
        cells = [f"{s['instructions']}, {shown(s)}, {s['states_max']}" for s in merged]
        if n == 6:
            line(n, "", "", *cells, "", "")
            continue
        none = bench.run("echo", "echo", params, "--merge", "none")
        fewer = min(none["instructions"] / s["instructions"] for s in merged)
        faster = min(seconds(none) / seconds(s) for s in merged)
        line(n, none["paths_completed"], f"{none['instructions']}, {shown(none)}, {none['states_max']}", *cells,
             f"{fewer:.0f}", f"{faster:.0f}")


def similarities(bench, short):
    print("\nall similarities, seconds (* did not end)")
    modes = [(mode, similar) for mode in ("ssm", "dsm") for similar in (["qce"] if short else SIMILARITIES)]
    table("program", "parameters", "paths", "none", *(f"{m} {s}" for m, s in modes))
    lost = []
    for program, small, large in PROGRAMS:
        params = small if short else large
        none = bench.run("similarity", program, params, "--merge", "none")
        cells = []
        for mode, similar in modes:
            s = bench.run("similarity", program, params, "--merge", mode, "--similar", similar)
            cells.append(shown(s))
            if seconds(s) > 1.1 * seconds(none) or s["status"] != "exhaustive" == none["status"]:
                lost.append(f"{program} {mode} {similar}")
        line(program, f"`{params}`", none["paths_completed"], shown(none), *cells)
    print("slower than plain execution: " + ("; ".join(lost) or "nowhere"))


def exact(bench, short):
    print("\npaths, counted exactly in merged states, and of plain execution")
    table("program", "parameters", "none", "ssm", "dsm")
    wrong = 0
    for program, small, _ in PROGRAMS:
        none = bench.run("exact", program, small, "--merge", "none")
        cells = []
        for mode in ("ssm", "dsm"):
            s = bench.run("exact", program, small, "--merge", mode, "--exact-paths")
            both_end = none["status"] == s["status"] == "exhaustive"
            equal = none["paths_completed"] == int(s["paths_represented"])
            wrong += both_end and not equal
            cells.append(f"{s['paths_represented']}{'' if equal else ' DIFFERENT' if both_end else ' (did not end)'}")
        line(program, f"`{small}`", none["paths_completed"], *cells)
    return wrong


def alphas(bench, short):
    print("\nalpha, SSM, seconds (figure 7 of PLDI'12); beta 0.5 and the paper's 0.8")
    table("program", "beta", *ALPHAS)
    for program, small, large in [p for p in PROGRAMS if p[0] in SWEPT]:
        params = small if short else large
        for beta in ("0.5", "0.8"):
            cells = [bench.run("alpha", program, params, "--merge", "ssm", "--alpha", a, "--beta", beta) for a in ALPHAS]
            line(f"{program} `{params}`", beta, *map(shown, cells))


def forwarding(bench, short):
    print(f"\nfast-forwarded states that merge, over {len(SEEDS)} seeds")
    table("program", *DRIVERS)
    started = merged = 0
    for program, small, large in PROGRAMS:
        cells = []
        for driver in DRIVERS:
            runs = [bench.run("forwarding", program, small if short else large, "--merge", "dsm", "--search", driver, seed=seed)
                    for seed in SEEDS]
            begun, met = (sum(s[c] for s in runs) for c in ("fast_forwards", "fast_forwards_merged"))
            started, merged = started + begun, merged + met
            cells.append(f"{met} of {begun}")
        line(program, *cells)
    print(f"{merged} of {started} fast-forwarded states merged: {100 * merged / max(started, 1):.1f} %")


def dynamic(bench, short):
    print("\nexhaustive runs: seconds of SSM, and of DSM over its default search and others, as a ratio; fastest of 3")
    table("program", "parameters", "ssm", "dsm", *DRIVERS)
    ratios = {driver: [] for driver in [None, *DRIVERS]}
    for program, small, large in PROGRAMS:
        params = small if short else large
        ssm = bench.run("dynamic", program, params, "--merge", "ssm", times=3)
        cells = []
        for driver, known in ratios.items():
            search = ["--search", driver] if driver else []
            s = bench.run("dynamic", program, params, "--merge", "dsm", *search, times=3)
            ended = s["status"] == ssm["status"] == "exhaustive"
            known.extend([seconds(s) / seconds(ssm)] if ended else [])
            cells.append(f"{seconds(s) / seconds(ssm):.2f}" if ended else "did not end")
        line(program, f"`{params}`", shown(ssm), *cells)
    line("geometric mean", "", "", *(f"{mean(known):.2f}" for known in ratios.values()))


EXPERIMENTS = {"echo": echo, "similarity": similarities, "exact": exact, "alpha": alphas, "forwarding": forwarding,
               "dynamic": dynamic}


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
