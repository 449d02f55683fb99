"""What a submitter said about a run and what the books say about the file, as a list of terms. Finished HTML."""

from html import escape

from leaderboard.parts import blocks
from leaderboard.parts.form_view import run_type_label, training_label, weights_label
from leaderboard.parts.progress_view import moment
from leaderboard.submissions import RunType, Submission, Training
from leaderboard.texts import Texts, format_bytes, format_number, format_params


def about(
    submission: Submission,
    words: Texts,
    *,
    task_name: str,
    task_href: str,
    system_href: str,
    run_href: str = "",
    scores_href: str = "",
) -> str:
    """Return the list of all that is known about a submission; fields left empty are left out.

    Args:
        submission: a row of the books.
        words: the reader's language.
        task_name: plain text.
        task_href: address of the board.
        system_href: address of the system's page, empty where there is none to show.
        run_href: address of the run file, empty where the reader may not have it.
        scores_href: address of the scores by topic, empty where the reader may not have them.
    """
    form, lang = submission.form, words.lang
    system = escape(form.name)
    ranking = run_type_label(form.run_type, words) if form.run_type != RunType.UNSPECIFIED else ""
    training = training_label(form.training, words) if form.training != Training.UNKNOWN else ""
    trained = " — ".join(text for text in (training, form.training_note) if text)
    size = words.get(
        "submission.about_file_size",
        size=format_bytes(submission.run_size_bytes, lang),
        lines=format_number(submission.n_lines, lang),
    )
    access = "submission.about_run_public" if form.run_is_public else "submission.about_run_private"
    entries = (
        ("task", f'<a href="{escape(task_href)}">{escape(task_name)}</a>'),
        ("system", f'<a href="{escape(system_href)}">{system}</a>' if system_href else system),
        ("version", escape(form.version)),
        ("link", blocks.outside_link(form.link) if form.link else ""),
        ("run_type", escape(ranking)),
        ("params", escape(format_params(form.params_millions, lang)) if form.params_millions else ""),
        ("weights", escape(weights_label(form.open_weights, words)) if form.open_weights is not None else ""),
        ("training", escape(trained)),
        ("licence", escape(form.licence)),
        ("note", _lines(form.note)),
        ("submitted", moment(submission.submitted_at)),
        ("published", moment(submission.published_at) if submission.published_at else ""),
        ("file", f'<a href="{escape(run_href)}" download>{escape(size)}</a>' if run_href else escape(size)),
        ("run_access", escape(words.get(access)) if submission.has_run else ""),
        ("scores", f'<a href="{escape(scores_href)}" download>CSV</a>' if scores_href else ""),
        ("hash", f"<code>{escape(submission.run_sha256)}</code>"),
    )
    told = "".join(
        f"<div><dt>{escape(words.get(f'submission.about_{key}'))}</dt><dd>{value}</dd></div>"
        for key, value in entries
        if value
    )
    return f'<dl class="q-about">{told}</dl>'


def _lines(text: str) -> str:
    return "<br>".join(escape(line) for line in text.splitlines())
