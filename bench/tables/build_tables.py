"""build_tables.py: what bench/first_build/run recorded, as a table: what a user's first command takes, from nothing."""
from records import RESULTS, digits, record, table


def first_builds():
    """Every record of a first build, and the folders that take the most."""
    rows = []
    for path in sorted(RESULTS.glob("first_build_*.json")):
        of = record(path.stem)
        folders = [f"{name} {seconds:.0f}" for name, seconds in list(of["cpu_seconds_by_folder"].items())[:4]]
        rows.append([f"`{of['command']}`", of["cpu"], f"{of['seconds'] // 60:.0f}:{of['seconds'] % 60:04.1f}", digits(of["cpu_seconds_of_objects"]),
                     ", ".join(folders), f"{of['commit'][:7]}, {of['date'][:10]}"])
    return table(["Command", "CPU", "min:s", "CPU seconds of objects", "the most", "commit, date"], rows)


FIGURES = [first_builds]
