"""The protocol of `gammon engine`: what is answered, and that everything is."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from typing import Any

import pytest

import gammon
from gammon import Position, Roll, Rules, State
from gammon.engine import Engine, rollout
from gammon.engine.protocol import LONGEST_LINE, VERSION, Session, serve
from gammon.position import VARIANTS

START = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:0:0:7:10"
CODES = {"parse", "request", "method", "params", "notation", "position", "illegal"}


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(threads=1)


def ask(session: Session, method: str, **params: Any) -> dict[str, Any]:
    answer = json.loads(session.answer(json.dumps({"id": 7, "method": method, "params": params}).encode()))
    assert answer["id"] == 7
    assert len(answer) == 2
    result: dict[str, Any] = answer["result"]
    return result


def refused(session: Session, line: bytes) -> tuple[Any, str, str]:
    answer = json.loads(session.answer(line))
    assert answer.keys() == {"id", "error"}
    assert answer["error"].keys() == {"code", "message"}
    return answer["id"], answer["error"]["code"], answer["error"]["message"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_starts_by_name(session: Session, variant: str) -> None:
    start = Position.start(variant)
    assert ask(session, "evaluate", position=variant) == ask(session, "evaluate", position=start.to_array().tolist())
    for text in (variant.title(), variant[:-1]):
        line = json.dumps({"method": "evaluate", "params": {"position": text}}).encode()
        _, code, message = refused(session, line)
        assert code == "notation"
        assert f"one of {', '.join(VARIANTS)}" in message


def test_version(session: Session) -> None:
    found = ask(session, "version")
    assert (found["name"], found["version"], found["protocol"]) == ("gammon", gammon.__version__, VERSION)
    assert set(found["methods"]) == {
        "best_play",
        "cube_decision",
        "evaluate",
        "plays",
        "quit",
        "rank_plays",
        "rollout",
        "version",
    }


@pytest.mark.parametrize("position", [START, Position.start().to_array().tolist()], ids=["ID", "array"])
def test_plays_and_ranking(session: Session, position: Any) -> None:
    plays = Position.start().plays(Roll(3, 1))
    found = ask(session, "plays", position=position, roll="31")
    assert found == {"roll": "31", "plays": [{"play": str(play), "next": play.next.id} for play in plays]}
    for plies in (0, 1):
        ranking = Engine(plies).rank_plays(Position.start(), "31")
        found = ask(session, "rank_plays", position=position, roll=[1, 3], plies=plies, top=3)
        assert found["count"] == len(ranking)
        assert [play["play"] for play in found["plays"]] == [str(ranked.play) for ranked in ranking[:3]]
        assert [play["equity"] for play in found["plays"]] == [ranked.equity for ranked in ranking[:3]]
        assert found["plays"][0]["mwc"] is None
    assert ask(session, "best_play", position=position, roll="31", plies=1) == {"play": "8/5 6/5"}


def test_states(session: Session) -> None:
    state = State.from_xgid(XGID)
    found = ask(session, "evaluate", position=XGID)
    wanted = Engine(0).evaluate(state)
    assert (found["equity"], found["mwc"], found["plies"]) == (wanted.equity, wanted.mwc, 0)
    assert found["probabilities"] == wanted.probabilities._asdict()
    # The roll is that of the state.
    assert ask(session, "best_play", position=XGID)["play"] == str(Engine(0).best_play(state))
    assert ask(session, "best_play", position=state.gnubg_id)["play"] == str(Engine(0).best_play(state))


def test_the_cube(session: Session) -> None:
    found = ask(session, "cube_decision", position=START, plies=1)
    wanted = Engine(1).cube_decision(State(Position.start(), on_roll=0))
    assert found["action"] == wanted.action
    assert found["equities"]["double_take"] == wanted.decision.double_take
    assert found["mwc"] is None
    match = State(Position.start(), on_roll=0, rules=Rules.match(7))
    found = ask(session, "cube_decision", position=match.xgid)
    assert found["equities"]["beaver"] is None
    assert 0 < found["mwc"]["no_double"] < 1


def test_rollouts(session: Session) -> None:
    found = ask(session, "rollout", position=START, roll="31", plays=["24/23 13/10", "8/5 6/5"], trials=36, seed=3)
    wanted = rollout(Position.start(), roll=Roll(3, 1), plays=["24/23 13/10", "8/5 6/5"], trials=36, seed=3)
    assert [c["action"] for c in found["candidates"]] == ["8/5 6/5", "24/23 13/10"]
    assert [c["value"] for c in found["candidates"]] == [c.value for c in wanted.ranked]
    assert (found["kind"], found["decision"]) == ("plays", None)
    race = State(Position.from_points({6: 3}, opponent={6: 3}), on_roll=0)
    cube = ask(session, "rollout", position=race.xgid, cube=True, trials=36)
    assert cube["kind"] == "cube"
    assert cube["decision"]
    assert ask(session, "rollout", position=START, trials=36, cubeless=True, truncate=4)["trials"] == 36


@pytest.mark.parametrize(
    ("line", "name", "code"),
    [
        (b"", None, "parse"),
        (b"what?", None, "parse"),
        (b'{"id": 1', None, "parse"),
        (b"\xff\xfe", None, "parse"),
        (b"[" * 60000, None, "parse"),
        (b'{"id": NaN, "method": "version"}', None, "parse"),
        (b'{"id": ' + b"9" * 10000 + b"}", None, "parse"),
        (b" " * (LONGEST_LINE + 1), None, "parse"),
        (b"[]", None, "request"),
        (b"7", None, "request"),
        (b'{"id": 1}', 1, "request"),
        (b'{"id": true, "method": "version"}', None, "request"),
        (b'{"id": [1], "method": "version"}', None, "request"),
        (b'{"id": 2, "method": 5}', 2, "request"),
        (b'{"id": 2, "method": "version", "params": []}', 2, "request"),
        (b'{"id": 2, "method": "version", "parms": {}}', 2, "request"),
        (b'{"id": "x", "method": "__init__"}', "x", "method"),
        (b'{"id": 3, "method": "version", "params": {"x": 1}}', 3, "params"),
        (b'{"id": 3, "method": "evaluate"}', 3, "params"),
        (b'{"id": 3, "method": "evaluate", "params": {"position": 5}}', 3, "params"),
        (b'{"id": 3, "method": "evaluate", "params": {"position": [1, 2]}}', 3, "params"),
        (b'{"id": 3, "method": "evaluate", "params": {"position": "4HPwATDgc/ABMA", "plies": 9}}', 3, "params"),
        (b'{"id": 3, "method": "evaluate", "params": {"position": "4HPwATDgc/ABMA", "plies": 1.0}}', 3, "params"),
        (b'{"id": 3, "method": "rank_plays", "params": {"position": "4HPwATDgc/ABMA"}}', 3, "params"),
        (b'{"id": 3, "method": "plays", "params": {"position": "4HPwATDgc/ABMA", "roll": [7, 1]}}', 3, "params"),
        (b'{"id": 3, "method": "plays", "params": {"position": "4HPwATDgc/ABMA", "roll": "71"}}', 3, "notation"),
        (b'{"id": 3, "method": "evaluate", "params": {"position": "nonsense"}}', 3, "notation"),
        (b'{"id": 3, "method": "evaluate", "params": {"position": "XGID=-a:0"}}', 3, "notation"),
        (b'{"id": 3, "method": "rollout", "params": {"position": "4HPwATDgc/ABMA", "trials": 100000000}}', 3, "params"),
        (
            b'{"id": 3, "method": "rollout",'
            b' "params": {"position": "4HPwATDgc/ABMA", "roll": "31", "plays": ["13/7"]}}',
            3,
            "illegal",
        ),
        (b'{"id": 3, "method": "rollout", "params": {"position": "4HPwATDgc/ABMA", "plays": []}}', 3, "params"),
    ],
)
def test_what_is_wrong_is_answered(session: Session, line: bytes, name: Any, code: str) -> None:
    found, found_code, message = refused(session, line)
    assert (found, found_code) == (name, code), message
    assert message
    assert len(message) < 600


def test_a_misspelt_parameter_is_named(session: Session) -> None:
    line = b'{"method": "best_play", "params": {"%s": "4HPwATDgc/ABMA", "%s": "31"}}'
    assert refused(session, line % (b"positon", b"roll"))[2] == "position is missing; there is no parameter positon"
    assert refused(session, line % (b"position", b"rol"))[2] == "roll is missing; there is no parameter rol"
    assert refused(session, line % (b"position", b"zzz"))[2] == "roll is missing"


def test_a_position_that_is_none(session: Session) -> None:
    cells = Position.start().to_array().tolist()
    cells[6] = 14
    line = json.dumps({"id": 1, "method": "evaluate", "params": {"position": cells}}).encode()
    assert refused(session, line)[1] == "position"


def test_any_line_has_one_answer(session: Session) -> None:
    """Requests that are damaged at random: an answer each, an error that is no fault of ours or a result."""
    chance = random.Random(1)
    good = [
        json.dumps({"id": 1, "method": method, "params": params}).encode()
        for method, params in (
            ("evaluate", {"position": START, "plies": 0}),
            ("rank_plays", {"position": XGID, "roll": "63", "top": 2}),
            ("cube_decision", {"position": XGID.replace(":31:", ":00:")}),
            ("plays", {"position": Position.start().to_array().tolist(), "roll": [6, 5]}),
            ("rollout", {"position": START, "trials": 2, "truncate": 1, "variance_reduction": False}),
            ("version", {}),
        )
    ]
    seen = set()
    for _ in range(1500):
        line = bytearray(chance.choice(good))
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(line))
            kind = chance.randrange(3)
            if kind == 0:
                line[place] = chance.randrange(256)
            elif kind == 1:
                del line[place]
            else:
                line[place:place] = chance.choice([b"null", b"-1", b"[]", b"{}", b'"', b"1e999", b"0", b","])
        answer = session.answer(bytes(line))
        assert "\n" not in answer
        data = json.loads(answer)
        assert data.keys() in ({"id", "result"}, {"id", "error"})
        if "error" in data:
            seen.add(data["error"]["code"])
            assert data["error"]["code"] in CODES, (line, data)
    assert {"parse", "request", "method", "params", "notation"} <= seen
    assert not session.over


def test_lines_of_any_length() -> None:
    request = b'{"id": 1, "method": "version"}'
    for end in (b"\n", b"\r\n"):
        source = io.BytesIO(b"\n" + b"x" * (3 * LONGEST_LINE) + end + request + end + b" " * 10 + end + request)
        target = io.StringIO()
        serve(source, target)
        answers = [json.loads(line) for line in target.getvalue().splitlines()]
        assert [answer.get("error", {}).get("code") for answer in answers] == ["parse", None, None]
    longest = request[:-1] + b" " * (LONGEST_LINE - len(request)) + b"}"
    for line, code in ((longest, None), (longest + b" ", "parse")):
        target = io.StringIO()
        serve(io.BytesIO(line + b"\n" + request + b"\n"), target)
        first, second = (json.loads(text) for text in target.getvalue().splitlines())
        assert first.get("error", {}).get("code") == code
        assert second["result"]["name"] == "gammon"


def test_a_conversation() -> None:
    engine = subprocess.Popen(
        [sys.executable, "-m", "gammon", "engine", "--threads", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert engine.stdin is not None
    assert engine.stdout is not None

    def say(line: bytes) -> Any:
        assert engine.stdin is not None
        assert engine.stdout is not None
        engine.stdin.write(line + b"\n")
        engine.stdin.flush()
        return json.loads(engine.stdout.readline())

    assert say(b'{"id": "one", "method": "version"}')["result"]["protocol"] == VERSION
    assert say(b"nonsense")["error"]["code"] == "parse"
    play = b'{"id": 2, "method": "best_play", "params": {"position": "4HPwATDgc/ABMA", "roll": "31", "plies": 2}}'
    assert say(play) == {"id": 2, "result": {"play": "8/5 6/5"}}
    assert say(b'{"id": 3, "method": "quit"}') == {"id": 3, "result": {}}
    out, err = engine.communicate(timeout=60)
    assert (engine.returncode, out, err) == (0, b"", b"")


def test_the_end_of_the_input_is_the_end() -> None:
    run = subprocess.run([sys.executable, "-m", "gammon", "engine"], input=b"", capture_output=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
