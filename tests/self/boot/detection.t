#!/usr/bin/python3
"""Which PMU a CPU has, on every CPU model of QEMU and every 64-bit one of Bochs: the right driver, or the right reason why none fits."""
import pathlib
import re
import subprocess

from boottest import TOP, boot, complains, done, equal, few, ok, table, tail

NO_LEAF = ("intel", "no CPUID leaf 0AH")
VERSION_0 = ("intel", "CPUID leaf 0AH gives version 0")
SWITCHED_OFF = ("netburst", r"MSR_MISC_ENABLE\[7\] says that performance monitoring is not available")


def amd(generation):
    return "amd", "it is a %s, but PERF_CTL0 raises #GP or keeps nothing" % generation


# What the driver of the CPU's own family says; QEMU's TCG has no PMU at all.
QEMU = {
    **dict.fromkeys("""
        Broadwell Broadwell-IBRS Broadwell-noTSX Broadwell-noTSX-IBRS Cascadelake-Server Cascadelake-Server-noTSX Conroe Cooperlake
        Denverton Haswell Haswell-IBRS Haswell-noTSX Haswell-noTSX-IBRS Icelake-Server Icelake-Server-noTSX IvyBridge IvyBridge-IBRS
        KnightsMill Nehalem Nehalem-IBRS Penryn SandyBridge SandyBridge-IBRS Skylake-Client Skylake-Client-IBRS
        Skylake-Client-noTSX-IBRS Skylake-Server Skylake-Server-IBRS Skylake-Server-noTSX-IBRS Snowridge Westmere Westmere-IBRS
        core2duo""".split(), VERSION_0),
    "kvm64": SWITCHED_OFF,
    **dict.fromkeys(["qemu64", "max", "Opteron_G1", "Opteron_G2"], amd("K8")),
    **dict.fromkeys(["Opteron_G3", "phenom"], amd("family 10H")),
    **dict.fromkeys(["Opteron_G4", "Opteron_G5"], amd("family 15H")),
    **dict.fromkeys(["EPYC", "EPYC-IBPB", "Dhyana"], amd("Zen 1")),
    "EPYC-Rome": amd("Zen 2"),
    "EPYC-Milan": amd("Zen 3"),
}
# Bochs shows Intel's leaf 0AH with counters that never tick: their driver is the right one.
BOCHS = {
    **dict.fromkeys("""
        core2_penryn_t9600 corei5_lynnfield_750 corei5_arrandale_m520 corei7_sandy_bridge_2600k corei7_ivy_bridge_3770k
        corei7_haswell_4770 broadwell_ult corei7_skylake_x corei3_cnl corei7_icelake_u tigerlake""".split(), "intel"),
    "bx_generic": amd("K7"),
    "p4_prescott_celeron_336": SWITCHED_OFF,
    **dict.fromkeys(["athlon64_clawhammer", "athlon64_venice", "turion64_tyler"], amd("K8")),
    "phenom_8650_toliman": amd("family 10H"),
    **dict.fromkeys(["zambezi", "trinity_apu"], amd("family 15H")),
    "ryzen": amd("Zen 1"),
}
VERSIONS = "corei7_sandy_bridge_2600k", "corei7_skylake_x", "tigerlake"  # 3, 4 and 5
# Their CPUs know no 64-bit mode. QEMU's "host" needs KVM, and "base" is no CPU at all.
QEMU_32 = "486 athlon coreduo kvm32 n270 pentium pentium2 pentium3 qemu32".split()
BOCHS_32 = "pentium pentium_mmx amd_k6_2_chomper p2_klamath p3_katmai p4_willamette core_duo_t2400_yonah atom_n270".split()
NO_CPU = ["base", "host"]
# What each family's driver says of a CPU that is another family's, as a regular expression.
OTHERS = {path.parent.parent.name: path.read_text(encoding="ascii").rstrip("\n") for path in pathlib.Path(TOP).glob("pmu/*/readings/refusal.txt")}


def found(report):
    """The driver that was picked, or what each one says, by driver."""
    if report["pmus"]:
        return report["pmus"][0]["driver"]
    for note in report["notes"]:
        match = re.match(r"this CPU has no PMU that a driver knows \((.*)\)$", note)
        if match:
            return dict(reason.split(": ", 1) for reason in match.group(1).split("; "))
    return None


def fits(got, expected):
    if isinstance(expected, str) or not isinstance(got, dict):
        return got == expected
    family, reason = expected
    return all(re.search(reason if driver == family else OTHERS[driver], got.get(driver, "")) for driver in OTHERS)


def listed(command, pattern):
    """CPU models by the emulator's own word; of QEMU's versions of a model, which differ in features that no driver looks at, the one name."""
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    return sorted({name for name in re.findall(pattern, said, re.M) if not re.search(r"-v\d+$", name)})


equal(listed(["qemu-system-x86_64", "-cpu", "help"], r"^x86 (\S+)"), sorted([*QEMU, *QEMU_32, *NO_CPU]), "every CPU model of this QEMU is here")
equal(listed(["bochs", "--help", "cpu"], r"^([a-z]\w+)$"), sorted([*BOCHS, *BOCHS_32]), "every CPU model of this Bochs is here")
table()
for emulator, models in (("qemu", QEMU), ("bochs", BOCHS)):
    taken = set()
    for model, expected in models.items():
        # `make check` takes the first of those that get the same answer, and those whose leaf 0AH says another version.
        if few(expected in taken and model not in VERSIONS, False):
            continue
        taken.add(expected)
        r = boot(emulator=emulator, cpu=model, options="pmu=auto suite=none", ignore_bad_msrs=0, timeout=60)
        got = found(r.report) if r.report else None
        said = "driver %s, %s" % (got, r.report["pmus"][0]["name"]) if isinstance(got, str) else \
            "none: " + got.get(expected[0], "?") if got else "nothing"
        ok(r.status == 0 and fits(got, expected), "%-6s%-27s%s" % (emulator, model, said), ["got %r, expected %r" % (got, expected)] + tail(r))
for model in few(["qemu32", "pentium3"], QEMU_32):
    complains(boot(cpu=model, timeout=30), r"64-bit", "qemu  " + model)
done()
