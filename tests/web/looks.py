"""looks.py: whether a page can be read: on a phone and on a desk, by day and by night."""

WIDTHS = {390: 844, 1280: 800}  # px: a phone's, a desk's
SCHEMES = ("light", "dark")

# Elements whose words have too little contrast with what is behind them, as WCAG 2.1 computes it; words of no opaque ground are left out.
FAINT = """() => {
  const channel = value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const parts = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const ground = element => {
    for (; element; element = element.parentElement) {
      const [r, g, b, a = 1] = parts(getComputedStyle(element).backgroundColor);
      if (a === 1) return [r, g, b];
      if (a > 0) return null;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    if (element.closest('title, desc, script, style')) continue;
    const style = getComputedStyle(element);
    const [r, g, b, a = 1] = parts(element.closest('svg') ? style.fill : style.color);
    const behind = ground(element.closest('figure.chart') || element);
    if (a < 1 || !behind) continue;
    const [low, high] = [light([r, g, b]), light(behind)].sort((x, y) => x - y);
    const large = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700;
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (large ? 3 : 4.5)) faint.push(`${ratio.toFixed(2)}: ${walker.currentNode.data.trim().slice(0, 40)}`);
  }
  return [...new Set(faint)];
}"""


def faults_of_looks(window, shots=None):
    """What is wrong at each width and in each colour scheme, in sentences; pictures go to `shots`-WIDTH-SCHEME.png where that is given."""
    faults = []
    for width, height in WIDTHS.items():
        window.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            window.emulate_media(color_scheme=scheme)
            wide = window.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                faults.append(f"{width} px, {scheme}: {wide} px wide")
            if faint := window.evaluate(FAINT):
                faults.append(f"{width} px, {scheme}: too little contrast: {faint[:5]}")
            if shots:
                window.screenshot(path=f"{shots}-{width}-{scheme}.png", full_page=True, animations="disabled")
    return faults
