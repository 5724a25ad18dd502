"""width_tables.py: what `any_width` recorded, as a table: how much longer the slowest width takes than the median of all."""
from contest_tables import machine
from records import digits, record, table, times

RECORDS = ("any_width_zen4_avx512", "any_width_zen4_avx2", "any_width_xeon_avx512", "any_width_xeon_avx2")


def groups(name):
    """{(pixel, channels, filter, taps): its groups, one a number of threads}."""
    rows = {}
    for group in record(name)["groups"]:
        rows.setdefault((group["pixel"], group["channels"], group["filter"], group["taps"]), []).append(group)
    return rows


def any_width():
    def cell(of):
        slowest = [times(group["slowest_over_median"]) + f" ({group['slowest'][0]['width']})" for group in of]
        return " / ".join(digits(group["median_ns"]) for group in of) + ": " + " / ".join(slowest)

    of_records = [groups(name) for name in RECORDS]
    return table(["Filter", *(f"{record(name)['machine']}, {record(name)['command'].split()[2].replace('AVX3', 'AVX-512')}" for name in RECORDS)],
                 [[f"{pixel}, {channels} channel{'s' if channels > 1 else ''}, {kind} {taps}",
                   *(cell(of[pixel, channels, kind, taps]) for of in of_records)]
                  for pixel, channels, kind, taps in of_records[0]])


def any_width_within(name, most):
    """In how many groups the slowest width takes no more than `most` times the median, and of how many."""
    all_groups = record(name)["groups"]
    return f"{sum(group['slowest_over_median'] <= most for group in all_groups)} of {len(all_groups)}"


def any_width_circumstances():
    return "; ".join(f"{machine(name)}, commit {record(name)['commit']}, {record(name)['date'][:10]}" for name in (RECORDS[0], RECORDS[2]))


FIGURES = [any_width, any_width_within, any_width_circumstances]
