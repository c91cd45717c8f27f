#!/usr/bin/env python3
"""Runs real programs on concrete command lines, natively and in the engine, and compares.

Standard output and the exit code must be equal. The programs are those of bench/fetch, built by
`rejoin cc`; the command lines are bench/differential/*.txt. Exit code: 0 no difference, 1 some.

    bench/differential.py                        all
    bench/differential.py coreutils sort uniq    the command lines of two tools
    bench/differential.py --every 10             each tenth command line: the short form
"""
import argparse
import base64
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "differential"
NOBODY = 65534
# The engine's world: see docs/usage.md.
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
SIZE_LIMIT = 50_000_000


def deps():
    cache = os.environ.get("XDG_CACHE_HOME") or str(pathlib.Path.home() / ".cache")
    return pathlib.Path(os.environ.get("REJOIN_DEPS") or cache + "/rejoin")


class Case:
    """One command line."""

    def __init__(self, suite, number, line):
        self.suite, self.where, self.differs = suite, f"{suite}.txt:{number}", line.startswith("!")
        self.line = line = line.removeprefix("!")
        redirected = re.fullmatch(r"(.*) < (\w+)", line)
        self.stdin = redirected[2] if redirected else None
        self.words = shlex.split(redirected[1] if redirected else line)
        self.tool = self.words[0]

    def program(self):
        root = deps() / "bench" / self.suite
        return root / "busybox" if self.suite == "busybox" else root / "src" / self.tool

    def arguments(self, files):
        words = self.words if self.suite == "busybox" else self.words[1:]
        return [re.sub(r"@\{(\w*)\}", lambda m: str(files / m[1]).rstrip("/"), w) for w in words]


def cases(suites, tools, every):
    found = []
    for suite in suites:
        for number, line in enumerate((DATA / f"{suite}.txt").read_text().splitlines(), 1):
            if line and not line.startswith("#"):
                found.append(Case(suite, number, line))
    chosen = [c for c in found if not tools or c.tool in tools]
    return chosen[::every]


def native(case, files, work):
    """Exit code and standard output of the executable."""
    cwd = pathlib.Path(tempfile.mkdtemp(dir=work))
    # The user that the engine's programs are.
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    if who:
        os.chown(cwd, NOBODY, NOBODY)
    # The user may have no access to where it was built.
    name = case.program().name
    program = pathlib.Path(work) / "bin" / case.suite / case.program().name
    stdin = open(files / case.stdin, "rb") if case.stdin else subprocess.DEVNULL
    # The engine's programs have the usual priority; only root can give it back. It belongs to the thread.
    priority = os.getpriority(os.PRIO_PROCESS, 0)
    if who:
        os.setpriority(os.PRIO_PROCESS, 0, 0)
    done = subprocess.run([name, *case.arguments(files)], executable=program, stdin=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=cwd, env=ENVIRONMENT, timeout=60, **who)
    os.setpriority(os.PRIO_PROCESS, 0, priority)
    shutil.rmtree(cwd, ignore_errors=True)
    return done.returncode, done.stdout


def engine(case, files, work, rejoin):
    """The same, by the engine; a text if it has no such answer."""
    out = pathlib.Path(tempfile.mkdtemp(dir=work)) / "out"
    command = [rejoin, "run", "--quiet", "--no-replay", "--max-time", "120s", "--out", str(out), "--allow-read", str(files)]
    if case.stdin:
        command += ["--stdin", str(files / case.stdin)]
    command += ["--", str(case.program()) + ".bc", *case.arguments(files)]
    start = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    seconds = time.monotonic() - start
    try:
        tests = [json.loads(line) for line in (out / "tests.jsonl").read_text().splitlines()]
        ledger = json.loads((out / "ledger.json").read_text())
    except FileNotFoundError:
        return f"rejoin ended with {done.returncode}: {done.stdout.decode(errors='replace')[-500:]}", [], seconds
    shutil.rmtree(out.parent, ignore_errors=True)
    gaps = sorted({f"{g['kind']}: {g['name']}" for g in ledger})
    if len(tests) != 1:
        return f"{len(tests)} tests", gaps, seconds
    test = tests[0]
    if test.get("exit_code") is None:
        return f"outcome {test.get('outcome')}", gaps, seconds
    return (test["exit_code"], base64.b64decode(test["stdout"])), gaps, seconds


def compare(case, files, work, rejoin):
    wanted = native(case, files, work)
    got, gaps, seconds = engine(case, files, work, rejoin)
    return case, wanted, got, gaps, seconds


def show(result):
    if isinstance(result, str):
        return result
    code, stdout = result
    text = repr(stdout)
    return f"exit {code}, {len(stdout)} bytes: {text if len(text) < 400 else text[:400] + '…'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="?", choices=["coreutils", "busybox"], help="default: both")
    parser.add_argument("tools", nargs="*", help="default: all")
    parser.add_argument("--rejoin", default=str(HERE.parent / "target/release/rejoin"))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th command line")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    flags = parser.parse_args()
    suites = [flags.suite] if flags.suite else ["coreutils", "busybox"]
    chosen = cases(suites, set(flags.tools), flags.every)
    missing = sorted({str(c.program()) for c in chosen if not c.program().is_file()})
    if missing or not chosen:
        sys.exit(f"not built: {' '.join(missing)}; run bench/fetch" if missing else "no such command lines")
    root = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=root, prefix="rejoin-differential-") as work:
        os.chmod(work, 0o755)
        files = pathlib.Path(work) / "files"
        shutil.copytree(DATA / "files", files)
        os.chmod(files, 0o755)
        for case in chosen:
            copy = pathlib.Path(work) / "bin" / case.suite
            copy.mkdir(parents=True, exist_ok=True)
            if not (copy / case.program().name).exists():
                shutil.copy(case.program(), copy)
        with concurrent.futures.ThreadPoolExecutor(flags.jobs) as pool:
            results, differences, known, unsupported = [], 0, 0, {}
            for result in pool.map(lambda c: compare(c, files, work, flags.rejoin), chosen):
                results.append(result)
                case, wanted, got, gaps, _ = result
                for gap in gaps:
                    unsupported.setdefault(gap, []).append(case.line)
                if case.differs and wanted != got and (gaps or isinstance(got, str)):
                    known += 1
                elif wanted != got or case.differs:
                    differences += 1
                    print(f"{case.where}: {case.line}\n  native: {show(wanted)}\n  engine: {show(got)}")
                    for gap in gaps:
                        print(f"  ledger: {gap}")
                sys.stdout.flush()
    for gap, lines in sorted(unsupported.items()):
        print(f"ledger: {gap}: {len(lines)} command lines, such as: {lines[0]}")
    for suite in suites:
        mine = [r for r in results if r[0].suite == suite]
        seconds = sorted(r[4] for r in mine)
        if mine:
            print(f"{suite}: {len({r[0].tool for r in mine})} tools, {len(mine)} command lines, "
                  f"median {seconds[len(seconds) // 2]:.2f} s, longest {seconds[-1]:.2f} s")
    print(f"{differences} differences in {len(results)} command lines; {known} are known not to be equal")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
