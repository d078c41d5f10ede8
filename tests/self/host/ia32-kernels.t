#!/usr/bin/python3
"""The kernels of 32 bits, single-stepped as a process of 32 bits on this machine's processor: build/host/ia32_witness speaks TAP."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../scripts"))
import emulators  # noqa: E402

os.execv(os.path.join(emulators.BUILD, "host/ia32_witness"), ["ia32_witness"])
