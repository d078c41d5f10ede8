#!/usr/bin/python3
"""The menu: on the screen by the keyboard, and on a serial line, from the start to the detail of a wrong verdict; what it saves; nobody there."""
import os
import re
import tempfile
import time

import screendump
from PIL import Image
from boottest import TOP, boot, done, emulators, equal, ok, tail
from menu_screens import OPTIONS, RESULTS, SMALLEST, START, complete, glyphs_agree, kept_page, run, walk, words


def came(r, terminal, name):
    return ok(terminal.over and not terminal.missed, name, [repr(terminal.missed)] + terminal.lines + tail(r))


with tempfile.TemporaryDirectory() as folder:
    r, terminal, pages, shots = run(False, folder, size=SMALLEST)
    if came(r, terminal, "by the keyboard: from the menu to the detail of a wrong verdict and back"):
        equal(r.status, 1, "the run that was asked for was carried out: %s" % r.verdict)
        known = {"shape": {}, "character": {}}
        for name in ("start", "menu", "end", "wrong", "detail"):
            equal(glyphs_agree(shots[name], pages[name], known)[:5], [], "the screen shows the page %s as the serial line does" % name)
        equal({screendump.read_ppm(path)[:2] for path in shots.values()}, {SMALLEST}, "all on a screen of 80 columns and 25 rows")
        for name in ("start", "menu", "end", "wrong", "detail"):
            kept = kept_page(os.path.join(TOP, "docs/screenshots", name + ".png"), known)
            seen = words((pages[name] + [""] * 25)[:25])
            equal([(a, b) for a, b in zip(kept, seen) if a != b], [], "docs/screenshots/%s.png is as the page is today (scripts/screenshots makes it)" % name)
        ok(kept_page(os.path.join(TOP, "docs/screenshots/start.png"), known) != words((pages["menu"] + [""] * 25)[:25]), "which that of another page is not")
        with Image.open(os.path.join(TOP, "docs/screenshots/progress.png")) as picture:
            picture.convert("RGB").save(os.path.join(folder, "kept.ppm"))
        kept = screendump.text(os.path.join(folder, "kept.ppm"))
        ok(re.match(r" Assay \S+   \S+-\d+-[0-9A-F]+-[0-9A-F]+   \\assay\\runs\\0001-", kept[0]) and "suite 1 of 1: control" in kept[1] and
           re.match(r" check \d+: ", kept[2]) and " checks, " in kept[3] and set(kept[4]) == {"\u2500"},
           "docs/screenshots/progress.png has the lines of the progress", kept[:5])
        ok(len(known["shape"]) > 50, "%d characters were read back" % len(known["shape"]))
        # The machine does not wait for this picture: it may be at its suite or behind it, or done. (screen.t has each line at a place that is known.)
        over = any("the worst first" in line for line in pages["progress"])
        ok(over or re.match(r" Assay \S+   \S+-\d+-[0-9A-F]+-[0-9A-F]+   \\assay\\runs\\0001-", pages["progress"][0]) and
           re.match(r" (suite 1 of 1: control|looking what became of|writing)", pages["progress"][1]) and re.match(r" check \d+: ", pages["progress"][2]) and
           re.search(r" \d+ checks, \d+ bad ", pages["progress"][3]),
           "while the machine is taken, the screen has the progress", pages["progress"][:5])
        equal(max(len(line) for name in shots if name != "progress" for line in pages[name]) <= 79, True, "every page fits 80 columns")
        verdicts = [line.split()[0] for line in pages["end"][4:20]]
        ok(verdicts[:2] == ["wrong", "wrong"], "the worst are the first", pages["end"])
        ok(all(line.startswith(" wrong") for line in pages["wrong"][4:9]) and re.search(r"\d+ wrong", pages["wrong"][1]), "the bad ones alone", pages["wrong"])
        detail = " ".join(" ".join(pages["detail"]).split())
        ok(re.search(r"check wrap/PMC0 suite control verdict wrong why .*N=\d+, expected 51 \d{10,} 1 x #+", detail), "the detail has reason and histogram", pages["detail"])


def settings(press, shot):
    def script(t):
        yield complete(START, "Runs as configured in")
        press("end", "up", "up")
        yield complete(START, "Every option")
        press("ret")
        yield complete("a letter jumps", "pmu=virtual")
        press("n")
        yield lambda lines: any("n=0" in line and "first value" in line for line in lines)
        press("ret", "backspace", "x", "ret")
        yield "wants a number"
        press("ret")
        yield complete("a letter jumps", "n=0")
        press("ret", "backspace", "7", "ret")
        yield complete("a letter jumps", "n=7")
        press("v", "ret")
        yield complete("a letter jumps", "verbose=1")
        press("esc")
        yield complete(START, "Every option")
        press("down")
        yield complete(START, "Keep the options")
        press("ret")
        yield "Saved in"
        shot("saved")
        press("ret")
        yield complete(START, "Keep the options")
        yield from walk(t, press, "up", "What the processor and the firmware")
        press("ret")
        yield lambda lines: any("processor" in line for line in lines) and any("CPUID." in line for line in lines)
        press("esc")
        yield complete(START, "What the processor and the firmware")
        yield from walk(t, press, "up", "Run the experiments")
        press("ret")
        yield "mine"
        press("ret")
        yield complete(RESULTS, "checks:")
    return script


saved = {}
EXPERIMENT = "# kept\nexit=halt menu=30 pmu=virtual suite=control\n[experiment mine]\nkernel=nop_loop events=INST_RETIRED.ANY_P\n"
r, terminal, pages, _ = run(True, config=EXPERIMENT, script=settings, inspect=lambda image: saved.update(text=emulators.read_file(image, "/assay/assay.cfg").decode()))
came(r, terminal, "by the serial line, without a screen: settings are changed, a bad one is refused, they are saved, the machine is told, experiments run")
text = saved.get("text", "")
ok(text.startswith(EXPERIMENT) and " n=7 " in " " + text.split("[options]")[-1].replace("\n", " "), "assay.cfg has what it had, and what was set behind it", text)
ok(r.report and r.report["options"].find(" n=7 ") > 0 and [x["name"] for x in r.report["experiments"]] == ["mine"], "the run took them", r.report and r.report["options"])

# Nobody is there: it runs, and the results are as ever. What is on the line is no key. With exit=auto, the default, they stay until a key is pressed,
# and then firmware goes on.
WAITS = 2  # seconds
told = {"all": b"", "since": None, "before": None, "after": b""}


def nobody(data, send):
    told["all"] += data
    if told["before"] is not None:
        told["after"] += data
    elif told["since"] is None and b"press a key to leave" in told["all"]:
        told["since"] = time.monotonic()
    elif told["since"] and time.monotonic() > told["since"] + WAITS:
        told["before"] = told["all"]
        send(b"x")
    return bool(re.search(rb"BdsDxe|Shell|Boot", told["after"]))


r = boot("disk", config="menu=2 " + OPTIONS + "\n", on_data=nobody, until_exit=True, timeout=120)
ok(r.status == 1 and r.report and r.report["complete"], "nobody there: after the time it runs: %s" % r.verdict, tail(r))
last = emulators.ESCAPES.sub("", (told["before"] or b"").decode("latin-1")).splitlines()[-1:]
ok(told["before"] and last[0].strip().endswith("press a key to leave"), "with exit=auto nothing comes behind the results for %d s" % WAITS, [repr(last)] + tail(r))
ok(told["after"], "then a key lets firmware go on", [repr(told["after"])])
done()
