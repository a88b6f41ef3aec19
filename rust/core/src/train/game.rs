//! Games that a network plays against itself, and what they teach.

use crate::bearoff::one_sided::OneSided;
use crate::dice::Roll;
use crate::eval::Objective;
use crate::movegen::{self, View};
use crate::nn::{Network, Outputs, Scratch, flip};
use crate::outcome::Probabilities;
use crate::position::{CELLS, Position};
use crate::rng::{GameDice, Purpose, Stream};

/// A position before its roll and what its outputs should have been.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lesson {
    /// The player on roll's view.
    pub cells: [i8; CELLS],
    /// Five nested probabilities.
    pub target: Outputs,
}

/// How games are turned into lessons.
#[derive(Clone, Copy, Debug)]
pub struct Teaching<'a> {
    /// What both players play for.
    pub objective: Objective,
    /// The weight of later positions against the next one, 0 to 1.
    pub lambda: f32,
    /// The share of positions whose target is the mean over the 21 rolls in place of the roll that came.
    pub look_ahead: f32,
    /// Exact bear-offs: a position in them is taught what they say, and three games in four end at the first.
    pub tables: Option<&'a OneSided>,
    /// Another network, which says what positions should have been worth in place of the games.
    pub teacher: Option<&'a Network>,
    /// Plays are chosen as if each might be worth up to this much less than it is: games stray from what looks best.
    pub stray: f32,
}

/// What plays: a network, and if there is one a faster one that leaves it the few candidates which it likes best.
pub struct Player<'a> {
    network: &'a Network,
    scratch: Scratch,
    quick: Option<(&'a Network, Scratch, usize)>,
    candidates: Vec<[i8; CELLS]>,
    outputs: Vec<Outputs>,
    order: Vec<(f32, usize)>,
}

impl<'a> Player<'a> {
    /// A player; with another network and how many candidates it leaves.
    pub fn new(network: &'a Network, quick: Option<(&'a Network, usize)>) -> Player<'a> {
        Player {
            network,
            scratch: Scratch::new(network),
            quick: quick.map(|(quick, keep)| (quick, Scratch::new(quick), keep)),
            candidates: Vec::new(),
            outputs: Vec::new(),
            order: Vec::new(),
        }
    }

    /// The position after the best play, in the view of the player who rolls next, and what the network says of it.
    pub fn best(&mut self, position: &Position, roll: Roll, objective: Objective) -> (Position, Outputs) {
        self.candidates.clear();
        movegen::results(position, roll, View::Next, &mut self.candidates);
        let near = position.flip();
        if self.candidates.is_empty() {
            self.candidates.push(*near.cells());
        }
        self.sift(near.cells(), objective);
        self.outputs.clear();
        self.network.evaluate_near(&mut self.scratch, near.cells(), &self.candidates, &mut self.outputs);
        let best = least(self.outputs.iter().map(|&outputs| objective.value(outputs)));
        (Position::from_cells_unchecked(self.candidates[best]), self.outputs[best])
    }

    /// Of the candidates of the last [`Player::best`], another than the best that is liked better once each is worth up
    /// to `stray` less, evenly drawn.
    fn stray(&self, objective: Objective, stray: f32, mut draws: Stream) -> Option<Position> {
        /// The noise has this many steps.
        const STEPS: u64 = 1 << 24;
        let values = self.outputs.iter().map(|&outputs| objective.value(outputs));
        let noisy = values.clone().map(|value| value + stray * draws.below(STEPS) as f32 / STEPS as f32);
        let chosen = least(noisy);
        (chosen != least(values)).then(|| Position::from_cells_unchecked(self.candidates[chosen]))
    }

    /// Leaves the candidates that the quick network likes best.
    fn sift(&mut self, near: &[i8; CELLS], objective: Objective) {
        let Some((quick, scratch, keep)) = &mut self.quick else { return };
        if self.candidates.len() <= *keep {
            return;
        }
        self.outputs.clear();
        quick.evaluate_near(scratch, near, &self.candidates, &mut self.outputs);
        self.order.clear();
        self.order.extend(self.outputs.iter().enumerate().map(|(place, &outputs)| (objective.value(outputs), place)));
        self.order.select_nth_unstable_by(*keep - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.order.truncate(*keep);
        self.order.sort_unstable_by_key(|&(_, place)| place);
        for (to, &(_, from)) in self.order.iter().enumerate() {
            self.candidates[to] = self.candidates[from];
        }
        self.candidates.truncate(*keep);
    }

    /// The mean over the 21 rolls, by weight, of what the best play of each leads to: for the player on roll.
    pub fn look_ahead(&mut self, position: &Position, teaching: &Teaching<'_>) -> Outputs {
        let mut sum = [0.0f32; 5];
        for roll in Roll::ALL {
            let (next, outputs) = self.best(position, roll, teaching.objective);
            for (sum, value) in sum.iter_mut().zip(flip(exact(teaching.tables, &next).unwrap_or(outputs))) {
                *sum += f32::from(roll.weight()) * value;
            }
        }
        sum.map(|sum| sum / 36.0)
    }
}

/// The place of the least value, the first among equals.
fn least(values: impl Iterator<Item = f32>) -> usize {
    values.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).expect("at least one candidate").0
}

/// What tables say of a position without contact and with all checkers home.
fn exact(tables: Option<&OneSided>, position: &Position) -> Option<Outputs> {
    let tables = tables?;
    let [player, opponent] = tables.ranks(position)?;
    let chances = tables.race_chances(player, opponent)?;
    // Nobody is left in the winner's home board.
    Some([chances.win, chances.win_gammon, 0.0, chances.lose_gammon, 0.0].map(|chance| chance as f32))
}

/// Replaces targets by what another network says.
fn teach(lessons: &mut [Lesson], teacher: &Network) {
    let cells: Vec<_> = lessons.iter().map(|lesson| lesson.cells).collect();
    let mut targets = Vec::with_capacity(cells.len());
    teacher.evaluate(&mut Scratch::new(teacher), &cells, &mut targets);
    for (lesson, target) in lessons.iter_mut().zip(targets) {
        lesson.target = target;
    }
}

/// Whether a lesson is in the share that looks ahead: scrambled by a golden section, places are spread evenly over each game.
fn marked(place: usize, game: u64, share: f32) -> bool {
    let limit = (f64::from(share) * 2f64.powi(32)) as u64;
    (place as u64 + game).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 < limit
}

/// Plays one game and appends its lessons; returns how many turns it took.
pub fn play(
    player: &mut Player<'_>,
    teaching: &Teaching<'_>,
    start: &Position,
    dice: GameDice,
    lessons: &mut Vec<Lesson>,
) -> u64 {
    let first = lessons.len();
    let (_, mut roll) = dice.opening();
    let mut position = *start;
    let mut turn = 0;
    let mut known = None;
    // For each lesson, whether its turn strayed: what comes later is not what came of the best play.
    let mut strayed = Vec::new();
    // From here on targets are exact.
    let mut exact_from = usize::MAX;
    let end = loop {
        let (mut next, outputs) = player.best(&position, roll, teaching.objective);
        turn += 1;
        let mut next_known = exact(teaching.tables, &next);
        let other = if teaching.stray > 0.0 {
            let draws = Stream::new(dice.seed, Purpose::Player, dice.game, turn, 0);
            player.stray(teaching.objective, teaching.stray, draws)
        } else {
            None
        };
        // The opening roll is no double, so the position before it is worth something else than what is taught here.
        if turn > 1 {
            if known.is_some() {
                exact_from = exact_from.min(lessons.len());
            }
            let target = known.unwrap_or_else(|| flip(next_known.unwrap_or(outputs)));
            lessons.push(Lesson { cells: *position.cells(), target });
            strayed.push(other.is_some());
        }
        if let Some(other) = other {
            next = other;
            next_known = exact(teaching.tables, &next);
        }
        if let Some(outcome) = next.outcome() {
            break Probabilities::certain(outcome).values().map(|value| value as f32);
        }
        if let (Some(target), true) = (next_known, !dice.game.is_multiple_of(4)) {
            exact_from = exact_from.min(lessons.len());
            lessons.push(Lesson { cells: *next.cells(), target });
            break target;
        }
        (position, known) = (next, next_known);
        roll = dice.roll(turn);
    };
    let exact_from = exact_from.min(lessons.len());
    let mut later = flip(lessons.get(exact_from).map_or(end, |lesson| lesson.target));
    let open = &mut lessons[first..exact_from];
    if let Some(teacher) = teaching.teacher {
        teach(open, teacher);
        return turn;
    }
    for (place, lesson) in open.iter_mut().enumerate().rev() {
        let next = lesson.target;
        if marked(place, dice.game, teaching.look_ahead) {
            let position = Position::from_cells_unchecked(lesson.cells);
            lesson.target = player.look_ahead(&position, teaching);
        }
        // How far the next position's target is from what was said of it. After the mean over the rolls that is how wrong
        // the network was, without the luck of the dice.
        let lambda = if strayed[place] { 0.0 } else { teaching.lambda };
        for ((target, later), next) in lesson.target.iter_mut().zip(later).zip(next) {
            *target += lambda * (later - next);
        }
        later = flip(lesson.target);
    }
    turn
}
