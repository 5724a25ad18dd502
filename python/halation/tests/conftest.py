"""conftest.py: every run draws the same examples; HALATION_EXAMPLES asks for more, drawn anew. No test sees the user's cache of times."""

import os

import pytest

os.environ["HALATION_CACHE"] = ""  # before the first plan is made

hypothesis = pytest.importorskip("hypothesis")

more = os.environ.get("HALATION_EXAMPLES")
hypothesis.settings.register_profile(
    "halation",
    derandomize=more is None,
    max_examples=int(more or 200),
    deadline=None,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("halation")


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs a CUDA device, and CuPy or PyTorch")
