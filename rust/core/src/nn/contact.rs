//! What raw places hide: shots, blocks, boards and races, worked out of a position as small whole numbers.
//!
//! A feature of a side has a whole number for its value. To a first layer it is one place more, whose row is looked up by
//! the value: so it costs an addition, and a neighbour only the features that it changes. Each is seen by its own side, in
//! its own numbering; a table of them is in `docs/encodings.md`.

use wide::i8x16;

use crate::board::Board;
use crate::position::{BAR, CELLS, CHECKERS};

/// Features of one side.
pub const SIDE: usize = 22;
/// Features of a position: the player on roll's, then the opponent's.
pub const FEATURES: usize = 2 * SIDE;

/// The values of a position's features, and zeros that fill up vectors of 16.
pub type Values = [u8; FEATURES.next_multiple_of(16)];

/// All of them 0.
pub const NO_VALUES: Values = [0; FEATURES.next_multiple_of(16)];

/// The kinds, in the order of [`Values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Feature {
    /// Rolls of 36 that hit a blot.
    Shots,
    /// Rolls of 36 that hit a blot which loses at least 13 pips by it.
    FarShots,
    /// Blots that some roll hits.
    Targets,
    /// Shots x points made in the home board / 6: what a hit is worth.
    Threat,
    /// Rolls of 36 that bring the rearmost checker past every blocked point of the eight in front of it.
    Escape,
    /// The same for the rearmost of the other places.
    SecondEscape,
    /// Rolls of 36 that bring the rearmost checker at least seven points forward.
    Leap,
    /// The same for a checker on the bar, whether there is one or not.
    BarLeap,
    /// The longest run of blocked points among the twelve in front of the rearmost checker.
    Prime,
    /// Blocked points among the six in front of the rearmost checker.
    Near,
    /// Blocked points among the six after those.
    Ahead,
    /// Points made in the home board.
    Board,
    /// One more than those if the opponent is on the bar.
    Closing,
    /// Numbers of a die that have no step; none once all are home.
    Dead,
    /// Blots in the home board.
    HomeBlots,
    /// Pips ahead of the opponent.
    Lead,
    /// Pips / 2 until no own checker is behind one of the opponent's, rounded up.
    Break,
    /// Checkers in play that are past all of the opponent's.
    Free,
    /// Checkers in the opponent's home board and on the bar.
    Back,
    /// The foremost point made in the opponent's home board: 1 for the 24 point to 6 for the 19 point, 0 for none.
    Anchor,
    /// The place of the rearmost checker.
    Rear,
    /// One more than the pips / 2 until all are home, while none is off: what saves the gammon.
    Save,
}

impl Feature {
    /// All of them.
    pub const ALL: [Feature; SIDE] = [
        Feature::Shots,
        Feature::FarShots,
        Feature::Targets,
        Feature::Threat,
        Feature::Escape,
        Feature::SecondEscape,
        Feature::Leap,
        Feature::BarLeap,
        Feature::Prime,
        Feature::Near,
        Feature::Ahead,
        Feature::Board,
        Feature::Closing,
        Feature::Dead,
        Feature::HomeBlots,
        Feature::Lead,
        Feature::Break,
        Feature::Free,
        Feature::Back,
        Feature::Anchor,
        Feature::Rear,
        Feature::Save,
    ];

    /// Where its inputs bend: each input grows from 0 to 1 between two of these values. Larger values count as the last.
    pub const fn knots(self) -> &'static [u8] {
        match self {
            Feature::Shots | Feature::FarShots | Feature::Threat => &[0, 6, 12, 20, 36],
            Feature::Targets => &[0, 1, 2, 4],
            Feature::Escape | Feature::SecondEscape => &[0, 6, 12, 20, 28, 36],
            Feature::Leap | Feature::BarLeap => &[0, 3, 7, 12, 23],
            Feature::Prime => &[0, 2, 3, 4, 5, 6],
            Feature::Near => &[0, 2, 3, 4, 5, 6],
            Feature::Ahead => &[0, 2, 4, 6],
            Feature::Board => &[0, 2, 3, 4, 5, 6],
            Feature::Closing => &[0, 1, 3, 4, 5, 6, 7],
            Feature::Dead => &[0, 1, 2, 4, 6],
            Feature::HomeBlots => &[0, 1, 3],
            Feature::Lead => &[0, 4, 8, 16, 32, 63],
            Feature::Break => &[0, 1, 8, 24, 63],
            Feature::Free => &[0, 5, 10, 14, 15],
            Feature::Back => &[0, 1, 2, 3, 4, 7],
            Feature::Anchor => &[0, 1, 2, 3, 4, 5, 6],
            Feature::Rear => &[0, 6, 12, 18, 22, 24, 25],
            Feature::Save => &[0, 1, 5, 12, 25, 63],
        }
    }

    /// The largest value.
    pub const fn most(self) -> u8 {
        let knots = self.knots();
        knots[knots.len() - 1]
    }

    /// How many inputs it has.
    pub const fn inputs(self) -> usize {
        self.knots().len() - 1
    }

    /// An input of it, from 0 to 1, for a value.
    #[inline(always)]
    pub fn unit(self, input: usize, value: u8) -> f32 {
        let knots = self.knots();
        let (from, to) = (f32::from(knots[input]), f32::from(knots[input + 1]));
        ((f32::from(value) - from) / (to - from)).clamp(0.0, 1.0)
    }
}

/// The first input of each feature among those of a side.
pub const FIRST_INPUTS: [usize; SIDE] = {
    let mut firsts = [0; SIDE];
    let mut at = 1;
    while at < SIDE {
        firsts[at] = firsts[at - 1] + Feature::ALL[at - 1].inputs();
        at += 1;
    }
    firsts
};
/// Inputs that the features of a side have.
pub const SIDE_INPUTS: usize = FIRST_INPUTS[SIDE - 1] + Feature::ALL[SIDE - 1].inputs();

/// Side and kind of each feature of a position, in the order of [`Values`].
pub fn all() -> impl Iterator<Item = (usize, Feature)> {
    (0..2).flat_map(|side| Feature::ALL.into_iter().map(move |feature| (side, feature)))
}

/// The points 1 to 24.
const POINTS: u32 = (1 << BAR) - 2;
const ON_BAR: u32 = 1 << BAR;
/// A home board.
const HOME: u32 = 0b111_1110;
/// The opponent's home board.
const FAR_HOME: u32 = 0b11_1111 << 19;
/// Where a blot of the opponent has made at least 13 pips.
const FAR: u32 = 0xfff << 13;

/// The two numbers of each roll that is no double, and a pair that leads nowhere.
const PAIRS: [[u32; 16]; 2] = {
    let mut pairs = [[31; 16]; 2];
    let (mut high, mut at) = (2, 0);
    while high <= 6 {
        let mut low = 1;
        while low < high {
            pairs[0][at] = high;
            pairs[1][at] = low;
            at += 1;
            low += 1;
        }
        high += 1;
    }
    pairs
};
/// The numbers of a die, and two that lead nowhere.
const NUMBERS: [u32; 8] = [1, 2, 3, 4, 5, 6, 31, 31];

/// What twelve points in front of a checker leave it.
#[derive(Clone, Copy)]
struct Front {
    escape: u8,
    leap: u8,
    prime: u8,
}

/// By which of the points at distances 1 to 12 are blocked, in bits 0 to 11.
#[allow(long_running_const_eval, reason = "4,096 times 21 rolls")]
static FRONTS: [Front; 1 << 12] = {
    let mut fronts = [Front { escape: 0, leap: 0, prime: 0 }; 1 << 12];
    let mut blocked = 0;
    while blocked < 1 << 12 {
        let near = blocked as u32 & 0xff;
        // The last blocked one of the eight nearest, 0 for none.
        let last = u32::BITS - near.leading_zeros();
        fronts[blocked] = Front {
            escape: rolls_beyond(blocked as u32, last),
            leap: rolls_beyond(blocked as u32, 6),
            prime: longest_run(blocked as u32),
        };
        blocked += 1;
    }
    fronts
};

/// Rolls of 36 that bring a checker more than `distance` points forward, at most 8, landing on no blocked point.
const fn rolls_beyond(blocked: u32, distance: u32) -> u8 {
    let mut rolls = 0;
    let mut high = 1;
    while high <= 6 {
        let mut low = 1;
        while low <= high {
            let first = blocked >> (high - 1) & 1 == 0;
            let second = blocked >> (low - 1) & 1 == 0;
            if high == low {
                let mut at = high;
                let mut steps = 1;
                while steps <= 4 && at <= 12 && blocked >> (at - 1) & 1 == 0 {
                    if at > distance {
                        rolls += 1;
                        break;
                    }
                    at += high;
                    steps += 1;
                }
            } else {
                let both = (first || second) && blocked >> (high + low - 1) & 1 == 0 && high + low > distance;
                if both || first && high > distance || second && low > distance {
                    rolls += 2;
                }
            }
            low += 1;
        }
        high += 1;
    }
    rolls
}

const fn longest_run(bits: u32) -> u8 {
    let mut rest = bits;
    let mut length = 0;
    while rest != 0 {
        rest &= rest >> 1;
        length += 1;
    }
    length
}

/// A checker at a place adds to pips (9 bits), pips outside the home board (9) and checkers on 19 and beyond (4): by side
/// and cell.
static WEIGHTS: [[u32; CELLS]; 2] = {
    let mut weights = [[0; CELLS]; 2];
    let mut place = 1;
    while place <= BAR {
        let pips = place as u32;
        let outside = pips.saturating_sub(6);
        let back = if pips >= 19 { 1 } else { 0 };
        let weight = pips | outside << 9 | back << 18;
        weights[0][place] = weight;
        weights[1][BAR - place] = weight;
        place += 1;
    }
    weights
};

/// A checker at a place adds to pips until it is past the opponent's rearmost checker (9 bits) or to checkers past it (4):
/// by side, place of that checker and cell.
static BEHIND: [[[u32; CELLS]; BAR + 1]; 2] = {
    let mut behind = [[[0; CELLS]; BAR + 1]; 2];
    let mut rearmost = 0;
    while rearmost <= BAR {
        let mut place = 1;
        while place <= BAR {
            let weight = if place > rearmost { (place - rearmost) as u32 } else { 1 << 9 };
            behind[0][rearmost][place] = weight;
            behind[1][rearmost][BAR - place] = weight;
            place += 1;
        }
        rearmost += 1;
    }
    behind
};

/// Places of both sides as one side numbers them.
#[derive(Clone, Copy)]
struct View {
    /// Own checkers, 1 to 25.
    own: u32,
    /// Own points made.
    made: u32,
    /// The opponent's checkers, 0 (their bar) to 24.
    foe: u32,
    foe_made: u32,
    foe_blots: u32,
    /// Own checkers on the bar.
    bar: u32,
    /// The opponent's points made in their own numbering.
    turned: u32,
}

impl View {
    /// The twelve points in front of a place, those blocked as bits; beyond the board nothing is.
    #[inline(always)]
    fn front(self, place: u32) -> u32 {
        self.turned >> (26 - place) & 0xfff
    }
}

/// The place of the highest bit of places, 0 for none.
#[inline(always)]
fn highest(places: u32) -> u32 {
    (places | 1).ilog2()
}

/// Rolls of 36 that hit, rolls that hit far, blots that some roll hits, numbers without a step.
///
/// Whether a step that hits is ruled out because another way plays more numbers is not looked at.
#[inline(always)]
fn shots(view: View) -> [u32; 4] {
    let View { own, foe_blots: blots, bar, .. } = view;
    let open = POINTS & !view.foe_made;
    // What the first step can be made with, and whether that very checker may go on.
    let first = if bar > 0 { ON_BAR } else { own };
    let goes_on = if bar < 2 { u32::MAX } else { 0 };
    // The others, once the last checker on the bar is in.
    let others = if bar == 1 { own & POINTS } else { 0 };
    let (mut rolls, mut far, mut targets) = (0, 0, 0);
    for lane in 0..16 {
        let (high, low) = (PAIRS[0][lane], PAIRS[1][lane]);
        let (x, y) = (first >> high & open, first >> low & open);
        let after_x = x & goes_on | if x != 0 { others } else { 0 };
        let after_y = y & goes_on | if y != 0 { others } else { 0 };
        let hits = (x | y | after_x >> low | after_y >> high) & blots;
        rolls += 2 * u32::from(hits != 0);
        far += 2 * u32::from(hits & FAR != 0);
        targets |= hits;
    }
    let mut dead = 0;
    // A double's steps that are left once those on the bar are in.
    let allowed: [u32; 4] = std::array::from_fn(|step| if step as u32 + bar < 4 { u32::MAX } else { 0 });
    let entering = if bar > 0 { u32::MAX } else { 0 };
    let rest = own & POINTS;
    for number in NUMBERS {
        let entered = first >> number & open;
        dead += u32::from(entered == 0);
        let gate = if entered != 0 || bar == 0 { u32::MAX } else { 0 };
        let mut from = (rest | entered & entering) & gate;
        let mut hits = entered & entering;
        for allowed in allowed {
            from = from >> number & open;
            hits |= from & allowed;
        }
        hits &= blots;
        rolls += u32::from(hits != 0);
        far += u32::from(hits & FAR != 0);
        targets |= hits;
    }
    // Two of the eight numbers are none.
    let home = own & !HOME == 0;
    [rolls, far, targets.count_ones(), if home { 0 } else { dead - 2 }]
}

/// Adds up a weight for each checker of a side.
#[inline(always)]
fn sum(cells: &[i8; CELLS], sign: i8, weights: &[u32; CELLS]) -> u32 {
    let mut sum = 0;
    for cell in 0..CELLS {
        sum += (cells[cell].wrapping_mul(sign)).max(0) as u32 * weights[cell];
    }
    sum
}

/// What the pips of one side are.
struct Pips {
    all: u32,
    outside: u32,
    back: u32,
}

#[inline(always)]
fn pips(cells: &[i8; CELLS], side: usize) -> Pips {
    let sum = sum(cells, [1, -1][side], &WEIGHTS[side]);
    Pips { all: sum & 0x1ff, outside: sum >> 9 & 0x1ff, back: sum >> 18 }
}

/// The features of a side, given as it sees the board.
#[inline(always)]
fn side(cells: &[i8; CELLS], side: usize, view: View, own: &Pips, foe_pips: u32) -> [u8; SIDE] {
    let [shots, far, targets, dead] = shots(view);
    let rear = highest(view.own);
    let front = view.front(rear);
    let at_front = FRONTS[front as usize];
    let second = FRONTS[view.front(highest(view.own & !(1 << rear))) as usize];
    let board = (view.made & HOME).count_ones();
    let closing = if view.foe & 1 != 0 { 1 + board } else { 0 };
    let anchors = view.made & FAR_HOME;
    // The 24 point is bit 24 and counts 1.
    let anchor = if anchors == 0 { 0 } else { 25 - anchors.trailing_zeros() };
    let foe_rear = (view.foe | 1 << BAR).trailing_zeros() as usize;
    let behind = sum(cells, [1, -1][side], &BEHIND[side][foe_rear]);
    let off = cells[[crate::position::OFF, crate::position::OPPONENT_OFF][side]];
    let values = [
        shots,
        far,
        targets,
        shots * board / 6,
        at_front.escape.into(),
        second.escape.into(),
        at_front.leap.into(),
        FRONTS[view.front(BAR as u32) as usize].leap.into(),
        at_front.prime.into(),
        (front & 0x3f).count_ones(),
        (front >> 6).count_ones(),
        board,
        closing,
        dead,
        (view.own & !view.made & HOME).count_ones(),
        foe_pips.saturating_sub(own.all),
        (behind & 0x1ff).div_ceil(2),
        behind >> 9,
        own.back,
        anchor,
        rear,
        if off > 0 { 0 } else { 1 + own.outside / 2 },
    ];
    std::array::from_fn(|at| values[at].min(u32::from(MOST[at])) as u8)
}

/// The largest value of each kind.
const MOST: [u8; SIDE] = {
    let mut most = [0; SIDE];
    let mut at = 0;
    while at < SIDE {
        most[at] = Feature::ALL[at].most();
        at += 1;
    }
    most
};

/// Bits of places 0 to 25 as the other side numbers them.
#[inline(always)]
fn turn(places: u32) -> u32 {
    places.reverse_bits() >> 6
}

/// The values of all features, for cells that are a position.
#[inline(always)]
pub fn values(cells: &[i8; CELLS]) -> Values {
    let board = Board::load(cells);
    let (own, foe) = (board.own().bits(), board.opponent().bits());
    let (single, foe_single) = (board.single().bits(), board.blots().bits());
    let (made, foe_made) = (own & !single & POINTS, foe & !foe_single & POINTS);
    let mine = View { own, made, foe, foe_made, foe_blots: foe_single, bar: cells[BAR] as u32, turned: turn(foe_made) };
    let theirs = View {
        own: turn(foe),
        made: turn(foe_made),
        foe: turn(own),
        foe_made: turn(made),
        foe_blots: turn(single) & POINTS,
        bar: u32::from(cells[0].unsigned_abs()),
        turned: made,
    };
    let (own_pips, foe_pips) = (pips(cells, 0), pips(cells, 1));
    let mut values = NO_VALUES;
    values[..SIDE].copy_from_slice(&side(cells, 0, mine, &own_pips, foe_pips.all));
    values[SIDE..FEATURES].copy_from_slice(&side(cells, 1, theirs, &foe_pips, own_pips.all));
    values
}

/// The features that differ, as bits.
#[inline(always)]
pub fn different(from: &Values, to: &Values) -> u64 {
    let (from, to) = (from.as_chunks::<16>().0, to.as_chunks::<16>().0);
    let mut different = 0;
    for (part, (from, to)) in from.iter().zip(to).enumerate() {
        let vector = |values: &[u8; 16]| i8x16::new(values.map(|value| value as i8));
        let same = vector(from).simd_eq(vector(to)).to_bitmask();
        different |= u64::from(!same & 0xffff) << (16 * part);
    }
    different
}

const _: () = assert!(FEATURES <= 64 && CHECKERS == 15);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Roll;
    use crate::parallel::Control;
    use crate::position::{OFF, OPPONENT_OFF, Position, Variant};
    use crate::rng::{Purpose, Stream};
    use crate::simulate;

    /// Positions of play, and checkers strewn anywhere: many on the bar, many blots, men missing.
    fn positions() -> Vec<Position> {
        // Behind full primes.
        let behind = [[(25, 1), (24, 1)], [(24, 1), (6, 1)], [(24, 1), (6, 1)]];
        let primes = [2..8, 2..8, 8..14].map(|points| points.map(|point| (point, 2)).collect::<Vec<_>>());
        let primed = behind.into_iter().zip(primes).map(|(own, prime)| Position::from_points(&own, &prime).unwrap());
        let mut positions: Vec<Position> = primed.collect();
        let closed: Vec<_> = (1..7).map(|point| (point, 2)).collect();
        positions.push(Position::from_points(&closed, &[(25, 1), (6, 3)]).unwrap());
        for variant in Variant::ALL {
            positions.extend(simulate::random_positions(&Position::start(variant), 500, 11, &Control::default()));
        }
        let mut stream = Stream::new(5, Purpose::Training, 2, 0, 0);
        while positions.len() < 4_000 {
            let mut cells = [0i8; CELLS];
            let spread = 1 + stream.below(25) as usize;
            for sign in [1, -1] {
                for _ in 0..stream.below(16) {
                    let near = stream.below(spread as u64 + 1) as usize;
                    let cell = if (sign == 1) == (spread % 2 == 1) { near.min(BAR) } else { BAR - near.min(BAR) };
                    if cells[cell] * sign >= 0 && (cell, sign) != (0, 1) && (cell, sign) != (BAR, -1) {
                        cells[cell] += sign;
                    }
                }
            }
            cells[[OFF, OPPONENT_OFF][stream.below(2) as usize]] = stream.below(2) as i8;
            positions.extend(Position::from_cells(&cells));
        }
        positions
    }

    /// Where a roll can hit, and whether a number has a step at all: every step of every order, by trying.
    fn hits(position: &Position, dice: &[usize], found: &mut [bool; BAR]) {
        for (at, &die) in dice.iter().enumerate() {
            let mut rest = dice.to_vec();
            rest.remove(at);
            for from in 1..=BAR {
                let held = position.cell(from) > 0 && (position.bar() == 0 || from == BAR);
                if !held || from <= die || position.cell(from - die) < -1 {
                    continue;
                }
                let mut cells = *position.cells();
                cells[from] -= 1;
                if cells[from - die] == -1 {
                    found[from - die] = true;
                    cells[from - die] = 0;
                    cells[0] -= 1;
                }
                cells[from - die] += 1;
                hits(&Position::from_cells_unchecked(cells), &rest, found);
            }
        }
    }

    /// Rolls that take a checker by itself from a place to one that will do, landing by landing.
    fn rolls_to(position: &Position, from: usize, will_do: impl Fn(i32) -> bool) -> u32 {
        fn reach(position: &Position, at: i32, dice: &[usize], will_do: &impl Fn(i32) -> bool) -> bool {
            (0..dice.len()).any(|used| {
                let mut rest = dice.to_vec();
                let to = at - rest.remove(used) as i32;
                // Beyond the board nothing is blocked.
                let open = to < 1 || position.cell(to as usize) > -2;
                open && (will_do(to) || reach(position, to, &rest, will_do))
            })
        }
        let works = |roll: &Roll| reach(position, from as i32, &dice_of(*roll), &will_do);
        Roll::ALL.iter().filter(|roll| works(roll)).map(|roll| u32::from(roll.weight())).sum()
    }

    fn dice_of(roll: Roll) -> Vec<usize> {
        let (high, low) = (usize::from(roll.high()), usize::from(roll.low()));
        if high == low { vec![high; 4] } else { vec![high, low] }
    }

    /// The features of the player on roll, each as its sentence says it.
    fn twin(position: &Position) -> [u32; SIDE] {
        let own = |place: usize| u32::from(position.cell(place).max(0) as u8);
        let blocked = |place: i32| (1..=24).contains(&place) && position.cell(place as usize) < -1;
        let (mut shots, mut far, mut targets) = (0, 0, [false; BAR]);
        for roll in Roll::ALL {
            let mut found = [false; BAR];
            hits(position, &dice_of(roll), &mut found);
            let weight = u32::from(roll.weight());
            shots += if found.contains(&true) { weight } else { 0 };
            // A blot on our 13 point has made 13 of its pips.
            far += if found[13..].contains(&true) { weight } else { 0 };
            for place in 0..BAR {
                targets[place] |= found[place];
            }
        }
        let step = |die: usize| {
            let from = if position.bar() > 0 { BAR..=BAR } else { 1..=BAR };
            from.into_iter().any(|from| own(from) > 0 && from > die && position.cell(from - die) > -2)
        };
        let all_home = (7..=BAR).all(|place| own(place) == 0);
        let dead = if all_home { 0 } else { (1..=6).filter(|&die| !step(die)).count() as u32 };
        let board = (1..=6).filter(|&place| own(place) > 1).count() as u32;
        let rear = position.highest();
        let second = (1..rear).rev().find(|&place| own(place) > 0).unwrap_or(0);
        let escape = |from: usize| {
            let last = (1..=8).rev().find(|distance| blocked(from as i32 - distance)).unwrap_or(0);
            rolls_to(position, from, |to| to < from as i32 - last)
        };
        let leap = |from: usize| rolls_to(position, from, |to| to <= from as i32 - 7);
        let in_front = |distances: std::ops::RangeInclusive<i32>| distances.map(|at| blocked(rear as i32 - at));
        let (mut prime, mut run) = (0, 0);
        for blocked in in_front(1..=12) {
            run = if blocked { run + 1 } else { 0 };
            prime = prime.max(run);
        }
        let count = |distances| in_front(distances).filter(|blocked| *blocked).count() as u32;
        let foe_rear = (0..BAR).find(|&place| position.cell(place) < 0).unwrap_or(BAR);
        let pips = |over: usize, places: std::ops::RangeInclusive<usize>| -> u32 {
            places.map(|place| own(place) * (place.saturating_sub(over)) as u32).sum()
        };
        let checkers = |places: std::ops::RangeInclusive<usize>| places.map(own).sum::<u32>();
        let anchor = (19..=24).find(|&place| own(place) > 1).map_or(0, |place| 25 - place as u32);
        let values = [
            shots,
            far,
            targets.iter().filter(|hit| **hit).count() as u32,
            shots * board / 6,
            escape(rear),
            escape(second),
            leap(rear),
            leap(BAR),
            prime,
            count(1..=6),
            count(7..=12),
            board,
            if position.opponent_bar() > 0 { board + 1 } else { 0 },
            dead,
            (1..=6).filter(|&place| own(place) == 1).count() as u32,
            u32::from(position.opponent_pips().saturating_sub(position.pips())),
            pips(foe_rear, 1..=BAR).div_ceil(2),
            checkers(1..=foe_rear),
            checkers(19..=BAR),
            anchor,
            rear as u32,
            if position.off() > 0 { 0 } else { 1 + pips(6, 1..=BAR) / 2 },
        ];
        std::array::from_fn(|at| values[at].min(u32::from(Feature::ALL[at].most())))
    }

    #[test]
    fn every_value_is_what_its_sentence_says() {
        let mut seen = vec![std::collections::BTreeSet::new(); SIDE];
        for position in positions() {
            let values = values(position.cells());
            for (side, position) in [position, position.flip()].iter().enumerate() {
                for (at, expected) in twin(position).into_iter().enumerate() {
                    let found = values[side * SIDE + at];
                    assert_eq!(u32::from(found), expected, "{:?} of side {side}, {position:?}", Feature::ALL[at]);
                    seen[at].insert(found);
                }
            }
        }
        // Every feature has been seen over most of its range.
        for (feature, seen) in Feature::ALL.into_iter().zip(seen) {
            assert!(seen.contains(&0) || feature == Feature::Rear, "{feature:?}: {seen:?}");
            let last_stretch = feature.knots()[feature.inputs() - 1];
            assert!(seen.last() > Some(&last_stretch), "{feature:?}: {seen:?}");
            assert!(3 * seen.len() > usize::from(feature.most()), "{feature:?}: {seen:?}");
        }
    }

    #[test]
    fn a_mirrored_position_has_them_swapped() {
        for position in positions() {
            let (seen, mirrored) = (values(position.cells()), values(position.flip().cells()));
            assert_eq!(seen[..SIDE], mirrored[SIDE..FEATURES]);
            assert_eq!(seen[SIDE..FEATURES], mirrored[..SIDE]);
        }
    }

    #[test]
    fn the_start() {
        let values = values(Position::start(Variant::Standard).cells());
        let of = |feature: Feature| values[feature as usize];
        assert_eq!((of(Feature::Shots), of(Feature::Lead), of(Feature::Back), of(Feature::Anchor)), (0, 0, 2, 1));
        assert_eq!((of(Feature::Near), of(Feature::Ahead), of(Feature::Prime), of(Feature::Board)), (1, 2, 1, 1));
        // From 24 past the blocked 19 and 17: 6-2 to 6-5, 5-3 and 5-4 by the smaller number first, 2-2, 3-3 and 4-4.
        assert_eq!(of(Feature::Escape), 15);
    }

    #[test]
    fn ordered_as_they_are_numbered() {
        for (at, feature) in Feature::ALL.into_iter().enumerate() {
            assert_eq!(feature as usize, at);
            assert!(feature.knots().is_sorted_by(|a, b| a < b) && feature.knots()[0] == 0);
            let sum = |value| (0..feature.inputs()).map(|input| feature.unit(input, value)).sum::<f32>();
            for (whole, &knot) in feature.knots().iter().enumerate() {
                assert_eq!(sum(knot), whole as f32);
            }
        }
    }

    #[test]
    fn differences_as_bits() {
        let one: Values = std::array::from_fn(|at| at as u8 % 7);
        let mut other = one;
        for at in [0, 15, 16, 31, 47] {
            other[at] += 200;
        }
        assert_eq!(different(&one, &other), 1 | 1 << 15 | 1 << 16 | 1 << 31 | 1 << 47);
        assert_eq!(different(&one, &one), 0);
    }
}
