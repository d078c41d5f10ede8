#!/usr/bin/python3
"""Started over the network, by PXE and by HTTP: the configuration comes from a server, and the report goes back to it. The servers are dnsmasq
(DHCP), tftpd-hpa and Python's for HTTP, in a network of their own (a namespace), so that nothing of this computer's is touched."""
import functools
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from boottest import BUILD, boot, done, equal, few, ok, same_table, skip, sound, tail, valid

OPTIONS = "pmu=virtual suite=control,events kernel=nop_loop,calls check=wrap*"
INSIDE = "ASSAY_NETWORK"

if INSIDE not in os.environ:
    own = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-r", "-n"]
    probe = subprocess.run([*own, "ip", "tuntap", "add", "probe", "mode", "tap"], capture_output=True, text=True, check=False)
    if probe.returncode == 0:
        os.execvpe(own[0], [*own, *sys.orig_argv], dict(os.environ, **{INSIDE: "1"}))
    skip("started over the network", "no network of its own can be had here: %s" % probe.stderr.strip())
    done()


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def link(name, address):
    ip("tuntap", "add", name, "mode", "tap")
    ip("addr", "add", address + "/24", "dev", name)
    ip("link", "set", name, "up")


def card(name, mac):
    """A network card of a machine, with the firmware's own driver. IPv6 is off: nobody here answers it, and firmware asks long."""
    return ["-netdev", "tap,id=net,ifname=%s,script=no,downscript=no" % name, "-device", "virtio-net-pci,netdev=net,romfile=,mac=" + mac,
            "-device", "virtio-rng-pci", "-fw_cfg", "name=opt/org.tianocore/IPv6PXESupport,string=no",
            "-fw_cfg", "name=opt/org.tianocore/IPv6Support,string=no"]


def start(folder):
    """The servers. @return what ends them"""
    ip("link", "set", "lo", "up")
    link("pxe", "10.9.1.1")
    link("http", "10.9.2.1")
    dhcp = ["dnsmasq", "-d", "-C", "/dev/null", "--port=0", "--bind-interfaces", "--interface=pxe", "--interface=http", "--user=root",
            "--dhcp-leasefile=%s/leases" % folder, "--dhcp-range=set:pxe,10.9.1.10,10.9.1.20", "--dhcp-range=set:http,10.9.2.10,10.9.2.20",
            "--dhcp-match=set:fetch,option:client-arch,16", "--dhcp-option-force=tag:fetch,60,HTTPClient",
            "--dhcp-boot=tag:pxe,BOOTX64.EFI", "--dhcp-boot=tag:http,tag:!fetch,none.efi",
            "--dhcp-boot=tag:http,tag:fetch,http://10.9.2.1:8080/BOOTX64.EFI"]
    tftp = [BUILD + "/tftpd/usr/sbin/in.tftpd", "-L", "-c", "-p", "-u", "root", "-a", ":69", "-s", folder + "/tftp"]
    with open(folder + "/log", "wb") as log:
        running = [subprocess.Popen(command, stdout=log, stderr=log) for command in (dhcp, tftp)]
    web = http.server.ThreadingHTTPServer(("10.9.2.1", 8080), functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder + "/web"))
    threading.Thread(target=web.serve_forever, daemon=True).start()
    return [server.terminate for server in running]


def files(folder, mac):
    runs = folder + "/tftp/assay/runs"
    return {name.rsplit("-", 1)[1]: os.path.join(runs, name) for name in sorted(os.listdir(runs)) if name.startswith(mac.replace(":", "") + "-")}


# What was started by HTTP asks by PXE, too, and sends by TFTP: `make soak` starts it both ways.
MACHINES = few({"http": "52:54:00:00:00:02"}, {"pxe": "52:54:00:00:00:01", "http": "52:54:00:00:00:02"})
with tempfile.TemporaryDirectory() as folder:
    for name in ("tftp/assay/runs", "web"):
        os.makedirs(os.path.join(folder, name))
    shutil.copy(BUILD + "/BOOTX64.EFI", folder + "/tftp")
    shutil.copy(BUILD + "/BOOTX64.EFI", folder + "/web")
    with open(folder + "/tftp/assay/assay.cfg", "w", encoding="ascii") as f:
        f.write("exit=shutdown menu=0\n%s\n" % OPTIONS)
    ends = start(folder)
    time.sleep(1)
    try:
        with ThreadPoolExecutor() as pool:
            results = dict(zip(MACHINES, pool.map(lambda name: boot("network", options=None, extra=card(name, MACHINES[name]), timeout=200), MACHINES)))
        reference = boot(options=OPTIONS + " reps=3")
        for how, r in results.items():
            sound(r, "started by " + how)
            found = files(folder, MACHINES[how])
            if not equal(sorted(found), ["journal.txt", "report.json", "report.txt"], how + ": its files are on the server, named after the machine"):
                print("\n".join("# " + line for line in tail(r)))
                with open(folder + "/log", encoding="utf-8") as f:
                    print("".join("# " + line for line in f))
                continue
            with open(found["report.json"], encoding="utf-8") as f:
                r.report_json = f.read()
            valid(r.report, how + ": the report is valid")
            ok(r.report["complete"] and "kernel=nop_loop,calls " in r.report["options"], how + ": it is complete, and the server's assay.cfg was taken",
               r.report["options"])
            same_table(r, reference, how + ": the same table as a direct start")
            with open(found["journal.txt"], encoding="ascii") as f:
                ok(f.read().splitlines()[-1].startswith("ended: "), how + ": so is the journal, to its last line")
            with open(found["report.txt"], encoding="ascii") as f:
                ok("\nnothing is wrong\n" in f.read(), how + ": and the text")
            place = os.path.basename(found["report.json"])[:-len("-report.json")]
            ok("report: in \\assay\\runs\\" + place in r.text, how + ": the last line says where", tail(r, 5))
        ok(len(os.listdir(folder + "/tftp/assay/runs")) == 3 * len(MACHINES), "no run touches another one's files", os.listdir(folder + "/tftp/assay/runs"))
    finally:
        for end in ends:
            end()
done()
