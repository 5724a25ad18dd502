"""choice_tables.py: what the choice of kernel families costs, from records of tests/speed/regret.cpp (a line of JSON a job)."""
import json
import math

from records import RESULTS, digits, percent, table, times

LEAST_US = 20  # shorter runs are the start of a launch or of threads, whatever runs


def chosen_and_fastest(lines):
    """(job, the chosen way, the fastest) of all jobs whose fastest way takes long enough."""
    jobs = []
    for line in lines:
        job = json.loads(line)
        if "ways" not in job:  # what was run where
            continue
        chosen = [way for way in job["ways"] if way.get("chosen")]
        if chosen and min(way["took_us"] for way in job["ways"]) >= LEAST_US:
            jobs.append((job, chosen[0], min(job["ways"], key=lambda way: way["took_us"])))
    return jobs


def read(name):
    return chosen_and_fastest((RESULTS / f"{name}.json").read_text(encoding="utf-8").splitlines())


def over(job):
    """The chosen way's time over the fastest one's."""
    _, chosen, fastest = job
    return chosen["took_us"] / fastest["took_us"]


def summary_of(jobs):
    regrets = [over(job) for job in jobs]
    mean = math.exp(sum(map(math.log, regrets)) / len(regrets))
    return table(["Jobs", "chosen within 10% of the fastest", "within 30%", "worst", "geometric mean"],
                 [[str(len(jobs)), percent(sum(regret <= 1.1 for regret in regrets) / len(regrets)),
                   percent(sum(regret <= 1.3 for regret in regrets) / len(regrets)), times(max(regrets)), f"{mean:.3f}"]])


def worst_of(jobs, count):
    def way(of):
        return f"{of['family']} ({of['method']})"
    return table(["Job", "chosen", "µs", "fastest", "µs", "over"],
                 [[job["job"].replace("|", "\\|"), way(chosen), digits(chosen["took_us"]), way(fastest), digits(fastest["took_us"]),
                   times(over((job, chosen, fastest)))] for job, chosen, fastest in sorted(jobs, key=over, reverse=True)[:count]])


def regret(name):
    return summary_of(read(name))


def regret_worst(name, count=10):
    return worst_of(read(name), count)


FIGURES = [regret, regret_worst]
