"""Only what lies in the upload folder is opened, whatever path a caller names."""

import os
from pathlib import Path

import pytest

from leaderboard.pages.uploads import MAX_PASTE, MAX_PLACE, MOST_FILES, UploadRefused, open_upload, own_values
from tests.leaderboard.pages.conftest import Upload


def content(path: str | None, pasted: str = "") -> bytes | None:
    with open_upload(path, pasted) as stream:
        return None if stream is None else stream.read()


def test_upload_is_opened(upload: Upload) -> None:
    assert content(upload(b"a run")) == b"a run"


def test_file_goes_before_pasted_lines(upload: Upload) -> None:
    assert content(upload(b"a run"), "pasted") == b"a run"


def test_pasted_lines_are_bytes_in_utf8(upload: Upload) -> None:
    assert content(None, "é Q0 d 1 1 t") == "é Q0 d 1 1 t".encode()


def test_nothing_is_nothing(upload: Upload) -> None:
    assert content(None, " \n") is None


@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", "../../etc/passwd", "a\0b", "~/.bashrc", "."])
def test_foreign_path_is_refused(upload: Upload, path: str) -> None:
    with pytest.raises(UploadRefused) as refusal:
        content(path)

    assert refusal.value.code == "upload-foreign"


def test_way_out_of_the_folder_is_refused(upload: Upload, tmp_path: Path) -> None:
    inside = Path(upload(b"a run")).parent
    (tmp_path / "books.sqlite").write_bytes(b"secret")
    os.symlink(tmp_path / "books.sqlite", inside / "link.run")

    for path in (inside / ".." / "books.sqlite", inside / "link.run"):
        with pytest.raises(UploadRefused) as refusal:
            content(str(path))
        assert refusal.value.code == "upload-foreign"


def test_upload_that_was_swept_is_named(upload: Upload) -> None:
    path = upload(b"a run")
    Path(path).unlink()

    with pytest.raises(UploadRefused) as refusal:
        content(path)

    assert refusal.value.code == "upload-missing"


def test_too_much_to_paste_is_refused(upload: Upload) -> None:
    with pytest.raises(UploadRefused) as refusal:
        content(None, "x" * (MAX_PASTE + 1))

    assert refusal.value.code == "paste-too-long"


def test_name_that_no_file_can_have_is_missing(upload: Upload) -> None:
    folder = Path(upload(b"a run")).parent

    with pytest.raises(UploadRefused) as refusal:
        content(str(folder / ("x" * 5000)))

    assert refusal.value.code == "upload-missing"


def test_gradio_sees_uploads_and_no_other_file(upload: Upload) -> None:
    mine = {"path": upload(b"a run"), "meta": {"_type": "gradio.FileData"}}
    others = ["https://example.org/x.run", "/etc/passwd", str(Path(mine["path"]).parent), mine["path"] + "x" * 5000, 7]

    values = [{"run": [mine, *({**mine, "path": other} for other in others)]}, "text", 7, None]

    assert own_values(values) == [{"run": [mine, *[None] * len(others)]}, "text", 7, None]


def test_upload_is_known_by_its_place_below_the_folder(upload: Upload) -> None:
    full = upload(b"a run")
    file = {"path": Path(full).name, "meta": {"_type": "gradio.FileData"}}

    assert own_values([file, {**file, "path": "../uploads/" + file["path"]}]) == [
        {**file, "path": full},
        {**file, "path": str(Path(full).parent / "../uploads/my.run")},
    ]
    assert own_values({**file, "path": "../x"}) is None


def test_one_event_looks_for_few_files_and_for_none_at_a_long_place(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    monkeypatch.setattr("leaderboard.pages.uploads._is_upload", lambda path: bool(looks.append(path)))
    file = {"path": "x", "meta": {}}

    assert own_values([[file] * 500, {"a": [file] * 500}]) == [[None] * 500, {"a": [None] * 500}]
    assert len(looks) == MOST_FILES
    assert own_values({**file, "path": "a/" * MAX_PLACE}) is None
    assert len(looks) == MOST_FILES
