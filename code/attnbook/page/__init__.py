"""What only the pages use: sources shown, claims checked, plots and diagrams in one visual language."""

from attnbook.page.claims import ClaimError, claim, what_we_found
from attnbook.page.diagrams import draw_desk, draw_reach, draw_wind_rose
from attnbook.page.diagrams_transformer import draw_parameters, draw_transformer
from attnbook.page.plotting import (
    GREY,
    INK,
    KEY,
    MASKED,
    OUTPUT,
    QUERY,
    VALUE,
    VIOLET,
    WEIGHTS,
    plot_regression,
    plot_weights_row,
    show_heatmaps,
    use_book_style,
)
from attnbook.page.results import stored_results
from attnbook.page.show import Source, show
from attnbook.page.timeline import SKETCHES, Event, draw_timeline

__all__ = [
    "stored_results",
    "show",
    "Source",
    "claim",
    "what_we_found",
    "ClaimError",
    "QUERY",
    "KEY",
    "VALUE",
    "OUTPUT",
    "MASKED",
    "INK",
    "VIOLET",
    "GREY",
    "WEIGHTS",
    "use_book_style",
    "show_heatmaps",
    "plot_regression",
    "plot_weights_row",
    "draw_desk",
    "draw_wind_rose",
    "draw_reach",
    "draw_transformer",
    "draw_parameters",
    "draw_timeline",
    "Event",
    "SKETCHES",
]
