"""study.yaml: every key, every fault at its line, and written so that people can edit it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from importlib import resources
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from labkit import config
from labkit.config import Goal, StudyConfig
from labkit.errors import InputError

FULL = StudyConfig(
    task="methodatlas",
    predictions="../p q.csv",
    labels="no",
    source="src",
    sample=200,
    design="stratified",
    strata="tags",
    seed=7,
    protocol="blind",
    reveal="disagreement",
    reviewers=("ines", "jo"),
    lead="ines",
    overlap=0.2,
    repeats=0.05,
    results="lead",
    show=("ai_reason",),
    implied=(),
    tags=("a", "b:c"),
    columns=(("id", "key"), ("label", "1e3")),
    receipt="r.json",
    goal=Goal("recall", 0.1),
    guidelines="Say yes: when in doubt, no.",
    store="postgresql://u@h/db",
)


def test_what_is_written_is_read_back() -> None:
    for value in (FULL, StudyConfig(predictions="p.csv")):
        assert config.parse(config.render(value)) == value
    assert {f.name for f in fields(FULL)} == {*config.KEYS}


@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1),
    st.lists(st.text(st.characters(codec="ascii", exclude_categories=("Cc",)), min_size=1)),
)
def test_any_text_survives_study_yaml(path: str, words: list[str]) -> None:
    bad = {"\ufeff", "\ufffe", "\uffff"}
    if bad & set(path) or any(ord(c) >= 0x10FFFE for c in path):
        return
    tags = tuple(dict.fromkeys(word.strip() for word in words))
    value = StudyConfig(predictions=path, tags=tags)
    assert config.parse(config.render(value)) == value


def test_every_value_is_the_same_for_other_readers_of_yaml() -> None:
    there = yaml.safe_load(config.render(FULL))
    assert there["labels"] == "no"
    assert there["columns"] == {"id": "key", "label": "1e3"}
    jsonschema.validate(there, config.schema())
    jsonschema.validate(
        yaml.safe_load(config.render(StudyConfig(predictions="p"))), config.schema()
    )


def test_the_schema_that_is_shipped_is_the_one_of_the_keys() -> None:
    text = resources.files("labkit").joinpath("schemas/study.schema.json").read_text("utf-8")
    assert json.loads(text) == config.schema()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "study.yaml:1: a study needs keys"),
        ("- a\n", "study.yaml:1: a study needs keys"),
        ("seed: 1\n", "no key 'predictions'"),
        ("predictions: p\nprotocl: blind\n", "study.yaml:2: unknown key 'protocl'; did you mean"),
        ("predictions: p\nxyzzy: 1\n", "unknown key 'xyzzy'; did you mean"),
        ("predictions: p\nprotocol: open\n", "study.yaml:2: protocol is 'open'; use blind-first"),
        ("predictions: p\nseed: one\n", "seed is 'one'; give a whole number from 0 on"),
        ("predictions: p\nsample: 0\n", "sample is '0'; give a whole number from 1 on"),
        ("predictions: p\nsample: 1.5\n", "sample is '1.5'"),
        ("predictions: p\noverlap: 2\n", "overlap is '2'; give a number from 0 to 1"),
        ("predictions: p\noverlap: nan\n", "overlap is 'nan'"),
        ("predictions: [p]\n", "predictions must be text"),
        ("predictions: p\nreviewers: ['(x)']\n", "study.yaml:2: reviewer '\\(x\\)' is no name"),
        ("predictions: p\ngoal: f1\n", "goal must look like"),
        ("predictions: p\ngoal: {metric: f2}\n", "goal metric is 'f2'"),
        ("predictions: p\ngoal: {widht: 1}\n", "unknown key 'widht'; did you mean 'half_width'"),
        ("predictions: p\ngoal: {half_width: 0}\n", "must be above 0"),
        ("predictions: p\npredictions: q\n", "study.yaml:2: duplicate key"),
        ("predictions: p\nshow: {a: b}\n", "show must be a list"),
    ],
)
def test_a_fault_is_one_sentence_at_its_line(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        config.parse(text)


@pytest.mark.parametrize(
    ("key", "value"),
    [("sample", 50), ("sample", None), ("predictions", "a b.csv"), ("reviewers", ("x", "y"))],
)
def test_changing_one_key_keeps_every_other_line(key: str, value: Any) -> None:
    text = "# mine\npredictions: p.csv   # here\nsample: 10\nprotocol: blind  # why\n"
    new = config.with_value(text, key, value)
    assert getattr(config.parse(new), key) == value
    assert replace(config.parse(new), **{key: getattr(config.parse(text), key)}) == config.parse(
        text
    )
    kept = [line for line in text.splitlines() if not line.startswith(key)]
    assert [line for line in new.splitlines() if not line.startswith(key)] == kept
