"""One page a task: its board, a tab for each breakdown, and what one should know before comparing."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from html import escape
from typing import Any

import gradio as gr
from gradio.components.plot import PlotData

from data.cards import read_about
from data.task import Task, in_language
from leaderboard import history
from leaderboard.changes import with_names
from leaderboard.hall import Hall
from leaderboard.pages.frame import READ, html, mark, on_load, page, visit_of
from leaderboard.parts import blocks, charts, embed_view, explore, history_view, table, task_view
from leaderboard.parts.charts_pairs import draw_pairs
from leaderboard.parts.charts_panels import draw_panels
from leaderboard.parts.charts_plane import draw_progress, draw_sizes
from leaderboard.parts.table import Board, Labels, Links
from leaderboard.texts import Texts, format_date, texts
from leaderboard.visit import HeadOf, Heads, PageHead, Visit

# one entry a language, with and without `?lang=`, for the present revision and the one before
_N_CACHED = 12


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Make a page for every task of the catalogue."""
    pages = [TaskPage(hall, task) for task in hall.board.catalogue.values()]
    return {one.task.id: one.build(demo) for one in pages}


def card_words(hall: Hall, lang: str) -> Mapping[str, str]:
    """Return the words of all cards that stand in marks: the names of the axes, which are tabs."""
    return {
        _axis_mark(task, axis.id): in_language(axis.name, lang)
        for task in hall.board.catalogue.values()
        for axis in task.axes
    }


@dataclass(frozen=True, slots=True)
class Past:
    """Says that a board was asked for by number or day, and whether it is the present one all the same."""

    is_present: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """The text of the board that an address asks for, "" where there is none."""

    body: str
    past: Past | None = None


@dataclass(frozen=True)
class TaskPage:
    """The page of one task: how it is laid out, what its served HTML says, what its blocks hold."""

    hall: Hall
    task: Task

    def build(self, demo: gr.Blocks) -> HeadOf:
        """Lay the page out, fill its blocks once it is open, and return what its served HTML says."""
        cached = lru_cache(maxsize=_N_CACHED)(self.drawn)
        cached_head = lru_cache(maxsize=_N_CACHED)(self.head_for)
        cached_embed = lru_cache(maxsize=_N_CACHED)(self.embed_for)

        def fill(visit: Visit) -> list[Any]:
            seen = self.seen(visit)
            values = (cached if seen.past is None else self.drawn)(visit.lang, visit.asked, seen.body, seen.past)
            if not self.task.has_gold:
                return values
            offer = embed_view.offer(self.task, visit.words, site=visit.site, lang=visit.lang)
            return [self._open_tab(visit), offer, *values]

        def head(visit: Visit) -> PageHead:
            seen = self.seen(visit)
            if visit.is_embed and self.task.has_gold:
                top = embed_view.rows_asked(visit.query.get("top", ""))
                return cached_embed(visit.lang, visit.asked, top, seen.body, seen.past)
            drawn = cached_head(visit.lang, visit.asked, visit.is_embed, seen.body, seen.past, self._family())
            rescoring = self.hall.board.rescoring(self.task.id) if self.task.has_gold and seen.past is None else None
            if rescoring is None or visit.is_embed:
                return drawn
            return replace(drawn, intro=drawn.intro + history_view.rescoring(rescoring, visit.words))

        with page(demo, self.task.id):
            outputs = self._tabs() if self.task.has_gold else [html(elem_id="elsewhere-block"), *_about_blocks()]
            on_load(demo, self.task.id, fill, outputs)
        return head

    def head_for(
        self, lang: str, asked: str | None, is_embed: bool, body: str, past: Past | None, family: tuple[str, ...]
    ) -> PageHead:
        """Say what the served HTML holds: title, sentence, facts, and the first rows for readers without scripts."""
        visit = Visit(path=self.task.id, query={}, lang=lang, asked=asked)
        task, words = self.task, visit.words
        board: Board | None = json.loads(body) if body else None
        labels = task_view.labels_of(task, words)
        members = [self.hall.board.catalogue[task_id] for task_id in family]
        switch = task_view.family_switch(task, members, {one.id: visit.link(one.id) for one in members}, words)
        lead = in_language(task.summary, visit.lang)
        intro = blocks.intro(
            labels.task,
            lead,
            actions=self._actions(visit),
            facts=task_view.fact_line(task, board, labels, words, changes=visit.link("history", task=task.id)),
            above=switch + self._banner(visit, board, past),
        )
        plain = table.plain_table(board, labels, words, self._links(visit)) if board else ""
        note = f"<p>{escape(words.get('common.no_script'))}</p>" if plain else ""
        return PageHead(
            title=_title(labels, board, past, words),
            description=task_view.description(task, board, words),
            intro="" if is_embed else intro,
            status=404 if past and board is None else 200,
            is_private=past is not None,
            fallback=f'<div class="q-wrap">{blocks.block(note + plain)}</div>' if plain else "",
        )

    def embed_for(self, lang: str, asked: str | None, top: int, body: str, past: Past | None) -> PageHead:
        """Say what another page gets to show of the board: the first rows and the way here, without Gradio."""
        visit = Visit(path=self.task.id, query={}, lang=lang, asked=asked)
        labels = task_view.labels_of(self.task, visit.words)
        board: Board | None = json.loads(body) if body else None
        rev = {"rev": str(board["revision"])} if past and board else {}
        return PageHead(
            title=_title(labels, board, past, visit.words),
            description=task_view.description(self.task, board, visit.words),
            status=404 if past and board is None else 200,
            is_private=past is not None,
            alone=embed_view.embedded(
                board,
                labels,
                visit.words,
                top=top,
                home=visit.link(self.task.id, **rev),
                system=visit.link("system", id="SYSTEM"),
            ),
        )

    def drawn(self, lang: str, asked: str | None, body: str, past: Past | None) -> list[Any]:
        """Return the values of all blocks, in the order of the layout, for one text of the board ("" for none)."""
        visit = Visit(path=self.task.id, query={}, lang=lang, asked=asked)
        words = visit.words
        story = read_about(self.task, lang)
        about = task_view.about(self.task, words, downloads=self._downloads(visit))
        labels = task_view.labels_of(self.task, words)
        elsewhere = task_view.elsewhere(self.hall.board.published_elsewhere(self.task.id), labels, words)
        if not self.task.has_gold:
            return [elsewhere, about, story]
        if not body:
            sentence = "task.no_board" if self.hall.board.facts(self.task.id) else "task.uploads_closed"
            sentence = sentence if past is None else "history.not_found"
            nothing = blocks.block(blocks.empty(words.get(sentence)))
            return ["", nothing, elsewhere, *([nothing] * (len(self.task.axes) + 1)), about, story]
        board = json.loads(body)
        rev = {"rev": str(board["revision"])} if past else {}
        values: list[Any] = [
            table.payload(body, labels, words, self._links(visit, past), is_past=past is not None),
            task_view.legend(board, words) if board["rows"] else "",
            elsewhere,
        ]
        values += [
            _breakdown(board, axis.id, labels, words, visit.link(self.task.id, by=axis.id, **rev))
            for axis in self.task.axes
        ]
        values.append(self._system_charts(board, labels, words))
        return [*values, about, story]

    def _system_charts(self, board: Board, labels: Labels, words: Texts) -> str:
        """Return the charts of whole systems, the one that few boards have first."""
        if not board["rows"]:
            return blocks.block(blocks.empty(words.get("charts.empty")))
        pairs = draw_pairs(board, labels, words, self.hall.board.published_elsewhere(self.task.id))
        return pairs + "".join(draw(board, labels, words) for draw in (draw_sizes, draw_progress))

    def _family(self) -> tuple[str, ...]:
        """Return the ids of the tasks that this page switches to, itself among them; they may come while it is open."""
        every = self.hall.board.catalogue.values()
        return tuple(one.id for one in every if self.task.family and one.family == self.task.family)

    def _tabs(self) -> list[Any]:
        """Lay out the tabs and return what the load event fills, in order: which tab is open, then all blocks."""
        with gr.Tabs(elem_classes="q-tabs") as tabs:
            outputs: list[Any] = [tabs]
            with _tab("board", "task.tab_board"):
                board, legend, offer = _board_block(), html(elem_id="legend"), html(elem_id="embed-offer")
                outputs += [offer, board, legend, html(elem_id="elsewhere-block")]
            for axis in self.task.axes:
                with _tab(axis.id, _axis_mark(self.task, axis.id)):
                    outputs.append(html(elem_id=f"chart-{axis.id}"))
                    self._offer_all_systems(axis.id)
            with _tab("charts", "task.tab_charts"):
                outputs.append(html(elem_id="charts"))
            with _tab("about", "task.tab_about"):
                outputs += _about_blocks()
        return outputs

    def explored(self, axis_id: str, look: str, lang: str, body: str) -> str:
        """Return the figure of all systems for one text of the board, "" where there is none."""
        if not body:
            return ""
        words = texts(lang)
        labels = task_view.labels_of(self.task, words)
        return explore.explore(json.loads(body), axis_id, labels, words, explore.Look.of(look))

    def _offer_all_systems(self, axis_id: str) -> None:
        """Lay out the button that draws every system with Plotly, which no page loads before."""
        button = gr.Button(mark("charts.explore"), elem_id=f"explore-{axis_id}", elem_classes="q-explore", size="sm")
        plot = gr.Plot(visible=False, elem_id=f"plot-{axis_id}", elem_classes="q-plot", show_label=False)

        cached = lru_cache(maxsize=_N_CACHED)(partial(self.explored, axis_id))

        def draw(look: str, request: gr.Request) -> Any:
            known = " ".join(word for word in ("dark", "phone") if word in look.split())
            visit = visit_of(request, self.task.id)
            figure = cached(known, visit.lang, self.seen(visit).body)
            return gr.Plot(PlotData(type="plotly", plot=figure), visible=True) if figure else gr.skip()

        # the button stands in for what the page says of theme and width: its own value is not used
        button.click(draw, button, plot, js="() => qrelboard.explore.look()", **READ)

    def _open_tab(self, visit: Visit) -> Any:
        """Open the tab that the address names; an unknown one leaves the first open."""
        asked = visit.query.get("tab", "")
        known = {"about", "charts", *(axis.id for axis in self.task.axes)}
        return gr.update(selected=asked) if asked in known else gr.skip()

    def _actions(self, visit: Visit) -> str:
        words = visit.words
        tab = {"tab": "about"} if self.task.has_gold else {}
        place = f"{visit.link(self.task.id, **tab)}#{task_view.CITE_ID}"
        cite = blocks.button(words.get("task.cite"), place) if self.task.source.bibtex else ""
        if not self.task.has_gold:
            return cite
        return blocks.button(words.get("task.submit"), visit.link("submit", task=self.task.id), is_primary=True) + cite

    def _banner(self, visit: Visit, board: Board | None, past: Past | None) -> str:
        """Return what stands over a board that was asked for by number or day."""
        if past is None:
            return ""
        places = {"present": visit.link(self.task.id), "changes": visit.link("history", task=self.task.id)}
        if board is None:
            return history_view.not_found(visit.words, **places)
        return history_view.banner(board, visit.words, is_present=past.is_present, **places)

    def _links(self, visit: Visit, past: Past | None = None) -> Links:
        example = f"./examples/{self.task.id}.run" if self.hall.board.example_run(self.task.id) else ""
        # rows are compared by their scores by topic, which nobody sees of sealed gold
        is_compared = self.task.gold == "open" and past is None
        compare = visit.link("compare", task=self.task.id, ids="IDS") if is_compared else ""
        return Links(visit.link("system", id="SYSTEM"), visit.link("submit", task=self.task.id), example, compare)

    def _downloads(self, visit: Visit) -> str:
        links = {}
        if self.hall.board.example_run(self.task.id):
            links["task.file_example"] = f"./examples/{self.task.id}.run"
        if self.task.has_gold:
            links["task.file_json"] = f"./boards/{self.task.id}.json"
        return " · ".join(f'<a href="{escape(href)}">{escape(visit.words.get(key))}</a>' for key, href in links.items())

    def seen(self, visit: Visit) -> Seen:
        """Return the board that the address asks for: the present one unless it names a revision or a day."""
        present = self.hall.board.revision(self.task.id)
        if not history.is_asked(visit.query) or not self.task.has_gold:
            return Seen(with_names(present.body, visit.words.get("table.gone")) if present else "")
        found = self.hall.board.history.asked(self.task.id, visit.query)
        if found is None:
            return Seen("", Past())
        body = with_names(found.body, visit.words.get("table.gone"))
        return Seen(body, Past(is_present=present is not None and present.number == found.number))


def _title(labels: Labels, board: Board | None, past: Past | None, words: Texts) -> str:
    if past is None:
        return labels.task
    if board is None:
        return words.get("history.not_found_title", task=labels.task)
    return words.get("history.past_title", task=labels.task, date=format_date(table.made_at(board), words.lang))


def _tab(tab_id: str, label: str) -> gr.Tab:
    """Make a tab that writes itself into the address when it is opened."""
    tab = gr.Tab(mark(label), id=tab_id, elem_id=f"panel-{tab_id}")
    tab.select(None, js=f"() => qrelboard.tabs.write({json.dumps(tab_id)})", api_visibility="private")
    return tab


def _board_block() -> gr.HTML:
    """Make the block that `table.js` draws into; the grey lines hold its place until the rows are there."""
    return gr.HTML(
        elem_id="board",
        html_template='<div class="q-board"><div class="q-skeleton"></div></div>',
        js_on_load="qrelboard.board.mount(element, props, watch)",
        apply_default_css=False,
    )


def _about_blocks() -> list[Any]:
    return [html(elem_id="about"), gr.Markdown(elem_id="story", elem_classes="q-story")]


def _axis_mark(task: Task, axis_id: str) -> str:
    return f"card.{task.id}.{axis_id}"


def _breakdown(board: Board, axis_id: str, labels: Labels, words: Texts, whole_link: str) -> str:
    """Return the charts of one axis: its own, and where it is crossed with another one, the panels of both."""
    return "".join(draw(board, axis_id, labels, words, whole_link) for draw in (charts.draw_axis, draw_panels))
