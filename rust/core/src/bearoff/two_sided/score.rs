//! The cube at a match score: which states of it can arise, and what each game end is worth in them.
//!
//! A [`Ladder`] says what a game is worth at each level. Here its worths are turned so that what the two players have
//! adds up to 0 and the largest is 1: x = (worth - total / 2) / half the range. Then the recurrence of money holds as it
//! is, and numbers are stored in the same way; match winning chances have a quantum of 1 / 65535.
//!
//! A level whose cube the ladder values as dead though it may be turned (2-away, 2-away) is solved as it is played.

use super::{TwoSidedError, Values};
use crate::ladder::{Ladder, Level, MAX_LEVELS, Owner, Terms};

/// Who could turn the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// Nobody, now or later.
    Nobody,
    /// Both: it is centred.
    Centred,
    /// Only the player of this number: 0 is the one whose ladder it is.
    Owner(usize),
}

/// One state of the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    level: usize,
    access: Access,
}

/// What a double by the player on roll leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Double {
    /// The number that holds the state after it is taken.
    pub taken: usize,
    /// What the player has if it is dropped.
    pub cash: f64,
}

/// A ladder made ready for a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    ladder: Ladder,
    middle: f64,
    half_range: f64,
    /// The first is the game in which nobody ever doubles.
    states: Vec<State>,
    /// For each player on roll and each state.
    doubles: [Vec<Option<Double>>; 2],
}

impl Score {
    /// # Errors
    /// [`TwoSidedError::Ladder`] for a ladder without an end: that is money.
    pub fn new(ladder: &Ladder) -> Result<Score, TwoSidedError> {
        if ladder.is_endless() {
            let reason = "the ladder of money has no end: build the table without a ladder".to_owned();
            return Err(TwoSidedError::Ladder(reason));
        }
        let ladder = plain(ladder);
        let total = total(&ladder);
        let worths = || (0..ladder.len()).flat_map(|level| ladder.worth(level));
        let half_range = worths().map(|worth| (worth - total / 2.0).abs()).fold(0.0, f64::max);
        let mut score = Score {
            ladder,
            middle: total / 2.0,
            half_range,
            states: vec![State { level: 0, access: Access::Nobody }],
            doubles: [Vec::new(), Vec::new()],
        };
        score.add(score.state(0, None));
        let mut next = 1;
        while next < score.states.len() {
            for player in 0..2 {
                if let Some(after) = score.after_double(score.states[next], player) {
                    score.add(after);
                }
            }
            next += 1;
        }
        for player in 0..2 {
            score.doubles[player] = score.states.iter().map(|&state| score.double(state, player)).collect();
        }
        Ok(score)
    }

    fn add(&mut self, state: State) {
        if !self.states.contains(&state) {
            self.states.push(state);
        }
    }

    /// The state of a cube at a level with an owner, or centred.
    fn state(&self, level: usize, owner: Option<usize>) -> State {
        let may = |owner, player: usize| self.ladder.may_double(level, owner)[player];
        let access = match owner {
            None if may(Owner::Centred, 0) || may(Owner::Centred, 1) => Access::Centred,
            Some(0) if may(Owner::Player, 0) => Access::Owner(0),
            Some(1) if may(Owner::Opponent, 1) => Access::Owner(1),
            _ => Access::Nobody,
        };
        State { level, access }
    }

    fn after_double(&self, state: State, player: usize) -> Option<State> {
        let may = match state.access {
            Access::Nobody => false,
            Access::Centred => self.ladder.may_double(state.level, Owner::Centred)[player],
            Access::Owner(owner) => owner == player,
        };
        may.then(|| self.state(state.level + 1, Some(1 - player)))
    }

    fn double(&self, state: State, player: usize) -> Option<Double> {
        let after = self.after_double(state, player)?;
        let taken = self.states.iter().position(|&known| known == after)?;
        Some(Double { taken, cash: self.end(state, player, true, false) })
    }

    /// How many numbers a pair has.
    pub(super) fn count(&self) -> usize {
        self.states.len()
    }

    /// The doubles of a player, by the number that holds the state before.
    pub(super) fn doubles(&self, player: usize) -> &[Option<Double>] {
        &self.doubles[player]
    }

    /// What a finished game is worth to the player on roll, turned.
    pub(super) fn finished(&self, number: usize, player: usize, won: bool, gammon: bool) -> f64 {
        self.end(self.states[number], player, won, gammon)
    }

    fn end(&self, state: State, player: usize, won: bool, gammon: bool) -> f64 {
        let owner = if state.level == 0 { Owner::Centred } else { Owner::Player };
        let gammon = gammon && self.ladder.gammons_count(owner);
        let ladder = if player == 0 { self.ladder } else { self.ladder.flip() };
        let place = match (won, gammon) {
            (true, true) => 4,
            (true, false) => 3,
            (false, false) => 2,
            (false, true) => 1,
        };
        (ladder.worth(state.level)[place] - self.middle) / self.half_range
    }

    /// The number for a cube, seen by the player on roll; `None` means that nobody ever doubles.
    pub(super) fn number(&self, player: usize, cube: Option<(Owner, usize)>) -> Result<usize, TwoSidedError> {
        let Some((owner, level)) = cube else {
            return Ok(0);
        };
        let holder = match owner {
            Owner::Centred => None,
            Owner::Player => Some(player),
            Owner::Opponent => Some(1 - player),
        };
        let known = self.ladder.has_level(level).then(|| self.state(level, holder));
        let found = known.and_then(|state| self.states.iter().position(|&other| other == state));
        // A centred cube above 1, or one that was turned below 2, does not arise.
        found.filter(|_| (level == 0) == (owner == Owner::Centred)).ok_or_else(|| {
            let cube = 1_u64 << level.min(63);
            let whose = match owner {
                Owner::Centred => "centred",
                Owner::Player => "owned by the player on roll",
                Owner::Opponent => "owned by the opponent",
            };
            TwoSidedError::NotInDatabase(format!("a cube of {cube} {whose} cannot arise at this score"))
        })
    }

    /// From a turned worth to that of the ladder.
    pub(super) fn worth(&self, turned: f64) -> f64 {
        self.middle + turned * self.half_range
    }

    /// The ladder that it was made from.
    pub fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    /// What a file keeps of the ladder.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.ladder.len() as u8, u8::from(self.ladder.gammons_count(Owner::Centred))];
        bytes.extend((2.0 * self.middle).to_le_bytes());
        for level in 0..self.ladder.len() {
            bytes.extend(self.ladder.worth(level).into_iter().flat_map(f64::to_le_bytes));
            bytes.extend(self.ladder.may_double(level, Owner::Centred).map(u8::from));
        }
        bytes
    }

    /// Reads what [`Score::to_bytes`] wrote.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Score, String> {
        let cut = || "the ladder is cut off".to_owned();
        let float = |place: usize| {
            let bytes = bytes.get(place..place + 8).ok_or_else(cut)?;
            Ok::<_, String>(f64::from_le_bytes(bytes.try_into().expect("8 bytes")))
        };
        let &[len, gammons, ..] = bytes else {
            return Err(cut());
        };
        if usize::from(len) > MAX_LEVELS {
            return Err(format!("a ladder of {len} levels"));
        }
        let mut levels = Vec::new();
        for level in 0..usize::from(len) {
            let start = 10 + level * LEVEL_BYTES;
            let mut worth = [0.0; 6];
            for (place, worth) in worth.iter_mut().enumerate() {
                *worth = float(start + 8 * place)?;
            }
            let may_double = [48, 49].map(|place| bytes.get(start + place).is_some_and(|&byte| byte == 1));
            levels.push(Level { worth, may_double, dead: false });
        }
        let terms = Terms { gammons_while_centred: gammons == 1, total: float(2)?, ..Terms::default() };
        let ladder = Ladder::new(&levels, terms).map_err(|error| error.to_string())?;
        Score::new(&ladder).map_err(|error| error.to_string())
    }
}

const LEVEL_BYTES: usize = 50;

/// The same ladder without what a table does not depend on, so that equal tables have equal headers.
fn plain(ladder: &Ladder) -> Ladder {
    let total = total(ladder);
    let level = |level: usize| Level {
        worth: ladder.worth(level),
        may_double: ladder.may_double(level, Owner::Centred),
        dead: false,
    };
    let levels: Vec<_> = (0..ladder.len()).map(level).collect();
    let terms = Terms { gammons_while_centred: ladder.gammons_count(Owner::Centred), total, ..Terms::default() };
    Ladder::new(&levels, terms).expect("it was a ladder before")
}

/// What both players have together: 0 or 1 as a rule, which rounding must not blur.
fn total(ladder: &Ladder) -> f64 {
    let total = ladder.worth(0)[0] + ladder.flip().worth(0)[5];
    if (total - total.round()).abs() < 1e-9 { total.round() } else { total }
}

/// What a table's numbers mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Scoring {
    /// Equities for money.
    Money(Values),
    /// What a ladder counts, match winning chances as a rule.
    Score(Box<Score>),
}

impl Scoring {
    /// The numbers for each pair.
    pub fn count(&self) -> usize {
        match self {
            Scoring::Money(values) => values.count(),
            Scoring::Score(score) => score.count(),
        }
    }
}
