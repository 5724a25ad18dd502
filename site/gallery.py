"""gallery.py: each named filter before and after: the program's pictures, and the page that shows them.

Which filters there are is read from docs/filters.md, which is itself written from the library's list; a filter that is not
mentioned below is shown with its defaults.
"""
import re
import subprocess

ASKED = "<!-- gallery -->"
PHOTO = "examples/astronaut.png"
LEFT, TOP, SIDE = 96, 4, 288  # the part shown: skin, hair, sharp edges and lettering
ROW = re.compile(r"^\| \[`(\w+)`\]\(#\w+\) \| (.+?) \|", re.MULTILINE)
# Parameters that show in a picture of 288 pixels what a filter does; derivatives need a view of what is below 0.
PARAMETERS = {
    "high_pass": {"view": "signed", "scale": 3},
    "box": {"size": 9},
    "gaussian": {"sigma": 4},
    "gaussian_derivative": {"sigma": 2, "view": "signed", "scale": 2},
    "sobel": {"view": "signed", "scale": 2},
    "scharr": {"view": "signed", "scale": 2},
    "prewitt": {"view": "signed", "scale": 2},
    "laplacian": {"view": "signed", "scale": 3},
    "laplacian_of_gaussian": {"sigma": 2, "view": "stretch"},
    "unsharp_mask": {"sigma": 2, "amount": 2},
    "motion_blur": {"length": 25, "angle": 30},
    "disk": {"radius": 6},
}
OF_PYTHON = ("scale",)  # the program's alone


def filters(root):
    """(name, what it does) of each filter."""
    listed = ROW.findall((root / "docs/filters.md").read_text(encoding="utf-8"))
    unknown = set(PARAMETERS) - {name for name, _ in listed}
    if unknown or not listed:
        raise ValueError(f"gallery.py: docs/filters.md does not list {', '.join(sorted(unknown)) or 'any filter'}")
    return listed


def _command(name, before, after):
    options = [word for key, value in PARAMETERS.get(name, {}).items() for word in (f"--{key}", str(value))]
    return ["apply", name, before, "-o", after, *options]


def call(name):
    """The filter in Python."""
    given = {key: value for key, value in PARAMETERS.get(name, {}).items() if key not in OF_PYTHON}
    return f"halation.{name}(" + ", ".join(["photo", *(f"{key}={value!r}" for key, value in given.items())]) + ")"


def command_line(name):
    """The filter by the program."""
    return " ".join(["halation", *_command(name, "photo.png", f"{name}.png")])


def _part(picture):
    """The part of a picture of 8-bit RGB that is shown, both as bytes of PPM."""
    magic, size, largest, pixels = picture.split(b"\n", 3)
    width = int(size.split()[0])
    rows = [pixels[3 * (width * y + LEFT):][:3 * SIDE] for y in range(TOP, TOP + SIDE)]
    return b"\n".join([magic, b"%d %d" % (SIDE, SIDE), largest, b"".join(rows)])


def pictures(root, program, folder):
    """Writes before.png and NAME.png of each filter by the program (a command)."""
    folder.mkdir(parents=True, exist_ok=True)
    before, part = folder / "before.png", folder / "part.ppm"
    _run(program, _command("identity", root / PHOTO, part))
    part.write_bytes(_part(part.read_bytes()))
    _run(program, _command("identity", part, before))
    part.unlink()
    for name, _ in filters(root):
        _run(program, _command(name, before, folder / f"{name}.png"))


def _run(program, arguments):
    subprocess.run([*program, *map(str, arguments)], check=True, capture_output=True)


def _figure(name, alt, caption):
    return f"```{{figure}} gallery/{name}.png\n:alt: {alt}\n:width: {SIDE}px\n\n{caption}\n```\n"


def page(text, root):
    """`text`, of the page, with an entry for each filter where it asks for them."""
    entries = []
    for name, what in filters(root):
        before = _figure("before", "Part of a portrait of an astronaut in front of a flag", "before")
        after = _figure(name, f"The same picture after the filter {name}: {what[:1].lower() + what[1:]}", "after")
        entries.append(f"## {name}\n\n{what}. [Formula and parameters](filters.md#{name})\n\n"
                       f"````{{container}} pair\n{before}\n{after}````\n\n"
                       f"```sh\n{command_line(name)}\n```\n\n```python\n{call(name)}\n```\n")
    return text.replace(ASKED, "\n".join(entries))
