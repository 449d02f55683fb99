"""The grammar of one line: what a score is, which bytes are refused, what a line of another layout looks like.

Works on single lines and blocks; it keeps no state and knows nothing about topics.
"""

import math
import re

from evaluation.faultlog import FaultLog
from evaluation.types import Limits

N_FIELDS = 6
HASH = ord("#")
# the grammar of a score, stricter than Python's float(), which takes nan, inf and 1_000
is_decimal = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
is_integer = re.compile(rb"[+-]?[0-9]+").fullmatch
# a rank column that can be compared with the scores
is_rank = re.compile(rb"[+-]?[0-9]{1,9}").fullmatch

_DECIMAL_COMMA = re.compile(rb"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?").fullmatch
_NOT_FINITE = re.compile(rb"[+-]?(?:nan(?:\([^)]*\))?|inf|infinity)", re.IGNORECASE).fullmatch
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n|\Z)")
_CONTROLS = bytes(byte for byte in (*range(32), 127) if byte not in b"\t\n\r")
_SECOND_COLUMNS = (b"Q0", b"q0", b"0", b"1")
_NAMES = ("topic", "Q0", "document", "rank", "score", "tag")


def is_clean(block: bytes) -> bool:
    """Say whether a block is UTF-8 without control bytes; a carriage return is clean only before a line feed."""
    if len(block.translate(None, _CONTROLS)) != len(block):
        return False
    if b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
        return False
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def log_bad_bytes(log: FaultLog, raw: bytes, number: int, offset: int, limits: Limits) -> bool:
    """Log the first bad byte of a line, or that the line is too long. `offset` is where the line begins in the file.

    Returns whether the line has a fault, so that it is not read any further.
    """
    if len(raw) > limits.line_bytes and len(raw.removesuffix(b"\r")) > limits.line_bytes:
        log.add("line_too_long", number, found=raw, limit=limits.line_bytes)
        return True
    if control := _CONTROL.search(raw + b"\n"):
        at, code = control.start(), "control_byte"
    else:
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            at, code = error.start, "not_utf8"
        else:
            return False
    log.add(code, number, column_at(raw, at), raw, byte=f"0x{raw[at]:02x}", offset=offset + at)
    return True


def column_at(raw: bytes, at: int) -> str:
    """Name the column of a run that holds the byte at this place, or nothing for a line of another width."""
    before = raw[:at].split()
    is_inside = at > 0 and raw[at - 1] not in b" \t"
    index = len(before) - 1 if is_inside and before else len(before)
    return _NAMES[index] if index < N_FIELDS and len(raw.split()) == N_FIELDS else ""


def log_wrong_width(log: FaultLog, fields: list[bytes], raw: bytes, number: int) -> None:
    """Log that a line does not have six columns, and which other layout it looks like."""
    n_fields = len(fields)
    if n_fields <= 2 and raw.count(b",") >= 2:
        code = "separated_by_commas"
    elif n_fields == 3:
        code = "msmarco_layout" if is_integer(fields[2]) else "too_few_fields"
    elif n_fields == 4 and is_integer(fields[3]) and fields[1] in _SECOND_COLUMNS:
        code = "qrels_layout"
    elif n_fields < N_FIELDS:
        code = "too_few_fields"
    elif is_integer(fields[3]) and is_decimal(fields[4]):
        code = "blank_in_tag"
    elif _holds_blank_in_document(fields):
        code = "blank_in_document"
    else:
        code = "too_many_fields"
    log.add(code, number, found=raw, n_fields=n_fields)


def log_bad_fields(log: FaultLog, fields: list[bytes], number: int, limits: Limits) -> None:
    """Log every field of a line of six columns that cannot be used; a line without such a field logs nothing."""
    for column in (0, 2):
        if len(fields[column]) > limits.id_bytes:
            facts = {"size": len(fields[column]), "limit": limits.id_bytes}
            log.add("id_too_long", number, _NAMES[column], fields[column], **facts)
    score = fields[4]
    if is_decimal(score):
        code = "" if math.isfinite(float(score)) else "score_not_finite"
    elif _NOT_FINITE(score):
        code = "score_not_finite"
    else:
        code = "score_with_comma" if _DECIMAL_COMMA(score) else "score_not_number"
    if code:
        log.add(code, number, "score", score)


def _holds_blank_in_document(fields: list[bytes]) -> bool:
    """Say whether a line is a row but for blanks in its document; a blank in the topic puts Q0 elsewhere."""
    is_row_around = fields[1] in _SECOND_COLUMNS and is_integer(fields[-3]) and is_decimal(fields[-2])
    return bool(is_row_around) and fields[-5] not in (b"Q0", b"q0")
