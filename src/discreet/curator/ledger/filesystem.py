"""Where a ledger's file may lie: a regular file with one name, on a file system of this machine.

SQLite excludes two writers by POSIX locks on the file, and network file systems are known to grant such a lock twice: two
machines would each spend the last unit. A second hard link would have a journal of its own, which the first never plays
back.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from discreet.errors import FormatError, LedgerError

MOUNTS = Path("/proc/self/mountinfo")
"""Linux's list of mounted file systems; elsewhere there is none, and nothing is refused."""

NETWORK = re.compile(
    "9p|acfs|afp|afs|autofs|beegfs|ceph|cifs|coda|cvmfs|davfs|gfs2|gpfs|lustre|ncpfs|nfs|nfs4|ocfs2|orangefs|pvfs2|smb2"
    r"|smb3|smbfs|vboxsf|vmhgfs|webdav|fuse\.(ceph|davfs|glusterfs|gvfsd-fuse|rclone|s3fs|sshfs|vmhgfs-fuse)"
)
"""File systems that are shared with another machine."""


def check_file(path: Path) -> None:
    """Refuse what is missing, not a regular file, under a second name, or empty. Nothing is opened."""
    try:
        status = os.stat(path)
    except OSError as error:
        hint = "create it once with Ledger.create" if isinstance(error, FileNotFoundError) else error.strerror
        raise LedgerError(f"there is no ledger at {str(path)!r}: {hint}") from None
    if not stat.S_ISREG(status.st_mode):
        raise LedgerError(f"{str(path)!r} is not a regular file, so it is no ledger")
    if status.st_nlink > 1:
        raise LedgerError(f"{str(path)!r} has a second name (a hard link), so it cannot be locked: remove one")
    if status.st_size == 0:
        raise FormatError(f"{str(path)!r} is empty: it is no ledger, or its creation was interrupted")


def check_place(path: Path) -> None:
    """Refuse a file system that is shared with other machines."""
    kind = file_system(path)
    if kind is not None and NETWORK.fullmatch(kind):
        raise LedgerError(
            f"{str(path)!r} lies on a network file system ({kind}), whose locks do not hold back other machines: use a "
            "local disk, or a ledger in PostgreSQL"
        )


def file_system(path: Path) -> str | None:
    """The kind of file system that holds a path, e.g. "ext4"; None where it cannot be told.

    It is the one whose mount point is the longest beginning of the path, and of several there the last, which covers the
    others.
    """
    try:
        lines = MOUNTS.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return None
    longest, kind = -1, None
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        if len(point.parts) >= longest and path.is_relative_to(point):
            longest, kind = len(point.parts), after.split(" ")[0]
    return kind


def sync_directory(directory: Path) -> None:
    """A new file's name is on the disk, too (where directories can be opened: not on Windows)."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
