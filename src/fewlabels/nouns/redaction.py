"""Database addresses without their passwords, fit to be shown."""

import re

_IN_FRONT = re.compile(r"(://[^/?#@:]*):[^/?#]*@")
_IN_QUERY = re.compile(r"((?:^|[?&])(?:password|passwd|pwd)=)[^&#\s]*", re.IGNORECASE)


def without_password(address: str) -> str:
    """The address with *** in place of a password, before the host or among its options.

    Examples:
        >>> without_password("postgresql://ada:secret@host/db"), without_password("postgresql://host/db?password=secret")
        ('postgresql://ada:***@host/db', 'postgresql://host/db?password=***')
    """
    return _IN_QUERY.sub(r"\1***", _IN_FRONT.sub(r"\1:***@", address))
