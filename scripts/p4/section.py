"""Sections of a configuration for Assay, and what makes one from several tools' words."""
import dataclasses
import re
import textwrap

NAME_LENGTH = 31  # of an experiment
SECTIONS = 32  # that one configuration may have
EVENT_LENGTH = 95  # of one event string
EVENTS = 16  # that one experiment may have


class Refused(Exception):
    """What cannot be said to Assay, in the words of who asked for it."""


@dataclasses.dataclass
class Options:
    kernel: str = "mix"  # globs of kernels that stand for programs
    programs: dict = dataclasses.field(default_factory=dict)  # of one program: the globs that stand for it
    config: str = None  # Brink's configuration file
    reps: int = None  # how often each program is run; None: as the run has it

    def repeated(self, times):
        return dataclasses.replace(self, reps=times)


@dataclasses.dataclass
class Section:
    name: str
    comments: list
    keys: list  # pairs of key and value, in order


def word(text):
    """A name that a section may have."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-")[:NAME_LENGTH] or "experiment"


def distinct(sections):
    """Names that occur once, made so by numbers."""
    seen = {}
    for s in sections:
        seen[s.name] = seen.get(s.name, 0) + 1
        if seen[s.name] > 1:
            tail = "-%d" % seen[s.name]
            s.name = s.name[: NAME_LENGTH - len(tail)] + tail
    return sections


def text_of(sections, pmu=None):
    """The configuration. pmu: of the run; None leaves the machine's own."""
    if len(sections) > SECTIONS:
        raise Refused(
            "%d experiments are more than the %d that one configuration may have: convert fewer at a time"
            % (len(sections), SECTIONS)
        )
    lines = ["pmu=%s suite=experiments" % pmu if pmu else "suite=experiments"]
    for s in distinct(sections):
        lines.append("")
        for comment in s.comments:
            lines += textwrap.wrap(comment, 116, initial_indent="# ", subsequent_indent="#   ") or ["#"]
        lines.append("[experiment %s]" % s.name)
        lines += ["%s=%s" % (key, value) for key, value in s.keys]
    return "\n".join(lines) + "\n"


def events_keys(events):
    """events= of a list of strings, each of which is allowed."""
    if len(events) > EVENTS:
        raise Refused("%d events are more than the %d that one experiment may have" % (len(events), EVENTS))
    for e in events:
        if len(e) > EVENT_LENGTH:
            raise Refused("%s is longer than %d characters" % (e, EVENT_LENGTH))
    return [("events", e) for e in events]


def ring_of(user, system):
    """ring= for events that count in these rings."""
    return {(True, False): "3", (False, True): "0", (True, True): "both"}[user, system]
