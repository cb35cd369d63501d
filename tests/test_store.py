"""The store: append-only, durable when a call returns, safe for several processes."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from builders import NO, YES, a_reviewer, a_study
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from labkit.backup import move_store
from labkit.model import Decision
from labkit.store import ExportRow, ItemRow, Store, StoreError, schema
from labkit.store.connect import file_url, journal_mode, parse_url
from labkit.study import Study

if TYPE_CHECKING:
    from collections.abc import Iterator

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
ITEMS = [ItemRow(f"m{i}", i, 0, i + 1, "all", 0.5) for i in range(200)]


def a_decision(uuid: str, item: str = "m0", reviewer: str = "rev-1", **more: Any) -> Decision:
    values = {"kind": "answer", "answer": {"relevant": True, "tags": ("auth",)}, **more}
    return Decision(uuid, item, reviewer, decided_at=NOON, **values)


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close every store that a test opened."""
    stores: list[Store] = []
    begin = Store.__init__

    def __init__(self: Store, url: Any) -> None:  # noqa: N807  # takes its place
        begin(self, url)
        stores.append(self)

    monkeypatch.setattr(Store, "__init__", __init__)
    yield
    for store in stores:
        store.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of our own, on a socket of its own."""
    if not POSTGRES:
        pytest.skip("PostgreSQL is not installed: no /usr/lib/postgresql/*/bin/initdb")
    binaries = POSTGRES[-1].parent
    folder = Path("/tmp") / f"labkit-pg-{os.getpid()}"  # noqa: S108  # a socket's path is short
    folder.mkdir(mode=0o755)
    as_user: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("runuser") is None:
            pytest.skip("PostgreSQL refuses to run as root, and runuser is not here")
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres", "postgres")
    data, log = folder / "data", folder / "log"

    def run(*command: str) -> None:
        subprocess.run([*as_user, *command], check=True, capture_output=True, cwd=folder)

    run(str(binaries / "initdb"), "-D", str(data), "-U", "labkit", "-A", "trust", "-E", "UTF8")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    control = str(binaries / "pg_ctl")
    try:
        run(control, "-D", str(data), "-l", str(log), "-o", options, "-w", "start")
        yield f"postgresql://labkit@/postgres?host={folder}"
    finally:
        run(control, "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """The address of an empty database of each kind."""
    if request.param == "sqlite":
        return file_url(tmp_path / "labels.db")
    address = request.getfixturevalue("postgres")
    name = f"db{time.monotonic_ns()}"
    store = Store(parse_url(address))
    with store._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    store.close()
    return address.replace("/postgres?", f"/{name}?")


def test_what_is_recorded_comes_back_in_the_order_of_the_log(url: Any) -> None:
    store = Store.create(url)
    study = store.add_study("may", {"seed": 7}, ITEMS)
    given = [
        a_decision("a", shown_at=NOON, duration_ms=1500, note="see é"),
        a_decision("b", kind="reveal", revealed_at=NOON, suggestion_shown=True),
        a_decision("c", kind="undo", answer=None, target="a"),
        a_decision("d", "found by search"),
    ]
    seen, made = store.record(study, 0, lambda _: given)
    assert seen == ()
    assert [d.seq for d in made] == sorted({d.seq for d in made})
    store.close()
    again = Store.open(url)
    (study,) = again.studies()
    assert (study.name, study.config) == ("may", {"seed": 7})
    assert again.decisions(study) == list(made)
    assert again.decisions(study, made[1].seq) == list(made[2:])
    assert again.last_seq(study) == made[-1].seq
    items = again.items(study)
    assert items[:-1] == tuple(ITEMS)
    assert items[-1] == ItemRow("found by search")


def test_the_log_cannot_be_changed_by_anybody(url: Any) -> None:
    store = Store.create(url)
    study = store.add_study("may", {}, ITEMS)
    store.append(study, [a_decision("a")])
    for statement in ("UPDATE decisions SET note = 'x'", "DELETE FROM decisions"):
        with (
            pytest.raises(DBAPIError, match="append-only"),
            store._engine.begin() as connection,
        ):
            connection.execute(text(statement))
    assert len(store.decisions(study)) == 1


def test_a_repeated_event_is_stored_once(url: Any) -> None:
    store = Store.create(url)
    study = store.add_study("may", {}, ITEMS)
    assert len(store.append(study, [a_decision("a"), a_decision("b")])) == 2
    assert [d.event_uuid for d in store.append(study, [a_decision("a"), a_decision("c")])] == ["c"]
    with pytest.raises(StoreError):
        store.record(study, 0, lambda _: [a_decision("a")])
    assert len(store.decisions(study)) == 3


def test_nothing_is_stored_when_the_decision_is_refused(url: Any) -> None:
    store = Store.create(url)
    study = store.add_study("may", {}, ITEMS)

    def refuse(_missed: Any) -> Any:
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        store.record(study, 0, refuse)
    assert store.record(study, 0, lambda _: [a_decision("a")])[1][0].event_uuid == "a"


def test_a_study_of_the_same_name_is_refused(url: Any) -> None:
    store = Store.create(url)
    store.add_study("may", {}, ITEMS)
    with pytest.raises(StoreError, match="'may' is there already"):
        store.add_study("may", {}, ())
    store.add_study("june", {}, ITEMS)
    assert [study.name for study in store.studies()] == ["june", "may"]


def test_exports_are_remembered(url: Any) -> None:
    store = Store.create(url)
    study = store.add_study("may", {}, ())
    export = ExportRow(3, "0" * 64, "overrides.yaml", "rev-1", "2026-11-29T12:00:00.000Z")
    store.add_export(study, export)
    assert store.exports(study) == (export,)


def test_lost_triggers_are_made_again_when_the_store_is_opened(url: Any) -> None:
    store = Store.create(url)
    study = store.add_study("may", {}, ITEMS)
    store.append(study, [a_decision("a")])
    on = "" if store._engine.dialect.name == "sqlite" else " ON decisions"
    with store._engine.begin() as connection:
        connection.execute(text(f"DROP TRIGGER decisions_no_update{on}"))
    store.close()
    again = Store.open(url)
    with again._engine.connect() as connection:
        assert schema.missing_triggers(connection) == ()


def test_migrations_make_the_same_tables_and_triggers_as_a_new_store(url: Any) -> None:
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415  # loaded where it is tested
    from alembic.migration import MigrationContext  # noqa: PLC0415

    from labkit.store import migrate  # noqa: PLC0415

    assert migrate.newest() == schema.HEAD
    store = Store(parse_url(url))
    migrate.upgrade(store._engine, store.place, None)
    with store._engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
        assert schema.missing_triggers(connection) == ()
        assert schema.revision(connection) == schema.HEAD
    Store.open(url).add_study("may", {}, ITEMS)


def test_a_store_of_a_newer_labkit_is_refused(url: Any) -> None:
    store = Store.create(url)
    with store._engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="a newer labkit"):
        Store.open(url)


WRITER = """
    import sys
    from labkit.store import Store
    from labkit.model import Decision
    from datetime import datetime, UTC
    url, who, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    store = Store.open(url)
    (study,) = store.studies()
    print("ready", flush=True)
    seen = 0
    for i in range(n):
        def decide(missed):
            return [Decision(f"{who}-{i}", f"m{i % 200}", who, "answer", datetime.now(UTC))]
        _, made = store.record(study, 0 if not seen else seen, decide)
        seen = made[-1].seq
        print(f"{who}-{i}", flush=True)
"""


def a_writer(url: Any, who: str, n: int) -> subprocess.Popen[str]:
    address = url if isinstance(url, str) else url.render_as_string()
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), address, who, str(n)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_processes_lose_nothing_of_each_other(url: Any) -> None:
    store = Store.create(url)
    study = store.add_study("may", {}, ITEMS)
    writers = [a_writer(url, who, 100) for who in ("rev-1", "rev-2")]
    for writer in writers:
        writer.communicate(timeout=120)
        assert writer.returncode == 0
    log = store.decisions(study)
    assert {d.event_uuid for d in log} == {f"rev-{w}-{i}" for w in (1, 2) for i in range(100)}
    assert len(log) == 200


def test_what_was_acknowledged_survives_a_killed_process(tmp_path: Path) -> None:
    url = file_url(tmp_path / "labels.db")
    store = Store.create(url)
    study = store.add_study("may", {}, ITEMS)
    for round_ in range(3):
        writer = a_writer(url, f"w{round_}", 100_000)
        assert writer.stdout is not None
        acknowledged = [writer.stdout.readline().strip() for _ in range(20 + 7 * round_)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += writer.communicate()[0].split()
        stored = {d.event_uuid for d in store.decisions(study)}
        assert {a for a in acknowledged if a != "ready"} <= stored
    check = sqlite3.connect(tmp_path / "labels.db").execute("PRAGMA integrity_check").fetchone()
    assert check == ("ok",)


def test_a_full_disk_is_one_sentence_and_what_was_there_stays(tmp_path: Path) -> None:
    script = """
        import resource, signal, sys
        from pathlib import Path
        from labkit.store import Store, ItemRow, StoreError
        from labkit.store.connect import file_url
        from labkit.model import Decision
        from datetime import datetime, UTC
        path = Path(sys.argv[1])
        store = Store.create(file_url(path))
        study = store.add_study("may", {}, [ItemRow(f"m{i}", i) for i in range(10)])
        def one(n):
            return [Decision(f"u{n}", "m0", "r", "answer", datetime.now(UTC), note="x" * 2000)]
        store.record(study, 0, lambda _: one(0))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        size = path.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 8192, resource.RLIM_INFINITY))
        stored = 1
        try:
            for n in range(1, 100):
                store.record(study, 0, lambda _: one(n))
                stored += 1
        except StoreError as error:
            print(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert len(store.decisions(study)) == stored < 100, stored
        store.record(study, 0, lambda _: one(stored))
        assert len(store.decisions(study)) == stored + 1
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "labels.db")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    assert "labels.db: " in done.stdout
    assert "disk" in done.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into a read-only folder")
def test_a_read_only_folder_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(StoreError, match="writable"):
        Store.create(file_url(tmp_path / "labels.db"))


def test_a_locked_file_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labkit.store.connect.BUSY_SECONDS", 0.05)
    monkeypatch.setattr("labkit.store.connect.ATTEMPTS", 2)
    path = tmp_path / "labels.db"
    store = Store.create(file_url(path))
    study = store.add_study("may", {}, ITEMS)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="keeps the file locked"):
        store.record(study, 0, lambda _: [a_decision("a")])
    other.close()
    assert store.record(study, 0, lambda _: [a_decision("a")])[1]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "no decision store"),
        (b"not a database, but long enough to be looked at as one" * 40, "no SQLite file"),
        (b"", "holds no labkit store"),
    ],
)
def test_what_is_no_store_is_one_sentence(
    tmp_path: Path, content: bytes | None, sentence: str
) -> None:
    path = tmp_path / "labels.db"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StoreError, match=sentence):
        Store.open(file_url(path))


@pytest.mark.parametrize("name", ["my project", "été/测试", "a#b%20c", "-rf", "quote'\"s", "x?y=1"])
def test_any_path_works(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir(parents=True)
    store = Store.create(file_url(folder / "labels.db"))
    study = store.add_study("may", {}, ITEMS)
    store.append(study, [a_decision("a")])
    assert sorted(path.name for path in folder.iterdir()) == ["labels.db"]


def test_the_journal_is_the_safe_one_for_this_sqlite(tmp_path: Path) -> None:
    store = Store.create(file_url(tmp_path / "labels.db"))
    mode, level = journal_mode()
    with store._engine.connect() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")).upper() == mode
        assert connection.scalar(text("PRAGMA synchronous")) == {"FULL": 2, "EXTRA": 3}[level]
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1


def test_a_current_store_opens_without_alembic(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    Store.create(file_url(path)).close()
    code = (
        "import sys; from pathlib import Path; from labkit.store import Store\n"
        "from labkit.store.connect import file_url\n"
        "Store.open(file_url(Path(sys.argv[1])))\n"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_an_address_that_is_none_is_refused() -> None:
    for address in ("nonsense", "mysql://x/y"):
        with pytest.raises(Exception, match="sqlite"):
            parse_url(address)


def test_a_study_moves_to_postgresql_and_back(postgres: str, tmp_path: Path) -> None:
    first = a_study(tmp_path, 12, sample=8, name=f"moving{time.monotonic_ns()}")
    reviewer = a_reviewer(first)
    reviewer.answer()
    reviewer.act("undo")
    log = [(d.event_uuid, d.item, d.kind, d.target) for d in first.decisions()]
    first.close()
    assert move_store(first.folder, postgres.replace("labkit@", "labkit:secret@")) == len(log)
    assert "secret" not in (first.folder / "study.yaml").read_text()
    with Study.open(first.folder) as moved:
        assert moved.store.place.startswith("postgresql")
        assert [(d.event_uuid, d.item, d.kind, d.target) for d in moved.decisions()] == log
        a_reviewer(moved).act("redo")
    with pytest.raises(StoreError, match="is there already"):
        move_store(first.folder, postgres)
    assert move_store(first.folder, "back.db") == len(log) + 1


def test_two_reviewers_in_two_processes_share_a_study_on_postgresql(
    postgres: str, tmp_path: Path
) -> None:
    one = a_study(tmp_path, 12, name=f"shared{time.monotonic_ns()}", store=postgres)
    with one, Study.open(one.folder) as two:
        left, right = a_reviewer(one, "rev-1"), a_reviewer(two, "rev-2")
        for item in one.sample.items[:3]:
            left.answer(YES, item)
            right.answer(NO, item)
        one.refresh()
        assert len(one.labels()) == 6
        assert set(one.disputed) == set(one.sample.items[:3])
