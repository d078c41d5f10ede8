"""The tools that `make coverage` asks, one for each instruction set that has one, and what families keep for them."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def tools():
    """As commands. That of another instruction set than x86 is a program for it, in its part of build/."""
    others = sorted((ROOT / "build").glob("*/coverage"))
    if not (ROOT / "build/coverage").exists():
        sys.exit("build/coverage is missing: run make coverage first")
    return [(ROOT / "build/coverage",), *(("qemu-" + tool.parent.name, tool) for tool in others)]


def ask(*args):
    """What all of them print, one behind the other."""
    return "".join(subprocess.run([*tool, *args], check=True, capture_output=True, text=True).stdout for tool in tools())


def kept(name):
    """The files of this name in the families' folders."""
    return sorted(ROOT.glob("pmu/*/coverage/" + name))
