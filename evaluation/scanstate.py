"""The columns that the compiled scanner reads and writes: what each array and each of its places means.

Few arrays with named places rather than one a name, since compiled functions take every array apart at each call. No
line is read here.

An id (topic, document, tag) is kept as words of eight bytes, first byte lowest, with at least one zero byte at its
end. No id holds a zero byte, so two ids are equal exactly when their words are, and no length has to be kept. A *list
of ids* has one entry an id: its number, then its words. Places in it are those of entries, and 0 is nobody's. Its
*slots* are a hash table of places, as many as a power of two.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Slots = NDArray[np.int32]
Floats = NDArray[np.float64]

SHELF_WORDS = 32
ID_WORDS = 66  # more than an entry of Limits.id_bytes takes
PADDING = 8192  # zero bytes behind the last line: where a search for the end of a field ends, and longer than a line


class State(IntEnum):
    """Places in `Run.state`: what to go by, and what was counted."""

    # the rules
    DEPTH = 0
    MAX_DOCUMENTS = 1
    MAX_ROWS = 2  # of the open topic, before repeats and what is too deep are dropped
    ID_BYTES = 3
    LINE_BYTES = 4
    MAX_TOPICS = 5
    MAX_TAGS = 6
    N_KNOWN = 7  # topics with this number and higher ones are foreign
    IS_SCATTERED = 8
    REMOVES_IDENTICAL = 9
    HAS_COLLECTION = 10
    SECRET = 11  # of the hash
    # the counts
    POSITION = 12  # first byte of the block that is not read yet
    N_LINES = 13
    N_ROWS = 14  # of the open topic
    DOCUMENTS_END = 15  # first free place in `Run.documents`, and so on
    N_TOPICS = 16
    TOPICS_END = 17
    N_TAGS = 18
    TAGS_END = 19
    SHELVES_END = 20
    N_ODD = 21
    N_SEEN_TOPICS = 22
    OPEN_TOPIC = 23  # -1 before the first row
    LAST_TAG = 24  # its place, 0 before the first row
    N_SECOND_COLUMN = 25  # lines whose second column is not Q0, and the first of them
    SECOND_COLUMN_LINE = 26
    N_DUPLICATES = 27
    N_TOO_DEEP = 28
    TOPIC_BYTES = 29  # length of the open topic, and of the last tag
    TAG_BYTES = 30
    HAS_EXAMPLE = 31  # 1 once the last entry of `Run.late_ids` is a document outside the collection
    SKIPS_HEADER = 32  # 1 once the lines with # above the rows are too many to be kept


class Row(IntEnum):
    """Columns of `Run.rows`: the rows of the open topic in the order of the file."""

    LINE = 0
    RANK = 1  # as written, or scanner.UNREADABLE
    DOCUMENT = 2  # its place in `Run.documents`
    RANKED = 3  # counted from 0, -1 if the row was dropped
    FIRST_TIED = 4  # best and worst rank that an equal score allows
    LAST_TIED = 5


class Topic(IntEnum):
    """Columns of `Run.topics`; those from N_DOCUMENTS on mean what the fields of `ranking.Ranked` mean."""

    FIRST_LINE = 0  # 0 where the run has none
    JUDGEMENTS = 1  # its first judgement, and the one behind its last
    JUDGEMENTS_END = 2
    IS_TOO_DEEP = 3
    IS_FINISHED = 4
    N_DOCUMENTS = 5
    N_KEPT = 6
    N_IDENTICAL = 7
    N_TIED_PAIRS = 8
    CROSSES = 9
    LARGEST_TIE = 10
    N_UNKNOWN = 11
    N_UNREADABLE_RANKS = 12
    RANK_DISAGREES = 13
    HAS_DISTINCT_SCORES = 14
    SCORES_GROW = 15


class Chain(IntEnum):
    """Columns of `Run.chains`: what is looked at for every line of a scattered file, so no more than must be."""

    ID = 0  # place of the topic in `Run.topic_ids`
    SHELF = 1  # the place of its first word on the shelves
    END = 2  # and where the next one goes, 0 before the first
    N_WORDS = 3


class Judgement(IntEnum):
    """Columns of `Run.judgements`. RANK is 0 where the document was not retrieved."""

    DOCUMENT = 0  # its place in `Run.judged`, which has no slots
    RANK = 1
    FIRST_TIED = 2
    LAST_TIED = 3


class Odd(IntEnum):
    """Columns of `Run.odd`: lines that need words, and where they stand in the block."""

    LINE = 0
    START = 1
    STOP = 2


class Late(IntEnum):
    """Columns of `Run.late`: the faults with the lowest lines that only complete topics show."""

    KIND = 0  # scanner.DUPLICATE or TOO_DEEP
    TOPIC = 1
    LINE = 2
    FIRST_LINE = 3


class Run(NamedTuple):
    """Everything that the scanner knows but the text.

    While topics are scattered their rows wait on `shelves`. Each topic has a chain of shelves of SHELF_WORDS words,
    whose last word says where the next one begins. A row is its score, its line and rank in one word, and the words of
    its document.
    """

    state: Ints
    powers: Floats  # of ten
    scores: Floats  # of the open topic, by row
    rows: Ints
    order: Ints  # rows, best first
    spare: Ints  # to sort with
    documents: Words  # list of ids, numbered by row
    document_slots: Slots
    topics: Ints
    chains: Ints  # one a topic
    topic_ids: Words
    topic_slots: Slots
    tags: Words
    tag_slots: Slots
    judgements: Ints
    judged: Words
    collection: Words
    collection_slots: Slots
    shelves: Words
    odd: Ints
    late: Ints
    late_ids: Words  # ID_WORDS for each of `late`, and then those of the example
