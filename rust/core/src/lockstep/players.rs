//! Who answers for a player: somebody outside, chance, plain rules, or a network.

use std::sync::Arc;

use crate::nn::Network;
use crate::player::{Baseline, NetworkPlayer, Skill};

/// Who makes a player's plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chooser {
    /// Somebody outside.
    Asked,
    /// Evenly among the distinct plays.
    Random,
    /// By the plain rules of [`Baseline`].
    Baseline,
    /// The player's network.
    Network,
}

/// Who decides for a player about the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CubeAnswer {
    /// Somebody outside.
    Asked,
    /// The answer is always yes.
    Always,
    /// The answer is always no.
    Never,
    /// The player's network.
    Network,
}

/// A player.
#[derive(Clone, Debug)]
pub struct Player {
    /// Whom its questions go to, 0 or 1: both players may be the same.
    pub slot: usize,
    /// Plays.
    pub choose: Chooser,
    /// Doubles.
    pub double: CubeAnswer,
    /// Takes.
    pub take: CubeAnswer,
    /// The network that decides where it is said to.
    pub network: Option<Arc<Network>>,
    /// How it does that.
    pub skill: Skill,
}

impl Player {
    /// A network that makes all decisions.
    pub fn of_network(network: Arc<Network>, skill: Skill) -> Player {
        let (choose, cube) = (Chooser::Network, CubeAnswer::Network);
        Player { slot: 0, choose, double: cube, take: cube, network: Some(network), skill }
    }

    /// Whether somebody outside has to answer for it.
    pub fn is_asked(&self) -> bool {
        self.choose == Chooser::Asked || [self.double, self.take].contains(&CubeAnswer::Asked)
    }
}

/// The players who think, with room to work, for one thread.
pub struct Minds<'a> {
    networks: [Option<NetworkPlayer<'a>>; 2],
    pub baseline: Baseline,
}

impl<'a> Minds<'a> {
    pub fn new(players: &'a [Player; 2]) -> Minds<'a> {
        let mind =
            |player: &'a Player| player.network.as_deref().map(|network| NetworkPlayer::new(network, player.skill));
        Minds { networks: [mind(&players[0]), mind(&players[1])], baseline: Baseline::default() }
    }

    pub fn of(&mut self, player: usize) -> &mut NetworkPlayer<'a> {
        self.networks[player].as_mut().expect("a player that a network answers for has one")
    }
}
