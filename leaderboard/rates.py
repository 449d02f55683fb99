"""How often one address may ask for work: token buckets in bounded memory, and whose address a request has.

Reads cost nothing here: what is cached is for everybody. Nothing is kept of an address but how much it asked for.
"""

import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MOST_ADDRESSES = 20_000
API = "/gradio_api/"
# under this name a request holds the address whose run is not counted yet, where it may be one
UNCOUNTED = "qrelboard.uncounted"
# and under this one the address itself, where addresses are limited
SENDER = "qrelboard.sender"


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and so many a second in the long run."""

    burst: int
    per_s: float


# A page starts an event with each key that is pressed; a check or an upload is a file that somebody chose.
RATES: Mapping[str, Rate] = {
    "upload": Rate(30, 0.5),
    "run": Rate(30, 0.5),
    "event": Rate(300, 10.0),
    "login": Rate(20, 0.2),  # on the way back from a login we ask the provider, which limits how often
    "question": Rate(10, 0.2),  # of a comparison that nobody asked for yet: a fifth of those that may wait
}


class Rates:
    """Counts what each address asks for, by kind. Addresses that were longest silent are forgotten first.

    `n_proxies` is how many proxies of the host stand before us: only they are believed about the address.
    """

    def __init__(
        self,
        n_proxies: int = 0,
        *,
        rates: Mapping[str, Rate] = RATES,
        most: int = MOST_ADDRESSES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.n_proxies = n_proxies
        self._rates = rates
        self._most = most
        self._clock = clock
        self._left: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait_s(self, kind: str, address: str) -> int:
        """Take one from an address's share; return 0, or the seconds after which there is one again."""
        rate, now = self._rates[kind], self._clock()
        with self._lock:
            left, then = self._left.pop((kind, address), (float(rate.burst), now))
            left = min(float(rate.burst), left + (now - then) * rate.per_s)
            is_enough = left >= 1
            self._left[kind, address] = (left - is_enough, now)
            while len(self._left) > self._most:
                self._left.popitem(last=False)
        return 0 if is_enough else max(1, math.ceil((1 - left) / rate.per_s))

    def address(self, peer: str, forwarded_for: str) -> str:
        """Return whose share counts: of the addresses that a request names, the last that a proxy of ours wrote.

        Of IPv6 the first 64 bits count, which is what one customer has.
        """
        names = [name.strip() for name in forwarded_for.split(",") if name.strip()]
        found = peer
        if self.n_proxies and names:
            found = names[-min(self.n_proxies, len(names))]
        try:
            parsed = ipaddress.ip_address(found)
        except ValueError:
            return peer
        if parsed.version == 6:
            mapped = parsed.ipv4_mapped
            return str(mapped) if mapped else str(ipaddress.ip_network((parsed, 64), strict=False))
        return str(parsed)


def kind_of(method: str, path: str) -> str | None:
    """Return what a request asks for: a kind of RATES, or None for what costs nothing."""
    if path == "/login/callback":
        return "login"
    if method != "POST" or not path.startswith(API):
        return None
    parts = path.removeprefix(API).strip("/").split("/")
    if parts[0] == "upload":
        return "upload"
    return "run" if parts[-1] in ("check", "submit") else "event"
