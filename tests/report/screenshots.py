#!/usr/bin/env python3
"""Pictures of a report for people to look at: screenshots.py REPORT.html FOLDER"""

import sys
from pathlib import Path

from browser import Browser


def main(report, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for width in (1280, 400):
            for scheme in ("light", "dark"):
                browser.scheme(scheme)
                browser.width(width)
                browser.open(report)
                browser.draw_all()
                height = browser.run("return document.documentElement.scrollHeight")
                for page, top in enumerate(range(0, height, 2000)):
                    shot = folder / f"{width}-{scheme}-{page + 1:02}.png"
                    clip = {"x": 0, "y": top, "width": width, "height": min(2000, height - top), "scale": 1}
                    browser.screenshot(shot, clip)
        browser.scheme("dark")
        browser.width(1280)
        browser.open(report)
        browser.pdf(folder / "print.pdf")
        for entry in browser.log("browser"):
            print(entry["message"])


if __name__ == "__main__":
    main(*sys.argv[1:])
