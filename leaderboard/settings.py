"""Read the environment into one frozen `Settings`; refuse what is malformed or unsafe, by name, before anything starts.

This module imports nothing of ours, so that the front door stays small. It holds no secret that its role must not have.
"""

import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import platformdirs

Role = Literal["app", "web", "worker"]
Mode = Literal["local", "production"]

FAULT_KINDS = ("kill", "kill-once", "error", "hang", "hang-once", "memory")
SHIPPED_TASKS = Path(__file__).resolve().parent.parent / "data" / "tasks"

HUGGING_FACE = "https://huggingface.co"
SHORTEST_SECRET = 16

MIB = 1 << 20
GIB = 1 << 30

# What a process that serves strangers may know: an allow-list, so that a new secret stays out without anyone's care.
_WEB_NAMES = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT"),
        *("VIRTUAL_ENV", "LD_LIBRARY_PATH", "XDG_DATA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR"),
        *("PORT", "DATABASE_URL", "RUN_STORE_URL", "HF_ENDPOINT", "HF_HUB_DISABLE_TELEMETRY", "HF_HUB_OFFLINE"),
        *("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL"),
    )
)
_WEB_PREFIXES = ("LC_", "PYTHON", "QRELBOARD_", "SPACE_", "GRADIO_", "NUMBA_", "COVERAGE_")
# A worker scores files of strangers and talks to no browser: it does not need the login's secret.
_NOT_FOR_WORKER = frozenset(("OAUTH_CLIENT_SECRET",))
# Two threads of linear algebra wait for each other in a loop: measured, where others use the cores the worker's
# intervals take four times as long with two as with one, and four times the processor time.
_FOR_WORKER = {"OPENBLAS_NUM_THREADS": "1"}


class SettingRefused(ValueError):
    """A setting is malformed or unsafe; `name` is the environment variable to change."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
        self.name = name


@dataclass(frozen=True, slots=True)
class Login:
    """Where people log in: a site that speaks OpenID Connect, which Hugging Face is, and what it knows us by."""

    client_id: str
    client_secret: str = field(repr=False)
    scopes: str
    provider_url: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What one process was told. The `gold_*` and `archive_*` addresses and tokens are empty in the web process.

    `archive_pause_s` seconds lie between two writes to the archive: 60 make at most 60 commits an hour. `login` is None
    where nobody can log in, and in every worker; `dev_account` is the name of the one account that development has in
    its place. `host_accounts` are the subject ids of those who may decide: a name can be changed, an id cannot.
    """

    role: Role
    mode: Mode
    port: int
    data_folder: Path
    n_workers: int
    hosts: tuple[str, ...]
    database_url: str
    run_store_url: str
    gold_source: str | None
    gold_revision: str | None
    gold_token: str | None
    gold_salt: str | None
    archive_url: str | None
    archive_token: str | None
    archive_pause_s: int
    task_folders: tuple[Path, ...]
    fault: str | None
    max_upload_bytes: int
    max_unpacked_bytes: int
    upload_room_bytes: int
    n_proxies: int
    has_address_limits: bool
    has_quota: bool
    job_seconds: int
    job_memory_bytes: int
    login: Login | None
    dev_account: str | None
    host_accounts: frozenset[str]

    @classmethod
    def from_env(
        cls,
        env: Mapping[str, str],
        role: Role,
        *,
        working_folder: Path | None = None,
        temp_folder: Path | None = None,
    ) -> "Settings":
        """Build the settings of one process; `env` is the whole environment, the folders default to the process's own.

        Raises SettingRefused with the variable's name if a value is malformed, or unsafe in this mode.
        """
        has_gold, mode = role != "web", _mode(env)
        max_upload_bytes = _number(env, "QRELBOARD_MAX_UPLOAD", 256 * MIB, 1, 64 * GIB)
        data_folder = _folder(env, "QRELBOARD_DATA") or Path(platformdirs.user_data_path("qrelboard"))
        settings = cls(
            role=role,
            mode=mode,
            port=_number(env, "PORT", 7860, 0, 65_535),
            data_folder=data_folder,
            n_workers=_number(env, "QRELBOARD_WORKERS", 1, 0, 64),
            hosts=tuple(name.strip() for name in env.get("QRELBOARD_HOSTS", "").split(",") if name.strip()),
            database_url=_database_url(env, data_folder),
            run_store_url=env.get("RUN_STORE_URL") or (data_folder / "runs").as_uri(),
            gold_source=(env.get("GOLD_SOURCE") or None) if has_gold else None,
            gold_revision=(env.get("GOLD_REVISION") or None) if has_gold else None,
            gold_token=(env.get("GOLD_TOKEN") or None) if role == "worker" else None,
            gold_salt=(env.get("GOLD_SALT", "").strip() or None) if role == "worker" else None,
            archive_url=(env.get("ARCHIVE_URL", "").strip() or None) if role == "worker" else None,
            archive_token=(env.get("ARCHIVE_TOKEN") or None) if role == "worker" else None,
            archive_pause_s=_number(env, "QRELBOARD_ARCHIVE_PAUSE", 60, 0, 86_400),
            task_folders=_task_folders(env, data_folder),
            fault=_fault(env),
            max_upload_bytes=max_upload_bytes,
            max_unpacked_bytes=_number(env, "QRELBOARD_MAX_UNPACKED", 2 * GIB, 1, 64 * GIB),
            upload_room_bytes=max(2 * max_upload_bytes, _number(env, "QRELBOARD_UPLOAD_ROOM", 2 * GIB, 1, 1024 * GIB)),
            n_proxies=_number(env, "QRELBOARD_PROXIES", 1 if env.get("SPACE_ID") else 0, 0, 10),
            # without strangers, as on one's own machine, there is nobody to limit
            has_address_limits=bool(_number(env, "QRELBOARD_ADDRESS_LIMITS", int(mode == "production"), 0, 1)),
            has_quota=bool(_number(env, "QRELBOARD_QUOTA", 1, 0, 1)),
            job_seconds=_number(env, "QRELBOARD_JOB_SECONDS", 600, 1, 86_400),
            job_memory_bytes=_number(env, "QRELBOARD_JOB_MEMORY", 4 * GIB, 64 * MIB, 1024 * GIB),
            login=None if role == "worker" else _login(env),
            dev_account=_subject(env, "QRELBOARD_DEV_ACCOUNT") or None,
            host_accounts=frozenset(filter(None, re.split(r"[,\s]+", env.get("QRELBOARD_HOST_ACCOUNTS", "")))),
        )
        settings._refuse_unsafe(env, working_folder or Path.cwd(), temp_folder or Path(tempfile.gettempdir()))
        return settings

    @property
    def is_production(self) -> bool:
        """True where strangers are served: unsafe settings are refused and fault points are shut."""
        return self.mode == "production"

    @property
    def server_address(self) -> str:
        """The address to listen on: strangers reach us in production only."""
        return "0.0.0.0" if self.is_production else "127.0.0.1"

    @property
    def is_sqlite(self) -> bool:
        """True if books and queue are files in the data folder."""
        return self.database_url.startswith("sqlite")

    @property
    def jobs_url(self) -> str:
        """The queue's database: a file of its own beside the books on SQLite, the same database on PostgreSQL."""
        return f"sqlite:///{self.data_folder / 'jobs.sqlite'}" if self.is_sqlite else self.database_url

    @property
    def vault_folder(self) -> Path:
        """The worker's own folder: sample gold and scores per topic."""
        return self.data_folder / "vault"

    @property
    def gold_folder(self) -> Path | None:
        """The folder of gold packages, `<data>/gold` by default; None where gold comes from the Hub."""
        if self.gold_source is None:
            return self.data_folder / "gold"
        return None if "://" in self.gold_source else Path(self.gold_source)

    @property
    def topic_scores_folder(self) -> Path:
        """Scores by topic on open gold, one file a submission, each for the holder of its key alone."""
        return self.data_folder / "topic-scores"

    @property
    def public_folder(self) -> Path:
        """Public files of tasks on sample gold: `<task>/topics.txt`, `<task>/example.run`."""
        return self.data_folder / "public"

    @property
    def temp_folder(self) -> Path:
        """Where Gradio keeps uploads until we took them."""
        return self.data_folder / "tmp"

    def make_folders(self) -> None:
        """Create the data folder, closed to other users, and what is in it; vault and gold are closed in any case."""
        self.data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(OSError):  # one that was there may belong to somebody else
            self.data_folder.chmod(0o700)
        for folder in (self.public_folder, self.temp_folder, self.data_folder / "tasks"):
            folder.mkdir(exist_ok=True)
        private = [self.data_folder / "runs", self.topic_scores_folder]
        if self.role != "web":
            private += [self.vault_folder, self.data_folder / "gold"]
        for folder in private:
            folder.mkdir(mode=0o700, exist_ok=True)
            folder.chmod(0o700)

    def _refuse_unsafe(self, env: Mapping[str, str], working_folder: Path, temp_folder: Path) -> None:
        if _is_within(self.data_folder, working_folder):
            raise SettingRefused(
                "QRELBOARD_DATA",
                f"{self.data_folder} lies under the working folder, which the web server can hand out; "
                "choose a folder elsewhere or start from another one",
            )
        if not self.is_production:
            return
        if self.fault:
            raise SettingRefused("QRELBOARD_FAULT", "fault points are for tests and refused in production; unset it")
        if self.dev_account:
            raise SettingRefused("QRELBOARD_DEV_ACCOUNT", "would log every visitor in without a proof; unset it")
        if _is_within(self.data_folder, temp_folder):
            raise SettingRefused("QRELBOARD_DATA", f"{self.data_folder} lies under the temp folder; choose another")
        if self.role == "web":
            given = sorted(name for name in env if name.startswith("GOLD_") or name == "ARCHIVE_TOKEN")
            if given:
                raise SettingRefused(given[0], "the web process must not know this; start it without")
        elif self.gold_folder is not None:
            _refuse_readable_gold(self.gold_folder, working_folder, temp_folder)


def child_env(env: Mapping[str, str], role: Role) -> dict[str, str]:
    """Return the environment that a child of this role may have; the web process gets an allow-list without secrets."""
    if role == "web":
        return {k: v for k, v in env.items() if k in _WEB_NAMES or k.startswith(_WEB_PREFIXES)}
    if role == "worker":
        return {**_FOR_WORKER, **{k: v for k, v in env.items() if k not in _NOT_FOR_WORKER}}
    return dict(env)


def _mode(env: Mapping[str, str]) -> Mode:
    is_space = bool(env.get("SPACE_ID"))
    mode = env.get("QRELBOARD_MODE") or ("production" if is_space else "local")
    if mode == "production":
        return "production"
    if mode != "local":
        raise SettingRefused("QRELBOARD_MODE", f"found {mode[:80]!r}, expected local or production")
    if is_space:
        raise SettingRefused("QRELBOARD_MODE", "a Space serves strangers and runs in production only; unset it")
    return "local"


def _number(env: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = env.get(name, "").strip()
    if not text:
        return default
    if not re.fullmatch(r"[0-9]{1,15}", text) or not low <= int(text) <= high:
        raise SettingRefused(name, f"found {text[:80]!r}, expected a whole number from {low} to {high}")
    return int(text)


def _folder(env: Mapping[str, str], name: str) -> Path | None:
    text = env.get(name, "").strip()
    if not text:
        return None
    folder = Path(text).expanduser()
    if not folder.is_absolute():
        raise SettingRefused(name, f"found {text[:80]!r}, expected an absolute path")
    return folder


def _database_url(env: Mapping[str, str], data_folder: Path) -> str:
    """Return an SQLAlchemy URL; both spellings of PostgreSQL get the driver that we ship."""
    url = env.get("DATABASE_URL", "").strip()
    if not url:
        return f"sqlite:///{data_folder / 'books.sqlite'}"
    scheme, _, rest = url.partition("://")
    if scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        return f"postgresql+psycopg://{rest}"
    if scheme == "sqlite" and rest.startswith("//"):
        return url
    raise SettingRefused(
        "DATABASE_URL", f"found scheme {scheme[:40]!r}, expected postgresql://… or sqlite:////absolute/path"
    )


def _task_folders(env: Mapping[str, str], data_folder: Path) -> tuple[Path, ...]:
    extra = tuple(Path(part).expanduser() for part in env.get("QRELBOARD_TASKS", "").split(os.pathsep) if part.strip())
    for folder in extra:
        if not folder.is_dir():
            raise SettingRefused("QRELBOARD_TASKS", f"{folder} is not a folder")
    return (SHIPPED_TASKS, data_folder / "tasks", *extra)


def _login(env: Mapping[str, str]) -> Login | None:
    """Return the login where both of its settings are there; without them there is none, and never a mock of one."""
    client_id, secret = env.get("OAUTH_CLIENT_ID", "").strip(), env.get("OAUTH_CLIENT_SECRET", "").strip()
    if not client_id or not secret:
        return None
    if len(secret) < SHORTEST_SECRET:
        raise SettingRefused("OAUTH_CLIENT_SECRET", f"is shorter than {SHORTEST_SECRET} characters and can be guessed")
    provider_url = (env.get("OPENID_PROVIDER_URL", "").strip() or HUGGING_FACE).rstrip("/")
    parts = urlsplit(provider_url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost")):
        raise SettingRefused("OPENID_PROVIDER_URL", f"found {provider_url[:80]!r}, expected an https address")
    return Login(client_id, secret, env.get("OAUTH_SCOPES", "").strip() or "openid profile", provider_url)


def _subject(env: Mapping[str, str], name: str) -> str:
    text = env.get(name, "").strip()
    if text and not re.fullmatch(r"[A-Za-z0-9._-]{1,40}", text):
        raise SettingRefused(name, f"found {text[:80]!r}, expected at most 40 letters, digits and ._-")
    return text


def _fault(env: Mapping[str, str]) -> str | None:
    text = env.get("QRELBOARD_FAULT", "").strip()
    for fault in filter(None, text.split(",")):
        if not re.fullmatch(rf"\s*[^:]+:({'|'.join(FAULT_KINDS)})(:.*)?", fault):
            kinds = ", ".join(FAULT_KINDS)
            raise SettingRefused(
                "QRELBOARD_FAULT", f"found {fault[:80]!r}, expected <step>:<kind>[:<subject>] with a kind of {kinds}"
            )
    return text or None


def _refuse_readable_gold(folder: Path, working_folder: Path, temp_folder: Path) -> None:
    for place, words in ((working_folder, "working"), (temp_folder, "temp")):
        if _is_within(folder, place):
            raise SettingRefused("GOLD_SOURCE", f"the gold folder lies under the {words} folder; move it")
    if folder.is_dir() and folder.stat().st_mode & 0o077:
        raise SettingRefused("GOLD_SOURCE", "the gold folder is open to other users of this machine; chmod 700 it")


def _is_within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
