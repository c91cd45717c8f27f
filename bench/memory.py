#!/usr/bin/env python3
"""Memory per waiting state: one program explored with many states waiting, and with few.

Both runs make the same tests and, nearly, the same terms; what the first has more at its peak are the
states that wait: (peak with many - peak with few) / (states with many - states with few).
"""
import argparse
import tempfile

from common import PROGRAMS, Results, rejoin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="json")
    parser.add_argument("--params", default="-DN=6")
    parser.add_argument("--many", default="random-path", help="the search that makes states wait")
    parser.add_argument("--few", default="dfs", help="the search that does not")
    parser.add_argument("--max-time", default="120s")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    results = Results("memory", args.max_time, args.seed)
    rows = []
    with tempfile.TemporaryDirectory(prefix="rejoin-bench-") as scratch:
        for search in (args.many, args.few):
            summary = rejoin(PROGRAMS / f"{args.program}.c", args.params, ["--search", search], args.seed,
                             args.max_time, scratch)
            rows.append(results.add({
                "program": args.program, "params": args.params, "search": search, "status": summary["status"],
                "paths": summary["paths_completed"], "states_max": summary["states_max"],
                "peak_bytes": summary["memory_peak_bytes"],
                "explore_cpu_s": f"{summary['explore_cpu_seconds']:.3f}",
            }))
            print(" | ".join(f"{k} {v}" for k, v in rows[-1].items()), flush=True)
    many, few = rows
    states = many["states_max"] - few["states_max"]
    if states <= 0:
        print("no more states than with few")
    else:
        print(f"{(many['peak_bytes'] - few['peak_bytes']) / states:.0f} bytes per waiting state")
    results.end()


if __name__ == "__main__":
    main()
