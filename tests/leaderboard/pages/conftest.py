"""The hall as pages receive it, over real books, with an upload folder of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard import hall as doors
from leaderboard.room import Room
from leaderboard.settings import Settings
from tests.leaderboard.hall import Hall

Upload = Callable[..., str]


@pytest.fixture
def site(hall: Hall, tmp_path: Path) -> doors.Hall:
    """Return what `build` gets, in front of the same books as `hall`."""
    settings = Settings.from_env(
        {"QRELBOARD_DATA": str(tmp_path / "data")}, "web", working_folder=Path(__file__).parent
    )
    return doors.Hall(
        intake=hall.intake,
        desk=hall.desk,
        board=hall.board,
        settings=settings,
        clock=hall.clock,
        room=Room(tmp_path / "uploads", 1 << 30),
    )


@pytest.fixture
def upload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Upload:
    """Put a file where Gradio puts uploads; returns its path."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder))

    def put(content: bytes, name: str = "my.run") -> str:
        path = folder / name
        path.write_bytes(content)
        return str(path)

    return put
