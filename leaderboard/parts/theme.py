"""The look: design tokens read from tokens.css, and Gradio's theme variables put on those tokens."""

import re
from collections.abc import Mapping
from pathlib import Path

FONT = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "sans-serif")
MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")
_TOKEN = re.compile(r"--q-([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")

# Gradio variable → token. Light and dark are the same token: the pair lives in tokens.css alone.
_COLOURS: Mapping[str, str] = {
    "body_background_fill": "page",
    "body_text_color": "text",
    "body_text_color_subdued": "muted",
    "background_fill_primary": "surface",
    "background_fill_secondary": "raised",
    "border_color_primary": "line",
    "border_color_accent": "accent",
    "color_accent_soft": "accent-soft",
    "link_text_color": "accent",
    "link_text_color_hover": "accent-strong",
    "link_text_color_active": "accent-strong",
    "link_text_color_visited": "accent",
    "block_background_fill": "surface",
    "block_border_color": "line",
    "block_info_text_color": "muted",
    "block_label_background_fill": "surface",
    "block_label_border_color": "line",
    "block_label_text_color": "text",
    "block_title_text_color": "text",
    "panel_background_fill": "raised",
    "panel_border_color": "line",
    "input_background_fill": "surface",
    "input_background_fill_focus": "surface",
    "input_background_fill_hover": "surface",
    "input_border_color": "control-line",
    "input_border_color_focus": "accent",
    "input_border_color_hover": "control-line",
    "input_placeholder_color": "muted",
    "checkbox_background_color": "surface",
    "checkbox_background_color_hover": "raised",
    "checkbox_background_color_focus": "surface",
    "checkbox_background_color_selected": "accent",
    "checkbox_border_color": "control-line",
    "checkbox_border_color_hover": "control-line",
    "checkbox_border_color_focus": "accent",
    "checkbox_border_color_selected": "accent",
    "checkbox_label_background_fill": "surface",
    "checkbox_label_background_fill_hover": "raised",
    "checkbox_label_background_fill_selected": "accent-soft",
    "checkbox_label_border_color": "control-line",
    "checkbox_label_text_color": "text",
    "checkbox_label_text_color_selected": "text",
    "button_primary_background_fill": "accent",
    "button_primary_background_fill_hover": "accent-strong",
    "button_primary_border_color": "accent",
    "button_primary_border_color_hover": "accent-strong",
    "button_primary_text_color": "on-accent",
    "button_primary_text_color_hover": "on-accent",
    "button_secondary_background_fill": "surface",
    "button_secondary_background_fill_hover": "raised",
    "button_secondary_border_color": "control-line",
    "button_secondary_border_color_hover": "control-line",
    "button_secondary_text_color": "text",
    "button_secondary_text_color_hover": "text",
    "button_cancel_background_fill": "surface",
    "button_cancel_background_fill_hover": "error-soft",
    "button_cancel_border_color": "error",
    "button_cancel_text_color": "error",
    "button_cancel_text_color_hover": "error",
    "error_background_fill": "error-soft",
    "error_border_color": "error",
    "error_text_color": "error",
    "error_icon_color": "error",
    "table_border_color": "line",
    "table_even_background_fill": "surface",
    "table_odd_background_fill": "surface",
    "table_row_focus": "accent-soft",
    "table_text_color": "text",
    "code_background_fill": "raised",
    "accordion_text_color": "text",
    "stat_background_fill": "accent",
    "slider_color": "accent",
}
_MEASURES: Mapping[str, str] = {
    "color_accent": "var(--q-accent)",
    "block_border_width": "1px",
    "block_radius": "8px",
    "block_label_radius": "6px",
    "block_shadow": "none",
    "block_title_text_weight": "500",
    "button_large_radius": "8px",
    "button_medium_radius": "8px",
    "button_small_radius": "8px",
    "button_large_text_weight": "500",
    "button_medium_text_weight": "500",
    "button_primary_shadow": "none",
    "button_secondary_shadow": "none",
    "checkbox_label_shadow": "none",
    "container_radius": "8px",
    "input_radius": "8px",
    "input_shadow": "none",
    "input_shadow_focus": "0 0 0 2px var(--q-accent-soft)",
    "input_border_width": "1px",
}


def read_tokens(css: str) -> dict[str, tuple[str, str]]:
    """Return every colour token of the style sheet: name → (light, dark), as `#rrggbb`."""
    return {name: (light, dark) for name, light, dark in _TOKEN.findall(css)}


def tokens() -> dict[str, tuple[str, str]]:
    """Return the colour tokens of tokens.css."""
    return read_tokens((Path(__file__).parent / "tokens.css").read_text(encoding="utf-8"))


def gradio_variables() -> dict[str, str]:
    """Return the arguments for a Gradio theme's `set`, so that its components wear our tokens in both themes."""
    chosen = dict(_MEASURES)
    for variable, token in _COLOURS.items():
        chosen[variable] = f"var(--q-{token})"
        chosen[f"{variable}_dark"] = f"var(--q-{token})"
    return chosen


def contrast(one: str, other: str) -> float:
    """Return the WCAG contrast ratio of two `#rrggbb` colours, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
