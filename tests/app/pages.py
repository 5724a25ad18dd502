"""pages.py: what holds for every page that the program writes."""
import xml.etree.ElementTree


def parsed(text):
    """The page as XML, which it must be."""
    return xml.etree.ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>"))


def check_whole(test, text):
    """The page needs nothing beside it, runs nothing, has a look for dark and print, names its charts; returns it parsed."""
    for word in ("http:", "https:", "<script", "<link", "url(", "@import", "src="):
        test.assertNotIn(word, text)
    test.assertNotRegex(text, r'\b(x|y|[xy][12]|c[xy]|r|d|width|height|fill-opacity)="[^"]*(nan|inf)')
    for word in ("@media print", "prefers-color-scheme: dark"):
        test.assertIn(word, text)
    page = parsed(text)
    for chart in page.findall(".//svg"):
        test.assertTrue(chart.find("title").text)
        test.assertTrue(chart.find("desc").text)
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    test.assertEqual(len(ids), len(set(ids)))
    return page


def check_words_apart(test, page):
    """No words of a chart lie over others, or beyond the chart."""
    for chart in page.findall(".//svg"):
        width, height = map(float, chart.get("viewBox").split()[2:])
        boxes = []
        for text in chart.findall("text"):
            length = 7.5 * len(text.text)  # at most, in the page's 12 and 13 px
            x, y = float(text.get("x")), float(text.get("y"))
            left = x - {"start": 0, "middle": length / 2, "end": length}[text.get("text-anchor")]
            test.assertTrue(0 <= left and left + length <= width and 8 <= y <= height, text.text)
            boxes.append((left, left + length, y, text.text))
        for i, (left, right, y, words) in enumerate(boxes):
            for other_left, other_right, other_y, other in boxes[:i]:
                apart = right <= other_left or other_right <= left or abs(y - other_y) >= 12
                test.assertTrue(apart, (words, other))


def leads(page):
    return [line.text for line in page.findall(".//p[@class='lead']")]


def tables(page):
    """By caption: a dictionary by the first cell of a row, of the other cells by heading."""
    found = {}
    for table in page.findall(".//table"):
        headings = [cell.text for cell in table.findall("./thead/tr/th")][1:]
        found[table.find("caption").text] = {row.find("th").text: dict(zip(headings, [cell.text or "" for cell in row.findall("td")]))
                                             for row in table.findall("./tbody/tr")}
    return found


def facts(page):
    """Every list of facts as a dictionary, the one at the top first."""
    return [dict(zip([name.text for name in each.findall("dt")], ["".join(text.itertext()) for text in each.findall("dd")]))
            for each in page.findall(".//dl")]
