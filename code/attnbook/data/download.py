"""Tatoeba's sentence pairs from the net: checked, kept in a cache, and never in place of a good file."""

import os
from pathlib import Path

from platformdirs import user_cache_dir

#: As d2l registers it (`d2l.DATA_HUB["fra-eng"]`): pairs of Tatoeba, CC BY 2.0 FR, in the form of manythings.org/anki.
TATOEBA_URL = "http://d2l-data.s3-accelerate.amazonaws.com/fra-eng.zip"
#: The SHA-1 of that file.
TATOEBA_SHA1 = "94646ad1522d915e7b0f9296181140edcf86a4f5"

ATTEMPTS = 3
TIMEOUT = (10, 30)  # seconds to connect, and to wait for the next bytes
NAME = "fra-eng.zip"


def cache_folder() -> Path:
    """Say where downloads are kept.

    Returns:
        The folder that the environment variable ATTNBOOK_CACHE names, else one in the user's cache folder.
    """
    wish = os.environ.get("ATTNBOOK_CACHE", "").strip()
    if wish:
        return Path(wish).expanduser()
    return Path(user_cache_dir("attnbook", appauthor=False))


def download_tatoeba(
    cache: str | Path | None = None,
    url: str = TATOEBA_URL,
    sha1: str = TATOEBA_SHA1,
    *,
    progress: bool = True,
) -> Path:
    """Fetch d2l's zip of Tatoeba's English–French pairs, unless a good copy is there already.

    The file gets its name only after its checksum was found right. SHA-1 guards against accidents, not against forgers.

    Args:
        cache: the folder to keep it in; None for `cache_folder()`.
        url: where from, http or https.
        sha1: its SHA-1 checksum, 40 hexadecimal digits.
        progress: show a progress bar.

    Returns:
        The path of the zip, whole and checked.

    Raises:
        ConnectionError: no network, no such file on the server, or a connection that keeps breaking off; the message
            says where to put a file of your own.
        ValueError: what came has another checksum (it is thrown away), or an argument makes no sense.
        OSError: the folder cannot be written to.
    """
    import pooch  # here, and requests: not needed where a file of the reader's own is read
    from requests import RequestException

    if not str(url).startswith(("http://", "https://")):
        raise ValueError(f"url must start with http:// or https://, got {url!r}")
    if len(sha1) != 40 or set(sha1.lower()) - set("0123456789abcdef"):
        raise ValueError(f"sha1 must be 40 hexadecimal digits, got {sha1!r}")
    folder = cache_folder() if cache is None else Path(cache).expanduser()
    instead = (
        f"without a network, put Tatoeba's fra.txt at {folder / 'fra.txt'}, or pass the path of yours to "
        "read_pairs"
    )
    store = pooch.create(
        folder,
        base_url="",
        registry={NAME: f"sha1:{sha1.lower()}"},
        urls={NAME: url},
        retry_if_failed=ATTEMPTS - 1,
    )
    fetch = pooch.HTTPDownloader(progressbar=progress, timeout=TIMEOUT)
    pooch.get_logger().setLevel("WARNING")
    try:
        return Path(store.fetch(NAME, downloader=fetch))
    except RequestException as error:
        raise ConnectionError(
            f"{url} did not arrive in {ATTEMPTS} attempts ({type(error).__name__}: {error}); {instead}"
        ) from error
    except ValueError as error:
        raise ValueError(
            f"{url} is not the file that was expected ({error}). It was thrown away, and nothing was replaced; "
            f"{instead}"
        ) from error
    except OSError as error:
        raise OSError(
            f"cannot write to the cache folder {folder} ({error}); set ATTNBOOK_CACHE to a folder that you may write to"
        ) from error
