"""stopwatch.py: times of calls by the clock on the wall."""
import time

MOST = 21  # batches


def wall_batch(run, runs):
    start = time.perf_counter()
    for _ in range(runs):
        run()
    return time.perf_counter() - start


def times_of(run, batch, least_s, budget_s):
    """Seconds a run, of several batches, each of `least_s` at least and all of `budget_s` or so."""
    runs = 1
    while (spent := batch(run, runs)) < least_s:
        runs *= 2
    times, start = [spent / runs], time.perf_counter()
    if spent > 3 * budget_s:
        return times
    times = []
    while len(times) < 3 or (len(times) < MOST and time.perf_counter() - start < budget_s):
        times.append(batch(run, runs) / runs)
    return times
