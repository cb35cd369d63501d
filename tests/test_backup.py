"""A study in one file, and back again."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest
from builders import NO, YES, a_reviewer, a_study
from click.testing import CliRunner

from labkit.backup import backup, move_store, restore
from labkit.cli import cli
from labkit.errors import InputError
from labkit.store import ExportRow
from labkit.study import Study

if TYPE_CHECKING:
    from pathlib import Path


def a_worked_study(tmp_path: Path) -> Study:
    study = a_study(tmp_path, 12, sample=8)
    reviewer = a_reviewer(study)
    reviewer.answer(YES)
    reviewer.answer(NO)
    reviewer.act("undo")
    reviewer.act("skip", study.sample.items[4])
    reviewer.answer(YES, next(i for i in study.items if i not in study.sample.items))
    study.store.add_export(study._row, ExportRow(study.last_seq(), "0" * 64, "o.yaml", "r", "now"))
    return study


def everything(study: Study) -> object:
    log = [(d.event_uuid, d.item, d.kind, d.decided_at, d.target) for d in study.decisions()]
    exports = [(e.sha256, e.target) for e in study.store.exports(study._row)]
    return study.sample, study.labels(answer="any"), log, exports, study.status()


def test_what_is_restored_is_what_was_backed_up(tmp_path: Path) -> None:
    study = a_worked_study(tmp_path)
    before = everything(study)
    backup(study.folder, tmp_path / "b.zip")
    study.close()
    with pytest.raises(InputError, match="there already"):
        backup(study.folder, tmp_path / "b.zip")
    backup(study.folder, tmp_path / "b.zip", force=True)
    elsewhere = tmp_path / "far" / "away"
    restore(tmp_path / "b.zip", elsewhere)
    with Study.open(elsewhere) as again:
        assert everything(again) == before
        assert again.problems == ()
        assert a_reviewer(again).act("undo").decisions
    assert sorted(p.name for p in elsewhere.iterdir()) == [
        "labels.db",
        "predictions.csv",
        "scan.json",
        "study.yaml",
    ]


def test_a_store_that_moved_is_used_from_then_on(tmp_path: Path) -> None:
    study = a_worked_study(tmp_path)
    before = everything(study)
    study.close()
    move_store(study.folder, "other.db")
    (study.folder / "labels.db").unlink()
    with Study.open(study.folder) as again:
        assert again.config.store == "other.db"
        assert everything(again) == before
    with pytest.raises(InputError, match="there already"):
        move_store(study.folder, "other.db")


def test_no_backup_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    study = a_worked_study(tmp_path)
    study.close()
    text, other = tmp_path / "text.zip", tmp_path / "other.zip"
    text.write_text("no zip")
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("../study.yaml", "x")
    for file, sentence in (
        (text, "not a readable zip"),
        (other, "study.yaml, labels.db, the predictions not in it"),
        (tmp_path / "missing.zip", "no such file"),
    ):
        with pytest.raises(InputError, match=sentence):
            restore(file, tmp_path / "new")
        assert not (tmp_path / "new").exists()
    with pytest.raises(InputError, match="not empty"):
        restore(text, study.folder)
    with pytest.raises(InputError, match="so it is no study"):
        backup(tmp_path, tmp_path / "b.zip")


def test_the_commands_say_what_they_did(tmp_path: Path) -> None:
    study = a_worked_study(tmp_path)
    study.close()
    folder, file, new = (str(p) for p in (study.folder, tmp_path / "b.zip", tmp_path / "new"))
    n = 11
    for args, said in (
        (["backup", folder, "--to", file], f"{n} decisions"),
        (["restore", file, "--study", new], f"{n} decisions are back"),
        (["store", "copy", new, "--to", "x.db"], f"{n} decisions copied"),
    ):
        done = CliRunner().invoke(cli, args, standalone_mode=False)
        assert done.exception is None
        assert said in done.stdout


def test_what_asks_for_a_second_look_still_does_in_a_copy(tmp_path: Path) -> None:
    head = "fqcn,method,content_hash,ai_security_relevant"
    text = f"{head}\na.B,m,h1,true\na.B,n,h2,false\n"
    study = a_study(tmp_path, text=text)
    reviewer = a_reviewer(study)
    reviewer.answer(YES)
    reviewer.answer(YES)
    study.close()
    scan = tmp_path / "predictions.csv"
    scan.write_text(text.replace("h1", "h3"), encoding="utf-8")
    Study.update(study.folder, scan)
    with Study.open(study.folder) as before:
        asked = before.second_look
        assert asked == ("a.B#m",)
    backup(study.folder, tmp_path / "b.zip")
    restore(tmp_path / "b.zip", tmp_path / "again")
    with Study.open(tmp_path / "again") as after:
        assert after.second_look == asked
        for item in asked:
            a_reviewer(after).act("revise", item, answer=NO)
        assert after.second_look == ()
