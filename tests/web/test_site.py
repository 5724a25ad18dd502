"""test_site.py: every page of the built site in Chromium, on a phone and on a desk, by day and by night.

    pytest tests/web --site build/site --shots build/site-shots

Pages are opened as files. Of each: no error in the console, no request that leaves the machine, every picture loaded and described, every
link within the site leads to a page and a place on it, and, at each width and in each colour scheme, nothing wider than the window
and no text of too little contrast.
"""
import re
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from looks import faults_of_looks


@lru_cache(maxsize=None)
def _anchors(path):
    """The places on a page that links may name."""
    found = set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            found.update(value for name, value in attributes if name == "id")
    Reader().feed(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="session")
def window(browser):
    window = browser.new_page()
    yield window
    window.close()


def faults_of(window, path, shots=None):
    """What is wrong with a page, in sentences; pictures of it go to `shots` where that is given."""
    faults, said, asked = [], [], []
    hearing = {"console": lambda message: said.append(message.text) if message.type in ("error", "warning") else None,
               "pageerror": lambda error: said.append(str(error)),
               "request": lambda request: asked.append(request.url)}
    for event, hear in hearing.items():
        window.on(event, hear)
    window.goto(path.as_uri(), wait_until="load")

    def check(condition, words):
        if not condition:
            faults.append(words)

    faults += faults_of_looks(window, shots)
    check(window.evaluate("document.documentElement.lang"), "no language")
    for address, words, loaded in window.evaluate("[...document.images].map(i => [i.src, i.alt, i.complete && i.naturalWidth > 0])"):
        check(loaded, f"{address} is not there")
        check(words, f"{address} has no words in its place")
    for address in window.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.href)"):
        link = urlsplit(address)
        if link.scheme == "file":
            there = Path(unquote(link.path))
            check(there.is_file(), f"{address} leads nowhere")
            if link.fragment and there.is_file():
                check(unquote(link.fragment) in _anchors(there), f"{address}: no such place")
    for event, hear in hearing.items():
        window.remove_listener(event, hear)
    faults += [f"the console says: {words}" for words in said]
    faults += [f"asks for {address}" for address in asked if not re.match(r"file:|data:|blob:", address)]
    return faults


def test_page(window, page_path, site, shots):
    name = page_path.relative_to(site).with_suffix("").as_posix()
    # Listings of sources all look alike.
    assert faults_of(window, page_path, None if name.startswith("source/") else shots / name.replace("/", "-")) == []
    if name != "search":
        assert window.locator("h1").count() == 1


@pytest.mark.parametrize("body, fault", [
    ("<p>all is well</p>", None),
    ("<div style='width: 500px'>wide</div>", "390 px, light: 508 px wide"),
    ("<p style='color: #aaa'>faint</p>", "390 px, light: too little contrast: ['2.32: faint']"),
    ("<style>@media (prefers-color-scheme: dark) { body { background: #000; color: #333 } }</style>late", "390 px, dark: too little"),
    ("<img src='none.png' alt='nothing'>", "none.png is not there"),
    ("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='>", "has no words in its place"),
    ("<a href='none.html'>x</a>", "none.html leads nowhere"),
    ("<a href='#none'>x</a>", "#none: no such place"),
    ("<script>console.error('oh')</script>", "the console says: oh"),
    ("<script>none()</script>", "the console says: none is not defined"),
    ("<img src='http://127.0.0.1:9/x.png' alt='x'>", "asks for http://127.0.0.1:9/x.png"),
])
def test_faults_are_found(window, tmp_path, body, fault):
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><html lang='en'><title>x</title><body>{body}</body></html>", encoding="utf-8")
    found = faults_of(window, page)
    assert found == [] if fault is None else any(fault in each for each in found), found


def test_the_keyboard_reaches_the_text(window, site):
    """The first stop of the tabulator leads past the menu, and each stop can be seen."""
    window.set_viewport_size({"width": 1280, "height": 800})
    window.goto((site / "index.html").as_uri())
    window.keyboard.press("Tab")
    assert window.evaluate("document.activeElement.getAttribute('href')") == "#furo-main-content"
    for _ in range(8):
        window.keyboard.press("Tab")
        assert window.evaluate("""() => {
          const style = getComputedStyle(document.activeElement);
          return document.activeElement !== document.body && (style.outlineStyle !== 'none' || style.boxShadow !== 'none');
        }"""), window.evaluate("document.activeElement.outerHTML")


def test_nothing_moves_where_that_is_asked(browser, site):
    window = browser.new_page(reduced_motion="reduce")
    window.goto((site / "index.html").as_uri())
    assert window.evaluate("""() => [...document.querySelectorAll('*')].filter(element => {
      const style = getComputedStyle(element);
      return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0 || style.scrollBehavior === 'smooth';
    }).map(element => element.outerHTML.slice(0, 80))""") == []
    window.close()


def test_the_search_finds_pages(window, site):
    window.goto((site / "search.html").as_uri() + "?q=gaussian")
    window.wait_for_function("document.querySelectorAll('#search-results li a').length > 5")  # They are listed one after another


def test_paper_has_the_text_alone(window, site):
    window.goto((site / "index.html").as_uri())
    window.emulate_media(media="print", color_scheme="dark")
    try:
        assert not window.locator(".sidebar-drawer").first.is_visible()
        assert window.locator("article").is_visible()
        assert window.evaluate("getComputedStyle(document.body).backgroundColor") in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    finally:
        window.emulate_media(media="screen", color_scheme="light")
