"""Games by the million, and what they sum up to."""

from __future__ import annotations

import dataclasses
import math
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from gammon import _core
from gammon._long_work import Progress, reporter
from gammon.dice import _seed
from gammon.errors import Interrupted, InvalidArgumentError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["GameTable", "SimulationResult", "Wins", "simulate"]


class Wins(NamedTuple):
    """How many games a side won, by what they were worth."""

    single: int
    gammon: int
    backgammon: int

    @property
    def games(self) -> int:
        """All of them."""
        return sum(self)

    @property
    def points(self) -> int:
        """What they were worth before stake and cube."""
        return self.single + 2 * self.gammon + 3 * self.backgammon


@dataclasses.dataclass(frozen=True, eq=False)
class GameTable:
    """One row for each game, in order. An interrupted run has gaps, so each row has its number.

    Attributes:
        game: uint64[N], the number of the game: its dice are those of ``RandomDice(seed, game)``.
        starter: uint8[N], the player who made the opening roll, 0 or 1.
        points: int8[N], what player 0 won, -3 to 3.
        plies: uint32[N], turns, dances included.
    """

    game: NDArray[np.uint64]
    starter: NDArray[np.uint8]
    points: NDArray[np.int8]
    plies: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.game)


@dataclasses.dataclass(frozen=True)
class SimulationResult:
    """What simulated games sum up to. Points are those of player 0 before stake and cube.

    `seconds` and `per_game` are left out of comparisons; the same seed gives an equal result for any `threads`.

    >>> from gammon import simulate
    >>> simulate(100, seed=1) == simulate(100, seed=1, threads=1)
    True
    """

    games: int
    players: tuple[str, str]
    variant: str
    seed: int
    plies: int
    plies_squared: int
    wins: tuple[Wins, Wins]
    seconds: float = dataclasses.field(default=0.0, compare=False, repr=False)
    per_game: GameTable | None = dataclasses.field(default=None, compare=False, repr=False)

    @property
    def plies_per_game(self) -> float:
        """Mean turns of a game, dances included; NaN without games."""
        return self.plies / self.games if self.games else math.nan

    @property
    def points_per_game(self) -> float:
        """Mean points of player 0 a game; NaN without games."""
        return (self.wins[0].points - self.wins[1].points) / self.games if self.games else math.nan

    @property
    def standard_error(self) -> float:
        """The standard error of `points_per_game`; NaN with fewer than two games."""
        if self.games < 2:
            return math.nan
        squares = sum(wins.single + 4 * wins.gammon + 9 * wins.backgammon for wins in self.wins)
        variance = (squares - self.games * self.points_per_game**2) / (self.games - 1)
        return math.sqrt(variance / self.games)

    @property
    def games_per_second(self) -> float:
        """How fast it went; NaN if it took no time."""
        return self.games / self.seconds if self.seconds else math.nan

    def to_dict(self) -> dict[str, Any]:
        """The sums as plain data, without the table of games."""
        return {
            "games": self.games,
            "players": list(self.players),
            "variant": self.variant,
            "seed": self.seed,
            "plies": self.plies,
            "wins": [wins._asdict() for wins in self.wins],
            "points_per_game": self.points_per_game if self.games else None,
            "standard_error": self.standard_error if self.games > 1 else None,
            "plies_per_game": self.plies_per_game if self.games else None,
            "seconds": self.seconds,
        }


def simulate(
    n: int,
    players: tuple[str, str] = ("random", "random"),
    *,
    variant: str = "standard",
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
    per_game: bool = False,
) -> SimulationResult:
    """Plays n cubeless games in which gammons count.

    Game k has the dice of ``gammon.dice.RandomDice(seed, game=k)``, whatever the number of threads.

    Args:
        n: games, 0 to 2**63 - 1.
        players: names of players 0 and 1; "random" chooses evenly among the distinct plays.
        variant: the start of each game.
        seed: 0 to 2**64 - 1; None draws one, kept in the result.
        threads: None for one on each core.
        progress: a callable (done, total), or True for a bar.
        per_game: whether to keep a table of the games (at most 2**27), in `.per_game`.

    Raises:
        InvalidArgumentError: for a name that does not exist or a number out of range.
        Interrupted: on Ctrl-C, with the games finished so far in `.result`.

    >>> from gammon import simulate
    >>> result = simulate(1000, seed=1)
    >>> result.games, 90 < result.plies_per_game < 105
    (1000, True)
    """
    names = tuple(players)
    if len(names) != 2 or any(name != "random" for name in names):
        raise InvalidArgumentError(f'players are two names; the one there is is "random", not {players!r}')
    seed = _seed(seed)
    start = time.perf_counter()
    with reporter(progress, "simulate", "games") as report:
        sums, columns, error = _core.random_games(n, variant, seed, threads, report, per_game)
    games, plies, plies_squared, (wins0, wins1) = sums
    result = SimulationResult(
        games=games,
        players=("random", "random"),
        variant=variant,
        seed=seed,
        plies=plies,
        plies_squared=plies_squared,
        wins=(Wins(*wins0), Wins(*wins1)),
        seconds=time.perf_counter() - start,
        per_game=None if columns is None else GameTable(*columns),
    )
    if isinstance(error, KeyboardInterrupt):
        raise Interrupted(f"interrupted after {games} of {n} games", result) from error
    if error is not None:
        raise error
    return result
