//! The working form of a position: its cells as vectors, and places as bits.

use wide::i8x16;

use crate::position::{BAR, CELLS, OFF, OPPONENT_BAR, OPPONENT_OFF, Position};

/// A set of places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Places(u32);

impl Places {
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Bit by bit.
    pub fn bits(self) -> u32 {
        self.0
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

    pub fn lowest(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
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

    /// As the places of the player's checkers, `single` where there is but one: those after a step.
    #[inline(always)]
    pub fn after_step(self, single: Places, from: usize, die: usize) -> Places {
        let left = self.0 & !(single.0 & 1 << from);
        let landed = if from > die { 1 << (from - die) } else { 0 };
        Places(left | landed)
    }
}

/// The cells of a position as two vectors that overlap: cells 0 to 15 and 12 to 27.
///
/// A step adds a vector from a table, and whatever has to be known of the cells is a comparison. Cells changed one by one
/// in memory and then read as vectors would stall at every step.
#[derive(Clone, Copy)]
pub(crate) struct Board {
    low: i8x16,
    high: i8x16,
}

/// Where the second vector starts.
const HIGH: usize = CELLS - 16;

/// What each step adds to the cells: by view, by die, by whether it hits, by starting place.
static STEPS: [[[[[i8; CELLS]; BAR + 1]; 2]; 7]; 2] = {
    let mut steps = [[[[[0; CELLS]; BAR + 1]; 2]; 7]; 2];
    let mut die = 1;
    while die <= 6 {
        let mut from = 1;
        while from <= BAR {
            let mut hit = 0;
            while hit < 2 {
                let mut cells = [0; CELLS];
                cells[from] = -1;
                if from > die {
                    cells[from - die] += 1 + hit as i8;
                    cells[OPPONENT_BAR] -= hit as i8;
                } else {
                    cells[OFF] = 1;
                }
                steps[0][die][hit][from] = cells;
                let mut place = 0;
                while place <= BAR {
                    steps[1][die][hit][from][BAR - place] = -cells[place];
                    place += 1;
                }
                steps[1][die][hit][from][OPPONENT_OFF] = cells[OFF];
                hit += 1;
            }
            from += 1;
        }
        die += 1;
    }
    steps
};

impl Board {
    #[inline(always)]
    pub fn new(position: &Position) -> Board {
        Board::load(position.cells())
    }

    #[inline(always)]
    pub fn load(cells: &[i8; CELLS]) -> Board {
        let vector = |half: &[i8]| i8x16::new(half.try_into().expect("16 cells"));
        Board { low: vector(&cells[..16]), high: vector(&cells[HIGH..]) }
    }

    #[inline(always)]
    pub fn store(self, cells: &mut [i8; CELLS]) {
        cells[..16].copy_from_slice(self.low.as_array());
        cells[HIGH..].copy_from_slice(self.high.as_array());
    }

    #[inline(always)]
    pub fn position(self) -> Position {
        let mut cells = [0; CELLS];
        self.store(&mut cells);
        Position::from_cells_unchecked(cells)
    }

    #[inline(always)]
    fn bits(self, wanted: impl Fn(i8x16) -> i8x16) -> u32 {
        wanted(self.low).to_bitmask() | wanted(self.high).to_bitmask() << HIGH
    }

    /// Places with checkers of the player.
    #[inline(always)]
    pub fn own(self) -> Places {
        Places(self.bits(|cells| cells.simd_gt(i8x16::splat(0))) & ((2 << BAR) - 2))
    }

    /// Places with a single checker of the player.
    #[inline(always)]
    pub fn single(self) -> Places {
        Places(self.bits(|cells| cells.simd_eq(i8x16::splat(1))) & ((2 << BAR) - 2))
    }

    /// Points where the player may land (rule 3.2).
    #[inline(always)]
    pub fn open(self) -> Places {
        Places(self.bits(|cells| cells.simd_gt(i8x16::splat(-2))) & ((1 << BAR) - 2))
    }

    /// Points with a single checker of the opponent (rule 4.1).
    #[inline(always)]
    pub fn blots(self) -> Places {
        Places(self.bits(|cells| cells.simd_eq(i8x16::splat(-1))) & ((1 << BAR) - 2))
    }

    /// Places with checkers of the opponent as the player numbers them: 0 is their bar.
    #[inline(always)]
    pub fn opponent(self) -> Places {
        Places(self.bits(|cells| cells.simd_lt(i8x16::splat(0))) & ((1 << BAR) - 1))
    }

    /// The cells that differ from another board's, as bits.
    #[inline(always)]
    pub fn different(self, other: Board) -> u32 {
        let low = self.low.simd_eq(other.low).to_bitmask();
        let high = self.high.simd_eq(other.high).to_bitmask();
        !(low | high << HIGH) & ((1 << CELLS) - 1)
    }

    /// The cells after a legal step. `NEXT` says that they are in the view of the player who rolls next.
    #[inline(always)]
    pub fn after<const NEXT: bool>(self, made: Made) -> Board {
        let step = Board::load(&STEPS[usize::from(NEXT)][made.die][usize::from(made.hit)][made.from]);
        Board { low: self.low + step.low, high: self.high + step.high }
    }
}

/// A step as it changes the cells.
#[derive(Clone, Copy)]
pub(crate) struct Made {
    pub from: usize,
    pub die: usize,
    pub hit: bool,
}

impl Made {
    /// The step of a die from a place, where the opponent's blots are known.
    #[inline(always)]
    pub fn new(from: usize, die: usize, blots: Places) -> Made {
        Made { from, die, hit: from > die && blots.contains(from - die) }
    }
}
