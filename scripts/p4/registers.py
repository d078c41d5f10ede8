"""Fields of ESCR and CCCR (SDM vol. 3, tables 18-64 and 18-66), and what Assay's own lists of events have."""
import csv
import dataclasses
import os
import re

FAMILY = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))), "pmu/netburst")

# First bit and width.
ESCR = {
    "usr": (2, 1),
    "os": (3, 1),
    "tag_enable": (4, 1),
    "tag0": (5, 1),
    "tag1": (6, 1),
    "tag2": (7, 1),
    "tag3": (8, 1),
    "event_mask": (9, 16),
    "event_select": (25, 6),
}
CCCR = {
    "enable": (12, 1),
    "escr_select": (13, 3),
    "compare": (18, 1),
    "complement": (19, 1),
    "threshold": (20, 4),
    "edge": (24, 1),
    "force_ovf": (25, 1),
    "ovf_pmi": (26, 1),
    "cascade": (30, 1),
    "ovf": (31, 1),
}
COUNTER = {"counter": (0, 40)}
PEBS_ENABLE = {
    "l0miss": (0, 1),
    "l1miss": (1, 1),
    "dtlbmiss": (2, 1),
    "mob": (9, 1),
    "split": (10, 1),
    "tag": (24, 1),
    "enable_pebs": (25, 1),
}
PEBS_MATRIX = {"ld": (0, 1), "st": (1, 1)}
ENABLE_PEBS = 1 << 25
COMPARE = 1 << 18
FILTERS = 1 << 19 | 15 << 20 | 1 << 24  # complement, threshold, edge
FAST_RDPMC = 1 << 31  # of a counter as perfex has it
THREAD_ANY = 3 << 16  # the field that Brink's files call reserved and set

# What Brink's and the thesis's names are in Assay's lists.
ALIASES = {
    "loads_retired": "memory_loads",
    "stores_retired": "memory_stores",
    "ld_miss_1l_retired": "1stL_cache_load_miss_retired",
    "ld_miss_2l_retired": "2ndL_cache_load_miss_retired",
}


@dataclasses.dataclass
class Event:
    name: str
    select: int
    escr_select: int
    escrs: tuple  # names in lower case
    masks: dict  # bit of the mask: name


@dataclasses.dataclass
class Metric:
    name: str
    mechanism: str  # front_end, execution, replay
    count: str  # names of events, in lower case
    count_mask: int
    source: str  # None: nothing tags besides
    source_mask: int
    enable: int  # MSR_PEBS_ENABLE
    matrix: int


def _rows(name):
    with open(os.path.join(FAMILY, "events", name), encoding="ascii", newline="") as f:
        return list(csv.DictReader(f))


def events():
    """Each event by its name in lower case."""
    found, now = {}, None
    for row in _rows("events.csv"):
        if row["id"]:
            escrs = tuple(e.lower() for e in (row["escr"], row["other escr"]) if e != "ESCR_NONE")
            now = Event(row["name"], int(row["selector"], 16), int(row["escr select"]), escrs, {})
            found[now.name.lower()] = now
        elif row["mask"]:
            now.masks[int(row["bit"])] = row["mask"]
    return found


def metrics(names):
    """Each metric by its name in lower case; names: of events by their identifier."""
    found = {}
    for row in _rows("metrics.csv"):
        mechanism = row["tags"][len("TAG_") :].lower()
        if mechanism == "nothing":
            continue
        tagger = row["tagging event"]
        found[row["name"].lower()] = Metric(
            row["name"],
            mechanism,
            names[row["event"]],
            int(row["mask"], 0),
            names.get(tagger),
            int(row["tagging mask"], 0),
            int(row["pebs enable"], 0),
            int(row["pebs matrix"], 0),
        )
    return found


def identifiers():
    """The name of each event by the identifier that metrics.csv has."""
    return {"NB_" + row["id"]: row["name"].lower() for row in _rows("events.csv") if row["id"]}


def wires():
    """ESCR_SELECT of each ESCR and the counters that it reaches, by its name in lower case."""
    with open(os.path.join(FAMILY, "wiring.c"), encoding="ascii") as f:
        rows = re.findall(r'\{"(\w+_ESCR\d)", 0x\w+, GROUP_\w+, (\d), ([^,]*),', f.read())
    return {
        n.lower(): (int(select), [int(c) for c in re.findall(r"<< (\d+)", counters)]) for n, select, counters in rows
    }


def field(fields, name, value):
    first, width = fields[name]
    if value >> width:
        raise ValueError("%s has %d bits" % (name, width))
    return value << first
