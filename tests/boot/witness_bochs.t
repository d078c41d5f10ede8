#!/usr/bin/python3
"""Witness: single-stepping shows the same amounts in QEMU and in Bochs, for every kernel, ring, quantity and N."""
from boottest import boot, done, ok, skip, sound

OPTIONS = "suite=truth kernel=%s pmu=virtual"
# A CPU with SYSENTER, and memory beyond the first GiB, for pages of that size.
QEMU = dict(cpu="max,vendor=GenuineIntel", memory=2500)
BOCHS = dict(emulator="bochs", cpu="corei7_icelake_u")


def table(r):
    """{kernel: {check: observations}}, and {kernel: why it was skipped} of those that were."""
    amounts, skipped = {}, {}
    for suite in r.report["suites"] if r.report else []:
        for c in suite["checks"] if suite["name"] == "truth" else []:
            if "kernel" not in c:
                continue
            if c["verdict"] == "skipped":
                skipped[c["kernel"]] = c["text"]
            else:
                amounts.setdefault(c["kernel"], {})[c["name"]] = [(o["n"], o["values"]) for o in c["observations"]]
    return amounts, skipped


def differences(a, b):
    return ["%s: QEMU %r, Bochs %r" % (check, a.get(check), b.get(check))
            for check in sorted(set(a) | set(b)) if a.get(check) != b.get(check)]


qemu, bochs = boot(options=OPTIONS % "all", timeout=300, **QEMU), boot(options=OPTIONS % "all", timeout=300, **BOCHS)
x2apic = boot(options=OPTIONS % "*_x2apic x2apic=1", **BOCHS)
sound(qemu, "QEMU")
sound(bochs, "Bochs")
sound(x2apic, "Bochs, x2APIC")
alone = table(x2apic)[0]
(a, a_skipped), (b, b_skipped) = table(qemu), table(bochs)
ok(len(a) > 100 and len(b) > 100, "%d kernels stepped in QEMU, %d in Bochs" % (len(a), len(b)))
kernels = set(a) | set(b) | set(a_skipped) | set(b_skipped)
ok(kernels == set(a) | set(b) | set(alone), "each of %d kernels is stepped in QEMU or in Bochs" % len(kernels),
   sorted(kernels - set(a) - set(b) - set(alone)))
for kernel in sorted(kernels):
    if kernel in a and kernel in b:
        ok(not differences(a[kernel], b[kernel]), kernel, differences(a[kernel], b[kernel])[:20])
    else:
        skip(kernel, "; ".join("%s: %s" % (name, why[kernel]) for name, why in (("QEMU", a_skipped), ("Bochs", b_skipped)) if kernel in why))

# The other side: a single amount that differs is seen.
sample = {kernel: checks for kernel, checks in a.items() if kernel in b}
altered = missed = 0
for kernel, checks in sample.items():
    for check, observations in checks.items():
        if observations:
            n, values = observations[0]
            altered += 1
            missed += not differences(dict(checks, **{check: [(n, [[values[0][0] + 1, values[0][1]]])] + observations[1:]}), b[kernel])
ok(altered and not missed, "%d of %d amounts altered by one are noticed" % (altered - missed, altered))
done()
