"""Brink & Abyss: its experiment files and its configuration, as the thesis shows both (its part on them, 6 to 12)."""
import xml.etree.ElementTree as ElementTree

from p4 import registers
from p4.section import Refused, Section, events_keys, ring_of, word

MECHANISMS = ("front_end", "execution", "replay")
# In an experiment an event of execution tags has these two alone: Brink picks the colour.
OF_ANY_COLOUR = ("nbogus", "bogus")
COLOURS = 4
# Fields of the CCCR that Assay sets itself.
HARNESS = ("enable", "escr_select", "cascade", "ovf", "ovf_pmi")
TAGS = {name: registers.ESCR[name] for name in ("tag_enable", "tag0", "tag1", "tag2", "tag3")}
# What the registers of tags by replay are called in a configuration.
REPLAY_REGISTERS = {"pebs_enable": registers.PEBS_ENABLE, "pebs_matrix_vert": registers.PEBS_MATRIX}


def parse(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return ElementTree.fromstring(f.read())
    except ElementTree.ParseError as error:
        raise Refused("%s:%d:%d: %s" % (path, *error.position, str(error).split(":")[0])) from error


class Settings:
    """Bits that were set and cleared, by name; later ones win."""

    def __init__(self, other=None):
        self.value = dict(other.value) if other else {}

    def read(self, element, where):
        """<set>, <clr> and fields with val= below an element."""
        for part in element:
            if part.tag == "set":
                for bit in part:
                    self.value[bit.tag.lower()] = bits(bit, where) if bit.get("val") is not None else None
            elif part.tag == "clr":
                for bit in part:
                    self.value[bit.tag.lower()] = 0
            elif part.get("val") is not None:
                self.value[part.tag.lower()] = bits(part, where)
        return self

    def take(self, name, width):
        """The value of a field: all of a single bit, None if nothing was said."""
        if name not in self.value:
            return None
        value = self.value[name]
        if value is None and width > 1:
            raise Refused('%s has %d bits: write <%s val="%s"/>' % (name, width, name, "0" * (width - 1) + "1"))
        return 1 if value is None else value


def bits(element, where):
    """val= as binary digits, as the thesis writes it, or with 0x."""
    text = element.get("val")
    try:
        return int(text, 16) if text.lower().startswith("0x") else int(text, 2)
    except ValueError:
        raise Refused('%s: <%s val="%s"/>: val= takes binary digits' % (where, element.tag, text)) from None


def own_configuration():
    """What Assay's own lists say, as a configuration would."""
    listed = registers.events()
    normal = {
        name: {"select": e.select, "masks": {m.lower(): b for b, m in e.masks.items()}, "escrs": e.escrs}
        for name, e in listed.items()
    }
    for colour in range(COLOURS):
        normal["execution_event"]["masks"]["nonbogus%d" % colour] = colour
    tagged = {}
    for name, m in registers.metrics(registers.identifiers()).items():
        tagged[name] = {
            "type": m.mechanism,
            "source": m.source,
            "source_mask": m.source_mask,
            "source_set": Settings(),
            "count": m.count,
            "count_mask": m.count_mask if m.mechanism != "execution" else 0,
            "count_set": Settings(),
            "enable": m.enable,
            "matrix": m.matrix,
        }
    for alias, name in registers.ALIASES.items():
        tagged[alias] = tagged[name.lower()]
    return normal, tagged


def configuration(path):
    """Normal and tagged events of a configuration file, by their names in lower case."""
    root, normal, tagged = parse(path), {}, {}
    for e in root.iterfind(".//normal_events/*"):
        where = "%s: %s" % (path, e.tag)
        select = (e.findtext("event_select") or "").strip()
        try:
            select = int(select, 0)
        except ValueError:
            raise Refused("%s: event_select is %s, not a number" % (where, select or "missing")) from None
        masks = {}
        for bit in e.iterfind("event_mask/*"):
            number = bit.get("bits", "")
            if not number.isdigit() or not 9 <= int(number) <= 24:
                raise Refused('%s: bits="%s" of %s: one of 9 to 24' % (where, number, bit.tag))
            masks[bit.tag.lower()] = int(number) - 9
        escrs = tuple((x.text or "").strip().lower().removeprefix("msr_") for x in e.iterfind("escr"))
        if not escrs:
            raise Refused("%s: it names no <escr>" % where)
        normal[e.tag.lower()] = {"select": select, "masks": masks, "escrs": escrs}
    for e in root.iterfind(".//tag_events/*"):
        tagged[e.tag.lower()] = tagged_event(e, normal, "%s: %s" % (path, e.tag))
    if not normal:
        raise Refused("%s: it has no <normal_events>" % path)
    return normal, tagged


def tagged_event(e, normal, where):
    kind = (e.findtext("type") or "").strip()
    if kind not in MECHANISMS:
        raise Refused("%s: type is %s: there are %s" % (where, kind or "missing", ", ".join(MECHANISMS)))
    out = {
        "type": kind,
        "source": None,
        "source_mask": 0,
        "source_set": Settings(),
        "count_mask": 0,
        "count_set": Settings(),
        "enable": 0,
        "matrix": 0,
    }
    for part in e.iterfind("tag_setup/*"):
        name = part.tag.lower()
        if name in REPLAY_REGISTERS:
            given = Settings().read(part, where)
            value = 0
            for bit in given.value:
                if bit not in REPLAY_REGISTERS[name]:
                    raise Refused("%s: %s has no bit %s" % (where, name, bit))
                value |= registers.field(REPLAY_REGISTERS[name], bit, given.take(bit, 1))
            out["enable" if name == "pebs_enable" else "matrix"] = value
        elif name in normal:
            out["source"] = name
            out["source_set"].read(part, where)
        else:
            raise Refused("%s: tag_setup names %s, which is no normal event" % (where, part.tag))
    counted = list(e.iterfind("count_setup/*"))
    if len(counted) != 1 or counted[0].tag.lower() not in normal:
        raise Refused("%s: count_setup must name one normal event" % where)
    out["count"] = counted[0].tag.lower()
    out["count_set"].read(counted[0], where)
    return out


class Converter:
    def __init__(self, path, config, options):
        self.path, self.options = path, options
        self.normal, self.tagged = configuration(config) if config else own_configuration()
        self.listed, self.wires = registers.events(), registers.wires()
        self.counters = set()  # that words of the experiment at hand have
        self.metrics = registers.metrics(registers.identifiers())

    def refuse(self, where, what):
        raise Refused("%s: %s: %s" % (self.path, where, what))

    # --- words ---------------------------------------------------------------------------------------------------

    def mask_of(self, name, settings, used):
        """Bits of an event's mask that are set; used gets the names that meant something."""
        mask = 0
        for bit, place in self.normal[name]["masks"].items():
            value = settings.take(bit, 1)
            if value is not None:
                used.add(bit)
                mask |= value << place
        whole = settings.take("event_mask", 16)
        if whole is not None:
            used.add("event_mask")
            mask |= whole
        return mask

    def fields(self, fields, settings, used, but=()):
        word_ = 0
        for name, (first, width) in fields.items():
            value = None if name in but else settings.take(name, width)
            if value is None:
                continue
            if value >> width:
                raise Refused("%s has %d bits" % (name, width))
            used.add(name)
            word_ |= value << first
        return word_

    def event_named(self, name):
        """The event of Assay's lists that an event of the configuration is; None if it is none of them."""
        e = self.normal[name]
        for listed in self.listed.values():
            if listed.select == e["select"] and set(listed.escrs) & set(e["escrs"]):
                return listed
        return None

    def wire(self, name):
        """ESCR_SELECT and a counter for an event as words: without a counter they may be another unit's event."""
        known = [self.wires[escr] for escr in self.normal[name]["escrs"] if escr in self.wires]
        if not known:
            raise Refused("no ESCR is called %s" % " or ".join(self.normal[name]["escrs"]))
        for select, counters in known:
            for counter in counters:
                if counter not in self.counters:
                    self.counters.add(counter)
                    return select, counter
        raise Refused("there is no counter left for it")

    def spelt(self, name, mask, escr, cccr):
        """An event by its name and masks if Assay's lists have them, and as a pair of words if not."""
        listed = self.event_named(name)
        places = [b for b in range(16) if mask >> b & 1]
        tags = escr >> 4 & 0x1F
        if listed and all(b in listed.masks for b in places) and not tags and implied(cccr):
            return ":".join([listed.name] + [listed.masks[b] for b in places]) + modifiers(escr, cccr)
        escr |= self.normal[name]["select"] << 25 | mask << 9
        select, counter = self.wire(name)
        cccr |= registers.THREAD_ANY | select << 13
        return "0x%08X/0x%08X@0x%08X" % (cccr, escr, registers.FAST_RDPMC | counter)

    # --- events --------------------------------------------------------------------------------------------------

    def normal_event(self, name, settings, used):
        mask = self.mask_of(name, settings, used)
        escr = self.fields(registers.ESCR, settings, used, but=("event_mask", "event_select"))
        cccr = self.fields(registers.CCCR, settings, used, but=HARNESS)
        if not escr & 0xC:
            raise Refused("it counts in no ring: set usr or os")
        self.check_names(name, settings, used)
        if not mask:
            raise Refused(
                "it counts nothing: set a bit of its mask, such as %s" % next(iter(self.normal[name]["masks"]))
            )
        return [self.spelt(name, mask, escr, cccr)], escr

    def tagged_event(self, name, settings, used):
        t = self.tagged[name]
        source_used, count_used = set(), set()
        rings = self.fields({k: registers.ESCR[k] for k in ("usr", "os")}, settings, used)
        cccr = self.fields(registers.CCCR, settings, used, but=HARNESS)
        if not rings & 0xC:
            raise Refused("it counts in no ring: set usr or os")
        asked = {b for b in settings.value if b in OF_ANY_COLOUR or b in self.normal[t["count"]]["masks"]}
        used |= asked
        source_mask = t["source_mask"]
        if t["source"]:
            source_mask |= self.mask_of(t["source"], t["source_set"], source_used)
            source_mask |= self.mask_of(t["source"], settings, used)
        self.check_names(name, settings, used)
        count = Settings(t["count_set"])
        count.value.update({b: settings.value[b] for b in asked})
        if t["type"] == "execution":
            return self.execution(t, source_mask, count, rings, cccr), rings
        count_mask = t["count_mask"] | self.mask_of(t["count"], count, count_used)
        metric = self.metric(t, source_mask, count_mask, cccr)
        if metric:
            return [metric.name + modifiers(rings, cccr)], rings
        return self.by_hand(t, source_mask, count_mask, rings, cccr), rings

    def execution(self, t, source_mask, count, rings, cccr):
        bogus, nbogus = (count.take(name, 1) for name in reversed(OF_ANY_COLOUR))
        own = {b for b, value in count.value.items() if value != 0} - set(OF_ANY_COLOUR)
        if not own and not bogus:
            metric = self.metric(t, source_mask, 1, cccr)
            if metric:
                return [metric.name + modifiers(rings, cccr)]
        if not t["source"]:
            raise Refused("tags at execution need an event that tags")
        # The first colour, unless the definition has another. Assay refuses two events that would share it.
        tagging = rings | self.fields(TAGS, t["source_set"], set()) | registers.field(registers.ESCR, "tag_enable", 1)
        if not tagging >> 5 & 15:
            tagging |= registers.field(registers.ESCR, "tag0", 1)
        colour = tagging >> 5 & 15
        count_mask = self.mask_of(t["count"], count, set())
        count_mask |= (0 if nbogus == 0 or (nbogus is None and (bogus or own)) else colour) | (
            colour << COLOURS if bogus else 0
        )
        return [self.spelt(t["source"], source_mask, tagging, 0), self.spelt(t["count"], count_mask, rings, cccr)]

    def by_hand(self, t, source_mask, count_mask, rings, cccr):
        counts = self.spelt(t["count"], count_mask, rings, cccr)
        if t["type"] == "replay":
            if not t["enable"] & ~registers.ENABLE_PEBS:
                raise Refused("tags by replay need bits of pebs_enable")
            counts += ":p4pe=0x%x:p4pmv=0x%x" % (t["enable"] & ~registers.ENABLE_PEBS, t["matrix"])
        elif not t["source"]:
            raise Refused("tags in the front end need an event that tags")
        return ([self.spelt(t["source"], source_mask, rings, 0)] if t["source"] else []) + [counts]

    def metric(self, t, source_mask, count_mask, cccr):
        """The metric of the manual that is the same. None: there is none, or modifiers cannot say the CCCR."""
        if not implied(cccr):
            return None
        source = t["source"] and self.event_named(t["source"])
        for m in self.metrics.values():
            listed_source = m.source and self.listed[m.source]
            same_enable = m.enable == t["enable"] & ~registers.ENABLE_PEBS and m.matrix == t["matrix"]
            if (
                m.mechanism == t["type"]
                and listed_source == source
                and (not source or m.source_mask == source_mask)
                and m.count_mask == count_mask
                and same_enable
            ):
                return m
        return None

    # --- experiments ---------------------------------------------------------------------------------------------

    def event(self, element, defaults, where):
        """What one event of an experiment becomes: strings, rings, how it is sampled, and its part in a cascade."""
        base = (element.get("base") or "").lower()
        settings = Settings(defaults).read(element, where)
        if base not in self.normal and base not in self.tagged:
            self.refuse(
                where, "no event is called %s%s" % (element.get("base") or "(base= is missing)", self.like(base))
            )
        used = {"enable", "cascade", "counter", "ovf", "ovf_pmi"}
        try:
            strings, escr = (self.tagged_event if base in self.tagged else self.normal_event)(base, settings, used)
            start = settings.take("counter", 40)
            waits = settings.take("cascade", 1)
        except (Refused, ValueError) as error:
            self.refuse(where, error)
        pmi, ebs = settings.take("ovf_pmi", 1), element.find("ebs")
        if pmi and ebs is None and not waits:
            self.refuse(where, 'ovf_pmi is set, and nothing is sampled: take <ebs type="imprecise" .../>')
        if settings.take("enable", 1) == 0 and not waits:
            self.refuse(where, "it is not enabled, and waits for nothing: set cascade, or leave enable as it is")
        return {
            "name": element.tag,
            "strings": strings,
            "user": bool(escr & 4),
            "system": bool(escr & 8),
            "ebs": ebs,
            "period": (1 << 40) - start if start else None,
            "waits": bool(waits),
            "pmi": bool(pmi),
            "where": where,
        }

    def check_names(self, base, settings, used):
        for name in settings.value:
            if name not in used:
                raise Refused("%s has no bit or field %s%s" % (base, name, self.bit_like(base, name)))

    def like(self, name):
        near = [
            n
            for n in [*self.normal, *self.tagged]
            if n.replace("_", "") == name.replace("_", "") or n.startswith(name[:6])
        ]
        return ": did you mean %s?" % near[0] if name and near else ""

    def bit_like(self, base, bit):
        name = self.tagged[base]["count"] if base in self.tagged else base
        near = [m for m in self.normal[name]["masks"] if m.startswith(bit[:3]) or bit.startswith(m)]
        return ": did you mean %s?" % near[0] if near else ""

    def experiment(self, element, defaults, keys):
        where = element.tag
        self.counters.clear()
        if element.find("default") is not None:
            defaults = Settings(defaults).read(element.find("default"), where)
        found = [self.event(e, defaults, "%s: %s" % (where, e.tag)) for e in element if e.tag != "default"]
        if not found:
            self.refuse(where, "it has no events")
        sampled = [e for e in found if e["ebs"] is not None]
        waiting = [e for e in found if e["waits"]]
        if waiting:
            return [self.cascade(element.tag, found, waiting, keys)]
        if sampled:
            return [self.samples(element.tag, sampled, [e for e in found if e["ebs"] is None], keys)]
        return [self.counts(element.tag, found, keys)]

    def comments(self, found):
        return ["%s: %s" % (e["name"], ", ".join(e["strings"])) for e in found]

    def rings(self, found):
        return ring_of(any(e["user"] for e in found), any(e["system"] for e in found))

    def counts(self, name, found, keys):
        strings = list(dict.fromkeys(s for e in found for s in e["strings"]))
        return Section(
            word(name),
            self.comments(found),
            [("ring", self.rings(found))]
            + ([("passes", "one")] if len(strings) > 1 else [])
            + keys
            + events_keys(strings),
        )

    def cascade(self, name, found, waiting, keys):
        first = [e for e in found if not e["waits"] and e["period"]]
        if len(waiting) != 1 or len(first) != 1 or len(waiting[0]["strings"]) != 1 or len(first[0]["strings"]) != 1:
            self.refuse(
                name,
                "a cascade has one event with cascade set, and one whose counter is given a value to overflow from",
            )
        strings = list(dict.fromkeys(s for e in found for s in e["strings"]))
        pair = (strings.index(first[0]["strings"][0]) + 1, strings.index(waiting[0]["strings"][0]) + 1)
        interrupts = []
        if waiting[0]["pmi"] and waiting[0]["period"]:
            interrupts = [("record", "pmi"), ("then", waiting[0]["period"])]
        elif waiting[0]["ebs"] is not None or waiting[0]["pmi"]:
            self.refuse(name, "the one that waits interrupts with ovf_pmi, and a value that its counter overflows from")
        return Section(
            word(name),
            self.comments(found),
            [("ring", self.rings(found))]
            + keys
            + events_keys(strings)
            + [("cascade", "%d>%d" % pair), ("period", first[0]["period"])]
            + interrupts,
        )

    def ebs_keys(self, e):
        """Keys of an experiment that say what an <ebs> says."""
        given = dict(e["ebs"].attrib)
        kind = {"precise": "pebs", "imprecise": "pmi"}.get(given.pop("type", ""))
        interval = given.pop("interval", "")
        if not kind or not interval.isdigit() or not int(interval):
            self.refuse(e["where"], '<ebs> takes type="precise" or "imprecise", and interval= as a number')
        if len(e["strings"]) != 1:
            what = "what tags and what counts the tags are two events here, and one is sampled: take a metric"
            self.refuse(e["where"], what)
        keys = [("record", kind), ("period", interval)]
        for key in ("sample", "max", "buffer"):
            value = given.pop(key, None)
            if value and (key != "sample" or value == "A") and (key != "buffer" or kind == "pebs"):
                keys.append((key, value))
        if given:
            self.refuse(e["where"], "<ebs> has no %s=" % next(iter(given)))
        return keys

    def samples(self, name, sampled, counted, keys):
        """Events that are sampled, and those that are counted beside them."""
        ways = [self.ebs_keys(e) for e in sampled]
        if any(way != ways[0] for way in ways):
            self.refuse(name, "its events are sampled in different ways: make an experiment of each")
        beside = list(dict.fromkeys(s for e in counted for s in e["strings"]))
        return Section(
            word(name),
            self.comments(sampled + counted),
            [("ring", self.rings(sampled + counted))]
            + keys
            + events_keys([e["strings"][0] for e in sampled])
            + ways[0]
            + [("beside", s) for s in beside],
        )

    def convert(self, program):
        root = parse(self.path)
        kind = root.find("processor")
        if kind is not None and kind.get("type") != "pentium4":
            self.refuse("processor", "type is %s, not pentium4" % kind.get("type"))
        programs = [program] if program else [p.tag for p in root.iterfind("programs/*")]
        experiments = root.find("experiments")
        if experiments is None or not programs:
            self.refuse(root.tag, "it has no <%s>" % ("experiments" if experiments is None else "programs"))
        stands = {p: self.options.programs.get(p, self.options.kernel) for p in programs}
        unknown = [p for p in self.options.programs if p not in stands]
        if unknown:
            self.refuse("programs", "there is no %s: there are %s" % (unknown[0], ", ".join(programs)))
        keys = [("kernel", ",".join(dict.fromkeys(stands.values()))), ("pmu", "netburst*")]
        keys += [("reps", self.options.reps)] if self.options.reps else []
        defaults, sections = Settings(), []
        if experiments.find("default") is not None:
            defaults.read(experiments.find("default"), "default")
        for e in experiments:
            if e.tag != "default":
                sections += self.experiment(e, defaults, keys)
        if sections:
            sections[0].comments.insert(0, "Programs: " + ", ".join("%s is %s" % p for p in stands.items()))
        return sections


def implied(cccr):
    """Whether COMPARE is as modifiers have it: a threshold, a complement or an edge implies it."""
    return bool(cccr & registers.FILTERS) <= bool(cccr & registers.COMPARE)


def modifiers(escr, cccr):
    """Those behind an event's name that say what the fields say."""
    out = {4: ":u", 8: ":k", 12: ""}[escr & 0xC]
    threshold = cccr >> 20 & 15
    out += ":thr=%d" % threshold if threshold else ""
    out += ":cmpl" if cccr >> 19 & 1 else ""
    out += ":e" if cccr >> 24 & 1 else ""
    out += ":cmp" if cccr & registers.COMPARE and not cccr & registers.FILTERS else ""
    return out + (":force" if cccr >> 25 & 1 else "")


def brink(path, config, options, program):
    """The sections that stand for an experiment file; program: the only one that is run, None for those of the file."""
    return Converter(path, config, options).convert(program)
