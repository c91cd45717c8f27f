"""The tables of bench/regions.py on subjects of libraries, from their rows."""
import math
import statistics

# Shorter times are mostly start-up and noise.
SHORTEST = 0.01


def finished(row):
    return row["status"] == "exhaustive" or (str(row["ended"]) == "True" and "unexplored" not in row["ledger"])


def seconds(row):
    return max(float(row["explore_cpu_seconds"] or "inf"), SHORTEST)


def by_subject(rows):
    """For each (library, subject, capacity), its rows by mode."""
    table = {}
    for row in rows:
        table.setdefault((row["library"], row["subject"], row["capacity"]), {})[row["mode"]] = row
    return table


def subjects(rows):
    """Processor seconds of each mode (* not finished), then lines covered, slowest question, fallbacks of pattern."""
    modes = list(dict.fromkeys(row["mode"] for row in rows))
    print(f"{'subject':32}" + "".join(f"{mode:>15}" for mode in modes) + "   lines" + " " * 15 + "slowest fallbacks errors")
    for (library, subject, _), row in by_subject(rows).items():
        times = "".join(f"{row[m]['explore_cpu_seconds'] + ('' if finished(row[m]) else '*'):>15}" if m in row else " " * 15
                        for m in modes)
        lines = "/".join(str(row[m]["lines"]) for m in ["none", "loops", "pattern"] if m in row)
        pattern = row.get("pattern", {"slowest_call_seconds": "", "fallbacks": ""})
        errors = " | ".join(sorted({r["errors"] for r in row.values() if r["errors"]}))
        print(f"{library + '/' + subject:32}{times}   {lines:20}{pattern['slowest_call_seconds']:>7} {pattern['fallbacks']:>9} {errors}")


def compare(rows, mode, base, paper=None):
    """Speed-up over the subjects that one of two modes finishes, and coverage over those that one does not, as in the
    paper's tables. The average of speed-ups is the geometric one: the paper's must be, 7.18 of 16 with a 180 among them."""
    print(f"{mode} against {base}: speed-up (#, average, median, least, most), lines covered more in % (#, average, median)")
    pairs = {}
    for (library, _, _), row in by_subject(rows).items():
        if mode in row and base in row:
            pairs.setdefault(library, []).append((row[mode], row[base]))
    for library, both in pairs.items():
        ratios = [seconds(b) / seconds(m) for m, b in both if finished(m) or finished(b)]
        more = [100 * (int(m["lines"]) / int(b["lines"]) - 1) for m, b in both
                if not (finished(m) and finished(b)) and m["lines"] and b["lines"]]
        text = f"  {library:10} {len(ratios):3}/{len(both):<3}"
        if ratios:
            average = math.exp(statistics.fmean(map(math.log, ratios)))
            text += f" {average:8.2f} {statistics.median(ratios):8.2f} {min(ratios):8.2f} {max(ratios):8.2f}"
        else:
            text += " " * 36
        text += f"   {len(more):3}/{len(both):<3}"
        if more:
            text += f" {statistics.fmean(more):8.2f} {statistics.median(more):8.2f}"
        print(text + (f"   paper's average: {paper[library]}" if paper else ""))


def losers(rows):
    """What should not be: pattern does not finish or is 10 % slower where a baseline is better, a question of more
    than 10 s, a fallback, loops 1.5 times none where nothing merges, modes that disagree in errors or gaps, gaps."""
    found = []
    for (library, subject, _), row in by_subject(rows).items():
        name, pattern = f"{library}/{subject}", row.get("pattern")
        for base in [row[m] for m in ["none", "loops"] if m in row and pattern]:
            if finished(base) and not finished(pattern):
                found.append(f"{name}: {base['mode']} finishes in {seconds(base):.2f} s, pattern does not")
            elif finished(base) and seconds(pattern) > max(1.1 * seconds(base), seconds(base) + 0.05):
                found.append(f"{name}: pattern takes {seconds(pattern):.2f} s, {base['mode']} {seconds(base):.2f} s")
        if pattern and float(pattern["slowest_call_seconds"] or 0) > 10:
            found.append(f"{name}: a question of {pattern['slowest_call_seconds']} s")
        if pattern and int(pattern["fallbacks"] or 0) > 0:
            found.append(f"{name}: {pattern['fallbacks']} fallbacks")
        if "none" in row and "loops" in row and row["loops"]["merges"] in (0, "0") and finished(row["none"]) \
                and seconds(row["loops"]) > max(1.5 * seconds(row["none"]), seconds(row["none"]) + 0.05):
            found.append(f"{name}: nothing merges, and loops takes {seconds(row['loops']):.2f} s, none {seconds(row['none']):.2f} s")
        if len({r["errors"] for r in row.values() if finished(r)}) > 1:
            found.append(f"{name}: DISAGREE in errors: " + " | ".join(f"{m}: {r['errors']}" for m, r in row.items()))
        gaps = {mode: {gap for gap in r["ledger"].split("; ") if gap not in ("", "unexplored")} for mode, r in row.items()}
        if any(gaps.values()):
            found.append(f"{name}: gaps: {', '.join(sorted(set.union(*gaps.values())))}")
        # A mode that leaves something out does less, and is not faster.
        if len({frozenset(gaps[mode]) for mode, r in row.items() if finished(r)}) > 1:
            found.append(f"{name}: DISAGREE in gaps: " + " | ".join(f"{m}: {', '.join(sorted(g))}" for m, g in gaps.items()))
        found += [f"{name}: {m} FAILED" for m, r in row.items() if r["status"] == "failed"]
    print(f"{len(found)} findings")
    for finding in found:
        print("  " + finding)
