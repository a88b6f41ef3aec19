//! Legal plays against a slow, obvious twin that knows nothing of the generator, and fuzzing of the parsers.

use std::collections::BTreeSet;

use gammon_core::movegen::{self, View};
use gammon_core::position::{CELLS, OFF, Side};
use gammon_core::{Play, PlayError, Position, Roll, Setup, Step};
use proptest::prelude::*;

type Cells = [i8; CELLS];

/// The rules 3 to 5 once more: every order of dice, every step that is legal by itself.
mod naive {
    use super::{Cells, OFF, Roll, Step};

    pub fn is_over(cells: &Cells) -> bool {
        !cells[1..=25].iter().any(|&count| count > 0) || !cells[..25].iter().any(|&count| count < 0)
    }

    pub fn steps(cells: &Cells, die: u8) -> Vec<Step> {
        if is_over(cells) {
            return Vec::new();
        }
        let rearmost = (1..=25).rev().find(|&place| cells[place] > 0).unwrap() as u8;
        let mut steps = Vec::new();
        for from in (1..=25u8).filter(|&place| cells[usize::from(place)] > 0) {
            if rearmost == 25 && from != 25 {
                continue;
            }
            if from > die {
                if cells[usize::from(from - die)] >= -1 {
                    steps.push(Step { from, to: from - die });
                }
            } else if rearmost <= 6 && (from == die || from == rearmost) {
                steps.push(Step { from, to: 0 });
            }
        }
        steps
    }

    pub fn make(cells: &Cells, step: Step) -> Cells {
        let mut after = *cells;
        after[usize::from(step.from)] -= 1;
        match step.to {
            0 => after[OFF] += 1,
            to if after[usize::from(to)] == -1 => {
                after[usize::from(to)] = 1;
                after[0] -= 1;
            }
            to => after[usize::from(to)] += 1,
        }
        after
    }

    /// Every sequence of legal steps with the dice in an order, the unfinished ones included.
    fn sequences(cells: &Cells, dice: &[u8], made: &mut Vec<Step>, found: &mut Vec<(Vec<Step>, Cells)>) {
        if let Some((&die, rest)) = dice.split_first() {
            for step in steps(cells, die) {
                made.push(step);
                found.push((made.clone(), make(cells, step)));
                sequences(&make(cells, step), rest, made, found);
                made.pop();
            }
        }
    }

    /// Every legal sequence of steps of a roll with the cells that it leads to.
    pub fn plays(cells: &Cells, roll: Roll) -> Vec<(Vec<Step>, Cells)> {
        let (high, low) = (roll.high(), roll.low());
        let orders = if roll.is_double() { vec![vec![high; 4]] } else { vec![vec![high, low], vec![low, high]] };
        let mut found = Vec::new();
        for order in &orders {
            sequences(cells, order, &mut Vec::new(), &mut found);
        }
        let most = found.iter().map(|(made, _)| made.len()).max().unwrap_or(0);
        found.retain(|(made, _)| made.len() == most);
        if most == 1 && !roll.is_double() {
            let with_high: Vec<_> = sequences_of_one(cells, high);
            found = if with_high.is_empty() { sequences_of_one(cells, low) } else { with_high };
        }
        found
    }

    fn sequences_of_one(cells: &Cells, die: u8) -> Vec<(Vec<Step>, Cells)> {
        steps(cells, die).into_iter().map(|step| (vec![step], make(cells, step))).collect()
    }
}

/// One side's checkers: where they stand, biased towards what is rare in play.
fn side(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let place = prop_oneof![4 => 1..=24u8, 2 => 1..=6u8, 1 => 18..=24u8, 1 => Just(25u8)];
    let scattered = prop::collection::vec(place, 1..=most);
    let home = prop::collection::vec(1..=6u8, 1..=most);
    let prime = (1..=18u8, 2..=7u8, 1..=25u8).prop_map(move |(lowest, length, other)| {
        let mut places: Vec<u8> = (lowest..(lowest + length).min(25)).flat_map(|point| [point, point]).collect();
        places.push(other);
        places.truncate(most);
        places
    });
    let stacks = (prop::collection::vec(1..=25u8, 1..=3), 1..=most)
        .prop_map(|(stacks, n)| (0..n).map(|i| stacks[i % stacks.len()]).collect());
    prop_oneof![3 => scattered, 1 => home, 1 => prime, 1 => stacks]
}

fn on_board(side: &Side) -> i32 {
    side.points[1..].iter().sum()
}

fn place(own: &[u8], opponent: &[u8], missing: (u8, u8)) -> Result<Position, ()> {
    let mut setup = Setup::default();
    for &point in own {
        setup.own.points[usize::from(point)] += 1;
    }
    for &point in opponent {
        if point == 25 || setup.own.points[usize::from(25 - point)] == 0 {
            setup.opponent.points[usize::from(point)] += 1;
        }
    }
    setup.own.off = (15 - on_board(&setup.own) - i32::from(missing.0)).max(0);
    setup.opponent.off = (15 - on_board(&setup.opponent) - i32::from(missing.1)).max(0);
    setup.validate().map_err(|_| ())
}

fn position(most: usize) -> impl Strategy<Value = Position> {
    let missing = prop_oneof![3 => Just(0u8), 1 => 0..=14u8];
    (side(most), side(15), missing.clone(), missing)
        .prop_filter_map("no position", |(own, opponent, first, second)| place(&own, &opponent, (first, second)).ok())
}

fn roll() -> impl Strategy<Value = Roll> {
    (1..=6u8, 1..=6u8).prop_map(|(first, second)| Roll::new(first, second).unwrap())
}

/// Every sequence of a double on an open board is too many for every case: few checkers, or few results.
fn position_and_roll() -> impl Strategy<Value = (Position, Roll)> {
    (prop_oneof![position(15), position(5)], roll())
        .prop_filter("a double with very many orders", |(position, roll)| {
            !roll.is_double() || movegen::count(position, *roll) <= 150
        })
}

fn cells_of(results: &[Play]) -> BTreeSet<Cells> {
    results.iter().map(|play| *play.after().cells()).collect()
}

fn spelled(steps: &[Step]) -> String {
    let name = |place: u8| match place {
        25 => "bar".to_owned(),
        0 => "off".to_owned(),
        point => point.to_string(),
    };
    steps.iter().map(|step| format!("{}/{}", name(step.from), name(step.to))).collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn the_same_results_as_the_twin((position, roll) in position_and_roll()) {
        let sequences = naive::plays(position.cells(), roll);
        let twin: BTreeSet<Cells> = sequences.iter().map(|(_, after)| *after).collect();
        let plays = position.plays(roll);
        prop_assert_eq!(plays.len(), twin.len(), "{:?} {}", position, roll);
        prop_assert_eq!(&cells_of(&plays), &twin);
        prop_assert_eq!(movegen::count(&position, roll), twin.len());

        // The steps of each play are one of the twin's sequences, and both sinks give one order.
        for play in &plays {
            let known = sequences.iter().any(|(steps, after)| steps == play.steps() && after == play.after().cells());
            prop_assert!(known, "{play:?} is no legal sequence of steps");
        }
        prop_assert!(plays.is_sorted_by(|a, b| a.steps() > b.steps()));
        let (mut mover, mut next) = (Vec::new(), Vec::new());
        movegen::results(&position, roll, View::Mover, &mut mover);
        movegen::results(&position, roll, View::Next, &mut next);
        for (at, play) in plays.iter().enumerate() {
            prop_assert_eq!(&mover[at], play.after().cells());
            prop_assert_eq!(next[at], *play.next().cells());
            prop_assert_eq!(movegen::nth(&position, roll, at), Some(*play.after()));
        }
        prop_assert_eq!((mover.len(), next.len()), (plays.len(), plays.len()));
        prop_assert_eq!(movegen::nth(&position, roll, plays.len()), None);
    }

    /// A result of a play is a position, checkers are conserved and pips fall by the numbers used, but for checkers
    /// borne off with a larger die.
    #[test]
    fn checkers_and_pips((position, roll) in position_and_roll()) {
        let pips = |cells: &Cells| (1..=25).map(|place| place as i32 * i32::from(cells[place].max(0))).sum::<i32>();
        let own = |cells: &Cells| cells[1..=OFF].iter().map(|&count| i32::from(count.max(0))).sum::<i32>();
        for play in position.plays(roll) {
            let (before, after) = (position.cells(), play.after().cells());
            prop_assert_eq!(Position::from_cells(after), Ok(*play.after()));
            prop_assert_eq!(own(before), own(after));
            let flipped = (position.flip(), play.next());
            prop_assert_eq!(own(flipped.0.cells()), own(flipped.1.cells()));
            prop_assert_eq!(flipped.1.flip(), *play.after());
            let steps: i32 = play.steps().iter().map(|step| i32::from(step.from - step.to)).sum();
            prop_assert_eq!(pips(before) - pips(after), steps);
            let by_the_dice = play.steps().iter().all(|step| {
                let by = step.from - step.to;
                [roll.high(), roll.low()].contains(&by) || (step.to == 0 && by < roll.high())
            });
            prop_assert!(by_the_dice, "{play:?}");
        }
    }

    /// Every listed play is legal alone, however it is written, and no unlisted one is.
    #[test]
    fn listed_is_legal_and_unlisted_is_not(
        (position, roll) in position_and_roll(),
        others in prop::collection::vec((1..=25u8, 1..=6u8), 1..=4),
        shuffle in any::<prop::sample::Index>(),
    ) {
        let plays = position.plays(roll);
        for play in &plays {
            prop_assert_eq!(position.play(&play.to_string(), roll), Ok(*play), "{}", play);
            // The single steps of the canonical play can mean nothing else, in any order.
            let mut steps = play.steps().to_vec();
            let by = shuffle.index(steps.len());
            steps.rotate_left(by);
            match position.play(&spelled(&steps), roll) {
                Ok(read) => prop_assert_eq!(read.after(), play.after(), "{}", spelled(&steps)),
                Err(PlayError::Ambiguous { plays, .. }) => prop_assert!(plays.contains(play)),
                Err(error) => prop_assert!(false, "{error}"),
            }
        }
        let steps: Vec<Step> =
            others.iter().map(|&(from, die)| Step { from, to: from.saturating_sub(die) }).collect();
        // Any text that is read as a play is one of the list, and its steps make it.
        match position.play(&spelled(&steps), roll) {
            Ok(read) => {
                prop_assert!(plays.contains(&read), "{read:?}");
                let reached = counts_after(position.cells(), &steps);
                prop_assert_eq!(&reached[1..=OFF], &own_counts(read.after().cells())[1..=OFF]);
            }
            Err(PlayError::Ambiguous { plays: possible, .. }) => {
                prop_assert!(possible.len() >= 2);
                prop_assert!(possible.iter().all(|play| plays.contains(play)));
            }
            Err(PlayError::Illegal { .. }) => {
                let reached = counts_after(position.cells(), &steps);
                let single = steps.iter().all(|step| [roll.high(), roll.low()].contains(&(step.from - step.to)));
                let listed: Vec<_> = naive::plays(position.cells(), roll);
                // Written in single steps of the dice, a legal sequence must have been understood.
                prop_assert!(!single || !listed.iter().any(|(made, after)| {
                    made.len() == steps.len() && sorted(made) == sorted(&steps) && own_counts(after) == reached
                }), "{} was refused", spelled(&steps));
            }
            Err(PlayError::Notation { .. }) => prop_assert!(false, "{} is well written", spelled(&steps)),
        }
    }

    /// However a legal sequence is told (steps of one checker joined or not, landings named or not, hits marked), it is
    /// understood: as its own result, or as ambiguous between it and others.
    #[test]
    fn every_way_to_tell_a_legal_play(
        (position, roll) in position_and_roll(),
        pick in any::<prop::sample::Index>(),
        style in any::<[bool; 12]>(),
    ) {
        let listed = naive::plays(position.cells(), roll);
        if listed.is_empty() {
            return Ok(());
        }
        let (steps, after) = pick.get(&listed);
        let text = told(position.cells(), steps, style);
        match position.play(&text, roll) {
            Ok(read) if read.after().cells() == after => {}
            // A hit that is not written: then it is the one play that hits just where the text says, if there is one.
            Ok(read) => {
                let marked: BTreeSet<&str> = text.split([' ', '/']).filter_map(|place| place.strip_suffix('*')).collect();
                let hits: BTreeSet<String> =
                    read.hits().filter(|step| step.1).map(|step| step.0.to.to_string()).collect();
                prop_assert!(marked.iter().copied().eq(hits.iter().map(String::as_str)), "{text}: {read:?}");
            }
            Err(PlayError::Ambiguous { plays, .. }) => {
                prop_assert!(plays.iter().any(|play| play.after().cells() == after), "{text}");
                prop_assert!(plays.len() >= 2);
            }
            Err(error) => prop_assert!(false, "{text}: {error}"),
        }
    }

    /// Single steps that are legal by themselves: too few numbers or the wrong one, unless they lead to a result.
    #[test]
    fn a_single_step_is_legal_if_it_leads_to_a_result((position, roll) in position_and_roll()) {
        let results: BTreeSet<Cells> = naive::plays(position.cells(), roll).into_iter().map(|(_, after)| after).collect();
        for die in [roll.high(), roll.low()] {
            for step in naive::steps(position.cells(), die) {
                let after = naive::make(position.cells(), step);
                match position.play(&spelled(&[step]), roll) {
                    Ok(read) => prop_assert!(results.contains(read.after().cells())),
                    Err(PlayError::Illegal { .. }) => prop_assert!(!results.contains(&after)),
                    Err(PlayError::Ambiguous { .. }) => {}
                    Err(error) => prop_assert!(false, "{error}"),
                }
            }
        }
    }
}

/// A sequence of steps as somebody might write it.
fn told(cells: &Cells, steps: &[Step], style: [bool; 12]) -> String {
    let mut board = *cells;
    let mut paths: Vec<(u8, Vec<(u8, bool)>)> = Vec::new();
    for (at, &step) in steps.iter().enumerate() {
        let hit = step.to > 0 && board[usize::from(step.to)] == -1;
        board = naive::make(&board, step);
        match paths.iter_mut().find(|path| path.1.last().unwrap().0 == step.from) {
            Some(path) if style[at] => path.1.push((step.to, hit)),
            _ => paths.push((step.from, vec![(step.to, hit)])),
        }
    }
    let name = |place: u8| match place {
        25 => if style[8] { "bar" } else { "25" }.to_owned(),
        0 => if style[9] { "off" } else { "0" }.to_owned(),
        point => point.to_string(),
    };
    let mut texts: Vec<String> = paths
        .iter()
        .map(|(from, stops)| {
            let mut text = name(*from);
            for (at, &(stop, hit)) in stops.iter().enumerate() {
                if style[4 + at] || at + 1 == stops.len() {
                    text += &format!("/{}{}", name(stop), if hit && style[10] { "*" } else { "" });
                }
            }
            text
        })
        .collect();
    if style[11] {
        texts.reverse();
    }
    texts.join(" ")
}

fn sorted(steps: &[Step]) -> Vec<Step> {
    let mut steps = steps.to_vec();
    steps.sort();
    steps
}

/// The player's checkers by place, off at the end.
fn own_counts(cells: &Cells) -> [i8; CELLS] {
    let mut own = cells.map(|count| count.max(0));
    own[0] = 0;
    own[27] = 0;
    own
}

fn counts_after(cells: &Cells, steps: &[Step]) -> [i8; CELLS] {
    let mut own = own_counts(cells);
    for step in steps {
        own[usize::from(step.from)] -= 1;
        own[if step.to == 0 { OFF } else { usize::from(step.to) }] += 1;
    }
    own
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50_000, ..ProptestConfig::default() })]

    /// Anything may be given as a Position ID: an answer or a typed error, and an answer reads back.
    #[test]
    fn any_text_as_an_id(id in prop_oneof!["[A-Za-z0-9+/]{14}", "[A-D/]{10}[A-Za-z0-9+/]{3}[AQgw]", ".{0,20}"], checkers in any::<u8>()) {
        let setup = Setup::from_id(&id, checkers);
        match Position::from_id(&id, checkers) {
            Ok(position) => {
                prop_assert_eq!(position.id(), id);
                prop_assert_eq!(Setup::from(position), setup.unwrap());
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    /// Every position has an ID that gives it back.
    #[test]
    fn every_position_has_an_id(position in position(15)) {
        let id = position.id();
        let setup = Setup::from(position);
        let checkers = on_board(&setup.own) + setup.own.off;
        let same_number = checkers == on_board(&setup.opponent) + setup.opponent.off;
        let back = Position::from_id(&id, 15).unwrap();
        prop_assert_eq!(&back.cells()[..OFF], &position.cells()[..OFF]);
        prop_assert_eq!(back.id(), id.as_str());
        if same_number {
            prop_assert_eq!(Position::from_id(&id, checkers as u8), Ok(position));
        }
        prop_assert_eq!(position.flip().flip(), position);
        prop_assert_eq!(Position::from_cells(position.cells()), Ok(position));
    }

    /// Any bytes may be given as a position; what is accepted is one by every rule of 1.6.
    #[test]
    fn any_cells_as_a_position(cells in prop_oneof![
        prop::array::uniform28(-1..=1i8),
        prop::array::uniform28(prop_oneof![20 => Just(0i8), 2 => -3..=3i8, 1 => -16..=16i8]),
        prop::array::uniform28(any::<i8>()),
    ]) {
        let own: i32 = cells[1..=OFF].iter().map(|&count| i32::from(count.max(0))).sum();
        let opponent: i32 = cells[..25].iter().map(|&count| i32::from(count.min(0))).sum::<i32>().abs()
            + i32::from(cells[27].max(0));
        let in_play = cells[..26].iter().any(|&count| count != 0);
        let signs = cells[0] <= 0 && cells[25] >= 0 && cells[26] >= 0 && cells[27] >= 0;
        let shut = |sign: i8, bar: i8, home: std::ops::Range<usize>| bar != 0 && home.into_iter().all(|p| cells[p] * sign >= 2);
        let shut_out = signs && in_play && own <= 15 && opponent <= 15
            && shut(-1, cells[25], 19..25) && shut(1, cells[0], 1..7);
        let valid = own <= 15 && opponent <= 15 && in_play && signs && !shut_out;
        let answer = Position::from_cells(&cells);
        prop_assert_eq!(answer.is_ok(), valid, "{:?}", answer);
    }

    /// Anything may be given as a play: an answer or a typed error, and an answer is a legal play.
    #[test]
    fn any_text_as_a_play(
        (position, roll) in position_and_roll(),
        text in prop_oneof![
            ".{0,40}",
            "([0-9]{1,2}|bar|off|b|o)(/([0-9]{1,2}|bar|off)\\*?){0,3}(\\([0-9]?\\)?)?( ,?(bar|[0-9]{1,2})/([0-9]{1,2}|off)\\*?){0,4}",
            "[0-9/*() baroff,-]{0,30}",
        ],
    ) {
        match position.play(&text, roll) {
            Ok(play) if play.steps().is_empty() => prop_assert!(position.plays(roll).is_empty()),
            Ok(play) => prop_assert!(position.plays(roll).contains(&play)),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn any_text_as_a_roll(text in prop_oneof![".{0,8}", "[0-9 ,-]{0,6}"]) {
        if let Ok(roll) = text.parse::<Roll>() {
            let mut dice: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
            dice.sort();
            prop_assert_eq!(dice, [roll.low(), roll.high()]);
        }
    }
}

/// The largest lists known, as sets and not only as counts.
#[test]
fn the_largest_lists_agree_with_the_twin() {
    let ones = Roll::new(1, 1).unwrap();
    for (id, results) in [("AACAkCRJqqoAAA", 2220), ("RCCQACWllFIKAA", 2226)] {
        let position = Position::from_id(id, 15).unwrap();
        let twin: BTreeSet<Cells> = naive::plays(position.cells(), ones).into_iter().map(|(_, after)| after).collect();
        assert_eq!(twin.len(), results);
        assert_eq!(cells_of(&position.plays(ones)), twin);
    }
}
