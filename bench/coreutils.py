#!/usr/bin/env python3
"""Symbolic runs of coreutils: ledger, replay, and line coverage by native runs of the tests.

    bench/coreutils.py [--seconds S] [--seeds N] [--flags FLAGS] [--replay N] [--out FILE.csv] [TOOL...]

bench/fetch must have built coreutils. Every tool runs with KLEE's arguments of bench/klee/klee-coreutils.csv,
`--sym-args 0 2 4 --sym-stdin 8`. A sample of the tests is replayed by `rejoin replay`; those that
reach something new, and some others, run under gcov, in one sandbox without network and with the machine
read-only, and the covered lines and branches of the tool's own source are compared with KLEE's after 60 s. The rows of all runs are in the CSV file; on the
terminal, the median of the seeds.
"""
import argparse, csv, json, random, shlex, statistics, struct, subprocess, sys, tempfile
from pathlib import Path

from common import DEPS, REJOIN, ROOT, Results

COREUTILS = DEPS / "bench/coreutils"
TOOLS = ("echo cat basename dirname comm cut expand expr fold head join link nice paste pr seq sleep sort test "
         "tr tsort uniq wc").split()
SYMBOLIC = ["--sym-args", "0", "2", "4", "--sym-stdin", "8"]
# What a tool is linked with besides its own object and the common libraries.
EXTRA = {"cut": ["src/set-fields.o"], "expand": ["src/expand-common.o"], "wc": ["src/libwc_avx2.a"]}
# Kinds of ledger entries that are no gap of the engine: limits, and what nobody models exactly.
LIMITS = {"unexplored", "solver-timeout", "concretised", "blocked"}
FIELDS = ("tool flags status paths represented instructions explore_cpu tests lines lines_total branches "
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


def run(tool, seed, options, klee):
    with tempfile.TemporaryDirectory(dir=options.work) as directory:
        work = Path(directory)
        out = work / "out"
        command = [options.rejoin, "run", "--quiet", "--no-replay", "--out", out, "--max-time", f"{options.seconds}s",
                   "--seed", str(seed), *options.flags, COREUTILS / f"src/{tool}.bc", *SYMBOLIC]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1, 3):
            sys.exit(f"{tool}: {done.stderr}")
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
            tool, shlex.join(options.flags), summary["status"], summary["paths_completed"],
            summary["paths_represented"], summary["instructions"], round(summary["explore_cpu_seconds"], 2),
            summary["tests"], lines, lines_total, branches, branches_total, klee["lines_covered"], klee["branches_taken"],
            len(chosen), agreed, unseen, "; ".join(errors), "; ".join(unsupported))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*", metavar="TOOL")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--flags", type=shlex.split, default=["--search", "random-path", "--search", "coverage"])
    parser.add_argument("--replay", type=int, default=100, help="tests that are replayed, per run")
    parser.add_argument("--native", type=int, default=500, help="tests that run for coverage besides those that reach something new")
    parser.add_argument("--rejoin", type=Path, default=REJOIN)
    parser.add_argument("--work", type=Path, default=None, help="where temporary files go")
    parser.add_argument("--out", type=Path, default=None, help="the CSV file")
    options = parser.parse_args()
    if not (COREUTILS / "src/echo.bc").is_file():
        sys.exit(f"there is no {COREUTILS}/src/echo.bc: run bench/fetch coreutils first")
    with open(ROOT / "bench/klee/klee-coreutils.csv") as f:
        klee = {row["program"]: row for row in csv.DictReader(f)}
    results = Results("coreutils", f"{options.seconds}s", out=options.out)
    for tool in options.tools or TOOLS:
        rows = [results.add(run(tool, seed, options, klee[tool]) | {"seed": seed}) for seed in range(1, options.seeds + 1)]
        median = lambda key: statistics.median_low(r[key] for r in rows)
        row = rows[0]
        print(f"{tool:9} {row['status']:10} paths {median('paths'):>8} lines {median('lines'):>4}/{row['lines_total']:<4} "
              f"(KLEE {row['klee_lines']:>3}) branches {median('branches'):>4}/{row['branches_total']:<4} "
              f"(KLEE {row['klee_branches']:>3}) replay {sum(r['agreed'] for r in rows)}/{sum(r['replayed'] for r in rows)} "
              f"{row['errors']} {row['unsupported']}", flush=True)
    results.end()


if __name__ == "__main__":
    main()
