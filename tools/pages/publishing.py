"""Sphinx extension: what pages carry once the book's repository has an address, `repository: url` in `_config.yml`.

Without one, pages name none. With one they have buttons that open a notebook on Colab or Binder, that report a mistake
and that edit the page's text; and they tell previews (OpenGraph) what they are, below the address at which GitHub
publishes a repository's pages, or below `html: baseurl` if that is given.
"""

import html
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from tools.languages import english_home
from tools.pages.descriptions import description

BUTTONS = "use_repository_button", "use_edit_page_button", "use_issues_button"
LAUNCH = {
    "colab_url": "https://colab.research.google.com",
    "binderhub_url": "https://mybinder.org",
    "notebook_interface": "jupyterlab",
}
REPOSITORY = re.compile(r"https://github\.com/([\w-]+)/([\w.-]+?)(?<!\.git)")
NOTEBOOK = re.compile(r"(/edit/.+/chapters/)([\w-]+)\.ipynb$")
PREVIEW_PICTURE = "_static/readme.png"  # of the landing page


def _configure(app: Sphinx, config: Config) -> None:
    if config.html_baseurl:
        config.html_baseurl = config.html_baseurl.rstrip("/") + "/"  # names of pages are put behind it
    address = config.html_theme_options.get("repository_url")
    if not address:
        return
    parts = REPOSITORY.fullmatch(address)
    if parts is None:
        raise ConfigError(
            "repository: url in _config.yml must be like https://github.com/OWNER/NAME (no .git, no slash at its end), "
            f"got {address!r}"
        )
    config.html_theme_options.update(dict.fromkeys(BUTTONS, True), launch_buttons=dict(LAUNCH))
    if not config.html_baseurl:
        home = f"{parts[1].lower()}.github.io"
        config.html_baseurl = f"https://{home}/" if parts[2].lower() == home else f"https://{home}/{parts[2]}/"


def preview(address: str, title: str, about: str, home: str) -> str:
    """The OpenGraph tags of a page.

    Args:
        address: where it is published.
        title: HTML.
        about: its description, or nothing.
        home: where the English book is published.
    """
    content = {
        "title": html.unescape(re.sub("<[^>]*>", "", title)),
        "type": "website",
        "site_name": "Paying Attention",
        "url": address,
        "image": home + PREVIEW_PICTURE,
        "description": about,
    }
    tags = [f'\n<meta property="og:{name}" content="{html.escape(value)}">' for name, value in content.items() if value]
    return "".join(tags)


def _finish_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if not app.config.html_theme_options.get("repository_url"):
        return
    for group in context["header_buttons"]:
        for button in [group, *group.get("buttons", [])]:
            if "url" in button:  # what people edit is not the notebook
                button["url"] = NOTEBOOK.sub(r"\1text/\2.md", button["url"])
    about = description(doctree) if doctree is not None else ""
    title = context.get("title") or app.config.html_title
    tags = preview(f"{app.config.html_baseurl}{pagename}.html", title, about, english_home(app))
    context["metatags"] = context.get("metatags", "") + tags


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension with Sphinx."""
    app.connect("config-inited", _configure, priority=100)  # before the theme's
    app.connect("html-page-context", _finish_page, priority=900)  # after it
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
