"""conftest.py: which site is tested, and where its pictures go."""
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--site", type=lambda path: Path(path).resolve(), required=True, help="the folder of the built site")
    parser.addoption("--shots", type=lambda path: Path(path).resolve(), required=True, help="the folder for pictures of its pages")


@pytest.fixture(scope="session")
def site(pytestconfig):
    return pytestconfig.getoption("--site")


@pytest.fixture(scope="session")
def shots(pytestconfig):
    folder = pytestconfig.getoption("--shots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def pytest_generate_tests(metafunc):
    if "page_path" in metafunc.fixturenames:
        site = metafunc.config.getoption("--site")
        pages = sorted(site.rglob("*.html"))
        assert pages, f"no pages in {site}"
        metafunc.parametrize("page_path", pages, ids=[page.relative_to(site).as_posix() for page in pages])
