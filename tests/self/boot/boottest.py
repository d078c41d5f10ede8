"""What the whole-image tests share: TAP output (tests/self/tap.py) and boots by scripts/emulators.py."""
import collections
import json
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(TOP, "scripts"), os.path.join(TOP, "tests/self")]
import emulators  # noqa: E402
import started_firmware  # noqa: E402
from reporting.validity import breaches  # noqa: E402
from tap import done, equal, ok, skip  # noqa: E402,F401

BUILD = emulators.BUILD
FULL = bool(os.environ.get("ASSAY_FULL"))  # as `make soak` has it
# Firmware that hands a direct image over at once. QEMU's machines have SeaBIOS otherwise, which takes a quarter of a second to look for devices.
QBOOT = "/usr/share/qemu/qboot.rom"


def needs_no_bios(named):
    """Whether a direct start is of one processor of QEMU's usual machine and about a virtual PMU, which firmware is nothing to."""
    return ("pmu=virtual" in named.get("options", "") and "machine" not in named["options"] and os.path.exists(QBOOT)
            and set(named) <= {"options", "config", "timeout", "cpu", "direct", "files", "on_line", "stop_when"})


def boot(how="direct", **named):
    """emulators.boot(), with the smaller build of the firmware, which unpacks faster (`make run`, and the tests that call it, have the other one), on
    from where firmware has started if it is the machine that most tests have (started_firmware.py), and, of an image that is started directly, with two repetitions of each measurement if options= names no number of them: three are the default. What is about a virtual PMU has no BIOS."""
    if started_firmware.fits(how, named) and not FULL:
        named["firmware_state"] = started_firmware.state()
    named = {"firmware": emulators.SMALL_OVMF, **named}
    options = named.get("options", "")
    if how == "direct" and not FULL and needs_no_bios({k: v for k, v in named.items() if k != "firmware"}):
        named["extra"] = ("-bios", QBOOT)
    if how == "direct" and not FULL and "suite=" in options and "reps=" not in options and named.get("config") is None:
        named["options"] = options + " reps=2"
    return emulators.boot(how, **named)


def few(some, whole):
    """What `make check` takes of a grid, and what `make soak` takes, which runs every test that calls this."""
    return whole if FULL else some


def table():
    """What follows is a table for the reader of `make check`: scripts/check shows it."""
    print("# table", flush=True)


def witness_table(name, agreed, impossible, contradicted=()):
    """The line of a witness for the reader of `make check`: how many kernels it confirms, and why it cannot say of the others, {kernel: why}; those
    that it contradicts have failed already."""
    table()
    print("# %-30s confirms %d of %d kernels%s" % (name, len(agreed), len(agreed) + len(impossible) + len(contradicted), "; cannot:" if impossible else ""))
    for why, count in collections.Counter(impossible.values()).most_common():
        print("#     %3d  %s" % (count, why))
    sys.stdout.flush()


def tail(result, lines=15):
    """The end of a run's serial line, for details."""
    return ["%.1f s, verdict %r, emulator's status %r" % (result.seconds, result.verdict, result.exit_status)] + result.lines[-lines:]


def known_profiles():
    return subprocess.run([os.path.join(BUILD, "assay-encode"), "?", "x"], capture_output=True, text=True, check=False).stderr


def profiles(family):
    """All virtual CPUs of a PMU family, as the tool on the build machine knows them."""
    return re.findall(r"^  (%s-\S+)" % family, known_profiles(), re.M)


def hybrids(family):
    """Likewise its machines of two kinds of cores."""
    return re.findall(r"^and in the image (%s-\S+):" % family, known_profiles(), re.M)


def unsound(result):
    """What of a run is not sound, one line each, with the check's name first: from its report, or else from its TAP lines."""
    checks = [(s["name"] + "/" + c["name"], c) for s in (result.report or {"suites": []})["suites"] for c in s["checks"]]
    lines = ["%s: %s: %s" % (name, c["verdict"], c.get("text")) for name, c in checks if c["verdict"] in emulators.BAD_VERDICTS]
    lines += ["%s: skipped without a reason" % name for name, c in checks if c["verdict"] == "skipped" and not c.get("text")]
    return lines or [line for line in result.tap if line.lstrip().startswith("not ok")]


def sound(result, name):
    """A run that came to its end with nothing wrong, and with a reason for each check that was skipped."""
    lines = unsound(result)
    # The first of them is part of the point: who cuts off what follows still has it.
    said = "%s: %s" % (name, result.verdict or "no verdict") + (": " + lines[0] if lines else "")
    return ok(result.status == 0 and not lines, said, lines[1:20] + tail(result))


def verdict_table(result, processor=None):
    """Every check of a report as {suite/name: (verdict, what was expected and seen)}; None without a report. Where several processors
    are judged, those of the one named."""
    if not result.report:
        return None
    return {suite["name"] + "/" + check["name"]:
            (check["verdict"], [(o["n"], o["low"], o["high"], o["values"]) for o in check["observations"]])
            for suite in result.report["suites"] for check in suite["checks"] if processor in (None, suite.get("processor"))}


def comparable(result, processor=None):
    """The verdict table without what depends on the machine and not on the PMU: the suite that checks the machine itself (its times,
    and which of its features there are), and the check that waits for the machine's timer, in as many rounds as it takes."""
    table = verdict_table(result, processor)
    return None if table is None else {k: v for k, v in table.items() if not k.startswith(("machine/", "control/cycles over a halt/"))}


def deterministic(check):
    """A check without the counts that may lie anywhere in an interval: they depend on where code and data lie."""
    verdict, observations = check
    return verdict, [o[:3] if o[1] != o[2] else o for o in observations]


def same_table(result, reference, name, processors=(None, None), but=None):
    """Two runs, or one on two processors, judged the same checks alike, count for count of every deterministic quantity; but for checks
    whose name has that in it."""
    a, b = comparable(result, processors[0]), comparable(reference, processors[1])
    if a is None or b is None:
        return ok(False, name, "no report to compare")
    a, b = ({name: deterministic(check) for name, check in table.items() if not but or but not in name} for table in (a, b))
    differing = [k for k in sorted(set(a) | set(b)) if a.get(k) != b.get(k)]
    return ok(a and not differing, name, ["%d of %d checks differ" % (len(differing), len(b))] +
              ["%s: %r, reference %r" % (k, a.get(k), b.get(k)) for k in differing[:10]])


def complains(result, pattern, name):
    """The run could not start and said why in one line that matches."""
    lines = [line for line in result.text if line.startswith("assay: ")]
    return ok(result.status == 2 and len(lines) == 1 and re.search(pattern, lines[0]), name + ": " + (result.verdict or "no verdict"),
              ["wanted a line that matches " + pattern] + tail(result))


def valid(report, name):
    """A report document keeps to the schemas in docs."""
    errors = breaches(report)[:5] if report else ["no report"]
    return ok(not errors, name, errors)
