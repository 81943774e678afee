"""What only the pages use: sources shown, claims checked, plots and diagrams in one visual language.

A module is imported when one of its names is first asked for, so that claims work where nothing can be drawn.
"""

from importlib import import_module

_NAMES = {
    "claims": "ClaimError claim what_we_found",
    "diagrams": "draw_desk draw_reach",
    "fonts": "drawable set_families",
    "plotting": "SIGNED WEIGHTS name_it plot_regression plot_weights_row show_heatmaps",
    "results": "stored_results",
    "sources": "Source show",
    "style": "GREY INK KEY MASKED OUTPUT QUERY VALUE VIOLET use_book_style",
    "timeline": "SKETCHES Event draw_timeline",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = list(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'attnbook.page' has no attribute {name!r}")
    return getattr(import_module(f"attnbook.page.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
