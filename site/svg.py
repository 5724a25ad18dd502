"""svg.py: drawings for pages: bars, lines over axes. Colours come from the page's style sheet, by classes, so that they follow its theme.

A chart is as wide as a phone shows without making its words small, and says in words what it shows.
"""
import html
import math

WIDTH = 460
LINE = 18  # from one line of words to the next
CHARACTER = 7.5  # width of one, and no less


def _words(x, y, words, style="", align="start"):
    place = "" if align == "start" else f' text-anchor="{align}"'
    style = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{place}{style}>{html.escape(words)}</text>'


def drawing(name, title, description, height, parts):
    """A picture on one line, as a page of Markdown takes it."""
    return (f'<figure class="chart"><svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-labelledby="{name}-title {name}-desc">'
            f'<title id="{name}-title">{html.escape(title)}</title><desc id="{name}-desc">{html.escape(description)}</desc>'
            + "".join(parts) + f"</svg><figcaption>{html.escape(title)}</figcaption></figure>")


def bars(name, title, rows, unit, mark=None):
    """Bars one below the other. `rows` are (label, value, text behind the bar, class); `mark` is (value, words) of a line across."""
    most = max([value for _, value, _, _ in rows] + ([mark[0]] if mark else []))
    room = 120  # for what stands behind the longest bar

    def x(value):
        return value / most * (WIDTH - room)

    def behind(value, text):
        """Where the text behind a bar begins: behind the mark, where that would go through it."""
        at = x(value) + 6
        return place + 6 if mark and at - 4 < place < at + CHARACTER * len(text) else at

    parts, y = [], 4
    place = x(mark[0]) if mark else 0
    for label, value, text, style in rows:
        parts.append(_words(0, y + 13, label))
        parts.append(f'<rect class="bar {style}" x="0" y="{y + LINE:.1f}" width="{max(1, x(value)):.1f}" height="12" rx="2"/>')
        parts.append(_words(behind(value, text), y + LINE + 10.5, text, "figure"))
        if mark:  # beside the bar alone, not through words
            parts.append(f'<line class="mark" x1="{place:.1f}" y1="{y + LINE - 1}" x2="{place:.1f}" y2="{y + LINE + 16}"/>')
        y += LINE + 22
    if mark:
        at_right = place > WIDTH * 0.6
        parts.append(_words(place, y + 13, mark[1], "quiet", "end" if at_right else "start"))
        y += LINE
    said = "; ".join(f"{label}: {text}" for label, _, text, _ in rows)
    return drawing(name, title, f"{unit}. {said}.", y + 4, parts)


def _spread(wanted, gap, low, high):
    """Places as near as can be to those wanted, in their order, `gap` apart."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = [0.0] * len(wanted)
    last = low - gap
    for i in order:
        last = placed[i] = max(wanted[i], last + gap)
    last = high + gap
    for i in reversed(order):
        last = placed[i] = min(placed[i], last - gap)
    return placed


def _tick(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def lines(name, title, series, x_words, y_words, x_ticks, y_ticks):
    """Lines over two logarithmic axes. `series` are (label, [(x, y)], class); labels stand at the right."""
    left, right, top, height = 44, 150, 22, 330
    bottom = top + height

    def x(value):
        return left + math.log(value / x_ticks[0]) / math.log(x_ticks[-1] / x_ticks[0]) * (WIDTH - left - right)

    def y(value):
        return bottom - math.log(value / y_ticks[0]) / math.log(y_ticks[-1] / y_ticks[0]) * height

    parts = [_words(0, 12, y_words, "quiet")]
    for value in y_ticks:
        parts.append(f'<line class="grid" x1="{left}" y1="{y(value):.1f}" x2="{WIDTH - right}" y2="{y(value):.1f}"/>')
        parts.append(_words(left - 6, y(value) + 4.5, _tick(value), "quiet", "end"))
    for value in x_ticks:
        parts.append(_words(x(value), bottom + 17, _tick(value), "quiet", "middle"))
    parts.append(_words((left + WIDTH - right) / 2, bottom + 35, x_words, "quiet", "middle"))
    ends = _spread([y(points[-1][1]) for _, points, _ in series], 16, top, bottom)
    for (label, points, style), end in zip(series, ends):
        path = " ".join(f"{x(px):.1f},{y(py):.1f}" for px, py in points)
        last_x, last_y = x(points[-1][0]), y(points[-1][1])
        parts.append(f'<polyline class="line {style}" points="{path}"/>')
        parts.append(f'<line class="tie {style}" x1="{last_x:.1f}" y1="{last_y:.1f}" x2="{WIDTH - right + 12}" y2="{end:.1f}"/>')
        parts.append(_words(WIDTH - right + 15, end + 4.5, label, f"ink {style}"))
    said = "; ".join(f"{label}: {points[0][1]:.3g} at {points[0][0]:g}, {points[-1][1]:.3g} at {points[-1][0]:g}"
                     for label, points, _ in series)
    return drawing(name, title, f"{y_words} over {x_words}. {said}.", bottom + 42, parts)
