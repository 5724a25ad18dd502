"""record.py: a record of measurements: whose figures they are, and the file."""
import argparse
import datetime
import json
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path


def machine():
    """Whose figures these are."""
    def git(*words):
        return subprocess.run(["git", "-C", Path(__file__).parent, *words], capture_output=True, text=True, check=False).stdout
    names = [line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")]
    return {"schema": "halation-package-1", "machine": names[0] if names else platform.machine(),
            "cores": len(os.sched_getaffinity(0)), "system": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(), "commit": git("rev-parse", "--short", "HEAD").strip(),
            "modified": bool(git("status", "--porcelain", "--untracked-files=no").strip()),
            "date": datetime.date.today().isoformat(), "command": shlex.join(["python", *sys.argv])}


def write(record, path):
    """A record, one row a line; complete or not at all."""
    head = {key: value for key, value in record.items() if key != "rows"}
    rows = ",\n".join(json.dumps(row) for row in record["rows"])
    part = Path(f"{path}.part")
    part.write_text(json.dumps(head)[:-1] + ',\n"rows": [\n' + rows + "\n]}\n", encoding="utf-8")
    part.replace(path)


def parser_of(description, jobs):
    """Of a script that times the program at some of these jobs."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=lambda path: str(Path(path).resolve()), required=True)
    parser.add_argument("--folder")
    parser.add_argument("--json")
    parser.add_argument("--commit", help="that the program was built from [that of this folder]")
    parser.add_argument("jobs", nargs="+", choices=jobs)
    return parser


def write_rows(arguments, schema, rows):
    """Where --json was given, with the commit that was."""
    if arguments.json:
        built = {"commit": arguments.commit, "modified": False} if arguments.commit else {}
        write({**machine(), **built, "schema": schema, "rows": rows}, arguments.json)
