"""test_reports.py: the pages that `--report` writes, in Chromium: they can be read on a phone, on a desk, in the dark and on paper."""
import os
import subprocess

import pytest

from installed import HALATION
from looks import faults_of_looks

REPORTS = {"gaussian": ["explain", "gaussian", "--sigma", "2", "--size", "4096x4096", "--pixel", "u8"],
           "edges": ["explain", "edges", "--pixel", "u8"],
           "signal": ["explain", "gaussian", "--sigma", "2000", "--dims", "1"],
           "volume": ["explain", "laplacian", "--dims", "3"],
           "tiling": ["explain", "tiling"],
           "occupancy": ["explain", "occupancy", "--registers", "35", "--threads", "256"],
           "ladder": ["ladder", "--size", "64x96", "--radius", "1", "--radii", "1:4"]}
PAPER = {"width": 700, "height": 1000}  # px: A4 within its margins

# Words of charts that lie over others or are cut off, measured in the fonts that are here.
CROWDED = """() => {
  const faults = [];
  for (const chart of document.querySelectorAll('svg')) {
    const {width, height} = chart.viewBox.baseVal;
    const words = [...chart.querySelectorAll('text')].map(text => [text.getBBox(), text.textContent]);
    words.forEach(([a, name], i) => {
      if (a.x < -0.5 || a.x + a.width > width + 0.5 || a.y < -1 || a.y + a.height > height + 1) faults.push(`${name} is cut off`);
      for (const [b, other] of words.slice(0, i)) {
        const apart = a.x >= b.x + b.width - 0.5 || b.x >= a.x + a.width - 0.5 || a.y >= b.y + b.height - 3 || b.y >= a.y + a.height - 3;
        if (!apart) faults.push(`${name} lies over ${other}`);
      }
    });
  }
  return faults;
}"""


@pytest.mark.parametrize("name", REPORTS)
def test_reports_can_be_read(name, browser, shots, tmp_path):
    report = tmp_path / f"{name}.html"
    subprocess.run([*HALATION, *REPORTS[name], "--report", report], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "HALATION_CACHE": ""})
    page = browser.new_page()
    page.goto(report.as_uri())
    assert faults_of_looks(page, shots / f"report-{name}") == []
    assert page.evaluate(CROWDED) == []
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    assert faults_of_looks(page) == []
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = false; })")
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print", color_scheme="dark")
    page.screenshot(path=f"{shots}/report-{name}-print.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER["width"]
    assert page.locator("details table").first.is_visible()  # on paper nothing is folded
    page.close()
