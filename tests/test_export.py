"""Vetted labels leave a study: into overrides in place, or as label files."""

from __future__ import annotations

import json
import re
import resource
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from builders import NO, YES, a_reviewer, a_row, a_study, predictions_csv
from click.testing import CliRunner

import labkit
from labkit.cli.export import command
from labkit.errors import InputError
from labkit.exports import export_to, plan_export, write
from labkit.overrides.notes import Draw, parse

if TYPE_CHECKING:
    from labkit.study import Study


def entries(path: Path) -> dict[str, dict[str, object]]:
    root = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {f"{entry['fqcn']}#{entry.get('method')}": entry for entry in root["overrides"]}


def answered(study: Study, count: int | None = None, answer: object = NO) -> Study:
    """Answer the first items, all of them when no number is given."""
    reviewer = a_reviewer(study)
    for item in study.sample.items[:count]:
        reviewer.answer(dict(answer), item)  # type: ignore[call-overload]
    return study


def test_every_answer_becomes_an_entry_with_its_provenance(tmp_path: Path) -> None:
    study = a_study(tmp_path, 12, sample=5, seed=7, protocol="blind")
    answered(study)
    out = tmp_path / "overrides.yaml"
    planned = export_to(study, out)
    found = entries(out)
    assert set(found) == set(study.sample.items)
    for entry in found.values():
        assert set(entry) == {"fqcn", "method", "securityRelevant", "tags", "note"}
        assert entry["securityRelevant"] is False
        assert entry["tags"] == []
        clause = parse(str(entry["note"]))
        assert clause is not None
        assert (clause.reviewer, clause.basis) == ("rev-1", "blind")
        assert clause.draw == Draw("all", 5, 12, 7)
    assert "marker" not in out.read_text(encoding="utf-8")
    assert planned.summary == "overrides.yaml: 5 entries added, 0 changed, 0 as they should be."
    assert out.read_bytes() == planned.after


def test_exporting_twice_changes_nothing(tmp_path: Path) -> None:
    study = answered(a_study(tmp_path))
    out = tmp_path / "overrides.yaml"
    export_to(study, out)
    before = out.read_bytes()
    assert plan_export(study, out).diff == ""
    export_to(study, out)
    assert out.read_bytes() == before


def test_an_existing_file_is_changed_where_the_label_changes_and_nowhere_else(
    tmp_path: Path,
) -> None:
    study = answered(a_study(tmp_path, 3))
    out = tmp_path / "overrides.yaml"
    old = (
        "# ours\noverrides:\n"
        "- fqcn: com.acme.Case0Test\n  method: m0\n  securityRelevant: true # sure\n"
        "  tags: [ auth ]\n  ticket: X-1\n"
        "- fqcn: com.acme.Case0Test\n  method: m1\n  securityRelevant: false\n  note: mine\n"
        "- fqcn: com.acme.Other\n  securityRelevant: true\n"
    )
    out.write_text(old, encoding="utf-8")
    planned = plan_export(study, out)
    assert out.read_text(encoding="utf-8") == old
    write(planned)
    new = out.read_text(encoding="utf-8")
    clause = 'note: "Reviewed 2026-11-29 by rev-1 (labkit: blind; all 3 of 3; seed 1)"'
    changed = old.replace(
        "true # sure\n  tags: [ auth ]\n", f"false # sure\n  tags: []\n  {clause}\n"
    )
    assert new.startswith(changed)
    assert "  note: mine\n" in new
    assert new.count("labkit:") == 2
    assert entries(out)["com.acme.Case0Test#m2"]["securityRelevant"] is False


def test_only_disagreements_leaves_out_what_restates_the_ai(tmp_path: Path) -> None:
    study = answered(a_study(tmp_path, 6))  # the AI flags m0 and m3
    out = tmp_path / "overrides.yaml"
    export_to(study, out, only="disagreements")
    assert set(entries(out)) == {"com.acme.Case0Test#m0", "com.acme.Case0Test#m3"}
    other = tmp_path / "other.yaml"
    other.write_text(
        "overrides:\n- {fqcn: com.acme.Case0Test, method: m1, securityRelevant: true}\n",
        encoding="utf-8",
    )
    export_to(study, other, only="disagreements")
    assert entries(other)["com.acme.Case0Test#m1"]["securityRelevant"] is False


def test_a_reviewers_own_words_are_the_reason_and_never_the_ais(tmp_path: Path) -> None:
    study = a_study(tmp_path, 2, protocol="blind")
    reviewer = a_reviewer(study)
    first, second = study.sample.items
    reviewer.act("answer", first, answer=YES, note="Checks the lock: twice")
    reviewer.answer(NO, second)
    out = tmp_path / "o.yaml"
    export_to(study, out)
    assert entries(out)[first]["reason"] == "Checks the lock: twice"
    assert "reason" not in entries(out)[second]


def test_a_revised_answer_is_exported_and_said_to_be_revealed(tmp_path: Path) -> None:
    study = a_study(tmp_path, 1)
    reviewer = a_reviewer(study)
    reviewer.act("answer", answer=NO)
    reviewer.act("revise", study.sample.items[0], answer=YES)
    out = tmp_path / "o.yaml"
    export_to(study, out)
    (entry,) = entries(out).values()
    assert entry["tags"] == ["security", "auth"]
    assert "(labkit: revealed; all 1 of 1; seed 1)" in str(entry["note"])


def test_unsure_and_skipped_items_are_left_out(tmp_path: Path) -> None:
    study = a_study(tmp_path, 3, protocol="blind")
    reviewer = a_reviewer(study)
    reviewer.act("unsure")
    reviewer.act("skip")
    reviewer.answer(YES)
    out = tmp_path / "o.yaml"
    export_to(study, out)
    assert len(entries(out)) == 1


def test_without_a_label_the_file_is_one_that_methodatlas_reads(tmp_path: Path) -> None:
    out = tmp_path / "o.yaml"
    export_to(a_study(tmp_path), out)
    assert out.read_text(encoding="utf-8") == "overrides: []\n"


def test_others_edits_of_other_entries_stay_and_of_the_same_entry_are_refused(
    tmp_path: Path,
) -> None:
    study = a_study(tmp_path, 4, protocol="blind")
    reviewer = a_reviewer(study)
    a, b, *_ = study.sample.items
    reviewer.answer(NO, a)
    reviewer.answer(NO, b)
    out = tmp_path / "o.yaml"
    export_to(study, out)
    text = out.read_text(encoding="utf-8")
    method_a, method_b = a.split("#")[1], b.split("#")[1]
    outside = re.sub(
        rf"(method: {method_b}\n    securityRelevant: )false", r"\1true", text
    ).replace("overrides:", "# looked at by the guild\noverrides:")
    out.write_text(outside, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        export_to(study, out)
    message = str(refused.value)
    assert re.search(r"o\.yaml:\d+: ", message)
    assert f"{b} was changed here" in message
    assert "the file says true []" in message
    assert "the study says false []" in message
    assert out.read_text(encoding="utf-8") == outside
    # the study comes round to the file: settled; the other entry is merged
    reviewer.act("undo")
    reviewer.answer({"relevant": True, "tags": []}, b)
    reviewer.answer(YES, study.sample.items[2])
    export_to(study, out)
    assert out.read_text(encoding="utf-8").startswith("# looked at by the guild\n")
    assert entries(out)[b]["securityRelevant"] is True
    assert len(entries(out)) == 3
    assert method_a in out.read_text(encoding="utf-8")


def test_with_force_the_study_wins(tmp_path: Path) -> None:
    study = answered(a_study(tmp_path, 1))
    out = tmp_path / "o.yaml"
    export_to(study, out)
    text = out.read_text(encoding="utf-8")
    out.write_text(text.replace("false", "true"), encoding="utf-8")
    export_to(study, out, force=True)
    assert out.read_text(encoding="utf-8") == text


def test_a_plan_is_not_written_over_a_file_that_changed_meanwhile(tmp_path: Path) -> None:
    study = answered(a_study(tmp_path))
    out = tmp_path / "o.yaml"
    planned = plan_export(study, out)
    out.write_text("overrides: []\n", encoding="utf-8")
    with pytest.raises(InputError, match="changed since the preview"):
        write(planned)
    assert out.read_text(encoding="utf-8") == "overrides: []\n"


def test_links_and_modes_stay_as_they_are(tmp_path: Path) -> None:
    study = answered(a_study(tmp_path))
    (tmp_path / "real").mkdir()
    real = tmp_path / "real" / "overrides.yaml"
    real.write_text("overrides: []\n", encoding="utf-8")
    real.chmod(0o640)
    link = tmp_path / "overrides.yaml"
    link.symlink_to("real/overrides.yaml")
    export_to(study, link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert len(entries(real)) == 12
    assert [path.name for path in real.parent.iterdir()] == ["overrides.yaml"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    study = answered(a_study(tmp_path, 60))
    out = tmp_path / "o.yaml"
    out.write_text("overrides: []\n", encoding="utf-8")
    planned = plan_export(study, out)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(InputError, match=r"space|quota"):
            write(planned)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert out.read_text(encoding="utf-8") == "overrides: []\n"
    assert sorted(p.name for p in tmp_path.iterdir() if ".tmp" in p.name) == []
    write(planned)
    assert len(entries(out)) == 60


@pytest.mark.parametrize(
    "name",
    ["my project/over rides.yaml", "été/测试.yaml", "a#b%20c/o.yaml", "-rf/o.yaml",
     "x" * 240 + ".yaml", "trailing./o.yaml", "quote'\"s/o.yaml"],
)  # fmt: skip
def test_any_path_is_written(tmp_path: Path, name: str) -> None:
    study = answered(a_study(tmp_path, 2))
    out = tmp_path / name
    out.parent.mkdir(exist_ok=True)
    for _ in range(2):
        export_to(study, out)
    assert len(entries(out)) == 2


def test_two_processes_lose_no_entry(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[3])\n"
        "from builders import a_reviewer, a_row, a_study, predictions_csv\n"
        "from labkit.exports import export_to\n"
        "name, out = sys.argv[1], Path(sys.argv[2])\n"
        "rows = [a_row(i, fqcn='com.acme.' + name) for i in range(20)]\n"
        "study = a_study(out.parent, text=predictions_csv(rows=rows), name=name)\n"
        "reviewer = a_reviewer(study)\n"
        "for item in study.sample.items:\n"
        "    reviewer.answer(item=item)\n"
        "    export_to(study, out)\n"
    )
    out = tmp_path / "overrides.yaml"
    tests = str(Path(__file__).parent)
    running = [
        subprocess.Popen([sys.executable, "-c", script, name, str(out), tests])
        for name in ("A", "B")
    ]
    seen = 0
    while any(process.poll() is None for process in running):
        if out.exists():
            now = len(entries(out))
            assert now >= seen
            seen = now
    assert [process.returncode for process in running] == [0, 0]
    assert len(entries(out)) == 40


def test_windows_files_and_wide_files_keep_their_bytes(tmp_path: Path) -> None:
    study = answered(a_study(tmp_path, 1))
    old = "# é\r\noverrides:\r\n- fqcn: A\r\n  securityRelevant: false\r\n"
    for codec, mark in (("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe")):
        out = tmp_path / f"{codec}.yaml"
        out.write_bytes(mark + old.encode(codec))
        export_to(study, out)
        data = out.read_bytes()
        assert data.startswith(mark + old.encode(codec))
        added = data.removeprefix(mark).decode(codec).removeprefix(old)
        assert "\n" not in added.replace("\r\n", "")
        assert "method: m0\r\n" in added


def test_two_source_roots_with_one_answer_are_one_entry_and_with_two_are_refused(
    tmp_path: Path,
) -> None:
    rows = [a_row(0), a_row(0)]
    text = predictions_csv(rows=rows).replace("fqcn,", "source_root,fqcn,", 1)
    head, one, two = text.splitlines()
    text = f"{head}\nsrc/a,{one}\nsrc/b,{two}\n"
    study = a_study(tmp_path, text=text, protocol="blind")
    reviewer = a_reviewer(study)
    first, second = study.sample.items
    reviewer.answer(YES, first)
    reviewer.answer(YES, second)
    export_to(study, tmp_path / "o.yaml")
    assert len(entries(tmp_path / "o.yaml")) == 1
    reviewer.act("undo")
    reviewer.answer(NO, second)
    with pytest.raises(InputError, match="different answers"):
        plan_export(study, tmp_path / "o.yaml")


def disputed_study(tmp_path: Path) -> Study:
    study = a_study(tmp_path, 3, protocol="blind", reviewers=("ann", "bob"), overlap=1.0)
    ann, bob = a_reviewer(study, "ann"), a_reviewer(study, "bob")
    for item in study.sample.items:
        ann.answer(NO, item)
        bob.answer(YES if item == study.sample.items[0] else NO, item)
    return study


def test_disputed_items_are_refused_unless_they_are_skipped(tmp_path: Path) -> None:
    study = disputed_study(tmp_path)
    out = tmp_path / "o.yaml"
    with pytest.raises(InputError, match=r"1 items are disputed, .*--skip-disputed"):
        plan_export(study, out)
    export_to(study, out, skip_disputed=True)
    assert len(entries(out)) == 2
    export_to(study, tmp_path / "labels.jsonl")
    lines = (tmp_path / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("labels", [], "which format"),
        ("labels.txt", [], "which format"),
        ("x.sarif", [], "methodatlas study is not exported as sarif"),
        ("x.json", [], "not exported as planwerk"),
        ("there.jsonl", [], "there already; replace it with --force"),
        ("broken.yaml", [], r"broken\.yaml:2: duplicate key"),
        ("missing/o.yaml", [], "the folder does not exist"),
        (".", ["--format", "csv"], "this is a folder"),
    ],
)
def test_a_bad_call_is_one_sentence(
    tmp_path: Path, name: str, options: list[str], message: str
) -> None:
    study = answered(a_study(tmp_path, 2))
    study.close()
    (tmp_path / "there.jsonl").write_text("{}\n", encoding="utf-8")
    (tmp_path / "broken.yaml").write_text("overrides: []\noverrides: []\n", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    args = [str(study.folder), "--to", str(tmp_path / name), *options]
    result = CliRunner().invoke(command, args)
    assert isinstance(result.exception, InputError)
    assert re.search(message, str(result.exception))
    assert result.stdout == ""
    assert sorted(tmp_path.iterdir()) == before


def test_dry_run_prints_the_diff_and_nothing_else(tmp_path: Path) -> None:
    study = answered(a_study(tmp_path, 2))
    study.close()
    out = tmp_path / "o.yaml"
    result = CliRunner().invoke(command, [str(study.folder), "--to", str(out), "--dry-run"])
    assert result.stdout.startswith("--- /dev/null\n+++ b/o.yaml\n@@ -0,0 +1,11 @@\n+overrides:\n")
    assert result.stderr == ""
    assert not out.exists()
    written = CliRunner().invoke(command, [str(study.folder), "--to", str(out)])
    assert (written.stdout, written.exit_code) == ("", 0)
    added = [line[1:] for line in result.stdout.splitlines()[3:]]
    assert out.read_text(encoding="utf-8").splitlines() == added


def test_labels_leave_as_jsonl_and_csv(tmp_path: Path) -> None:
    study = answered(a_study(tmp_path, 3))
    export_to(study, tmp_path / "labels.jsonl")
    export_to(study, tmp_path / "labels.csv")
    rows = [
        json.loads(line)
        for line in (tmp_path / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [list(row) for row in rows] == [
        [
            "item",
            "reviewer",
            "value",
            "first",
            "final",
            "basis",
            "stratum",
            "inclusion_probability",
            "arm",
            "seed",
            "shown_at",
            "decided_at",
            "duration_ms",
            "note",
        ]
    ] * 3
    assert rows[0]["value"] == {"relevant": False, "tags": []}
    head = (tmp_path / "labels.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert head[:8] == ["item", "reviewer", "value.relevant", "value.tags", "first.relevant",
                        "first.tags", "final.relevant", "final.tags"]  # fmt: skip


def test_the_export_scores_to_what_the_study_counted(tmp_path: Path) -> None:
    study = a_study(tmp_path, 12)
    reviewer = a_reviewer(study)
    for number, item in enumerate(study.sample.items[:10]):
        reviewer.answer(YES if number % 2 else NO, item)
    reviewer.act("undo")
    reviewer.act("undo")
    reviewer.act("unsure")
    out = tmp_path / "o.yaml"
    export_to(study, out)
    report = labkit.score(out, tmp_path / "predictions.csv").data
    counted = study.counted()
    relevance, micro = report["relevance"], report["tagsMicro"]
    assert isinstance(relevance, dict)
    assert isinstance(micro, dict)
    assert {cell: relevance[cell] for cell in ("tp", "fp", "fn", "tn")} == counted["relevance"]
    assert {cell: micro[cell] for cell in ("tp", "fp", "fn")} == counted["tagsMicro"]
    assert report["evaluated"] == 9
