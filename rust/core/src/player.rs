//! Players: networks, which look at the positions that their plays lead to (0-ply) or some plies ahead with a search,
//! noise making a weaker player of them; and a plain one.

use std::sync::OnceLock;

use crate::bearoff::index::Index;
use crate::bearoff::one_sided::OneSided;
use crate::cube;
use crate::dice::Roll;
use crate::eval::{Chooser, certified};
use crate::ladder::{Ladder, Owner};
use crate::movegen::{self, View};
use crate::nn::{Network, Outputs};
use crate::outcome::Outcome;
use crate::parallel::Control;
use crate::position::{BAR, CELLS, Position};
use crate::search::{CubeGame, Evaluator, Filters, Game, Judge, Limits, MAX_PLIES, Memory, REPLIES, Search, Settings};

/// What a game is worth by the chances of its ends while nobody will turn the cube: a constant and what each of the five
/// probabilities adds. In points without a cube it is the equity, bit by bit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Worth {
    lost: f32,
    gains: [f32; 5],
}

impl Worth {
    /// The worth of the ends of a game with the cube there, to the player whose ladder it is.
    fn new(ladder: &Ladder, level: usize, owner: Owner) -> Worth {
        let [lost3, lost2, lost, won, won2, won3] = ladder.worth(level);
        let gains = if ladder.gammons_count(owner) {
            [won - lost, won2 - won, won3 - won2, lost2 - lost, lost3 - lost2]
        } else {
            [won - lost, 0.0, 0.0, 0.0, 0.0]
        };
        Worth { lost: lost as f32, gains: gains.map(|gain| gain as f32) }
    }

    #[inline(always)]
    fn of(&self, [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon]: Outputs) -> f32 {
        let [a, b, c, d, e] = self.gains;
        (a * win + self.lost) + (b * win_gammon + d * lose_gammon) + (c * win_backgammon + e * lose_backgammon)
    }
}

/// How a network plays.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Skill {
    /// How far it looks ahead, 0 to [`MAX_PLIES`].
    pub plies: usize,
    /// By how much it misjudges what it compares: the standard deviation of what is added to every equity, at least 0.
    pub noise: f64,
}

/// What is added to an equity: a draw with mean 0 and standard deviation 1, given by a word and by what is judged.
///
/// The sum of four even draws: near enough to a normal one, and the same on every machine.
fn misjudged(word: u64, what: u64) -> f64 {
    let mut bits = word ^ what.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    let sum: u64 = (0..4).map(|place| bits >> (16 * place) & 0xffff).sum();
    // An even draw from 0 to 65535 has the variance (65536^2 - 1) / 12.
    (sum as f64 - 131_070.0) / ((65_536.0f64 * 65_536.0 - 1.0) / 3.0).sqrt()
}

/// A number for a position, by which its noise is drawn: the same whatever it is compared with.
fn fingerprint(position: &Position) -> u64 {
    position.cells().iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &cell| {
        (hash ^ u64::from(cell as u8)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The table that searching players know the end of races by; built once.
fn races() -> &'static OneSided {
    static RACES: OnceLock<OneSided> = OnceLock::new();
    RACES.get_or_init(|| {
        let index = Index::new(6, 15).expect("a size that tables have");
        OneSided::build(index, 1, &Control::default()).expect("a table that fits into memory")
    })
}

/// Answers that a searching player remembers.
const REMEMBERED: usize = 1 << 12;

/// A network that plays, with the room it needs kept from decision to decision.
///
/// At 0-ply plays are chosen by the worth of what they lead to: with a cube that can still be turned by [`cube::value`],
/// else by the mean of the six ends. The cube is turned and taken as [`cube::decide`] says, for opponents who never
/// beaver. With more plies [`Search`] says both.
pub struct NetworkPlayer<'a> {
    network: &'a Network,
    chooser: Chooser<'a>,
    skill: Skill,
    memory: Memory,
}

impl<'a> NetworkPlayer<'a> {
    /// The player of a network.
    ///
    /// # Panics
    /// If it is to look further ahead than a search can.
    pub fn new(network: &'a Network, skill: Skill) -> NetworkPlayer<'a> {
        assert!(skill.plies <= MAX_PLIES, "no search looks {} plies ahead", skill.plies);
        NetworkPlayer { network, chooser: Chooser::new(network), skill, memory: Memory::new(REMEMBERED) }
    }

    /// The best play of a roll, as the position after it in the view of who made it; unchanged for a dance. `theirs` is
    /// the ladder of the player who rolls next, and the cube lies as that player sees it. The noise is that of `word`.
    pub fn play(
        &mut self,
        position: &Position,
        roll: Roll,
        theirs: &Ladder,
        level: usize,
        owner: Owner,
        word: u64,
    ) -> Position {
        if self.skill.plies > 0 {
            return self.searched(position, roll, theirs, level, owner, word);
        }
        let live = theirs.lives(level, owner) != [false; 2];
        let worth = Worth::new(theirs, level, owner);
        let noise = self.skill.noise;
        let (next, _) = if noise > 0.0 {
            // Half of what a single game won and one lost differ by is an equity of 1.
            let unit = 0.5 * (theirs.worth_of(level, Outcome::Win) - theirs.worth_of(level, Outcome::Lose));
            self.chooser.least(position, roll, |next, outputs| {
                let value = if live {
                    cube::value(certified(outputs), theirs, level, owner, cube::efficiency(next))
                } else {
                    f64::from(worth.of(outputs))
                };
                value + noise * unit * misjudged(word, fingerprint(next))
            })
        } else if live {
            self.chooser.least(position, roll, |next, outputs| {
                cube::value(certified(outputs), theirs, level, owner, cube::efficiency(next))
            })
        } else {
            self.chooser.least(position, roll, |_, outputs| worth.of(outputs))
        };
        next.flip()
    }

    fn searched(
        &self,
        position: &Position,
        roll: Roll,
        theirs: &Ladder,
        level: usize,
        owner: Owner,
        word: u64,
    ) -> Position {
        let game = Game::cubeful(theirs.flip(), level, owner.flip());
        let noise = self.skill.noise;
        let ranked = self.search(|search| search.rank(position, roll, &game, noise == 0.0)).answer;
        let Some(deepest) = ranked.first().map(|first| first.plies) else { return *position };
        let misjudge = |equity: f64, next: &Position| equity + noise * misjudged(word, fingerprint(next));
        let mut best = ranked[0];
        if noise > 0.0 {
            for candidate in ranked.iter().filter(|candidate| candidate.plies == deepest) {
                if misjudge(candidate.equity, &candidate.next) > misjudge(best.equity, &best.next) {
                    best = *candidate;
                }
            }
        }
        best.next.flip()
    }

    fn search<T>(&self, ask: impl FnOnce(&Search<'_>) -> T) -> T {
        let judge = Judge { evaluator: Evaluator::Network(self.network), one_sided: Some(races()), two_sided: None };
        let settings = Settings {
            plies: self.skill.plies,
            filters: Filters::default(),
            replies: Some(REPLIES),
            limits: Limits::default(),
            threads: 1,
        };
        ask(&Search { judge, settings, memory: &self.memory, control: &Control::default() })
    }

    /// Whether to double a cube that the ladder lets the player on roll turn.
    pub fn doubles(&mut self, position: &Position, ladder: &Ladder, level: usize, owner: Owner, word: u64) -> bool {
        let decision = self.decide(position, ladder, level, owner);
        decision.double_take.min(decision.double_drop) >= decision.no_double + self.skill.noise * misjudged(word, 0)
    }

    /// Whether to take a double; everything is seen by the player who doubled, and the cube lies as it did before.
    pub fn takes(&mut self, position: &Position, ladder: &Ladder, level: usize, owner: Owner, word: u64) -> bool {
        let decision = self.decide(position, ladder, level, owner);
        decision.double_take + self.skill.noise * misjudged(word, 0) <= decision.double_drop
    }

    fn decide(&mut self, position: &Position, ladder: &Ladder, level: usize, owner: Owner) -> cube::Decision {
        if self.skill.plies > 0 {
            let game = CubeGame::new(*ladder, level, owner);
            return self.search(|search| search.decide(position, &game)).answer.0;
        }
        let probabilities = certified(self.chooser.evaluate(position));
        cube::decide(probabilities, ladder, level, owner, cube::efficiency(position))
    }
}

/// Throws of 36 that hit a blot so many pips away, nothing in between: what players know by heart, up to 12.
const SHOTS: [i32; 13] = [0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3];
/// What an own point from 4 to 7 is taken to be worth, in pips x 36.
const MADE: i32 = 36 * 5;
/// What is lost with a blot beside its pips, in pips.
const TEMPO: i32 = 8;

/// A player by three plain rules, to measure others against: a lead in pips is good, so are points that block, and a
/// blot costs what it loses as often as its nearest enemy hits it.
#[derive(Debug, Default)]
pub struct Baseline {
    candidates: Vec<[i8; CELLS]>,
}

impl Baseline {
    /// Its play of a roll, as the position after it in the view of who made it; the first among equals.
    pub fn play(&mut self, position: &Position, roll: Roll) -> Position {
        self.candidates.clear();
        movegen::results(position, roll, View::Mover, &mut self.candidates);
        // The first of the greatest: `max_by_key` would give the last.
        let best = self.candidates.iter().rev().max_by_key(|cells| Baseline::worth(cells));
        best.map_or(*position, |cells| Position::from_cells_unchecked(*cells))
    }

    /// What a position is worth to the player whose view it is and who has just moved, in pips x 36.
    fn worth(cells: &[i8; CELLS]) -> i32 {
        let mut worth = 0;
        // The nearest enemy that has not passed yet: it comes from its bar, 0, upwards.
        let mut enemy = None;
        for (point, &cell) in (0..).zip(&cells[..=BAR]) {
            let count = i32::from(cell);
            if count < 0 {
                enemy = Some(point);
                worth -= 36 * count * (25 - point);
            } else if count > 0 {
                worth -= 36 * count * point;
            }
            if count > 1 && (4..=7).contains(&point) {
                worth += MADE;
            }
            if count == 1 && point < 25 {
                let shots = enemy.and_then(|enemy| SHOTS.get((point - enemy) as usize)).unwrap_or(&0);
                worth -= shots * (25 - point + TEMPO);
            }
        }
        worth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Objective, best_positions};
    use crate::ladder::{Level, Terms};
    use crate::nn::{Shape, Weights};
    use crate::parallel::Control;
    use crate::position::Variant;
    use crate::simulate;

    const POINTS: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];

    fn network() -> Network {
        Network::new(Weights::random(Shape::new(64, 16).unwrap(), 3))
    }

    fn positions() -> Vec<Position> {
        simulate::random_positions(&Position::start(Variant::Standard), 300, 1, &Control::default())
    }

    fn fixed(worth: [f64; 6], total: f64, gammons_while_centred: bool) -> Ladder {
        let terms = Terms { total, gammons_while_centred, ..Terms::default() };
        Ladder::new(&[Level { worth, may_double: [false; 2], dead: false }], terms).unwrap()
    }

    /// Without a cube the plays are those of the batch functions.
    #[test]
    fn the_objectives_are_ladders() {
        let network = network();
        let positions = positions();
        let rolls: Vec<Roll> = (0..positions.len()).map(|row| Roll::ALL[row % 21]).collect();
        let cases = [
            (Objective::Points, fixed(POINTS, 0.0, true)),
            (Objective::Win, fixed(POINTS, 0.0, false)),
            (Objective::Win, fixed([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], 1.0, true)),
        ];
        for (objective, ladder) in cases {
            let best = best_positions(&network, &positions, &rolls, objective, View::Mover, 1);
            let mut player = NetworkPlayer::new(&network, Skill::default());
            for (row, position) in positions.iter().enumerate() {
                let after = player.play(position, rolls[row], &ladder, 0, Owner::Centred, 1);
                assert_eq!(after.cells(), &best[row], "{objective:?} {row}");
            }
        }
    }

    /// With a live cube: no other play leaves the opponent less.
    #[test]
    fn with_a_cube_plays_are_the_best_by_its_value() {
        let network = network();
        let ladder = Ladder::endless(POINTS, Terms { gammons_while_centred: false, ..Terms::default() }).unwrap();
        let mut player = NetworkPlayer::new(&network, Skill::default());
        let mut different = 0;
        for (row, position) in positions().iter().enumerate() {
            let roll = Roll::ALL[row % 21];
            for owner in Owner::ALL {
                let left = |next: &Position| {
                    let chances = certified(Chooser::new(&network).evaluate(next));
                    cube::value(chances, &ladder, 1, owner, cube::efficiency(next))
                };
                let next = player.play(position, roll, &ladder, 1, owner, 1).flip();
                assert!(position.plays(roll).iter().all(|play| left(&play.next()) >= left(&next)));
                let cubeless = Chooser::new(&network).best(position, roll, Objective::Points).0;
                different += usize::from(cubeless != next);
            }
        }
        assert!(different > 0, "the cube should matter somewhere");
    }

    #[test]
    fn the_cube_is_handled_as_decide_says() {
        let network = network();
        let beavers = Terms { gammons_while_centred: false, beavers: 1, ..Terms::default() };
        let ladders = [beavers, Terms { beavers: 0, ..beavers }].map(|terms| Ladder::endless(POINTS, terms).unwrap());
        let mut player = NetworkPlayer::new(&network, Skill::default());
        let mut seen = [0; 4];
        for position in positions() {
            let chances = certified(Chooser::new(&network).evaluate(&position));
            let plain = cube::decide(chances, &ladders[1], 0, Owner::Centred, cube::efficiency(&position));
            let [doubles, takes] = [plain.action.doubles(), plain.double_take < 1.0];
            for ladder in &ladders {
                assert_eq!(player.doubles(&position, ladder, 0, Owner::Centred, 1), doubles);
                assert_eq!(player.takes(&position, ladder, 0, Owner::Centred, 1), takes);
            }
            seen[usize::from(doubles) * 2 + usize::from(takes)] += 1;
        }
        assert!(seen[1] > 0 && seen[2] + seen[3] > 0, "{seen:?}");
    }

    /// The mean and the spread are what is said, and different words and positions have different noise.
    #[test]
    fn noise_is_even_handed() {
        let draws: Vec<f64> = (0..40_000).map(|word| misjudged(word, word * 7)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|draw| draw * draw).sum::<f64>() / draws.len() as f64;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        assert!(draws.iter().all(|draw| draw.abs() < 3.47), "four draws at their ends");
        assert_eq!(misjudged(5, 9), misjudged(5, 9));
        let places = positions();
        let mut prints: Vec<u64> = places.iter().map(fingerprint).collect();
        prints.sort_unstable();
        prints.dedup();
        let mut distinct: Vec<_> = places.iter().map(|position| *position.cells()).collect();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(prints.len(), distinct.len());
    }

    /// With noise the play is the one whose worth looks best, and enough of it changes many plays.
    #[test]
    fn noise_makes_other_plays() {
        let network = network();
        let ladder = fixed(POINTS, 0.0, true);
        let noise = 0.2;
        let mut exact = NetworkPlayer::new(&network, Skill::default());
        let mut noisy = NetworkPlayer::new(&network, Skill { plies: 0, noise });
        let mut changed = 0;
        for (row, position) in positions().iter().enumerate() {
            let (roll, word) = (Roll::ALL[row % 21], row as u64);
            let after = noisy.play(position, roll, &ladder, 0, Owner::Centred, word);
            assert_eq!(after, noisy.play(position, roll, &ladder, 0, Owner::Centred, word));
            let seems = |next: &Position| {
                let outputs = Chooser::new(&network).evaluate(next);
                f64::from(Objective::Points.value(outputs)) + noise * misjudged(word, fingerprint(next))
            };
            let least = position.plays(roll).iter().map(|play| seems(&play.next())).fold(f64::INFINITY, f64::min);
            if least.is_finite() {
                assert!((seems(&after.flip()) - least).abs() < 1e-5);
            }
            changed += usize::from(after != exact.play(position, roll, &ladder, 0, Owner::Centred, word));
        }
        assert!(changed > 50, "{changed}");
    }

    /// A searching player does what the search says.
    #[test]
    fn a_searching_player_searches() {
        let network = network();
        let ladder = Ladder::endless(POINTS, Terms::default()).unwrap();
        let skill = Skill { plies: 1, noise: 0.0 };
        let mut player = NetworkPlayer::new(&network, skill);
        let memory = Memory::default();
        let control = Control::default();
        let judge = Judge { evaluator: Evaluator::Network(&network), one_sided: Some(races()), two_sided: None };
        let settings = Settings {
            plies: 1,
            filters: Filters::default(),
            replies: Some(REPLIES),
            limits: Limits::default(),
            threads: 1,
        };
        let search = Search { judge, settings, memory: &memory, control: &control };
        let mut shallow = NetworkPlayer::new(&network, Skill::default());
        let mut different = 0;
        for (row, position) in positions().iter().take(60).enumerate() {
            let roll = Roll::ALL[row % 21];
            let after = player.play(position, roll, &ladder.flip(), 1, Owner::Opponent, 3);
            let best = search.rank(position, roll, &Game::cubeful(ladder, 1, Owner::Player), true).answer;
            assert_eq!(after, best.first().map_or(*position, |best| best.next.flip()));
            different += usize::from(after != shallow.play(position, roll, &ladder.flip(), 1, Owner::Opponent, 3));
            let (decision, _) = search.decide(position, &CubeGame::new(ladder, 0, Owner::Centred)).answer;
            let doubles = decision.double_take.min(decision.double_drop) >= decision.no_double;
            assert_eq!(player.doubles(position, &ladder, 0, Owner::Centred, 3), doubles);
            assert_eq!(player.takes(position, &ladder, 0, Owner::Centred, 3), decision.double_take < 1.0);
        }
        assert!(different > 0, "looking ahead should change something");
    }
}
