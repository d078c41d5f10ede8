"""A command line of perfex, with registers as it takes them."""
import getopt
import re

from p4.section import Refused, Section, events_keys, ring_of, word

WORD = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)")
PAIR = re.compile(r"%s(?:/%s)?(?:@%s)?$" % ((WORD.pattern,) * 3))
T1_USR, T1_OS, T0_USR, T0_OS = 1, 2, 4, 8
REPLAY_EVENT, CRU_ESCR2_AND_3 = 9, 5
ENABLE_PEBS = 1 << 25


def number(text, what):
    """perfex's manual has decimal and hexadecimal numbers of 32 bits."""
    if not WORD.fullmatch(text):
        raise Refused("%s: %s is no number: write it as 0x3B000 or 241664" % (what, text))
    value = int(text, 0)
    if value >> 32:
        raise Refused("%s: %s has more than 32 bits" % (what, text))
    return value


def pair(text):
    """CCCR, ESCR and counter of one event. The counter is None where none is given."""
    parts = PAIR.match(text)
    if not parts:
        raise Refused("-e %s: perfex takes CCCR/ESCR@COUNTER" % text)
    cccr, escr, counter = parts.groups()
    if escr is None:
        raise Refused("-e %s: a Pentium 4 takes an ESCR, too: CCCR/ESCR@COUNTER" % text)
    return number(cccr, "-e " + text), number(escr, "-e " + text), counter and number(counter, "-e " + text)


def counts_tags_of_replays(cccr, escr):
    return escr >> 25 & 0x3F == REPLAY_EVENT and cccr >> 13 & 7 == CRU_ESCR2_AND_3


def perfex(arguments, options):
    """The section that counts what a command line counts."""
    long_options = [
        "event=",
        "p4pe=",
        "p4_pebs_enable=",
        "p4pmv=",
        "p4_pebs_matrix_vert=",
        "info",
        "list",
        "long-list",
        "output=",
    ]
    try:
        given, program = getopt.getopt(arguments, "e:ilLo:", long_options)
    except getopt.GetoptError as error:
        raise Refused("perfex: %s" % error) from error
    pairs, replay, comments = [], {}, []
    for option, value in given:
        if option in ("-e", "--event"):
            pairs.append(pair(value))
        elif option in ("--p4pe", "--p4_pebs_enable"):
            replay["p4pe"] = number(value, option)
        elif option in ("--p4pmv", "--p4_pebs_matrix_vert"):
            replay["p4pmv"] = number(value, option)
        elif option in ("-i", "--info"):
            raise Refused(
                "perfex -i counts nothing: Assay names the processor and its counters at the beginning of each run"
            )
        elif option in ("-l", "--list", "-L", "--long-list"):
            raise Refused("perfex %s counts nothing: build/assay-encode --list -v PMU lists events" % option)
        else:
            comments.append("perfex writes to %s; Assay writes report.json." % value)
    if not pairs:
        raise Refused("perfex: no -e")
    if len({counter is None for _, _, counter in pairs}) > 1:
        raise Refused("perfex: either all events name a counter, or none does")
    if replay.get("p4pe", 0) & ENABLE_PEBS:
        raise Refused("--p4pe=0x%08X: bit 25 is PEBS itself, and perfctr refuses it: clear it" % replay["p4pe"])
    listeners = [i for i, (cccr, escr, _) in enumerate(pairs) if counts_tags_of_replays(cccr, escr)]
    if replay and not listeners:
        raise Refused("--p4pe and --p4pmv tag replays, and no event counts them: replay_event has event select 9")
    events = []
    for i, (cccr, escr, counter) in enumerate(pairs):
        text = "0x%08X/0x%08X" % (cccr, escr)
        if i in listeners:
            text += "".join(":%s=0x%08X" % part for part in sorted(replay.items()))
        events.append(text + ("" if counter is None else "@0x%08X" % counter))
    user = any(escr & (T0_USR | T1_USR) for _, escr, _ in pairs)
    system = any(escr & (T0_OS | T1_OS) for _, escr, _ in pairs)
    if not user and not system:
        raise Refused("the ESCRs count in no ring: set some of bits 3 to 0")
    comments.insert(0, "perfex " + " ".join(arguments))
    keys = [("kernel", options.kernel), ("ring", ring_of(user, system))]
    keys += [("passes", "one")] if len(events) > 1 else []
    keys += [("pmu", "netburst*")] + events_keys(events)
    return Section(word("perfex-" + (program[0] if program else "events")), comments, keys)
