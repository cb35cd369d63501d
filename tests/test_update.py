from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit import scanfile
from labkit.errors import InputError
from labkit.sampling import draw_key
from labkit.study import Study
from labkit.studyoptions import StudyOptions
from tests.builders import NO, NOON, YES, a_reviewer, a_row, a_study, predictions_csv
from tests.test_sarif import a_log, a_result

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.studyupdate import Updated

VALID = {"valid": True, "severity": "error", "place": True}
FALSE = {"valid": False}


def updated(study: Study, text: str, name: str = "scan2.csv") -> Updated:
    path = study.folder.parent / name
    path.write_text(text, encoding="utf-8")
    study.close()
    return Study.update(study.folder, path, at=NOON)


def answers(study: Study) -> dict[str, Any]:
    return {label.item: label.value for label in study.labels()}


def a_sarif_study(tmp_path: Path, *results: Any, **options: Any) -> Study:
    path = tmp_path / "scan1.sarif"
    path.write_text(a_log(*results), encoding="utf-8")
    folder = tmp_path / "scan.study"
    return Study.create(path, folder, options=StudyOptions(protocol="blind", **options))


def test_labels_follow_the_method_and_vanished_ones_are_stale(tmp_path: Path) -> None:
    study = a_study(tmp_path, n=4, protocol="blind")
    person = a_reviewer(study)
    person.answer(YES, "com.acme.Case0Test#m0")
    person.answer(NO, "com.acme.Case0Test#m1")
    rows = [a_row(0, loc=99), a_row(2), a_row(3), a_row(7)]
    found = updated(study, predictions_csv(rows=rows))
    assert found.new == ("com.acme.Case0Test#m7",)
    assert found.gone == ("com.acme.Case0Test#m1",)
    assert found.changed == ()
    with Study.open(study.folder) as again:
        assert again.stale == ("com.acme.Case0Test#m1",)
        assert set(answers(again)) == {"com.acme.Case0Test#m0", "com.acme.Case0Test#m1"}
        assert again.problems == ()
        assert set(again.sample.items) == set(again.items)


def test_what_comes_back_stands_again_and_is_looked_at_again(tmp_path: Path) -> None:
    study = a_study(tmp_path, n=3, protocol="blind")
    a_reviewer(study).answer(YES, "com.acme.Case0Test#m1")
    without = predictions_csv(rows=[a_row(0), a_row(2)])
    updated(study, without)
    found = updated(Study.open(study.folder), predictions_csv(3), "scan3.csv")
    assert found.back == found.changed == ("com.acme.Case0Test#m1",)
    with Study.open(study.folder) as again:
        assert again.stale == ()
        assert again.second_look == ("com.acme.Case0Test#m1",)
        assert again.status()["secondLook"] == ["com.acme.Case0Test#m1"]
        assert "look again at com.acme.Case0Test#m1." in str(again.problems[-1])


def test_changed_code_asks_for_a_second_look_until_somebody_answers_again(tmp_path: Path) -> None:
    rows = [a_row(i, content_hash=f"h{i}") for i in range(3)]
    header = list(rows[0])

    def written(changed: list[dict[str, Any]]) -> str:
        lines = [",".join(header), *(",".join(str(r[c]) for c in header) for r in changed)]
        return "\n".join(lines) + "\n"

    study = a_study(tmp_path, text=written(rows), protocol="blind")
    one, two = "com.acme.Case0Test#m0", "com.acme.Case0Test#m1"
    person = a_reviewer(study)
    person.answer(YES, one)
    person.answer(NO, two)
    rows[0]["content_hash"] = "other"
    found = updated(study, written(rows))
    assert found.changed == (one,)
    with Study.open(study.folder) as again:
        assert set(answers(again)) == {one, two}
        assert again.second_look == (one,)
        person = a_reviewer(again)
        person.act("undo", one)
        person.act("undo", two)
        person.answer(YES, one)
        assert again.second_look == ()


def test_labels_follow_a_finding_that_moved_and_was_numbered_anew(tmp_path: Path) -> None:
    study = a_sarif_study(tmp_path, a_result("A", 3), a_result("B", 5), a_result("C", 9))
    person = a_reviewer(study)
    person.answer(VALID, "0/0")
    person.answer(FALSE, "0/1")
    person.answer(VALID, "0/2")
    found = updated(study, a_log(a_result("N"), a_result("C", 90), a_result("A", 33)), "s2.sarif")
    assert (found.kept, found.moved, found.new) == (2, 2, ("0/0",))
    assert found.gone == ("0/1 (earlier 1)",)
    with Study.open(study.folder) as again:
        assert answers(again) == {
            "0/2": VALID,
            "0/1 (earlier 1)": FALSE,
            "0/1": VALID,
        }
        assert again.stale == ("0/1 (earlier 1)",)
        assert again.review("rev-1").current == "0/0"


def test_look_alikes_that_became_more_or_fewer_are_looked_at_again(tmp_path: Path) -> None:
    study = a_sarif_study(tmp_path, a_result("A", 3), a_result("A", 5), a_result("B", 9))
    person = a_reviewer(study)
    for item in ("0/0", "0/1", "0/2"):
        person.answer(VALID, item)
    found = updated(study, a_log(a_result("A", 5), a_result("B", 9)), "s2.sarif")
    assert found.changed == ("0/0",)
    assert len(found.gone) == 1


def test_labels_that_came_or_went_are_said(tmp_path: Path) -> None:
    study = a_study(tmp_path, text="id,label\na,spam\nb,ham\n", protocol="blind")
    found = updated(study, "id,label\na,spam\nb,phish\n")
    told = [problem.message for problem in found.problems if problem.severity == "warning"]
    assert told == [
        "question 'label': no longer on offer: 'ham'.",
        "question 'label': new on offer: 'phish'.",
    ]


def test_nothing_is_written_when_the_new_file_is_refused(tmp_path: Path) -> None:
    study = a_study(tmp_path, n=3)
    before = {p.name: p.read_bytes() for p in study.folder.iterdir() if p.suffix != ".db-wal"}
    bad = tmp_path / "bad.csv"
    for text in ("fqcn,method\nA,m\n", 'fqcn,method\n"A,m\n', ""):
        bad.write_text(text)
        with pytest.raises(InputError):
            Study.update(study.folder, bad, at=NOON)
    sarif = tmp_path / "s.sarif"
    sarif.write_text(a_log(a_result()))
    with pytest.raises(InputError, match="task 'finding'"):
        Study.update(study.folder, sarif, at=NOON)
    assert {name: (study.folder / name).read_bytes() for name in before} == before
    study.close()


@settings(max_examples=10, deadline=None)
@given(
    st.sets(st.integers(0, 40), min_size=3),
    st.sets(st.integers(0, 60), min_size=3),
    st.integers(1, 40),
)
def test_the_sample_is_the_same_draw_on_the_new_items(
    tmp_path_factory: pytest.TempPathFactory, old: set[int], new: set[int], n: int
) -> None:
    study = a_study(
        tmp_path_factory.mktemp("u"),
        text=predictions_csv(rows=[a_row(i) for i in sorted(old)]),
        sample=min(n, len(old)),
        seed=5,
    )
    before = study.sample
    updated(study, predictions_csv(rows=[a_row(i) for i in sorted(new)]))
    with Study.open(study.folder) as again:
        keys = sorted(draw_key(item, 5) for item in again.items)
        drawn = sorted(draw_key(item, 5) for item in again.sample.items)
        assert drawn == keys[: len(drawn)]
        assert {i for i in before.items if i in again.items} <= set(again.sample.items)
        for unit in again.sample.drawn:
            assert unit.inclusion_probability == len(drawn) / len(keys)
        assert again.config.sample == max(1, len(drawn))


def test_a_sample_of_findings_can_be_extended_after_they_were_numbered_anew(
    tmp_path: Path,
) -> None:
    rules = [f"R{number:02}" for number in range(20)]
    study = a_sarif_study(tmp_path, *(a_result(rule) for rule in rules), sample=8)
    drawn = {study.items[item].fields["rule"] for item in study.sample.items}
    updated(study, a_log(*(a_result(rule) for rule in reversed(rules))), "s2.sarif")
    with Study.open(study.folder) as again:
        assert {again.items[item].fields["rule"] for item in again.sample.items} == drawn
    Study.create(study.folder, study.folder, options=StudyOptions(sample=12)).close()
    with Study.open(study.folder) as again:
        assert len(again.sample.items) == 12
        assert drawn <= {again.items[item].fields["rule"] for item in again.sample.items}


@pytest.mark.parametrize("name", ["scan2.csv", "predictions.csv"])
def test_without_scan_json_the_old_file_or_the_ids_tell(tmp_path: Path, name: str) -> None:
    study = a_study(tmp_path, n=4, protocol="blind")
    a_reviewer(study).answer(YES, "com.acme.Case0Test#m1")
    (study.folder / scanfile.FILE_NAME).unlink()
    found = updated(study, predictions_csv(rows=[a_row(1), a_row(2)]), name)
    assert (found.kept, found.gone) == (2, ())


def test_findings_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    study = a_sarif_study(tmp_path, a_result("A"), a_result("B"))
    (study.folder / scanfile.FILE_NAME).unlink()
    with pytest.raises(InputError, match=r"scan\.json"):
        updated(study, a_log(a_result("B")), "scan1.sarif")


def test_the_command_tells_what_happened(tmp_path: Path) -> None:
    from click.testing import CliRunner  # noqa: PLC0415  # one test needs it

    from labkit.cli.update import command  # noqa: PLC0415  # one test needs it

    study = a_study(tmp_path, n=4, protocol="blind")
    a_reviewer(study).answer(YES, "com.acme.Case0Test#m1")
    study.close()
    new = tmp_path / "new.csv"
    new.write_text(predictions_csv(rows=[a_row(0), a_row(9)]))
    done = CliRunner().invoke(command, [str(study.folder), str(new)])
    assert done.exit_code == 0
    assert "2 items: 1 as before, 1 new.\n" in done.output
    assert "1 labelled and gone (stale): com.acme.Case0Test#m1." in done.output
    done = CliRunner().invoke(command, [str(study.folder), str(new), "--format", "json"])
    assert json.loads(done.stdout)["gone"] == ["com.acme.Case0Test#m1"]
    new.write_text(predictions_csv(rows=[a_row(0, ai_tags="brand-new")]))
    done = CliRunner().invoke(command, [str(study.folder), str(new)])
    assert "question 'tags': new on offer: 'brand-new'." in done.stderr
