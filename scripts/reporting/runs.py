"""Runs' folders, as the image leaves them on a volume: \\assay\\runs\\NNNN-CPU, each with its report."""
import os
import re


def number(name):
    """That of a run's folder; None for anything else."""
    match = re.match(r"(\d+)-", name)
    return int(match.group(1)) if match else None


def report_in(folder):
    """The report in a run's folder; None if there is none. Where a run was cut short before the one that it had just
    written had its name, that one."""
    for name in ("report.json", "report.json.new"):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    return None


def newest(path):
    """The report that a path means: a file is one itself; a run's folder has one; of runs' folders, or of a volume with
    assay/runs, it is that of the newest run that has one. The path itself where there is none."""
    if not os.path.isdir(path):
        return path
    if report_in(path):
        return report_in(path)
    inner = os.path.join(path, "assay", "runs")
    path, given = (inner if os.path.isdir(inner) else path), path
    numbered = [(number(name), name) for name in os.listdir(path) if number(name) is not None]
    for _, name in sorted(numbered, reverse=True):
        found = report_in(os.path.join(path, name))
        if found:
            return found
    return given
