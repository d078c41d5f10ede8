"""Reports of an older schema in the form of today's. Every reader gets its reports from here."""
import functools
import json
import pathlib

SCHEMA = "assay-report/5"
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


class Unreadable(Exception):
    """A file that is no report; the text says why in one line."""


@functools.lru_cache
def validator(name):
    import fastjsonschema  # only for old reports: it takes its time to load

    return fastjsonschema.compile(json.loads((DOCS / name).read_text(encoding="utf-8")))


def fault(report, name):
    """What breaks the schema in that file first, and where; None if nothing does."""
    import fastjsonschema

    try:
        validator(name)(report)
    except fastjsonschema.JsonSchemaValueException as error:
        where = "/".join(error.path[1:]) or "the document"
        if error.rule == "required":
            missing = [key for key in error.rule_definition if key not in error.value]
            return f"{where}: {', '.join(missing)} is missing"
        if error.rule == "additionalProperties":
            return f"{where}: unknown members: {', '.join(sorted(set(error.value) - set(error.definition['properties'])))}"
        what = error.message.removeprefix(error.name).strip()
        return f"{where}: {json.dumps(error.value)[:60]} {what}"
    return None


# --- schema 4, which knew x86-64 alone --------------------------------------------------------------------

LEVELS_4 = [{"name": f"ring {n}", "filter": "USR" if n else "OS"} for n in range(4)]
FILTERS_4 = {"os": "OS", "usr": "USR"}


def identity_4(cpu, hypervisors):
    pairs = {
        "vendor": cpu["vendor"] or "",
        "brand": cpu["brand"],
        "signature": cpu["signature"],
        **{key: str(cpu[key]) for key in ("family", "model", "stepping")},
        "microcode": cpu["microcode"] if int(cpu["microcode"], 16) else "unknown",
    }
    for n, block in enumerate(hypervisors, 1):
        first, last = (f"{int(block[key], 16):X}H" for key in ("first_leaf", "max_leaf"))
        pairs["hypervisor" + (f" {n}" if n > 1 else "")] = f"{block['signature']}, CPUID leaves {first} to {last}"
    for name, value in pairs.items():
        if name != "brand" or value:
            yield {"name": name, "value": value, **({"loaded": True} if name == "microcode" else {})}


def machine_4(old):
    cpu = old["cpu"]
    title = f"{cpu['brand'] or cpu['vendor'] or ''}, family {cpu['family']} model {cpu['model']} stepping {cpu['stepping']}"
    return {
        **{key: old[key] for key in ("platform", "firmware", "hypervisor", "guest")},
        "cpu": title,
        "identity": list(identity_4(cpu, old["hypervisors"])),
        "processor_count": cpu["count"],
        "clock_hz": old["tsc_hz"],
        **{key: old[key] for key in ("time_reference", "watchdog")},
    }


def renamed(item, names):
    """With other names for members; the order stays."""
    return {names.get(key, key): value for key, value in item.items()}


def leaf_4(row):
    leaf, subleaf = (int(number, 16) for number in row[:2])
    return {"name": f"CPUID.{leaf:X}H.{subleaf}", "value": " ".join(row[2:])}


def pmu_4(old):
    made = renamed(old, {"cpuid": "identity"})
    made["identity"] = [leaf_4(row) for row in old["cpuid"]]
    made["counters"] = [renamed(counter, {"rdpmc": "selector"}) for counter in old["counters"]]
    return made


def register_4(old):
    return {"name": old["name"], "space": "MSR", **{key: old[key] for key in old if key != "name"}}


def attribution_4(old):
    made = dict(old)
    for key in {"manual", "counted"} & set(old):
        made[key] = renamed(old[key], FILTERS_4)
    made["events"] = [
        {
            "event": event["event"],
            "encoding": event["encoding"],
            "apart": {new: event[key] for key, new in FILTERS_4.items()},
            "together": event["both"],
        }
        for event in old["events"]
    ]
    return made


def from_4(old):
    made = {}
    for key, value in old.items():
        if key == "schema":
            made[key] = "assay-report/5"
        elif key == "machine":
            made.update(isa="x86-64", levels=LEVELS_4, machine=machine_4(value))
        elif key == "processors":
            made[key] = [renamed(p, {"apic_id": "id"}) for p in value]
        elif key == "pmus":
            made[key] = [pmu_4(p) for p in value]
        elif key == "snapshots":
            made[key] = [dict(s, registers=[register_4(r) for r in s["registers"]]) for s in value]
        elif key == "attributions":
            made[key] = [attribution_4(a) for a in value]
        elif key == "experiments":
            made[key] = [renamed(x, {"ring": "level"}) for x in value]
        elif key == "suites":
            made[key] = [dict(s, checks=[renamed(c, {"ring": "level"}) for c in s["checks"]]) for s in value]
        else:
            made[key] = value
    return made


# A row for each schema that is still read: the file that defines it, and how it becomes the next one.
STEPS = {"assay-report/4": ("report-4.schema.json", from_4)}


def current(report):
    """The report in today's schema: itself, or what it is converted to. Unreadable if it is of no known schema, or
    is old and breaks its own."""
    schema = report.get("schema") if isinstance(report, dict) else None
    while schema != SCHEMA:
        if not isinstance(schema, str) or schema not in STEPS:
            known = ", ".join([*STEPS, SCHEMA])
            raise Unreadable(f"schema is {schema!r}; this program knows {known}")
        name, step = STEPS[schema]
        trouble = fault(report, name)
        if trouble:
            raise Unreadable(f"not as docs/{name} says: {trouble}")
        report = step(report)
        schema = report["schema"]
    return report
