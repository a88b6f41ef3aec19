//! What a game is worth, as data: one [`Ladder`] for each score, and the graph of scores of a match.
//!
//! Everything the rules say about the cube arrives here in numbers: a match score as the worth of each end of the game
//! at each cube, a game without the cube as a ladder on which nobody may double, a table of match equities as the worths
//! themselves. So nothing in this crate knows those rules, and every part that asks what a game is worth agrees.

use std::fmt;

use crate::outcome::Outcome;

/// Cubes of 1, 2, 4, ... 2^15.
pub const MAX_LEVELS: usize = 16;

/// The first turn on which anybody can double: who starts has rolled already (rule 7.2).
pub const FIRST_DOUBLE_TURN: u32 = 2;

/// Where the cube lies, seen by the player on roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// In the middle.
    Centred,
    /// With the player on roll.
    Player,
    /// With the other player.
    Opponent,
}

impl Owner {
    /// All three places.
    pub const ALL: [Owner; 3] = [Owner::Centred, Owner::Player, Owner::Opponent];

    /// The same place as the other player sees it.
    pub const fn flip(self) -> Owner {
        match self {
            Owner::Centred => Owner::Centred,
            Owner::Player => Owner::Opponent,
            Owner::Opponent => Owner::Player,
        }
    }
}

/// A game with one value of the cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// What the six ends are worth to the player, in the order of [`Outcome::ALL`]: points or match winning chances.
    pub worth: [f64; 6],
    /// Whether the player and the opponent may turn a cube that lies in the middle or with them.
    pub may_double: [bool; 2],
    /// The game is valued as if nobody ever turned the cube, though they may.
    pub dead: bool,
}

/// What a game is worth to a player at each level of the cube: level k is a cube of 2^k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ladder {
    levels: [Level; MAX_LEVELS],
    /// How many levels there are.
    len: usize,
    /// The lowest level from which nobody may double.
    settled: usize,
    /// Every level is worth twice the one below it, for ever.
    endless: bool,
    gammons_while_centred: bool,
    beavers: u8,
    first_double_turn: [u32; 2],
    /// What the worths of one end of the game to both players add up to: 0 for points, 1 for match winning chances.
    total: f64,
}

/// What a ladder holds beside its levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Whether gammons count while the cube is in the middle.
    pub gammons_while_centred: bool,
    /// How many further turns of the cube may follow one double at once (rule 7.4).
    pub beavers: u8,
    /// The first turn of a game, counted from 1 over both sides, on which player and opponent may double.
    pub first_double_turn: [u32; 2],
    /// What the worths of one end of the game to both players add up to: 0 for points, 1 for match winning chances.
    pub total: f64,
}

impl Default for Terms {
    /// Points, all gammons count, no beavers.
    fn default() -> Terms {
        Terms { gammons_while_centred: true, beavers: 0, first_double_turn: [FIRST_DOUBLE_TURN; 2], total: 0.0 }
    }
}

/// Why numbers are no ladder.
#[derive(Clone, Debug, PartialEq)]
pub enum LadderError {
    /// None, or more than [`MAX_LEVELS`].
    Levels(usize),
    /// A worth or a total that is not finite.
    NotFinite {
        /// The level.
        level: usize,
        /// The number.
        value: f64,
    },
    /// To win a single game must be worth more than to lose one.
    WinIsNoGain {
        /// The level.
        level: usize,
        /// What a single game won is worth.
        win: f64,
        /// What a single game lost is worth.
        lose: f64,
    },
}

impl fmt::Display for LadderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LadderError::Levels(len) => write!(f, "a ladder has 1 to {MAX_LEVELS} levels, not {len}"),
            LadderError::NotFinite { level, value } => {
                write!(f, "the worth of a game is a finite number, not {value} at level {level}")
            }
            LadderError::WinIsNoGain { level, win, lose } => write!(
                f,
                "at level {level} a single game won is worth {win}, which is not more than the {lose} of one lost"
            ),
        }
    }
}

impl std::error::Error for LadderError {}

const LOSE: usize = 2;
const WIN: usize = 3;

impl Ladder {
    /// A ladder of these levels. From the last one nobody can double, whatever it says.
    pub fn new(levels: &[Level], terms: Terms) -> Result<Ladder, LadderError> {
        let len = levels.len();
        let Some(&last) = levels.last().filter(|_| len <= MAX_LEVELS) else {
            return Err(LadderError::Levels(len));
        };
        for (place, level) in levels.iter().enumerate() {
            check(place, level.worth)?;
        }
        if !terms.total.is_finite() {
            return Err(LadderError::NotFinite { level: 0, value: terms.total });
        }
        let mut filled = [last; MAX_LEVELS];
        filled[..len].copy_from_slice(levels);
        filled[len - 1].may_double = [false; 2];
        let settled = filled[..len].iter().rposition(|level| level.may_double.contains(&true)).map_or(0, |top| top + 1);
        Ok(Ladder::assemble(filled, len, settled, false, terms))
    }

    /// The ladder on which every level is worth twice the one below, without an end, and everybody may always double.
    ///
    /// ```
    /// # use gammon_core::ladder::{Ladder, Terms};
    /// let money = Ladder::endless([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], Terms::default()).unwrap();
    /// assert_eq!(money.worth(3)[5], 24.0);
    /// ```
    pub fn endless(worth: [f64; 6], terms: Terms) -> Result<Ladder, LadderError> {
        check(0, worth)?;
        if !terms.total.is_finite() {
            return Err(LadderError::NotFinite { level: 0, value: terms.total });
        }
        let level = |k: usize| Level { worth: scaled(worth, k), may_double: [true; 2], dead: false };
        let levels = std::array::from_fn(level);
        Ok(Ladder::assemble(levels, MAX_LEVELS, MAX_LEVELS, true, terms))
    }

    fn assemble(levels: [Level; MAX_LEVELS], len: usize, settled: usize, endless: bool, terms: Terms) -> Ladder {
        let Terms { gammons_while_centred, beavers, first_double_turn, total } = terms;
        Ladder { levels, len, settled, endless, gammons_while_centred, beavers, first_double_turn, total }
    }

    /// How many values of the cube it knows.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Never: a ladder has a level.
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// Whether every level is worth twice the one below, for ever.
    pub const fn is_endless(&self) -> bool {
        self.endless
    }

    /// The lowest level from which nobody may double.
    pub const fn settled(&self) -> usize {
        self.settled
    }

    /// Whether there is such a level: always on an endless ladder.
    pub const fn has_level(&self, level: usize) -> bool {
        self.endless || level < self.len
    }

    /// What the six ends are worth to the player at a level that the ladder has.
    pub fn worth(&self, level: usize) -> [f64; 6] {
        match self.levels.get(level) {
            Some(known) => known.worth,
            None => scaled(self.levels[0].worth, level),
        }
    }

    /// What one end of the game is worth to the player.
    pub fn worth_of(&self, level: usize, outcome: Outcome) -> f64 {
        let place = Outcome::ALL.iter().position(|&end| end == outcome).expect("ALL has every outcome");
        self.worth(level)[place]
    }

    /// Whether gammons count with the cube there (under rule 7.6 they do once it has been turned).
    pub const fn gammons_count(&self, owner: Owner) -> bool {
        self.gammons_while_centred || !matches!(owner, Owner::Centred)
    }

    /// What the worths of one end of the game to both players add up to.
    pub const fn total(&self) -> f64 {
        self.total
    }

    /// How many further turns of the cube may follow one double at once.
    pub const fn beavers(&self) -> u8 {
        self.beavers
    }

    /// Whether player (0) and opponent (1) have access to a cube there and may turn it.
    pub fn may_double(&self, level: usize, owner: Owner) -> [bool; 2] {
        let [player, opponent] = match self.levels.get(level) {
            Some(known) => known.may_double,
            None => [self.endless; 2],
        };
        [player && owner != Owner::Opponent, opponent && owner != Owner::Player]
    }

    /// The first turn of a game, counted from 1 over both sides, on which player and opponent may double.
    pub const fn first_double_turn(&self) -> [u32; 2] {
        self.first_double_turn
    }

    /// Whether the player has to wait with a double on this turn of the game.
    pub const fn waits_on(&self, turn: u32) -> bool {
        turn < self.first_double_turn[0]
    }

    /// Whether the player may turn a cube there before rolling on this turn of the game, counted from 1.
    pub fn may_double_on(&self, level: usize, owner: Owner, turn: u32) -> bool {
        self.may_double(level, owner)[0] && !self.waits_on(turn)
    }

    /// Who has a cube there that they will turn when it is right: nobody at a dead level.
    pub fn lives(&self, level: usize, owner: Owner) -> [bool; 2] {
        match self.levels.get(level) {
            Some(known) if known.dead => [false; 2],
            _ => self.may_double(level, owner),
        }
    }

    /// Points or match winning chances as equity: a single game won with this cube is 1 and one lost -1.
    pub fn to_equity(&self, level: usize, worth: f64) -> f64 {
        let ends = self.worth(level);
        (2.0 * worth - ends[WIN] - ends[LOSE]) / (ends[WIN] - ends[LOSE])
    }

    /// Equity as points or match winning chances: the inverse of [`Ladder::to_equity`].
    pub fn from_equity(&self, level: usize, equity: f64) -> f64 {
        let ends = self.worth(level);
        0.5 * (ends[WIN] + ends[LOSE] + equity * (ends[WIN] - ends[LOSE]))
    }

    /// The same ladder as the other player sees it.
    pub fn flip(&self) -> Ladder {
        let mut flipped = *self;
        for level in &mut flipped.levels {
            level.worth.reverse();
            level.worth = level.worth.map(|worth| self.total - worth);
            level.may_double.reverse();
        }
        flipped.first_double_turn.reverse();
        flipped
    }
}

fn check(level: usize, worth: [f64; 6]) -> Result<(), LadderError> {
    if let Some(&value) = worth.iter().find(|worth| !worth.is_finite()) {
        return Err(LadderError::NotFinite { level, value });
    }
    if worth[WIN] <= worth[LOSE] {
        return Err(LadderError::WinIsNoGain { level, win: worth[WIN], lose: worth[LOSE] });
    }
    Ok(())
}

fn scaled(worth: [f64; 6], level: usize) -> [f64; 6] {
    let cube = (level as f64).exp2();
    worth.map(|worth| worth * cube)
}

/// A score of a match, or a session without an end.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What the next game is worth to player 0 and to player 1, each as they see it.
    pub ladders: [Ladder; 2],
    /// Where each player's win of 1, 2, ... points leads; more points than there are entries lead where the last does.
    /// `None`: the match is over. No entries: the next game is played at the same score, as in a session.
    pub next: [Vec<Option<usize>>; 2],
}

/// The scores of a match and how one leads to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreGraph {
    nodes: Vec<Node>,
    start: usize,
}

/// Why nodes are no graph of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreGraphError {
    /// The node, or the number of nodes where the start is meant.
    pub node: usize,
    /// The node that it leads to, which does not exist.
    pub missing: usize,
}

impl fmt::Display for ScoreGraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score {} leads to score {}, which does not exist", self.node, self.missing)
    }
}

impl std::error::Error for ScoreGraphError {}

impl ScoreGraph {
    /// A graph whose first game is played at the node `start`.
    pub fn new(nodes: Vec<Node>, start: usize) -> Result<ScoreGraph, ScoreGraphError> {
        let len = nodes.len();
        if start >= len {
            return Err(ScoreGraphError { node: len, missing: start });
        }
        for (node, score) in nodes.iter().enumerate() {
            if let Some(&missing) = score.next.iter().flatten().flatten().find(|&&next| next >= len) {
                return Err(ScoreGraphError { node, missing });
            }
        }
        Ok(ScoreGraph { nodes, start })
    }

    /// A session: every game is played on the same ladder, seen by player 0.
    pub fn session(ladder: Ladder) -> ScoreGraph {
        let node = Node { ladders: [ladder, ladder.flip()], next: [Vec::new(), Vec::new()] };
        ScoreGraph { nodes: vec![node], start: 0 }
    }

    /// The scores.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The score of the first game.
    pub const fn start(&self) -> usize {
        self.start
    }

    /// The ladder of the game at a score as a player sees it.
    pub fn ladder(&self, node: usize, player: usize) -> &Ladder {
        &self.nodes[node].ladders[player]
    }

    /// The score after `winner` has won so many points, or `None` when that ends the match.
    pub fn next(&self, node: usize, winner: usize, points: u32) -> Option<usize> {
        let next = &self.nodes[node].next[winner];
        match next.len() {
            0 => Some(node),
            len => next[(points.max(1) as usize - 1).min(len - 1)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MONEY: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];

    fn level(worth: [f64; 6], may_double: [bool; 2]) -> Level {
        Level { worth, may_double, dead: false }
    }

    #[test]
    fn flip_is_an_involution_and_mirrors_every_end() {
        let terms = Terms { total: 1.0, first_double_turn: [2, 5], ..Terms::default() };
        let ladder = Ladder::new(
            &[
                level([0.0, 0.125, 0.25, 0.5, 0.75, 1.0], [true, false]),
                level([0.0, 0.0, 0.125, 0.75, 1.0, 1.0], [true; 2]),
            ],
            terms,
        )
        .unwrap();
        let flipped = ladder.flip();
        assert_eq!(flipped.flip(), ladder);
        assert_eq!(flipped.worth(0), [0.0, 0.25, 0.5, 0.75, 0.875, 1.0]);
        for outcome in Outcome::ALL {
            assert_eq!(flipped.worth_of(1, outcome.flip()), 1.0 - ladder.worth_of(1, outcome));
        }
        assert_eq!(ladder.may_double(0, Owner::Centred), [true, false]);
        assert_eq!(flipped.may_double(0, Owner::Centred), [false, true]);
        assert_eq!(ladder.may_double(1, Owner::Player), [false; 2], "nobody doubles from the last level");
        assert_eq!(ladder.settled(), 1);
        assert!(ladder.may_double_on(0, Owner::Centred, 2) && !ladder.may_double_on(0, Owner::Centred, 1));
        assert!(!flipped.may_double_on(0, Owner::Centred, 9), "the opponent may not double at this level");
    }

    #[test]
    fn equity_and_worth_are_inverse() {
        let ladder = Ladder::endless(MONEY, Terms::default()).unwrap();
        for owner in Owner::ALL {
            assert_eq!(owner.flip().flip(), owner);
        }
        for (place, points) in MONEY.into_iter().enumerate() {
            assert_eq!(ladder.to_equity(4, ladder.worth(4)[place]), points);
            assert_eq!(ladder.from_equity(4, points), 16.0 * points);
        }
        assert_eq!(ladder.worth(20)[3], 2.0_f64.powi(20));
        assert_eq!(ladder.may_double(20, Owner::Player), [true, false]);
    }

    #[test]
    fn bad_numbers_are_refused() {
        let terms = Terms::default();
        assert_eq!(Ladder::new(&[], terms), Err(LadderError::Levels(0)));
        let good = level(MONEY, [true; 2]);
        assert_eq!(Ladder::new(&[good; 17], terms), Err(LadderError::Levels(17)));
        assert!(Ladder::new(&[good; 16], terms).is_ok());
        let flat = level([0.0; 6], [true; 2]);
        assert_eq!(Ladder::new(&[good, flat], terms), Err(LadderError::WinIsNoGain { level: 1, win: 0.0, lose: 0.0 }));
        let infinite = [f64::NEG_INFINITY, -2.0, -1.0, 1.0, 2.0, 3.0];
        assert!(matches!(Ladder::endless(infinite, terms), Err(LadderError::NotFinite { level: 0, .. })));
        assert!(Ladder::endless(MONEY, Terms { total: f64::NAN, ..terms }).is_err());
    }

    #[test]
    fn scores_lead_to_scores() {
        let ladder = Ladder::endless(MONEY, Terms::default()).unwrap();
        let session = ScoreGraph::session(ladder);
        assert_eq!(session.next(session.start(), 1, 64), Some(0));
        let node = |next| Node { ladders: [ladder, ladder.flip()], next };
        let nodes = vec![node([vec![Some(1), None], vec![None]]), node([vec![None], vec![None]])];
        let graph = ScoreGraph::new(nodes.clone(), 0).unwrap();
        assert_eq!(graph.next(0, 0, 1), Some(1));
        assert_eq!(graph.next(0, 0, 2), None);
        assert_eq!(graph.next(0, 0, 1000), None);
        assert_eq!(graph.next(0, 1, 1), None);
        assert_eq!(ScoreGraph::new(nodes, 2), Err(ScoreGraphError { node: 2, missing: 2 }));
        let loose = vec![node([vec![Some(7)], vec![None]])];
        assert_eq!(ScoreGraph::new(loose, 0), Err(ScoreGraphError { node: 0, missing: 7 }));
    }
}
