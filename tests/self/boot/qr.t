#!/usr/bin/python3
"""The report as QR codes on the screen, where neither a disk nor a serial line keeps it: from a text screen, on VGA's own pixels. (own_full.t has a
framebuffer.)"""
import os

from boottest import TOP, boot, done, few, ok, same_table, skip, sound, valid
from camera import Camera
import screendump

if not os.path.exists(TOP + "/build/qrcodegen/c/qrcodegen.c"):
    skip("the image is built without QR codes")
    done()
    raise SystemExit

OPTIONS = "pmu=virtual suite=control,events reps=2 kernel=nop_loop event=INST_RETIRED.ANY_P check=wrap*"
direct = boot(options=OPTIONS)
sound(direct, "a direct start")
# The machine's time runs faster than in other boots: a code is there for a quarter of a second or so.
QUICK = ("-icount", "shift=6,sleep=off")


def filmed(what, how, options, says=None, **named):
    with Camera() as camera:
        r = boot(how, options=options, serial=False, steady=False, extra=(*camera.options, *QUICK), timeout=300, **named)
        r.report_json, said = camera.report()
        if says:
            ok(any(says in screendump.text(picture) for picture in camera.pictures), what + ": the screen says " + says)
    ok(r.report, "%s: %s" % (what, said), ["%d pictures" % len(camera.pictures)])
    same_table(r, direct, what + ": the report is that of a direct start")
    valid(r.report, what + ": it keeps to the schema")
    return r


r = filmed("the stick under a BIOS, which cannot be written, and no serial port", "bios", OPTIONS, disk="readonly",
           says="the report is not on the stick: INT 13H does not write to the disk")
ok(r.exit_status == 33, "after two rounds the machine ends by itself", repr(r.exit_status))
for how, options in few((), (("direct", " report=\\assay\\runs"), ("bios", " report=qr"))):
    filmed("%s%s" % (how, options), how, OPTIONS + options)
r = boot(options=OPTIONS + " report=qr", extra=("-vga", "none"))
ok(r.status == 0 and r.text[-1] == "report: none could be written (there is no screen for QR codes): keep this screen, or the serial line's text",
   "no screen: one line says so", r.text[-3:])
done()
