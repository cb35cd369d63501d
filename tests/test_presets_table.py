from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from labkit.errors import InputError
from labkit.formats import records
from labkit.presets import choice, table
from labkit.presets.choosing import PRESETS, material_of, preset_of
from labkit.study import Study
from labkit.studyoptions import StudyOptions

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.presets.material import Material


def material(text: str, **more: object) -> Material:
    return table.material(records.parse(text, "t.csv"), **more)  # type: ignore[arg-type]


def test_true_and_false_are_a_yes_or_no_question() -> None:
    found = material("id,label,confidence\na,true,0.9\nb,false,0.2\nc,,\n")
    assert [(q.name, q.kind) for q in found.task.questions] == [("label", "binary")]
    assert found.predictions["a"].answer == {"label": True}
    assert set(found.predictions) == {"a", "b"}
    assert set(found.items) == {"a", "b", "c"}


def test_words_are_a_choice_of_the_words_in_the_file() -> None:
    found = material("id,label\na,spam\nb,ham\n", tags=("ham", "other"))
    question = found.task.questions[0]
    assert (question.kind, question.options) == ("choice", ("ham", "other", "spam"))


def test_numbers_that_name_classes_are_words() -> None:
    found = material("id,label\na,1\nb,0\n")
    assert found.task.questions[0].options == ("0", "1")


def test_tags_are_asked_with_every_tag_of_the_file_on_offer() -> None:
    found = material("id;tags\na;x|y\nb;\n")
    assert found.task.questions[0].options == ("x", "y")
    assert found.predictions["b"].answer == {"tags": ()}


def test_a_no_with_tags_is_no_yes_or_no_question() -> None:
    found = material('[{"id": 1, "label": false, "tags": ["x"]}]')
    assert [q.kind for q in found.task.questions] == ["choice", "tags"]
    assert found.predictions["1"].answer == {"label": "false", "tags": ("x",)}


def test_what_the_columns_were_taken_for_is_shown() -> None:
    said = str(material("key,pred,other\na,x,y\n").problems[0])
    assert said == "t.csv: columns taken as id='key', label='pred'; kept as they are: 'other'."


def test_answers_of_the_ai_and_of_people_are_hidden() -> None:
    text = "id,label,model,score2,ai_x,truth,gold_label,owner\na,x,m,s,z,t,g,o\n"
    found = material(text)
    assert found.items["a"].fields == {"owner": "o"}
    assert set(found.predictions["a"].fields) == {
        "model", "score2", "ai_x", "truth", "gold_label",
    }  # fmt: skip
    opened = material(text, show=("model",))
    assert opened.items["a"].fields == {"model": "m", "owner": "o"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,x\na,b\n", "--columns label=COLUMN"),
        ("id,label\n" + "".join(f"{n},free text {n}\n" for n in range(101)), "101 different"),
    ],
)
def test_a_table_without_an_answer_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        material(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "preset"),
    [
        ("p.csv", "fqcn,method\nA,m\n", "methodatlas"),
        ("s.json", '{"version": "2.1.0", "runs": []}', "finding"),
        ("a.jsonl", '{"id": "a", "probabilities": {"x": 1.0}, "latency_ms": 3}\n', "choice"),
        ("t.csv", "id,label\na,x\n", "table"),
        ("t.csv", "name,verdict\na,x\n", "table"),
    ],
)
def test_the_preset_is_found_by_content(name: str, text: str, preset: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert preset_of(tmp_path / name) == preset
    assert preset in PRESETS


def test_a_file_that_holds_no_predictions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "o.yaml"
    path.write_text("overrides: []\n")
    with pytest.raises(InputError, match="methodatlas-overrides, not predictions"):
        preset_of(path)
    with pytest.raises(InputError, match="task 'poem' is no preset"):
        material_of(path, "poem")


def test_the_headline_of_a_choice_is_its_accuracy(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,label\n" + "".join(f"{n},{'ab'[n % 2]}\n" for n in range(20)))
    with Study.create(path, tmp_path / "t.study", options=StudyOptions(sample=5)) as study:
        assert study.plan().metric == "accuracy"


def test_a_decguard_report_is_a_choice_of_its_labels_with_the_answers_hidden(
    conformance: Path,
) -> None:
    path = conformance / "systems" / "decguard" / "reference" / "report_refund_default.json"
    found = material_of(path, preset_of(path))
    assert found.task.preset == choice.NAME
    assert found.task.questions[0].options == ("refund", "reject", "review")
    assert len(found.items) == len(found.predictions) == 11
    for key, item in found.items.items():
        hidden = {"expected", "selected", "confidence", "backend", "model", "probabilities"}
        assert not hidden & set(item.fields)
        said = found.predictions[key]
        assert said.probabilities[str(said.answer["label"])] == said.confidence
        assert item.text


def test_an_empty_list_has_no_columns_to_tell(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text("[]")
    assert table.material(records.read(path)).problems == ()
