"""The compiled scanner: from blocks of whole lines to ranked topics, with every check in the same pass.

All compiled code is in this file, since a cached function does not notice a change elsewhere. Nothing is raised, opened
or logged here: a line that needs words is put aside, and the caller reads it with the plain reader's own rules.

How it reads. Only the rows of the open topic are kept. When the topic changes they are ranked, looked up in the
judgements and dropped. A topic that comes back shows that the file is scattered: the caller starts again, and all rows
wait on shelves, topic by topic, for the end of the file.

Rules of this file. Every index goes through a bounds check; `at(index)` says that it is not negative, which spares
numpy's counting from the end. Positions are int64 and words uint64, never mixed in arithmetic: numba would make floats.
No array is made here. Functions take the arrays they need, however many, and few the whole `Run`: taking it apart at
each call costs compiling time, and running time too.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

from evaluation.scanstate import (
    ID_WORDS,
    SHELF_WORDS,
    Bytes,
    Chain,
    Floats,
    Ints,
    Judgement,
    Late,
    Odd,
    Row,
    Run,
    Slots,
    State,
    Topic,
    Words,
)

# why `scan` came back
END_OF_BLOCK, NEEDS_ROOM, BAD_BYTES, TOPIC_CAME_BACK, TOO_MANY_TOPICS = range(5)

DUPLICATE, TOO_DEEP = range(2)  # kinds of late faults
UNREADABLE = -(2**31)  # a rank that is not a whole number of at most nine digits
TIE_CUTOFF = 10
SORTED_RUN = 16
LF, CR, TAB, BLANK, HASH, PLUS, MINUS, DOT, ZERO, SMALL_E, LARGE_E, LARGE_Q = b"\n\r\t #+-.0eEQ"
ROOM_FOR_A_DIGIT = 900_719_925_474_099  # a number below it stays below 2**53 with one more digit
EXACT_POWERS = 22  # powers of ten up to here are doubles without rounding

ONE, EIGHT, LOW_BYTE = np.uint64(1), np.uint64(8), np.uint64(255)
MIX_SHIFT, HALF, TOP_BYTE, TOP_BIT = np.uint64(29), np.uint64(32), np.uint64(56), np.uint64(63)
LOW_HALF, MULTIPLIER = np.uint64(2**32 - 1), np.uint64(0x9E3779B97F4A7C15)
at = np.uint64
signed = cast(Callable[[Any], int], np.int64)

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on the first call, without the interpreter's lock; keep the result for the next process if possible.

    `_nrt=False`: no array is made here, so none is counted. Counting took two thirds of the time, since with bounds
    checks the compiler cannot see that it is idle.
    """
    options = {"nogil": True, "boundscheck": True, "_nrt": False}
    try:
        fast = numba.njit(function, cache=True, **options)
    except RuntimeError:  # no folder for the result can be written
        fast = numba.njit(function, **options)
    return fast  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------------------------ ids as words


@compiled
def word_at(text: Words, start: int) -> np.uint64:
    """Take eight bytes of a text from byte `start` on, first byte lowest."""
    place, shift = at(start >> 3), at((start & 7) << 3)
    return at((text[place] >> shift) | ((text[place + ONE] << ONE) << (TOP_BIT - shift)))


@compiled
def last_word_at(text: Words, start: int, n_bytes: int) -> np.uint64:
    """Take the last `n_bytes` bytes of an id, fewer than eight, and zeros above them."""
    return word_at(text, start) & ((ONE << at(n_bytes << 3)) - ONE)


@compiled
def pack(text: Words, start: int, stop: int, words: Words, place: int) -> int:
    """Copy an id from a text to `words[place:]`; returns the place behind it."""
    while stop - start >= 8:
        words[at(place)] = word_at(text, start)
        start += 8
        place += 1
    words[at(place)] = last_word_at(text, start, stop - start)
    return place + 1


@compiled
def is_written(text: Words, start: int, stop: int, words: Words, place: int) -> bool:
    """Say whether the text from `start` to `stop` is the id at `words[place]`."""
    while stop - start >= 8:
        if words[at(place)] != word_at(text, start):
            return False
        start += 8
        place += 1
    return bool(words[at(place)] == last_word_at(text, start, stop - start))


@compiled
def is_last(word: np.uint64) -> bool:
    """Say whether a word ends its id."""
    return bool(word >> TOP_BYTE == 0)


@compiled
def is_greater(words: Words, place: int, others: Words, other: int) -> bool:
    """Say whether the id at `words[place]` comes after the one at `others[other]` by bytes."""
    while words[at(place)] == others[at(other)]:
        if is_last(words[at(place)]):
            return False
        place += 1
        other += 1
    word, other_word = words[at(place)], others[at(other)]
    while word & LOW_BYTE == other_word & LOW_BYTE:
        word >>= EIGHT
        other_word >>= EIGHT
    return bool(word & LOW_BYTE > other_word & LOW_BYTE)


@compiled
def copy_id(words: Words, place: int, others: Words, other: int) -> int:
    """Copy the id at `words[place]` to `others[other:]`; returns the place behind it."""
    while not is_last(words[at(place)]):
        others[at(other)] = words[at(place)]
        place += 1
        other += 1
    others[at(other)] = words[at(place)]
    return other + 1


@compiled
def find(words: Words, slots: Slots, n_slots: int, others: Words, other: int, secret: int) -> int:
    """Find the slot where the id at `others[other]` is, or the free one where it belongs.

    One factor of the hash is secret and changes with the process, so that no file can be made whose ids collide.
    """
    mixed, place, factor = at(0), other, at(secret)
    while True:
        mixed = (mixed ^ others[at(place)]) * MULTIPLIER
        mixed = (mixed ^ (mixed >> MIX_SHIFT)) * factor
        if is_last(others[at(place)]):
            break
        place += 1
    slot = signed(mixed >> HALF) & (n_slots - 1)
    while slots[at(slot)] != 0:
        entry, place = slots[at(slot)] + 1, other
        while words[at(entry)] == others[at(place)]:
            if is_last(others[at(place)]):
                return slot
            entry += 1
            place += 1
        slot = (slot + 1) & (n_slots - 1)
    return slot


@compiled
def enlist(text: Words, starts: Ints, words: Words, places: Ints) -> None:
    """Make a list of ids, the i-th written from byte `starts[i]` to `starts[i + 1]`; `places` takes their places."""
    end = 1
    for number in range(len(starts) - 1):
        places[number] = end
        words[end] = at(number)
        end = pack(text, starts[number], starts[number + 1], words, end + 1)


@compiled
def index(words: Words, slots: Slots, places: Ints, secret: int) -> None:
    """Fill the empty slots of a list of ids that has these places; of equal ids the first is found."""
    for number in range(len(places)):
        slot = find(words, slots, len(slots), words, places[number] + 1, secret)
        if slots[at(slot)] == 0:
            slots[at(slot)] = places[number]


# -------------------------------------------------------------------------------------------------- fields of a line


@compiled
def field_end(text: Bytes, start: int) -> int:
    """Find where the field that begins at `start` ends: at a blank, a line end or a control byte."""
    while text[at(start)] > BLANK:
        start += 1
    return start


@compiled
def split(text: Bytes, start: int, edges: Ints) -> tuple[int, int]:
    """Cut a line of any shape; `edges` takes start and end of the first six fields.

    Returns the number of fields, -1 if there are control bytes among them, and where the next line begins.
    """
    n_fields, is_clean = 0, True
    while True:
        byte = text[at(start)]
        if byte > BLANK:
            stop = field_end(text, start)
            if n_fields < 6:
                edges[2 * n_fields], edges[2 * n_fields + 1] = start, stop
            n_fields += 1
            start = stop
            continue
        start += 1
        if byte == LF:
            return n_fields if is_clean else -1, start
        is_clean = is_clean and (byte in (BLANK, TAB) or (byte == CR and text[at(start)] == LF))


if numba.config.DISABLE_JIT:

    def to_double(text: Bytes, start: int, stop: int) -> float:
        """Convert a decimal number in the interpreter, which cannot call a C function by its name."""
        return float(text[start:stop].tobytes())

else:
    _strtod = numba.types.ExternalFunction("strtod", numba.types.float64(numba.types.intp, numba.types.intp))

    @compiled
    def to_double(text: Bytes, start: int, stop: int) -> float:
        """Convert a decimal number in the C library, which stops at the blank behind it."""
        return _strtod(text.ctypes.data + start, 0)  # type: ignore[no-any-return]


@compiled
def whole_number(text: Bytes, start: int, stop: int) -> tuple[int, int]:
    """Read a whole number, with a sign or without; returns it and how many digits it has, 0 for anything else.

    The value is right up to nine digits.
    """
    sign = text[at(start)]
    if sign in (MINUS, PLUS):
        start += 1
    number, n_digits = 0, stop - start
    for place in range(start, stop):
        digit = signed(text[at(place)]) - ZERO
        if digit < 0 or digit > 9:
            return 0, 0
        number = number * 10 + digit if n_digits <= 9 else 0
    return -number if sign == MINUS else number, max(n_digits, 0)


@compiled
def decimal(text: Bytes, start: int, stop: int, powers: Floats) -> float:
    """Read a score, correctly rounded; returns NaN for what is not a finite plain decimal (`lines.is_decimal`).

    A whole number below 2**53, divided or multiplied by an exact power of ten, is rounded once and so is right. All
    others go to the C library.
    """
    first = start
    sign = text[at(start)]
    if sign in (MINUS, PLUS):
        start += 1
    number, scale, n_digits, has_dot, is_exact = 0, 0, 0, False, True
    while start < stop:
        digit = signed(text[at(start)]) - ZERO
        if 0 <= digit <= 9:
            n_digits += 1
            is_exact = is_exact and number < ROOM_FOR_A_DIGIT
            if is_exact:
                number = number * 10 + digit
                scale -= has_dot
        elif digit == DOT - ZERO and not has_dot:
            has_dot = True
        else:
            break
        start += 1
    if n_digits == 0:
        return np.nan
    if start < stop:
        exponent, n_read = whole_number(text, start + 1, stop)
        if text[at(start)] not in (SMALL_E, LARGE_E) or n_read == 0:
            return np.nan
        is_exact = is_exact and n_read <= 9
        scale += exponent
    if is_exact and -EXACT_POWERS <= scale <= EXACT_POWERS:
        size = float(number / powers[at(-scale)] if scale < 0 else number * powers[at(scale)])
        return -size if sign == MINUS else size
    value = to_double(text, first, stop)
    return value if -np.inf < value < np.inf else np.nan


# --------------------------------------------------------------------------------------------------- a complete topic


@compiled
def comes_first(scores: Floats, rows: Ints, documents: Words, row: int, other: int) -> bool:
    """Say whether a row ranks before another: the higher score, and of equal scores the later document id."""
    score, other_score = scores[at(row)], scores[at(other)]
    if score != other_score:
        return bool(score > other_score)
    return is_greater(documents, rows[row, Row.DOCUMENT] + 1, documents, rows[other, Row.DOCUMENT] + 1)


@compiled
def arrange(scores: Floats, rows: Ints, documents: Words, order: Ints, spare: Ints, n_rows: int) -> None:
    """Sort `order` best first: short runs by insertion, then merges, which leave alone what is in order already.

    Most runs come sorted but for their ties, and cost one comparison a row.
    """
    for low in range(0, n_rows, SORTED_RUN):
        for next_place in range(low + 1, min(low + SORTED_RUN, n_rows)):
            row, place = order[at(next_place)], next_place
            while place > low and comes_first(scores, rows, documents, row, order[at(place - 1)]):
                order[at(place)] = order[at(place - 1)]
                place -= 1
            order[at(place)] = row
    width = SORTED_RUN
    while width < n_rows:
        for low in range(0, n_rows - width, 2 * width):
            middle, high = low + width, min(low + 2 * width, n_rows)
            if not comes_first(scores, rows, documents, order[at(middle)], order[at(middle - 1)]):
                continue
            for place in range(low, middle):
                spare[at(place)] = order[at(place)]
            left, right, place = low, middle, low
            while left < middle:
                if right < high and comes_first(scores, rows, documents, order[at(right)], spare[at(left)]):
                    order[at(place)] = order[at(right)]
                    right += 1
                else:
                    order[at(place)] = spare[at(left)]
                    left += 1
                place += 1
        width *= 2


@compiled
def survey(scores: Floats, rows: Ints, order: Ints, n_rows: int, topic: Ints) -> None:
    """Walk down the order, one group of equal scores after another: ranks, ties, and the rank column against them."""
    disagrees, grows, n_unreadable, largest, n_pairs, crosses = False, True, 0, 0, 0, False
    highest, lowest_before, first = UNREADABLE, UNREADABLE, 0
    while first < n_rows:
        score, last = scores[at(order[at(first)])], first
        lowest, highest_here = -UNREADABLE, UNREADABLE
        while last < n_rows and scores[at(order[at(last)])] == score:
            written = rows[order[at(last)], Row.RANK]
            n_unreadable += written == UNREADABLE
            lowest, highest_here = min(lowest, written), max(highest_here, written)
            last += 1
        for place in range(first, last):
            row = order[at(place)]
            rows[row, Row.RANKED], rows[row, Row.FIRST_TIED], rows[row, Row.LAST_TIED] = place, first + 1, last
        size = last - first
        if size > 1:
            largest = max(largest, size)
            if first < TIE_CUTOFF:
                n_pairs += size * (size - 1) // 2
                crosses = crosses or last > TIE_CUTOFF
        if first > 0:
            disagrees = disagrees or lowest < highest
            grows = grows and highest_here < lowest_before
        highest, lowest_before, first = max(highest, highest_here), lowest, last
    topic[Topic.N_TIED_PAIRS], topic[Topic.CROSSES], topic[Topic.LARGEST_TIE] = n_pairs, crosses, largest
    topic[Topic.N_UNREADABLE_RANKS] = n_unreadable
    topic[Topic.RANK_DISAGREES] = disagrees and n_unreadable == 0
    topic[Topic.SCORES_GROW] = grows and disagrees and n_unreadable == 0
    topic[Topic.HAS_DISTINCT_SCORES] = n_rows > 1 and largest < n_rows


@compiled
def keep_late(late: Ints, kind: int, topic: int, line: int, first_line: int) -> int:
    """Keep a fault if its line is among the lowest; returns its row in `late`, or -1."""
    worst = 0
    for other in range(1, len(late)):
        if late[other, Late.LINE] > late[worst, Late.LINE]:
            worst = other
    if len(late) == 0 or line >= late[worst, Late.LINE]:
        return -1
    late[worst, Late.KIND], late[worst, Late.TOPIC] = kind, topic
    late[worst, Late.LINE], late[worst, Late.FIRST_LINE] = line, first_line
    return worst


@compiled
def admit(
    state: Ints,
    scores: Floats,
    rows: Ints,
    documents: Words,
    slots: Slots,
    topics: Ints,
    late: Ints,
    late_ids: Words,
) -> int:
    """Drop the repeats among the open rows, and those far below the depth; returns the number of slots in use."""
    topic, n_rows, n_kept, end, n_slots = state[State.OPEN_TOPIC], state[State.N_ROWS], 0, 1, 16
    while n_slots < 2 * n_rows:
        n_slots *= 2
    for slot in range(n_slots):
        slots[at(slot)] = 0
    for row in range(n_rows):
        place, line = rows[row, Row.DOCUMENT], rows[row, Row.LINE]
        slot = find(documents, slots, n_slots, documents, place + 1, state[State.SECRET])
        if slots[at(slot)] != 0:
            state[State.N_DUPLICATES] += 1
            first_line = rows[signed(documents[at(slots[at(slot)])]), Row.LINE]
            kept = keep_late(late, DUPLICATE, topic, line, first_line)
            if kept >= 0:
                copy_id(documents, place + 1, late_ids, kept * ID_WORDS)
        elif n_kept >= state[State.MAX_DOCUMENTS]:
            if topics[topic, Topic.IS_TOO_DEEP] == 0:
                state[State.N_TOO_DEEP] += 1
                keep_late(late, TOO_DEEP, topic, line, 0)
            topics[topic, Topic.IS_TOO_DEEP] = 1
        else:
            after = rows[row + 1, Row.DOCUMENT] if row + 1 < n_rows else state[State.DOCUMENTS_END]
            if n_kept < row:
                after = copy_id(documents, place + 1, documents, end + 1)
                scores[n_kept], documents[end] = scores[row], at(n_kept)
                rows[n_kept, Row.LINE], rows[n_kept, Row.RANK] = line, rows[row, Row.RANK]
            slots[at(slot)] = rows[n_kept, Row.DOCUMENT] = end
            n_kept, end = n_kept + 1, after
    state[State.N_ROWS], state[State.DOCUMENTS_END] = n_kept, end
    return n_slots


@compiled
def lowest_unknown(state: Ints, rows: Ints, documents: Words, collection: Words, slots: Slots, topics: Ints) -> int:
    """Count the open rows whose document is not in the collection; returns the place of the lowest such id, or 0."""
    lowest = 0
    for row in range(state[State.N_ROWS]):
        place = rows[row, Row.DOCUMENT]
        if slots[at(find(collection, slots, len(slots), documents, place + 1, state[State.SECRET]))] == 0:
            topics[state[State.OPEN_TOPIC], Topic.N_UNKNOWN] += 1
            if lowest == 0 or is_greater(documents, lowest + 1, documents, place + 1):
                lowest = place
    return lowest


@compiled
def finish(run: Run) -> None:
    """Rank the open topic, which is complete, note where its judged documents are, and drop its rows."""
    state, rows, documents, slots = run.state, run.rows, run.documents, run.document_slots
    columns, judgements, secret = run.topics[state[State.OPEN_TOPIC]], run.judgements, state[State.SECRET]
    n_slots = admit(state, run.scores, rows, documents, slots, run.topics, run.late, run.late_ids)
    n_documents, n_rows, dropped = state[State.N_ROWS], 0, -1
    if state[State.HAS_COLLECTION]:
        place = lowest_unknown(state, rows, documents, run.collection, run.collection_slots, run.topics)
        if place > 0 and not state[State.HAS_EXAMPLE]:
            state[State.HAS_EXAMPLE] = 1
            copy_id(documents, place + 1, run.late_ids, len(run.late) * ID_WORDS)
    if state[State.REMOVES_IDENTICAL]:
        place = slots[
            find(documents, slots, n_slots, run.topic_ids, run.chains[state[State.OPEN_TOPIC], Chain.ID] + 1, secret)
        ]
        dropped = signed(documents[place]) if place > 0 else -1
    for row in range(n_documents):
        rows[row, Row.RANKED] = -1
        if row != dropped:
            run.order[at(n_rows)] = row
            n_rows += 1
    arrange(run.scores, rows, documents, run.order, run.spare, n_rows)
    survey(run.scores, rows, run.order, n_rows, columns)
    columns[Topic.IS_FINISHED] = 1
    columns[Topic.N_DOCUMENTS], columns[Topic.N_IDENTICAL] = n_documents, n_documents - n_rows
    columns[Topic.N_KEPT] = min(n_rows, state[State.DEPTH])
    for judgement in range(columns[Topic.JUDGEMENTS], columns[Topic.JUDGEMENTS_END]):
        slot = find(documents, slots, n_slots, run.judged, judgements[judgement, Judgement.DOCUMENT] + 1, secret)
        row = signed(documents[slots[slot]]) if slots[slot] > 0 else -1
        if row >= 0 and rows[row, Row.RANKED] >= 0 and rows[row, Row.FIRST_TIED] <= state[State.DEPTH]:
            judgements[judgement, Judgement.RANK] = rows[row, Row.RANKED] + 1
            judgements[judgement, Judgement.FIRST_TIED] = rows[row, Row.FIRST_TIED]
            judgements[judgement, Judgement.LAST_TIED] = rows[row, Row.LAST_TIED]
    state[State.N_ROWS], state[State.DOCUMENTS_END] = 0, 1


# ------------------------------------------------------------------------------------------------ shelves, and the pass


@compiled
def put(state: Ints, shelves: Words, chain: Ints, word: np.uint64) -> None:
    """Put a word behind the others of a topic, on a new shelf where the last one is full."""
    place = chain[Chain.END]
    if place % SHELF_WORDS == SHELF_WORDS - 1 or place == 0:
        shelf = state[State.SHELVES_END]
        state[State.SHELVES_END] += SHELF_WORDS
        if place == 0:
            chain[Chain.SHELF] = shelf
        else:
            shelves[at(place)] = at(shelf)
        place = shelf
    shelves[at(place)] = word
    chain[Chain.END] = place + 1
    chain[Chain.N_WORDS] += 1


@compiled
def following(shelves: Words, place: int) -> int:
    """Find where the word stands that follows the one at `place`."""
    place += 1
    return signed(shelves[at(place)]) if place % SHELF_WORDS == SHELF_WORDS - 1 else place


@compiled
def put_row(state: Ints, scores: Floats, rows: Ints, documents: Words, shelves: Words, chain: Ints) -> None:
    """Move the only open row to the shelves of its topic."""
    put(state, shelves, chain, np.float64(scores[0]).view(np.uint64))
    put(state, shelves, chain, (at(rows[0, Row.LINE]) << HALF) | at(rows[0, Row.RANK] - UNREADABLE))
    for place in range(2, state[State.DOCUMENTS_END]):
        put(state, shelves, chain, documents[place])
    state[State.N_ROWS], state[State.DOCUMENTS_END] = 0, 1


@compiled
def take_rows(state: Ints, scores: Floats, rows: Ints, documents: Words, shelves: Words, chain: Ints) -> None:
    """Take the rows of a topic back from its shelves. The caller has made room for them."""
    place, n_left, row, end = chain[Chain.SHELF], chain[Chain.N_WORDS], 0, 1
    while n_left > 0:
        scores[row] = np.uint64(shelves[at(place)]).view(np.float64)
        place = following(shelves, place)
        rows[row, Row.LINE] = signed(shelves[at(place)] >> HALF)
        rows[row, Row.RANK] = signed(shelves[at(place)] & LOW_HALF) + UNREADABLE
        rows[row, Row.DOCUMENT], documents[at(end)] = end, at(row)
        row, end, n_left, is_open = row + 1, end + 1, n_left - 2, True
        while is_open:
            place = following(shelves, place)
            documents[at(end)] = shelves[at(place)]
            is_open = not is_last(documents[at(end)])
            end, n_left = end + 1, n_left - 1
        if n_left > 0:
            place = following(shelves, place)
    state[State.N_ROWS], state[State.DOCUMENTS_END] = row, end


@compiled
def finish_all(run: Run, topics: Ints) -> None:
    """Finish these topics, in this order: the open one, or all that wait on the shelves."""
    for topic in topics:
        run.state[State.OPEN_TOPIC] = topic
        if run.state[State.IS_SCATTERED]:
            take_rows(run.state, run.scores, run.rows, run.documents, run.shelves, run.chains[topic])
        finish(run)


@compiled
def put_aside(state: Ints, odd: Ints, line: int, start: int, stop: int) -> None:
    """Keep a line for the caller, who reads it in words."""
    place = state[State.N_ODD]
    odd[place, Odd.LINE], odd[place, Odd.START], odd[place, Odd.STOP] = line, start, stop
    state[State.N_ODD] += 1


@compiled
def note_tag(state: Ints, tags: Words, slots: Slots, text: Words, start: int, stop: int) -> None:
    """Remember the tag of this line, and keep it among the different tags while they are few."""
    place = state[State.TAGS_END]
    end = pack(text, start, stop, tags, place + 1)
    slot = find(tags, slots, len(slots), tags, place + 1, state[State.SECRET])
    if slots[slot] != 0:
        place = slots[slot]
    elif state[State.N_TAGS] < state[State.MAX_TAGS]:
        slots[slot] = place
        state[State.N_TAGS] += 1
        state[State.TAGS_END] = end
    state[State.LAST_TAG], state[State.TAG_BYTES] = place, stop - start


@compiled
def open_topic(
    state: Ints, ids: Words, slots: Slots, topics: Ints, chains: Ints, text: Words, start: int, stop: int, line: int
) -> int:
    """Open the topic that is written here; returns END_OF_BLOCK, or why the pass must stop."""
    place = state[State.TOPICS_END]
    end = pack(text, start, stop, ids, place + 1)
    slot = find(ids, slots, len(slots), ids, place + 1, state[State.SECRET])
    if slots[slot] == 0:
        topic = state[State.N_TOPICS]
        slots[slot] = chains[topic, Chain.ID] = place
        ids[place] = at(topic)
        state[State.N_TOPICS], state[State.TOPICS_END] = topic + 1, end
    topic = signed(ids[slots[slot]])
    state[State.OPEN_TOPIC], state[State.TOPIC_BYTES] = topic, stop - start
    if chains[topic, Chain.END] > 0:  # on the shelves already: spare a look at memory that is far away
        return END_OF_BLOCK
    if topics[topic, Topic.IS_FINISHED]:
        return TOPIC_CAME_BACK
    if topics[topic, Topic.FIRST_LINE] == 0:
        topics[topic, Topic.FIRST_LINE] = line
        state[State.N_SEEN_TOPICS] += 1
    return TOO_MANY_TOPICS if state[State.N_SEEN_TOPICS] > state[State.MAX_TOPICS] else END_OF_BLOCK


@compiled
def scan(run: Run, read: Bytes, text: Words, stop: int, edges: Ints) -> int:
    """Read the lines of a block from POSITION to `stop`; returns why it came back, with POSITION at the next line.

    `read` and `text` are the block as bytes and as words of eight, `edges` has room for twelve places. Most lines are
    tidy: six fields with one blank between them, topic and tag those of the line before, so that these are compared by
    words of eight bytes instead of searched for their ends. Lines that are not tidy are cut by `split`.
    """
    state, scores, rows, documents = run.state, run.scores, run.rows, run.documents
    topics, chains, topic_ids, tags, powers = run.topics, run.chains, run.topic_ids, run.tags, run.powers
    max_rows, max_documents, max_odd = len(scores), len(documents) - ID_WORDS, len(run.odd)
    max_topics, max_ids, max_shelves = len(topics), len(topic_ids) - ID_WORDS, len(run.shelves) - 4 * SHELF_WORDS
    status = END_OF_BLOCK
    while status == END_OF_BLOCK and state[State.POSITION] < stop:
        start, row, document_place = state[State.POSITION], state[State.N_ROWS], state[State.DOCUMENTS_END]
        if row >= max_rows or document_place > max_documents or state[State.N_ODD] >= max_odd:
            return NEEDS_ROOM
        if state[State.N_TOPICS] >= max_topics or state[State.TOPICS_END] > max_ids:
            return NEEDS_ROOM
        if state[State.SHELVES_END] > max_shelves:
            return NEEDS_ROOM
        current, topic, topic_end = state[State.OPEN_TOPIC], start, start + state[State.TOPIC_BYTES]
        topic_place = chains[current, Chain.ID] + 1
        is_open = read[at(topic_end)] <= BLANK and is_written(text, topic, topic_end, topic_ids, topic_place)
        if not is_open:
            topic_end = field_end(read, topic)
        second, second_end = topic_end + 1, field_end(read, topic_end + 1)
        document, document_end = second_end + 1, field_end(read, second_end + 1)
        rank, rank_end = document_end + 1, field_end(read, document_end + 1)
        score, score_end = rank_end + 1, field_end(read, rank_end + 1)
        tag, tag_end, tag_place = score_end + 1, score_end + 1 + state[State.TAG_BYTES], state[State.LAST_TAG] + 1
        is_same_tag = read[at(tag_end)] <= BLANK and is_written(text, tag, tag_end, tags, tag_place)
        if not is_same_tag:
            tag_end = field_end(read, tag)
        n_fields, after, blank = 6, tag_end + 1, read[at(topic_end)]
        if not (
            blank in (BLANK, TAB)
            and read[at(second_end)] == blank
            and read[at(document_end)] == blank
            and read[at(rank_end)] == blank
            and read[at(score_end)] == blank
            and read[at(tag_end)] == LF
            and (topic < topic_end and second < second_end and document < document_end)
            and (rank < rank_end and score < score_end and tag < tag_end)
        ):
            n_fields, after = split(read, start, edges)
            topic, topic_end, second, second_end = edges[0], edges[1], edges[2], edges[3]
            document, document_end, rank, rank_end = edges[4], edges[5], edges[6], edges[7]
            score, score_end, tag, tag_end = edges[8], edges[9], edges[10], edges[11]
            is_open = n_fields == 6 and current >= 0 and is_written(text, topic, topic_end, topic_ids, topic_place)
            is_same_tag = n_fields == 6 and is_written(text, tag, tag_end, tags, tag_place)
        size = after - 1 - start
        if n_fields < 0 or (
            size > state[State.LINE_BYTES] and size - (read[after - 2] == CR) > state[State.LINE_BYTES]
        ):
            return BAD_BYTES
        line = state[State.N_LINES] + 1
        state[State.POSITION], state[State.N_LINES] = after, line
        is_marked = read[at(start)] == HASH
        if is_marked or n_fields != 6:
            if n_fields > 0 if not is_marked else current < 0 and not state[State.SKIPS_HEADER]:
                put_aside(state, run.odd, line, start, after)
            continue
        value = decimal(read, score, score_end, powers)
        if max(topic_end - topic, document_end - document) > state[State.ID_BYTES] or np.isnan(value):
            put_aside(state, run.odd, line, start, after)
            continue
        if second_end - second != 2 or read[at(second)] != LARGE_Q or read[at(second + 1)] != ZERO:
            state[State.N_SECOND_COLUMN] += 1
            if state[State.N_SECOND_COLUMN] == 1:
                state[State.SECOND_COLUMN_LINE] = line
        if not is_same_tag:
            note_tag(state, tags, run.tag_slots, text, tag, tag_end)
        if not is_open:
            if 0 <= current < state[State.N_KNOWN] and not state[State.IS_SCATTERED]:
                finish(run)
            status = open_topic(state, topic_ids, run.topic_slots, topics, chains, text, topic, topic_end, line)
            current, row, document_place = state[State.OPEN_TOPIC], state[State.N_ROWS], state[State.DOCUMENTS_END]
        if status != END_OF_BLOCK or current >= state[State.N_KNOWN]:
            continue
        written, n_digits = whole_number(read, rank, rank_end)
        scores[at(row)], documents[at(document_place)] = value, at(row)
        rows[row, Row.LINE], rows[row, Row.DOCUMENT] = line, document_place
        rows[row, Row.RANK] = written if 0 < n_digits <= 9 else UNREADABLE
        state[State.DOCUMENTS_END] = pack(text, document, document_end, documents, document_place + 1)
        state[State.N_ROWS] = row + 1
        if state[State.IS_SCATTERED]:
            put_row(state, scores, rows, documents, run.shelves, chains[current])
        elif row + 1 >= state[State.MAX_ROWS]:
            admit(state, scores, rows, documents, run.document_slots, topics, run.late, run.late_ids)
    return status
