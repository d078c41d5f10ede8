"""Booting Assay in QEMU and Bochs: what `make run`, `make bench` and tests/self/boot share.

boot() starts one emulator, watches the serial line until the verdict, and never outlives its timeout; the emulator never
outlives the runner.
"""
import contextlib
import ctypes
import difflib
import fcntl
import json
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import time

from reporting.runs import number
from reporting.serial import Damaged, extract

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("ASSAY_BUILD", os.path.join(TOP, "build"))
FIRST_SECTOR = 8192  # of the partition in images made by scripts/mkimage
ESCAPES = re.compile(r"\x1b(\[[0-9;=?]*[A-Za-z]|[=>])")
VERDICT = re.compile(r"^# assay: (\d+ checks: .*|listed .*|could not run: .*)$")
AFTER_VERDICT = 20  # seconds
FLAT_MEMORY = 2048  # MiB; of more than that, QEMU's machines have a part above 4 GiB
FAREWELL = "The machine may be switched off now."  # nothing comes after it
BAD_VERDICTS = ("biased", "noisy", "dead", "wrong", "erratum", "error")

# Code and variables.
OVMF = "/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"
SMALL_OVMF = "/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"
OVMF32 = "/usr/share/OVMF/OVMF32_CODE_4M.secboot.fd", "/usr/share/OVMF/OVMF32_VARS_4M.fd"
BIOS = "/usr/share/seabios/bios-256k.bin"
PXE_FILES = "assay.pxe", "direct.bin", "direct32.bin"
BOCHS_BIOS = "/usr/share/bochs/BIOS-bochs-latest"
BOCHS_OVMF = "/usr/share/ovmf/OVMF.fd"


class Missing(Exception):
    """An emulator, its firmware or the image is not there."""


class Result:
    """What one boot left behind."""

    def __init__(self):
        self.lines = []  # the serial line, escape sequences removed
        self.verdict = None  # "N checks: ..." or "could not run: ..."
        self.timed_out = False
        self.interrupted = False  # by the user, with keep_interrupted
        self.exit_status = None  # the emulator's
        self.seconds = 0.0  # from start to end
        self.seconds_to_verdict = None
        self.report_json = None  # text
        self.debugged = 0  # bytes that came through port E9H, of a direct start in QEMU
        self.report_text = None
        self.runs = []  # the runs' folders on the disk, the newest last
        self.console = ""  # what the emulator itself had to say

    @property
    def was_killed_at_once(self):
        """A signal ended the emulator before the machine said anything."""
        return self.exit_status is not None and self.exit_status < 0 and not self.lines

    @property
    def text(self):
        """The text stream alone."""
        return [line[2:] if line.startswith("# ") else "" for line in self.lines if line.startswith("# ") or line == "#"]

    @property
    def tap(self):
        return [line for line in self.lines if re.match(r"^\s*(ok|not ok|1\.\.|TAP version|Bail out!)", line)]

    @property
    def report(self):
        return json.loads(self.report_json) if self.report_json else None

    @property
    def counts(self):
        """Verdict counts of the last line as a dictionary, None without one."""
        if not self.verdict or self.verdict.startswith(("could not run", "listed ")):
            return None
        return {name: int(n) for n, name in re.findall(r"(\d+) ([a-z]+)", self.verdict)}

    @property
    def status(self):
        """0 nothing wrong, 1 something wrong, 2 could not run."""
        counts = self.counts
        if self.verdict and self.verdict.startswith("listed "):
            return 0
        if counts is None:
            return 2
        return 1 if any(counts.get(v) for v in BAD_VERDICTS) else 0


def require(*paths):
    for path in paths:
        if not (os.path.exists(path) if "/" in path else shutil.which(path)):
            raise Missing("%s is missing: run scripts/setup, then make" % path)


def fat(image):
    return "%s@@%d" % (image, FIRST_SECTOR * 512)


def mtools(command, image, *arguments, check=True):
    """Run one of the mtools on an image's file system; returns its exit status."""
    return subprocess.run([command, "-i", fat(image), *arguments], check=check, capture_output=not check).returncode


def write_file(image, path, text):
    """Create or replace a file on an image."""
    subprocess.run(["mcopy", "-o", "-i", fat(image), "-", "::" + path], input=text.encode("latin-1"), check=True)


def read_file(image, path):
    """A file of the image as bytes, None if it is not there."""
    r = subprocess.run(["mtype", "-i", fat(image), "::" + path], capture_output=True, check=False)
    return r.stdout if r.returncode == 0 else None


def names(image, folder):
    """What lies in a folder of an image; [] if there is no such folder."""
    r = subprocess.run(["mdir", "-b", "-i", fat(image), "::" + folder], capture_output=True, text=True, check=False)
    return [line.rstrip("/").rsplit("/", 1)[-1] for line in r.stdout.splitlines()] if r.returncode == 0 else []


def runs(image, folder="/assay/runs"):
    """The runs' folders on an image, as paths, the newest last: each has a number of its own."""
    found = [name for name in names(image, folder) if number(name) is not None]
    return [folder + "/" + name for name in sorted(found, key=number)]


def read_report(image, folder, kind):
    """report.json or report.txt of a run; the one that was just written where a run was cut short before it had its name."""
    name = "%s/report.%s" % (folder, kind)
    data = read_file(image, name)
    data = read_file(image, name + ".new") if data is None else data
    return None if data is None else data.decode("utf-8", "replace")


def copy_image(target, source=None):
    subprocess.run(["cp", "--sparse=always", source or os.path.join(BUILD, "assay.img"), target], check=True)
    return target


def put_files(image, files):
    """Give an image files, {path on it: bytes}; a directory that is missing is made, in one that is there."""
    for path, data in files.items():
        mtools("mmd", image, "-D", "s", "::" + os.path.dirname(path), check=False)
        subprocess.run(["mcopy", "-o", "-i", fat(image), "-", "::" + path], input=data, check=True)


def put_modules(tmp, files):
    """Files as a multiboot loader is told of them: (where each lies here, its path for the image)."""
    modules = []
    for path, data in files.items():
        modules.append(("%s/module%d" % (tmp, len(modules)), path))
        with open(modules[-1][0], "wb") as f:
            f.write(data)
    return modules


DISKS = {
    "ide": ["-drive", "if=none,id=stick,format=raw,cache=unsafe,file={}", "-device", "ide-hd,drive=stick"],
    "virtio": ["-drive", "if=none,id=stick,format=raw,cache=unsafe,file={}", "-device", "virtio-blk-pci,drive=stick"],
    "readonly": ["-drive", "if=none,id=stick,format=raw,readonly=on,file={}", "-device", "virtio-blk-pci,drive=stick"],
    "usb": ["-drive", "if=none,id=stick,format=raw,cache=unsafe,file={}", "-device", "qemu-xhci",
            "-device", "usb-storage,drive=stick,removable=on,id=plug"],
}


# Each instruction takes 16 ns, and what waits is not waited for: time in the machine does not depend on who else runs here.
STEADY = ["-icount", "shift=4,sleep=off"]


def topology(cpus):
    """(cores, threads of each) of a number of processors, or of "CORES:THREADS"."""
    cores, _, threads = str(cpus).partition(":")
    found = int(cores), int(threads or 1)
    if min(found) < 1:
        raise ValueError("there is at least one")
    return found


def smp(cores, threads):
    return "%d,sockets=1,cores=%d,threads=%d" % (cores * threads, cores, threads) if threads > 1 else str(cores)


def need_kvm(device="/dev/kvm"):
    """Whether KVM can be had is asked of the kernel: KVM_GET_API_VERSION, 12 since 2007."""
    try:
        with open(device, "rb+", buffering=0) as f:
            if fcntl.ioctl(f, 0xae00) == 12:
                return
        why = "answers as no KVM does"
    except OSError as e:
        why = e.strerror
    raise Missing("EMU=kvm wants %s: %s; load the module kvm_intel or kvm_amd, and be in the group that may use it" % (device, why))


def qemu_command(tmp, how, cpu, cpus, memory, machine, serial, options, image, modules, disk, firmware, steady, ram, accelerator):
    require("qemu-system-x86_64")
    command = ["qemu-system-x86_64", "-accel", accelerator, "-machine", machine, "-cpu", cpu, "-smp", smp(*cpus),
               "-m", str(memory), "-nodefaults", "-no-user-config", "-display", "none",
               "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-debugcon", "file:%s/e9" % tmp,
               "-global", "isa-debugcon.iobase=0xe9"]
    if serial:
        command += ["-serial", "stdio"]
    if how == "direct":
        command[command.index(machine)] += ",memory-backend=ram"
        if modules:
            command += ["-initrd", ",".join((" ".join(module)).replace(",", ",,") for module in modules)]
        return command + (STEADY if steady else []) + ["-object", "memory-backend-file,id=ram,share=on,size=%dM,mem-path=/dev/fd/%d" % (memory, ram.fileno()),
                                                       "-kernel", image, "-append", options]
    if how == "pxe":
        require(BIOS)
        return command + ["-bios", BIOS, "-netdev", "user,id=net,restrict=on,tftp=%s/tftp,bootfile=assay.pxe" % tmp, "-device", "virtio-net-pci,netdev=net"]
    if how == "bios":
        require(BIOS)
        return command + (STEADY if steady else []) + ["-bios", BIOS] + [part.format(image) for part in DISKS[disk]]
    code, variables = firmware
    require(code, variables)
    shutil.copy(variables, tmp + "/vars.fd")
    command += ["-drive", "if=pflash,format=raw,readonly=on,file=" + code,
                "-drive", "if=pflash,format=raw,file=%s/vars.fd" % tmp]
    if how == "efi":
        return command + ["-kernel", os.path.join(BUILD, "BOOTX64.EFI"), "-append", options]
    if how == "network":
        return command
    return command + [part.format(image) for part in DISKS[disk]]


def cpu_models(emulator):
    """The names of the CPU models that an emulator has."""
    if emulator == "bochs":
        text = subprocess.run(["bochs", "--help", "cpu"], capture_output=True, text=True, check=False)
        text = text.stdout + text.stderr
        return re.findall(r"^([a-z]\w+)$", text.partition("Supported CPU models:")[2], re.M)
    text = subprocess.run(["qemu-system-x86_64", "-accel", "tcg", "-cpu", "help"], capture_output=True, text=True, check=False).stdout
    return re.findall(r"^(?:x86 |  )(\S+)", text.partition("Recognized CPUID flags")[0], re.M)


def refusal(emulator, cpu, console):
    """What an emulator that ended at once means, in words; None if it is not known what it means."""
    if re.search(r"unable to find CPU model|wrong value for parameter 'model'", console):
        known = cpu_models(emulator)
        lower = {name.lower(): name for name in known}
        near = [lower[name] for name in difflib.get_close_matches(cpu.split(",")[0].lower(), lower, 3)]
        return "%s has no CPU model %s: %s" % (emulator, cpu.split(",")[0],
                                               "did you mean %s?" % " or ".join(near) if near else "there are " + " ".join(known))
    if "KVM internal error" in console:
        return "EMU=kvm: this computer's KVM gave the guest up (%s); EMU=qemu does without it" % re.search("KVM internal error.*", console).group(0)
    match = re.search(r"[Pp]roperty '(?:.*\.)?([\w-]+)' not found|Could not access KVM kernel module: (.*)|cannot set up guest memory.*?: (.*)", console)
    if match and match.group(1):
        return "%s: CPU=%s: there is no feature %s" % (emulator, cpu, match.group(1))
    if match and match.group(2):
        return "EMU=kvm: %s" % match.group(2)
    if match:
        return "%s: this computer has not enough memory for the machine: %s" % (emulator, match.group(3))
    return None


BOCHS_CONFIG = """\
megs: {memory}
cpu: model={cpu}, count={cpus}, ips=20000000, ignore_bad_msrs={ignore_bad_msrs}, reset_on_triple_fault=0
romimage: file={rom}
{option_rom}vgaromimage: file=/usr/share/vgabios/vgabios.bin
display_library: rfb, options="timeout=0"
speaker: enabled=1, mode=none
sound: driver=dummy
pci: enabled=1, chipset=i440fx
{serial}
port_e9_hack: enabled=1
clock: sync=none, time0=utc
ata0-master: {disk}
boot: {medium}
log: {tmp}/bochs.log
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
"""


# Debian's Bochs dies of SIGSEGV in one of some hundred starts, before its machine runs an instruction: it is started once more then.
STARTS = 2


# scripts/bochs_start.S: where it lies, and how long it is with what it is handed; and up to where ROM may reach below 4 GiB.
BOCHS_START, BOCHS_START_SIZE, BOCHS_ROM = 0xd0000, 1024, 4 << 20


def laid_out(direct, options, modules):
    """Memory as a Multiboot loader leaves it: the image's entry, the address of the information structure, and [(address, data)]. Behind the image lie
    that structure, the command line, and the modules."""
    with open(direct, "rb") as f:
        image = f.read()
    header = image.index(b"\x02\xb0\xad\x1b")
    start, load, load_end, end, entry = struct.unpack_from("<5I", image, header + 12)
    pieces = [(load, image[header - (start - load):][:load_end - load]), (load_end, bytes(end - load_end))]

    def put(data):
        at = (pieces[-1][0] + len(pieces[-1][1]) + 4095) & ~4095
        pieces.append((at, data))
        return at

    listed = b""
    for here, path in modules:
        with open(here, "rb") as f:
            data = f.read()
        at = put(data)
        listed += struct.pack("<4I", at, at + len(data), put(b"%s %s\0" % (os.path.basename(here).encode(), path.encode("latin-1"))), 0)
    flags = 1 << 2 | 1 << 3 | 1 << 6 | 1 << 9  # command line, modules, memory map, the loader's name: boot/direct/multiboot.h
    command_line = put(b"%s %s\0" % (os.path.basename(direct).encode(), options.encode("latin-1")))
    information = struct.pack("<I12x3I36xI52x", flags, command_line, len(modules), put(listed), put(b"option ROM\0"))
    return entry, put(information), pieces


def bochs_start(tmp, bios, options, direct, modules):
    """Bochs's ROM with a direct image in it, and the option ROM that starts it with options and modules when the BIOS has set the machine up."""
    code = os.path.join(BUILD, "bochs_start.bin")
    require(code, bios, direct)
    entry, information, pieces = laid_out(direct, options, modules)
    with open(bios, "rb") as f:
        bios = f.read()
    kept = [(at, data) for at, data in pieces if data.strip(b"\0")]  # memory is 0 by itself
    data = b"".join(data for _, data in kept)
    data += bytes(-len(data) % 4096)
    if len(data) + len(bios) > BOCHS_ROM:
        raise Missing("Bochs has no room for this image and %d modules" % len(modules))
    with open(tmp + "/rom", "wb") as f:
        f.write(data + bios)
    handed = struct.pack("<2I", entry, information)
    source = (1 << 32) - len(data) - len(bios)
    for at, piece in kept:
        handed += struct.pack("<3I", at, source, len(piece))
        source += len(piece)
    with open(code, "rb") as f:
        rom = f.read() + handed
    rom += bytes(BOCHS_START_SIZE - 1 - len(rom))
    with open(tmp + "/option_rom", "wb") as f:
        f.write(rom + bytes([-sum(rom) & 0xff]))
    return "%s/rom, address=%#x" % (tmp, (1 << 32) - len(data) - len(bios)), "optromimage1: file=%s/option_rom, address=%#x\n" % (tmp, BOCHS_START)


def bochs_command(tmp, how, cpu, cpus, memory, serial_file, options, image, modules, ignore_bad_msrs, direct):
    if serial_file:
        open(serial_file, "wb").close()
    option_rom = ""
    if how == "direct":
        require("bochs")
        rom, option_rom = bochs_start(tmp, BOCHS_BIOS, options, os.path.join(BUILD, direct), modules)
        disk, medium = "type=none", "disk"
    else:
        rom = BOCHS_BIOS if how == "bios" else BOCHS_OVMF
        require("bochs", rom)
        cylinders = os.path.getsize(image) // (512 * 16 * 63)
        rom, medium = rom + (", address=0xffe00000" if rom == BOCHS_OVMF else ""), "disk"
        disk = "type=disk, path=%s, mode=flat, cylinders=%d, heads=16, spt=63, translation=lba" % (image, cylinders)
        if how == "bios":
            option_rom = "vga: extension=none\n"  # a plain VGA: no VBE
    with open(tmp + "/bochsrc", "w", encoding="ascii") as f:
        f.write(BOCHS_CONFIG.format(memory=memory, cpu=cpu, cpus="1:%d:%d" % cpus, ignore_bad_msrs=ignore_bad_msrs, rom=rom, option_rom=option_rom, disk=disk, medium=medium,
                                    tmp=tmp, serial="com1: enabled=1, mode=file, dev=" + serial_file if serial_file else "com1: enabled=0"))
    return ["bochs", "-q", "-f", tmp + "/bochsrc"]


def boot(how="direct", emulator="qemu", cpu=None, options="", cpus=1, memory=256, machine="q35", serial=True, disk="ide",
         ignore_bad_msrs=1, timeout=120, direct="direct.bin", extra=(), on_line=None, stop_when=None, config=None, files=None, prepare=None, inspect=None,
         until_exit=False, firmware=OVMF, firmware_state=None, steady=True, in_turns=False, patience=None, keep_interrupted=False, on_data=None):
    """Boot once.

    how        "direct": without firmware; "disk": OVMF and a copy of the disk image, options in its assay.cfg;
               "bios": a BIOS and a copy of the disk image, likewise;
               "pxe": a BIOS and a TFTP server of QEMU's own with what `make image` has made for one, options in its assay.cfg;
               "efi": OVMF and BOOTX64.EFI from QEMU's command line, options as its LoadOptions;
               "network": OVMF and what firmware finds by the network card that extra has; no options
    cpus       (cores, threads of each), or how many processors
    config     with "disk" and "bios": the whole assay.cfg instead of options; with options=None too, the image's own is kept.
               With "direct": an assay.cfg besides the options, which win over it
    files      others for the image, {"/assay/events/x.json": bytes}; on the disk, or as modules of a direct start
    direct     with "direct": the image, in the build folder
    disk       with "disk" and "bios": how it is attached: ide, virtio, readonly (virtio), usb
    prepare    called with the disk image's path before the start, inspect after the end
    on_line    called with each line of the serial line as it comes
    on_data    called with what comes through QEMU's serial line, as it is, and a function that sends bytes there; true: kill the emulator at once
    stop_when  called with each line; true: kill the emulator at once
    firmware   of QEMU: files with code and variables
    firmware_state  file with a machine that firmware has begun to start, to go on from: QEMU's `migrate` has written it
    timeout    seconds that the whole run may take
    patience   seconds that may pass without another line of the serial line, besides
    keep_interrupted   a KeyboardInterrupt ends the emulator, and what there is of a report is kept, instead of nothing
    until_exit wait for the machine to switch itself off, however many verdicts there are
    steady     with "direct" and "bios" in QEMU: the machine's time is counted in instructions, as Bochs does it, so that no watchdog ends what only
               this computer made slow; else it is real time. (Firmware's own waiting makes that dear: it keeps real time.)
    in_turns   of QEMU, which then has one thread of this computer's for all processors instead of one for each: where firmware has more of them
               wait for each other than this computer has, those that wait are not in the way of the one that works
    """
    cpus = cpus if isinstance(cpus, tuple) else (cpus, 1)
    tmp = tempfile.mkdtemp(prefix="assay-")
    ram = machine_memory(tmp)
    try:
        image, modules = None, []
        if how in ("disk", "bios"):
            require("mcopy", os.path.join(BUILD, "assay.img"))
            image = copy_image(tmp + "/disk.img")
            if config is None and options is not None:
                config = "exit=shutdown\n" + options + "\n"
            if config is not None:
                write_file(image, "/assay/assay.cfg", config)
            if prepare:
                prepare(image)
            put_files(image, files or {})
            before = len(runs(image))
        elif how == "pxe":
            put_on_server(tmp + "/tftp", options if config is None else config, files or {})
        elif how == "direct":
            given = {} if config is None else {"/assay/assay.cfg": config.encode("latin-1")}
            modules = put_modules(tmp, dict(given, **(files or {})))
            image = os.path.join(BUILD, direct)
            require(image)
            if "report=" not in options:
                options += " report=memory" if emulator != "bochs" and memory <= FLAT_MEMORY else " report=e9"
        elif how == "efi" and "exit=" not in options:
            options += " exit=shutdown"  # rather than go on to the firmware's shell

        if emulator in ("qemu", "kvm"):
            if emulator == "kvm":
                need_kvm()
            command = qemu_command(tmp, how, cpu or {"kvm": "host"}.get(emulator, "max"), cpus, memory, machine, serial, options, image, modules, disk,
                                   firmware, steady and emulator == "qemu", ram, {"kvm": "kvm"}.get(emulator, "tcg,thread=single" if in_turns else "tcg"))
            if firmware_state:
                command += ["-incoming", "exec:cat '%s'" % firmware_state]
            serial_file = None
        elif emulator == "bochs":
            serial_file = tmp + "/serial"
            command = bochs_command(tmp, how, cpu or "corei7_skylake_x", cpus, memory, serial_file if serial else None, options, image,
                                    modules, ignore_bad_msrs, direct)
        else:
            raise Missing("there is no emulator %s; EMU is qemu, kvm or bochs" % emulator)

        for _ in range(STARTS):
            r = Result()
            started = time.monotonic()
            try:
                watch(r, command + list(extra), serial_file, started + timeout, on_line, stop_when, until_exit, tmp, patience,
                      (ram.fileno(),), on_data)
            except KeyboardInterrupt:
                if not keep_interrupted:
                    raise
                r.interrupted = True
            r.seconds = time.monotonic() - started
            if r.interrupted or not (emulator == "bochs" and r.was_killed_at_once):
                break

        if how == "pxe":
            r.report_json = sent(r)
        elif how == "direct":
            with contextlib.suppress(FileNotFoundError):  # of an emulator that was killed at once
                with open(tmp + ("/console" if emulator == "bochs" else "/e9"), "rb") as f:
                    debugged = f.read()
                r.debugged = len(debugged)
                r.report_json = last_document(debugged, ram)
        elif image:
            r.runs = runs(image)
            if len(r.runs) > before:
                r.report_json, r.report_text = [read_report(image, r.runs[-1], kind) for kind in ("json", "txt")]
            else:
                r.report_json = how == "bios" and kept(image) or sent(r)
        if inspect:
            inspect(image)
        return r
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
        ram.close()


def put_on_server(folder, config, files):
    """What a TFTP server has for machines with a BIOS. It lists no folders: assay/files.cfg names the files but the configuration."""
    require(*[os.path.join(BUILD, name) for name in PXE_FILES])
    os.makedirs(folder + "/assay")
    for name in PXE_FILES:
        shutil.copy(os.path.join(BUILD, name), folder)
    names = " ".join(os.path.relpath(path, "/assay") for path in files)
    for path, data in {"/assay/assay.cfg": b"exit=shutdown\n%s\n" % config.encode("latin-1"), "/assay/files.cfg": b'set files="%s"\n' % names.encode(), **files}.items():
        os.makedirs(os.path.dirname(folder + path), exist_ok=True)
        with open(folder + path, "wb") as f:
            f.write(data)


def kept(image):
    """The last report in the file for machines with a BIOS; None if there is none, or not all of it."""
    with contextlib.suppress(Damaged):
        return extract((read_file(image, "/assay/bios.txt") or b"").decode("latin-1")).decode("utf-8", "replace")


def sent(r):
    """The report that came over the serial line; None if it did not, or not whole."""
    with contextlib.suppress(Damaged):
        return extract("\n".join(r.lines)).decode("utf-8", "replace")


def machine_memory(tmp):
    """A file without a name in which QEMU keeps the machine's memory for us to read; on no disk, if there is such a place."""
    at = "/dev/shm"
    return tempfile.TemporaryFile(dir=at if os.access(at, os.W_OK) and shutil.disk_usage(at).free > 2 << 30 else tmp)


def last_document(data, ram):
    """The last JSON document that came through port E9H: each lies between STX and ETX. Of its long pieces only address and size came
    (boot/report_out.h)."""
    start, end = data.rfind(b"\x02"), data.rfind(b"\x03")
    if not 0 <= start < end:
        return None

    def piece(match):
        ram.seek(int(match.group(1), 16))
        return ram.read(int(match.group(2), 16))

    return re.sub(rb"\x10([0-9a-f]+) ([0-9a-f]+)\n", piece, data[start + 1:end]).decode("utf-8", "replace")


def die_with_parent():
    """In the child: be killed when the runner is, however it ends (PR_SET_PDEATHSIG of prctl(2))."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def watch(r, command, serial_file, deadline, on_line, stop_when, until_exit, tmp, patience=None, files=(), on_data=None):
    """Start the emulator and follow its serial line (a file with Bochs, standard output with QEMU) into r."""
    with open(tmp + "/console", "wb") as console:
        process = subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stdout=console if serial_file else subprocess.PIPE,
                                   stderr=subprocess.STDOUT if serial_file else console, start_new_session=True,
                                   pass_fds=files, preexec_fn=die_with_parent)
        source = process.stdout
        if serial_file:
            # Bochs's debugger waits for a command, and then for the next one: the pipe stays open.
            with contextlib.suppress(BrokenPipeError):  # of a Bochs that is dead by now
                process.stdin.write(b"c\n")
            source = open(serial_file, "rb")
        try:
            follow(r, process, source, tmp + ("/console" if serial_file else "/e9"), bool(serial_file), deadline, on_line, stop_when, until_exit,
                   float("inf") if patience is None else patience, on_data)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdin.close()
            source.close()
    with open(tmp + "/console", "rb") as f:
        r.console = f.read().decode("utf-8", "replace")


def gave_up(tmp):
    """Whether QEMU said that its KVM did: it stops the machine then, and waits for ever."""
    with open(tmp + "/console", "rb") as f:
        return b"KVM internal error" in f.read(65536)


def follow(r, process, source, document, is_file, deadline, on_line, stop_when, until_exit, patience, on_data=None):
    pending = b""
    verdict_at = None
    progress = 0, 0  # when the document was last seen to grow, and to what size
    started = heard = time.monotonic()
    while True:
        now = time.monotonic()
        if now > deadline or now > heard + patience and not verdict_at:
            r.timed_out = r.verdict is None
            return
        # After the verdict the machine has files to write and to switch itself off. A document that still grows is waited for.
        if verdict_at and not until_exit and now > max(heard, progress[0]) + AFTER_VERDICT:
            size = os.path.getsize(document) if os.path.exists(document) else 0
            if size == progress[1]:
                return
            progress = now, size
        ended = process.poll() is not None
        if is_file:
            data = source.read()
            if not data and not ended:
                time.sleep(0.02)
        else:
            ready, _, _ = select.select([source], [], [], 0.2)
            data = os.read(source.fileno(), 65536) if ready else b""
        if on_data and on_data(data, process.stdin.write):
            return
        *lines, pending = (pending + data).split(b"\n")
        for raw in lines:
            heard = time.monotonic()
            line = ESCAPES.sub("", raw.decode("utf-8", "replace")).strip("\r")  # GRUB has CR behind LF
            r.lines.append(line)
            if on_line:
                on_line(line)
            match = VERDICT.match(line)
            if match:
                r.verdict = match.group(1)
                verdict_at = time.monotonic()
                r.seconds_to_verdict = verdict_at - started
            if stop_when and stop_when(line):
                return
            if not until_exit and (FAREWELL in line or r.verdict and r.verdict.startswith("could not run")):
                return
        if not data and not is_file and gave_up(os.path.dirname(document)):
            return
        if ended and not data:
            r.exit_status = process.returncode
            return
