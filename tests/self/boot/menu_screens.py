"""The menu, driven through QEMU's keyboard or its serial line, and what is to be seen: shared by its test and by scripts/screenshots."""
import os
import re
import time

import screendump
from PIL import Image
from boottest import boot
from monitor import Monitor
from terminal import Terminal

GLYPH = 8, 19  # of EDK II's console
OPTIONS = "pmu=virtual suite=control check=wrap*,LVT*,overflow* reps=3 inject=dropped-carry"


def complete(help_text, *texts):
    """All of these are there, and the last row, which is drawn last; and nothing more comes."""
    def seen(lines):
        return any(help_text in line for line in lines[-2:]) and all(any(text in line for line in lines) for text in texts)
    seen.settled = True
    return seen


START, PICK, SWITCH = "Esc goes back", "a letter jumps", "Space switches"
RESULTS, DETAIL = "Enter opens", "Up/Down scroll"


def walk(terminal, press, key, text):
    """Press a key until a text is there: which entries the menu has depends on the suites that there are."""
    for _ in range(15):
        if any(text in line for line in terminal.lines):
            return
        before = list(terminal.lines)
        press(key)
        changed = complete(START)
        moved = lambda lines, was=before, page=changed: lines != was and page(lines)  # noqa: E731
        moved.settled = True
        yield moved


def visit(press, shot):
    """From the menu to the end of a run, a picture of each page."""
    def script(terminal):
        yield complete(START, "Run as configured", "Runs as configured in")
        shot("start")
        yield from walk(terminal, press, "down", "What is to be judged")
        press("ret")
        yield complete(SWITCH, "[x] control", "[ ] events")
        shot("menu")
        press("down", "spc")
        yield complete(SWITCH, "[x] step")
        press("esc")  # not kept
        yield complete(START, "Run as configured", "suite=control")
        press("home")
        yield complete(START, "Run what assay.cfg")
        press("ret")
        yield lambda lines: any("ok " in line and "control" in line for line in lines)
        shot("progress")
        yield complete(RESULTS, "the worst first", "report: in")
        shot("end")
        press("b", "down", "down", "down", "down", "down")
        yield complete(RESULTS, "bad ones, the worst first", "6 of")
        shot("wrong")
        press("ret")
        yield complete(DETAIL, "verdict     wrong", "expected 51", "#")
        shot("detail")
        press("esc")
        yield complete(RESULTS, "bad ones")
        press("s")
        yield complete(RESULTS, "bad ones, as they were run", "1 of")
        press("end", "ret")
        yield complete(DETAIL, "verdict")
        press("esc")
        yield complete(RESULTS, "as they were run")
    return script


def dump(monitor, path):
    """A picture in which nothing is being drawn any more: the serial line may be ahead of the screen."""
    before = None
    for _ in range(20):
        monitor.do("screendump " + path)
        with open(path, "rb") as f:
            now = f.read()
        if now == before:
            return
        before = now
        time.sleep(0.2)


SMALLEST = 640, 480  # on which firmware's console has 80 columns and 25 rows, and no more


def run(by_serial, pictures=None, config="exit=halt menu=30 " + OPTIONS + "\n", script=visit, size=None, **more):
    """@return (the run, its terminal, {page: lines of the serial terminal}, {page: path of a picture}); pictures: a folder for them; size: of the
    screen, if not what firmware takes by itself"""
    pages, shots = {}, {}
    with Monitor() as monitor:
        terminal = None

        def press(*keys):
            if by_serial:
                return terminal.press(*keys)
            for key in keys:
                monitor.do("sendkey " + key)

        def shot(name):
            pages[name] = list(terminal.lines)
            if pictures:
                shots[name] = os.path.join(pictures, name + ".ppm")
                if name == "progress":  # it does not wait
                    pages[name] = monitor.screen(shots[name])
                else:
                    dump(monitor, shots[name])

        terminal = Terminal(script(press, shot))
        video = ("-vga", "std") if pictures else ("-vga", "none")
        if pictures and size:
            video = ("-vga", "none", "-device", "VGA,edid=on,xres=%d,yres=%d" % size)
        r = boot("disk", config=config, extra=(*video, *monitor.options), timeout=200, until_exit=True, on_data=terminal.on_data, **more)
    return r, terminal, pages, shots


def shapes(picture):
    """Of a picture (width, height, bytes) with firmware's console in the middle: rows of what each cell looks like."""
    width, height, data = picture
    left, top = (width - 80 * GLYPH[0]) // 2, (height - 25 * GLYPH[1]) // 2
    for row in range(25):
        line = []
        for column in range(79):
            cell = []
            for y in range(GLYPH[1]):
                at = ((top + row * GLYPH[1] + y) * width + left + column * GLYPH[0]) * 3
                cell += [data[at + x * 3:at + x * 3 + 3] for x in range(GLYPH[0])]
            line.append(tuple(pixel != cell[0] for pixel in cell))
        yield line


def glyphs_agree(path, lines, known):
    """Each glyph of a picture stands for one character of the serial terminal's page, and each character has one glyph; known: those of other
    pictures. @return what disagrees"""
    wrong, used = [], 0
    for row, line in enumerate(shapes(screendump.read_ppm(path))):
        for column, shape in enumerate(line):
            character = (lines[row] if row < len(lines) else "").ljust(80)[column]
            used += character != " "
            if known["shape"].setdefault(character, shape) != shape or known["character"].setdefault(shape, character) != character:
                wrong.append((row, column, character))
    return wrong if used > 100 else ["hardly anything is there"]


def kept_page(path, known):
    """The words of a picture in docs/screenshots, by glyphs that are known from others: without what has a digit, as builds, times and counts have."""
    with Image.open(path) as picture:
        data = picture.convert("RGB")
        lines = ["".join(known["character"].get(shape, "?") for shape in line) for line in shapes((*data.size, data.tobytes()))]
    return words(lines)


def words(lines):
    return [[word for word in line.split() if not re.search(r"[0-9]|^[#.*|+-]*$", word)] for line in lines]
