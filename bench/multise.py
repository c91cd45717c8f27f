#!/usr/bin/env python3
"""The table of MultiSE (ESEC/FSE 2015) with our numbers, and the same programs under every way to merge.

The programs of bench/programs/multise are ours, after the paper's. The paper's columns are ratios of its own
tool on its own programs in JavaScript: compare kinds, not numbers. The raw figures go to bench/results/.
"""
import argparse
import pathlib
import statistics
import tempfile

from common import PROGRAMS, REJOIN, Results, rejoin

# Program, its size, and the paper's table 1: DSE/MultiSE for time, operations, solver time, time per solver call;
# merges that conventional merging does exactly, in percent.
TABLE = [
    ("find_max", 10, (10.0, 28.7, 9.9, 0.8, 100)),
    ("kadane", 7, (2.7, 6.9, 2.6, 0.9, 100)),
    ("array_index", 13, (3.7, 3.3, 3.9, 0.9, 100)),
    ("calc_parser", 5, (1.6, 2.8, 1.6, 1.0, 100)),
    ("stack", 6, (26.2, 9.1, 29.2, 1.2, 58)),
    ("queue", 14, (6.7, 4.2, 7.2, 1.1, 100)),
    ("heap_sort", 5, (2.5, 8.5, 2.5, 1.0, 100)),
    ("quick_sort", 5, (2.6, 3.7, 2.7, 3.0, 100)),
    ("pl0_parser", 4, (1.3, 2.7, 1.2, 0.9, 100)),
    ("linked_list", 5, (11.1, 5.1, 11.6, 0.9, 43)),
    ("priority_queue", 5, (87.7, 47.5, 94.5, 1.3, 90)),
    ("search_tree", 5, (7.3, 5.6, 7.4, 0.9, 22)),
    ("symbolic_arithmetic", 5, (49.3, 34.0, 51.4, 40.4, 72)),
    ("bdd", 3, (7.5, 5.4, 29.6, 24.3, 41)),
    ("red_black", 4, (6.5, 8.8, 7.1, 0.7, 42)),
]
MODES = {
    "summaries": ["--merge", "summaries"],
    "dse": ["--merge", "summaries", "--no-coalesce"],
    "none": ["--merge", "none"],
    "ssm": ["--merge", "ssm"],
    "dsm": ["--merge", "dsm"],
    "loops": ["--merge", "loops"],
    "pattern": ["--merge", "pattern"],
}


def run(args, program, n, mode, scratch):
    """The fastest of some runs. Shares are of the wall clock, which others disturb: the median of all runs."""
    rows = [once(args, program, n, mode, scratch)]
    while len(rows) < args.repeat and rows[0]["status"] == "exhaustive":
        rows.append(once(args, program, n, mode, scratch))
    rows.sort(key=cpu)
    shares = {k: statistics.median(r[k] for r in rows) for k in ("guard_share", "solver_share")}
    return rows[0] | shares


def once(args, program, n, mode, scratch):
    s = rejoin(PROGRAMS / "multise" / f"{program}.c", f"-DN={n}", ["--libc", "none", *MODES[mode]], args.seed,
               args.max_time, scratch, args.rejoin)
    v = s.get("value_summaries") or {}
    return {
        "program": program, "n": n, "mode": mode, "status": s["status"], "states": s["paths_completed"],
        "explore_cpu_s": round(s["explore_cpu_seconds"], 4), "solver_s": round(s["solver_seconds"], 4),
        "solver_calls": s["solver_calls"], "operations": v.get("operations", s["instructions"]),
        "guard_share": round(v.get("guard_share", 0), 4), "solver_share": round(v.get("solver_share", 0), 4),
        "size": round(v.get("size", 1), 2), "sharing": f"{v.get('sharing', 1):.3g}", "merges": s["merges"],
        "merges_beyond_terms": v.get("merges_beyond_terms", 0), "peak_mb": s["memory_peak_bytes"] >> 20,
    }


def ratio(dse, multi, part):
    """DSE over MultiSE; with `>` if DSE was cut off, `<` if MultiSE was, nothing if both were."""
    a, b = part(dse), part(multi)
    cut = {("exhaustive", "exhaustive"): "", ("incomplete", "exhaustive"): ">", ("exhaustive", "incomplete"): "<"}
    sign = cut.get((dse["status"], multi["status"]))
    return "-" if sign is None or not a or not b else f"{sign}{a / b:.2g}"


def per_call(row):
    return row["solver_s"] / row["solver_calls"] if row["solver_calls"] else 0


def tables(rows):
    of = {(r["program"], r["mode"]): r for r in rows}
    print("\n| program | N | time s | guards % | solver % | size | sharing | time | ops | solver | per call | by terms % "
          "| merges | MB |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    shares = []
    for program, n, paper in TABLE:
        m, d = of.get((program, "summaries")), of.get((program, "dse"))
        if not m or not d:
            continue
        shares.append(m["guard_share"])
        parts = [lambda r: r["explore_cpu_s"], lambda r: r["operations"], lambda r: r["solver_s"], per_call]
        ratios = [f"{ratio(d, m, part)} ({theirs})" for part, theirs in zip(parts, paper)]
        exact = 100 - 100 * m["merges_beyond_terms"] // max(1, m["merges"])
        time = f"{m['explore_cpu_s']:.3f}" + ("" if m["status"] == "exhaustive" else " (cut off)")
        print(f"| {program} | {n} | {time} | {100 * m['guard_share']:.1f} | {100 * m['solver_share']:.1f} | {m['size']} "
              f"| {m['sharing']} | {' | '.join(ratios)} | {exact} ({paper[4]}) | {m['merges']} | {m['peak_mb']} |")
    if shares:
        print(f"\nguards: {100 * sum(shares) / len(shares):.1f} % of the time on average")
    baseline(of)
    modes = [mode for mode in MODES if any(r["mode"] == mode for r in rows)]
    print("\n| program | N | " + " | ".join(modes) + " |\n|---|---|" + "---|" * len(modes))
    for program, n, _ in TABLE:
        mine = [of.get((program, mode)) for mode in modes]
        if None in mine:
            continue
        done = [r["explore_cpu_s"] for r in mine if r["status"] == "exhaustive"]
        best = min(done) if done else None
        show = lambda r: ("cut off" if r["status"] != "exhaustive" else
                          f"**{r['explore_cpu_s']:.3f}**" if r["explore_cpu_s"] == best else f"{r['explore_cpu_s']:.3f}")
        print(f"| {program} | {n} | " + " | ".join(map(show, mine)) + " |")


def baseline(of):
    """What the machine of value summaries costs where nothing merges: at most 1.5 times plain execution."""
    pairs = [(program, of.get((program, "dse")), of.get((program, "none"))) for program, _, _ in TABLE]
    pairs = [(program, d, p) for program, d, p in pairs if d and p and ratio(d, p, cpu) != "-"]
    if not pairs:
        return
    print("\n| program | N | --no-coalesce s | none s | ratio |\n|---|---|---|---|---|")
    for program, d, p in pairs:
        print(f"| {program} | {d['n']} | {cpu(d):.3f} | {cpu(p):.3f} | {ratio(d, p, cpu)} |")
    whole = [cpu(d) / cpu(p) for _, d, p in pairs if d["status"] == p["status"] == "exhaustive"]
    over = sum(r > 1.5 for r in whole)
    print(f"\nbaseline: at most {max(whole, default=0):.2f} times plain execution, {over} programs above 1.5")


def cpu(row):
    return row["explore_cpu_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rejoin", type=pathlib.Path, default=REJOIN)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-time", default="30s", help="limit of one run")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each program in each mode")
    parser.add_argument("--only", help="only programs whose name contains this")
    parser.add_argument("--modes", default=",".join(MODES), help="which modes")
    parser.add_argument("--more", type=int, default=0, help="add this to every program's size")
    args = parser.parse_args()
    results = Results("multise", args.max_time, args.seed)
    with tempfile.TemporaryDirectory(prefix="rejoin-multise-") as scratch:
        for program, n, _ in TABLE:
            if args.only and args.only not in program:
                continue
            for mode in args.modes.split(","):
                r = results.add(run(args, program, n + args.more, mode, scratch))
                print(f"{program} N={r['n']} {mode}: {r['status']}, {r['states']} states, {r['explore_cpu_s']} s, "
                      f"{r['solver_calls']} solver calls", flush=True)
    tables(results.rows)
    results.end()


if __name__ == "__main__":
    main()
