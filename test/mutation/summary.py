# SPDX-License-Identifier: MIT
"""summary.py: what a run found, as text. It depends on the log and on set_aside.txt only."""
import os

MOST_SUITES = 12


def summarise(results, set_aside):
    """Returns the summary of the counted results."""
    unnoticed = [result for result in results if result.result != "noticed"]
    aside = [result for result in unnoticed if set_aside.reason(result)]
    survivors = [result for result in unnoticed if not set_aside.reason(result)]
    parts = [table_of(results, aside)]
    if survivors:
        parts.append("Not noticed:\n\n" + "\n".join(describe(result) for result in survivors))
    if aside:
        parts.append("Not noticed, and set aside:\n\n" + "\n".join(
            describe(result, set_aside.reason(result)) for result in aside))
    parts.append(costs_of(results))
    return "\n".join(parts)


# ---- The table by folder ----

def table_of(results, aside):
    lines = [f"{'':24}{'drawn':>7}{'noticed':>9}{'survived':>10}{'not executed':>14}"
             f"{'set aside':>11}{'noticed of the rest':>21}"]
    changes = [result for result in results if result.kind != "lock"]
    locks = [result for result in results if result.kind == "lock"]
    for folder in sorted({os.path.dirname(result.file) for result in changes}):
        lines.append(row_of(folder, [result for result in changes
                                     if os.path.dirname(result.file) == folder], aside))
    lines.append(row_of("in all", changes, aside))
    if locks:
        lines.append(row_of("locks", locks, aside))
    return "\n".join(lines) + "\n"


def row_of(name, results, aside):
    noticed = count(results, "noticed")
    left_out = sum(1 for result in results if result in aside)
    rest = len(results) - left_out
    share = f"{100 * noticed / rest:.0f} %" if rest else "-"
    return (f"{name:24}{len(results):7}{noticed:9}{count(results, 'survived'):10}"
            f"{count(results, 'unexecuted'):14}{left_out:11}{share:>21}")


def count(results, kind):
    return sum(1 for result in results if result.result == kind)


# ---- Changes ----

def describe(result, reason=None):
    """Returns the lines about one change that was not noticed, in the form of set_aside.txt."""
    ran = [os.path.basename(run[0]) for run in result.runs]
    suites = f"{len(ran)} suites ran: {' '.join(ran)}" if ran else "no suite executes the line"
    lines = [f"# {result.file}:{result.line}: {result.kind}; {suites}",
             f"{result.file} {result.function}", f"- {result.before}", f"+ {result.after}"]
    if reason:
        lines.append(f"  {reason}")
    return "\n".join(lines) + "\n"


# ---- Suites ----

def costs_of(results):
    """Returns the suites that took most seconds without noticing a change."""
    suites = {}
    for result in results:
        for suite, how, seconds in result.runs:
            known = suites.setdefault(suite, [0, 0, 0.0, 0.0])
            notices = how not in ("passed", "stopped")
            known[0] += 1
            known[1] += notices
            known[2] += seconds
            known[3] += 0 if notices else seconds
    lines = ["The suites that took most seconds without noticing a change:\n",
             f"{'':34}{'runs':>6}{'noticed':>9}{'seconds':>9}{'of them in vain':>17}"]
    for suite, (runs, noticed, seconds, vain) in sorted(
            suites.items(), key=lambda item: -item[1][3])[:MOST_SUITES]:
        lines.append(f"{suite:34}{runs:6}{noticed:9}{seconds:9.1f}{vain:17.1f}")
    total = sum(known[2] for known in suites.values())
    lines.append(f"{'all suites':34}{sum(k[0] for k in suites.values()):6}"
                 f"{sum(k[1] for k in suites.values()):9}{total:9.1f}"
                 f"{sum(k[3] for k in suites.values()):17.1f}")
    return "\n".join(lines) + "\n"
