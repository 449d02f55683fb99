"""Numbers, scores, dates, sizes and spans of time as English, French and Chinese readers write them."""

from datetime import UTC, datetime

NARROW = "\u202f"
MISSING = "—"
_UNITS = {"en": ("B", "kB", "MB", "GB"), "fr": ("o", "ko", "Mo", "Go"), "zh": ("B", "kB", "MB", "GB")}


def format_number(value: float, lang: str, digits: int = 0) -> str:
    """Write a number with separated thousands and a fixed number of decimals."""
    plain = f"{value:,.{digits}f}"
    if lang == "fr":
        return plain.replace(",", NARROW).replace(".", ",")
    return plain


def format_ordinal(value: int, lang: str) -> str:
    """Write a place: 3rd, 3e, 第 3 名."""
    if lang == "zh":
        return f"第 {value} 名"
    if lang == "fr":
        return f"{value}{'er' if value == 1 else 'e'}"
    ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def format_score(value: float | None, lang: str, digits: int = 3) -> str:
    """Write a score in [0, 1]; a missing one is an em dash."""
    return MISSING if value is None else format_number(value, lang, digits)


def format_date(moment: datetime, lang: str) -> str:
    """Write the day of a moment, in UTC, in the same short form everywhere: 2026-11-30."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d")


def format_moment(moment: datetime, lang: str) -> str:
    """Write day and minute of a moment in UTC: 2026-11-30 14:05 UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def format_bytes(size: int, lang: str) -> str:
    """Write a size with the largest unit that leaves at least 1, one decimal from kilobytes on below 10."""
    units = _UNITS.get(lang, _UNITS["en"])
    amount, unit = float(size), 0
    while amount >= 1000 and unit < len(units) - 1:
        amount, unit = amount / 1000, unit + 1
    digits = 1 if unit and amount < 10 else 0
    gap = NARROW if lang == "fr" else " "
    return format_number(amount, lang, digits) + gap + units[unit]


def format_params(millions: float | None, lang: str) -> str:
    """Write a number of parameters given in millions: 568 M, 7.1 B; unknown is `n/a`."""
    if millions is None:
        return {"fr": "n.c.", "zh": "未知"}.get(lang, "n/a")
    gap = NARROW if lang == "fr" else " "
    if millions >= 1000:
        unit = {"fr": "Md"}.get(lang, "B")
        return format_number(millions / 1000, lang, 0 if millions >= 100_000 else 1) + gap + unit
    return format_number(millions, lang, 0 if millions >= 10 or millions == int(millions) else 1) + gap + "M"


def format_span(seconds: float, lang: str) -> str:
    """Write a span of time in its two largest units: 40 s, 5 min 12 s, 5 h 12 min."""
    whole = max(0, round(seconds))
    words = {"zh": ("小时", "分钟", "秒")}.get(lang, ("h", "min", "s"))
    gap = {"fr": NARROW, "zh": ""}.get(lang, " ")
    amounts = (whole // 3600, whole % 3600 // 60, whole % 60)
    shown = [f"{amount}{gap}{word}" for amount, word in zip(amounts, words, strict=True) if amount]
    return " ".join(shown[:2]) if shown else f"0{gap}{words[2]}"


def format_gap(value: float, lang: str, digits: int = 3) -> str:
    """Write a difference of scores with its sign: +0.021, −0.003; what rounds to nothing has none."""
    shown = format_number(abs(value), lang, digits)
    if not any(character in "123456789" for character in shown):
        return shown
    return ("+" if value > 0 else "\u2212") + shown
