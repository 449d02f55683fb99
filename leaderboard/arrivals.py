"""Tasks that come while the app is open: a folder that a host puts beside the others is a task, without a restart.

The web process and each worker look by themselves, so nobody needs to tell them. No gold is opened here.
"""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from data.cards import Catalogue, load_card, load_tasks, task_folders
from data.task import Task
from evaluation import CardError

QUIET_S = 2.0  # a folder that changed more recently is perhaps still being copied


class Arrivals:
    """The catalogue of a process, and what comes to it. Safe to share between threads.

    A card that cannot be used keeps its own task out and nothing else; it is looked at again when its folder changes.

    Args:
        folders: where task folders are.
        say: told once of each card that cannot be used.
        clock: seconds of the clock that file systems use.
    """

    def __init__(
        self, folders: Sequence[Path], say: Callable[[str], None], *, clock: Callable[[], float] = time.time
    ) -> None:
        self._folders = folders
        self._say = say
        self._clock = clock
        self._lock = threading.Lock()
        tasks, refused = load_tasks(folders)
        self.catalogue = Catalogue(tasks)
        self._known = {task.folder for task in tasks}
        self._refused = {one.folder: changed_at(one.folder) for one in refused}
        for one in refused:
            self._refuse(one.error)

    def look(self) -> list[Task]:
        """Add the tasks that came since the last look to the catalogue, and return them."""
        with self._lock:
            return [task for folder in self._folders for one in task_folders(folder) if (task := self._take(one))]

    def _take(self, folder: Path) -> Task | None:
        if folder in self._known:
            return None
        changed = changed_at(folder)
        if self._clock() - changed < QUIET_S or self._refused.get(folder) == changed:
            return None
        self._refused[folder] = changed
        try:
            task = load_card(folder)
        except CardError as error:
            self._refuse(error)
            return None
        if task.id in self.catalogue:
            self._say(f"{folder} is left out: {self.catalogue[task.id].folder} is a task of the same name; rename one")
            return None
        self._known.add(folder)
        self.catalogue.add(task)
        return task

    def _refuse(self, error: CardError) -> None:
        for line in str(error).splitlines():
            self._say(f"task left out: {line}")


def changed_at(folder: Path) -> float:
    """Return when a folder or a file in it changed last, whatever date its copy claims; 0 where it cannot be seen."""
    try:
        return max(path.stat().st_ctime for path in (folder, *folder.iterdir()))
    except OSError:
        return 0.0


def is_quiet(folder: Path, now: float) -> bool:
    """Return whether nothing in a folder changed lately, so that what is there is there as a whole."""
    return now - changed_at(folder) >= QUIET_S
