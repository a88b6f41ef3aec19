//! The working form of a position while plays are found: cells padded to a power of two, and places as bits.

use crate::position::{BAR, CELLS, OFF, OPPONENT_BAR, Position};

/// A set of places, 1 to 24 and the bar.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Places(u32);

impl Places {
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub fn contains(self, place: usize) -> bool {
        self.0 >> place & 1 == 1
    }

    pub fn union(self, other: Places) -> Places {
        Places(self.0 | other.0)
    }

    pub fn without(self, place: usize) -> Places {
        Places(self.0 & !(1 << place))
    }

    pub fn up_to(self, place: usize) -> Places {
        Places(self.0 & ((2 << place) - 1))
    }

    pub fn below(self, place: usize) -> Places {
        Places(self.0 & ((1 << place) - 1))
    }

    pub fn highest(self) -> Option<usize> {
        self.0.checked_ilog2().map(|place| place as usize)
    }

    /// The places, highest first.
    #[inline(always)]
    pub fn descending(self) -> impl Iterator<Item = usize> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let place = rest.highest()?;
            rest = rest.without(place);
            Some(place)
        })
    }

    /// As the places of the player's checkers: those that a step of `die` can start from (rules 3.2, 4.2, 5.1 to 5.3).
    #[inline(always)]
    pub fn sources(self, die: usize, open: Places) -> Places {
        let landing = self.0 & open.0 << die;
        if self.contains(BAR) {
            return Places(landing & 1 << BAR);
        }
        if self.0 >> 7 != 0 {
            return Places(landing);
        }
        if self.0 >> die != 0 {
            return Places(landing | self.0 & 1 << die);
        }
        // Every checker is below the die: the rearmost is borne off.
        Places(self.highest().map_or(0, |place| 1 << place))
    }

    /// As the places of the player's checkers, of which `count` are on `from`: those after a step.
    #[inline(always)]
    pub fn after_step(self, from: usize, die: usize, count: i8) -> Places {
        let left = self.0 & !(u32::from(count == 1) << from);
        let landed = if from > die { 1 << (from - die) } else { 0 };
        Places(left | landed)
    }
}

/// The cells of a position, padded so that a masked index needs no bound check.
#[derive(Clone)]
#[repr(align(32))]
pub(super) struct Board([i8; 32]);

impl Board {
    #[inline(always)]
    pub fn new(position: &Position) -> Board {
        let mut cells = [0; 32];
        cells[..CELLS].copy_from_slice(position.cells());
        Board(cells)
    }

    #[inline(always)]
    pub fn cells(&self) -> &[i8; CELLS] {
        self.0.first_chunk().expect("28 of 32")
    }

    #[inline(always)]
    pub fn position(&self) -> Position {
        Position::from_cells_unchecked(*self.cells())
    }

    #[inline(always)]
    pub fn count(&self, place: usize) -> i8 {
        self.0[place & 31]
    }

    #[inline(always)]
    pub fn is_blot(&self, place: usize) -> bool {
        self.count(place) == -1
    }

    fn places(&self, wanted: impl Fn(i8) -> bool) -> u32 {
        let mut bits = 0;
        for (place, &count) in self.0.iter().enumerate() {
            bits |= u32::from(wanted(count)) << place;
        }
        bits
    }

    /// Places with checkers of the player.
    #[inline(always)]
    pub fn own(&self) -> Places {
        Places(self.places(|count| count > 0) & ((2 << BAR) - 2))
    }

    /// Points where the player may land (rule 3.2).
    #[inline(always)]
    pub fn open(&self) -> Places {
        Places(self.places(|count| count >= -1) & ((1 << BAR) - 2))
    }

    pub fn is_over(&self) -> bool {
        self.own().is_empty() || self.places(|count| count < 0) & ((1 << BAR) - 1) == 0
    }

    /// Makes one step that is legal.
    #[inline(always)]
    pub fn step(&mut self, from: usize, die: usize) {
        self.0[from & 31] -= 1;
        if from > die {
            let to = (from - die) & 31;
            let hit = self.0[to] == -1;
            self.0[to] = if hit { 1 } else { self.0[to] + 1 };
            self.0[OPPONENT_BAR] -= i8::from(hit);
        } else {
            self.0[OFF] += 1;
        }
    }
}
