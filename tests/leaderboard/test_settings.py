from collections.abc import Mapping
from pathlib import Path

import pytest

from leaderboard.settings import Role, SettingRefused, Settings, child_env

SECRETS = {
    "GOLD_SOURCE": "hf://datasets/org/gold",
    "GOLD_REVISION": "abc",
    "GOLD_TOKEN": "hf_gold",
    "ARCHIVE_TOKEN": "hf_archive",
    "HF_TOKEN": "hf_any",
    "HUGGING_FACE_HUB_TOKEN": "hf_old",
    "AWS_SECRET_ACCESS_KEY": "aws",
    "SOME_NEW_SECRET": "unheard of",
}


def settings(tmp_path: Path, role: Role = "app", **env: str) -> Settings:
    """Read settings of a machine whose data, working and temp folders lie apart."""
    given = {"QRELBOARD_DATA": str(tmp_path / "data"), **env}
    given = {name: value for name, value in given.items() if value}
    return Settings.from_env(given, role, working_folder=tmp_path / "here", temp_folder=tmp_path / "temp")


def test_everything_has_a_default(tmp_path: Path) -> None:
    found = Settings.from_env({}, "app", working_folder=tmp_path, temp_folder=tmp_path)

    assert (found.port, found.mode, found.n_workers, found.hosts) == (7860, "local", 1, ())
    assert found.database_url == f"sqlite:///{found.data_folder}/books.sqlite"
    assert found.data_folder.name == "qrelboard"
    assert (found.gold_source, found.gold_token, found.fault) == (None, None, None)
    assert (found.max_upload_bytes, found.max_unpacked_bytes, found.job_seconds) == (256 << 20, 2 << 30, 600)


def test_books_and_queue_of_sqlite_are_two_files(tmp_path: Path) -> None:
    found = settings(tmp_path)

    assert found.jobs_url == f"sqlite:///{tmp_path}/data/jobs.sqlite"
    assert found.jobs_url != found.database_url


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_gets_our_driver(tmp_path: Path, scheme: str) -> None:
    found = settings(tmp_path, DATABASE_URL=f"{scheme}://me:secret@host/books")

    assert found.database_url == found.jobs_url == "postgresql+psycopg://me:secret@host/books"


def test_space_is_production(tmp_path: Path) -> None:
    assert settings(tmp_path, SPACE_ID="org/space").is_production


def test_task_folders_are_shipped_own_and_given(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()

    found = settings(tmp_path, QRELBOARD_TASKS=str(tmp_path / "more"))

    assert [folder.name for folder in found.task_folders] == ["tasks", "tasks", "more"]
    assert found.task_folders[1] == tmp_path / "data" / "tasks"


REFUSED: Mapping[str, dict[str, str]] = {
    "PORT": {"PORT": "http"},
    "PORT too high": {"PORT": "70000"},
    "QRELBOARD_WORKERS": {"QRELBOARD_WORKERS": "-1"},
    "QRELBOARD_MODE": {"QRELBOARD_MODE": "prod"},
    "QRELBOARD_MODE of a Space": {"QRELBOARD_MODE": "local", "SPACE_ID": "org/space"},
    "QRELBOARD_DATA": {"QRELBOARD_DATA": "relative/data"},
    "DATABASE_URL": {"DATABASE_URL": "mysql://host/books"},
    "DATABASE_URL relative": {"DATABASE_URL": "sqlite://books.sqlite"},
    "QRELBOARD_TASKS": {"QRELBOARD_TASKS": "/no/such/folder"},
    "QRELBOARD_FAULT": {"QRELBOARD_FAULT": "job-taken"},
    "QRELBOARD_FAULT unknown kind": {"QRELBOARD_FAULT": "job-taken:explode"},
    "OAUTH_CLIENT_SECRET": {"OAUTH_CLIENT_ID": "us", "OAUTH_CLIENT_SECRET": "short"},
    "OPENID_PROVIDER_URL": {
        "OAUTH_CLIENT_ID": "us",
        "OAUTH_CLIENT_SECRET": "s" * 32,
        "OPENID_PROVIDER_URL": "http://x",
    },
    "QRELBOARD_DEV_ACCOUNT": {"QRELBOARD_DEV_ACCOUNT": "a b"},
    "QRELBOARD_DEV_ACCOUNT in production": {"QRELBOARD_DEV_ACCOUNT": "me", "QRELBOARD_MODE": "production"},
    "QRELBOARD_FAULT in production": {"QRELBOARD_FAULT": "job-taken:kill", "QRELBOARD_MODE": "production"},
    "QRELBOARD_JOB_SECONDS": {"QRELBOARD_JOB_SECONDS": "0"},
    "QRELBOARD_MAX_UPLOAD": {"QRELBOARD_MAX_UPLOAD": "1e9"},
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_setting_is_refused_by_name(tmp_path: Path, case: str) -> None:
    with pytest.raises(SettingRefused) as refusal:
        settings(tmp_path, **REFUSED[case])

    assert refusal.value.name == case.split()[0]
    assert str(refusal.value).startswith(f"{case.split()[0]}: ")


def test_faults_by_commas_with_subjects_are_taken_outside_production(tmp_path: Path) -> None:
    faults = "job-taken:kill-once,run-read:hang:abc"

    assert settings(tmp_path, QRELBOARD_FAULT=faults).fault == faults


@pytest.mark.parametrize("mode", ["local", "production"])
def test_data_under_the_working_folder_are_refused(tmp_path: Path, mode: str) -> None:
    with pytest.raises(SettingRefused, match="QRELBOARD_DATA"):
        settings(tmp_path, QRELBOARD_DATA=str(tmp_path / "here" / "data"), QRELBOARD_MODE=mode)


def test_link_into_the_working_folder_does_not_help(tmp_path: Path) -> None:
    (tmp_path / "here" / "data").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "here" / "data")

    with pytest.raises(SettingRefused, match="QRELBOARD_DATA"):
        settings(tmp_path, QRELBOARD_DATA=str(tmp_path / "link"))


class TestProduction:
    def test_data_under_the_temp_folder_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SettingRefused, match="QRELBOARD_DATA"):
            settings(tmp_path, QRELBOARD_DATA=str(tmp_path / "temp" / "data"), QRELBOARD_MODE="production")

    @pytest.mark.parametrize("place", ["here", "temp"])
    def test_gold_under_working_or_temp_folder_is_refused(self, tmp_path: Path, place: str) -> None:
        with pytest.raises(SettingRefused, match="GOLD_SOURCE"):
            settings(tmp_path, "worker", GOLD_SOURCE=str(tmp_path / place / "gold"), QRELBOARD_MODE="production")

    @pytest.mark.parametrize("bits", [0o755, 0o750, 0o704])
    def test_gold_that_others_can_read_is_refused(self, tmp_path: Path, bits: int) -> None:
        gold = tmp_path / "gold"
        gold.mkdir()
        gold.chmod(bits)

        with pytest.raises(SettingRefused, match="chmod 700"):
            settings(tmp_path, "worker", GOLD_SOURCE=str(gold), QRELBOARD_MODE="production")

    def test_closed_gold_folder_is_taken(self, tmp_path: Path) -> None:
        gold = tmp_path / "gold"
        gold.mkdir(mode=0o700)

        assert settings(tmp_path, "worker", GOLD_SOURCE=str(gold), QRELBOARD_MODE="production").gold_folder == gold

    @pytest.mark.parametrize("name", ["GOLD_TOKEN", "GOLD_SOURCE", "ARCHIVE_TOKEN"])
    def test_web_process_that_was_given_secrets_refuses_to_start(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(SettingRefused, match=name):
            settings(tmp_path, "web", QRELBOARD_MODE="production", **{name: "x"})


class TestWhoKnowsWhat:
    def test_only_the_worker_has_the_token(self, tmp_path: Path) -> None:
        tokens = {role: settings(tmp_path, role, GOLD_TOKEN="hf_x").gold_token for role in ("app", "web", "worker")}

        assert tokens == {"app": None, "web": None, "worker": "hf_x"}

    def test_only_the_worker_knows_the_archive(self, tmp_path: Path) -> None:
        archive = {"ARCHIVE_URL": "hf://datasets/org/archive", "ARCHIVE_TOKEN": "hf_x"}
        found = {role: settings(tmp_path, role, **archive) for role in ("app", "web", "worker")}

        assert {role: (one.archive_url, one.archive_token) for role, one in found.items()} == {
            "app": (None, None),
            "web": (None, None),
            "worker": ("hf://datasets/org/archive", "hf_x"),
        }

    def test_web_process_does_not_know_the_place_of_the_gold(self, tmp_path: Path) -> None:
        found = settings(tmp_path, "web", **SECRETS)

        assert (found.gold_source, found.gold_revision) == (None, None)

    def test_environment_of_the_web_process_holds_no_secret(self) -> None:
        env = {"PATH": "/bin", "PORT": "1", "QRELBOARD_DATA": "/d", "OAUTH_CLIENT_SECRET": "cookie", **SECRETS}

        assert sorted(child_env(env, "web")) == ["OAUTH_CLIENT_SECRET", "PATH", "PORT", "QRELBOARD_DATA"]

    def test_worker_gets_the_gold_and_not_the_login(self) -> None:
        env = {"PATH": "/bin", "OAUTH_CLIENT_SECRET": "cookie", **SECRETS}

        assert set(env) - set(child_env(env, "worker")) == {"OAUTH_CLIENT_SECRET"}

    def test_worker_computes_with_one_thread_unless_the_host_says_otherwise(self) -> None:
        assert child_env({}, "worker")["OPENBLAS_NUM_THREADS"] == "1"
        assert child_env({"OPENBLAS_NUM_THREADS": "4"}, "worker")["OPENBLAS_NUM_THREADS"] == "4"


def test_folders_are_made_and_the_vault_is_closed(tmp_path: Path) -> None:
    found = settings(tmp_path, "worker")

    found.make_folders()
    found.make_folders()

    closed = [found.data_folder, *(found.data_folder / name for name in ("vault", "gold", "runs"))]
    assert [folder.stat().st_mode & 0o777 for folder in closed] == [0o700] * 4
    assert found.public_folder.is_dir()
    assert found.temp_folder.is_dir()


def test_web_process_makes_no_vault(tmp_path: Path) -> None:
    found = settings(tmp_path, "web")

    found.make_folders()

    assert not found.vault_folder.exists()


class TestLogin:
    SPACE = {"OAUTH_CLIENT_ID": "us", "OAUTH_CLIENT_SECRET": "s" * 32}  # noqa: RUF012

    def test_login_is_where_both_settings_are_and_never_in_a_worker(self, tmp_path: Path) -> None:
        found = settings(tmp_path, "web", **self.SPACE).login

        assert found is not None
        assert (found.client_id, found.provider_url, found.scopes) == ("us", "https://huggingface.co", "openid profile")
        assert "ssss" not in repr(found)
        assert settings(tmp_path, "worker", **self.SPACE).login is None

    @pytest.mark.parametrize("missing", ["OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET"])
    def test_half_a_login_is_none(self, tmp_path: Path, missing: str) -> None:
        for mode in ("local", "production"):
            assert settings(tmp_path, "web", QRELBOARD_MODE=mode, **{**self.SPACE, missing: ""}).login is None

    def test_hosts_are_named_by_their_subjects(self, tmp_path: Path) -> None:
        found = settings(tmp_path, QRELBOARD_HOST_ACCOUNTS="64f0, 65a1\n66b2 ")

        assert found.host_accounts == {"64f0", "65a1", "66b2"}
