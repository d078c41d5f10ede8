#!/usr/bin/python3
"""TAP test of the pages of scripts/assay-report in a real browser: they work, for ten thousand checks, too.

SCREENSHOTS=directory keeps pictures for people.
"""
import json
import pathlib
import re
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from browser import browser, complaints, screenshot  # noqa: E402
from reports import cell, check, identify, report, script  # noqa: E402
from tap import done, equal, ok  # noqa: E402

HOSTILE = '<img src=x onerror="throw 1"><script>throw 2</script>'
SOON = 10  # seconds that a page of ten thousand checks may take on a busy machine
BIG = 18446744073709551615
# Of rows that JavaScript has found: what their cells show.
CELLS = ".map(tr => [...tr.cells].map(td => td.innerText.trim()))"


def sample():
    levels = {
        "class": "branches",
        "trip": "INT n",
        "kernel": "int_ring0",
        "virtual": True,
        "state": "counted",
        "manual": {"OS": 2, "USR": 0},
        "counted": {"OS": 1, "USR": 1},
        "events": [],
    }
    share = {
        "event": "INST",
        "encoding": "0xc0",
        "counter": "PMC0",
        "mechanism": "around ring 3",
        "implied": 3,
        "share": 4,
        "state": "steady",
        "windows": [{"nops": n, "windows": 2, "values": [[n + 4, 2]]} for n in (0, 1, 2, 10, 100)],
    }
    many = check("many", "within", [[240 + 7 * i, 1 + i % 5] for i in range(400)], low=0, high=4000)
    many["observations"][0].update(values=sorted(many["observations"][0]["values"], key=lambda pair: -pair[1]))
    huge = check("huge", "within", [[str(BIG - 10**17 * i), 1] for i in range(100)], low=0, high=str(BIG))
    huge["observations"][0].update(min=str(BIG - 10**17 * 99), max=str(BIG))
    told = report(
        [
            {
                "name": "control",
                "title": "controls",
                "complete": True,
                "checks": [
                    check("gating", "exact", [[240, 3]]),
                    many,
                    huge,
                    check("freeze", "skipped", [], text="version 2"),
                ],
            },
            {
                "name": "events",
                "title": "all events",
                "complete": True,
                "checks": [
                    cell(f"EVENT{e}.NAME", f"PMC{c}", k, level="ring 3")
                    for e in range(40)
                    for c in range(2)
                    for k in ("nops", "calls")
                ]
                + [
                    cell("LLC", "PMC0", "nops", "biased", 241, text="off by 1", bias=1, share=3, slope=[241, 20]),
                    cell("BR.MISS", "PMC0", "calls", "wrong", 0, text=HOSTILE, manual="19.1"),
                    cell("BR.MISS", "PMC1", "calls"),
                    cell(HOSTILE, "PMC0", HOSTILE, "erratum", 3, text="as W1 says"),
                ],
            },
            {
                "name": "skid",
                "title": "skid",
                "complete": True,
                "checks": [check("PMC0", "within", [[2, 9], [3, 4], [5, 1]], low=0, high=9)],
            },
        ]
    )
    told.update(attributions=[levels], shares=[share], facts=[{"suite": "shares", "name": HOSTILE, "text": HOSTILE}])
    told["values"].append({"suite": "skid", "name": "PMC0", "value": "2 (2 to 5)", "unit": "instructions"})
    told["experiments"].append(
        {
            "name": "x",
            "kernel": "k",
            "level": "ring 0",
            "n": 5,
            "reps": 2,
            "passes": 1,
            "bound": 1,
            "proof": "p",
            "counts": [
                {
                    "event": "E",
                    "counter": "C",
                    "pass": 1,
                    "encoding": "0x1",
                    "observations": [
                        {"n": 5, "total": 2, "distinct": 2, "min": 3, "max": 4, "values": [[3, 1], [4, 1]]}
                    ],
                }
            ],
            "deltas": [],
            "samples": [
                {
                    "record": "pebs",
                    "event": "E",
                    "counter": "C",
                    "period": 7,
                    "runs": 1,
                    "elsewhere": 1,
                    "branches": [],
                    "places": [{"at": f"k+0x{i:x}", "offset": i, "samples": 3 + i} for i in range(3)],
                }
            ],
        }
    )
    return told


def test_report(driver, folder):
    def js(text, *args):
        return driver.execute_script(text, *args)

    def shown():
        """Cells of the rows of the table of events, as they are seen."""
        return js("return [...document.querySelectorAll('#events > tbody > tr.opens')]" + CELLS)

    def picture(name, colours=20):
        found = screenshot(driver, name)
        ok(found > colours, f"the picture of {name} is not blank", f"{found} colours")

    def painted(place):
        """Of each canvas in the place, once it can be seen: whether anything is drawn on it."""
        deadline = time.monotonic() + SOON
        js("document.querySelector(arguments[0] + ' canvas').scrollIntoView()", place)
        while True:
            found = js(
                "return [...document.querySelectorAll(arguments[0] + ' canvas')].map(c => c.width > 0 && "
                "c.toDataURL() !== Object.assign(document.createElement('canvas'), {width: c.width, height: c.height})"
                ".toDataURL())",
                place,
            )
            if all(found) or time.monotonic() > deadline:
                return found
            time.sleep(0.05)

    source = folder / "sample.json"
    source.write_text(json.dumps(sample()))
    equal(script("assay-report", "html", source, "-o", folder / "sample.html"), (0, "", ""), "a page is made")
    equal(script("validate-report", source)[::2], (0, ""), "of a report that is valid")
    driver.get(f"file://{folder}/sample.html")
    equal(complaints(driver), [], "it is opened without complaints")
    picture("summary")
    rows = shown()
    equal(
        [row[0] for row in rows[:5]],
        ["wrong", "biased", "erratum", "skipped", "within"],
        "the worst verdicts come first",
    )
    equal(rows[0][1:7], ["events", "BR.MISS", "PMC0-1", "calls", "-", "1 wrong, 1 exact"], "with what they are of")
    equal(rows[2][2], HOSTILE, "markup in a report is shown as text")
    equal(
        js("return [...document.querySelectorAll('#off tbody tr')].map(tr => tr.cells[0].innerText)"),
        ["wrong", "biased", "erratum"],
        "the summary has them in the same order",
    )
    equal(js("return document.querySelectorAll('#events > tbody > tr').length"), 25, "not all rows are on one page")

    # Filters.
    js("document.querySelector('#tiles [data-verdict=biased]').click()")
    equal([row[2] for row in shown()], ["LLC"], "a verdict leaves its rows alone")
    js("document.querySelector('#tiles [data-verdict=exact]').click()")
    equal(
        js("return eventTable.rows({search: 'applied'}).count()"),
        42,
        "another verdict leaves others, and rows that have it among others",
    )
    js("document.querySelector('#tiles [data-verdict=exact]').click()")
    equal(js("return eventTable.rows({search: 'applied'}).count()"), 48, "clicked again, all are there")
    js("const s = document.getElementById('suite'); s.value = 'control'; s.dispatchEvent(new Event('change'))")
    equal([row[2] for row in shown()], ["freeze", "many", "huge", "gating"], "a suite leaves its rows")
    js("document.getElementById('everything').click()")
    field = driver.find_element("css selector", "#events_filter input")
    field.send_keys("EVENT17")
    equal([row[2] for row in shown()], ["EVENT17.NAME"], "the search leaves what it finds")
    field.clear()
    field.send_keys("calls EVENT1")
    equal(js("return eventTable.rows({search: 'applied'}).count()"), 11, "and finds kernels")
    field.clear()
    field.send_keys("nowhere at all")
    equal(shown(), [], "or nothing")
    js("document.getElementById('everything').click()")
    equal(js("return eventTable.rows({search: 'applied'}).count()"), 48, "and all is there again")

    # Order.
    js("document.querySelectorAll('#events > thead th')[2].click()")
    names = [row[2] for row in shown()]
    ok(names == sorted(names) and names[:2] == ["BR.MISS", "EVENT0.NAME"], "a click on a head sorts by it", names)
    js("document.querySelectorAll('#events > thead th')[0].click()")
    equal(shown()[0][0], "wrong", "verdicts are sorted by severity")
    js("document.querySelectorAll('#events > thead th')[0].click()")
    equal(shown()[0][0], "exact", "and the other way round")

    # Detail, from the summary.
    js("document.querySelector('#off [data-row]').click()")
    inner = js("return [...document.querySelectorAll('#events td.opened tbody tr')]" + CELLS)
    equal(
        inner,
        [
            ["wrong", "PMC0/calls", "PMC0", "calls", "-", "20", "240", "0 x3", HOSTILE],
            ["exact", "PMC1/calls", "PMC1", "calls", "-", "20", "240", "240 x3", ""],
        ],
        "a row opens for its checks",
    )
    js("document.querySelector('#events td.opened tr.opens').click()")
    text = js("return document.querySelector('#events .check').innerText")
    ok(
        all(part in text for part in ("manual: 19.1", "encoding: 0xc0", f"why: {HOSTILE}", "N = 20: expected 240")),
        "a check opens for its counts",
        text,
    )
    equal(painted("#events .check"), [True], "and its histogram is drawn")
    equal(
        js(
            "const c = Chart.getChart(document.querySelector('#events .check canvas')); "
            "return [c.data.labels, c.data.datasets[0].data, "
            "c.data.datasets[0].backgroundColor]"
        ),
        [["0", "240 (expected)"], [3, 0], ["#b3261e", "#1b6e3c"]],
        "with what was seen and what was expected",
    )
    picture("detail")
    js("document.querySelector('#events td.opened tr.opens').click()")
    equal(js("return document.querySelectorAll('#events .check').length"), 0, "it closes again")
    js("document.querySelector('#events > tbody > tr.open').focus()")
    driver.switch_to.active_element.send_keys("\n")
    equal(
        js("return document.querySelectorAll('#events > tbody > tr.open').length"),
        0,
        "rows are closed by the keyboard, too",
    )
    for name, bars, times in (("many", 48, 1200), ("huge", 48, 100)):
        js("document.getElementById('everything').click()")
        field.clear()
        field.send_keys(name)
        js(
            "document.querySelector('#events > tbody > tr.opens').click(); "
            "document.querySelector('#events td.opened tr.opens').click()"
        )
        painted("#events .check")
        got = js(
            "const c = Chart.getChart(document.querySelector('#events .check canvas')); const d = c.data.datasets[0]; "
            "return [d.data.length, d.data.reduce((a, b) => a + b), [...new Set(d.backgroundColor)]]"
        )
        equal(got, [bars, times, ["#1b6e3c"]], f"a histogram of {name} values has ranges, and loses none")

    # The other parts.
    js("document.getElementById('distributions').scrollIntoView()")
    equal(painted("#distributions"), [True], "the distribution of skid is drawn")
    picture("skid")
    for part, found in (
        ("shares", "around ring 3"),
        ("values", "bracket"),
        ("registers", "cannot be read"),
        ("experiments", "12 samples in 3 places, 1 elsewhere"),
    ):
        js("document.getElementById(arguments[0]).open = true", part)
        time.sleep(0.1)
        text = js("return document.querySelector('#' + arguments[0] + ' table').innerText", part)
        ok(found in text, f"{part} are there once they are opened", text)
    js(
        "[...document.querySelectorAll('#experiments tr.opens')].forEach(tr => tr.click()); "
        "document.getElementById('experiments').scrollIntoView()"
    )
    equal(painted("#experiments"), [True, True], "counts and samples of an experiment are drawn")
    picture("experiments")
    equal(js("return JSON.parse(document.getElementById('report').textContent)"), sample(), "the report is as it was")
    equal(complaints(driver), [], "all that without complaints")
    js("document.body.append(Object.assign(new Image(), {src: 'http://localhost:9/x.png'}))")
    js("fetch('http://localhost:9/x.json').catch(() => {})")
    time.sleep(0.2)
    told = "\n".join(complaints(driver))
    ok(
        all(
            re.search(f"Content Security Policy.*{kind}|{kind}.*Content Security Policy", told)
            for kind in ("img-src", "connect-src")
        ),
        "nothing could be loaded from elsewhere, and a complaint would be seen",
        told,
    )


def test_size(driver, folder):
    """Ten thousand checks, of which one is off, far down."""
    events = [
        cell(f"EVENT{e}", f"PMC{c}", f"kernel{k}", level=f"ring {r}", text="some of all cycles")
        for e in range(250)
        for c in range(4)
        for k in range(5)
        for r in (0, 3)
    ]
    for number, one in enumerate(events):
        one["name"] += "/" + one["level"]
        one["observations"] = [dict(one["observations"][0], n=n) for n in (20, 40, 60)]
        if number == 9001:
            one.update(verdict="wrong", text="planted")
    source = folder / "big.json"
    source.write_text(
        json.dumps(report([{"name": "events", "title": "all events", "complete": True, "checks": events}]))
    )
    begun = time.monotonic()
    equal(
        script("assay-report", "html", source, "-o", folder / "big.html"),
        (0, "", ""),
        "a page of 10,000 checks is made",
    )
    made = time.monotonic() - begun
    begun = time.monotonic()
    driver.get(f"file://{folder}/big.html")
    equal(
        driver.execute_script("return document.querySelector('#events > tbody > tr').cells[2].innerText"),
        "EVENT225",
        "and what is off is on top",
    )
    opened = time.monotonic() - begun
    begun = time.monotonic()
    driver.execute_script(
        "document.querySelector('#tiles [data-verdict=exact]').click(); "
        "eventTable.search('kernel3').page.len(-1).draw()"
    )
    equal(
        driver.execute_script("return document.querySelectorAll('#events > tbody > tr.opens').length"),
        250,
        "it is filtered and shown as a whole",
    )
    filtered = time.monotonic() - begun
    size = (folder / "big.html").stat().st_size / source.stat().st_size
    ok(
        made < SOON and opened < SOON and filtered < SOON and size < 2,
        "none of that takes long",
        f"{made:.1f} s to make, {opened:.1f} s to open, {filtered:.1f} s to filter, {size:.2f} times the report",
    )
    print(f"# {made:.1f} s to make, {opened:.1f} s to open, {filtered:.1f} s to filter, {size:.2f} times the report")
    equal(complaints(driver), [], "and nothing complains")


def three(folder):
    """Reports of two machines: the sample twice, of which one has more that is off."""
    one, two, other = sample(), sample(), sample()
    two["suites"][1]["checks"][0].update(verdict="dead", text=HOSTILE)
    two["options"] = "n=21"
    identify(other, stepping="7", brand=HOSTILE)
    paths = []
    for name, told in (("one", one), ("two", two), ("other", other)):
        told["totals"] = report(told["suites"])["totals"]
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(told))
    return paths


def test_compare(driver, folder):
    def js(text):
        return driver.execute_script(text)

    equal(
        script("assay-report", "compare", *three(folder), "-o", folder / "compare.html")[::2], (1, ""), "a comparison"
    )
    driver.get(f"file://{folder}/compare.html")
    equal(complaints(driver), [], "it is opened without complaints")
    ok(screenshot(driver, "compare") > 20, "its picture is not blank")
    text = js("return document.getElementById('same').innerText")
    equal(
        text, "Different CPUs, the same microcode, different options (n).", "whether it is the same machine comes first"
    )
    rows = "return [...document.querySelectorAll('#changes0 > tbody > tr')]" + CELLS
    equal(js(rows)[0][:5], ["newly off", "events", "EVENT0.NAME/PMC0/nops", "exact", "dead"], "what changed is there")
    ok(HOSTILE in js(rows)[0][5], "with its reason, as text")
    equal(js("return document.getElementById('changes1')"), None, "and no table where nothing did")


def test_fleet(driver, folder):
    def js(text):
        return driver.execute_script(text)

    place = folder / "fleet"
    place.mkdir()
    three(place)
    equal(script("assay-report", "fleet", place, "-o", folder / "fleet.html"), (0, "", ""), "a matrix")
    driver.get(f"file://{folder}/fleet.html")
    equal(complaints(driver), [], "it is opened without complaints")
    ok(screenshot(driver, "fleet") > 20, "its picture is not blank")
    rows = "return [...document.querySelectorAll('#matrix > tbody > tr.opens')]" + CELLS
    equal(
        js(rows)[:2],
        [["wrong", "events", "BR.MISS", "wrong", "wrong"], ["dead", "events", "EVENT0.NAME", "exact", "dead"]],
        "the worst rows come first",
    )
    js("document.getElementById('disagree').click()")
    equal([row[2] for row in js(rows)], ["EVENT0.NAME"], "those where machines disagree are left")
    js("document.querySelector('#matrix > tbody > tr.opens').click()")
    text = js("return document.querySelector('#matrix td.opened').innerText")
    ok(
        all(part in text for part in ("1: <img", "2: B, family 6", "4 exact", "1 dead, 7 exact", "two.json", HOSTILE)),
        "a row opens for what each machine says",
        text,
    )
    ok(screenshot(driver, "fleet-detail") > 20, "and its picture is not blank")
    js(
        "document.getElementById('disagree').click(); "
        "const s = document.getElementById('verdict'); s.value = 'erratum'; "
        "s.dispatchEvent(new Event('change'))"
    )
    equal([row[2] for row in js(rows)], [HOSTILE], "a verdict leaves its rows")
    equal(complaints(driver), [], "all that without complaints")


with tempfile.TemporaryDirectory() as name, browser() as window:
    test_report(window, pathlib.Path(name))
    test_compare(window, pathlib.Path(name))
    test_fleet(window, pathlib.Path(name))
    test_size(window, pathlib.Path(name))
done()
