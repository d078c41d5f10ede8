"""The report as it comes over the serial line (boot/sent/serial_report.h), taken out of what was received."""
import base64
import binascii
import lzma
import re
import zlib


class Damaged(Exception):
    """There is no whole report; the text says what is wrong, and where."""


MARK = "#:"


def extract(text):
    """The last report in the text of a serial line, as bytes."""
    lines = [(n, line.strip("\r\n\0 ")[len(MARK):]) for n, line in enumerate(text.split("\n"), 1) if line.startswith(MARK)]
    begins = [i for i, (_, line) in enumerate(lines) if line == "report"]
    if not begins:
        raise Damaged("there is no report in it: the line %sreport is not there" % MARK)
    lines = lines[begins[-1] + 1:]
    whole, piece = b"", None
    for n, line in lines:
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
            return whole
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
