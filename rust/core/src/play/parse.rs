//! Reading a play as people write it.
//!
//! The text becomes paths, one for each checker. They are made with the dice of the roll in every possible way, and
//! what is reached is looked up among the legal plays; so the reader knows the rules of single steps only, and every
//! legal way to say a play is understood.

use std::fmt;

use super::{MAX_STEPS, Play, Step, place_name};
use crate::dice::Roll;
use crate::position::{BAR, OFF, Position};

/// Why a text is not a legal play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayError {
    /// It cannot be read.
    Notation {
        /// The part that cannot be read.
        part: String,
        /// Where it starts, in characters from 1.
        column: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// It can be read, but is not legal.
    Illegal {
        /// The text.
        text: String,
        /// The roll.
        roll: Roll,
        /// Why.
        reason: Illegal,
    },
    /// It means several plays with different results.
    Ambiguous {
        /// The text.
        text: String,
        /// The plays that it could mean.
        plays: Vec<Play>,
    },
}

/// The rule that a play breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// The game is over.
    GameOver,
    /// Nothing can be played, but something was written.
    CannotMove,
    /// Something can be played, but nothing was written.
    MustMove,
    /// More steps than the roll gives.
    TooManySteps,
    /// No own checker there.
    NoChecker(u8),
    /// A checker on the bar has to enter first (rule 4.2).
    BarFirst,
    /// Two or more opposing checkers stand there (rule 3.2).
    Blocked(Step),
    /// Bearing off with a checker outside the home board (rule 5.1).
    NotHome(Step),
    /// Bearing off with a larger die while a checker is behind (rule 5.3).
    CheckerBehind(Step),
    /// No die, or no dice that are left, make this step.
    NoDie(Step),
    /// A hit is written where none happens.
    NoHit(u8),
    /// More numbers can be played (rule 3.4).
    TooFew {
        /// Numbers that were played.
        played: u8,
        /// Numbers that have to be.
        must: u8,
    },
    /// Either number can be played but not both: it has to be this one (rule 3.5).
    HigherDie(u8),
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = |step: Step| format!("{}/{}", place_name(step.from), place_name(step.to));
        let place = |place: u8| {
            if place == BAR as u8 { "the bar".to_owned() } else { format!("point {place}") }
        };
        match *self {
            Illegal::GameOver => write!(f, "the game is over"),
            Illegal::CannotMove => write!(f, "no number can be played"),
            Illegal::MustMove => write!(f, "a number can be played, so it must be"),
            Illegal::TooManySteps => write!(f, "more steps than the roll gives"),
            Illegal::NoChecker(from) => write!(f, "no checker to play on {}", place(from)),
            Illegal::BarFirst => write!(f, "a checker on the bar has to enter first"),
            Illegal::Blocked(blocked) => {
                write!(f, "{} lands on point {}, which is blocked", step(blocked), blocked.to)
            }
            Illegal::NotHome(off) => {
                write!(f, "{}: not every checker is in the home board", step(off))
            }
            Illegal::CheckerBehind(off) => {
                write!(f, "{} with a larger die: there is a checker on a higher point", step(off))
            }
            Illegal::NoDie(missing) => write!(f, "no die is left for {}", step(missing)),
            Illegal::NoHit(point) => write!(f, "there is no blot to hit on point {point}"),
            Illegal::TooFew { played, must } => {
                write!(f, "{must} numbers can be played, so they must be, not {played}")
            }
            Illegal::HigherDie(die) => write!(f, "only one number can be played, and it has to be the {die}"),
        }
    }
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::Notation { part, column, reason } => {
                write!(f, "cannot read {part:?} at column {column}: {reason}")
            }
            PlayError::Illegal { text, roll, reason } => {
                write!(f, "illegal play {text:?} of {roll}: {reason}")
            }
            PlayError::Ambiguous { text, plays } => {
                let plays: Vec<_> = plays.iter().map(Play::to_string).collect();
                write!(f, "ambiguous play {text:?}: it could be {}", plays.join(" or "))
            }
        }
    }
}

impl std::error::Error for PlayError {}

/// The longest text that is looked at: nothing legal is longer, and messages quote it.
const MAX_TEXT: usize = 200;

/// What one checker is said to do.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Path {
    from: u8,
    /// Where it lands on the way, last included, each with whether a hit is written.
    stops: Vec<(u8, bool)>,
}

pub(super) fn play(position: &Position, text: &str, roll: Roll) -> Result<Play, PlayError> {
    let paths = paths(text)?;
    let illegal = |reason| PlayError::Illegal { text: text.trim().to_owned(), roll, reason };
    if position.is_over() {
        return Err(illegal(Illegal::GameOver));
    }
    let plays = position.plays(roll);
    match (paths.is_empty(), plays.is_empty()) {
        (true, true) => return Ok(position.dance(roll)),
        (true, false) => return Err(illegal(Illegal::MustMove)),
        (false, true) => return Err(illegal(Illegal::CannotMove)),
        (false, false) => {}
    }
    let dice = if roll.is_double() { vec![roll.high(); 4] } else { vec![roll.high(), roll.low()] };
    if paths.iter().map(|path| path.stops.len()).sum::<usize>() > dice.len() {
        return Err(illegal(Illegal::TooManySteps));
    }
    let mut search = Search { paths: &paths, plays: &plays, found: Vec::new(), as_marked: Vec::new(), failure: None };
    search.explore(&State::new(position, &paths, dice));
    match (&search.found[..], &search.as_marked[..]) {
        ([], _) => {
            let (_, _, reason) = search.failure.expect("a search that finds nothing fails somewhere");
            Err(illegal(reason))
        }
        // Who marks hits says by 4/1 that nothing is hit on the way, where 4/2*/1 could be played too.
        ([place], _) | (_, [place]) => Ok(plays[*place]),
        _ => {
            let mut found = search.found;
            found.sort_unstable();
            Err(PlayError::Ambiguous {
                text: text.trim().to_owned(),
                plays: found.into_iter().map(|place| plays[place]).collect(),
            })
        }
    }
}

/// Splits a text into paths, one for each checker.
fn paths(text: &str) -> Result<Vec<Path>, PlayError> {
    let notation =
        |part: &str, column, reason| PlayError::Notation { part: part.chars().take(40).collect(), column, reason };
    if text.len() > MAX_TEXT {
        return Err(notation(text, 1, "a play is not that long"));
    }
    let mut paths = Vec::new();
    let mut rest = text;
    let mut column = 1;
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        if !part.is_empty() {
            let (path, count) = path(part).map_err(|reason| notation(part, column, reason))?;
            paths.extend(std::iter::repeat_n(path, count));
        }
        let separator = after.chars().next().map_or(0, char::len_utf8);
        column += part.chars().count() + usize::from(separator > 0);
        rest = &after[separator..];
    }
    Ok(paths)
}

/// Reads one part, `bar/20*/14(2)`: a path and how many checkers take it.
fn path(part: &str) -> Result<(Path, usize), &'static str> {
    let (part, count) = match part.split_once('(') {
        None => (part.to_owned(), 1),
        Some((path, tail)) => {
            let (number, star) = tail.split_once(')').ok_or("a ( without )")?;
            let count = match number {
                "1" => 1,
                "2" => 2,
                "3" => 3,
                "4" => 4,
                _ => return Err("a count is (1) to (4)"),
            };
            if !matches!(star, "" | "*") {
                return Err("something after the count");
            }
            (format!("{path}{star}"), count)
        }
    };
    let mut places = part.split('/');
    let (from, hit) = place(places.next().unwrap_or(""))?;
    if hit {
        return Err("a hit where a checker starts");
    }
    let stops = places.map(place).collect::<Result<Vec<_>, _>>()?;
    if stops.is_empty() {
        return Err("a step is written from/to");
    }
    if stops.len() > MAX_STEPS {
        return Err("more than four steps");
    }
    let mut previous = from;
    for &(to, hit) in &stops {
        if to >= previous {
            return Err("a checker moves to lower points only");
        }
        if to == 0 && hit {
            return Err("a hit where a checker is borne off");
        }
        previous = to;
    }
    Ok((Path { from, stops }, count))
}

/// Reads one place and whether a hit is written there.
fn place(text: &str) -> Result<(u8, bool), &'static str> {
    let (name, hit) = match text.strip_suffix('*') {
        Some(name) => (name, true),
        None => (text, false),
    };
    let place = match name.to_ascii_lowercase().as_str() {
        "bar" | "b" => BAR as u8,
        "off" | "o" => 0,
        digits if !digits.is_empty() && digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit()) => {
            digits.parse().expect("two digits are a u8")
        }
        _ => return Err("a place is 1 to 24, bar or off"),
    };
    if usize::from(place) > BAR { Err("a place is 1 to 24, bar or off") } else { Ok((place, hit)) }
}

/// Checkers on their way.
#[derive(Clone)]
struct State {
    /// Cells in array form; between steps of a play they need not be a position.
    cells: [i8; 28],
    dice: Vec<u8>,
    /// For each path where its checker is, and the stop it is on the way to.
    walkers: Vec<(u8, usize)>,
    /// Points on which a hit happened.
    hits: u32,
}

impl State {
    fn new(position: &Position, paths: &[Path], dice: Vec<u8>) -> State {
        State { cells: *position.cells(), dice, walkers: paths.iter().map(|path| (path.from, 0)).collect(), hits: 0 }
    }

    /// Makes one step by the rules of single steps.
    fn step(&mut self, step: Step, die: u8) -> Result<(), Illegal> {
        let (from, to) = (usize::from(step.from), usize::from(step.to));
        if self.cells[from] <= 0 {
            return Err(Illegal::NoChecker(step.from));
        }
        if self.cells[BAR] > 0 && from != BAR {
            return Err(Illegal::BarFirst);
        }
        if to > 0 {
            if self.cells[to] < -1 {
                return Err(Illegal::Blocked(step));
            }
            if self.cells[to] == -1 {
                self.cells[to] = 0;
                self.cells[0] -= 1;
                self.hits |= 1 << to;
            }
            self.cells[to] += 1;
        } else {
            if self.cells[7..=BAR].iter().any(|&count| count > 0) {
                return Err(Illegal::NotHome(step));
            }
            if die > step.from && self.cells[from + 1..7].iter().any(|&count| count > 0) {
                return Err(Illegal::CheckerBehind(step));
            }
            self.cells[OFF] += 1;
        }
        self.cells[from] -= 1;
        Ok(())
    }
}

struct Search<'a> {
    paths: &'a [Path],
    plays: &'a [Play],
    /// Places in `plays`.
    found: Vec<usize>,
    /// Those of them that hit exactly where the text marks a hit.
    as_marked: Vec<usize>,
    /// The failure that tells most: steps made, whether it says more than that no die fits, and the reason.
    failure: Option<(usize, bool, Illegal)>,
}

impl Search<'_> {
    fn fail(&mut self, made: usize, reason: Illegal) {
        let telling = !matches!(reason, Illegal::NoDie(_));
        if self.failure.is_none_or(|(most, told, _)| (telling, made) > (told, most)) {
            self.failure = Some((made, telling, reason));
        }
    }

    fn explore(&mut self, state: &State) {
        let total = if self.plays[0].roll().is_double() { 4 } else { 2 };
        let made = total - state.dice.len();
        let mut waiting = false;
        for (walker, path) in self.paths.iter().enumerate() {
            let (at, next) = state.walkers[walker];
            let Some(&(stop, _)) = path.stops.get(next) else {
                continue;
            };
            waiting = true;
            let mut fits = false;
            for (index, &die) in state.dice.iter().enumerate() {
                let to = at.saturating_sub(die);
                if to < stop || state.dice[..index].contains(&die) {
                    continue;
                }
                fits = true;
                let mut after = state.clone();
                match after.step(Step { from: at, to }, die) {
                    Err(reason) => self.fail(made, reason),
                    Ok(()) => {
                        after.dice.remove(index);
                        after.walkers[walker] = (to, next + usize::from(to == stop));
                        self.explore(&after);
                    }
                }
            }
            if !fits {
                self.fail(made, Illegal::NoDie(Step { from: at, to: stop }));
            }
        }
        if !waiting {
            self.arrive(state, made);
        }
    }

    /// Every path is at its end: looks the result up among the legal plays.
    fn arrive(&mut self, state: &State, made: usize) {
        let stars = || self.paths.iter().flat_map(|path| &path.stops).filter(|stop| stop.1).map(|stop| stop.0);
        if let Some(point) = stars().find(|point| state.hits >> point & 1 == 0) {
            return self.fail(made, Illegal::NoHit(point));
        }
        let marked = stars().fold(0, |marked, point| marked | 1 << point);
        match self.plays.iter().position(|play| play.after().cells() == &state.cells) {
            Some(place) if self.found.contains(&place) => {}
            Some(place) => {
                self.found.push(place);
                if state.hits == marked {
                    self.as_marked.push(place);
                }
            }
            None => {
                let must = self.plays[0].steps().len();
                let die = self.plays[0].roll().high();
                self.fail(
                    made,
                    if made < must {
                        Illegal::TooFew { played: made as u8, must: must as u8 }
                    } else {
                        Illegal::HigherDie(die)
                    },
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Variant;

    fn read(position: &Position, text: &str, dice: &str) -> Result<String, PlayError> {
        position.play(text, dice.parse().unwrap()).map(|play| play.to_string())
    }

    fn reason(position: &Position, text: &str, dice: &str) -> Illegal {
        match read(position, text, dice) {
            Err(PlayError::Illegal { reason, .. }) => reason,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn what_people_write() {
        let start = Position::start(Variant::Standard);
        for (text, dice, plain) in [
            ("8/5 6/5", "31", "8/5 6/5"),
            (" 6/5,8/5 ", "31", "8/5 6/5"),
            ("24/20", "31", "24/20"),
            ("24/21/20", "31", "24/20"),
            ("24/23/20", "31", "24/20"),
            ("13/7(2) 24/18(2)", "66", "24/18(2) 13/7(2)"),
            ("13/3", "55", "13/3"),
        ] {
            let read = read(&start, text, dice);
            if text == "13/3" {
                assert!(matches!(read, Err(PlayError::Illegal { reason: Illegal::TooFew { played: 2, must: 4 }, .. })));
            } else {
                assert_eq!(read.as_deref(), Ok(plain), "{text}");
            }
        }
        let bar = Position::from_points(&[(25, 1), (6, 5)], &[(5, 1), (8, 14)]).unwrap();
        for text in ["bar/20*/14", "25/20*/14", "B/20/14", "bar/20* 20/14"] {
            assert_eq!(read(&bar, text, "65").as_deref(), Ok("bar/20*/14"), "{text}");
        }
    }

    #[test]
    fn why_it_is_illegal() {
        let start = Position::start(Variant::Standard);
        assert_eq!(reason(&start, "7/4 6/5", "31"), Illegal::NoChecker(7));
        assert_eq!(reason(&start, "24/19 13/12", "51"), Illegal::Blocked(Step { from: 24, to: 19 }));
        assert_eq!(reason(&start, "8/5", "31"), Illegal::TooFew { played: 1, must: 2 });
        assert_eq!(reason(&start, "", "31"), Illegal::MustMove);
        assert_eq!(reason(&start, "8/4 6/5", "31"), Illegal::NoDie(Step { from: 6, to: 5 }));
        assert_eq!(reason(&start, "8/5* 6/5", "31"), Illegal::NoHit(5));
        assert_eq!(reason(&start, "8/5 6/5 6/5", "31"), Illegal::TooManySteps);
        let bar = Position::from_points(&[(25, 2), (6, 5)], &[(5, 1), (8, 14)]).unwrap();
        assert_eq!(reason(&bar, "6/1 bar/22", "53"), Illegal::BarFirst);
        let home = Position::from_points(&[(7, 1), (4, 2), (2, 2)], &[(24, 2)]).unwrap();
        assert_eq!(reason(&home, "4/off(2)", "44"), Illegal::NotHome(Step { from: 4, to: 0 }));
        let higher = Position::from_points(&[(5, 2), (2, 2)], &[(24, 2)]).unwrap();
        assert_eq!(reason(&higher, "2/off 5/4", "31"), Illegal::CheckerBehind(Step { from: 2, to: 0 }));
        let over = Position::from_points(&[], &[(24, 2)]).unwrap();
        assert_eq!(reason(&over, "2/off", "31"), Illegal::GameOver);
        // L09: either number but not both.
        let either = Position::from_points(&[(13, 1)], &[(2, 5), (23, 2)]).unwrap();
        assert_eq!(read(&either, "13/7", "65").as_deref(), Ok("13/7"));
    }

    #[test]
    fn the_larger_die_when_only_one_can_be_played() {
        // 13/7 and 13/8 are open, 13/2 is not.
        let position = Position::from_points(&[(13, 1)], &[(23, 2)]).unwrap();
        assert_eq!(reason(&position, "13/8", "65"), Illegal::HigherDie(6));
        assert_eq!(read(&position, "13/7", "65").as_deref(), Ok("13/7"));
    }

    /// One checker, two ways, and each hits another blot.
    #[test]
    fn two_ways_with_different_hits_are_ambiguous() {
        let position = Position::from_points(&[(24, 1), (6, 14)], &[(7, 1), (4, 1), (13, 13)]).unwrap();
        let Err(PlayError::Ambiguous { plays, .. }) = position.play("24/15", Roll::new(6, 3).unwrap()) else {
            panic!()
        };
        let texts: Vec<_> = plays.iter().map(Play::to_string).collect();
        assert_eq!(texts, ["24/21*/15", "24/18*/15"]);
        for text in texts {
            assert_eq!(read(&position, &text, "63"), Ok(text));
        }
    }

    /// One checker, two ways, and only one of them hits: who would mean that one marks the hit.
    #[test]
    fn without_a_mark_nothing_is_hit_if_that_is_possible() {
        let position = Position::from_points(&[(24, 1), (6, 14)], &[(7, 1), (13, 14)]).unwrap();
        assert_eq!(read(&position, "24/15", "63").as_deref(), Ok("24/21/15"));
        assert_eq!(read(&position, "24/18*/15", "63").as_deref(), Ok("24/18*/15"));
        assert_eq!(read(&position, "24/18/15", "63").as_deref(), Ok("24/18*/15"));
    }

    /// Cases L17 and L19.
    #[test]
    fn the_path_is_found_by_the_rules_l17_l19() {
        let two = Position::from_points(&[(4, 1), (2, 1)], &[(1, 2)]).unwrap();
        let single = two.play("4/off", Roll::new(4, 2).unwrap()).unwrap();
        assert_eq!(single.steps(), [Step { from: 4, to: 2 }, Step { from: 2, to: 0 }]);
        assert_eq!(read(&two, "2/off 4/off", "42").as_deref(), Ok("4/off 2/off"));
    }

    #[test]
    fn what_cannot_be_read() {
        let start = Position::start(Variant::Standard);
        for (text, column) in [
            ("8", 1),
            ("8/5 x/3", 5),
            ("8/5(5)", 1),
            ("8/5(2", 1),
            ("8//5", 1),
            ("5/8", 1),
            ("8/26", 1),
            ("8*/5", 1),
            ("6/off*", 1),
            ("8/5 é/ü", 5),
            ("(2)", 1),
            ("8/7/6/5/4/3", 1),
            ("8/5(2)x", 1),
            ("8/-5", 1),
            ("8/005", 1),
        ] {
            match read(&start, text, "31") {
                Err(PlayError::Notation { column: at, .. }) => assert_eq!(at, column, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        assert!(matches!(read(&start, &"8/5 ".repeat(100), "31"), Err(PlayError::Notation { .. })));
    }
}
