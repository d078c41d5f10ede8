"""Files that are whole or not there at all."""
import contextlib
import os
import sys
import tempfile

from .reading import Unreadable


@contextlib.contextmanager
def replaced(path):
    """A name beside the path to write to; what lies there takes the path's place if nothing was raised."""
    folder, name = os.path.split(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        os.close(handle)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def write(path, text):
    """To standard output if there is no path."""
    if path is None:
        sys.stdout.write(text)
        return
    with replaced(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        file.write(text)
