"""_threads.py: how many CPU threads all calls may take."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, SupportsIndex

if TYPE_CHECKING:
    from contextlib import _GeneratorContextManager

MOST = 1024
LIMIT = ContextVar("halation.threads", default=0)  # 0: what HALATION_THREADS says, else what the machine has


def threads(most: SupportsIndex) -> _GeneratorContextManager[None]:
    """All calls in the body of a ``with`` take at most so many CPU threads.

    Of the calling thread and asyncio task alone: a limit is a context variable, which new tasks inherit and new threads do not. The
    environment variable HALATION_THREADS, read once, limits the whole process; the innermost ``with`` goes before it, and the word
    `threads` of `halation.plan` before both. A plan keeps the limit under which it was made.

    Parameters
    ----------
    most : int
        From 1 to 1024; more than the machine has are not taken.

    Returns
    -------
    context manager
        Also a decorator.

    Raises
    ------
    TypeError, ValueError
        For what is no such number.

    Examples
    --------
    >>> import numpy as np
    >>> import halation
    >>> with halation.threads(1):
    ...     soft = halation.ndimage.gaussian_filter(np.ones((2000, 2000), np.float32), 2)
    """
    try:
        count = operator.index(most)
    except TypeError:
        raise TypeError(f"threads must be a whole number, got {most!r}") from None
    if not 1 <= count <= MOST:
        raise ValueError(f"threads must be from 1 to {MOST}, got {most}")
    return limited(count)


@contextmanager
def limited(count: int) -> Iterator[None]:
    """`threads` for a number that has been checked, or 0 for none."""
    token = LIMIT.set(count)
    try:
        yield
    finally:
        LIMIT.reset(token)
