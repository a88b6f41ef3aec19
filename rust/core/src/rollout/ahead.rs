//! Players that look ahead.

use super::{Player, Stakes};
use crate::cube::Action;
use crate::dice::Roll;
use crate::judge::Judge;
use crate::parallel::Control;
use crate::position::Position;
use crate::search::{CACHE_ENTRIES, CubeGame, Game, Memory, Search, Settings};

/// Plays and turns the cube by a search, on the thread that asks.
pub struct Ahead<'a> {
    judge: Judge<'a>,
    settings: Settings,
    memory: Memory,
    control: Control,
}

impl<'a> Ahead<'a> {
    /// A player that searches like this; a limit of time would make its trials a matter of luck.
    ///
    /// # Panics
    /// If there is a limit of time.
    pub fn new(judge: Judge<'a>, settings: Settings) -> Ahead<'a> {
        assert!(settings.limits.time.is_none(), "trials depend on their numbers only");
        let settings = Settings { threads: 1, ..settings };
        Ahead { judge, settings, memory: Memory::new(CACHE_ENTRIES), control: Control::default() }
    }

    fn search(&self) -> Search<'_> {
        Search { judge: self.judge, settings: self.settings, memory: &self.memory, control: &self.control }
    }
}

fn game(stakes: Stakes<'_>) -> CubeGame {
    CubeGame::new(*stakes.ladder, stakes.level, stakes.owner).on_turn(stakes.turn)
}

impl Player for Ahead<'_> {
    fn choose(&mut self, position: &Position, roll: Roll, stakes: Stakes<'_>) -> Position {
        let game = Game::Cubeful(Box::new(game(stakes)));
        let found = self.search().rank(position, roll, &game, true);
        found.answer.first().map_or_else(|| position.flip(), |best| best.next)
    }

    fn decide(&mut self, position: &Position, stakes: Stakes<'_>) -> Action {
        self.search().decide(position, &game(stakes)).answer.0.action
    }
}
