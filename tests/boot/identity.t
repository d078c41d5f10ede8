#!/usr/bin/env python3
"""What a report says of the machine is what the machine says: identity, microcode, APIC IDs, the number of processors."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from boottest import boot, done, equal, tail, ok, valid  # noqa: E402

# Of Intel's register of the microcode revision the upper half counts, of AMD's the lower.
UCODE = 0x12345678_9abcdef1
CPUS = (("max,vendor=GenuineIntel,family=6,model=158,stepping=9,ucode-rev=%#x", {"vendor": "GenuineIntel", "family": 6, "model": 158, "stepping": 9,
                                                                                 "signature": "0x906e9", "microcode": "0x12345678"}, (2, 3), 6),
        ("max,vendor=AuthenticAMD,family=25,model=33,stepping=2,model-id=A brand of its own,ucode-rev=%#x",
         {"vendor": "AuthenticAMD", "family": 25, "model": 33, "stepping": 2, "signature": "0xa20f12", "microcode": "0x9abcdef1",
          "brand": "A brand of its own"}, (1, 1), 1),
        ("max,vendor=GenuineIntel,family=15,model=4,stepping=3,ucode-rev=%#x", {"vendor": "GenuineIntel", "family": 15, "model": 4, "stepping": 3,
                                                                               "signature": "0xf43", "microcode": "0x12345678"}, (1, 1), 1))
for cpu, wanted, cpus, count in CPUS:
    r = boot(cpu=cpu % UCODE, cpus=cpus, options="suite=control check=nothing* pmu=virtual:intel-core2" + (" cpus=all" if count > 1 else " suite=none"))
    if not ok(r.report, "%s leaves a report" % wanted["signature"], tail(r)):
        continue
    machine = r.report["machine"]
    equal({k: machine["cpu"][k] for k in wanted}, wanted, wanted["signature"] + " is what the report says")
    equal(machine["cpu"]["count"], count, "%d processors are counted" % count)
    equal((machine["guest"], machine["hypervisors"][:1]), (True, [{"signature": "TCGTCGTCGTCG", "first_leaf": "0x40000000", "max_leaf": "0x40000001"}]),
          "the emulator is named")
    if count > 1:
        # Three threads take two bits.
        equal([(p["number"], p["apic_id"]) for p in r.report["processors"]], [(i, a) for i, a in enumerate(("0x0", "0x1", "0x2", "0x4", "0x5", "0x6"))],
              "each processor has its own APIC ID")
done()
