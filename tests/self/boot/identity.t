#!/usr/bin/python3
"""What a report says of the CPU and its processors, where the emulator was told what they are."""

from boottest import boot, done, equal

OPTIONS = "pmu=virtual suite=none"


def cpu(r):
    """The pairs of its identity, and the line that they are filed by."""
    machine = (r.report or {"machine": {"identity": [], "cpu": None}})["machine"]
    return dict({pair["name"]: pair["value"] for pair in machine["identity"]}, cpu=machine["cpu"])


def parts(c):
    return [c.get(name) for name in ("family", "model", "stepping")]


# QEMU's model, what it is told to be, MSR 8BH, and what that means: family, model, stepping, revision.
for model, told, msr, expected in (("Nehalem", (6, 158, 13), 0xF812345600ABCDEF, "0xf8123456"),
                                   ("EPYC", (25, 33, 2), 0xF8123456A201025, "0x6a201025")):
    r = boot(options=OPTIONS, cpu="%s,family=%d,model=%d,stepping=%d,ucode-rev=0x%x,model-id=  What it is called" % (model, *told, msr))
    c = cpu(r)
    equal(parts(c), [*map(str, told)], model + ": family, model, stepping")
    equal(c.get("cpu"), "What it is called, family %d model %d stepping %d" % told, model + ": the line that they make")
    equal(c.get("microcode"), expected, model + ": the microcode's revision")
    equal(c.get("vendor"), {"Nehalem": "GenuineIntel", "EPYC": "AuthenticAMD"}[model], model + ": the vendor")
    equal(c.get("brand"), "What it is called", model + ": the brand, without its leading blanks")
    signature = (told[0] - 15 << 20 | 15 << 8 if told[0] > 15 else told[0] << 8) | told[1] >> 4 << 16 | (told[1] & 15) << 4 | told[2]
    equal(c.get("signature"), hex(signature), model + ": the signature")

# What Debian's Bochs says of these: its source, cpu/cpuid.
for model, expected in (("p4_prescott_celeron_336", (15, 4, 1)), ("core2_penryn_t9600", (6, 23, 10)), ("ryzen", (23, 1, 1))):
    c = cpu(boot(options=OPTIONS, emulator="bochs", cpu=model))
    equal(parts(c), [*map(str, expected)], "Bochs, %s: family, model, stepping" % model)

# Three threads of a core take two bits of an APIC ID.
r = boot(options="pmu=virtual suite=none cpus=all", cpus=(2, 3))
equal([(p["number"], p["id"]) for p in (r.report or {}).get("processors", [])],
      list(enumerate(["0x0", "0x1", "0x2", "0x4", "0x5", "0x6"])), "two cores with three threads: APIC IDs")
done()
