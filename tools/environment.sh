#!/bin/sh
# Make .venv ready, or say what is missing.
#
#     tools/environment.sh         one environment for reading, running, building and testing
#     tools/environment.sh test    and a browser for the tests that need one, if it can be had
#
# A finished set-up leaves a stamp with what it was made from. If the stamp fits, nothing is done; a set-up that was
# interrupted leaves another mark, and is begun again from an empty .venv (pip keeps what it has downloaded).
set -eu
cd "$(dirname "$0")/.."

stage=${1:-}
d2l=1.0.3 # the layers are compared with it; it pins numpy 1.23, so that pip cannot resolve it with current packages
oldest=3.11
stop() {
    printf '\n%s\n\n' "$*" >&2
    exit 1
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python}; do
        if command -v "$candidate" >/dev/null 2>&1 && new_enough "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
}

fingerprint() { # what an environment depends on; its own place too, since its scripts and `-e .` name it
    .venv/bin/python -c '
import hashlib, pathlib, sys, tomllib
project = tomllib.loads(pathlib.Path("pyproject.toml").read_text("utf-8"))
parts = [pathlib.Path("requirements.txt").read_text("utf-8"), sys.version, pathlib.Path.cwd(), sys.argv[1]]
parts += [pathlib.Path("tools/node/package-lock.json").read_text("utf-8")]
parts += [project["project"], project["build-system"], project["tool"]["setuptools"]]
print(hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest())
' "$d2l" 2>/dev/null || echo "no python in .venv"
}

wait_for_others() { # the mark of an unfinished set-up holds the number of its process
    while [ -s .venv/.unfinished ] && kill -0 "$(cat .venv/.unfinished)" 2>/dev/null; do
        [ -n "${told:-}" ] || echo "Another set-up is running (process $(cat .venv/.unfinished)); waiting for it …"
        told=yes
        sleep 2
    done
}

has_chromium() {
    [ -n "$(.venv/bin/python -c 'from attnbook.widgets.browser import find_chromium as f; print(f() or "")')" ]
}

install() {
    .venv/bin/python -m pip install --disable-pip-version-check --quiet "$@" && return
    rm -f .venv/.unfinished # pip gave up in good order: what was installed before is still whole
    stop "\
pip could not install everything (its message stands above).
If the network failed, run the same command again: what is downloaded already is kept.
If pip found no version that fits, a retry will not help: check which Python this is
($(.venv/bin/python --version), in .venv) and whether there are packages for it and for this kind of machine."
}

install_node_packages() { # by exact version and hash; nothing of them is in git
    mkdir -p .venv/node
    cp tools/node/package.json tools/node/package-lock.json tools/node/.npmrc .venv/node/
    .venv/bin/npm ci --prefix .venv/node --loglevel=error >/dev/null && return
    rm -f .venv/.unfinished
    stop "\
npm could not install what the pages are built with (its message stands above; the list is tools/node/package.json).
If the network failed, run the same command again."
}

trap 'exit 130' INT TERM HUP # and leave the mark: whoever is stopped in the middle leaves half an environment

wait_for_others
if [ ! -f .venv/.ready ] || [ "$(cat .venv/.ready)" != "$(fingerprint)" ]; then
    python=$(find_python)
    if [ -z "$python" ]; then
        have=$( (command -v "${PYTHON:-python3}" >/dev/null && "${PYTHON:-python3}" --version 2>&1) || echo nothing)
        stop "This book needs Python $oldest or newer; ${PYTHON:-python3} is $have.
Install a newer one (Debian 12, Ubuntu 24.04 and later have it: apt install python3 python3-venv; elsewhere:
python.org), or name the one to use: make book PYTHON=/path/to/python3"
    fi
    "$python" -c 'import venv, ensurepip' 2>/dev/null || stop "\
$python cannot make virtual environments: its module venv or ensurepip is missing.
On Debian and Ubuntu: apt install python3-venv"

    if [ -f .venv/.unfinished ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1 || ! new_enough .venv/bin/python; then
        if [ -e .venv ]; then
            [ -f .venv/pyvenv.cfg ] || [ -f .venv/.unfinished ] || [ -z "$(ls -A .venv)" ] ||
                stop "There is a .venv here that is not a virtual environment; move it away."
            echo "The environment in .venv is not complete; making it again."
        fi
        mkdir -p .venv
        echo $$ >.venv/.unfinished
        # --clear would take the mark away first: empty the folder around it instead
        find .venv -mindepth 1 -maxdepth 1 ! -name .unfinished -exec rm -rf {} +
        "$python" -m venv .venv
    fi
    echo $$ >.venv/.unfinished
    rm -f .venv/.ready*
    echo "Installing the book's packages into .venv (the first time several hundred MB, some minutes) …"
    install -r requirements.txt
    install --no-deps "d2l==$d2l"
    install_node_packages
    # Draw once: the first drawing collects the machine's fonts, and says so where a chapter's output would stand.
    .venv/bin/python -c 'import attnbook, torch, matplotlib.font_manager' ||
        stop "The packages are installed but cannot be imported (see above). Remove .venv and try again."
    fingerprint >.venv/.ready
    rm -f .venv/.unfinished
fi

if [ "$stage" = test ] && ! has_chromium; then
    echo "There is no Chromium here for the tests of figures and pages; trying to install one …"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null || true
    fi
    has_chromium || .venv/bin/python -m playwright install chromium || true
    has_chromium || echo "None could be installed; the tests that need one are skipped."
fi
