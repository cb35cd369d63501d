"""What a reviewer of test methods sees before the answer, and what waits."""

from __future__ import annotations

import dataclasses
import json

import pytest

from labkit.formats import methodatlas as format_methodatlas
from labkit.presets import methodatlas
from labkit.presets.methodatlas import TAXONOMY, material

HEAD = "fqcn,method,loc,tags,display_name"
AI = "ai_security_relevant,ai_display_name,ai_tags,ai_reason,ai_interaction_score,ai_confidence"
SAID = "true,AI-NAME, Auth ;made-up,AI-REASON,0.4,0.8"


def scan(header: str, *rows: str) -> format_methodatlas.Scan:
    return format_methodatlas.parse("\n".join((header, *rows)) + "\n")


def test_every_column_of_the_ai_waits_for_the_answer() -> None:
    found = material(
        scan(
            f"{HEAD},{AI},tag_ai_drift,tags_added,tags_removed,owner,model_name,Predicted,confidence_2",
            f"a.B,m,7,unit,Own name,{SAID},DRIFT,ADDED,REMOVED,team-a,GPT,PRED,CONF",
        )
    )
    (item,) = found.items.values()
    said = found.predictions[item.id]
    assert dict(item.fields) == {
        "loc": "7",
        "tags": "unit",
        "display_name": "Own name",
        "owner": "team-a",
    }
    assert (item.title, item.subtitle, item.lines) == ("m", "a.B", 7)
    assert said.answer == {"relevant": True, "tags": ("auth", "made-up")}
    assert (said.confidence, said.reason) == (0.8, "AI-REASON")
    assert dict(said.fields) == {
        "ai_display_name": "AI-NAME",
        "ai_interaction_score": "0.4",
        "tag_ai_drift": "DRIFT",
        "tags_added": "ADDED",
        "tags_removed": "REMOVED",
        "model_name": "GPT",
        "Predicted": "PRED",
        "confidence_2": "CONF",
    }


@pytest.mark.parametrize(
    ("column", "value"),
    [("ai_reason", "AI-REASON"), ("ai_confidence", "0.8"), ("model_name", "GPT")],
)
def test_show_opens_a_column_by_name(column: str, value: str) -> None:
    text = scan(f"{HEAD},{AI},model_name", f"a.B,m,7,,,{SAID},GPT")
    (item,) = material(text, show=(column,)).items.values()
    assert item.fields[column] == value
    hidden = json.dumps(dataclasses.asdict(item)).replace(value, "", 1)
    for other in {"AI-REASON", "AI-NAME", "GPT"} - {value}:
        assert other not in hidden


def test_in_the_desktop_programs_evidence_tags_and_name_wait_too() -> None:
    evidence = scan(",".join(methodatlas.EVIDENCE), f"a.B,m,7,applied,APPLIED NAME,,{SAID},none,,")
    (item,) = material(evidence).items.values()
    assert dict(item.fields) == {"loc": "7"}
    said = material(evidence).predictions[item.id].fields
    assert (said["tags"], said["display_name"]) == ("applied", "APPLIED NAME")
    with_hash = scan(",".join(methodatlas.EVIDENCE), f"a.B,m,7,unit,Own,{'0' * 64},{SAID},none,,")
    (item,) = material(with_hash).items.values()
    assert item.fields["tags"] == "unit"


def test_the_tags_on_offer_are_the_taxonomy_and_then_the_files_by_name() -> None:
    rows = (f"a.B,m,7,Zeta;security,,{SAID}", "a.B,n,7,,,false,,,,,")
    task = material(scan(f"{HEAD},{AI}", *rows)).task
    assert task.questions[1].options == (*TAXONOMY, "made-up", "zeta")
    assert task.implied == ("security",)
    own = material(scan(f"{HEAD},{AI}", *rows), tags=("risk", "Auth")).task
    assert own.questions[1].options == ("risk", "auth", "made-up", "security", "zeta")
    assert own.implied == ()


def test_a_row_without_an_ai_answer_is_an_item_and_no_prediction() -> None:
    found = material(scan(f"{HEAD},{AI}", "a.B,m,7,,,,,,,,", f"a.B,n,7,,,{SAID}"))
    assert (list(found.items), list(found.predictions)) == (["a.B#m", "a.B#n"], ["a.B#n"])
