"""Test points as TAP, for every test written in Python: ok(), equal(), skip(), and done() at the end."""
import sys

_count = _failed = 0


def ok(good, name, detail=""):
    """One test point; detail (text or lines) is shown when it fails."""
    global _count, _failed
    _count += 1
    print("%sok %d - %s" % ("" if good else "not ", _count, name.replace("#", "\\#")))
    if not good:
        _failed += 1
        for line in (detail if isinstance(detail, (list, tuple)) else str(detail).split("\n")):
            print("# %s" % (line,))
    sys.stdout.flush()
    return bool(good)


def equal(got, expected, name):
    return ok(got == expected, name, "got      %r\nexpected %r" % (got, expected))


def skip(name, why):
    global _count
    _count += 1
    print("ok %d - %s # SKIP %s" % (_count, name.replace("#", "\\#"), why))


def done():
    """The plan, and the end of the program: status 1 if a test point failed."""
    print("1..%d" % _count)
    sys.exit(1 if _failed else 0)
