//! Where each pair of positions is in a table.
//!
//! Positions of a side are put in order of their pips. The pairs (pips of the player on roll, pips of the player who
//! waits) are the *blocks*; they are solved, and stored, in order of the sum of both. A block has a row for every
//! position that waits; a row holds the positions on roll in *tiles* of 32, and a tile holds one [`Line`] of 32 numbers
//! for each value. So what the players on roll get after one play of their opponent is one vector for each value.
//!
//! Where a gammon can be lost (by a side with all 15 checkers left) numbers count double, so positions with 15 checkers
//! are kept in tiles of their own.

use crate::bearoff::index::{Index, checkers, pips};
use crate::dice::Roll;
use crate::position::CHECKERS;

/// The positions on roll that share a tile.
pub(super) const LANES: usize = 32;

/// One value of 32 positions on roll.
pub(super) type Line<N> = [N; LANES];

/// No roll takes more pips than 6-6.
pub(super) const MOST_PIPS: usize = 24;

/// Where a position is within its pip count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Its pips.
    pub pips: u16,
    /// Its row when it waits.
    pub row: u32,
    /// Its tile and lane when it is on roll: 32 x tile + lane.
    pub slot: u32,
    /// Whether it could lose a gammon: all 15 checkers are left.
    pub full: bool,
}

/// The positions of one side that have the same pips.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// The indices of its positions, by row.
    pub members: Vec<u32>,
    /// How many of them have borne off a checker; the others, with 15 left, come after them.
    pub safe: usize,
}

/// Some tiles of one class that are solved together: all of safe positions, or all of full ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strip {
    pub first_tile: usize,
    pub tiles: usize,
    pub first_row: usize,
    pub rows: usize,
    pub full: bool,
}

impl Class {
    fn safe_tiles(&self) -> usize {
        self.safe.div_ceil(LANES)
    }

    /// How many tiles its positions on roll take.
    pub fn tiles(&self) -> usize {
        self.safe_tiles() + (self.members.len() - self.safe).div_ceil(LANES)
    }

    /// The rows that a tile holds on roll.
    pub fn rows_of_tile(&self, tile: usize) -> std::ops::Range<usize> {
        let start =
            if tile < self.safe_tiles() { tile * LANES } else { self.safe + (tile - self.safe_tiles()) * LANES };
        let end = if tile < self.safe_tiles() { self.safe } else { self.members.len() };
        start..end.min(start + LANES)
    }

    /// The tiles in strips of up to `most`.
    pub fn strips(&self, most: usize) -> impl Iterator<Item = Strip> {
        let groups = [(0, self.safe_tiles(), false), (self.safe_tiles(), self.tiles(), true)];
        groups.into_iter().flat_map(move |(start, end, full)| {
            (start..end).step_by(most).map(move |first_tile| {
                let tiles = most.min(end - first_tile);
                let first_row = self.rows_of_tile(first_tile).start;
                let rows = self.rows_of_tile(first_tile + tiles - 1).end - first_row;
                Strip { first_tile, tiles, first_row, rows, full }
            })
        })
    }

    fn slot(&self, row: usize) -> usize {
        if row < self.safe { row } else { self.safe_tiles() * LANES + row - self.safe }
    }
}

/// One side: its positions by pips, and what they can play.
#[derive(Clone, Debug)]
pub(super) struct SideLayout {
    pub index: Index,
    pub classes: Vec<Class>,
    places: Vec<Place>,
}

impl SideLayout {
    pub fn new(index: Index) -> SideLayout {
        let most_pips = index.points() * index.checkers();
        let mut classes = vec![Class { members: Vec::new(), safe: 0 }; most_pips + 1];
        let mut places = Vec::with_capacity(index.len());
        for rank in 0..index.len() {
            let counts = index.unrank(rank);
            let full = checkers(&counts) == usize::from(CHECKERS);
            let class = &mut classes[pips(&counts)];
            let row = class.members.len() as u32;
            places.push(Place { pips: pips(&counts) as u16, row, slot: 0, full });
            // Positions with 15 checkers come last in the index, so they come last here too.
            class.safe += usize::from(!full);
            class.members.push(rank as u32);
        }
        for place in &mut places {
            place.slot = classes[usize::from(place.pips)].slot(place.row as usize) as u32;
        }
        SideLayout { index, classes, places }
    }

    pub fn place(&self, rank: usize) -> Place {
        self.places[rank]
    }

    pub fn most_pips(&self) -> usize {
        self.classes.len() - 1
    }
}

/// The rolls in the order that sums are formed in: those that count twice first.
pub(super) fn rolls() -> impl Iterator<Item = Roll> {
    Roll::openings().chain(Roll::ALL.into_iter().filter(|roll| roll.is_double()))
}

/// How many rolls count twice.
pub(super) const DOUBLY: usize = 15;
/// How many count once.
pub(super) const SINGLY: usize = 6;

/// One play, packed: the row it leads to, how many pips it takes, and whether it is the last of its roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedPlay(u32);

impl PackedPlay {
    const ROW_BITS: u32 = 24;

    fn new(row: u32, taken: usize, bears_off_first: bool, last: bool) -> PackedPlay {
        assert!(row < 1 << Self::ROW_BITS && taken <= MOST_PIPS, "row {row}, {taken} pips");
        PackedPlay(row | (taken as u32) << 24 | u32::from(bears_off_first) << 30 | u32::from(last) << 31)
    }

    #[inline(always)]
    pub fn row(self) -> usize {
        (self.0 & ((1 << Self::ROW_BITS) - 1)) as usize
    }

    #[inline(always)]
    pub fn taken(self) -> usize {
        (self.0 >> Self::ROW_BITS & 31) as usize
    }

    /// Whether it bears off the first of 15 checkers, which saves the gammon.
    #[inline(always)]
    pub fn bears_off_first(self) -> bool {
        self.0 >> 30 & 1 == 1
    }

    #[inline(always)]
    pub fn is_last(self) -> bool {
        self.0 >> 31 == 1
    }
}

/// The plays of the positions of one class, in row order; for each position all rolls in the order of [`rolls`].
pub(super) struct ClassPlays {
    plays: Vec<PackedPlay>,
    starts: Vec<u32>,
}

impl ClassPlays {
    pub fn new(side: &SideLayout, class: &Class) -> ClassPlays {
        let mut all = ClassPlays { plays: Vec::new(), starts: vec![0] };
        let mut results = Vec::new();
        for &rank in &class.members {
            let from = side.place(rank as usize);
            let counts = side.index.unrank(rank as usize);
            for roll in rolls() {
                side.index.plays_from(&counts, roll, &mut results);
                for (at, &result) in results.iter().enumerate() {
                    let to = side.place(result as usize);
                    let taken = usize::from(from.pips - to.pips);
                    let last = at + 1 == results.len();
                    all.plays.push(PackedPlay::new(to.row, taken, from.full && !to.full, last));
                }
            }
            all.starts.push(all.plays.len() as u32);
        }
        all
    }

    pub fn of(&self, row: usize) -> &[PackedPlay] {
        &self.plays[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// Which block: whose table, and both pip counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockName {
    /// 0: the first side is on roll. 1: the second is (only where that matters).
    pub orientation: usize,
    pub pips: usize,
    pub waiting_pips: usize,
}

/// Where a block is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Its place in the order of building.
    pub number: usize,
    /// Its first line within its layer.
    pub in_layer: usize,
    /// Its rows.
    pub rows: usize,
    /// The lines of a row.
    pub row_lines: usize,
}

impl Block {
    pub fn lines(&self) -> usize {
        self.rows * self.row_lines
    }
}

/// The blocks whose pips have one sum.
#[derive(Clone, Debug)]
pub(super) struct LayerPlan {
    pub names: Vec<BlockName>,
    /// The number of its first block.
    pub first_block: usize,
    /// Lines before it.
    pub first_line: u64,
    /// Its lines.
    pub lines: usize,
}

/// A whole table: what is where.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    sides: Vec<SideLayout>,
    /// The numbers for each pair of positions.
    pub values: usize,
    pub layers: Vec<LayerPlan>,
    blocks: Vec<Block>,
}

impl Layout {
    /// The layout of a table for two sides. `seated`: it matters which of them is on roll.
    pub fn new(first: Index, second: Index, seated: bool, values: usize) -> Layout {
        let mut sides = vec![SideLayout::new(first)];
        if seated {
            sides.push(SideLayout::new(second));
        }
        let mut layout = Layout { sides, values, layers: Vec::new(), blocks: Vec::new() };
        layout.plan();
        layout
    }

    fn plan(&mut self) {
        let most = |side: &SideLayout| side.most_pips();
        let (mut first_line, mut first_block) = (0, 0);
        let mut placed = vec![None; self.orientations() * self.block_slots()];
        for sum in 0..=most(self.side(0)) + most(self.waiting_side(0)) {
            let mut layer = LayerPlan { names: Vec::new(), first_block, first_line, lines: 0 };
            for orientation in 0..self.orientations() {
                let (on_roll, waiting) = (self.side(orientation), self.waiting_side(orientation));
                for pips in sum.saturating_sub(most(waiting))..=sum.min(most(on_roll)) {
                    let name = BlockName { orientation, pips, waiting_pips: sum - pips };
                    let rows = waiting.classes[sum - pips].members.len();
                    let row_lines = on_roll.classes[pips].tiles() * self.values;
                    let block = Block { number: first_block, in_layer: layer.lines, rows, row_lines };
                    placed[self.slot(name)] = Some(block);
                    layer.lines += block.lines();
                    layer.names.push(name);
                    first_block += 1;
                }
            }
            first_line += layer.lines as u64;
            self.layers.push(layer);
        }
        self.blocks = placed.into_iter().map(|block| block.expect("every pair of pips has a sum")).collect();
    }

    pub fn orientations(&self) -> usize {
        self.sides.len()
    }

    /// The side on roll.
    pub fn side(&self, orientation: usize) -> &SideLayout {
        &self.sides[orientation]
    }

    /// The orientation after a play.
    pub fn turned(&self, orientation: usize) -> usize {
        self.sides.len() - 1 - orientation
    }

    /// The side that waits.
    pub fn waiting_side(&self, orientation: usize) -> &SideLayout {
        self.side(self.turned(orientation))
    }

    fn block_slots(&self) -> usize {
        self.side(0).classes.len() * self.waiting_side(0).classes.len()
    }

    fn slot(&self, name: BlockName) -> usize {
        let width = self.waiting_side(name.orientation).classes.len();
        name.orientation * self.block_slots() + name.pips * width + name.waiting_pips
    }

    pub fn block(&self, name: BlockName) -> Block {
        self.blocks[self.slot(name)]
    }

    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// All lines of the table.
    pub fn lines(&self) -> u64 {
        self.layers.iter().map(|layer| layer.lines as u64).sum()
    }

    /// The most lines that solving holds at once: those of a layer and of the 24 before it.
    pub fn window_lines(&self) -> u64 {
        let lines: Vec<u64> = self.layers.iter().map(|layer| layer.lines as u64).collect();
        lines.windows(lines.len().min(MOST_PIPS + 1)).map(|window| window.iter().sum()).max().unwrap_or(0)
    }

    /// The pairs of positions in a layer.
    pub fn pairs_of(&self, layer: &LayerPlan) -> u64 {
        let pairs = |name: &BlockName| {
            let on_roll = &self.side(name.orientation).classes[name.pips];
            (self.block(*name).rows * on_roll.members.len()) as u64
        };
        layer.names.iter().map(pairs).sum()
    }

    /// The pairs of positions that it answers.
    #[cfg(test)]
    pub fn pairs(&self) -> u64 {
        self.orientations() as u64 * self.side(0).index.len() as u64 * self.waiting_side(0).index.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(first: usize, second: usize) -> Layout {
        Layout::new(Index::new(6, first).unwrap(), Index::new(6, second).unwrap(), first != second, 4)
    }

    #[test]
    fn every_pair_has_its_own_place() {
        for layout in [layout(3, 3), layout(2, 4)] {
            let mut seen = std::collections::HashSet::new();
            for orientation in 0..layout.orientations() {
                let (on_roll, waiting) = (layout.side(orientation), layout.waiting_side(orientation));
                for i in 0..on_roll.index.len() {
                    for j in 0..waiting.index.len() {
                        let (mover, waiter) = (on_roll.place(i), waiting.place(j));
                        let name = BlockName { orientation, pips: mover.pips.into(), waiting_pips: waiter.pips.into() };
                        let block = layout.block(name);
                        let tile = mover.slot as usize / LANES;
                        assert!((waiter.row as usize) < block.rows && (tile + 1) * 4 <= block.row_lines);
                        let layer = &layout.layers[name.pips + name.waiting_pips];
                        let line = block.in_layer + waiter.row as usize * block.row_lines + tile * 4;
                        assert!(line + 4 <= layer.lines);
                        assert!(seen.insert((layer.first_line + line as u64, mover.slot % LANES as u32)));
                    }
                }
            }
            assert_eq!(seen.len() as u64, layout.pairs());
        }
    }

    #[test]
    fn full_positions_have_tiles_of_their_own() {
        let side = SideLayout::new(Index::new(3, 15).unwrap());
        for class in &side.classes {
            let mut rows = 0;
            for tile in 0..class.tiles() {
                let range = class.rows_of_tile(tile);
                assert_eq!(range.start, rows);
                rows = range.end;
                let full: Vec<_> = range.clone().map(|row| side.place(class.members[row] as usize).full).collect();
                assert!(full.iter().all(|&f| f == full[0]) && !full.is_empty());
                for row in range.clone() {
                    let slot = side.place(class.members[row] as usize).slot as usize;
                    assert_eq!(slot, tile * LANES + row - range.start);
                }
            }
            assert_eq!(rows, class.members.len());
            let strips: Vec<_> = class.strips(4).collect();
            assert_eq!(strips.iter().map(|strip| strip.tiles).sum::<usize>(), class.tiles());
            assert_eq!(strips.iter().map(|strip| strip.rows).sum::<usize>(), rows);
        }
    }
}
