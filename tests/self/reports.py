"""Small reports (docs/report.schema.json), and running what reads them."""
import contextlib
import io
import pathlib
import runpy
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERDICTS = ["exact", "within", "biased", "noisy", "dead", "wrong", "erratum", "error", "skipped"]


def check(name, verdict, values, low=240, high=240, **more):
    numbers = [v for v, _ in values]
    return {
        "name": name,
        "verdict": verdict,
        "virtual": True,
        **more,
        "observations": [
            {
                "n": 20,
                "low": low,
                "high": high,
                "total": sum(t for _, t in values),
                "distinct": len(values),
                "min": min(numbers),
                "max": max(numbers),
                "values": values,
            }
        ]
        if values
        else [],
    }


def cell(event, counter, kernel, verdict="exact", value=240, **more):
    return check(
        f"{event}/{counter}/{kernel}",
        verdict,
        [[value, 3]],
        event=event,
        counter=counter,
        kernel=kernel,
        encoding="0xc0",
        **more,
    )


def report(suites):
    found = [c["verdict"] for s in suites for c in s["checks"]]
    return {
        "schema": "assay-report/5",
        "complete": True,
        "lost": 0,
        "build": "b1",
        "options": "n=20",
        "isa": "x86-64",
        "levels": [{"name": f"ring {n}", "filter": "USR" if n else "OS"} for n in range(4)],
        "machine": {
            "platform": "UEFI",
            "firmware": "F",
            "hypervisor": None,
            "guest": False,
            "cpu": "B, family 6 model 15 stepping 6",
            "identity": [
                {"name": "vendor", "value": "V"},
                {"name": "brand", "value": "B"},
                {"name": "signature", "value": "0x6f6"},
                {"name": "family", "value": "6"},
                {"name": "model", "value": "15"},
                {"name": "stepping", "value": "6"},
                {"name": "microcode", "value": "unknown", "loaded": True},
            ],
            "processor_count": 1,
            "clock_hz": 1000,
            "time_reference": "HPET",
            "watchdog": "none",
        },
        "totals": {"checks": len(found), **{v: found.count(v) for v in VERDICTS}},
        "notes": ["no HPET"],
        "pmus": [
            {
                "name": "P",
                "driver": "intel",
                "version": 2,
                "virtual": True,
                "model": "intel-core2",
                "deterministic": True,
                "identity": [],
                "general": 2,
                "fixed": 0,
                "events": 1,
                "global_control": True,
                "interrupt": True,
                "counters": [],
            }
        ],
        "snapshots": [
            {
                "registers": [
                    {
                        "name": "CTRL",
                        "space": "MSR",
                        "address": "0x38f",
                        "value": "0x7",
                        "running": True,
                        "fields": "PMC0 PMC1 PMC2",
                    },
                    {"name": "GONE", "space": "MSR", "address": "0x38d", "value": None, "running": False},
                ]
            }
        ],
        "values": [
            {"suite": "events", "name": "bracket", "value": "4", "unit": "instructions"},
            {"suite": "truth", "name": "nops/ring 0/N = 3", "value": "instructions=9", "unit": "stepped"},
        ],
        "experiments": [],
        "suites": suites,
    }


def identify(made, **new):
    """The report of another CPU: with other parts of its identity, and the line that they make."""
    pairs = made["machine"]["identity"]
    for pair in pairs:
        pair["value"] = new.get(pair["name"], pair["value"])
    parts = {pair["name"]: pair["value"] for pair in pairs}
    made["machine"]["cpu"] = "{brand}, family {family} model {model} stepping {stepping}".format(**parts)
    return made


def script(name, *args):
    """Status and both streams of a script, run here: a Python of its own for each would take much longer."""
    path, argv = ROOT / "scripts" / name, sys.argv
    out, err, status = io.StringIO(), io.StringIO(), 0
    sys.argv = [str(path), *map(str, args)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            runpy.run_path(str(path), run_name="__main__")
    except SystemExit as end:
        status = end.code or 0
    finally:
        sys.argv = argv
    return status, out.getvalue(), err.getvalue()
