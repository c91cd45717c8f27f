#!/usr/bin/env python3
"""Symbolic runs of coreutils: ledger, replay, and line coverage by native runs of the tests.

    bench/coreutils.py [--seconds S] [--seeds N] [--modes MODE...] [--jobs N] [--resume] [--out FILE.csv] [TOOL...]
    bench/coreutils.py --table FILE.csv

bench/fetch must have built coreutils. Every tool runs with KLEE's arguments of bench/klee/klee-coreutils.csv,
`--sym-args 0 2 4 --sym-stdin 8`, for S seconds of the processor. A sample of the tests is replayed by
`rejoin replay`; those that reach something new, and some others, run under gcov, in one sandbox without network
and with the machine read-only, and the covered lines and branches of the tool's own source are compared with
KLEE's after 60 s. The rows of all runs are in the CSV file; on the terminal, the median of the seeds of the mode
that covers most. With --resume, runs of the same commit that are in the file are not repeated.
"""
import argparse, csv, json, random, statistics, struct, subprocess, sys, tempfile
from pathlib import Path

from common import DEPS, REJOIN, Results, bounded, in_parallel

HERE = Path(__file__).resolve().parent
COREUTILS = DEPS / "bench/coreutils"
TOOLS = ("echo cat basename dirname comm cut expand expr fold head join link nice paste pr seq sleep sort test "
         "tr tsort uniq wc").split()
SYMBOLIC = ["--sym-args", "0", "2", "4", "--sym-stdin", "8"]
MODES = {
    "coverage": ["--search", "coverage"],
    "mixed": ["--search", "random-path", "--search", "coverage"],
    "dsm": ["--merge", "dsm", "--search", "coverage"],
}
# What a tool is linked with besides its own object and the common libraries.
EXTRA = {"cut": ["src/set-fields.o"], "expand": ["src/expand-common.o"], "wc": ["src/libwc_avx2.a"]}
# Kinds of ledger entries that are no gap of the engine: limits, and what nobody models exactly.
LIMITS = {"unexplored", "solver-timeout", "concretised", "blocked"}
FIELDS = ("tool mode status paths represented instructions explore_cpu tests lines lines_total branches "
          "branches_total klee_lines klee_branches replayed agreed not_observable errors unsupported").split()

# Time passes, but nobody waits for it.
NO_SLEEP = ("struct timespec; int nanosleep(const struct timespec *a, struct timespec *b) { return 0; }"
            "int clock_nanosleep(int c, int f, const struct timespec *a, struct timespec *b) { return 0; }")

# Runs inside the sandbox: every test once, in an empty directory.
RUNNER = r"""
import json, os, shutil, subprocess, sys
program, tests = sys.argv[1], json.load(open(sys.argv[2]))
env = {"PATH": "/usr/bin:/bin"} | {k: v for k, v in os.environ.items() if k.startswith("GCOV_")}
for n, (argv, stdin) in enumerate(tests):
    os.mkdir("/tmp/d"); os.chdir("/tmp/d")
    with open("/tmp/stdin", "wb") as f: f.write(bytes.fromhex(stdin))
    try:
        subprocess.run([bytes.fromhex(a) for a in argv], executable=program, stdin=open("/tmp/stdin"), env=env,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=5)
    except (OSError, ValueError, subprocess.TimeoutExpired): pass
    os.chdir("/tmp"); shutil.rmtree("/tmp/d", ignore_errors=True)
"""


def gcc(name):
    return subprocess.run(["gcc", "-print-file-name=" + name], capture_output=True, text=True, check=True).stdout.strip()


def build_for_coverage(tool, work):
    """The tool with its own source under gcov."""
    musl, runtime = DEPS / "musl", DEPS / "runtime"
    compile_ = ["gcc", "-O0", "-w", "-DHAVE_CONFIG_H", "-I.", "-Ilib", "-Isrc", "-nostdinc", "-isystem", musl / "include",
                "-isystem", gcc("include"), "-c"]
    subprocess.run([*compile_, "--coverage", f"src/{tool}.c", "-o", work / f"{tool}.o"], cwd=COREUTILS, check=True)
    (work / "nosleep.c").write_text(NO_SLEEP)
    subprocess.run([*compile_, work / "nosleep.c", "-o", work / "nosleep.o"], cwd=COREUTILS, check=True)
    lib = musl / "lib"
    subprocess.run(["ld.lld-22", "-m", "elf_x86_64", "-static", "--eh-frame-hdr", "-o", work / tool, lib / "crt1.o",
                    lib / "crti.o", work / f"{tool}.o", work / "nosleep.o", *EXTRA.get(tool, []), "src/libver.a",
                    "lib/libcoreutils.a", gcc("libgcov.a"), "--start-group", lib / "libc.a",
                    runtime / "lib/librejoin.a", runtime / "lib/libbuiltins.a", "--end-group", lib / "crtn.o"], cwd=COREUTILS, check=True)
    return work / tool


def read_ktest(path):
    data, at = path.read_bytes(), 9
    def u32():
        nonlocal at
        at += 4
        return struct.unpack(">I", data[at - 4:at])[0]
    def text():
        nonlocal at
        n = u32()
        at += n
        return data[at - n:at]
    for _ in range(u32()):
        text()
    at += 8
    return [(text(), text()) for _ in range(u32())]


def command_of(tool, ktest):
    """argv and standard input of a test."""
    argv, stdin = [tool.encode()], b""
    for name, value in read_ktest(ktest):
        if name[:3] == b"arg" and name[3:].isdigit():
            argv.append(value.split(b"\0")[0])
        elif name == b"stdin":
            stdin = value
    return [a.hex() for a in argv], stdin.hex()


def coverage(tool, tests, work):
    """Lines and branches of the tool's source that the tests cover: covered and all of each."""
    program = build_for_coverage(tool, work)
    (work / "tests.json").write_text(json.dumps(tests))
    (work / "runner.py").write_text(RUNNER)
    sandbox = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
               "--tmpfs", "/tmp", "--bind", work, "/mnt"]
    # gcov writes where the object was compiled.
    subprocess.run([*sandbox, "--setenv", "GCOV_PREFIX", "/mnt", "--setenv", "GCOV_PREFIX_STRIP", str(len(work.parts) - 1),
                    "--", sys.executable, "/mnt/runner.py", f"/mnt/{tool}", "/mnt/tests.json"], check=True)
    said = subprocess.run(["gcov", "-b", "-n", f"{tool}.gcda"], cwd=work, capture_output=True, text=True).stdout
    part = said.split(f"File 'src/{tool}.c'")[-1].split("File '")[0]
    numbers = {}
    for line in part.splitlines():
        for key in ("Lines executed", "Taken at least once"):
            if line.startswith(key + ":"):
                percent, total = line[len(key) + 1:].split("% of ")
                numbers[key] = (round(float(percent) * int(total) / 100), int(total))
    return numbers.get("Lines executed", (0, 0)), numbers.get("Taken at least once", (0, 0))


def replay(rejoin, ktests):
    """How many of the tests agree, and how many cannot be observed; the others are shown."""
    if not ktests:
        return 0, 0
    said = subprocess.run([rejoin, "replay", *ktests], capture_output=True, text=True).stdout
    lines = [l for l in said.splitlines() if ": " in l and l.startswith("test")]
    for line in lines:
        if ": differs" in line or ": not run" in line:
            print("   ", line, file=sys.stderr)
    return sum(": agrees" in l for l in lines), sum(": not observable" in l for l in lines)


def run(tool, mode, seed, options, klee):
    """One run, as a row."""
    with tempfile.TemporaryDirectory(dir=options.work) as directory:
        work = Path(directory)
        out = work / "out"
        command = [options.rejoin, "run", "--quiet", "--no-replay", "--out", out, "--max-memory", "6G",
                   "--seed", str(seed), *MODES[mode], COREUTILS / f"src/{tool}.bc", *SYMBOLIC]
        code, said, _ = bounded(command, options.seconds)
        if code not in (0, 1, 3):
            sys.exit(f"{tool}: exit {code}\n{said[1]}")
        summary = json.loads((out / "summary.json").read_text())
        ledger = json.loads((out / "ledger.json").read_text())
        ktests = sorted((out / "tests").glob("*.ktest"))
        chosen = random.Random(seed).sample(ktests, min(options.replay, len(ktests)))
        agreed, unseen = replay(options.rejoin, chosen)
        # Those that reach something new, and some of the others: they cannot add much.
        events = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
        new = [out / f"tests/{e['test']}.ktest" for e in events if e.get("covers_new")]
        more = random.Random(seed).sample(ktests, min(options.native, len(ktests)))
        commands = sorted(set((tuple(a), s) for a, s in (command_of(tool, k) for k in new + more)))
        (lines, lines_total), (branches, branches_total) = coverage(tool, commands, work)
        unsupported = sorted({f"{e['kind']} {e['name']}" for e in ledger if e["kind"] not in LIMITS})
        errors = [f"{e['kind']} {Path(e['file']).name}:{e['line']}" for e in summary["errors"]]
        return dict(zip(FIELDS, (
            tool, mode, summary["status"], summary["paths_completed"],
            summary["paths_represented"], summary["instructions"], round(summary["explore_cpu_seconds"], 2),
            summary["tests"], lines, lines_total, branches, branches_total, klee["lines_covered"], klee["branches_taken"],
            len(chosen), agreed, unseen, "; ".join(errors), "; ".join(unsupported)))) | {"seed": seed}


def table(rows):
    """For each tool the mode that covers most, by the median of its seeds, as a table for docs/benchmarks.md."""
    median = lambda group, key: statistics.median_low(int(r[key]) for r in group)
    print("| tool | mode | seeds | paths | CPU s | lines | KLEE | branches | KLEE | replay agrees | not observable |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    verdicts = {"more": [], "as many": [], "fewer": []}
    for tool in dict.fromkeys(r["tool"] for r in rows):
        groups = {}
        for r in rows:
            if r["tool"] == tool:
                groups.setdefault(r["mode"], []).append(r)
        mode, best = max(groups.items(), key=lambda g: (median(g[1], "lines"), median(g[1], "branches")))
        lines, klee = median(best, "lines"), int(best[0]["klee_lines"])
        verdicts["more" if lines > klee else "fewer" if lines < klee else "as many"].append(tool)
        total = lambda key: sum(int(r[key]) for r in best)
        cpu = statistics.median_low(float(r["explore_cpu"]) for r in best)
        print(f"| {tool} | {mode} | {len(best)} | {median(best, 'paths')} | {cpu:.0f} | {lines}/{best[0]['lines_total']} | {klee} "
              f"| {median(best, 'branches')} | {best[0]['klee_branches']} | {total('agreed')}/{total('replayed')} | {total('not_observable')} |")
    print("; ".join(f"{verdict} lines than KLEE on {len(tools)}: {' '.join(tools)}".replace("as many lines than", "as many lines as")
                    for verdict, tools in verdicts.items()))
    for kind in ("errors", "unsupported"):
        found = sorted({f"{r['tool']}: {r[kind]}" for r in rows if r[kind]})
        print(f"{kind}: {'; '.join(found) or 'none'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*", metavar="TOOL")
    parser.add_argument("--seconds", type=float, default=60, help="of the processor, per run")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=["coverage"])
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time")
    parser.add_argument("--resume", action="store_true", help="keep the rows of this commit that are in the file")
    parser.add_argument("--replay", type=int, default=100, help="tests that are replayed, per run")
    parser.add_argument("--native", type=int, default=500, help="tests that run for coverage besides those that reach something new")
    parser.add_argument("--rejoin", type=Path, default=REJOIN)
    parser.add_argument("--work", type=Path, default=None, help="where temporary files go")
    parser.add_argument("--out", type=Path, default=None, help="the CSV file")
    parser.add_argument("--table", type=Path, metavar="FILE.csv", help="only print the table of a file")
    options = parser.parse_args()
    if options.table:
        with open(options.table, newline="") as f:
            return table(list(csv.DictReader(f)))
    if not (COREUTILS / "src/echo.bc").is_file():
        sys.exit(f"there is no {COREUTILS}/src/echo.bc: run bench/fetch coreutils first")
    with open(HERE / "klee/klee-coreutils.csv") as f:
        klee = {row["program"]: row for row in csv.DictReader(f)}
    tools = options.tools or TOOLS
    if unknown := [tool for tool in tools if tool not in klee]:
        sys.exit(f"no figures of KLEE for {' '.join(unknown)}")
    seeds = range(1, options.seeds + 1)
    results = Results("coreutils", f"{options.seconds:g}s", out=options.out, resume=options.resume, seeds=seeds)
    there = {(r["tool"], r["mode"], int(r["seed"])) for r in results.rows}

    def work(tool, mode, seed):
        row = results.add(run(tool, mode, seed, options, klee[tool]))
        print(f"{tool:9} {mode:9} seed {seed}: {row['status']}, lines {row['lines']}/{row['lines_total']} (KLEE {row['klee_lines']}), "
              f"replay {row['agreed']}/{row['replayed']} {row['errors']} {row['unsupported']}", flush=True)

    todo = [(tool, mode, seed) for seed in seeds for tool in tools for mode in options.modes]
    in_parallel(options.jobs, [task for task in todo if task not in there], work)
    table(results.rows)
    results.end()


if __name__ == "__main__":
    main()
