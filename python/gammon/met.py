"""Match equity tables: the chance to win a match from a score.

>>> met = MatchEquityTable.default()
>>> round(met.mwc(2, 3), 2), met.mwc(5, 5)
(0.6, 0.5)

``docs/met.md`` has the file format, the method behind `MatchEquityTable.compute`, and what happens beyond a table.
"""

from __future__ import annotations

import functools
import math
import os
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, NamedTuple, NewType, Protocol

from gammon._checks import power_of_two
from gammon.errors import FileFormatError, InvalidArgumentError
from gammon.files import whole

if TYPE_CHECKING:
    from gammon.cube import Score

__all__ = ["MWC", "Equity", "GammonPrices", "MatchEquities", "MatchEquityTable"]

MWC = NewType("MWC", float)
"""A match winning chance, 0 to 1. A type of its own, so that a type checker tells it from an equity."""

Equity = NewType("Equity", float)
"""An equity: 1 for a single game won with the cube as it lies, -1 for one lost."""

MAX_LENGTH = 200
"""The longest table that can be read."""

MAX_COMPUTED = 64
"""The longest table that can be computed: beyond about 130 points a trailing player's chances round to nothing."""

MAX_AWAY = 32767

MAX_CUBE = 1 << 15

_MAX_FILE = 4_000_000
_MAX_DEPTH = 16

# The standard deviation of a match's score for each game and player, by the points the player needs (from 1): what
# GNU Backgammon extends its tables with, read off its answers beyond a short table to within 1e-5. The last holds for
# all longer distances.
_DEVIATIONS = (1.24, 1.27, 1.47, 1.50, 1.60, 1.61, 1.66, 1.68, 1.70, 1.72, 1.77)

# Who trails after the Crawford game doubles at once and wins 2 points, or 4 with this share of gammons.
_POST_CRAWFORD_GAMMONS = 0.25

# How much of an extended chance falls with the plain proportion of the points still needed: so little that nobody
# notices, and enough that no score is ever exactly won or lost.
_TRACE = 1e-6


class MatchEquities(Protocol):
    """What can say how likely a match is won from a score: a `MatchEquityTable`, or a table in the making.

    >>> from gammon.cube import Ladder, Score
    >>> class Proportional:
    ...     def mwc(self, away, opponent_away, *, post_crawford=False, player=0):
    ...         return MWC(max(0, opponent_away) / (max(0, away) + max(0, opponent_away)))
    >>> Ladder.match(Score(2, 2), Proportional()).worth(1)
    0.6666666666666666
    """

    def mwc(self, away: int, opponent_away: int, *, post_crawford: bool = False, player: int = 0) -> MWC:
        """The chance to win the match with so many points needed."""


class GammonPrices(NamedTuple):
    """What gammons are worth at a score, in halves of what lies between winning and losing a single game.

    For money both are 1: a gammon wins one point more than a single game, half the two points between won and lost.

    >>> from gammon.cube import Score
    >>> MatchEquityTable.default().gammon_prices(Score(1, 3)).gammon
    0.0
    """

    gammon: float
    """What a gammon wins beyond a single game."""
    backgammon: float
    """What a backgammon wins beyond a gammon."""


@dataclass(frozen=True, slots=True, repr=False)
class MatchEquityTable:
    """The chances to win a match, by the points that both players need.

    Make one with `default`, `load` or `compute`.

    Args:
        name: what it is called.
        description: where it comes from.
        pre: before the Crawford game, as player 0 sees it: `pre[i][j]` for i + 1 points needed, j + 1 by player 1. With
            one of them 1 the Crawford game is yet to come.
        post: after the Crawford game, for player 0 and player 1 as the one who trails: `post[player][i]` for i + 1
            points needed against 1. May have fewer entries than the table has rows.

    Raises `InvalidArgumentError` for rows of other lengths, and for chances that do not lie between 0 and 1.

    >>> table = MatchEquityTable.compute(gammon_rate=0.25, length=7)
    >>> table.length, round(table.mwc(1, 7), 2)
    (7, 0.91)
    """

    name: str
    description: str
    pre: tuple[tuple[float, ...], ...]
    post: tuple[tuple[float, ...], tuple[float, ...]]

    def __post_init__(self) -> None:
        """Refuses what is no table."""
        length = len(self.pre)
        if not 1 <= length <= MAX_LENGTH:
            raise InvalidArgumentError(f"a table is for 1 to {MAX_LENGTH} points, not {length}")
        for number, values in enumerate(self.pre, 1):
            if len(values) != length:
                raise InvalidArgumentError(f"row {number} of {length} has {len(values)} values")
        for values in self.post:
            if not 1 <= len(values) <= length:
                raise InvalidArgumentError(f"the post-Crawford row has 1 to {length} values, not {len(values)}")
        named = [(f"row {number}", row) for number, row in enumerate(self.pre, 1)]
        for place, row in (*named, *(("the post-Crawford row", row) for row in self.post)):
            for column, value in enumerate(row, 1):
                if not 0 < value < 1:
                    message = f"{place}, value {column}: a chance between 0 and 1, not {value}"
                    raise InvalidArgumentError(message)

    def __repr__(self) -> str:
        """Name and length; the values would fill a page."""
        return f"<MatchEquityTable {self.name!r} to {self.length} points>"

    @property
    def length(self) -> int:
        """The most points that it has values for; beyond them it is extended.

        >>> MatchEquityTable.default().length
        25
        """
        return len(self.pre)

    def mwc(self, away: int, opponent_away: int, *, post_crawford: bool = False, player: int = 0) -> MWC:
        """The chance to win the match with so many points needed.

        With one player at 1 point the Crawford game is to come unless `post_crawford`. 0 points or fewer have won.
        Scores beyond the table are extended, see ``docs/met.md``. `player` is who asks, for tables whose two players
        are not equally strong.

        Raises `InvalidArgumentError` if both have won, if `post_crawford` is said of a score without it, and for a
        number above 32767.

        >>> met = MatchEquityTable.default()
        >>> met.mwc(0, 3), met.mwc(1, 1)
        (1.0, 0.5)
        >>> met.mwc(3, 1) < met.mwc(3, 1, post_crawford=True)
        True
        """
        for name, value in (("away", away), ("opponent_away", opponent_away)):
            if isinstance(value, bool) or not isinstance(value, int) or value > MAX_AWAY:
                raise InvalidArgumentError(f"{name} is a whole number up to {MAX_AWAY}, not {value!r}")
        if player not in (0, 1):
            raise InvalidArgumentError(f"player is 0 or 1, not {player!r}")
        if away <= 0 and opponent_away <= 0:
            raise InvalidArgumentError(f"both players have won: {away}-away, {opponent_away}-away")
        if away <= 0 or opponent_away <= 0:
            return MWC(float(away <= 0))
        if not post_crawford:
            own, other = (away, opponent_away) if player == 0 else (opponent_away, away)
            chance = self._pre(own, other)
            return MWC(chance if player == 0 else 1.0 - chance)
        if opponent_away == 1:
            return MWC(self._post(player, away))
        if away == 1:
            return MWC(1.0 - self._post(1 - player, opponent_away))
        raise InvalidArgumentError(f"no post-Crawford game is played {away}-away, {opponent_away}-away")

    def _pre(self, own: int, other: int) -> float:
        if own <= self.length and other <= self.length:
            return self.pre[own - 1][other - 1]
        deviations = [_DEVIATIONS[min(away, len(_DEVIATIONS)) - 1] for away in (own, other)]
        games = (own + other) / 2
        lead = (other - own) / (math.hypot(*deviations) * math.sqrt(games))
        chance = math.erfc(-lead / math.sqrt(2)) / 2  # the normal distribution
        return (1 - _TRACE) * chance + _TRACE * other / (own + other)

    def _post(self, trailer: int, away: int) -> float:
        row = self.post[trailer]
        if away <= len(row):
            return row[away - 1]
        return (1 - _TRACE) * _extend(row, away) + _TRACE / (1 + away)

    def gammon_prices(self, score: Score, *, cube: int = 1, player: int = 0) -> GammonPrices:
        """What gammons and backgammons are worth to the player at a score with this cube, a power of 2.

        >>> from gammon.cube import Score
        >>> MatchEquityTable.default().gammon_prices(Score(2, 1))
        GammonPrices(gammon=2.0, backgammon=0.0)
        """
        power_of_two("cube", cube, MAX_CUBE)
        lose, win, gammon, backgammon = (self._after(score, cube * points, player) for points in (-1, 1, 2, 3))
        half = (win - lose) / 2
        return GammonPrices((gammon - win) / half, (backgammon - gammon) / half)

    def to_equity(self, mwc: MWC, score: Score, *, cube: int = 1, player: int = 0) -> Equity:
        """The equity that a match winning chance is worth at a score with this cube, a power of 2.

        Raises `InvalidArgumentError` for a chance outside 0 to 1, or a cube that is none.

        >>> from gammon.cube import Score
        >>> met = MatchEquityTable.default()
        >>> met.to_equity(met.mwc(4, 5), Score(5, 5)), met.to_equity(met.mwc(5, 3), Score(5, 5), cube=2)
        (1.0, -1.0)
        """
        if not 0 <= mwc <= 1:
            raise InvalidArgumentError(f"a match winning chance is from 0 to 1, not {mwc!r}")
        power_of_two("cube", cube, MAX_CUBE)
        lose, win = self._after(score, -cube, player), self._after(score, cube, player)
        return Equity((2 * mwc - win - lose) / (win - lose))

    def to_mwc(self, equity: Equity, score: Score, *, cube: int = 1, player: int = 0) -> MWC:
        """The match winning chance that an equity stands for: the inverse of `to_equity`.

        Raises `InvalidArgumentError` for an equity that no match winning chance has.

        >>> from gammon.cube import Score
        >>> met = MatchEquityTable.default()
        >>> met.to_mwc(1.0, Score(5, 5)) == met.mwc(4, 5)
        True
        """
        power_of_two("cube", cube, MAX_CUBE)
        lose, win = self._after(score, -cube, player), self._after(score, cube, player)
        chance = (win + lose + equity * (win - lose)) / 2
        if not -1e-9 <= chance <= 1 + 1e-9:
            raise InvalidArgumentError(
                f"at {score} with a cube of {cube} no match winning chance has equity {equity!r}"
            )
        return MWC(min(max(chance, 0.0), 1.0))

    def _after(self, score: Score, points: int, player: int) -> float:
        if not hasattr(score, "after"):
            raise InvalidArgumentError(f"score is a Score, such as Score(2, 4), not {score!r:.60}")
        after = score.after(points)
        if after is None:
            return float(points > 0)
        return self.mwc(after.away, after.opponent_away, post_crawford=after.post_crawford, player=player)

    @classmethod
    @functools.cache
    def default(cls) -> MatchEquityTable:
        """The table that is used where none is given: computed, for 25 points, in a few hundredths of a second.

        >>> MatchEquityTable.default()
        <MatchEquityTable 'gammon 25' to 25 points>
        """
        return cls.compute(length=25)

    @classmethod
    def compute(
        cls,
        *,
        gammon_rate: float = 0.28,
        backgammon_rate: float = 0.01,
        efficiency: float = 0.74,
        opening_spread: float = 0.024,
        length: int = 25,
    ) -> MatchEquityTable:
        """The table of two equal players, score by score from the end of the match.

        Each game is won by either player with one half, and its worth with a centred cube at that score is the
        interpolated value of `gammon.cube`. After the Crawford game the trailing player doubles at once and the leader
        drops if the first exchange went badly. ``docs/met.md`` compares the result with published tables.

        Args:
            gammon_rate: the share of gammons among games won, backgammons included, 0 to 1.
            backgammon_rate: the share of backgammons among games won.
            efficiency: the efficiency of the cube, 0 to 1.
            opening_spread: how far the first exchange moves the winning chance, up or down.
            length: the points of the longest match, 1 to 64.

        Raises:
            InvalidArgumentError: for a number out of range, or assumptions so odd (most games gammons, the cube dead)
                that a single game won would be no gain at some score.

        >>> MatchEquityTable.compute(gammon_rate=0.25, length=7)
        <MatchEquityTable 'gammon 7' to 7 points>
        """
        if not 0 <= backgammon_rate <= gammon_rate <= 1:
            message = f"rates from 0 to 1, backgammons among gammons, not {gammon_rate!r} and {backgammon_rate!r}"
            raise InvalidArgumentError(message)
        if not 0 <= efficiency <= 1:
            raise InvalidArgumentError(f"efficiency is from 0 to 1, not {efficiency!r}")
        if not 0 <= opening_spread <= 0.25:
            raise InvalidArgumentError(f"opening_spread is from 0 to 0.25, not {opening_spread!r}")
        if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= MAX_COMPUTED:
            raise InvalidArgumentError(f"length is a whole number from 1 to {MAX_COMPUTED}, not {length!r}")
        assumptions = (
            f"gammon rate {gammon_rate}, backgammon rate {backgammon_rate}, "
            f"efficiency {efficiency}, opening spread {opening_spread}"
        )
        try:
            pre, post = _Model(gammon_rate, backgammon_rate, efficiency, opening_spread).solve(length)
        except InvalidArgumentError as error:
            # So many gammons and so little use of the cube that, at some score, a point more is no gain.
            raise InvalidArgumentError(f"{assumptions}: no table comes of this: {error}") from None
        description = f"gammon.met.compute: {assumptions}"
        return cls(f"gammon {length}", description, pre, (post, post))

    @classmethod
    def load(cls, path: str | os.PathLike[str] | IO[bytes]) -> MatchEquityTable:
        """Reads a table in the XML format of GNU Backgammon, from a path or a binary file.

        A document type may be named, as GNU's files do, but is never fetched; entities and anything else that could
        make a small file large are refused.

        Raises:
            FileNotFoundError: if there is no such file.
            FileFormatError: for a file that is no explicit table, with what is wrong and where.

        >>> import io
        >>> table = MatchEquityTable.compute(length=3)
        >>> file = io.BytesIO()
        >>> table.save(file)
        >>> file.seek(0)
        0
        >>> MatchEquityTable.load(io.BytesIO(file.getvalue())) == table
        True
        """
        if isinstance(path, str | os.PathLike):
            name = os.fspath(path)
            with open(path, "rb") as file:
                data = file.read(_MAX_FILE + 1)
        else:
            name = str(getattr(path, "name", "file"))
            data = path.read(_MAX_FILE + 1)
        if len(data) > _MAX_FILE:
            raise FileFormatError(f"{name}: more than {_MAX_FILE} bytes, which no match equity table needs")
        return _table(name, _parse(name, data))

    def save(self, path: str | os.PathLike[str] | IO[bytes]) -> None:
        """Writes the table in the XML format of GNU Backgammon, to a path or a binary file, with all digits.

        Raises `OSError` if writing fails.

        >>> import io
        >>> file = io.BytesIO()
        >>> MatchEquityTable.compute(length=3).save(file)
        >>> file.getvalue()[:19]
        b'<?xml version="1.0"'
        """
        data = _document(self).encode()
        if isinstance(path, str | os.PathLike):
            with whole(path) as partial, open(partial, "wb") as file:
                file.write(data)
        else:
            path.write(data)


def _extend(row: tuple[float, ...], away: int) -> float:
    """The chance of a post-Crawford trailer beyond a row: an immediate double, then 2 points or 4 with one half."""
    known = [1.0, 1.0, 1.0, *row][-4:]
    for _ in range(away - len(row)):
        single, gammon = known[-2], known[-4]
        known = [*known[1:], ((1 - _POST_CRAWFORD_GAMMONS) * single + _POST_CRAWFORD_GAMMONS * gammon) / 2]
        if known[-1] == 0.0:
            break
    return known[-1]


class _Model:
    """The chances of two equal players, known up to the score that is being worked out."""

    def __init__(self, gammons: float, backgammons: float, efficiency: float, spread: float) -> None:
        self.gammons, self.backgammons = gammons, backgammons
        self.efficiency, self.spread = efficiency, spread
        self.pre = {(1, 1): 0.5}
        self.post = {1: 0.5}

    def solve(self, length: int) -> tuple[tuple[tuple[float, ...], ...], tuple[float, ...]]:
        for away in range(2, length + 1):
            self.post[away] = self._trailer(away)
        for total in range(3, 2 * length + 1):
            for away in range(max(1, total - length), (total + 1) // 2):
                self._add(away, total - away)
            if total % 2 == 0:
                self.pre[total // 2, total // 2] = 0.5
        aways = range(1, length + 1)
        pre = tuple(tuple(self.pre[own, other] for other in aways) for own in aways)
        return pre, tuple(self.post[away] for away in aways)

    def mwc(self, away: int, opponent_away: int, *, post_crawford: bool = False, player: int = 0) -> MWC:
        """What a ladder asks for; both players are equal."""
        if post_crawford:
            return MWC(self.post[away] if opponent_away == 1 else 1 - self.post[opponent_away])
        return MWC(self.pre[away, opponent_away])

    def _chances(self, win: float) -> tuple[float, float, float, float, float]:
        lose = 1 - win
        return (win, win * self.gammons, win * self.backgammons, lose * self.gammons, lose * self.backgammons)

    def _add(self, away: int, opponent_away: int) -> None:
        from gammon.cube import Ladder, Score

        ladder = Ladder.match(Score(away, opponent_away), self)
        chance = ladder.value(self._chances(0.5), efficiency=self.efficiency)
        self.pre[away, opponent_away] = chance
        self.pre[opponent_away, away] = 1 - chance

    def _trailer(self, away: int) -> float:
        from gammon.cube import Ladder, Score, decide

        ladder = Ladder.match(Score(away, 1, post_crawford=True), self)
        first = (
            decide(self._chances(0.5 + step), ladder=ladder, efficiency=1.0) for step in (-self.spread, self.spread)
        )
        return sum(ladder.from_equity(decision.best) for decision in first) / 2


class _Element:
    """An element of an XML file."""

    def __init__(self, name: str, attributes: dict[str, str], line: int) -> None:
        self.name, self.attributes, self.line = name, attributes, line
        self.text = ""
        self.children: list[_Element] = []

    def all(self, name: str) -> list[_Element]:
        return [child for child in self.children if child.name == name]


def _parse(name: str, data: bytes) -> _Element:
    """The root element. No entity is ever expanded but the five of XML itself, and nothing is fetched."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    root = _Element("", {}, 0)
    path = [root]

    def fail(reason: str) -> FileFormatError:
        return FileFormatError(f"{name}: line {parser.CurrentLineNumber}: {reason}")

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(path) > _MAX_DEPTH:
            raise fail(f"more than {_MAX_DEPTH} elements within each other")
        element = _Element(tag, attributes, parser.CurrentLineNumber)
        path[-1].children.append(element)
        path.append(element)

    def end(_tag: str) -> None:
        path.pop()

    def text(characters: str) -> None:
        path[-1].text += characters

    def doctype(_name: str, _system: str | None, _public: str | None, has_internal_subset: bool) -> None:
        if has_internal_subset:
            raise fail("a document type with declarations of its own is refused")

    def entity(*_: object) -> int:
        raise fail("entities are refused")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    parser.ExternalEntityRefHandler = entity
    parser.SkippedEntityHandler = entity
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise FileFormatError(f"{name}: not XML: {error}") from None
    except LookupError as error:
        raise FileFormatError(f"{name}: {error}") from None
    return root


def _table(name: str, root: _Element) -> MatchEquityTable:
    def one(parent: _Element, tag: str) -> _Element:
        found = parent.all(tag)
        if len(found) != 1:
            where = f"<{parent.name}> at line {parent.line}" if parent.name else "the file"
            raise FileFormatError(f"{name}: {where} has {len(found)} elements <{tag}>, not one")
        return found[0]

    def number(element: _Element) -> float:
        try:
            value = float(element.text.strip())
        except ValueError:
            value = math.nan
        if not 0 < value < 1:
            text = element.text.strip()[:40]
            raise FileFormatError(f"{name}: line {element.line}: {text!r} is no chance between 0 and 1")
        return value

    def explicit(table: _Element) -> list[tuple[float, ...]]:
        kind = table.attributes.get("type", "explicit")
        if kind != "explicit":
            message = (
                f"a table of type {kind!r} is a formula with parameters, not a table; see MatchEquityTable.compute"
            )
            raise FileFormatError(f"{name}: line {table.line}: {message}")
        return [tuple(number(value) for value in row.all("me")) for row in table.all("row")]

    met = one(root, "met")
    info = one(met, "info")
    length_element = one(info, "length")
    try:
        length = int(length_element.text.strip())
    except ValueError:
        length = 0
    pre_table = one(met, "pre-crawford-table")
    pre = explicit(pre_table)
    if not 1 <= length <= MAX_LENGTH:
        text = length_element.text.strip()[:40]
        message = f"line {length_element.line}: a length is 1 to {MAX_LENGTH}, not {text!r}"
        raise FileFormatError(f"{name}: {message}")
    if len(pre) != length or any(len(row) != length for row in pre):
        sizes = sorted({len(row) for row in pre})
        message = f"the table has {length} rows of {length} values, not {len(pre)} of {sizes}"
        raise FileFormatError(f"{name}: line {pre_table.line}: {message}")
    post: dict[str, tuple[float, ...]] = {}
    for table in met.all("post-crawford-table"):
        rows = explicit(table)
        # Some files end a point early.
        if len(rows) != 1 or not length - 1 <= len(rows[0]) <= length or not rows[0]:
            message = f"a post-Crawford table is one row of {length} values"
            raise FileFormatError(f"{name}: line {table.line}: {message}")
        player = table.attributes.get("player", "both")
        if player not in ("0", "1", "both"):
            raise FileFormatError(f"{name}: line {table.line}: player is 0, 1 or both, not {player!r}")
        for who in "01" if player == "both" else player:
            if who in post:
                raise FileFormatError(f"{name}: line {table.line}: a second post-Crawford table for player {who}")
            post[who] = rows[0]
    if len(post) != 2:
        raise FileFormatError(f"{name}: the post-Crawford table of both players, or of each, is missing")
    title, description = (" ".join(one(info, tag).text.split()) for tag in ("name", "description"))
    return MatchEquityTable(title, description, tuple(pre), (post["0"], post["1"]))


def _document(table: MatchEquityTable) -> str:
    from xml.sax.saxutils import escape  # loads half the network library

    def row(values: tuple[float, ...]) -> str:
        return "    <row>\n" + "".join(f"      <me>{value!r}</me>\n" for value in values) + "    </row>\n"

    same = table.post[0] == table.post[1]
    posts = [("both", table.post[0])] if same else [("0", table.post[0]), ("1", table.post[1])]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN" "met.dtd">\n'
        "<met>\n  <info>\n"
        f"    <name>{escape(table.name)}</name>\n"
        f"    <description>{escape(table.description)}</description>\n"
        f"    <length>{table.length}</length>\n"
        "  </info>\n"
        '  <pre-crawford-table type="explicit">\n'
        + "".join(row(values) for values in table.pre)
        + "  </pre-crawford-table>\n"
        + "".join(
            f'  <post-crawford-table type="explicit" player="{player}">\n{row(values)}  </post-crawford-table>\n'
            for player, values in posts
        )
        + "</met>\n"
    )
