//! What is asked of those who play, in columns.

use crate::position::CELLS;

/// The kinds of decisions, as places in [`Questions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Which play.
    Choose = 0,
    /// Whether to double.
    Double = 1,
    /// Whether to take.
    Take = 2,
}

impl Kind {
    /// All of them, in the order of their numbers.
    pub const ALL: [Kind; 3] = [Kind::Choose, Kind::Double, Kind::Take];
}

/// What is asked of one slot: columns, a row for each decision, seen by the player who decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Questions {
    /// Which lane each row is from.
    pub(super) lanes: Vec<u32>,
    /// Positions.
    pub positions: Vec<[i8; CELLS]>,
    /// Dice, larger first; for choices only.
    pub rolls: Vec<[u8; 2]>,
    /// The distinct results in the view of the player who rolls next; for choices only.
    pub candidates: Vec<[i8; CELLS]>,
    /// Where the candidates of each row end; for choices only.
    pub ends: Vec<i64>,
    /// The points that the player and the opponent still need; 0 without a match.
    pub away: Vec<[i16; 2]>,
    /// The level of the cube and its owner: 0 nobody, 1 the player, -1 the opponent.
    pub cube: Vec<[i16; 2]>,
    /// 1 in the Crawford game, 2 after it, else 0.
    pub phase: Vec<i8>,
    /// The stake.
    pub stake: Vec<i32>,
    /// A random word for the decision.
    pub noise: Vec<u64>,
}

impl Questions {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    pub(super) fn append(&mut self, mut more: Questions) {
        if self.is_empty() {
            *self = more;
            return;
        }
        let shift = self.candidates.len() as i64;
        self.lanes.append(&mut more.lanes);
        self.positions.append(&mut more.positions);
        self.rolls.append(&mut more.rolls);
        self.candidates.append(&mut more.candidates);
        self.ends.extend(more.ends.iter().map(|end| end + shift));
        self.away.append(&mut more.away);
        self.cube.append(&mut more.cube);
        self.phase.append(&mut more.phase);
        self.stake.append(&mut more.stake);
        self.noise.append(&mut more.noise);
    }
}

/// What is asked of both slots: by slot and [`Kind`].
pub type Asked = [[Questions; 3]; 2];
