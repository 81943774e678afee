"""What `python -m tools.links` says of Sphinx's findings; it is not asked of the network here."""

import pytest

from tools.links import report


def link(status: str, uri: str = "https://example.org/a", code: int = 0) -> dict:
    place = {"filename": "chapters/notation.md", "lineno": 7}
    return {**place, "status": status, "uri": uri, "code": code, "info": "why"}


@pytest.mark.parametrize(
    "links, status, said",
    [
        ([link("working"), link("unchecked", "#here")], 0, "1 addresses, 0 of them"),
        ([link("working"), link("broken")], 1, "chapters/notation.md:7"),
        ([link("working"), link("timeout")], 1, "2 addresses, 1 of them"),
        ([link("redirected", code=301)], 0, "redirected"),
        ([link("broken"), link("broken")], 2, "is there a network?"),
        ([], 0, "0 addresses"),
    ],
)
def test_what_does_not_answer_is_told(links, status, said, capsys):
    assert report(links) == status
    written = capsys.readouterr()
    assert said in written.out + written.err
