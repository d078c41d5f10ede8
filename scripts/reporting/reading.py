"""Reports as documents: reading one, and saying in words what is in it (docs/report.schema.json)."""
import json
import re

from .convert import Unreadable, current
from .runs import newest

SHOWN = 16  # distinct values of an observation
VERDICTS = ["exact", "within", "biased", "noisy", "dead", "wrong", "erratum", "error", "skipped"]
GOOD = {"exact", "within"}
FINE = GOOD | {"skipped"}
# The worst first. A published deviation is less of a surprise than any other.
BY_SEVERITY = ["wrong", "dead", "biased", "noisy", "error", "erratum", "skipped", "within", "exact"]
SEVERITY = {verdict: rank for rank, verdict in enumerate(BY_SEVERITY)}


def no_constant(name):
    """NaN and its like, which Python's parser would take."""
    raise ValueError(f"{name} is none")


def load_text(path):
    """The report in the file, or the newest of the runs in a folder, and its text; of an older schema both are what
    it is converted to."""
    path = newest(path)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        report = json.loads(text, parse_constant=no_constant)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise Unreadable(f"{path}: no JSON: {error}") from error
    try:
        converted = current(report)
    except Unreadable as error:
        raise Unreadable(f"{path}: {error}") from error
    return converted, text if converted is report else json.dumps(converted, separators=(",", ":"))


def load(path):
    return load_text(path)[0]


def check_form(report):
    """KeyError, TypeError or ValueError if what readers rely on is not there."""
    for key in ("complete", "lost", "build", "options", "isa", "levels", "notes", "pmus", "snapshots", "values", "experiments"):
        report[key]
    machine_key(report)
    for verdict in VERDICTS + ["checks"]:
        int(report["totals"][verdict])
    for suite in report["suites"]:
        suite_title(report, suite)
        for check in suite["checks"]:
            SEVERITY[check["verdict"]]
            if not isinstance(check["name"], str) or not isinstance(check["virtual"], bool):
                raise TypeError(f"{check['name']!r}: neither a name nor a flag may be anything else")
            for o in check["observations"]:
                is_off(o)
                for value in (o["n"], o["distinct"], *(part for pair in o["values"] for part in pair)):
                    int(value)


def number(value):
    return int(value)


def processor_label(report, n):
    """As the image prints it; None where only one is judged."""
    if n is None:
        return None
    kinds = {p["number"]: p.get("kind") for p in report.get("processors", [])}
    return f"processor {n}" + (f" ({kinds[n]})" if kinds.get(n) else "")


def suite_title(report, suite):
    label = processor_label(report, suite.get("processor"))
    return suite["name"] + (f" on {label}" if label else "")


def expected(o):
    low, high = number(o["low"]), number(o["high"])
    return str(low) if low == high else f"{low}..{high}"


def observed(o):
    shown = o["values"][:SHOWN]
    text = ", ".join(f"{value} x{times}" if o["total"] != 1 else f"{value}" for value, times in shown)
    return text + (f", ... ({o['min']}..{o['max']})" if o["distinct"] > len(shown) else "") or "nothing"


def evidence(check):
    """One line per N."""
    for o in check["observations"]:
        yield f"N={o['n']}: expected {expected(o)}, observed {observed(o)}"


def is_off(o):
    return not o["total"] or number(o["min"]) < number(o["low"]) or number(o["max"]) > number(o["high"])


def telling_place(check):
    """The place of the observation that decides: the first that is off, else the last; -1: there is none."""
    found = check["observations"]
    return next((i for i, o in enumerate(found) if is_off(o)), len(found) - 1)


def telling(check):
    """The observation that decides; None: there is none."""
    return check["observations"][telling_place(check)] if check["observations"] else None


def join_names(names):
    """PMC0, PMC2, FIXED_CTR0, PMC1 -> PMC0-2,FIXED_CTR0"""
    stems = {}
    for name in dict.fromkeys(n for n in names if n):
        stem, digits = re.fullmatch(r"(.*?)(\d*)", name).groups()
        stems.setdefault((stem, bool(digits)), set()).add(int(digits or 0))
    parts = []
    for (stem, numbered), numbers in stems.items():
        runs = []
        for n in sorted(numbers):
            if runs and n == runs[-1][1] + 1:
                runs[-1][1] = n
            else:
                runs.append([n, n])
        parts += [
            stem + (f"{first}" if numbered else "") + (f"-{last}" if last > first else "") for first, last in runs
        ]
    return ",".join(parts)


def level_word(report):
    """What the names of all levels begin with, such as "ring"; None if they have no word in common."""
    words = {level["name"].partition(" ")[0] if " " in level["name"] else None for level in report["levels"]}
    return words.pop() if len(words) == 1 else None


def brief_level(report, name):
    """Without that word, for a column below it: "ring 0" -> 0"""
    word = level_word(report)
    return name.removeprefix(f"{word} ") if word else name


def join_levels(report, found):
    return join_names(brief_level(report, c.get("level") or "") for c in found) or "-"


def some_names(names, what):
    names = list(dict.fromkeys(n for n in names if n))
    return names[0] if len(names) == 1 else f"{len(names)} {what}" if names else "-"


def is_cell(check):
    return "event" in check and "kernel" in check and check["name"].startswith(check["event"] + "/")


def worst(verdicts):
    """Of what was judged, if anything was."""
    return min((v for v in verdicts if v != "skipped"), key=SEVERITY.__getitem__, default="skipped")


def why(check):
    """What is to be said of a check in one line."""
    o, text = telling(check), check.get("text", "")
    counts = (
        f"N={o['n']}: expected {expected(o)}, observed {observed(o)}" if o and check["verdict"] != "skipped" else ""
    )
    # The judge often says as much.
    return text if "observed" in text else "; ".join(filter(None, [counts, text]))


def subject(check):
    """What checks are put together by: the event, or the first part of the name."""
    return check["event"] if is_cell(check) else check["name"].split("/")[0]


def machine_key(report):
    """By what a result is to be filed: another CPU, or another microcode, counts otherwise."""
    return ", ".join([report["machine"]["cpu"], *(f"{name} {value}" for name, value in loaded(report))])


def loaded(report):
    """What software was loaded into the CPU: pairs of name and value."""
    return [(pair["name"], pair["value"]) for pair in report["machine"]["identity"] if pair.get("loaded")]


def judged(report, processors=None):
    """The PMUs that were judged, on all processors or on those given by number (as text)."""
    pmus = [p for p in report["pmus"] if not processors or str(p.get("processor", 0)) in processors]
    names = (f"virtual PMU {p['model']}" if p["virtual"] else f"{p['name']} in silicon" for p in pmus)
    return ", ".join(dict.fromkeys(names)) or "no PMU"
