"""The report as QR codes (boot/sent/codes.h), put together from what was read off pictures."""
import re
import zlib

from reporting.serial import Damaged, unpack

CODE = re.compile(r"ASSAY:([0-9A-F]{8}):(\d+):(\d+):([0-9A-F]{8}):(.*)\.$")
DIGITS = {c: n for n, c in enumerate("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")}


def base45(text):
    """RFC 9285. @raise ValueError if it is none"""
    data = b""
    for at in range(0, len(text), 3):
        group = text[at:at + 3]
        if len(group) == 1 or any(c not in DIGITS for c in group):
            raise ValueError(group)
        data += sum(DIGITS[c] * 45 ** i for i, c in enumerate(group)).to_bytes(len(group) - 1, "big")
    return data


class Codes:
    """Codes as they come, in any order, each as often as it likes."""

    def __init__(self):
        self.data, self.run, self.count = {}, None, None
        self.damaged = set()

    def take(self, text):
        """One code's text. What is no code of Assay's is passed over, and so is a code whose checksum differs as long as it comes whole elsewhere.
        @return whether it was one that is whole @raise Damaged if it is another report's"""
        code = CODE.match(text.strip("\r\n"))
        if not code:
            return False
        run, number, count = code[1], int(code[2]), int(code[3])
        try:
            data = base45(code[5])
        except (ValueError, OverflowError):
            data = None
        if data is None or "%08X" % zlib.crc32(data) != code[4]:
            self.damaged.add(number)
            return False
        if self.run not in (None, run) or self.count not in (None, count):
            raise Damaged("the codes are of two reports, %s and %s: give those of one" % (self.run, run))
        self.run, self.count = run, count
        self.data[number] = data
        return True

    def report(self):
        """The report, as bytes. @raise Damaged if it is not whole"""
        if not self.data and not self.damaged:
            raise Damaged("there is no code of Assay's in them")
        if not self.data:
            raise Damaged("code %s is damaged: its checksum differs" % listed(self.damaged))
        missing = set(range(1, self.count + 1)) - set(self.data)
        damaged = missing & self.damaged
        if missing:
            raise Damaged("of %d codes number %s is missing%s" % (self.count, listed(missing),
                                                                    ", as read its checksum differs: number " + listed(damaged) if damaged else ""))
        data = b"".join(self.data[n] for n in range(1, self.count + 1))
        if "%08X" % zlib.crc32(data) != self.run:
            raise Damaged("the codes do not fit together: the checksum of all differs")
        return whole(data)


def listed(numbers):
    """1-3, 7"""
    parts = []
    for n in sorted(numbers):
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join("%d" % a if a == b else "%d-%d" % (a, b) for a, b in parts)


def whole(data):
    report, at = b"", 0
    while at < len(data):
        line, _, _ = data[at:at + 80].partition(b"\n")
        words = line.decode("latin-1").split(" ")
        at += len(line) + 1
        if words[0] == "end" and words[1:] == ["%d" % len(report), "%08x" % zlib.crc32(report)] and at == len(data):
            return report
        if words[0] != "piece" or len(words) != 5 or not words[2].isdigit() or not words[3].isdigit():
            break
        size = int(words[3])
        report += unpack((at, words[1], int(words[2]), size, [data[at:at + size]]), words[4])
        at += size
    raise Damaged("the codes do not hold a whole report: byte %d of %d" % (at, len(data)))
