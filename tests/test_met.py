"""Match equity tables: figures, prices, files, and what lies beyond a table."""

from __future__ import annotations

import copy
import io
import json
import math
import pickle
from pathlib import Path
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammon.cube import Cube, Ladder, Score, decide
from gammon.errors import FileFormatError, GammonError, InvalidArgumentError
from gammon.met import MWC, Equity, GammonPrices, MatchEquityTable

DATA = Path(__file__).parent / "data"
INSTALLED = Path("/usr/share/gnubg/met")


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


SPOTS = lines("E_met_spots.jsonl")
MARKET = lines("E_market.jsonl")
needs_tables = pytest.mark.skipif(
    not INSTALLED.exists(), reason="GNU Backgammon's tables are not installed (apt-get install gnubg)"
)


def table_of_spots(name: str, length: int) -> MatchEquityTable:
    """A table with the recorded values of one table in their places, and a half in all others."""
    pre = [[0.5] * length for _ in range(length)]
    post = [[0.5] * length, [0.5] * length]
    for row in SPOTS:
        if row["met"] != name:
            continue
        if row["kind"] == "post":
            if row["trailer_away"] < length:
                post[row["trailer"]][row["trailer_away"] - 1] = row["mwc_trailer"]
        elif row["explicit"]:
            pre[row["away0"] - 1][row["away1"] - 1] = row["mwc0"]
    return MatchEquityTable(name, "spots", tuple(map(tuple, pre)), (tuple(post[0]), tuple(post[1])))


def test_spots_by_player_and_through_a_file():
    """Every recorded value comes back from its own player's view and as the other's complement, after a file too."""
    lengths = {"Kazaross-XG2": 25, "g11": 25, "jac100": 25, "woolsey": 15}
    seen = 0
    for name, length in lengths.items():
        table = table_of_spots(name, length)
        file = io.BytesIO()
        table.save(file)
        for met in (table, MatchEquityTable.load(io.BytesIO(file.getvalue()))):
            for row in SPOTS:
                if row["met"] != name:
                    continue
                if row["kind"] == "pre" and row["explicit"]:
                    own, other, chance = row["away0"], row["away1"], row["mwc0"]
                    assert met.mwc(own, other) == chance
                    assert met.mwc(other, own, player=1) == pytest.approx(1 - chance, abs=1e-15)
                elif row["kind"] == "post" and row["trailer_away"] < length:
                    trailer, away = row["trailer"], row["trailer_away"]
                    assert met.mwc(away, 1, post_crawford=True, player=trailer) == row["mwc_trailer"]
                    other = met.mwc(1, away, post_crawford=True, player=1 - trailer)
                    if away > 1:
                        assert other == pytest.approx(1 - row["mwc_trailer"], abs=1e-15)
                seen += 1
    assert seen == 2 * len(SPOTS) == 244


def test_beyond_the_table_as_gnu_extends_it():
    met = table_of_spots("woolsey", 15)
    beyond = [row for row in SPOTS if row["kind"] == "pre" and not row["explicit"]]
    assert len(beyond) == 8
    for row in beyond:
        assert met.mwc(row["away0"], row["away1"]) == pytest.approx(row["mwc0"], abs=1e-5)


def test_the_post_crawford_row_goes_on_as_gnu_has_it():
    """GNU replaces the last entry of a file's row by this recursion and goes on from there."""
    known = {
        row["trailer_away"]: row["mwc_trailer"] for row in SPOTS if row["met"] == "woolsey" and row["kind"] == "post"
    }
    # Woolsey's 11, 12, 13 and 14 points away, of which 12 is recorded: 4, 4, 2 and 2 per cent.
    row = (0.5, 0.485, 0.3, 0.296, 0.18, 0.18, 0.1, 0.1, 0.06, 0.06, 0.04, known[12], 0.02, 0.02)
    pre = tuple((0.5,) * 14 for _ in range(14))
    met = MatchEquityTable("short", "", pre, (row, row))
    assert met.mwc(15, 1, post_crawford=True) == pytest.approx(known[15], abs=1e-6)
    # Seen in GNU's extended table at 16, 17, 18 points.
    assert met.mwc(16, 1, post_crawford=True) == pytest.approx(0.0125, abs=1e-6)
    assert met.mwc(17, 1, post_crawford=True) == pytest.approx(0.375 * known[15] + 0.125 * 0.02, abs=1e-6)


@pytest.mark.slow
@needs_tables
@pytest.mark.parametrize("name", ["Kazaross-XG2", "g11", "jac100", "woolsey"])
def test_spots_of_the_installed_files(name):
    met = MatchEquityTable.load(INSTALLED / f"{name}.xml")
    tried = 0
    for row in SPOTS:
        if row["met"] != name:
            continue
        if row["kind"] == "pre":
            assert met.mwc(row["away0"], row["away1"]) == pytest.approx(row["mwc0"], abs=1e-5)
        elif row["trailer_away"] != met.length:  # there GNU takes an extrapolation, we the file's value
            chance = met.mwc(row["trailer_away"], 1, post_crawford=True, player=row["trailer"])
            assert chance == pytest.approx(row["mwc_trailer"], abs=1e-5)
        tried += 1
    assert tried > 25


@pytest.mark.slow
@needs_tables
def test_every_explicit_file_loads_and_formulas_are_refused():
    names = {path.stem for path in INSTALLED.glob("*.xml")} - {"catalog", "mec", "zadeh"}
    assert len(names) >= 10
    for name in names:
        met = MatchEquityTable.load(INSTALLED / f"{name}.xml")
        assert met.length in (15, 25)
        assert 0.5 <= met.mwc(5, 5) < 0.6
    for name in ("mec", "zadeh"):
        with pytest.raises(FileFormatError, match="is a formula with parameters"):
            MatchEquityTable.load(INSTALLED / f"{name}.xml")
    with pytest.raises(FileFormatError, match="0 elements <met>"):
        MatchEquityTable.load(INSTALLED / "catalog.xml")


def prices(met: MatchEquityTable, row: dict) -> tuple[GammonPrices, GammonPrices]:
    away = [row["match"] - points for points in row["score"]]
    post_crawford = (away[0] == 1) != (away[1] == 1)
    first = Score(away[0], away[1], post_crawford=post_crawford)
    return met.gammon_prices(first, cube=row["cube"]), met.gammon_prices(first.flip(), cube=row["cube"], player=1)


@pytest.mark.slow
@needs_tables
@pytest.mark.parametrize("name", ["Kazaross-XG2", "g11"])
def test_gammon_prices_of_gnu(name):
    met = MatchEquityTable.load(INSTALLED / f"{name}.xml")
    tried = 0
    for row in MARKET:
        if row["met"] != name or not row["match"] or row["crawford"]:
            continue
        for price, recorded, value in zip(
            prices(met, row), (row["gammonprice0"], row["gammonprice1"]), row["gammonvalue"].values(), strict=True
        ):
            assert price == pytest.approx(recorded, abs=2e-5)
            # GNU's "gammon value" counts in the whole distance from losing to winning.
            assert price.gammon / 2 == pytest.approx(value[0], abs=2e-5)
            assert (price.gammon + price.backgammon) / 2 == pytest.approx(value[1], abs=2e-5)
        tried += 1
    assert tried >= 20


def test_gammon_prices_where_scores_say_them():
    met = MatchEquityTable.default()
    half = met.mwc(1, 1)
    assert half == 0.5
    # Post-Crawford at 3-away with the cube at 2: a single game leads to 1-1, a gammon wins.
    assert met.gammon_prices(Score(3, 1, post_crawford=True), cube=2) == GammonPrices(2.0, 0.0)
    # No gammon matters at match point.
    assert met.gammon_prices(Score(1, 1)) == GammonPrices(0.0, 0.0)
    assert met.gammon_prices(Score(4, 4), cube=4) == GammonPrices(0.0, 0.0)
    # The Crawford game: the trailing player's gammon at 2-away wins the match, as winning twice does.
    assert met.gammon_prices(Score(2, 1)).gammon == pytest.approx(0.5 / 0.25)


TABLE = MatchEquityTable.default()


@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from([1, 2, 4, 8]), st.floats(-1, 1))
def test_mwc_and_equity_are_inverse(away, opponent_away, cube, equity):
    score = Score(away, opponent_away)
    chance = TABLE.to_mwc(Equity(equity), score, cube=cube)
    assert 0 <= chance <= 1
    back = TABLE.to_equity(chance, score, cube=cube)
    assert back == pytest.approx(equity, abs=1e-6)
    other = TABLE.to_equity(MWC(1 - chance), score.flip(), cube=cube)
    assert other == pytest.approx(-back, abs=1e-6)
    ladder = Ladder.match(score, crawford=True)
    if len(ladder.levels) > 1:
        level = Cube(cube).level
        assert ladder.from_equity(equity, level) == pytest.approx(chance, abs=1e-12)


def test_what_a_table_must_be():
    for row in TABLE.pre:
        assert list(row) == sorted(row), "to need more is better for the other"
        assert len(set(row)) == len(row)
    for column in zip(*TABLE.pre, strict=True):
        assert list(column) == sorted(column, reverse=True)
    for own in range(1, 26):
        for other in range(1, 26):
            assert TABLE.mwc(own, other) + TABLE.mwc(other, own) == pytest.approx(1, abs=1e-15)
    assert list(TABLE.post[0]) == sorted(TABLE.post[0], reverse=True)


def test_no_score_is_hopeless_or_certain():
    """Beyond the table each point still changes the chance, so that every score can be decided."""
    for score in ((2, 100), (2, 1000), (500, 520), (30, 3000)):
        own, other = score
        chances = [TABLE.mwc(own, other - 1), TABLE.mwc(own, other), TABLE.mwc(own, other + 1)]
        assert 0 < chances[0] < chances[1] < chances[2] < 1
        assert TABLE.mwc(other, own) == pytest.approx(1 - chances[1], abs=1e-12)
    last = 1.0
    for away in (25, 26, 27, 30, 50, 100, 1000, 30000):
        chance = TABLE.mwc(away, 1, post_crawford=True)
        assert 0 < chance < last
        last = chance


def test_the_extension_is_the_normal_distribution():
    chance = TABLE.mwc(30, 40)
    deviation = math.sqrt(2) * 1.77 * math.sqrt(35)
    assert chance == pytest.approx(NormalDist().cdf(10 / deviation), abs=1e-6)


def test_the_default_is_near_published_figures():
    """Kazaross's values in the recorded spots: the computed table is no copy, and yet nowhere 1 % off."""
    errors = []
    for row in SPOTS:
        if row["met"] != "Kazaross-XG2":
            continue
        if row["kind"] == "pre":
            errors.append(abs(TABLE.mwc(row["away0"], row["away1"]) - row["mwc0"]))
        else:
            chance = TABLE.mwc(row["trailer_away"], 1, post_crawford=True)
            errors.append(abs(chance - row["mwc_trailer"]))
    assert len(errors) == 34
    assert 0 < max(errors) < 0.01
    assert math.sqrt(sum(error * error for error in errors) / len(errors)) < 0.003


def test_compute_by_hand():
    """What can be worked out on paper."""
    met = MatchEquityTable.compute(gammon_rate=0.25, backgammon_rate=0.0, opening_spread=0.0, length=4)
    assert met.mwc(1, 1) == 0.5
    # Post-Crawford, 2-away: the double makes it the last game; 3-away: win 2, or 4 with a gammon, or lose.
    assert met.mwc(2, 1, post_crawford=True) == pytest.approx(0.5)
    assert met.mwc(3, 1, post_crawford=True) == pytest.approx(0.5 * (0.75 * 0.5 + 0.25))
    # The Crawford game has no cube: win 1 or 2.
    assert met.mwc(2, 1) == pytest.approx(0.5 * (0.75 * 0.5 + 0.25))
    assert met.mwc(3, 1) == pytest.approx(0.5 * (0.75 * 0.5 + 0.25 * 0.5))
    wild = MatchEquityTable.compute(gammon_rate=0.9, backgammon_rate=0.9, length=4)
    assert wild.mwc(4, 1) == pytest.approx(0.5 * (0.1 * met.mwc(3, 1, post_crawford=True) + 0.9 * 0.5), abs=0.05)


def test_odd_assumptions_make_a_table_or_say_why_not():
    for rate in (0.0, 0.3):
        for efficiency in (0.0, 1.0):
            rates = {"gammon_rate": rate, "backgammon_rate": rate, "efficiency": efficiency}
            assert MatchEquityTable.compute(**rates, length=64).length == 64
    for rate, efficiency in ((1.0, 0.7), (0.9, 0.0)):
        with pytest.raises(InvalidArgumentError, match=f"gammon rate {rate}.*no table comes of this"):
            MatchEquityTable.compute(gammon_rate=rate, backgammon_rate=rate, efficiency=efficiency, length=25)


def test_parameters_move_the_table_the_right_way():
    few, many = MatchEquityTable.compute(gammon_rate=0.1, length=7), MatchEquityTable.compute(gammon_rate=0.4, length=7)
    assert few.mwc(7, 1) < many.mwc(7, 1), "gammons help who trails in the Crawford game"
    dead = MatchEquityTable.compute(efficiency=0.0, length=7)
    assert dead != MatchEquityTable.compute(efficiency=1.0, length=7)
    free = MatchEquityTable.compute(opening_spread=0.0, length=3).mwc(2, 1, post_crawford=True)
    assert MatchEquityTable.compute(opening_spread=0.1, length=3).mwc(2, 1, post_crawford=True) < free
    assert MatchEquityTable.compute(length=7).pre == tuple(row[:7] for row in TABLE.pre[:7])


def test_a_table_is_a_value():
    assert MatchEquityTable.default() is MatchEquityTable.default()
    again = pickle.loads(pickle.dumps(TABLE))
    assert again == TABLE == copy.copy(TABLE)
    assert hash(again) == hash(TABLE)
    assert repr(TABLE) == "<MatchEquityTable 'gammon 25' to 25 points>"


def test_files_keep_every_digit(tmp_path):
    path = tmp_path / "table & co.xml"
    named = MatchEquityTable("A & B <c>", "two\nlines", TABLE.pre, (TABLE.post[0], TABLE.post[0][:-1]))
    named.save(path)
    loaded = MatchEquityTable.load(path)
    assert (loaded.name, loaded.description) == ("A & B <c>", "two lines")
    assert (loaded.pre, loaded.post) == (named.pre, named.post)
    assert list(tmp_path.iterdir()) == [path]
    assert MatchEquityTable.load(str(path)) == loaded


SMALL = """<?xml version = "1.0"?>
<!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN" "met.dtd">
<!-- a comment -->
<met>
  <info><name>Small</name><description>Two points</description><length>2</length></info>
  <pre-crawford-table type="explicit">
    <row><me>0.5</me><me> 0.7 </me></row>
    <row><me>0.3</me><me>0.5</me></row>
  </pre-crawford-table>
  <post-crawford-table type="explicit" player="both"><row><me>0.5</me><me>0.48</me></row></post-crawford-table>
</met>
"""


def load(text: str | bytes) -> MatchEquityTable:
    return MatchEquityTable.load(io.BytesIO(text.encode() if isinstance(text, str) else text))


def test_a_file_by_hand():
    met = load(SMALL)
    assert (met.name, met.description, met.length) == ("Small", "Two points", 2)
    assert (met.mwc(1, 2), met.mwc(2, 1), met.mwc(2, 1, post_crawford=True)) == (0.7, 0.3, 0.48)
    assert met.mwc(2, 1, player=1) == pytest.approx(0.3)
    shorter = load(SMALL.replace("<me>0.5</me><me>0.48</me>", "<me>0.5</me>"))
    assert shorter.mwc(2, 1, post_crawford=True) == pytest.approx(0.5, abs=1e-5), "extended: doubled at once, a half"
    two = SMALL.replace('player="both"', 'player="0"').replace(
        "</met>", '<post-crawford-table player="1"><row><me>0.5</me><me>0.4</me></row></post-crawford-table></met>'
    )
    assert load(two).mwc(2, 1, post_crawford=True, player=1) == 0.4
    assert load(SMALL.replace("0.7", "7e-1").encode("utf-16").replace(b"", b"")).mwc(1, 2) == 0.7


DOCTYPE = '<!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN" "met.dtd">'
LAUGHS = "<!DOCTYPE met [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;'>]>"
OUTSIDE = '<!DOCTYPE met [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
PARAMETER = '<!DOCTYPE met [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]>'

BAD_FILES = {
    "empty": ("", "not XML"),
    "text": ("hello", "not XML"),
    "binary": (b"\x00\x01\x02\xff" * 50, "not XML"),
    "cut": (SMALL[: len(SMALL) // 2], "not XML"),
    "other root": ("<catalog/>", "0 elements <met>"),
    "unknown encoding": ('<?xml version="1.0" encoding="klingon"?><met/>', "encoding"),
    "laughs": (SMALL.replace(DOCTYPE, LAUGHS).replace("Small", "&c;"), "declarations of its own"),
    "outside": (SMALL.replace(DOCTYPE, OUTSIDE).replace("Small", "&x;"), "declarations of its own"),
    "parameter entity": (SMALL.replace(DOCTYPE, PARAMETER), "declarations of its own"),
    "unknown entity": (SMALL.replace("Small", "&thing;"), "entities are refused"),
    "deep": ("<met>" * 40 + "</met>" * 40, "within each other"),
    "no info": (SMALL.replace("info>", "other>"), "0 elements <info>"),
    "two lengths": (SMALL.replace("<length>", "<length>2</length><length>"), "2 elements <length>"),
    "length": (SMALL.replace("<length>2", "<length>two"), "not 'two'"),
    "negative": (SMALL.replace("<length>2", "<length>-1"), "not '-1'"),
    "huge": (SMALL.replace("<length>2", "<length>999999999"), "not '999999999'"),
    "long number": (SMALL.replace("<length>2", f"<length>{'9' * 5000}"), "a length is"),
    "too few rows": (SMALL.replace("<length>2", "<length>3"), "3 rows of 3 values"),
    "uneven": (SMALL.replace("<me>0.3</me>", ""), "2 rows of 2 values"),
    "formula": (SMALL.replace('"explicit">', '"mec">', 1), "type 'mec' is a formula"),
    "chance": (SMALL.replace("0.7", "1.7"), "line 7: '1.7' is no chance"),
    "nan": (SMALL.replace("0.7", "nan"), "'nan' is no chance"),
    "infinite": (SMALL.replace("0.7", "inf"), "'inf' is no chance"),
    "certain": (SMALL.replace("0.7", "1.0"), "'1.0' is no chance"),
    "word": (SMALL.replace("0.7", "much"), "'much' is no chance"),
    "no post": (SMALL.replace("post-crawford", "post"), "is missing"),
    "one post": (SMALL.replace('"both"', '"1"'), "is missing"),
    "whose post": (SMALL.replace('"both"', '"2"'), "player is 0, 1 or both"),
    "post twice": (
        SMALL.replace("</met>", "<post-crawford-table><row><me>.5</me><me>.4</me></row></post-crawford-table></met>"),
        "a second post-Crawford table",
    ),
    "long post": (SMALL.replace("<me>0.48</me>", "<me>0.48</me><me>0.3</me>"), "one row of 2 values"),
    "size": (SMALL + " " * 4_000_001, "more than 4000000 bytes"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused(name):
    text, message = BAD_FILES[name]
    with pytest.raises(FileFormatError) as caught:
        load(text)
    assert message in str(caught.value)
    assert isinstance(caught.value, GammonError)


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        MatchEquityTable.load(tmp_path / "none.xml")


@given(st.data())
def test_mutated_files_load_or_are_refused(data):
    text = SMALL.encode()
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text) - 1))
        change = data.draw(st.sampled_from([b"", b"<", b">", b"&", b"9", b"]]>", b"\xff", b"<!ENTITY", b"<me>", b"/"]))
        text = text[:place] + change + text[place + data.draw(st.integers(0, 3)) :]
    try:
        met = load(text)
    except FileFormatError:
        return
    assert 0 < met.mwc(1, 2) < 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TABLE.mwc(0, 0), "both players have won"),
        (lambda: TABLE.mwc(3, 4, post_crawford=True), "no post-Crawford game"),
        (lambda: TABLE.mwc(3.0, 4), "away"),
        (lambda: TABLE.mwc(3, True), "opponent_away"),
        (lambda: TABLE.mwc(3, 40000), "opponent_away"),
        (lambda: TABLE.mwc(3, 4, player=2), "player is 0 or 1"),
        (lambda: MatchEquityTable.compute(length=0), "length"),
        (lambda: MatchEquityTable.compute(length=65), "length"),
        (lambda: MatchEquityTable.compute(gammon_rate=1.5), "rates"),
        (lambda: MatchEquityTable.compute(gammon_rate=0.1, backgammon_rate=0.2), "rates"),
        (lambda: MatchEquityTable.compute(gammon_rate=math.nan), "rates"),
        (lambda: MatchEquityTable.compute(efficiency=-0.1), "efficiency"),
        (lambda: MatchEquityTable.compute(opening_spread=0.5), "opening_spread"),
        (lambda: MatchEquityTable("", "", (), ((), ())), "1 to 200 points"),
        (lambda: MatchEquityTable("", "", ((0.5, 0.5),), ((0.5,), (0.5,))), "row 1 of 1 has 2 values"),
        (lambda: MatchEquityTable("", "", ((0.5,),), ((), (0.5,))), "post-Crawford row"),
        (lambda: MatchEquityTable("", "", ((1.0,),), ((0.5,), (0.5,))), "row 1, value 1"),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(InvalidArgumentError, match=message):
        make()


def test_won_and_lost_matches():
    assert TABLE.mwc(0, 5) == TABLE.mwc(-3, 1) == TABLE.mwc(-3, 1, post_crawford=True) == 1.0
    assert TABLE.mwc(5, 0) == TABLE.mwc(5, -7, player=1) == 0.0


def test_an_asymmetric_table_knows_who_asks():
    """jac100, in which player 0 is the stronger: what one wins the other loses, also through a decision."""
    strong = tuple(tuple(min(0.99, value + 0.02) for value in row) for row in TABLE.pre)
    met = MatchEquityTable("strong", "", strong, (TABLE.post[0], tuple(value - 0.0001 for value in TABLE.post[0])))
    for own, other in ((3, 5), (5, 3), (1, 4), (4, 1)):
        assert met.mwc(own, other) + met.mwc(other, own, player=1) == pytest.approx(1)
    ladder = Ladder.match(Score(4, 6), met)
    assert ladder.flip() == Ladder.match(Score(6, 4), met, player=1) or [
        pytest.approx(level.worth) for level in ladder.flip().levels
    ] == [level.worth for level in Ladder.match(Score(6, 4), met, player=1).levels]
    p = [0.6, 0.2, 0.0, 0.1, 0.0]
    assert decide(p, ladder=ladder).no_double != decide(p, ladder=Ladder.match(Score(4, 6), met, player=1)).no_double
