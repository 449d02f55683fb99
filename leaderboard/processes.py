"""What a child of the supervisor does to itself: end with its parent, stay unreadable, keep within limits.

Nothing here knows what the process is for; it must never learn of books, gold or pages.
"""

import ctypes
import os
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_PR_SET_DUMPABLE = 4  # <linux/prctl.h>
_M_ARENA_MAX = -8  # <malloc.h>


def end_with_parent(end: Callable[[], None] | None = None) -> bool:
    """End this process at once when the other end of its standard input is closed; return whether that is watched.

    The supervisor holds a pipe to each child, so its death, of whatever kind, is an end of file here. A standard input
    that is no pipe (a terminal, or the null device that a service manager gives) is nobody's, and is left alone.
    """
    try:
        is_pipe = stat.S_ISFIFO(os.fstat(0).st_mode)
    except OSError:
        is_pipe = False
    if is_pipe:
        threading.Thread(target=_wait_for_parent, args=(end or _end_now,), name="parent", daemon=True).start()
    return is_pipe


def later(wait_s: float, do: Callable[[], object]) -> None:
    """Do something in a thread of its own after so many seconds, unless this process has ended by then."""
    timer = threading.Timer(wait_s, do)
    timer.daemon = True
    timer.start()


def forbid_dumps() -> bool:
    """Make this process not dumpable, so that a sibling of the same user reads neither its environment nor its memory.

    Returns False where the system has no such switch (anything but Linux).
    """
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0)


def limit(*, memory_bytes: int | None = None, n_files: int | None = None) -> None:
    """Limit this process: address space, open files, and no core files (a core would hold what it had in memory).

    Processes per user are not limited: the system counts those of all siblings together, so such a limit in the worker
    would stop the web process. Where the system knows no such limits, nothing is done.
    """
    if resource is None:
        return
    _lower(resource.RLIMIT_CORE, 0)
    if n_files is not None:
        _lower(resource.RLIMIT_NOFILE, n_files)
    if memory_bytes is not None and sys.platform.startswith("linux"):
        _lower(resource.RLIMIT_AS, memory_bytes)


def share_few_arenas() -> None:
    """Let all threads share two malloc arenas: each reserves 64 MB of address space, which a memory limit counts."""
    if sys.platform.startswith("linux"):
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none, and no arenas either
        if mallopt is not None:
            mallopt(_M_ARENA_MAX, 2)


def address_space_bytes() -> int:
    """Return how much address space this process has now; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _wait_for_parent(end: Callable[[], None]) -> None:
    try:
        while os.read(0, 1024):
            pass
    except OSError:
        pass
    end()


def _end_now() -> None:
    os._exit(0)


def _lower(which: int, most: int) -> None:
    """Set the soft and the hard limit to `most`, or to what was allowed already where that is less."""
    soft, hard = resource.getrlimit(which)
    unlimited = resource.RLIM_INFINITY
    bounds = [bound for bound in (soft, hard, most) if bound != unlimited]
    resource.setrlimit(which, (min(bounds), min(bounds)))
