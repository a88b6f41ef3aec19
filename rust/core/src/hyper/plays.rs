//! The plays of one side against every block the other side can hold.
//!
//! A side of three checkers holds at most one point, and its blots never stop anybody. So what a side can play with a
//! roll depends on that one point only, and which blots a play hits can be read off the points where its checkers land.
//! The lists are some 100 MB for three checkers and serve all pairs.

use super::sides::{Side, Sides};
use crate::dice::Roll;
use crate::parallel::{self, Control};
use crate::position::BAR;

/// One way to play a roll: the side it leads to, and where its checkers land.
///
/// Two entries of a list may lead to one side and differ in the landings: what they hit can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    /// The points landed on, 1 to 24, as bits. Bit 0 is never set.
    pub landings: u32,
    /// The side after the play.
    pub after: u16,
}

impl Entry {
    /// Which of the other side's checkers it hits, given where those can be hit.
    #[inline(always)]
    pub fn hits(self, blots: [u8; 3]) -> usize {
        let bit = |blot: u8| (self.landings >> (blot & 31) & 1) as usize;
        bit(blots[0]) | bit(blots[1]) << 1 | bit(blots[2]) << 2
    }
}

/// The plays of all sides against one blocked point.
#[derive(Debug, Default)]
pub(super) struct Lists {
    entries: Vec<Entry>,
    /// Where the list of each (side, roll) starts.
    starts: Vec<u32>,
}

impl Lists {
    /// The plays of a side with a roll; none is a dance.
    #[inline(always)]
    pub fn plays(&self, side: usize, roll: usize) -> &[Entry] {
        let list = side * Roll::ALL.len() + roll;
        &self.entries[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}

/// The lists for every block, 0 (none) to 24 in the mover's numbering.
pub(super) fn all_lists(sides: &Sides, threads: usize, control: &Control) -> Vec<Lists> {
    let lists = parallel::map_chunks(BAR as u64, threads, control, |block| lists(sides, block as u8));
    lists.into_iter().map(|(_, lists)| lists).collect()
}

fn lists(sides: &Sides, block: u8) -> Lists {
    let mut lists = Lists { entries: Vec::new(), starts: vec![0] };
    let mut found = Vec::new();
    for side in sides.iter() {
        for roll in Roll::ALL {
            // Nobody stands on a point that the other side holds: no such pair exists.
            if block == 0 || side.points >> block & 1 == 0 {
                plays(sides, side, roll, block, &mut found);
                lists.entries.append(&mut found);
            }
            lists.starts.push(lists.entries.len() as u32);
        }
    }
    lists
}

/// Every distinct (side after, landings) of a roll.
fn plays(sides: &Sides, side: &Side, roll: Roll, block: u8, found: &mut Vec<Entry>) {
    let (high, low) = (roll.high(), roll.low());
    let mut walk = Walk { sides, block, longest: 0, found };
    if roll.is_double() {
        walk.go(side.places, &[high; 4], 0, 0);
    } else {
        // With one step only, the order tried first finds the larger die (rule 3.5).
        walk.go(side.places, &[high, low], 0, 0);
        let by_high = walk.longest;
        let mut other = Vec::new();
        let mut walk = Walk { sides, block, longest: by_high, found: &mut other };
        walk.go(side.places, &[low, high], 0, 0);
        let longer = walk.longest > by_high;
        if longer {
            found.clear();
        }
        if longer || by_high == 2 {
            found.append(&mut other);
        }
    }
    found.sort_unstable();
    found.dedup();
}

/// Tries every sequence of steps and keeps the longest (rule 3.4).
struct Walk<'a> {
    sides: &'a Sides,
    block: u8,
    longest: usize,
    found: &'a mut Vec<Entry>,
}

impl Walk<'_> {
    fn go(&mut self, places: [u8; 3], dice: &[u8], made: usize, landings: u32) {
        let mut moved = false;
        if let Some((&die, rest)) = dice.split_first() {
            for checker in 0..places.len() {
                let Some(to) = self.step(&places, checker, die) else { continue };
                moved = true;
                let mut after = places;
                after[checker] = to;
                let landing = if to > 0 { 1 << to } else { 0 };
                self.go(after, rest, made + 1, landings | landing);
            }
        }
        if moved || made == 0 || made < self.longest {
            return;
        }
        if made > self.longest {
            self.longest = made;
            self.found.clear();
        }
        self.found.push(Entry { landings, after: self.sides.index(places) as u16 });
    }

    /// Where a checker gets with a die, if it may.
    fn step(&self, places: &[u8; 3], checker: usize, die: u8) -> Option<u8> {
        let from = places[checker];
        let highest = places.iter().copied().max().unwrap_or(0);
        if from == 0 || (highest == BAR as u8 && from != highest) {
            return None;
        }
        if from > die {
            return (from - die != self.block || self.block == 0).then_some(from - die);
        }
        // Off: only from home (5.1), and with a larger die only from the rearmost place (5.3).
        (highest <= 6 && (from == die || from == highest)).then_some(0)
    }
}
