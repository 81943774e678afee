"""What one page has kept in the browser's storage and the next one shows."""


def comes_back(page, shown) -> bool:
    """Whether a page shows what another has kept, at first or when it is loaded once more.

    A page that is opened, even by a reload, may get a process of its own. What Chromium has just written in one process
    it does not always show in the next (on a busy machine, 2 of 100 pages that were opened 50 ms later), and then not
    before the page is loaded again.
    """
    for _ in range(5):
        if shown():
            return True
        page.reload()
    return False
