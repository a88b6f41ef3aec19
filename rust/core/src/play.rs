//! A play: up to four steps of one roll, and the notation that people write it in.

mod parse;

use std::fmt;

use crate::dice::Roll;
use crate::movegen::{self, StepCells, View};
use crate::position::{BAR, Position};

pub use parse::{Illegal, PlayError};

/// The most steps of a play: a double gives four (rule 3.3).
pub const MAX_STEPS: usize = 4;

/// One checker moved by one die: 25 is the bar, 0 is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// Where it starts, 1 to 25.
    pub from: u8,
    /// Where it lands, 0 to 24.
    pub to: u8,
}

impl Step {
    /// Fills the unused places of an array of steps.
    pub(crate) const NONE: Step = Step { from: 0, to: 0 };
}

/// A legal play of a roll, with the position it leads to. Two plays of one roll are the same if they lead there.
///
/// Its steps are canonical: by descending starting place, from one place the smaller die first, and of two orders of
/// one checker the one with the smaller die first. `Display` writes it as people do: `bar/20*/14`, `13/7(2)`, `6/off`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Play {
    before: Position,
    roll: Roll,
    steps: [Step; MAX_STEPS],
    len: u8,
    after: Position,
}

impl Play {
    fn new(before: Position, roll: Roll, cells: &StepCells, after: Position) -> Play {
        let mut steps = [Step::NONE; MAX_STEPS];
        let mut len = 0;
        for [from, to] in cells.iter().copied().filter(|step| step[0] > 0) {
            steps[len] = Step { from: from as u8, to: to as u8 };
            len += 1;
        }
        Play { before, roll, steps, len: len as u8, after }
    }

    /// The position it is made in.
    pub fn before(&self) -> &Position {
        &self.before
    }

    /// The roll it plays.
    pub fn roll(&self) -> Roll {
        self.roll
    }

    /// Its steps in canonical order; none for the empty play of a dance.
    pub fn steps(&self) -> &[Step] {
        &self.steps[..usize::from(self.len)]
    }

    /// The position it leads to, in the view of the player who made it.
    pub fn after(&self) -> &Position {
        &self.after
    }

    /// The position the opponent rolls in.
    pub fn next(&self) -> Position {
        self.after.flip()
    }

    /// The steps, each with whether it hits.
    pub fn hits(&self) -> impl Iterator<Item = (Step, bool)> {
        let mut blots = [false; BAR];
        for (point, blot) in blots.iter_mut().enumerate().skip(1) {
            *blot = self.before.cell(point) == -1;
        }
        // The canonical order is a legal one, so the first to land on a blot hits it.
        self.steps().iter().map(move |&step| (step, std::mem::take(&mut blots[usize::from(step.to)])))
    }

    /// The steps of each checker joined.
    fn chains(&self) -> Vec<Chain> {
        let mut chains: Vec<Chain> = Vec::new();
        for (step, hit) in self.hits() {
            let stop = Stop { place: step.to, hit };
            match chains.iter_mut().find(|chain| chain.end() == step.from) {
                Some(chain) => chain.stops.push(stop),
                None => chains.push(Chain { from: step.from, stops: vec![stop] }),
            }
        }
        for chain in &mut chains {
            let hidden = self.other_order_hits(chain);
            let last = chain.stops.len() - 1;
            let mut place = 0;
            // A landing between is named if something happens there, or if leaving it out could mean another play.
            chain.stops.retain(|stop| {
                place += 1;
                stop.hit || hidden || place > last
            });
        }
        chains
    }

    /// Whether the checker that makes both steps would hit on its way if it made them in the other order.
    fn other_order_hits(&self, chain: &Chain) -> bool {
        let [first, second] = chain.stops[..] else {
            return false;
        };
        !self.roll.is_double() && {
            let die = chain.from - first.place;
            let other = if die == self.roll.low() { self.roll.high() } else { self.roll.low() };
            let between = chain.from.saturating_sub(other);
            between > second.place && self.before.cell(usize::from(between)) == -1
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Stop {
    place: u8,
    hit: bool,
}

struct Chain {
    from: u8,
    stops: Vec<Stop>,
}

impl Chain {
    fn end(&self) -> u8 {
        self.stops.last().expect("a chain has a step").place
    }

    fn same_path(&self, other: &Chain) -> bool {
        self.from == other.from && self.stops.iter().map(|s| s.place).eq(other.stops.iter().map(|s| s.place))
    }
}

fn place_name(place: u8) -> String {
    match place {
        0 => "off".to_owned(),
        25 => "bar".to_owned(),
        point => point.to_string(),
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&place_name(self.from))?;
        for stop in &self.stops {
            write!(f, "/{}{}", place_name(stop.place), if stop.hit { "*" } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.chains();
        let mut first = true;
        while !rest.is_empty() {
            let chain = rest.remove(0);
            let before = rest.len();
            // The first of several to land has hit for all of them: bar/20*(2).
            rest.retain(|other| !chain.same_path(other));
            let count = before - rest.len() + 1;
            write!(f, "{}{chain}", if first { "" } else { " " })?;
            if count > 1 {
                write!(f, "({count})")?;
            }
            first = false;
        }
        Ok(())
    }
}

impl fmt::Debug for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Play({:?}, {}, {self})", self.before, self.roll)
    }
}

impl Position {
    /// The distinct plays of a roll in canonical order, highest first; none for a dance or a finished game.
    pub fn plays(&self, roll: Roll) -> Vec<Play> {
        let (mut cells, mut steps) = (Vec::new(), Vec::new());
        movegen::plays(self, roll, View::Mover, &mut cells, &mut steps);
        cells
            .into_iter()
            .zip(steps)
            .map(|(cells, steps)| Play::new(*self, roll, &steps, Position::from_cells_unchecked(cells)))
            .collect()
    }

    /// Reads a play as people write it and checks that it is legal.
    ///
    /// Understands `8/5 6/5`, `bar/20*/14`, `13/7(2)`, `6/off`, `25/22`, `6/0`, several steps of one checker as one,
    /// any order of dice and checkers. The empty text is the empty play of a dance.
    ///
    /// # Errors
    /// [`PlayError::Notation`] if it cannot be read, [`PlayError::Illegal`] with the reason if it is not legal, and
    /// [`PlayError::Ambiguous`] if it means plays with different results.
    pub fn play(&self, text: &str, roll: Roll) -> Result<Play, PlayError> {
        parse::play(self, text, roll)
    }

    /// The empty play, which ends the turn of a player who cannot move (rule 3.6).
    fn dance(&self, roll: Roll) -> Play {
        Play { before: *self, roll, steps: [Step::NONE; MAX_STEPS], len: 0, after: *self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Variant;

    fn written(id: &str, dice: &str) -> Vec<String> {
        let plays = Position::from_id(id, 15).unwrap().plays(dice.parse().unwrap());
        plays.iter().map(Play::to_string).collect()
    }

    #[test]
    fn a_step_is_two_bytes() {
        assert_eq!(size_of::<Step>(), 2);
        assert!(size_of::<Play>() <= 72);
    }

    #[test]
    fn the_opening_3_1() {
        let plays = Position::start(Variant::Standard).plays(Roll::new(3, 1).unwrap());
        let texts: Vec<_> = plays.iter().map(Play::to_string).collect();
        assert_eq!(texts[0], "24/23 24/21");
        assert!(texts.contains(&"8/5 6/5".to_owned()), "{texts:?}");
        assert!(texts.contains(&"24/20".to_owned()), "{texts:?}");
        assert!(plays.is_sorted_by(|a, b| a.steps() > b.steps()));
    }

    #[test]
    fn counts_are_written_once() {
        let texts = written("4HPwATDgc/ABMA", "66");
        assert!(texts.contains(&"24/18(2) 13/7(2)".to_owned()), "{texts:?}");
    }
}
