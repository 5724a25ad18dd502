"""peer_process.py: a package in a process of its own, which is stopped where a job takes too long; another goes on after it.

Such a process reads what peers.py reads and prints what peers.py prints; before each job {"starts": PEER, "job", "threads"}, and
{"so_far": ROW} where a way turned out better than those before.
"""
import json
import math
import queue
import subprocess
import tempfile
import threading
import time

START_S = 60  # more for the first job: packages load, a GPU wakes up


class Process:
    """A process that is given its whole input at once; `next_line` waits for what it prints."""

    def __init__(self, command, text):
        self.complaints = tempfile.TemporaryFile("w+")
        with tempfile.TemporaryFile("w+") as given:
            given.write(text)
            given.seek(0)
            self.process = subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, stderr=self.complaints, text=True)
        self.printed = queue.SimpleQueue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        with self.process.stdout as lines:
            for line in lines:
                self.printed.put(line)
        self.printed.put(None)

    def next_line(self, deadline):
        """A line, or None at the end; raises queue.Empty where nothing comes by then."""
        wait = None if math.isinf(deadline) else max(0, deadline - time.monotonic())
        return self.printed.get(timeout=wait)

    def end(self, patience_s):
        """Stops it where it does not end by itself; returns its exit status and what it wrote on standard error."""
        with self.complaints:
            try:
                status = self.process.wait(patience_s)
            except subprocess.TimeoutExpired:
                self.process.kill()
                status = self.process.wait()
            self.complaints.seek(0)
            return status, self.complaints.read()


def reason_in(complaints, status):
    """Why a process ended, from what it wrote: the signal that Python names, else its last line."""
    lines = [line for line in complaints.splitlines() if line.strip()] or [f"status {status}"]
    fatal = [at for at, line in enumerate(lines) if line.startswith("Fatal Python error")]
    return f"{lines[fatal[0]]}, after {lines[fatal[0] - 1]}" if fatal and fatal[0] > 0 else lines[-1]


def late_row(name, greeting, start, so_far, seconds):
    """The row of a job that was stopped: the best way until then, if one was right."""
    if so_far.get("status") == "verified":
        return so_far
    threads = {"threads": start["threads"]} if "threads" in start else {}
    return {"job": start["job"], "peer": name, "version": greeting.get("version", ""), **threads, "how": "", "border": "",
            "status": "took too long", "reason": f"over {seconds:g} s"}


def supervise(command, name, header, lines, emit):
    """Runs `command` on header and lines, in one process after the other where a job takes over header["seconds"]; hands on what
    they print by `emit(**fields)`."""
    seconds = header.get("seconds", math.inf)
    greeting = {}
    while lines:
        process = Process(command, "".join([json.dumps(header) + "\n", *lines]))
        deadline, begun, start, so_far = time.monotonic() + START_S + seconds, 0, None, {}
        try:
            while (text := process.next_line(deadline)) is not None:
                try:
                    line = json.loads(text)
                except ValueError:  # a package that prints what it likes
                    continue
                if "starts" in line:
                    deadline, begun, start, so_far = time.monotonic() + seconds, begun + 1, line, {}
                if "so_far" in line:
                    so_far = line["so_far"]
                elif "job" in line or not greeting:
                    emit(**line)
                    greeting = greeting or line
        except queue.Empty:
            process.end(0)
            if start is None:
                emit(peer=name, version=f"took too long to start, over {START_S + seconds:g} s")
                return
            emit(**late_row(name, greeting, start, so_far, seconds))
            lines = lines[begun:]
            continue
        status, complaints = process.end(START_S)
        if status != 0:
            emit(peer=name, version=f"ended early: {reason_in(complaints, status)}")
        return
