"""Files that are whole or not there at all."""
import contextlib
import errno
import os
import sys
import tempfile

from .reading import Unreadable


@contextlib.contextmanager
def replaced(path):
    """A name beside the path to write to; what lies there takes its place unless something is raised. Devices stay."""
    folder, name = os.path.split(os.path.realpath(path))
    temporary = None
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if os.path.exists(path) and not os.path.isfile(path):
            yield path
            return
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        os.close(handle)
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, os.path.join(folder, name))
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
    finally:
        if temporary:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def write(path, text):
    """To standard output if there is no path."""
    if path is None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise Unreadable(f"standard output: {error.strerror}") from error
        return
    with replaced(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        file.write(text)
