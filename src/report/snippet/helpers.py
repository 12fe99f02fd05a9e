# Sets the partition key @KEY@ of an item before it is written.
import random
from datetime import datetime, timedelta, timezone
from decimal import Decimal


def set_partition_key(item):
    @LINES@
    return item


def get(item, names):
    for name in names:
        if not isinstance(item, dict) or name not in item:
            return ...
        item = item[name]
    return item


def is_text(value):
    """What is missing, a list or a dict makes no text."""
    return value is not ... and not isinstance(value, (list, dict))


def text(value):
    """Numbers as JavaScript prints them."""
    if not is_text(value):
        return ""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else number(float(value))


def number(value):
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, digits))
    point = len(digits) + exponent
    if 0 < point <= 21:
        body = digits.ljust(point, "0")
        body = body[:point] + ("." + body[point:] if len(body) > point else "")
    elif -6 < point <= 0:
        body = "0." + "0" * -point + digits
    else:
        body = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + "e%+d" % (point - 1)
    return ("-" if sign else "") + body


def moment(value, length):
    """A moment in UTC: RFC 3339, a date or a time without zone, or a number since 1970."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = value if value < 1e11 else value / 1000
        at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)
    elif isinstance(value, str):
        try:
            head, _, rest = value.replace("Z", "+00:00").replace("z", "+00:00").partition(".")
            zone = rest.lstrip("0123456789")
            at = datetime.fromisoformat(head + zone)
        except ValueError:
            return ""
        at = at.replace(tzinfo=timezone.utc) if at.tzinfo is None else at.astimezone(timezone.utc)
    else:
        return ""
    return at.strftime("%Y-%m-%dT%H:%M")[:length]


def first(text, count):
    return text[:count]


def last(text, count):
    return text[-count:]


def lower(text):
    return text.lower()


def upper(text):
    return text.upper()


def randomSuffix(count):
    return str(random.randint(1, count))


def suffix(value, count):
    """FNV-1a of 32 bits over UTF-8, its halves folded, from 1 to count."""
    if not is_text(value):
        return ""
    folded = 0x811C9DC5
    for byte in text(value).encode():
        folded = (folded ^ byte) * 0x01000193 & 0xFFFFFFFF
    return str(1 + (folded ^ folded >> 16) % count)
