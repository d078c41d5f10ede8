#!/usr/bin/python3
"""Bad options and damaged configuration: one line each that says what, where and what to do; then the next boot is fine."""
from boottest import boot, complains, done, emulators, equal, ok, sound

COMMAND_LINE = [
    ("suites=control", r"command line, token 1: .*suites", "an option that does not exist"),
    ("n=4294967296", r"command line, token 1: .*4294967296", "a value beyond its range"),
    ("reps=99999999999999999999", r"command line, token 1: .*reps", "a value beyond 64 bits"),
    ("pmu=virtual suite", r"command line, token 2: ", "a token without ="),
    ("pmu=virtual:no-such-profile", r"no-such-profile.*intel-core2", "an unknown profile"),
    ("pmu=no-such-driver", r"no-such-driver.*there are auto, virtual, intel", "an unknown driver"),
    ("suite=no-such-suite", r"suite=no-such-suite matches none of .*control", "a suite that does not exist"),
    ("suite=control,contrl", r"suite=contrl matches none of ", "one of several suites that does not exist"),
    ("kernel=no_such_kernel", r"kernel=no_such_kernel matches none of .*, \.\.\.", "a kernel that does not exist"),
    ("event=INST*,NO_SUCH*", r"event=NO_SUCH\* matches none of .*INST_RETIRED.ANY", "an event that the PMU does not have"),
    ("pmu=virtual inject=droped-carry", r"no injection 'droped-carry'.*nearest: 'dropped-carry'", "an unknown injection"),
]
for options, pattern, name in COMMAND_LINE:
    complains(boot(options=options, timeout=60), pattern, name)

# Nothing that was asked for is there: on one processor, and on several.
NOTHING = [("event=NO_SUCH", r"event=NO_SUCH matches none of ", "an event"), ("kernel=no_such", r"kernel=no_such matches none of ", "a kernel"),
           ("suite=no_such", r"suite=no_such matches none of ", "a suite"),
           ("suite=control check=no_such", r"check=no_such matches none of the checks", "a check")]
for cpus in (1, 3):
    for options, pattern, name in NOTHING:
        r = boot(options="pmu=virtual cpus=all " + options, cpus=cpus, timeout=60)
        complains(r, pattern, "%s that does not exist, processors: %d" % (name, cpus))
        ok(not (r.report or {"complete": False})["complete"], "and its report, if there is one, is not complete")
for suite in ("selftest", "identities"):
    complains(boot(options="pmu=virtual kernel=nop_loop check=no_such,nor_such suite=" + suite, timeout=60), r"check=no_such,nor_such matches none",
              "a check that does not exist, suite " + suite)
r = boot(options="pmu=virtual suite=control check=no_such,wrap*")
sound(r, "one of several checks that does not exist")  # other CPUs may have it
r = boot(options="pmu=virtual suite=events event=INST_RETIRED.ANY kernel=nop_loop check=no_such")
sound(r, "check= where no suite asks for it")

complains(boot(options="pmu=virtual suite=strings kernel=nop_loop"), r"nothing was judged: kernel=nop_loop and event=arch leave suite=strings nothing",
          "a suite that finds nothing to do")
ok(boot(options="pmu=virtual suite=strings,control kernel=nop_loop check=wrap*").status == 0, "one of several that does")

complains(boot("efi", options="verbose=perhaps"), r"command line, token 1: .*verbose", "a bad option in LoadOptions")

GARBAGE = bytes(range(128, 256)).decode("latin-1") + "\x00\x01\x02 = = ="
complains(boot(config="# fine so far\n" + GARBAGE, timeout=60), r"assay\.cfg:2:1: ", "garbage in assay.cfg")
complains(boot(config="pmu=auto\nsuite=control n=zero\n", timeout=60), r"assay\.cfg:2:\d+: .*n", "a bad value in assay.cfg")


def with_directory(image):
    emulators.mtools("mdel", image, "::/assay/assay.cfg")
    emulators.mtools("mmd", image, "::/assay/assay.cfg")

# A direct start has its files from the loader.
FILE = "# pmu=virtual:intel-core2\npmu=virtual:intel-haswell suite=none n=7"
r = boot(options="n=8", config=FILE)
equal((r.report or {"pmus": [{}]})["pmus"][0].get("model"), "intel-haswell", "QEMU: assay.cfg as a module is read")
ok(r.report and " n=8 " in " %s " % r.report["options"], "the command line wins over it", r.report and r.report["options"])
complains(boot(emulator="bochs", config="\nsuite=control n=zero\n", timeout=60), r"assay\.cfg:2:\d+: .*n", "GRUB: likewise")
complains(boot(options="suite=none", config=FILE + " n=seven", timeout=60), r"assay\.cfg:2:\d+: .*n", "what is wrong in it is told though the command line is good")
EMPTY = {"/assay/events/%s.json" % name: b"[]" for name in range(73)}
complains(boot(options="suite=none", files=EMPTY, timeout=60), "too many modules", "more modules than there is room for")
complains(boot(options="suite=none", files={"/assay/" + 160 * "x": b""}, timeout=60), "too long a path", "a module with a long path")

texts = [boot(options="pmu=virtual suite=control report=" + way).report_json for way in ("e9", "memory")]
equal(texts[1] and texts[1].replace("report=memory", "report=e9"), texts[0], "the report through port E9H and the one that lies in memory are the same")
complains(boot("disk", prepare=with_directory), r"assay\.cfg: is a directory", "an assay.cfg that cannot be read")
r = boot("disk", prepare=lambda image: emulators.mtools("mdel", image, "::/assay/assay.cfg"))
sound(r, "no assay.cfg at all")
r = boot(config="exit=shutdown\r\n# comment\r\n\r\nsuite=control\tpmu=virtual # more\r\n")
sound(r, "assay.cfg with comments, blank lines and CR LF")
ok(r.report and [s["name"] for s in r.report["suites"] if s["checks"]][-1] == "control", "its options were taken")
done()
