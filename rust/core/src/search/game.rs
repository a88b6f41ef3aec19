//! What is played for, and the cubes that can arise while looking ahead.

use crate::eval::Objective;
use crate::ladder::{Ladder, Owner};
use crate::nn::Outputs;
use crate::outcome::Outcome;
use crate::search::MAX_PLIES;

/// What is played for, seen by the player on roll.
#[derive(Clone, Debug, PartialEq)]
pub enum Game {
    /// A game in which nobody doubles.
    Cubeless(Objective),
    /// A game with a live cube.
    Cubeful(Box<CubeGame>),
}

/// What a game is worth, and where its cube lies.
#[derive(Clone, Debug, PartialEq)]
pub struct CubeGame {
    /// What a game is worth at each cube.
    pub ladder: Ladder,
    /// How often the cube was turned: a level that the ladder has.
    pub level: usize,
    /// Who has it.
    pub owner: Owner,
    /// The turn of the game, counted from 1 over both sides; [`LATER`] once nobody has to wait with a double.
    pub turn: u32,
}

/// Any turn but the first ones, on which a ladder may forbid to double.
pub const LATER: u32 = u32::MAX;

impl CubeGame {
    /// A game that is past its first turns.
    pub fn new(ladder: Ladder, level: usize, owner: Owner) -> CubeGame {
        CubeGame { ladder, level, owner, turn: LATER }
    }

    /// The game on a turn of it. All turns from which on nobody has to wait are the same.
    pub fn on_turn(self, turn: u32) -> CubeGame {
        let waited = self.ladder.first_double_turn().into_iter().all(|first| first <= turn);
        CubeGame { turn: if waited { LATER } else { turn }, ..self }
    }

    /// The game on the other player's next turn.
    fn next(&self) -> CubeGame {
        CubeGame::new(self.ladder.flip(), self.level, self.owner.flip()).on_turn(self.turn.saturating_add(1))
    }
}

impl Game {
    /// A game with a live cube.
    pub fn cubeful(ladder: Ladder, level: usize, owner: Owner) -> Game {
        Game::Cubeful(Box::new(CubeGame::new(ladder, level, owner)))
    }

    /// The game on the other player's next turn, as that player sees it.
    pub fn next(&self) -> Game {
        match self {
            Game::Cubeless(objective) => Game::Cubeless(*objective),
            Game::Cubeful(game) => Game::Cubeful(Box::new(game.next())),
        }
    }

    /// The same game as the other player sees it.
    pub fn flip(&self) -> Game {
        match self {
            Game::Cubeless(objective) => Game::Cubeless(*objective),
            Game::Cubeful(game) => {
                let (ladder, owner) = (game.ladder.flip(), game.owner.flip());
                Game::Cubeful(Box::new(CubeGame { ladder, owner, ..**game }))
            }
        }
    }

    /// What one player has when the other has this much.
    pub fn other(&self, worth: f64) -> f64 {
        match self {
            Game::Cubeless(Objective::Win) => 1.0 - worth,
            Game::Cubeless(Objective::Points) => -worth,
            Game::Cubeful(game) => game.ladder.total() - worth,
        }
    }

    /// A worth as equity: a single game won with the cube as it lies is 1 and one lost -1.
    pub fn to_equity(&self, worth: f64) -> f64 {
        match self {
            Game::Cubeless(Objective::Win) => 2.0 * worth - 1.0,
            Game::Cubeless(Objective::Points) => worth,
            Game::Cubeful(game) => game.ladder.to_equity(game.level, worth),
        }
    }
}

/// By what a player chooses among replies: the mean worth of the six ends at one cube, as numbers that are quick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Preference {
    Objective(Objective),
    /// What each of the five probabilities adds.
    Gains([f32; 5]),
}

impl Preference {
    fn of(ladder: &Ladder, level: usize) -> Preference {
        if money_unit(ladder).is_some() {
            return Preference::Objective(Objective::Points);
        }
        let [lost3, lost2, lose, win, won2, won3] = ladder.worth(level);
        Preference::Gains([win - lose, won2 - win, won3 - won2, lost2 - lose, lost3 - lost2].map(|gain| gain as f32))
    }

    /// What each of the five probabilities adds.
    pub fn gains(&self) -> [f32; 5] {
        match self {
            Preference::Objective(Objective::Win) => [2.0, 0.0, 0.0, 0.0, 0.0],
            Preference::Objective(Objective::Points) => [2.0, 1.0, 1.0, -1.0, -1.0],
            Preference::Gains(gains) => *gains,
        }
    }

    #[inline(always)]
    pub fn value(&self, outputs: Outputs) -> f32 {
        match self {
            Preference::Objective(objective) => objective.value(outputs),
            Preference::Gains(gains) => outputs.iter().zip(gains).map(|(chance, gain)| chance * gain).sum(),
        }
    }
}

/// What a single game is worth at the lowest cube, if the ladder counts points: gammons twice and backgammons three times
/// as much, each level twice the one below.
pub(crate) fn money_unit(ladder: &Ladder) -> Option<f64> {
    let unit = ladder.worth_of(0, Outcome::Win);
    let counts_points = |level: usize| {
        let cube = unit * (level as f64).exp2();
        ladder.worth(level) == [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0].map(|points| points * cube)
    };
    (ladder.total() == 0.0 && (0..ladder.len()).all(counts_points)).then_some(unit)
}

/// A cube that can lie there at some depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CubeState {
    pub level: usize,
    pub owner: Owner,
    /// The rules make whoever could double wait for a later turn.
    pub waits: bool,
    /// Which state of the next depth follows without a double.
    pub next: usize,
    /// Which one follows a double that is taken, and what it is worth if it is dropped; none where nobody may double.
    pub double: Option<(usize, f64)>,
}

/// The most different cubes at one depth: six after three plies.
pub(super) const MOST_STATES: usize = 8;

/// Everything about a game that looking ahead needs, worked out once.
#[derive(Debug)]
pub(super) struct Plan {
    pub game: Game,
    /// How many replies to each roll are evaluated; all if none.
    pub replies: Option<usize>,
    /// By what the players choose: at even depths the one who is on roll first.
    pub preferences: [Preference; 2],
    pub cube: Option<CubePlan>,
}

#[derive(Debug)]
pub(super) struct CubePlan {
    /// As seen by who is on roll at even and at odd depths.
    pub ladders: [Ladder; 2],
    /// The cubes that can lie there at each depth; at depth 0 the one of the game.
    pub layers: Vec<Vec<CubeState>>,
    /// What a single game is worth at the lowest cube, for money.
    pub unit: Option<f64>,
}

impl Plan {
    /// Whether answers to one are answers to the other.
    pub fn is_like(&self, other: &Plan) -> bool {
        (&self.game, self.replies) == (&other.game, other.replies)
    }

    pub fn new(game: &Game, replies: Option<usize>) -> Plan {
        match game {
            Game::Cubeless(objective) => {
                Plan { game: game.clone(), replies, preferences: [Preference::Objective(*objective); 2], cube: None }
            }
            Game::Cubeful(cubed) => {
                let ladders = [cubed.ladder, cubed.ladder.flip()];
                let preferences = [0, 1].map(|side| Preference::of(&ladders[side], cubed.level));
                let layers = layers(&ladders, cubed);
                let unit = money_unit(&cubed.ladder);
                Plan { game: game.clone(), replies, preferences, cube: Some(CubePlan { ladders, layers, unit }) }
            }
        }
    }
}

fn layers(ladders: &[Ladder; 2], game: &CubeGame) -> Vec<Vec<CubeState>> {
    let mut layers = Vec::new();
    let mut lying = vec![(game.level, game.owner)];
    for depth in 0..=MAX_PLIES {
        let ladder = &ladders[depth % 2];
        let mut next: Vec<(usize, Owner)> = Vec::new();
        let mut place = |cube: (usize, Owner)| {
            next.iter().position(|&known| known == cube).unwrap_or_else(|| {
                next.push(cube);
                next.len() - 1
            })
        };
        let state = |&(level, owner): &(usize, Owner)| {
            let may = ladder.may_double(level, owner)[0];
            let now = ladder.may_double_on(level, owner, game.turn.saturating_add(depth as u32));
            let doubles = now && ladder.has_level(level + 1);
            CubeState {
                level,
                owner,
                waits: may && !now,
                next: place((level, owner.flip())),
                // The opponent takes and has the cube, which is the player's own where the opponent is on roll.
                double: doubles.then(|| (place((level + 1, Owner::Player)), ladder.worth_of(level, Outcome::Win))),
            }
        };
        layers.push(lying.iter().map(state).collect());
        lying = next;
    }
    layers
}
