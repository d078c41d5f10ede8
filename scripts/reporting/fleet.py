"""Reports of many machines: a database of their checks, and a matrix of the worst verdicts."""
import contextlib
import hashlib
import pathlib
import sqlite3

from .page import headline, render, tally
from .reading import (
    BY_SEVERITY,
    FINE,
    SEVERITY,
    Unreadable,
    judged,
    load_text,
    machine_key,
    subject,
    suite_title,
    why,
    worst,
)

SHOWN = 12  # checks that a cell of the matrix lists
TABLES = """
CREATE TABLE reports(id INTEGER PRIMARY KEY, path TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE, machine TEXT NOT NULL,
  isa TEXT NOT NULL, cpu TEXT NOT NULL, platform TEXT,
  firmware TEXT, hypervisor TEXT, judged TEXT NOT NULL, virtual INTEGER NOT NULL,
  build TEXT NOT NULL, options TEXT NOT NULL,
  complete INTEGER NOT NULL, lost INTEGER NOT NULL, headline TEXT NOT NULL);
-- What the processor says that it is; loaded: software that was loaded into it.
CREATE TABLE identity(report INTEGER NOT NULL REFERENCES reports, name TEXT NOT NULL, value TEXT NOT NULL,
  loaded INTEGER NOT NULL);
-- severity: 0 is the worst. Counts that may be larger than 2^63 are text.
CREATE TABLE checks(id INTEGER PRIMARY KEY, report INTEGER NOT NULL REFERENCES reports, suite TEXT NOT NULL,
  subject TEXT NOT NULL, name TEXT NOT NULL, verdict TEXT NOT NULL, severity INTEGER NOT NULL, virtual INTEGER NOT NULL,
  event TEXT, counter TEXT, kernel TEXT, level TEXT, encoding TEXT, why TEXT NOT NULL);
CREATE TABLE observations(check_id INTEGER NOT NULL REFERENCES checks, n TEXT, low TEXT, high TEXT, total TEXT,
  "distinct" TEXT, min TEXT, max TEXT);
CREATE INDEX checks_by_place ON checks(report, suite, subject, severity);
CREATE INDEX observations_by_check ON observations(check_id);
"""


def sources(folder):
    """Every JSON file below the folder."""
    root = pathlib.Path(folder)
    if not root.is_dir():
        raise Unreadable(f"{folder}: " + ("not a directory" if root.exists() else "No such file or directory"))
    found = sorted(path for path in root.rglob("*.json") if path.is_file())
    if not found:
        raise Unreadable(f"{folder}: no report (*.json) there")
    return found


def add(db, path, report, digest):
    """One report; False if its like is there already."""
    machine = report["machine"]
    row = [str(path), digest, machine_key(report), report["isa"], machine["cpu"]]
    row += [machine["platform"], machine["firmware"], machine["hypervisor"], judged(report)]
    row += [any(p["virtual"] for p in report["pmus"]), report["build"], report["options"], report["complete"]]
    row += [int(report["lost"]), headline(report)[1]]
    insert = f"INSERT OR IGNORE INTO reports VALUES(NULL{', ?' * len(row)})"
    cursor = db.execute(insert, row)
    if not cursor.rowcount:
        return False
    number = cursor.lastrowid
    pairs = ((number, pair["name"], pair["value"], pair.get("loaded", False)) for pair in machine["identity"])
    db.executemany("INSERT INTO identity VALUES(?, ?, ?, ?)", pairs)
    for suite in report["suites"]:
        title = suite_title(report, suite)
        for check in suite["checks"]:
            values = [number, title, subject(check), check["name"], check["verdict"], SEVERITY[check["verdict"]]]
            values += [
                check["virtual"],
                *(check.get(key) for key in ("event", "counter", "kernel", "level", "encoding")),
            ]
            made = db.execute(f"INSERT INTO checks VALUES(NULL{', ?' * 13})", [*values, why(check)]).lastrowid
            keys = ("n", "low", "high", "total", "distinct", "min", "max")
            rows = ([made, *(str(o[key]) for key in keys)] for o in check["observations"])
            db.executemany("INSERT INTO observations VALUES(?, ?, ?, ?, ?, ?, ?, ?)", rows)
    return True


@contextlib.contextmanager
def opened(path):
    db = sqlite3.connect(path)
    try:
        db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + TABLES)
        yield db
        db.commit()
    except sqlite3.Error as error:
        raise Unreadable(f"the database: {error}") from error
    finally:
        db.close()


def fill(db, folder, read, partial):
    """All reports below the folder. Returns pairs (path, why) of what was left out."""
    left_out, taken = [], 0
    for path in sources(folder):
        name = path.relative_to(folder)
        try:
            report, text = read(path, partial)
        except Unreadable as error:
            if not partial:
                raise
            left_out.append((str(name), str(error).removeprefix(f"{path}: ")))
            continue
        if add(db, name, report, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()):
            taken += 1
        else:
            left_out.append((str(name), "the same as one that is there already"))
    if not taken:
        raise Unreadable(f"{folder}: no report there can be read: {left_out[0][0]}: {left_out[0][1]}")
    return left_out


def columns(db):
    """The machines: a CPU with its microcode, and what was judged on it. Each with its reports."""
    found = {}
    query = """SELECT id, path, machine, judged, build, complete, headline, platform, options FROM reports
      ORDER BY machine, judged, id"""
    for number, path, machine, pmus, *rest in db.execute(query):
        column = found.setdefault((machine, pmus), {"machine": machine, "judged": pmus, "reports": []})
        keys = ("build", "complete", "headline", "platform", "options")
        column["reports"].append({"id": number, "path": path, **dict(zip(keys, rest))})
    return list(found.values())


def matrix(db, machines):
    """Rows (suite, subject), each with a cell for each machine or None; and the details of cells, by number."""
    at = {report["id"]: i for i, column in enumerate(machines) for report in column["reports"]}
    rows = {}
    query = """SELECT report, suite, subject, verdict, count(*) FROM checks
      GROUP BY report, suite, subject, verdict ORDER BY suite, subject"""
    for report, suite, name, verdict, n in db.execute(query):
        row = rows.setdefault((suite, name), [{} for _ in machines])
        counts = row[at[report]]
        counts[verdict] = counts.get(verdict, 0) + n
    details = {}
    query = """SELECT report, suite, subject, name, verdict, why FROM checks WHERE verdict NOT IN ('exact', 'within')
      ORDER BY severity, id"""
    for report, suite, name, check, verdict, reason in db.execute(query):
        shown = details.setdefault((suite, name, at[report]), [])
        if len(shown) < SHOWN:
            shown.append([report, check, verdict, reason])
    for (suite, name), row in rows.items():
        cells = [
            {
                "verdict": worst(counts),
                "tally": [[v, counts[v]] for v in BY_SEVERITY if v in counts],
                "shown": details.get((suite, name, i), []),
            }
            if counts
            else None
            for i, counts in enumerate(row)
        ]
        verdicts = [cell["verdict"] for cell in cells if cell]
        yield {"suite": suite, "subject": name, "worst": worst(verdicts), "machines": tally(verdicts), "cells": cells}


def html(db, left_out):
    machines = columns(db)
    rows = sorted(matrix(db, machines), key=lambda row: SEVERITY[row["worst"]])
    off = sum(row["worst"] not in FINE for row in rows)
    bad = sum(
        any(row["cells"][i] and row["cells"][i]["verdict"] not in FINE for row in rows) for i in range(len(machines))
    )
    verdicts = [v for v in BY_SEVERITY if any(v == row["worst"] for row in rows)]
    judged_any = any(row["worst"] != "skipped" for row in rows)
    return render(
        "fleet.html.j2",
        machines=machines,
        rows=rows,
        off=off,
        bad=bad,
        judged_any=judged_any,
        verdicts=verdicts,
        left_out=left_out,
        cut=[(c, r) for c in machines for r in c["reports"] if not r["complete"]],
    )
