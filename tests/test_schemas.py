from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from labkit.overrides.change import Change
from labkit.overrides.edit import apply_changes
from labkit.overrides.parse import KEYS

CASES = Path(__file__).parent / "conformance" / "cases"
SCHEMA = json.loads((files("labkit") / "schemas" / "overrides.schema.json").read_text("utf-8"))
CHECKER = jsonschema.Draft202012Validator(SCHEMA)


def faults(text: str) -> list[Any]:
    return [error.json_path for error in CHECKER.iter_errors(yaml.safe_load(text))]


def test_the_schema_of_overrides_knows_every_key_and_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    entry = SCHEMA["properties"]["overrides"]["items"]
    assert tuple(entry["properties"]) == KEYS


@pytest.mark.parametrize(
    "name",
    ["y04_duplicate_entries.yaml", "y13_comments_and_order.yaml", "y16_empty_variants.yaml"],
)
def test_files_that_are_fine_fit_the_schema(name: str) -> None:
    assert faults((CASES / name).read_text(encoding="utf-8")) == []


def test_what_labkit_writes_fits_the_schema() -> None:
    names = json.loads((CASES / "y11_hostile_names.json").read_text(encoding="utf-8"))
    changes = [
        Change("A", name, security_relevant=True, tags=("no",), reason=name, note=name)
        for name in names
    ]
    assert faults(apply_changes("", changes)) == []


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ("{method: m}", "$.overrides[0]"),
        ('{fqcn: A, securityRelevant: "yes"}', "$.overrides[0].securityRelevant"),
        ("{fqcn: A, tags: security}", "$.overrides[0].tags"),
        ("{fqcn: A, method: no}", "$.overrides[0].method"),
    ],
)
def test_an_editor_sees_what_labkit_would_refuse_or_others_would_misread(
    entry: str, place: str
) -> None:
    assert faults(f"overrides:\n- {entry}\n") == [place]


def test_the_hint_of_an_editor_stays_where_it_is() -> None:
    hint = "# yaml-language-server: $schema=overrides.schema.json\n"
    text = apply_changes(f"{hint}overrides: []\n", [Change("A", "m", security_relevant=True)])
    assert text.startswith(hint)
