"""Collect a class's work from the home folders of a Linux machine into a new folder of the teacher's.

    sudo python3 -I /srv/attention/tools/hub/collect.py submissions '04-*.ipynb' helper.py

A student's folder is theirs to fill: a link in it leads root anywhere, a pipe makes root wait. So root opens no file
here. For each student one process with the student's rights reads and another with the teacher's rights writes.
Between them runs a stream that can express nothing but regular files, and the writer does not trust it.

It is one file, and imports nothing but Python's own: root runs it with -I, and has to read no more than this.
"""

import argparse
import contextlib
import errno
import heapq
import json
import os
import pwd
import selectors
import signal
import stat
import sys
import time
from fnmatch import fnmatchcase
from functools import partial

MOST_FILES = 200  # of a student
LARGEST, LARGEST_TOGETHER = 50_000_000, 100_000_000  # bytes
LONGEST_NAME, DEEPEST = 200, 8  # bytes, folders
MOST_READ, MOST_SAID = 100_000, 20  # bytes of what a process says, and sentences
DONE, FAILED, ABSENT = 0, 1, 3
PATIENCE = 5  # seconds for a process to end that was killed
END = b"end\n"
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
KIND_OF_ERROR = {
    errno.ELOOP: "a link",
    errno.EISDIR: "a folder",
    errno.ENOTDIR: "a link or a file, not a folder",
    errno.ENXIO: "a socket",
}


class Refused(Exception):
    """Why something is not collected."""


def in_words(error):
    """What is said of a file or folder that is left out."""
    if isinstance(error, Refused):
        return str(error)
    kind = KIND_OF_ERROR.get(error.errno)
    return f"{kind}, left out" if kind else f"left out ({error.strerror})"


def proper(path):
    """Whether a file may be stored under a path: below the folder, with names that can be printed."""
    parts = path.split("/")
    return len(parts) <= DEEPEST and all(
        part not in ("", ".", "..")
        and part.isprintable()  # so it can be encoded, too
        and len(part.encode()) <= LONGEST_NAME
        for part in parts
    )


# --- with the student's rights ------------------------------------------------------------------------------------


def pack(home, options, to, say):
    """Write the files in a home that fit the patterns to a file descriptor, and say what is left out.

    Returns:
        `DONE`; `ABSENT` if there is no such folder.
    """
    with open(to, "wb") as stream:
        try:
            place = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
            for part in options.folder.split("/"):
                place = os.open(part, FOLDER, dir_fd=place)
            send(place, options.patterns, stream, say)
        except FileNotFoundError:
            return ABSENT
        except (OSError, Refused) as error:
            if isinstance(error, BrokenPipeError):
                raise
            say(f"{options.folder}: {in_words(error)}")
        stream.write(END)
    return DONE


def send(place, patterns, stream, say):
    """Write what fits the patterns in an open folder, each file once."""
    sent, room = set(), LARGEST_TOGETHER
    for pattern in patterns:
        for name, folder, path in matching(place, pattern.split("/"), say):
            if path in sent:
                continue
            if len(sent) == MOST_FILES:
                raise Refused(f"only {MOST_FILES} of the files that fit are collected")
            try:
                if not proper(path):
                    raise Refused("left out because of its name")
                content, names = read(name, folder, room)
            except (OSError, Refused) as error:
                say(f"{path}: {in_words(error)}")
                continue
            if names > 1:
                say(f"{path}: the file has another name elsewhere (a hard link)")
            sent.add(path)
            room -= len(content)
            stream.write(json.dumps([path, len(content)]).encode() + b"\n")
            stream.write(content)


def matching(folder, parts, say, before=""):
    """What fits a pattern's parts: a name, the open folder that it is in, and its path."""
    part, *rest = parts
    with os.scandir(folder) as entries:
        fits = (
            entry.name
            for entry in entries
            if fnmatchcase(entry.name, part)
            and (part.startswith(".") or not entry.name.startswith("."))
            and (not rest or entry.is_symlink() or entry.is_dir(follow_symlinks=False))
        )
        names = heapq.nsmallest(MOST_FILES + 1, fits)  # there may be a million
    for name in names:
        if not rest:
            yield name, folder, before + name
            continue
        try:
            inside = os.open(name, FOLDER, dir_fd=folder)
        except OSError as error:
            say(f"{before}{name}: {in_words(error)}")
            continue
        yield from matching(inside, rest, say, f"{before}{name}/")
        os.close(inside)


def read(name, folder, room):
    """A regular file's content and how many names it has; a pipe or device is not waited for."""
    with open(os.open(name, FILE, dir_fd=folder), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            kind = "a pipe" if stat.S_ISFIFO(about.st_mode) else "a device"
            raise Refused(f"{kind}, left out")
        most = min(room, LARGEST)
        content = file.read(most + 1) if about.st_size <= most else b""
        if max(about.st_size, len(content)) > most:  # it may have grown
            raise Refused(
                f"left out, too large: {LARGEST // 10**6} MB are the most for a file, "
                f"{LARGEST_TOGETHER // 10**6} MB for a student's files together"
            )
    return content, about.st_nlink


# --- with the teacher's rights ------------------------------------------------------------------------------------


def unpack(source, place, student, say):
    """Write the files that come from a file descriptor into a new folder for a student, whatever else comes.

    After each file it says how many are complete.

    Returns:
        `DONE`, or `FAILED` if the stream did not end as it should.
    """
    count, room = 0, LARGEST_TOGETHER
    try:
        with open(source, "rb") as stream:
            while (head := stream.readline(DEEPEST * LONGEST_NAME * 4)) != END:
                path, size = understood(head)
                if count == MOST_FILES or size > room:
                    raise Refused("more came than a student may hand in")
                store(stream, size, place, [student, *path.split("/")])
                count, room = count + 1, room - size
                say(str(count))
        return DONE
    except (OSError, Refused) as error:
        why = getattr(error, "strerror", None) or error
        say(f"not all was collected: {why}")
        return FAILED


def understood(head):
    """A file's path and size, from the line before its content."""
    if not head:
        raise Refused("the student's process ended early")
    try:
        path, size = json.loads(head.decode())
        if proper(path) and type(size) is int and 0 <= size <= LARGEST:
            return path, size
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass
    raise Refused(f"no file has this name and size: {head[:60]!r}")


def store(stream, size, place, parts):
    """Make a new file of the next bytes of a stream; one that is cut short does not stay."""
    folder = os.open(place, FOLDER)
    try:
        if os.fstat(folder).st_uid != os.geteuid():
            raise Refused(f"{place} is no longer the teacher's")
        for part in parts[:-1]:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=folder)
            outer, folder = folder, os.open(part, FOLDER, dir_fd=folder)
            os.close(outer)
        with open(os.open(parts[-1], NEW, 0o600, dir_fd=folder), "wb") as file:
            try:
                while size:
                    if not (piece := stream.read(min(size, 1 << 20))):
                        raise Refused("a file is cut short")
                    file.write(piece)
                    size -= len(piece)
                file.flush()
            except (OSError, Refused):
                os.unlink(parts[-1], dir_fd=folder)
                raise
    finally:
        os.close(folder)


# --- as root ------------------------------------------------------------------------------------------------------


def start(account, work, *keep):
    """Begin work in a process that has an account's rights and nothing of root's.

    Linux lets nobody trace a process that has given up root's rights without starting a program since, so the
    account's other processes cannot take this one over.

    Args:
        account: an entry of `pwd`.
        work: is given a function to say sentences with; may return an exit status.
        keep: file descriptors that it needs.

    Returns:
        The process's number, and the file descriptor from which to read the sentences.
    """
    listen, tell = os.pipe()
    if child := os.fork():
        os.close(tell)
        return child, listen
    status = FAILED
    try:
        os.setsid()  # no terminal
        null = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(null, standard)
        after = 3
        for kept in sorted([tell, *keep]):
            os.closerange(after, kept)
            after = kept + 1
        os.closerange(after, os.sysconf("SC_OPEN_MAX"))
        os.environ.clear()
        os.umask(0o077)
        os.initgroups(account.pw_name, account.pw_gid)
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)

        def say(sentence):
            os.write(tell, sentence.encode("utf-8", "replace") + b"\n")

        try:
            status = work(say) or DONE
        except BrokenPipeError:
            pass  # the process at the other end has said why
        except Exception as error:
            say(f"{type(error).__name__}: {error}")
    finally:
        os._exit(status)


def finish(processes, seconds):
    """Hear what processes that were started say until they have ended; those that take too long are killed.

    Returns:
        For each its exit status, negative if it was killed, and the lines it has said, fit to be printed.
    """
    until = time.monotonic() + seconds
    heard = {listen: b"" for _, listen in processes}
    statuses = []
    try:
        with selectors.DefaultSelector() as talking:
            for listen in heard:
                talking.register(listen, selectors.EVENT_READ)
            while talking.get_map() and (left := until - time.monotonic()) > 0:
                for key, _ in talking.select(left):
                    part = os.read(key.fd, 1 << 16)
                    heard[key.fd] += part[: MOST_READ - len(heard[key.fd])]
                    if not part:
                        talking.unregister(key.fd)
    finally:
        for process, listen in processes:
            os.kill(process, signal.SIGKILL)  # to one that has ended it is nothing
            statuses.append(ended(process))
            os.close(listen)
    lines = [text.decode("utf-8", "replace").split("\n")[:-1] for text in heard.values()]
    return [(s, list(map(printable, ones))) for s, ones in zip(statuses, lines, strict=True)]


def ended(process):
    """The exit status of a process that was killed; it may hang in a file system of the student's own, for ever."""
    until = time.monotonic() + PATIENCE
    while (found := os.waitpid(process, os.WNOHANG))[0] == 0:
        if time.monotonic() > until:
            return -signal.SIGKILL
        time.sleep(0.01)
    return os.waitstatus_to_exitcode(found[1])


def printable(text):
    """A line without characters that would move the terminal's cursor or turn the text around."""
    return "".join(sign if sign.isprintable() else "?" for sign in text[:300])


def collect(student, teacher, options):
    """Collect one student's files, as the options say.

    Returns:
        How many, and what there is to say; None if the student has no such folder.
    """
    outlet, inlet = os.pipe()
    reads = partial(pack, student.pw_dir, options, inlet)
    writes = partial(unpack, outlet, options.into, student.pw_name)
    processes = [start(student, reads, inlet), start(teacher, writes, outlet)]
    os.close(outlet)
    os.close(inlet)
    (read_status, left_out), (write_status, stored) = finish(processes, options.seconds)
    if read_status == ABSENT:
        return None
    said = left_out[:MOST_SAID]
    if len(left_out) > MOST_SAID:
        said.append(f"and {len(left_out) - MOST_SAID} more such sentences")
    if read_status < 0 or write_status < 0:
        said.append(f"not all was collected: it took longer than {options.seconds:g} s")
    counts = [int(line) for line in stored if line.isdigit()]
    said += [line for line in stored if not line.isdigit()]
    return max(counts, default=0), said


def whose(name):
    """The teacher's account: the one that is named, or else the one that called sudo."""
    number = int(os.environ.get("SUDO_UID", 0))
    if name or number:
        teacher = pwd.getpwnam(name) if name else pwd.getpwuid(number)
    if not (name or number) or teacher.pw_uid == 0:
        raise Refused("the files would be root's; call this with sudo from your own account, or name it with --teacher")
    return teacher


def of_people(teacher):
    """The accounts of people: those that can log in, the teacher's excepted."""
    none = "nologin", "false"
    return {
        account.pw_name: account
        for account in pwd.getpwall()
        if account.pw_uid >= 1000
        and account.pw_uid != teacher.pw_uid
        and os.path.basename(account.pw_shell) not in none
    }


def main():
    """Collect, and print a line for each student.

    Returns:
        0; 1 if something was left out or a student has nothing; 2 if nothing was done.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("into", metavar="INTO", help="a new folder, which will be the teacher's")
    add(
        "patterns",
        nargs="+",
        metavar="PATTERN",
        help="of files in the students' folders, quoted: '04-*.ipynb', 'data/*.csv'",
    )
    add(
        "--students",
        nargs="+",
        metavar="NAME",
        help="accounts; without it all of people that have such a folder, as far as this machine lists them",
    )
    add("--teacher", metavar="NAME", help="account (the one that called sudo)")
    add("--folder", default="attention", help="in each home (attention)")
    add("--seconds", type=float, default=60, help="for a student, at most (60)")
    options = parser.parse_args()
    if not 0 < options.seconds < float("inf"):
        parser.error(f"--seconds must be above 0 and finite, got {options.seconds:g}")
    try:
        if os.geteuid() != 0:
            raise Refused("only root can act for all students; call it with sudo")
        for path in [options.folder, *options.patterns]:
            if not proper(path):
                raise Refused(f"{path} must lie below each student's home or folder")
        teacher = whose(options.teacher)
        students = {name: pwd.getpwnam(name) for name in options.students} if options.students else of_people(teacher)
        if any(student.pw_uid == 0 for student in students.values()):
            raise Refused("root is not a student")
        make = partial(os.mkdir, options.into, 0o700)
        [(status, said)] = finish([start(teacher, lambda say: make())], 60)
        if status != DONE:
            raise Refused(f"{''.join(said)}; name a folder that is not there yet")
    except (KeyError, Refused) as error:
        print(f"Nothing was collected: {error.args[0]}", file=sys.stderr)
        return 2
    return collect_all(students, teacher, options)


def collect_all(students, teacher, options):
    """Collect every student's files and print what came of it; the exit status."""
    having, nothing, incomplete = 0, [], []
    for name, student in sorted(students.items()):
        outcome = collect(student, teacher, options)
        if not outcome and not options.students:
            continue
        count, said = outcome or (0, [f"there is no folder {options.folder}"])
        print(f"{printable(name)}: {count} {'file' if count == 1 else 'files'}", flush=True)
        for sentence in said:
            print(f"    {sentence}", flush=True)
        if count:
            having += 1
        else:
            nothing.append(name)
        if said:
            incomplete.append(name)
    print(f"Collected into {options.into} from {having} of {having + len(nothing)}.")
    if nothing:
        print(f"Nothing came from: {', '.join(map(printable, nothing))}")
    if incomplete:
        print(f"Look above at: {', '.join(map(printable, incomplete))}")
    return 1 if nothing or incomplete else 0


if __name__ == "__main__":
    sys.exit(main())
