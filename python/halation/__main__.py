"""__main__.py: `python -m halation` is the program halation, where the package was built with it."""

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    program = Path(__file__).with_name("bin") / "halation"
    if not program.exists():
        sys.exit(
            "halation: this package was built without the program; its libraries (libpng, libjpeg, libtiff, libwebp, giflib, "
            "OpenEXR, CLI11, fmt, nlohmann-json) were not all found then"
        )
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
