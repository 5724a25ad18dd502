"""conftest.py: the browser, which site is tested, and where its pictures go."""
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from installed import PHOTO, Studio
from studio_page import facts, shown


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


@pytest.fixture
def page(browser, address):
    """The studio's page, with the photograph shown; nothing may go wrong on it."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.said = []
    page.on("console", lambda message: page.said.append(message.text)
            if message.type in ("error", "warning") and "Canvas2D" not in message.text else None)  # which is the tests' own reading
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("request", lambda request: page.said.append(request.url) if not request.url.startswith((address.split("?")[0], "blob:", "data:")) else None)
    page.goto(address)
    shown(page, "gaussian")
    facts(page, "gaussian")
    yield page
    assert page.said == []
    page.close()


def pytest_generate_tests(metafunc):
    if "page_path" in metafunc.fixturenames:
        site = metafunc.config.getoption("--site")
        pages = sorted(site.rglob("*.html"))
        assert pages, f"no pages in {site}"
        metafunc.parametrize("page_path", pages, ids=[page.relative_to(site).as_posix() for page in pages])
