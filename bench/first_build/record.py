#!/usr/bin/env python3
"""record.py: the record of a first build. Usage: record.py FOLDER JOB COMMAND COMMIT; FOLDER has what bench/first_build/run wrote."""
import collections
import datetime
import json
import os
import re
import sys
from pathlib import Path

folder, job, command, commit = Path(sys.argv[1]), *sys.argv[2:5]
begin, middle, end = map(float, (folder / "clock").read_text().split())
by_folder = collections.Counter()
for line in (folder / "objects").read_text().splitlines():
    user, system, path = line.split(" ", 2)
    # …/build/release/src/cpu/CMakeFiles/halation_cpu.dir/fft/fft.cpp.o is an object of src/cpu.
    place = re.search(r"/build/[^/]+/(?:(.*?)/)?CMakeFiles/", path)
    tried = "CMakeScratch" in path or "CMakeTmp" in path
    by_folder["what CMake tries" if tried else "what tests build" if not place else place[1] or "."] += float(user) + float(system)
cpu = next(line.split(": ")[1] for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
print(json.dumps({
    "command": command,
    "recorded_by": f"bench/first_build/run FILE {job}", "commit": commit,
    "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    "cpu": f"{cpu}, {os.cpu_count()} threads", "system": "Debian 12 made by mmdebstrap, nothing installed",
    "seconds_of_packages": round(middle - begin, 1), "seconds": round(end - middle, 1),
    "cpu_seconds_of_objects": round(sum(by_folder.values()), 1),
    "cpu_seconds_by_folder": {name: round(seconds, 1) for name, seconds in by_folder.most_common()},
}, indent=2))
