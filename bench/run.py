#!/usr/bin/env python3
"""The benchmark tables: Rejoin on the programs of bench/programs, beside KLEE's figures.

KLEE's figures (bench/klee/klee-baseline.csv) were taken once on a machine like the one this was
written on; ours are taken now. Compare ratios, not seconds: machines are noisy. The raw figures go
to bench/results/ as CSV with the commit, the seed and the limits.
"""
import argparse
import csv
import pathlib
import resource
import subprocess
import tempfile

from common import PROGRAMS, ROOT, Results, rejoin


def native(program, params, scratch):
    """Processor seconds of the program itself, compiled at -O0 with a harness of empty functions."""
    stub = pathlib.Path(scratch) / "stub.c"
    stub.write_text("void klee_report_error(){__builtin_trap();} void klee_print_expr(){}\n")
    exe = pathlib.Path(scratch) / f"native-{program}"
    subprocess.run(["clang-22", "-w", "-O0", f"-I{ROOT}/runtime/include", *params.split(),
                    PROGRAMS / f"{program}.c", stub, "-o", exe], check=True)
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([exe])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def row(base, summary, flags, seconds=None):
    klee = float(base["cpu_s"])
    ours = summary["explore_cpu_seconds"]
    return {
        "program": base["program"], "params": base["params"], "flags": " ".join(flags),
        "status": summary["status"], "paths": summary["paths_completed"],
        "instructions": summary["instructions"], "queries": summary["queries"],
        "solver_calls": summary["solver_calls"], "explore_cpu_s": f"{ours:.3f}",
        "cpu_s": f"{summary['cpu_seconds']:.3f}", "peak_mb": summary["memory_peak_bytes"] >> 20,
        "states_max": summary["states_max"], "klee_paths": base["paths"], "klee_finished": base["finished"],
        "klee_cpu_s": base["cpu_s"], "ratio": f"{klee / ours:.1f}" if ours > 0 else "",
        "native_s": "" if seconds is None else f"{seconds:.4f}",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-time", default="60s")
    parser.add_argument("--flags", default="", help="more flags for rejoin run")
    parser.add_argument("--only", help="only programs whose name contains this")
    args = parser.parse_args()
    flags = args.flags.split()
    with open(ROOT / "bench" / "klee" / "klee-baseline.csv") as f:
        baseline = [b for b in csv.DictReader(f) if b["opt"] == "-O0"]
    if args.only:
        baseline = [b for b in baseline if args.only in b["program"]]
    results = Results("run", args.max_time, args.seed)
    columns = ["program", "params", "paths", "klee_paths", "explore_cpu_s", "klee_cpu_s", "ratio", "solver_calls", "queries"]
    print(" | ".join(columns))
    with tempfile.TemporaryDirectory(prefix="rejoin-bench-") as scratch:
        for base in baseline:
            concrete = base["program"] in ("lcg", "sha256")
            # A concrete run is short: the fastest of five says most about the machine.
            runs = [rejoin(PROGRAMS / f"{base['program']}.c", base["params"], flags, args.seed, args.max_time, scratch)
                    for _ in range(5 if concrete else 1)]
            best = min(runs, key=lambda s: s["explore_cpu_seconds"])
            seconds = native(base["program"], base["params"], scratch) if concrete else None
            shown = results.add(row(base, best, flags, seconds))
            print(" | ".join(str(shown[c]) for c in columns), flush=True)
            if seconds:
                print(f"  natively at -O0 {seconds:.4f} s: we take {best['explore_cpu_seconds'] / seconds:.1f} times that")
    results.end()


if __name__ == "__main__":
    main()
