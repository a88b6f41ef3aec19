//! The record of games, action by action.

use std::ops::Range;

use crate::id::Key;
use crate::position::{CELLS, Position};

/// What an action was, in the record of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Act {
    /// A play, a dance included.
    Play = 0,
    /// A double.
    Double = 1,
    /// A take.
    Take = 2,
    /// A drop.
    Drop = 3,
}

/// One action of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActRecord {
    /// The game or match.
    pub unit: u64,
    /// The game within the match, from 0.
    pub number: u32,
    /// The turn of the game, from 0.
    pub turn: u32,
    /// The player who acts.
    pub player: u8,
    /// What they do.
    pub act: Act,
    /// The dice of a play; 0 for the cube.
    pub roll: [u8; 2],
    /// The level of the cube before the action.
    pub level: u8,
    /// 0: the cube is in the middle, 1: with the player who acts, -1: with the other.
    pub owner: i8,
    /// Before the action, seen by the player on roll. What it leads to is in the next action of the game, and at its end
    /// in the row of the game.
    pub before: Position,
}

/// Actions as columns. Rows of one sample lie together, in the order they were played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActColumns {
    /// The game or match.
    pub unit: Vec<u64>,
    /// The game within the match.
    pub number: Vec<u32>,
    /// The turn.
    pub turn: Vec<u32>,
    /// Who acts.
    pub player: Vec<u8>,
    /// What they do.
    pub act: Vec<u8>,
    /// The dice of a play.
    pub rolls: Vec<[u8; 2]>,
    /// The cube before the action.
    pub cube: Vec<u32>,
    /// Where it is.
    pub owner: Vec<i8>,
    /// Positions before the action, unless they are wanted as keys.
    pub before: Vec<[i8; CELLS]>,
    /// Those positions as the bits of their IDs, if they are wanted so.
    pub keys: Vec<Key>,
    /// The first unit of each sample and how many rows it has, as they lie.
    samples: Vec<(u64, usize)>,
}

/// Does the same to every column of two [`ActColumns`].
macro_rules! for_each_column {
    ($one:ident, $other:ident, $work:expr) => {
        $work(&mut $one.unit, &mut $other.unit);
        $work(&mut $one.number, &mut $other.number);
        $work(&mut $one.turn, &mut $other.turn);
        $work(&mut $one.player, &mut $other.player);
        $work(&mut $one.act, &mut $other.act);
        $work(&mut $one.rolls, &mut $other.rolls);
        $work(&mut $one.cube, &mut $other.cube);
        $work(&mut $one.owner, &mut $other.owner);
        $work(&mut $one.before, &mut $other.before);
        $work(&mut $one.keys, &mut $other.keys);
    };
}

impl ActColumns {
    /// Adds the rows of a sample.
    pub(super) fn push(&mut self, rows: &[ActRecord], keys: bool) {
        let Some(first) = rows.first() else { return };
        self.samples.push((first.unit, rows.len()));
        self.unit.extend(rows.iter().map(|row| row.unit));
        self.number.extend(rows.iter().map(|row| row.number));
        self.turn.extend(rows.iter().map(|row| row.turn));
        self.player.extend(rows.iter().map(|row| row.player));
        self.act.extend(rows.iter().map(|row| row.act as u8));
        self.rolls.extend(rows.iter().map(|row| row.roll));
        self.cube.extend(rows.iter().map(|row| 1 << row.level));
        self.owner.extend(rows.iter().map(|row| row.owner));
        if keys {
            self.keys.extend(rows.iter().map(|row| row.before.key()));
        } else {
            self.before.extend(rows.iter().map(|row| *row.before.cells()));
        }
    }

    /// Adds what another part left.
    pub(super) fn append(&mut self, mut more: ActColumns) {
        append(&mut self.samples, &mut more.samples);
        for_each_column!(self, more, append);
    }

    /// The same with the units in order.
    pub(super) fn in_order(mut self) -> ActColumns {
        if self.samples.is_sorted() {
            return self;
        }
        let mut end = 0;
        let mut blocks: Vec<_> = self
            .samples
            .iter()
            .map(|&(unit, rows)| {
                end += rows;
                (unit, end - rows..end)
            })
            .collect();
        blocks.sort_unstable_by_key(|block| block.0);
        let samples = blocks.iter().map(|(unit, rows)| (*unit, rows.len())).collect();
        let mut ordered = ActColumns { samples, ..ActColumns::default() };
        for_each_column!(ordered, self, |to, from| in_blocks(to, from, &blocks));
        ordered
    }
}

/// Adds rows to others, without a copy where there are no others.
pub(super) fn append<T>(rows: &mut Vec<T>, more: &mut Vec<T>) {
    if rows.is_empty() { std::mem::swap(rows, more) } else { rows.append(more) }
}

/// The rows of the blocks, one block after the other; a column without rows stays so.
fn in_blocks<T: Copy>(to: &mut Vec<T>, from: &mut Vec<T>, blocks: &[(u64, Range<usize>)]) {
    if !from.is_empty() {
        to.reserve_exact(from.len());
        blocks.iter().for_each(|(_, rows)| to.extend_from_slice(&from[rows.clone()]));
    }
    *from = Vec::new();
}
