//! The doubling cube: what a position is worth with a cube that can still be turned, and whether to turn it.
//!
//! This is the only place with a formula for it. A game without a cube is worth the mean of its six ends: the *dead*
//! cube. Were the winning chance to move without jumps, every double would be offered just where the opponent is
//! indifferent between taking and dropping: the *live* cube, whose value is linear between those points. A real cube
//! lies in between, at the *efficiency* x: value = (1 - x) dead + x live (R. Janowski, Take-Points in Money Games, 1993).
//!
//! With W and L the mean worths of a game won and lost at the cube's value, w and l those of a single game, all seen
//! by the player, and the same letters with 2 for the doubled cube, the live points are, from the highest cube down:
//!
//! - *take*, below which the player drops: the worth of owning the doubled cube runs from (0, L2) to (cash2, w2), or to
//!   (1, W2) where that cube is dead, and is l there.
//! - *cash*, above which the opponent drops: the worth of the doubled cube with the opponent runs from (take2, l2), or
//!   from (0, L2), to (1, W2), and is w there.
//!
//! On an endless ladder, where each level is twice the one below, the two equations close and are solved at once.

use crate::class::Class;
use crate::ladder::{Ladder, Owner};
use crate::outcome::{Outcome, Probabilities};
use crate::position::Position;

/// The efficiency of the cube in a position.
pub fn efficiency(position: &Position) -> f64 {
    let pips = 0.5 * (f64::from(position.pips()) + f64::from(position.opponent_pips()));
    efficiency_of(position.class(), pips)
}

/// The efficiency for a class of positions and the mean of both sides' pips.
///
/// Without contact it is fitted to exact values by `benches/cube_efficiency.py`: the shorter the race, the more one roll
/// changes, and the further from the ideal moment the cube is turned. With contact it is fitted to rollouts with a live
/// cube by `benches/cube_efficiency_contact.py`: 0.736 +- 0.007 (0.730 when players went by 0.68), and 0.702 +- 0.016 in
/// crashed positions.
///
/// ```
/// # use gammon_core::{Class, cube};
/// assert_eq!(cube::efficiency_of(Class::Contact, 167.0), 0.73);
/// assert!((cube::efficiency_of(Class::Race, 90.0) - 0.7).abs() < 1e-12);
/// assert_eq!(cube::efficiency_of(Class::BearOff, 3.0), 0.0);
/// ```
pub fn efficiency_of(class: Class, pips: f64) -> f64 {
    match class {
        Class::Contact => 0.73,
        Class::Crashed => 0.7,
        Class::Race | Class::BearOff => (0.75 - 4.5 / pips).max(0.0),
        Class::Over => 0.0,
    }
}

/// How a position is best handled by a player who could double, and how the opponent best answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Action {
    /// The player has no access to the cube, or may not turn it.
    Unavailable,
    /// Roll; a double would be taken.
    NoDouble,
    /// Roll; a double would be turned again at once.
    NoDoubleBeaver,
    /// Roll and play on for a gammon; a double would be dropped.
    TooGood,
    /// Double; the opponent takes.
    DoubleTake,
    /// Double; the opponent turns again at once.
    DoubleBeaver,
    /// Double; the opponent drops.
    DoubleDrop,
}

impl Action {
    /// All of them, in the order of their numbers.
    pub const ALL: [Action; 7] = [
        Action::Unavailable,
        Action::NoDouble,
        Action::NoDoubleBeaver,
        Action::TooGood,
        Action::DoubleTake,
        Action::DoubleBeaver,
        Action::DoubleDrop,
    ];

    /// Whether the player doubles.
    pub const fn doubles(self) -> bool {
        matches!(self, Action::DoubleTake | Action::DoubleBeaver | Action::DoubleDrop)
    }
}

/// A winning chance at which a decision turns, with gammons as likely in won and in lost games as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turning {
    /// If nobody turns the cube later.
    pub dead: f64,
    /// If the cube is later turned at the perfect moment.
    pub live: f64,
}

/// What each action of the cube is worth to the player on roll.
///
/// Equities: a single game won with the cube as it lies is 1, one lost -1. NaN where there is no such action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Rolling without a double.
    pub no_double: f64,
    /// Doubling a cube that the opponent takes; also where the ladder does not let the player double, but has that
    /// level.
    pub double_take: f64,
    /// Doubling a cube that the opponent drops.
    pub double_drop: f64,
    /// Doubling a cube that the opponent turns again at once.
    pub beaver: f64,
    /// The best the player can do.
    pub best: f64,
    /// What to do, and the answer.
    pub action: Action,
    /// The least chance with which the player could take, were the opponent to double.
    pub take_point: Turning,
    /// The least chance with which the opponent would drop.
    pub cash_point: Turning,
    /// The least chance with which doubling is no error: with it the market window opens, and it closes at the cash
    /// point.
    pub double_point: Turning,
}

/// What a game is worth at one level, and what is left of it once won or lost.
#[derive(Clone, Copy)]
struct Stakes {
    /// The mean worth of a game lost.
    lost: f64,
    /// A single game lost, as by dropping.
    lose: f64,
    /// A single game won.
    win: f64,
    /// The mean worth of a game won.
    won: f64,
}

impl Stakes {
    fn at(ladder: &Ladder, level: usize, odds: &Odds) -> Stakes {
        let [lost3, lost2, lose, win, won2, won3] = ladder.worth(level);
        Stakes {
            lost: lose + odds.lose_gammon * (lost2 - lose) + odds.lose_backgammon * (lost3 - lost2),
            lose,
            win,
            won: win + odds.win_gammon * (won2 - win) + odds.win_backgammon * (won3 - won2),
        }
    }

    /// A game whose gammons do not count.
    fn single(self) -> Stakes {
        Stakes { lost: self.lose, won: self.win, ..self }
    }

    fn dead(&self, win: f64) -> f64 {
        self.lost + win * (self.won - self.lost)
    }
}

/// The probabilities as a winning chance and the shares of gammons among games won and lost.
struct Odds {
    win: f64,
    win_gammon: f64,
    win_backgammon: f64,
    lose_gammon: f64,
    lose_backgammon: f64,
}

impl Odds {
    fn new(probabilities: Probabilities) -> Odds {
        let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = probabilities.values();
        let share = |part: f64, whole: f64| if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 };
        Odds {
            win,
            win_gammon: share(win_gammon, win),
            win_backgammon: share(win_backgammon, win),
            lose_gammon: share(lose_gammon, 1.0 - win),
            lose_backgammon: share(lose_backgammon, 1.0 - win),
        }
    }
}

/// The live points at a level: below `take` the player would drop, above `cash` the opponent.
#[derive(Clone, Copy)]
struct Points {
    take: f64,
    cash: f64,
}

impl Points {
    /// The points at a level, worked out from the lowest level on which nobody doubles.
    fn at(ladder: &Ladder, level: usize, odds: &Odds) -> Points {
        if ladder.is_endless() {
            return Points::endless(Stakes::at(ladder, level, odds), Stakes::at(ladder, level + 1, odds));
        }
        let top = ladder.settled().max(level + 1).min(ladder.len() - 1);
        let mut points = Points { take: 0.0, cash: 1.0 };
        let mut doubled = Stakes::at(ladder, top, odds);
        for place in (level..top).rev() {
            let now = Stakes::at(ladder, place, odds);
            points = points.below(ladder, place + 1, now, doubled);
            doubled = now;
        }
        points
    }

    /// The points of a level from those of the level above it.
    fn below(self, ladder: &Ladder, above: usize, now: Stakes, doubled: Stakes) -> Points {
        let player_redoubles = ladder.lives(above, Owner::Player)[0];
        let opponent_redoubles = ladder.lives(above, Owner::Opponent)[1];
        let take = if player_redoubles {
            self.cash * share(now.lose, doubled.lost, doubled.win)
        } else {
            share(now.lose, doubled.lost, doubled.won)
        };
        let cash = if opponent_redoubles {
            self.take + (1.0 - self.take) * share(now.win, doubled.lose, doubled.won)
        } else {
            share(now.win, doubled.lost, doubled.won)
        };
        Points { take, cash }
    }

    /// Both equations of the module's head with the same points above as here.
    fn endless(now: Stakes, doubled: Stakes) -> Points {
        let low = share(now.lose, doubled.lost, doubled.win);
        let high = share(now.win, doubled.lose, doubled.won);
        let cash = high / (1.0 - low + low * high);
        Points { take: low * cash, cash }
    }
}

/// Where a value lies on the way between two others, 0 to 1.
fn share(value: f64, from: f64, to: f64) -> f64 {
    if to > from { ((value - from) / (to - from)).clamp(0.0, 1.0) } else { f64::from(u8::from(value > from)) }
}

/// The straight line through (x0, y0) and (x1, y1), at x.
fn line(x: f64, (x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> f64 {
    if x1 > x0 { y0 + (x - x0) * (y1 - y0) / (x1 - x0) } else { y0 }
}

/// What the position is worth to the player on roll, who does not double this turn: the interpolated value, in the
/// ladder's points or match winning chances.
///
/// `efficiency` is 0 for a dead cube and 1 for a live one. The ladder must have the level.
///
/// ```
/// # use gammon_core::{cube, Probabilities, ladder::{Ladder, Owner, Terms}};
/// let money = Ladder::endless([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], Terms::default()).unwrap();
/// let last_roll = Probabilities::new([0.75, 0.0, 0.0, 0.0, 0.0]).unwrap();
/// assert_eq!(cube::value(last_roll, &money, 0, Owner::Player, 0.0), 0.5);
/// assert!(cube::value(last_roll, &money, 0, Owner::Player, 1.0) > 0.8);
/// ```
pub fn value(probabilities: Probabilities, ladder: &Ladder, level: usize, owner: Owner, efficiency: f64) -> f64 {
    value_of(&Odds::new(probabilities), ladder, level, owner, efficiency)
}

fn value_of(odds: &Odds, ladder: &Ladder, level: usize, owner: Owner, efficiency: f64) -> f64 {
    let stakes = Stakes::at(ladder, level, odds);
    let stakes = if ladder.gammons_count(owner) { stakes } else { stakes.single() };
    let dead = stakes.dead(odds.win);
    let lives = ladder.lives(level, owner);
    if lives == [false, false] || efficiency == 0.0 {
        return dead;
    }
    let live = live(odds.win, stakes, Points::at(ladder, level, odds), lives);
    dead + efficiency * (live - dead)
}

/// The value with a cube that is always turned at the right moment by those who have it.
///
/// At some match scores the points cross: between them both would double and both would drop, and what counts is who is
/// first. There the value runs from the one to the other, so that it neither jumps nor favours a side.
fn live(win: f64, stakes: Stakes, points: Points, [player, opponent]: [bool; 2]) -> f64 {
    let (lost, won) = ((0.0, stakes.lost), (1.0, stakes.won));
    let low = if opponent { (points.take, stakes.lose) } else { lost };
    let high = if player { (points.cash, stakes.win) } else { won };
    let (below, above) = (|win| line(win, lost, low), |win| line(win, high, won));
    let (from, to) = (low.0.min(high.0), low.0.max(high.0));
    if win <= from && opponent {
        below(win)
    } else if win >= to && player {
        above(win)
    } else if low.0 <= high.0 {
        line(win, low, high)
    } else {
        line(win, (from, below(from)), (to, above(to)))
    }
}

/// What each action of the cube is worth to the player on roll, and the best one.
///
/// The ladder must have the level.
///
/// ```
/// # use gammon_core::{cube, Probabilities, ladder::{Ladder, Owner, Terms}};
/// let money = Ladder::endless([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], Terms::default()).unwrap();
/// let race = Probabilities::new([0.82, 0.0, 0.0, 0.0, 0.0]).unwrap();
/// let decision = cube::decide(race, &money, 0, Owner::Centred, 0.68);
/// assert_eq!(decision.action, cube::Action::DoubleDrop);
/// assert!((decision.take_point.live - 0.2).abs() < 1e-12 && (decision.take_point.dead - 0.25).abs() < 1e-12);
/// ```
pub fn decide(probabilities: Probabilities, ladder: &Ladder, level: usize, owner: Owner, efficiency: f64) -> Decision {
    let odds = Odds::new(probabilities);
    let worth = |turns: usize, owner| value_of(&odds, ladder, level + turns, owner, efficiency);
    let turned = |turns: usize| {
        let there = owner != Owner::Opponent && ladder.has_level(level + turns);
        if there { worth(turns, Owner::Opponent) } else { f64::NAN }
    };
    let beaver = if ladder.beavers() > 0 { turned(2) } else { f64::NAN };
    Decision::of(probabilities, ladder, level, owner, Worths { rolling: worth(0, owner), taken: turned(1), beaver })
}

/// What rolling and what doubling leads to, in the ladder's points or match winning chances; NaN where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worths {
    /// Rolling without a double.
    pub rolling: f64,
    /// A double that is taken.
    pub taken: f64,
    /// A double that is turned again at once.
    pub beaver: f64,
}

/// What the position is worth to the player on roll, who doubles if that is best, in the ladder's points or match winning
/// chances: the best of [`decide`].
pub fn best(probabilities: Probabilities, ladder: &Ladder, level: usize, owner: Owner, efficiency: f64) -> f64 {
    let odds = Odds::new(probabilities);
    let rolling = value_of(&odds, ladder, level, owner, efficiency);
    if !ladder.may_double(level, owner)[0] || !ladder.has_level(level + 1) {
        return rolling;
    }
    let taken = value_of(&odds, ladder, level + 1, Owner::Opponent, efficiency);
    let mut answer = taken.min(ladder.worth_of(level, Outcome::Win));
    if ladder.beavers() > 0 && ladder.has_level(level + 2) {
        answer = answer.min(value_of(&odds, ladder, level + 2, Owner::Opponent, efficiency));
    }
    rolling.max(answer)
}

/// Equities that are no further apart are equal.
const ROUNDING: f64 = 1e-12;

/// The action and its equity: the opponent gives the answer that is worst for the player.
pub(crate) fn choose(no_double: f64, take: f64, drop: f64, beaver: f64) -> (Action, f64) {
    let beavered = beaver < take && beaver < drop;
    let (answer, doubled) = if beavered {
        (Action::DoubleBeaver, beaver)
    } else if take <= drop + ROUNDING {
        (Action::DoubleTake, take)
    } else {
        (Action::DoubleDrop, drop)
    };
    // Sums of equal worths may differ in their last digits; equal worths mean to double, and to take.
    if doubled + ROUNDING >= no_double {
        return (answer, doubled.max(no_double));
    }
    let roll = match answer {
        Action::DoubleBeaver => Action::NoDoubleBeaver,
        Action::DoubleDrop => Action::TooGood,
        _ => Action::NoDouble,
    };
    (roll, no_double)
}

impl Decision {
    /// The decision between actions whose worths are known; the probabilities say at which chances it turns.
    pub fn of(probabilities: Probabilities, ladder: &Ladder, level: usize, owner: Owner, worths: Worths) -> Decision {
        let equity = |worth: f64| if worth.is_nan() { worth } else { ladder.to_equity(level, worth) };
        let nowhere = Turning { dead: f64::NAN, live: f64::NAN };
        let no_double = equity(worths.rolling);
        let double_take = equity(worths.taken);
        let mut decision = Decision {
            no_double,
            double_take,
            double_drop: if double_take.is_nan() { f64::NAN } else { 1.0 },
            beaver: equity(worths.beaver),
            best: no_double,
            action: Action::Unavailable,
            take_point: nowhere,
            cash_point: nowhere,
            double_point: nowhere,
        };
        if ladder.may_double(level, owner)[0] && !double_take.is_nan() {
            (decision.action, decision.best) = choose(no_double, double_take, decision.double_drop, decision.beaver);
        }
        if ladder.has_level(level + 1) {
            decision.turnings(&Odds::new(probabilities), ladder, level, owner);
        }
        decision
    }

    fn turnings(&mut self, odds: &Odds, ladder: &Ladder, level: usize, owner: Owner) {
        let now = Stakes::at(ladder, level, odds);
        let doubled = Stakes::at(ladder, level + 1, odds);
        let live = Points::at(ladder, level, odds);
        self.take_point = Turning { dead: share(now.lose, doubled.lost, doubled.won), live: live.take };
        self.cash_point = Turning { dead: share(now.win, doubled.lost, doubled.won), live: live.cash };
        let rolled = if ladder.gammons_count(owner) { now } else { now.single() };
        // Two straight lines in the winning chance, which cross where what doubling risks outweighs what it gains.
        let (risk, gain) = (rolled.lost - doubled.lost, doubled.won - rolled.won);
        self.double_point = Turning { dead: share(risk, 0.0, risk + gain), live: live.cash };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladder::{Level, MAX_LEVELS, Terms};
    use proptest::prelude::*;

    const POINTS: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];

    fn money(flat: bool, beavers: u8) -> Ladder {
        let terms = Terms { gammons_while_centred: !flat, beavers, ..Terms::default() };
        Ladder::endless(POINTS, terms).unwrap()
    }

    /// Points for a cube that cannot go above the last of these levels.
    fn limited(len: usize) -> Ladder {
        let level =
            |k: usize| Level { worth: POINTS.map(|w| w * (k as f64).exp2()), may_double: [true; 2], dead: false };
        Ladder::new(&(0..len).map(level).collect::<Vec<_>>(), Terms::default()).unwrap()
    }

    fn win(chance: f64) -> Probabilities {
        Probabilities::new([chance, 0.0, 0.0, 0.0, 0.0]).unwrap()
    }

    #[track_caller]
    fn near(left: f64, right: f64, within: f64) {
        assert!((left - right).abs() <= within, "{left} is not {right}");
    }

    /// Janowski's numbers for a game without gammons: take at 25 % dead and 20 % live, cash at 75 % and 80 %.
    #[test]
    fn the_points_of_a_gammonless_game() {
        let decision = decide(win(0.5), &money(false, 0), 2, Owner::Player, 0.5);
        near(decision.take_point.dead, 0.25, 1e-15);
        near(decision.take_point.live, 0.2, 1e-15);
        near(decision.cash_point.dead, 0.75, 1e-15);
        near(decision.cash_point.live, 0.8, 1e-15);
        near(decision.double_point.dead, 0.5, 1e-15);
        let ladder = money(false, 0);
        for level in [0, 3, 15] {
            let cube = (level as f64).exp2();
            near(value(win(0.2), &ladder, level, Owner::Centred, 1.0), -cube, 1e-11);
            near(value(win(0.8), &ladder, level, Owner::Centred, 1.0), cube, 1e-11);
            near(value(win(0.8), &ladder, level, Owner::Player, 1.0), cube, 1e-11);
            near(value(win(0.2), &ladder, level, Owner::Opponent, 1.0), -cube, 1e-11);
            near(value(win(0.5), &ladder, level, Owner::Player, 1.0), 0.25 * cube, 1e-11);
            near(value(win(0.5), &ladder, level, Owner::Player, 0.0), 0.0, 1e-11);
        }
    }

    /// A cube that can be turned once more: who takes owns it dead, so the take point is the dead one.
    #[test]
    fn the_last_turn_of_a_limited_cube() {
        let ladder = limited(2);
        let decision = decide(win(0.6), &ladder, 0, Owner::Player, 1.0);
        near(decision.take_point.live, 0.25, 1e-15);
        near(decision.cash_point.live, 0.75, 1e-15);
        near(decision.double_take, 2.0 * 0.2, 1e-15);
        let last = decide(win(0.6), &ladder, 1, Owner::Player, 1.0);
        assert_eq!(last.action, Action::Unavailable);
        assert!(last.double_take.is_nan() && last.double_drop.is_nan() && last.take_point.live.is_nan());
        near(last.no_double, 0.2, 1e-15);
    }

    #[test]
    fn a_long_ladder_is_as_good_as_an_endless_one() {
        let (long, endless) = (limited(MAX_LEVELS), money(false, 0));
        let probabilities = Probabilities::new([0.55, 0.2, 0.01, 0.1, 0.005]).unwrap();
        for owner in Owner::ALL {
            near(value(probabilities, &long, 0, owner, 0.68), value(probabilities, &endless, 0, owner, 0.68), 1e-7);
        }
    }

    /// Rule 7.6 flattens gammons only while the cube is centred (case R13).
    #[test]
    fn gammons_are_flat_only_in_the_middle_r13() {
        let gammonish = Probabilities::new([0.7, 0.4, 0.05, 0.1, 0.0]).unwrap();
        let (with, without) = (money(true, 0), money(false, 0));
        for (level, owner) in [(0, Owner::Player), (0, Owner::Opponent), (3, Owner::Player)] {
            let same = |ladder| value(gammonish, ladder, level, owner, 0.68);
            assert_eq!(same(&with), same(&without));
        }
        let (flat, plain) =
            (decide(gammonish, &with, 0, Owner::Centred, 0.68), decide(gammonish, &without, 0, Owner::Centred, 0.68));
        assert_eq!(flat.double_take, plain.double_take);
        assert_eq!(flat.cash_point, plain.cash_point);
        near(value(gammonish, &with, 0, Owner::Centred, 0.0), 0.4, 1e-15);
        near(value(gammonish, &without, 0, Owner::Centred, 0.0), 0.4 + 0.4 + 0.05 - 0.1, 1e-15);
        let sure = Probabilities::new([1.0, 1.0, 0.5, 0.0, 0.0]).unwrap();
        assert_eq!(decide(sure, &with, 0, Owner::Centred, 0.68).action, Action::DoubleDrop);
        assert_eq!(decide(sure, &without, 0, Owner::Centred, 0.68).action, Action::TooGood);
    }

    /// "No double, beaver" is a verdict of its own (case S21).
    #[test]
    fn every_verdict_s21() {
        let action = |chance, ladder: &Ladder, owner| decide(win(chance), ladder, 0, owner, 0.68).action;
        let (plain, beavers) = (money(false, 0), money(false, 1));
        assert_eq!(action(0.3, &plain, Owner::Centred), Action::NoDouble);
        assert_eq!(action(0.3, &beavers, Owner::Centred), Action::NoDoubleBeaver);
        assert_eq!(action(0.65, &beavers, Owner::Centred), Action::NoDouble);
        assert_eq!(action(0.75, &beavers, Owner::Player), Action::DoubleTake);
        assert_eq!(action(0.9, &beavers, Owner::Player), Action::DoubleDrop);
        assert_eq!(action(0.75, &beavers, Owner::Opponent), Action::Unavailable);
        // Under rule 7.6 a double can be right though the opponent, who may win no gammon, turns again at once.
        let wild = Probabilities::new([0.40, 0.40, 0.0, 0.0, 0.0]).unwrap();
        let decision = decide(wild, &money(true, 1), 0, Owner::Centred, 0.0);
        assert_eq!(decision.action, Action::DoubleTake);
        let wild = Probabilities::new([0.32, 0.32, 0.0, 0.0, 0.0]).unwrap();
        let decision = decide(wild, &money(true, 1), 0, Owner::Centred, 0.0);
        assert_eq!((decision.action, decision.best), (Action::DoubleBeaver, decision.beaver));
        for (number, action) in Action::ALL.into_iter().enumerate() {
            assert_eq!(action as usize, number);
        }
    }

    /// Who needs two points each: with the cube at 2 the game is the match, so any market loser makes a double right.
    #[test]
    fn a_ladder_of_winning_chances() {
        let one = [0.0, 0.0, 0.3, 0.7, 1.0, 1.0];
        let two = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let level = |worth, may_double, dead| Level { worth, may_double, dead };
        let terms = Terms { total: 1.0, ..Terms::default() };
        let levels = [level(one, [true; 2], false), level(two, [false; 2], false), level(two, [false; 2], false)];
        let ladder = Ladder::new(&levels, terms).unwrap();
        let decision = decide(win(0.6), &ladder, 0, Owner::Centred, 1.0);
        near(decision.take_point.live, 0.3, 1e-15);
        near(decision.cash_point.live, 0.7, 1e-15);
        near(ladder.from_equity(0, decision.double_take), 0.6, 1e-15);
        near(ladder.from_equity(0, decision.no_double), 0.6, 1e-15);
        // A dead level is a game whose cube nobody turns, but the player may.
        let dead = Ladder::new(&[level(one, [true; 2], true), levels[1], levels[2]], terms).unwrap();
        let decision = decide(win(0.6), &dead, 0, Owner::Centred, 1.0);
        near(ladder.from_equity(0, decision.no_double), 0.6 * 0.7 + 0.4 * 0.3, 1e-15);
        assert_eq!(decision.action, Action::DoubleTake);
        // What a double of a dead cube would be worth is known, though the player may not make it.
        let useless = decide(win(0.6), &ladder, 1, Owner::Player, 1.0);
        assert_eq!((useless.action, useless.double_take), (Action::Unavailable, useless.no_double));
    }

    /// Winning chances that fall with the points still needed, as any table of match equities has them.
    fn ladders() -> impl Strategy<Value = Ladder> {
        (1..=20_i32, 1..=20_i32, 0.05..0.5_f64).prop_map(|(away, opponent_away, scale)| {
            let chance = |own: i32, other: i32| match (own, other) {
                (..=0, _) => 1.0,
                (_, ..=0) => 0.0,
                _ => 1.0 / (1.0 + (scale * f64::from(own - other)).exp()),
            };
            let level = |k: usize| {
                let cube = 1 << k;
                let worth = [-3, -2, -1, 1, 2, 3].map(|points| match points {
                    ..=0 => chance(away, opponent_away + points * cube),
                    _ => chance(away - points * cube, opponent_away),
                });
                Level { worth, may_double: [cube < away, cube < opponent_away], dead: false }
            };
            let levels: Vec<Level> = (0..7).map(level).collect();
            Ladder::new(&levels, Terms { total: 1.0, ..Terms::default() }).unwrap()
        })
    }

    fn probabilities() -> impl Strategy<Value = Probabilities> {
        prop::array::uniform5(0.0..=1.0_f64).prop_map(|[win, a, b, c, d]| {
            Probabilities::new([win, win * a, win * a * b, (1.0 - win) * c, (1.0 - win) * c * d]).unwrap()
        })
    }

    proptest! {
        #[test]
        fn what_one_wins_the_other_loses(
            ladder in ladders(), chances in probabilities(), level in 0..7_usize, owner in 0..3_usize, x in 0.0..=1.0_f64,
        ) {
            let owner = Owner::ALL[owner];
            let own = value(chances, &ladder, level, owner, x);
            let other = value(chances.flip(), &ladder.flip(), level, owner.flip(), x);
            prop_assert!((own + other - 1.0).abs() < 1e-12, "{own} + {other}");
        }

        /// Points only: at some match scores to double costs so much that this model values a cube nobody would turn
        /// below a dead one.
        #[test]
        fn who_owns_the_cube_is_better_off(chances in probabilities(), level in 0..7_usize) {
            let ladder = money(false, 0);
            let [centred, player, opponent] = Owner::ALL.map(|owner| value(chances, &ladder, level, owner, 1.0));
            let dead = value(chances, &ladder, level, Owner::Player, 0.0);
            prop_assert!(player >= centred - 1e-9 && centred >= opponent - 1e-9, "{player} {centred} {opponent}");
            prop_assert!(player >= dead - 1e-9 && dead >= opponent - 1e-9, "{player} {dead} {opponent}");
        }

        /// At a live cash point the opponent does not care whether to take or to drop, nor the player whether to double,
        /// unless there the opponent would double first.
        #[test]
        fn the_points_are_where_nobody_cares(ladder in ladders(), chances in probabilities(), level in 0..6_usize) {
            let live = (0..6).filter(|&level| ladder.lives(level, Owner::Centred) == [true; 2]).count();
            prop_assume!(live > 0);
            let level = level % live;
            let decision = decide(chances, &ladder, level, Owner::Centred, 1.0);
            let (take, cash) = (decision.take_point.live, decision.cash_point.live);
            prop_assume!(cash > 1e-6 && cash < 1.0 - 1e-6);
            let there = decide(with_win(chances, cash), &ladder, level, Owner::Centred, 1.0);
            prop_assert!((there.double_take - 1.0).abs() < 1e-6, "{there:?}");
            prop_assert!((there.no_double - 1.0).abs() < 1e-6 || cash < take, "{there:?}");
        }

        /// Who wins more often is better off, by no more than the worths allow: the value has no jumps.
        #[test]
        fn the_value_rises_without_jumps(
            ladder in ladders(), chances in probabilities(), level in 0..7_usize, owner in 0..3_usize, x in 0.0..=1.0_f64,
        ) {
            let at = |win| value(with_win(chances, win), &ladder, level, Owner::ALL[owner], x);
            let steps: Vec<f64> = (0..=2000).map(|step| at(f64::from(step) / 2000.0)).collect();
            let points = decide(chances, &ladder, level, Owner::Centred, x);
            let (take, cash) = (points.take_point.live, points.cash_point.live);
            // A line is at most as steep as the shortest way from one of its points to the next.
            let shortest = [take, 1.0 - cash, (cash - take).abs()].into_iter().filter(|way| *way > 0.0).fold(1.0, f64::min);
            for pair in steps.windows(2) {
                let rise = pair[1] - pair[0];
                prop_assert!(rise >= -1e-9, "falls by {rise}");
                prop_assert!(rise <= 1e-9 + 0.0005 * 2.0 / shortest, "jumps by {rise} of {shortest}");
            }
        }
    }

    /// The same shares of gammons with another winning chance.
    fn with_win(chances: Probabilities, win: f64) -> Probabilities {
        let odds = Odds::new(chances);
        let (won, lost) = (win * odds.win_gammon, (1.0 - win) * odds.lose_gammon);
        let (won3, lost3) = (win * odds.win_backgammon, (1.0 - win) * odds.lose_backgammon);
        Probabilities::new_unchecked([win, won, won3, lost, lost3])
    }
}
