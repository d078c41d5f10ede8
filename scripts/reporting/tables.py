"""Reports for programs: JUnit XML, as servers of continuous integration read it, and CSV."""
import csv
import io
import re

import junit_xml

from .reading import FINE, evidence, suite_title, why

COLUMNS = [
    "suite",
    "processor",
    "check",
    "verdict",
    "virtual",
    "event",
    "counter",
    "kernel",
    "level",
    "encoding",
    "share",
]
COUNTS = ["n", "low", "high", "total", "distinct", "min", "max"]
# What XML 1.0 has no way to say.
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text):
    return NO_XML.sub("\ufffd", text)


def case(suite, check):
    made = junit_xml.TestCase(clean(check["name"]), classname=clean(f"assay.{suite}"))
    verdict, reason = check["verdict"], clean(why(check))
    lines = clean("\n".join(filter(None, [check.get("text"), *evidence(check)])))
    if verdict == "skipped":
        made.add_skipped_info(reason or "skipped")
    elif verdict == "error":
        made.add_error_info(f"error: {reason}", lines, verdict)
    elif verdict not in FINE:
        made.add_failure_info(f"{verdict}: {reason}", lines, verdict)
    return made


def troubles(report):
    """Pairs (what should be, what is): a server must not take these for success."""
    if not report["complete"]:
        yield "the run came to its end", "it was cut short"
    if report["lost"]:
        yield "there was memory for every record", f"{report['lost']} records are lost"
    if report["totals"]["checks"] == report["totals"]["skipped"]:
        yield "something was judged", "nothing was"


def junit(report):
    """The verdicts as test cases. What is wrong with the run itself is a case more, which is an error."""
    properties = {"build": report["build"], "options": report["options"]}
    properties = {name: clean(value) for name, value in properties.items()}
    suites = []
    for suite in report["suites"]:
        title = suite_title(report, suite)
        cases = [case(title, check) for check in suite["checks"]]
        suites.append(junit_xml.TestSuite(clean(title), cases, properties=properties))
    run = [junit_xml.TestCase(name, classname="assay.run") for name, _ in troubles(report)]
    for made, (_, text) in zip(run, troubles(report)):
        made.add_error_info(text)
    if run:
        suites.append(junit_xml.TestSuite("run", run, properties=properties))
    return junit_xml.to_xml_report_string(suites, prettyprint=False)


def lines(report):
    """A row for each observation, and one for a check that has none."""
    yield COLUMNS + COUNTS + ["values", "unlisted", "text"]
    for suite in report["suites"]:
        for check in suite["checks"]:
            first = [suite["name"], suite.get("processor", ""), check["name"], check["verdict"], int(check["virtual"])]
            first += [check.get(key, "") for key in COLUMNS[len(first) :]]
            text = check.get("text", "")
            for o in check["observations"]:
                values = " ".join(f"{value}x{times}" for value, times in o["values"])
                yield first + [o[key] for key in COUNTS] + [values, o.get("unlisted", 0), text]
            if not check["observations"]:
                yield first + [""] * (len(COUNTS) + 2) + [text]


def comma_separated(report):
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(lines(report))
    return made.getvalue()
