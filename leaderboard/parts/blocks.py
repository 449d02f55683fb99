"""Finished HTML that pages share: header, footer, page head, badges, notices, plain tables. Every value is escaped."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from urllib.parse import urlsplit

from leaderboard.texts import LANGUAGES, Texts

_DRAWN = (
    'aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" '
    'stroke-linecap="round" stroke-linejoin="round"'
)
_MARK = (
    f'<svg viewBox="0 0 24 24" {_DRAWN}>'
    '<path d="M9 5h12M4 12h12M3 19h8"/><g fill="var(--q-accent)" stroke="none">'
    '<circle cx="16" cy="5" r="3.2"/><circle cx="10" cy="12" r="3.2"/><circle cx="6" cy="19" r="3.2"/></g></svg>'
)
_SUN = (
    f'<svg class="q-sun" viewBox="0 0 24 24" {_DRAWN}><circle cx="12" cy="12" r="4"/>'
    '<path d="M12 3v1M12 20v1M3 12h1M20 12h1M5.6 5.6l.7.7M17.7 17.7l.7.7M5.6 18.4l.7-.7M17.7 6.3l.7-.7"/></svg>'
)
_MOON = (
    f'<svg class="q-moon" viewBox="0 0 24 24" {_DRAWN}>'
    '<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z"/></svg>'
)


def header(
    words: Texts, *, links: Mapping[str, str], current: str, languages: Mapping[str, str], account: str = ""
) -> str:
    """Return the bar at the top of every page.

    Args:
        words: the reader's language.
        links: address of each place, by key: `home`, `submit`, `about`.
        current: the key of the place that the page belongs to.
        languages: address of this same view in each language.
        account: finished HTML of the login, or of who is logged in.
    """
    places = "".join(
        f'<a href="{escape(links[key])}"{here(key == current)}>{escape(words.get(f"common.nav_{key}"))}</a>'
        for key in ("home", "submit", "about")
    )
    tongues = "".join(
        f'<li><a href="{escape(languages[lang])}" lang="{lang}" hreflang="{lang}" data-q-lang="{lang}"'
        f"{here(lang == words.lang, 'true')}>{escape(name)}</a></li>"
        for lang, name in LANGUAGES.items()
    )
    skip, name, nav, language, theme = (
        escape(words.get(f"common.{key}")) for key in ("skip", "name", "nav", "language", "theme")
    )
    return (
        f'<a class="q-skip" href="{escape(languages[words.lang])}#q-main">{skip}</a>'
        '<header class="q-top"><div class="q-wrap">'
        f'<a class="q-name" href="{escape(links["home"])}">{_MARK}{name}</a>'
        f'<nav class="q-nav" aria-label="{nav}">{places}</nav>'
        + (f'<div class="q-account">{account}</div>' if account else "")
        + f'<div class="q-switches"><ul class="q-langs" aria-label="{language}">{tongues}</ul>'
        f'<button class="q-theme" type="button" data-q-theme title="{theme}" aria-label="{theme}">'
        f"{_SUN}{_MOON}</button>"
        "</div></div></header>"
    )


def login_button(words: Texts, href: str) -> str:
    """Return the button that leads to the login; a script opens it outside of any frame, where no cookie would last."""
    label = escape(words.get("account.log_in"))
    return f'<a class="q-button q-login" data-q-login href="{escape(href)}">{label}</a>'


def footer(words: Texts, *, version: str, links: Mapping[str, str]) -> str:
    """Return the foot of every page: version, gold policy, licence, and `links`: address by `common` text key."""
    nav = "".join(f'<a href="{escape(href)}">{escape(words.get(f"common.{key}"))}</a>' for key, href in links.items())
    return (
        f'<footer class="q-foot"><div class="q-wrap"><p>{escape(words.get("common.name"))} {escape(version)}. '
        f"{escape(words.get('common.gold_policy'))} {escape(words.get('common.licence'))}</p>"
        f'<nav aria-label="{escape(words.get("common.more"))}">{nav}</nav></div></footer>'
    )


def intro(title: str, lead: str = "", *, actions: str = "", facts: Iterable[str] = (), above: str = "") -> str:
    """Return the head of a page: its one `<h1>`, a sentence, buttons and a line of facts.

    Args:
        title: plain text.
        lead: plain text.
        actions: finished HTML, from `button`.
        facts: finished HTML of each fact.
        above: finished HTML over the title, a badge for instance.
    """
    told = "".join(f"<li>{fact}</li>" for fact in facts)
    return (
        f'<section class="q-intro q-wrap" aria-label="{escape(title)}"><div class="q-intro-row"><div>'
        f"{above}<h1>{escape(title)}</h1>"
        + (f'<p class="q-lead">{escape(lead)}</p>' if lead else "")
        + "</div>"
        + (f'<div class="q-actions">{actions}</div>' if actions else "")
        + "</div>"
        + (f'<ul class="q-facts">{told}</ul>' if told else "")
        + "</section>"
    )


def button(label: str, href: str, *, is_primary: bool = False) -> str:
    """Return a link that looks like a button."""
    return f'<a class="q-button{" is-primary" if is_primary else ""}" href="{escape(href)}">{escape(label)}</a>'


def badge(label: str, *, is_strong: bool = False, title: str = "") -> str:
    """Return a short word on a quiet ground."""
    hint = f' title="{escape(title)}"' if title else ""
    return f'<span class="q-badge{" is-strong" if is_strong else ""}"{hint}>{escape(label)}</span>'


def notice(text: str, *, kind: str = "", is_announced: bool = False) -> str:
    """Return a framed sentence. `kind` is empty, `error` or `success`; an announced one is read out on appearing."""
    role = (' role="alert"' if kind == "error" else ' role="status"') if is_announced else ""
    return f'<div class="q-notice{f" is-{kind}" if kind else ""}"{role}><p>{escape(text)}</p></div>'


def empty(text: str, actions: str = "") -> str:
    """Return the box where there is nothing yet: what is missing, and `actions` (finished HTML): what one can do."""
    return f'<div class="q-empty"><p>{escape(text)}</p>{actions}</div>'


def block(content: str) -> str:
    """Wrap finished HTML so that headings, lists and tables inside get the page's styles."""
    return f'<div class="q-block">{content}</div>'


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str,
    numbers: Collection[int] = (),
) -> str:
    """Return a plain table inside its own scroll box; the first cell of a row is its heading.

    Args:
        head: plain text of the column headings.
        rows: finished HTML of the cells: escape text that came from a user.
        caption: plain text.
        numbers: places of the columns that hold numbers.
    """

    def cell(place: int, content: str) -> str:
        kind = ' class="is-number"' if place in numbers else ""
        return f'<th scope="row"{kind}>{content}</th>' if place == 0 else f"<td{kind}>{content}</td>"

    heads = "".join(
        f'<th scope="col"{" class=is-number" if place in numbers else ""}>{escape(name)}</th>'
        for place, name in enumerate(head)
    )
    body = "".join("<tr>" + "".join(cell(i, content) for i, content in enumerate(row)) + "</tr>" for row in rows)
    return (
        f'<div class="q-scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="q-table">'
        f"<caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def outside_link(href: str, label: str = "") -> str:
    """Return a link to another site with its host shown, or the plain text where the address is not https."""
    parts = urlsplit(href)
    if parts.scheme != "https" or not parts.hostname or parts.username or parts.password:
        return escape(label or href)
    shown = f"{escape(label)} ({escape(parts.hostname)})" if label else escape(parts.hostname + parts.path.rstrip("/"))
    return f'<a href="{escape(href)}" rel="nofollow noopener" target="_blank">{shown}</a>'


def copy_box(content: str, words: Texts) -> str:
    """Return preformatted text with a button that copies it."""
    return (
        f'<div class="q-copy"><pre tabindex="0">{escape(content)}</pre>'
        f'<button class="q-button" type="button" data-q-copy '
        f'data-q-done="{escape(words.get("common.copied"))}">{escape(words.get("common.copy"))}</button></div>'
    )


def here(is_current: bool, kind: str = "page") -> str:
    """Return the attribute of a link to where the reader is; "" otherwise."""
    return f' aria-current="{kind}"' if is_current else ""
