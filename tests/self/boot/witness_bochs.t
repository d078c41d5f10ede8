#!/usr/bin/python3
"""Witness: single-stepping shows the same amounts in QEMU and in Bochs, for every kernel, ring, quantity and N."""
from boottest import boot, done, few, ok, sound, witness_table

# A virtual CPU with three levels of cache. Changes of signatures, which are told alike whatever stepped, are tried in QEMU alone.
OPTIONS = "suite=truth kernel=%s pmu=virtual:intel-nehalem " + few("n=1 ", "") + "%s"
BOCHS_OPTIONS = few("check=known?paths", "")
COMPANIONS = "rival_*,sibling_*"
# Kernels, options, machine. QEMU: a CPU with SYSENTER, and half a GiB of memory beyond the first one, for pages of that
# size, and no more: what QEMU has above 2 GiB is not read back at once, and Bochs takes time for each MiB. In Bochs no CPU has all.
QEMU = (("full", "", dict(cpu="max,vendor=GenuineIntel", memory=1600)),
        (COMPANIONS, "", dict(cpu="max,vendor=GenuineIntel", cpus=(1, 2))))
BOCHS = (("full", BOCHS_OPTIONS, dict(cpu="tigerlake", memory=1600)),
         ("*_x2apic", BOCHS_OPTIONS + " x2apic=1", dict(cpu="tigerlake")),
         ("chain_llc,guest_*", BOCHS_OPTIONS, dict(cpu="ryzen")),
         (COMPANIONS, BOCHS_OPTIONS, dict(cpu="tigerlake", cpus=(1, 2))))


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


def witness(emulator, boots):
    """table() of several boots: a kernel is skipped if it is in all that it was asked for."""
    amounts, skipped = {}, {}
    for kernels, options, machine in boots:
        r = boot(emulator=emulator, options=(OPTIONS % (kernels, options)).strip(), timeout=300, **machine)
        sound(r, "%s, kernel=%s" % (emulator, kernels))
        more, why = table(r)
        amounts.update(more)
        skipped.update(why)
    return amounts, {kernel: why for kernel, why in skipped.items() if kernel not in amounts}


(a, a_skipped), (b, b_skipped) = witness("qemu", QEMU), witness("bochs", BOCHS)
ok(len(a) > 100 and len(b) > 100, "%d kernels stepped in QEMU, %d in Bochs" % (len(a), len(b)))
kernels = set(a) | set(b) | set(a_skipped) | set(b_skipped)
ok(kernels == set(a), "each of %d kernels is stepped in QEMU" % len(kernels), sorted(a_skipped.items()))
ok(kernels == set(b), "each of them is stepped in Bochs", sorted(b_skipped.items()))
for kernel in sorted(set(a) & set(b)):
    ok(not differences(a[kernel], b[kernel]), kernel, differences(a[kernel], b[kernel])[:20])

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
witness_table("single-stepping in QEMU", a, a_skipped)
witness_table("single-stepping in Bochs", b, b_skipped)
done()
