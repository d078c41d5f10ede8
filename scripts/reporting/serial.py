"""The report as it comes over the serial line (boot/sent/serial_report.h), taken out of what was received."""
import base64
import binascii
import lzma
import re
import zlib


class Damaged(Exception):
    """There is no whole report; the text says what is wrong, and where."""


MARK = "#:"


def extract(text, run=None):
    """A report in the text of a serial line, or of the file that machines with a BIOS keep theirs in (boot/bios/kept_file.h), as bytes: the last one,
    or of that file the newest run's, or the run's of this number."""
    blank = "\r\n\0 "
    # What such a file has not been filled with yet is millions of empty lines.
    lines = [(n, line.strip(blank)[len(MARK):]) for n, line in enumerate(text.rstrip(blank).split("\n"), 1) if line.startswith(MARK)]
    begins = [i for i, (_, line) in enumerate(lines) if line == "report"]
    numbers = sorted(int(line.split(" ")[1]) for _, line in lines if re.fullmatch(r"run \d+ .*", line))
    if numbers or run is not None:
        return of_run(lines, begins, numbers, run)
    if not begins:
        raise Damaged("there is no report in it: the line %sreport is not there" % MARK)
    return read(lines, begins[-1] + 1)[0]


def of_run(lines, begins, numbers, run):
    """Runs are not in their order where the oldest made room, and of those there are remains: a report belongs to the run that its end names."""
    wanted = numbers[-1] if run is None and numbers else run
    whole, trouble = {}, None
    for i in begins:
        try:
            report, end = read(lines, i + 1)
            match = end < len(lines) and re.fullmatch(r"kept (\d+)", lines[end][1])
            if match:
                whole[int(match[1])] = report
        except Damaged as e:
            trouble = e
    if wanted in whole:
        return whole[wanted]
    there = ", ".join("%04d" % n for n in sorted(whole))
    raise Damaged("there is no whole report of run %04d%s; %s" % (wanted, " (%s)" % trouble if trouble else "",
                                                                  "there are those of " + there if there else "nor of any other"))


def read(lines, begin):
    """The report whose lines begin there, and where those behind it do."""
    whole, piece = b"", None
    for i, (n, line) in enumerate(lines[begin:], begin):
        words = line.split(" ")
        if words[0] == "piece":
            if piece:
                raise Damaged("line %d: a piece begins before the one of line %d has ended" % (n, piece[0]))
            if not re.fullmatch(r"piece (lzma|plain) \d+ \d+", line):
                raise Damaged("line %d is damaged: %s" % (n, line))
            piece = n, words[1], int(words[2]), int(words[3]), []
        elif words[0] == "sum" and piece:
            whole += unpack(piece, words[-1])
            piece = None
        elif words[0] == "end" and not piece:
            if line != "end %d %08x" % (len(whole), zlib.crc32(whole)):
                raise Damaged("line %d: the report has %d bytes and checksum %08x, and was sent as: %s" % (n, len(whole), zlib.crc32(whole), line))
            return whole, i + 1
        elif piece:
            piece[4].append(decode(n, line))
        else:
            raise Damaged("line %d is damaged: %s" % (n, line))
    raise Damaged("the report is cut short: %d bytes of it came, and its last line did not" % len(whole))


def decode(n, line):
    try:
        return base64.b64decode(line, validate=True)
    except binascii.Error as e:
        raise Damaged("line %d is damaged: %s" % (n, line)) from e


def unpack(piece, checksum):
    first, kind, size, packed, data = piece
    data = b"".join(data)
    if len(data) != packed:
        raise Damaged("the piece that begins at line %d has %d of %d bytes" % (first, len(data), packed))
    try:
        plain = lzma.decompress(data, lzma.FORMAT_ALONE) if kind == "lzma" else data
    except (lzma.LZMAError, EOFError) as e:
        raise Damaged("the piece that begins at line %d is damaged" % first) from e
    if len(plain) != size or "%08x" % zlib.crc32(plain) != checksum:
        raise Damaged("the piece that begins at line %d is damaged: its checksum differs" % first)
    return plain
