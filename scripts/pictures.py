"""README's pictures, taken from the running app on the sample data, in light and in dark."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from labkit import overrides  # noqa: E402  # found from here
from labkit.presets.methodatlas import TAXONOMY  # noqa: E402
from tests.bench.app import CARD, browser, review_words, run_labkit, serving  # noqa: E402

if TYPE_CHECKING:
    from labkit.overrides.resolve import Resolution

SAMPLE = ROOT / "sample_data" / "relevance"
OUT = ROOT / "docs" / "pictures"
SIZE = {"width": 1280, "height": 800}
ANSWERS = 40
"""How many are given before the pictures are taken."""
PAUSE = 350
"""A repeat of the same key is swallowed for 300 ms."""


def keys_for(labels: Resolution, item: str) -> list[str]:
    """The keys that give an item the answer it has in the labels."""
    label = labels.label(*item.split("#"))
    if label is None or not label.relevant:
        return ["n"]
    picked = [tag for tag in TAXONOMY[1:] if tag in (label.tags or ())]
    return ["y", *(str((TAXONOMY.index(tag) + 1) % 10) for tag in picked), "Enter"]


def press(page: Any, keys: list[str]) -> None:
    """Keys as a person presses them."""
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(60)


def answer(page: Any, labels: Resolution) -> None:
    """Answer one item and keep the answer."""
    saved = int(page.get_attribute(CARD, "data-saved") or 0)
    press(page, keys_for(labels, page.get_attribute(CARD, "data-item") or ""))
    page.wait_for_selector(f"{CARD}[data-saved='{saved + 1}'][data-phase='revealed']")
    page.wait_for_timeout(PAUSE)
    page.keyboard.press("Enter")
    page.wait_for_selector(f"{CARD}[data-phase='answer']")
    page.wait_for_timeout(PAUSE)


def take(page: Any, name: str) -> None:
    """One picture in each colour scheme."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(400)
        page.screenshot(path=str(OUT / f"{name}-{scheme}.png"))


def main() -> None:
    """Answer some items, and take the card, the reveal, the results and the export."""
    OUT.mkdir(parents=True, exist_ok=True)
    labels = overrides.resolve(overrides.read(SAMPLE / "labels.yaml"))
    with tempfile.TemporaryDirectory() as folder, browser() as found:
        study = Path(folder) / "bank.study"
        source = SAMPLE / "src" / "test" / "java"
        predictions = str(SAMPLE / "predictions.csv")
        run_labkit("init", predictions, "--study", str(study), "--source", str(source))
        with serving(review_words(study, "ines")) as url:
            page = found.new_page(viewport=SIZE)
            page.goto(url)
            page.wait_for_selector(f"{CARD}[data-phase='answer']")
            for _ in range(ANSWERS):
                answer(page, labels)
            while "y" not in (keys := keys_for(labels, page.get_attribute(CARD, "data-item"))):
                answer(page, labels)
            press(page, keys[:-1])
            take(page, "card")
            page.keyboard.press("Enter")
            page.wait_for_selector(f"{CARD}[data-phase='revealed']")
            take(page, "reveal")
            page.keyboard.press("Enter")
            page.click("[data-tab='results']")
            page.wait_for_timeout(2500)
            take(page, "results")
            page.click("[data-tab='export']")
            page.click("[data-action='export-preview']")
            page.wait_for_timeout(1500)
            take(page, "export")


if __name__ == "__main__":
    main()
