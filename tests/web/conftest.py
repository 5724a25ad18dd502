"""conftest.py: the browser, which site is tested, and where its pictures go."""
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from installed import PHOTO, Studio


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


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        # Debian's Chromium; its sandbox does not work for root, who builds in containers.
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address():
    """Of a studio that shows the photograph."""
    with Studio(PHOTO) as studio:
        yield studio.address


def pytest_generate_tests(metafunc):
    if "page_path" in metafunc.fixturenames:
        site = metafunc.config.getoption("--site")
        pages = sorted(site.rglob("*.html"))
        assert pages, f"no pages in {site}"
        metafunc.parametrize("page_path", pages, ids=[page.relative_to(site).as_posix() for page in pages])
