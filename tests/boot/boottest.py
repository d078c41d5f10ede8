"""What the whole-image tests share: TAP output and boots by scripts/emulators.py."""
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "scripts"))
import emulators  # noqa: E402
from emulators import boot  # noqa: E402,F401

BUILD = emulators.BUILD
_count = _failed = 0


def ok(good, name, detail=""):
    """One test point; detail (text or lines) is shown when it fails."""
    global _count, _failed
    _count += 1
    print("%sok %d - %s" % ("" if good else "not ", _count, name.replace("#", "\\#")))
    if not good:
        _failed += 1
        for line in (detail if isinstance(detail, list) else str(detail).split("\n")):
            print("# " + line)
    sys.stdout.flush()
    return bool(good)


def equal(got, expected, name):
    return ok(got == expected, name, "got      %r\nexpected %r" % (got, expected))


def skip(name, why):
    global _count
    _count += 1
    print("ok %d - %s # SKIP %s" % (_count, name.replace("#", "\\#"), why))


def done():
    print("1..%d" % _count)
    sys.exit(1 if _failed else 0)


def tail(result, lines=15):
    """The end of a run's serial line, for details."""
    return ["%.1f s, verdict %r, emulator's status %r" % (result.seconds, result.verdict, result.exit_status)] + result.lines[-lines:]


def sound(result, name):
    """A run that came to its end with nothing wrong."""
    return ok(result.status == 0, name + ": " + (result.verdict or "no verdict"), tail(result))
