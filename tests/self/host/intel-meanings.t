#!/usr/bin/env python3
"""TAP test: what Intel's events are said to count (pmu/intel/events/meanings.csv, by name) against a second source: the bits of their unit masks, as
the manuals lay them out for branches, floating point and memory accesses, and words of their names that rule quantities out. Both are
written here without a look at meanings.csv, and a meaning that is exchanged for another must be noticed."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, ok  # noqa: E402


# --- branches: kinds of which each quantity is the sum ---
KINDS = "taken ntaken call icall ret jmp ijmp far".split()
BRANCHES = {"BRANCHES": KINDS, "BR_COND": ["taken", "ntaken"], "BR_COND_TAKEN": ["taken"], "BR_COND_NTAKEN": ["ntaken"],
            "BR_CALL_DIRECT": ["call"], "BR_CALL_INDIRECT": ["icall"], "BR_RET": ["ret"], "BR_JMP_DIRECT": ["jmp"],
            "BR_JMP_INDIRECT": ["ijmp"], "BR_FAR": ["far"]}
NEAR_TAKEN = set(KINDS) - {"ntaken", "far"}
# Masks of the big cores to Lion Cove, of which the first changed its meaning with Ice Lake.
BIG = {0x00: set(KINDS), 0x04: set(KINDS), 0x02: {"call", "icall"}, 0x08: {"ret"}, 0x10: {"ntaken"}, 0x11: {"taken", "ntaken"},
       0x20: NEAR_TAKEN, 0x40: {"far"}, 0x80: {"ijmp", "icall"}}
BIG_ONE = {"taken", "ntaken"}
BIG_ONE_LATER = {"taken"}
# Masks of the small cores to Skymont: some of a kind's bits are 0.
SMALL = {0x00: set(KINDS), 0x7E: {"taken", "ntaken"}, 0xFE: {"taken"}, 0x7F: {"ntaken"}, 0xF9: {"call", "icall"}, 0xFD: {"call"}, 0xFB: {"icall"},
         0xF7: {"ret"}, 0xEB: {"ijmp", "icall"}, 0xEF: {"ijmp"}, 0xDF: {"jmp"}, 0xBF: {"far"}, 0x80: NEAR_TAKEN, 0xC0: NEAR_TAKEN}
# Since Cougar Cove and Darkmont each bit is a kind.
BITS = {0x03: {"taken"}, 0x04: {"ntaken"}, 0x08: {"ret"}, 0x10: {"icall"}, 0x20: {"call"}, 0x40: {"ijmp"}, 0x80: {"jmp"}}
BIG_CORES = ("NHM NHX WSM WSS WSX SNB JKT IVB IVT HSW HSX BDW BDE BDX SKL SKX CLX").split()
LATER_CORES = "ICL ICX RKL TGL GLC SPR EMR RWC GNR LNC LNA".split()
SMALL_CORES = "SLM KNL GLM GLP TNT SNR GRT CMT CMA SRF GRR SKT SKA".split()
NEW_CORES = "CGC CYC DMT CWF ARW".split()

# --- floating point: one bit for each width, from Broadwell on ---
FLOPS = {1: "FP_SCALAR_DP", 2: "FP_SCALAR_SP", 4: "FP_128_DP", 8: "FP_128_SP", 0x10: "FP_256_DP", 0x20: "FP_256_SP", 0x40: "FP_512_DP",
         0x80: "FP_512_SP"}

# --- words of names, and quantities that an event so called cannot count ---
RULED_OUT = [
    (r"^BR_INST.*(?<!NON_)CALL", r"BR_(RET|JMP|COND|FAR)"),
    (r"^BR_INST.*RETURN$", r"BR_(COND|FAR|CALL_DIRECT|JMP_DIRECT)"),
    (r"^BR_INST.*(JCC|(?<!UN)COND)", r"BR_(RET|JMP|CALL|FAR)"),
    (r"^BR_INST.*INDIRECT", r"BR_(COND|CALL_DIRECT|JMP_DIRECT|FAR)"),
    (r"^BR_MISP", r"(?!BR_MISPRED|RESTEERS|BR_SOME|CYCLES|INSN_SOME).*"),
    (r"_LOADS(_|$)", r"(STORES|INSN_STORE|DTLB_STORE|BR_|FP_|ITLB)"),
    (r"_STORES(_|$)", r"(LOADS|INSN_LOAD|DTLB_LOAD|BR_|FP_|ITLB)"),
    (r"^DTLB_LOAD", r"(DTLB_STORE|ITLB|STORES)"),
    (r"^DTLB_STORE", r"(DTLB_LOAD|ITLB|LOADS)"),
    (r"^ITLB", r"(DTLB|LOADS|STORES|L1D|BR_)"),
    (r"^MACHINE_CLEARS\.SMC", r"(?!CLEARS_SMC)"),
    (r"^MACHINE_CLEARS\.MEMORY_ORDERING", r"(?!CLEARS_MO|CLEARS)"),
    (r"^ARITH\..*DIV", r"(?!CYCLES_DIV|UOPS_DIV)"),
    (r"^FP_ARITH", r"(?!FP_|UOPS_FP|UOPS_SOME|UOPS_SIMD|UOPS_256|UOPS_512|INSN_SOME|CYCLES)"),
    (r"^FP_ASSIST|ASSISTS\.FP$", r"(?!ASSISTS)"),
    (r"LOCK_LOADS", r"(?!INSN_LOCKED)"),
    (r"^INST_RETIRED\.(ANY|ANY_P)$", r"(?!INSTRUCTIONS)"),
    (r"^CPU_CLK_UNHALTED\.(THREAD|CORE)", r"(?!CYCLES)"),
    (r"^L1I|^ICACHE", r"(L1D|DTLB|LOADS|STORES|BR_|FP_)"),
    (r"^L1D", r"(L1I|ITLB|BR_|FP_)"),
]


def terms(text):
    """Of "judgement, rule, terms"; none of a reason why an event is left out."""
    return [(q.lstrip("-"), -1 if q[0] == "-" else 1) for q in text.split(", ")[2].split()] if ", " in text else []


def kinds(text):
    """The kinds of branches that terms add up to; None if they are no branches."""
    sums = dict.fromkeys(KINDS, 0)
    for q, sign in terms(text):
        for k in BRANCHES.get(q, ["none"]):
            sums[k] = sums.get(k, 0) + sign
    return {k for k, n in sums.items() if n} if set(sums.values()) <= {0, 1} and "none" not in sums else None


def branches(core, mask, mask2):
    """What the unit mask selects; None if it is not known here."""
    if core in NEW_CORES:
        found = {"far"} if mask2 & 1 else set()
        for bits, kind in BITS.items():
            if mask & bits == bits:
                found |= kind
            elif mask & bits:
                return None
        return found or (set(KINDS) if not mask else None)
    if core in SMALL_CORES:
        return SMALL.get(mask)
    if core in BIG_CORES + LATER_CORES and not (mask2 and mask == 0):
        return (BIG_ONE_LATER if core in LATER_CORES else BIG_ONE) if mask == 1 else BIG.get(mask)
    return None


def check(root):
    """Counts of what was compared, and what is not as it must be."""
    listing = subprocess.run([sys.executable, root / "scripts/gen-events", "list"], capture_output=True, text=True, check=True).stdout
    compared, wrong = {"branches": 0, "floating point": 0, "memory": 0, "names": 0}, []
    for line in listing.splitlines():
        core, name, selector, text = line.split(" ", 3)
        found = terms(text)
        if not found:
            continue
        selector = int(selector, 16)
        code, mask, mask2 = selector & 0xFF, selector >> 8 & 0xFF, selector >> 40 & 0xFF
        plain = not selector & 0xFF840000
        narrow = not any(q.endswith("_SOME") or q.startswith(("UOPS", "BR_MISPRED")) for q, _ in found)
        if code == 0xC4 and plain and narrow and branches(core, mask, mask2) is not None:
            compared["branches"] += 1
            if kinds(text) != branches(core, mask, mask2):
                wrong.append("%s %s %x: %s, not %s" % (core, name, selector, text, sorted(branches(core, mask, mask2))))
        if code == 0xC7 and name.startswith("FP_ARITH") and narrow:
            compared["floating point"] += 1
            must = {q for bit, q in FLOPS.items() if mask & bit}
            # Widths that the core lacks count nothing.
            if {q for q, _ in found} - {"FP_512_DP", "FP_512_SP"} != must - {"FP_512_DP", "FP_512_SP"} or not must & {q for q, _ in found}:
                wrong.append("%s %s %x: %s, not %s" % (core, name, selector, text, sorted(must)))
        if code == 0xD0 and name.startswith("MEM_") and plain:
            compared["memory"] += 1
            loads = any(re.search("LOAD|LOCKED|PREFETCH", q) for q, _ in found)
            stores = any("STORE" in q for q, _ in found)
            if (mask & 7 == 1 and (stores or not loads)) or (mask & 7 == 2 and (loads or not stores)):
                wrong.append("%s %s %x: %s" % (core, name, selector, text))
        for words, cannot in RULED_OUT:
            if re.search(words, name):
                compared["names"] += 1
                wrong += ["%s %s: %s" % (core, name, q) for q, sign in found
                          if sign > 0 and q != "NOT_PROVOKED" and re.match(cannot, q)]
    return compared, wrong


def with_change(old, new):
    with tempfile.TemporaryDirectory() as d:
        d = pathlib.Path(d)
        (d / "scripts").mkdir()
        (d / "pmu").mkdir()
        shutil.copy(ROOT / "scripts/gen-events", d / "scripts")
        shutil.copytree(ROOT / "pmu/intel", d / "pmu/intel")
        shutil.copytree(ROOT / "pmu/quantity", d / "pmu/quantity")
        path = d / "pmu/intel/events/meanings.csv"
        text = path.read_text(encoding="utf-8")
        changed, n = re.subn(r"(?<=[,\s-])%s(?=[\s])" % old, new, text)
        if not n:
            return None
        path.write_text(changed, encoding="utf-8")
        return check(d)[1]


seen, bad = check(ROOT)
ok(not bad, "meanings agree with unit masks and names: %s" % ", ".join("%s %d" % x for x in seen.items()), bad[:20])
ok(all(seen[k] >= least for k, least in (("branches", 350), ("floating point", 180), ("memory", 250), ("names", 1500))), "enough was compared", repr(seen))
for before, after in (("BR_RET", "BR_JMP_INDIRECT"), ("FP_128_SP", "FP_128_DP"), ("INSN_STORE", "INSN_LOAD"),
                      ("ITLB_MISS", "DTLB_LOAD_MISS"), ("BR_CALL_DIRECT BR_CALL_INDIRECT", "BR_CALL_DIRECT")):
    ok(bool(with_change(before, after)), "%s in place of %s is noticed" % (after, before))
done()
