"""Somebody at the menu: the serial line as a terminal shows it (pyte, an established VT100), and a script that waits for what is to be seen and
then presses keys."""
import time

import pyte

KEYS = {"up": b"\x1b[A", "down": b"\x1b[B", "right": b"\x1b[C", "left": b"\x1b[D", "home": b"\x1b[H", "end": b"\x1b[F", "pgup": b"\x1b[5~", "pgdn": b"\x1b[6~",
        "ret": b"\r", "esc": b"\x1b", "backspace": b"\x7f", "spc": b" "}


class Terminal:
    """boot(..., on_data=Terminal(script).on_data): script(terminal) is a generator that yields what is to be waited for: a text, or a function
    of the lines that is true once they are there (with .settled set: and nothing has come for a moment). It ends the run when it is over."""

    def __init__(self, script, columns=80, rows=25, patience=60):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.send = None
        self.patience = patience
        self.script = script(self)
        self.awaited = next(self.script)
        self.since = time.monotonic()
        self.missed = None  # what did not come
        self.over = False

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def press(self, *keys):
        """At the serial line."""
        for key in keys:
            self.send(KEYS.get(key) or key.encode())

    def seen(self):
        return self.awaited(self.lines) if callable(self.awaited) else any(self.awaited in line for line in self.lines)

    def on_data(self, data, send):
        self.send = send
        if data:
            self.stream.feed(data)
        if self.over:
            return True
        if (data and getattr(self.awaited, "settled", False)) or not self.seen():
            if time.monotonic() - self.since < self.patience:
                return False
            self.missed = self.awaited
            return True
        try:
            self.awaited = next(self.script)
            self.since = time.monotonic()
        except StopIteration:
            self.over = True
        return self.over
