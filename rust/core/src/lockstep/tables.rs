//! Games or matches with the cube side by side for learning: every one of them at a decision, always.
//!
//! What follows from a decision is what [`Arena`] lets follow from it. A game that ends, of matches a match, gives its
//! place to a new one within the same step.

use std::sync::atomic::AtomicU64;

use super::lane::{Lane, Stage, owner_number};
use super::results::Sample;
use super::{Chooser, CubeAnswer, Keep, Kind, Plan, Player, Results, Shared};
use crate::movegen::{self, View};
use crate::parallel::Control;
use crate::player::Skill;
use crate::vector::{Seen, Stepped};

/// A game that is lost by an action that there was not is lost by so many times its value.
const WORST: i64 = 3;

/// How games stand, in columns with a row for each game, seen by the player who decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TablesSeen {
    /// The decision, as [`Kind`] numbers it.
    pub kinds: Vec<i8>,
    /// What there is without a cube and a score too, seen by who decides. At the cube the dice are 0, no and yes are the two
    /// actions, and both leave the checkers as they are.
    pub games: Seen,
    /// The points that the player and the other one still need; 0 without a match.
    pub away: Vec<[i16; 2]>,
    /// The level of the cube and its owner: 0 nobody, 1 the player, -1 the other one.
    pub cube: Vec<[i16; 2]>,
    /// 1 in the Crawford game, 2 after it, else 0.
    pub phase: Vec<i8>,
    /// The stake.
    pub stake: Vec<i32>,
}

/// Games or matches side by side.
#[derive(Debug)]
pub struct Tables {
    plan: Plan,
    lanes: Vec<Lane>,
    /// How many actions each has.
    counts: Vec<usize>,
}

impl Lane {
    /// What is to be decided; the lane waits for nothing else.
    fn decision(&self) -> Kind {
        match self.stage {
            Stage::BeforeRoll => Kind::Double,
            Stage::Offered => Kind::Take,
            _ => Kind::Choose,
        }
    }

    /// The seat that decides.
    fn decider(&self) -> usize {
        if self.stage == Stage::Offered { 1 - self.seat } else { self.seat }
    }

    /// Goes on to the next decision and says how many actions there are. `units` is how far on the next unit is.
    fn settle(&mut self, plan: &Plan, units: u64) -> usize {
        loop {
            match self.stage {
                Stage::Idle | Stage::Done => self.restart(plan, self.unit.wrapping_add(units)),
                Stage::Opening => self.open(plan),
                Stage::BeforeRoll if self.may_double(plan) => return 2,
                Stage::BeforeRoll => self.stage = Stage::Rolling,
                Stage::Offered => return 2,
                Stage::Rolling => self.roll(plan),
                Stage::Rolled => return movegen::count(&self.position, self.roll).max(1),
            }
        }
    }

    fn restart(&mut self, plan: &Plan, unit: u64) {
        self.last_unit = unit;
        self.sample = Sample::default();
        self.begin_unit(plan, unit);
    }
}

impl Tables {
    /// `games` new games or matches: the first is unit 0 of the plan, and so on. Pairs are not played.
    pub fn new(plan: Plan, games: usize) -> Tables {
        let plan = Plan { paired: false, ..plan };
        let mut lanes = vec![Lane::new(&plan); games];
        let counts = (0..)
            .zip(&mut lanes)
            .map(|(unit, lane)| {
                lane.restart(&plan, unit);
                lane.settle(&plan, games as u64)
            })
            .collect();
        Tables { plan, lanes, counts }
    }

    /// The first row whose action there is not, with how many actions it has.
    pub fn first_illegal(&self, actions: &[i64]) -> Option<(usize, usize)> {
        let legal = |(&count, action): (&usize, &i64)| (0..count as i64).contains(action);
        let row = self.counts.iter().zip(actions).position(|pair| !legal(pair))?;
        Some((row, self.counts[row]))
    }

    /// Takes an action in each game: an index of a play; 0 or 1 for no or yes about the cube. One that there is not
    /// loses the match, or a backgammon at the value of the game.
    ///
    /// Rewards are points, stake and cube included, or 1 and -1 for a match.
    pub fn step(&mut self, actions: &[i64]) -> Stepped {
        assert_eq!(actions.len(), self.lanes.len(), "an action for each game");
        let games = self.lanes.len();
        let mut stepped = Stepped {
            rewards: vec![[0.0; 2]; games],
            ended: vec![false; games],
            illegal: vec![false; games],
            last: Vec::new(),
        };
        // Nobody is asked by the shared state: who decides stands in the lanes.
        let asked = CubeAnswer::Asked;
        let player = Player {
            slot: 0,
            choose: Chooser::Asked,
            double: asked,
            take: asked,
            network: None,
            skill: Skill::default(),
        };
        let players = [player.clone(), player];
        let (control, next) = (Control::default(), AtomicU64::new(0));
        let keep = Keep { games: true, ..Keep::default() };
        let shared = Shared { plan: &self.plan, players: &players, keep, control: &control, next: &next, end: 0 };
        for (row, (lane, &action)) in self.lanes.iter_mut().zip(actions).enumerate() {
            stepped.illegal[row] = !(0..self.counts[row] as i64).contains(&action);
            let won = if stepped.illegal[row] {
                stepped.last.push(*lane.position.cells());
                let value = i64::from(self.plan.stakes[lane.stake].stake) << lane.level;
                let lost = if self.plan.matches { 1 } else { WORST * value };
                lane.stage = Stage::Idle;
                Some(if lane.decider() == 0 { -lost } else { lost })
            } else {
                let mut results = Results::default();
                lane.act(&shared, &mut results, action as usize);
                results.games.last().map(|game| {
                    stepped.last.push(*game.last.cells());
                    let [first, second] = results.sums.match_wins.map(|wins| wins as i64);
                    if self.plan.matches { first - second } else { game.points }
                })
            };
            if let Some(won) = won {
                stepped.ended[row] = true;
                stepped.rewards[row] = [won as f32, -won as f32];
            }
            self.counts[row] = lane.settle(&self.plan, games as u64);
        }
        stepped
    }

    /// How all games stand; with what every action leads to if that is wanted.
    pub fn see(&self, candidates: bool) -> TablesSeen {
        let mut seen = TablesSeen::default();
        let games = &mut seen.games;
        games.offsets.push(0);
        for (lane, &count) in self.lanes.iter().zip(&self.counts) {
            let (kind, seat) = (lane.decision(), lane.decider());
            let position = if seat == lane.seat { lane.position } else { lane.position.flip() };
            let (away, phase) = self.plan.scores[lane.node];
            seen.kinds.push(kind as i8);
            games.positions.push(*position.cells());
            games.rolls.push(if kind == Kind::Choose { [lane.roll.high(), lane.roll.low()] } else { [0; 2] });
            games.seats.push(seat as i8);
            games.counts.push(count as i64);
            games.offsets.push(games.offsets[games.offsets.len() - 1] + count as i64);
            seen.away.push([away[seat], away[1 - seat]]);
            seen.cube.push([lane.level as i16, owner_number(lane.owner_seen_by(seat)).into()]);
            seen.phase.push(phase);
            seen.stake.push(self.plan.stakes[lane.stake].stake as i32);
            if candidates {
                if kind == Kind::Choose {
                    movegen::results(&lane.position, lane.roll, View::Next, &mut games.candidates);
                }
                // A dance and the cube leave the checkers as they are.
                games.candidates.resize(games.offsets[games.offsets.len() - 1] as usize, *position.flip().cells());
            }
        }
        seen
    }
}

impl Lane {
    /// Takes an action that there is.
    fn act(&mut self, shared: &Shared, results: &mut Results, action: usize) {
        match self.decision() {
            Kind::Double => self.answer_double(shared, action == 1),
            Kind::Take => self.answer_take(shared, results, action == 1),
            Kind::Choose => {
                // Only a dance has no result at all.
                let after = movegen::nth(&self.position, self.roll, action).unwrap_or(self.position);
                self.play(shared, results, after);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Roll;
    use crate::ladder::{Ladder, Level, ScoreGraph, Terms};
    use crate::lockstep::Stake;
    use crate::position::{Position, Variant};

    const POINTS: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];

    fn plan(top: usize) -> Plan {
        let ladder = if top == 0 {
            Ladder::new(&[Level { worth: POINTS, may_double: [false; 2], dead: false }], Terms::default())
        } else {
            Ladder::endless(POINTS, Terms::default())
        };
        Plan {
            start: Position::start(Variant::Standard),
            seed: 5,
            graph: ScoreGraph::session(ladder.unwrap()),
            scores: vec![([0, 0], 0)],
            stakes: vec![Stake { stake: 1, top, after_tie: [0; 6] }],
            matches: false,
            paired: false,
        }
    }

    #[test]
    fn rewards_sum_to_zero_and_actions_are_never_stale_e04_e24() {
        let games = 20;
        let mut tables = Tables::new(plan(15), games);
        let (mut ended, mut kinds) = (0, [0; 3]);
        for turn in 0..2000 {
            let seen = tables.see(true);
            assert_eq!(seen.games.offsets[games] as usize, seen.games.candidates.len());
            for row in 0..games {
                kinds[seen.kinds[row] as usize] += 1;
                let position = Position::from_cells(&seen.games.positions[row]).unwrap();
                let roll = Roll::new(seen.games.rolls[row][0], seen.games.rolls[row][1]);
                let count = roll.map_or(2, |roll| movegen::count(&position, roll).max(1));
                assert_eq!(seen.games.counts[row] as usize, count);
            }
            let actions: Vec<i64> =
                seen.games.counts.iter().zip(0..).map(|(count, row)| (turn * 7 + row * 3 + turn / 5) % count).collect();
            assert_eq!(tables.first_illegal(&actions), None);
            let stepped = tables.step(&actions);
            assert!(stepped.rewards.iter().all(|[a, b]| a + b == 0.0));
            assert_eq!(stepped.ended.iter().filter(|ended| **ended).count(), stepped.last.len());
            ended += stepped.last.len();
        }
        assert!(ended > 50 && kinds.iter().all(|&kind| kind > 50), "{ended} {kinds:?}");
    }

    #[test]
    fn what_there_is_not_loses() {
        for top in [0, 15] {
            let mut tables = Tables::new(plan(top), 2);
            let seats = tables.see(false).games.seats;
            assert_eq!(tables.first_illegal(&[0, 5000]).unwrap().0, 1);
            let stepped = tables.step(&[0, 5000]);
            assert_eq!(stepped.illegal, [false, true]);
            assert_eq!(stepped.rewards[1][seats[1] as usize], -3.0);
            assert_eq!(stepped.rewards[0], [0.0; 2]);
            assert_eq!(tables.see(false).kinds.len(), 2);
        }
    }
}
