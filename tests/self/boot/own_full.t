#!/usr/bin/python3
"""own=full: firmware's boot services end before the first check. The report then goes out over the serial line, or as QR codes on the framebuffer, and
says the same as any other."""
import os

from boottest import TOP, boot, complains, done, equal, few, ok, same_table, skip, sound, tail, valid
from camera import Camera

OPTIONS = "pmu=virtual suite=control,events reps=2 kernel=nop_loop,calls event=ASSAY_*,INST_RETIRED.ANY_P check=wrap*,access/*,LVT*"
FILES = {"/assay/events/our own.json": b'[{"EventName":"ASSAY_OWN","EventCode":"0xc0","SampleAfterValue":"1"}]'}
direct = boot(options=OPTIONS + " own=full cpus=all", files=FILES, cpus=2)
sound(direct, "a direct start")
ok(direct.report and "own=full: there is no firmware here whose services could end" in direct.report["notes"], "which has no firmware, and says so", tail(direct))


def alone(what, options, **named):
    r = boot("disk", config="exit=shutdown own=full\n%s\n" % options, files=FILES, **named)
    sound(r, what)
    ok(not r.runs, what + ": no folder is made that would stay empty", r.runs)
    return r


r = alone("two processors", OPTIONS + " cpus=all", cpus=2)
for number in (0, 1):
    same_table(r, direct, "the table of a direct start, with the event file, on processor %d" % number, processors=(number, number))
equal(r.exit_status, 0, "the machine switches itself off")
valid(r.report, "its report has come over the serial line")
equal(r.report and r.report["machine"]["platform"], "UEFI, boot services ended", "and says that firmware had ended")
equal(r.text[-1:], ["report: on the serial line; scripts/serial-report takes it from there"], "the last line says where it is")

if os.path.exists(TOP + "/build/qrcodegen/c/qrcodegen.c"):
    with Camera(switch_off=True) as camera:
        r = alone("a framebuffer, report=qr", OPTIONS + " report=qr", extra=camera.options, until_exit=True, timeout=240)
        r.report_json, said = camera.report()
    ok(r.report, "codes on a framebuffer: " + said, ["%d pictures" % len(camera.pictures)])
    same_table(r, direct, "the table of a direct start", processors=(None, 0))
    valid(r.report, "it keeps to the schema")
else:
    skip("the image is built without QR codes")
for what, options in few((), (("it is no more than asked for", "own=maybe"),)):
    complains(boot("disk", config="exit=shutdown\n%s\n" % options), "own=maybe", what)
done()
