"""``labkit init`` and ``labkit status`` as people call them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import NO, YES, a_reviewer, a_row, predictions_csv

from labkit.study import Study


def labkit(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "labkit", *args],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(Path(__file__).parent.parent), "PATH": "/usr/bin:/bin"},
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.csv").write_text(predictions_csv(12), encoding="utf-8")
    return tmp_path


def test_init_makes_a_study_and_says_what_comes_next(folder: Path) -> None:
    done = labkit("init", "p.csv", "--study", "may", "--sample", "5", "--seed", "7", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "may: 5 of 12 items drawn (simple, seed 7, blind-first). Next: labkit review may\n"
    )
    made = sorted(path.name for path in (folder / "may").iterdir())
    assert made == ["labels.db", "scan.json", "study.yaml"]
    assert "predictions: ../p.csv\n" in (folder / "may/study.yaml").read_text()


def test_columns_by_other_names_reach_study_yaml(folder: Path) -> None:
    (folder / "t.csv").write_text("a,b,text\n1,true,x\n2,false,y\n")
    done = labkit("init", "t.csv", "--study", "s", "--columns", "id=a,label=b", cwd=folder)
    assert done.returncode == 0
    with Study.open(folder / "s") as study:
        assert study.config.columns == (("id", "a"), ("label", "b"))
        assert sorted(study.items) == ["1", "2"]


def test_every_option_of_init_reaches_study_yaml(folder: Path) -> None:
    (folder / "tags.txt").write_text("Tag: Risk\nCovers: x\nTag: safe\n")
    (folder / "o.yaml").write_text(
        "overrides:\n- fqcn: com.acme.Case0Test\n  method: m3\n  securityRelevant: true\n"
    )
    (folder / "src").mkdir()
    (folder / "receipt.json").write_text("{}")
    given = (
        "--task methodatlas --labels o.yaml --source src --sample 5 --design simple --seed 3 "
        "--protocol blind --reviewers ines,jo --overlap 0.5 --tags tags.txt "
        "--receipt receipt.json --show ai_reason --store labels2.db"
    )
    done = labkit("init", "p.csv", "--study", "s", *given.split(), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    with Study.open(folder / "s") as study:
        config = study.config
        assert sum(label.basis == "imported" for label in study.labels(answer="any")) == 1
        assert (config.labels, config.source, config.receipt) == (
            "../o.yaml",
            "../src",
            "receipt.json",
        )
        assert (study.folder / "receipt.json").read_text() == "{}"
        assert (config.sample, config.seed, config.protocol) == (5, 3, "blind")
        assert (config.reviewers, config.overlap) == (("ines", "jo"), 0.5)
        assert (config.tags, config.show, config.store) == (
            ("Risk", "safe"),
            ("ai_reason",),
            "labels2.db",
        )
        (label,) = study.labels()
        assert (label.item, label.basis, label.value) == (
            "com.acme.Case0Test#m3",
            "imported",
            {"relevant": True},
        )


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["init", "missing.csv", "--study", "s"], "missing.csv: no such file"),
        (["init", "p.csv"], "Missing option '--study'"),
        (["init", "p.csv", "--study", "p.csv"], "p.csv: this is a file"),
        (["init", "other.csv", "--study", "s"], "other.csv:1: no column"),
        (["init", "p.csv", "--study", "s", "--sample", "0"], "--sample"),
        (["init", "p.csv", "--study", "s", "--source", "nowhere"], "check --source"),
        (["init", "p.csv", "--study", "s", "--task", "methodatlsa"], "'methodatlsa' is no preset"),
        (["init", "p.csv", "--study", "s", "--columns", "id"], "write PART=COLUMN"),
        (["init", "p.csv", "--study", "s", "--reviewers", "(a)"], "'(a)' is no name"),
        (["init", "p.csv", "--study", "s", "--store", "mysql://x/y"], "sqlite or postgresql"),
        (["init", "p.csv", "--study", "s", "--store", "postgresql://h.invalid/y"], "h.invalid"),
        (["init", "p.csv", "--study", "s", "--labels", "broken.yaml"], "broken.yaml:"),
        (["status", "nowhere"], "nowhere: no such study"),
        (["status", "."], "no study.yaml in it"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    folder: Path, args: list[str], sentence: str
) -> None:
    (folder / "other.csv").write_text("a,b\n1,2\n")
    (folder / "broken.yaml").write_text("overrides:\n  - [\n")
    before = sorted(folder.iterdir())
    done = labkit(*args, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert sorted(folder.iterdir()) == before


def test_status_counts_what_is_stored(folder: Path) -> None:
    labkit("init", "p.csv", "--study", "s", cwd=folder)
    with Study.open(folder / "s") as study:
        reviewer = a_reviewer(study)
        reviewer.answer(YES)
        reviewer.answer(NO)
        reviewer.act("unsure")
        reviewer.act("keep")
        reviewer.act("skip")
        reviewer.act("flag")
    done = labkit("status", "s", "--format", "json", cwd=folder)
    assert done.returncode == 0
    status = json.loads(done.stdout)
    assert list(status)[:3] == ["schemaVersion", "items", "sampled"]
    assert status["reviewers"] == [
        {
            "name": "rev-1",
            "answered": 3,
            "skipped": 1,
            "unsure": 1,
            "flagged": 1,
            "medianSeconds": 3.0,
        }
    ]
    text = labkit("status", "s", cwd=folder).stdout
    assert "rev-1: 3 answered (1 unsure), 1 skipped, 1 flagged, 3.0 s each." in text


@pytest.mark.parametrize(
    "name", ["my project", "été/测试", "a#b%20c", "-rf", "trailing.", "quote'\"s", "x" * 200]
)
def test_a_study_works_in_any_folder_and_can_be_moved(folder: Path, name: str) -> None:
    place = folder / name
    place.mkdir(parents=True)
    (place / "p.csv").write_text(predictions_csv(4), encoding="utf-8")
    with Study.create(place / "p.csv", place / "s") as study:
        a_reviewer(study).answer(YES)
    moved = folder / "moved"
    shutil.move(place, moved)
    with Study.open(moved / "s") as study:
        assert len(study.labels()) == 1


def test_scans_with_nothing_in_them_make_a_study_in_which_all_is_done(folder: Path) -> None:
    (folder / "empty.csv").write_text(predictions_csv(0))
    done = labkit("init", "empty.csv", "--study", "s", cwd=folder)
    assert (done.returncode, done.stdout[:21]) == (0, "s: 0 of 0 items drawn")
    with Study.open(folder / "s") as study:
        assert a_reviewer(study).review.window() == []


def test_an_unfinished_init_is_done_again_but_a_store_with_answers_is_kept(folder: Path) -> None:
    labkit("init", "p.csv", "--study", "s", cwd=folder)
    (folder / "s/study.yaml").unlink()
    assert labkit("init", "p.csv", "--study", "s", cwd=folder).returncode == 0
    with Study.open(folder / "s") as study:
        a_reviewer(study).answer(YES)
    (folder / "s/study.yaml").unlink()
    done = labkit("init", "p.csv", "--study", "s", cwd=folder)
    assert done.returncode == 2
    assert "a store with decisions and no study.yaml" in done.stderr


def test_status_says_how_many_labels_were_imported(folder: Path) -> None:
    (folder / "o.yaml").write_text(
        "overrides:\n- fqcn: com.acme.Case0Test\n  method: m3\n  securityRelevant: true\n"
    )
    labkit("init", "p.csv", "--study", "s", "--labels", "o.yaml", cwd=folder)
    assert "1 label imported from an existing file." in labkit("status", "s", cwd=folder).stdout


def test_after_a_new_scan_labels_follow_the_key(folder: Path) -> None:
    """A moved line changes nothing; what is gone is stale; what is new has no label."""
    scan = folder / "p.csv"
    scan.write_text(predictions_csv(rows=[a_row(0), a_row(1)]), encoding="utf-8")
    with Study.create(scan, folder / "s") as study:
        reviewer = a_reviewer(study)
        reviewer.answer(YES)
        reviewer.answer(NO)
    scan.write_text(predictions_csv(rows=[a_row(0, loc=99), a_row(2)]), encoding="utf-8")
    with Study.open(folder / "s") as study:
        assert study.stale == ("com.acme.Case0Test#m1",)
        assert {label.item for label in study.labels()} >= {"com.acme.Case0Test#m0"}
        assert "com.acme.Case0Test#m2" not in study.settled()


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('{"inputs": {"overrideFile": {"sha256": "ab"}}}', 0, "made with an override file"),
        ('{"inputs": {"overrideFile": null}, "schemaVersion": "2"}', 0, ""),
        ("[]", 2, "a receipt is a JSON object"),
        ("{", 2, "not JSON"),
        (None, 2, "no such file"),
    ],
)
def test_a_receipt_is_kept_in_the_study_and_read(
    folder: Path, text: str | None, code: int, said: str
) -> None:
    if text is not None:
        (folder / "r.json").write_text(text)
    done = labkit("init", "p.csv", "--study", "s", "--receipt", "r.json", cwd=folder)
    assert done.returncode == code
    assert said in done.stderr
    kept = folder / "s" / "receipt.json"
    assert (kept.read_text() if kept.exists() else None) == (text if code == 0 else None)
