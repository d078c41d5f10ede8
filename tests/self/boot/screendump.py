"""What is on QEMU's screen, as text: cells of a dump are compared with the font's glyphs, pixel for pixel."""
import os
import runpy

from boottest import TOP

WIDTH, HEIGHT = 8, 16
UNKNOWN = "\ufffd"  # a cell that is no character of the font in two colours
GLYPHS = runpy.run_path(os.path.join(TOP, "scripts/gen-font"))


def characters():
    """{rows of a glyph: its character}, of those that the image has."""
    font = GLYPHS["glyphs"]()
    return {font[c]: c for c in GLYPHS["CHARACTERS"]}


def read_ppm(path):
    """A picture as (width, height, bytes of red, green and blue)."""
    with open(path, "rb") as f:
        data = f.read()
    fields, at = [], 0
    while len(fields) < 4:
        end = at
        while data[end:end + 1] not in (b" ", b"\n"):
            end += 1
        fields.append(data[at:end])
        at = end + 1
    return int(fields[1]), int(fields[2]), data[at:]


def text(path, scale=1):
    """Lines of text in a dump, without blanks at their ends; a cell that is no character of the font in two colours is shown as \\ufffd."""
    width, height, data = read_ppm(path)
    known, lines = characters(), []
    blank, full = bytes(HEIGHT), bytes([255] * HEIGHT)
    for top in range(0, height // (HEIGHT * scale) * HEIGHT * scale, HEIGHT * scale):
        starts = [(top + y * scale) * width * 3 for y in range(HEIGHT)]
        rows = [[data[at:at + 3] for at in range(start, start + width * 3, 3 * scale)] for start in starts]
        line = ""
        for left in range(0, width // scale // WIDTH * WIDTH, WIDTH):
            cell = [row[left:left + WIDTH] for row in rows]
            found = sorted({pixel for row in cell for pixel in row})
            if len(found) > 2:
                line += UNKNOWN
                continue
            # Which of both colours is the ink is not known; of one colour alone it is a blank or a full block.
            shapes = [bytes(sum(0x80 >> x for x in range(WIDTH) if row[x] == ink) for row in cell) for ink in found]
            shapes = [s for s in shapes if s not in (blank, full)] or [blank]
            line += next((known[s] for s in shapes if s in known), UNKNOWN)
        lines.append(line.rstrip())
    return lines
