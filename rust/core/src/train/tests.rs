use super::*;
use crate::nn::{Inputs, Kernel, OUTPUTS, Outputs, Scratch};
use crate::position::CELLS;
use crate::rng::{Purpose, Stream};
use crate::simulate;

fn stage(games: u64) -> Stage {
    Stage {
        games,
        games_per_step: 16,
        changes: 1,
        rate: [2e-3, 1e-3],
        lambda: [0.5, 0.0],
        look_ahead: 0.0,
        tables: false,
        keep: 0,
        stray: 0.0,
        steady: 0,
        memory: 0,
        taught: false,
        objective: Objective::Points,
        equity: [0.0; 2],
        average: 10.0,
    }
}

/// A stage with a memory that is full after its second step.
fn remembering(games: u64) -> Stage {
    Stage {
        games_per_step: 8,
        steady: 3,
        memory: 2000,
        changes: 20,
        stray: 0.05,
        equity: [20.0, 10.0],
        look_ahead: 0.1,
        average: 5.0,
        ..stage(games)
    }
}

fn shape() -> Shape {
    Shape::new(64, 16).unwrap()
}

fn quick() -> Arc<Network> {
    Arc::new(Network::new(Weights::random(shape(), 99)))
}

fn lessons(n: usize, seed: u64) -> Vec<Lesson> {
    let mut stream = Stream::new(seed, Purpose::Training, 9, 0, 0);
    let mut chance = || stream.below(1001) as f32 / 1000.0;
    simulate::random_positions(&Position::start(Variant::Standard), n, seed, &Control::default())
        .iter()
        .map(|position| {
            let (win, gammon, lose_gammon) = (chance(), chance(), chance());
            let lost = (1.0 - win) * lose_gammon;
            // Ends that the checkers rule out have no chance in the target either.
            let possible = crate::nn::possible(position.cells()).unwrap();
            let mut target = [win, win * gammon, win * gammon * chance(), lost, lost * chance()];
            for end in 1..OUTPUTS {
                target[end] *= f32::from(u8::from(possible[end]));
            }
            Lesson { cells: *position.cells(), target }
        })
        .collect()
}

fn loss(weights: &Weights, equity: [f32; 2], lessons: &[Lesson]) -> f64 {
    let mut gradient = Gradient::zero(weights);
    gradient.learn(weights, Kernel::Portable, equity, lessons);
    gradient.loss + f64::from(equity[0]) * gradient.squares[0] + f64::from(equity[1]) * gradient.squares[1]
}

/// The gradient against differences of the loss, for weights of every layer.
#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    for inputs in Inputs::ALL {
        for equity in [[0.0, 0.0], [100.0, 0.0], [0.0, 100.0], [1.0, 2.0]] {
            gradient_is_slope(shape().with_inputs(inputs), equity);
        }
    }
}

fn gradient_is_slope(shape: Shape, equity: [f32; 2]) {
    let weights = Weights::random(shape, 3);
    let lessons = lessons(40, 1);
    let mut gradient = Gradient::zero(&weights);
    gradient.learn(&weights, Kernel::Portable, equity, &lessons);
    let largest = gradient.values.iter().fold(0.0f32, |most, value| most.max(value.abs()));
    let mut checked = 0;
    for range in shape.ranges() {
        for at in range.clone().step_by((range.len() / 80).max(1)) {
            let slope = |h: f32| {
                let shifted = |h: f32| {
                    let mut values = weights.values().to_vec();
                    values[at] += h;
                    loss(&Weights::from_values(shape, values).unwrap(), equity, &lessons)
                };
                (shifted(h) - shifted(-h)) / (2.0 * f64::from(h))
            };
            // A unit that is switched within the step bends the loss: two steps must agree for the slope to be one.
            let (wide, narrow) = (slope(2e-3), slope(1e-3));
            if (wide - narrow).abs() < 0.01 * f64::from(largest) {
                let found = f64::from(gradient.values[at]);
                assert!((found - narrow).abs() < 0.02 * f64::from(largest), "weight {at}: {found} against {narrow}");
                checked += usize::from(found != 0.0);
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn every_kernel_gives_the_same_gradient() {
    let weights = Weights::random(shape().with_inputs(Inputs::Contact), 3);
    let lessons = lessons(50, 2);
    let gradient = |kernel| {
        let mut gradient = Gradient::zero(&weights);
        gradient.learn(&weights, kernel, [20.0, 10.0], &lessons);
        gradient.values
    };
    let portable = gradient(Kernel::Portable);
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        assert_eq!(gradient(kernel), portable, "{kernel:?}");
    }
}

/// Lots of lessons are the same sums in the same order.
#[test]
fn a_lot_of_lessons_teaches_what_they_teach_one_by_one() {
    for (first, second, inputs) in [(64, 16, Inputs::Raw), (192, 48, Inputs::Contact)] {
        let weights = Weights::random(Shape::new(first, second).unwrap().with_inputs(inputs), 3);
        let lessons = lessons(75, 5);
        let (mut together, mut alone) = (Gradient::zero(&weights), Gradient::zero(&weights));
        together.learn(&weights, Kernel::best(), [20.0, 10.0], &lessons);
        lessons
            .iter()
            .for_each(|lesson| alone.learn(&weights, Kernel::best(), [20.0, 10.0], std::slice::from_ref(lesson)));
        assert_eq!(together.lessons, 75);
        assert_eq!((together.loss, together.squares), (alone.loss, alone.squares));
        assert_eq!(together.values, alone.values);
    }
}

/// A network with far more weights than lessons learns them by heart.
#[test]
fn a_small_set_is_overfitted() {
    let lessons = lessons(30, 5);
    let mut trainer = Trainer::new(shape(), vec![stage(16)], 1);
    let learn = |trainer: &mut Trainer| {
        let mut gradient = Gradient::zero(&trainer.weights);
        gradient.learn(&trainer.weights.clone(), Kernel::best(), [0.0; 2], &lessons);
        trainer.change(&gradient, 3e-3, 1.0);
        (gradient.squares[0] / gradient.lessons as f64).sqrt()
    };
    let first = learn(&mut trainer);
    let last = (0..1500).map(|_| learn(&mut trainer)).last().unwrap();
    assert!(first > 0.3 && last < 0.02, "{first} {last}");
    let network = Network::new(trainer.weights);
    let mut outputs: Vec<Outputs> = Vec::new();
    let cells: Vec<[i8; CELLS]> = lessons.iter().map(|lesson| lesson.cells).collect();
    network.evaluate(&mut Scratch::new(&network), &cells, &mut outputs);
    for (lesson, outputs) in lessons.iter().zip(outputs) {
        assert!(lesson.target.iter().zip(outputs).all(|(a, b)| (a - b).abs() < 0.1), "{lesson:?} {outputs:?}");
    }
}

#[test]
fn the_same_weights_for_any_number_of_threads() {
    let run = |threads, seed| {
        let stages = vec![stage(64), Stage { changes: 3, tables: true, keep: 2, ..stage(32) }, remembering(64)];
        let mut trainer = Trainer::new(shape(), stages, seed);
        trainer.set_quick(quick());
        while trainer.step(threads, &Control::default()).unwrap().is_some() {}
        trainer
    };
    let alone = run(1, 7);
    assert_eq!((alone.games(), alone.steps(), alone.stage()), (160, 4 + 2 * 3 + 7 * 20, None));
    assert_eq!(run(2, 7).to_bytes(), alone.to_bytes());
    assert_eq!(run(8, 7).to_bytes(), alone.to_bytes());
    assert_ne!(run(2, 8).weights, alone.weights);
}

#[test]
fn going_on_from_a_checkpoint_equals_no_break() {
    // With lambda and random weights targets lie far beyond 0 and 1.
    let strayed = Stage { look_ahead: 0.25, lambda: [0.9; 2], stray: 0.1, ..remembering(80) };
    let stages =
        || vec![stage(64), Stage { look_ahead: 0.25, changes: 2, tables: true, ..stage(32) }, remembering(80), strayed];
    let folder = std::env::temp_dir().join(format!("gammon-checkpoint-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("run.checkpoint");
    let shape = shape().with_inputs(Inputs::Contact);
    let mut unbroken = Trainer::new(shape, stages(), 7);
    while unbroken.step(2, &Control::default()).unwrap().is_some() {}
    let mut broken = Trainer::new(shape, stages(), 7);
    loop {
        broken.save(&path).unwrap();
        broken = Trainer::open(&path, shape, stages(), 7).unwrap();
        if broken.step(2, &Control::default()).unwrap().is_none() {
            break;
        }
    }
    assert_eq!(broken.to_bytes(), unbroken.to_bytes());

    let another = |stages, seed| Trainer::open(&path, shape, stages, seed).unwrap_err().to_string();
    assert!(another(stages(), 8).contains("seed"));
    assert!(another(vec![stage(64)], 7).contains("recipe"));
    let bytes = std::fs::read(&path).unwrap();
    for at in (0..bytes.len()).step_by(bytes.len() / 50) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        std::fs::write(&path, damaged).unwrap();
        assert!(matches!(Trainer::open(&path, shape, stages(), 7), Err(CheckpointError::Damaged(_))), "byte {at}");
    }
    assert!(matches!(Trainer::open(&folder.join("none"), shape, stages(), 7), Err(CheckpointError::Io(_))));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Whoever can write a checksum can write anything behind it.
#[test]
fn a_checkpoint_from_elsewhere_is_refused_or_goes_on() {
    let stages = || vec![stage(16), remembering(64)];
    let mut trainer = Trainer::new(shape(), stages(), 7);
    for _ in 0..6 {
        trainer.step(2, &Control::default()).unwrap();
    }
    let whole = trainer.to_bytes();
    let content = whole.len() - 8;
    let mut stream = Stream::new(3, Purpose::Training, 0, 0, 0);
    let path = std::env::temp_dir().join(format!("gammon-hostile-{}", std::process::id()));
    let (mut refused, mut went_on) = (0, 0);
    for case in 0..400 {
        let mut bytes = whole[..content].to_vec();
        // Half of them in the header, half anywhere: a weight, a momentum, a square, a lesson.
        let most = if case % 2 == 0 { 112 } else { content as u64 };
        let at = stream.below(most - 4) as usize;
        let words = [0, 1, u32::MAX, f32::NAN.to_bits(), f32::MAX.to_bits(), f32::MIN.to_bits(), 1 << 31, case];
        let word = words[stream.below(words.len() as u64) as usize];
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        bytes.extend(xxhash_rust::xxh3::xxh3_64(&bytes).to_le_bytes());
        std::fs::write(&path, bytes).unwrap();
        match Trainer::open(&path, shape(), stages(), 7) {
            Err(_) => refused += 1,
            Ok(mut trainer) => {
                went_on += 1;
                while let Ok(Some(_)) = trainer.step(1, &Control::default()) {}
            }
        }
    }
    std::fs::remove_file(path).unwrap();
    assert!(refused > 100 && went_on > 50, "{refused} {went_on}");
}

/// A network that is finite but as wild as can be is trained until its weights are not finite, and no further.
#[test]
fn weights_that_run_away_are_an_error() {
    let wild = vec![f32::MAX; shape().len()];
    for stage in [Stage { rate: [1.0; 2], average: 1.0, ..stage(64) }, remembering(64)] {
        let weights = Weights::from_values(shape(), wild.clone()).unwrap();
        let mut trainer = Trainer::from_weights(weights, vec![stage], 7);
        let end = std::iter::repeat_with(|| trainer.step(2, &Control::default()))
            .find(|step| !matches!(step, Ok(Some(_))))
            .unwrap();
        assert_eq!((end, trainer.averaged()), (Err(RanAway), Err(RanAway)), "{stage:?}");
    }
}

/// Wherever a step is cancelled, in its games or while it learns, nothing has happened.
#[test]
fn a_cancelled_step_leaves_everything_as_it_was() {
    let stages = || vec![Stage { memory: 4000, changes: 200, ..stage(256) }];
    let mut trainer = Trainer::new(shape(), stages(), 7);
    while trainer.steps() == 0 {
        trainer.step(2, &Control::default()).unwrap();
    }
    let before = trainer.to_bytes();
    let mut untouched = trainer.clone();
    untouched.step(2, &Control::default()).unwrap();
    let mut cancelled = 0;
    for milliseconds in [0, 1, 2, 5, 10, 20, 50, 100, 200] {
        let control = Control::default();
        let step = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(milliseconds));
                control.cancel();
            });
            trainer.step(2, &control).unwrap()
        });
        match step {
            None => cancelled += 1,
            Some(_) => trainer = Trainer::from_bytes(&before, shape(), stages(), 7).unwrap(),
        }
        assert!(trainer.to_bytes() == before, "after {milliseconds} ms");
    }
    assert!(cancelled > 0);
    trainer.step(2, &Control::default()).unwrap();
    assert!(trainer.to_bytes() == untouched.to_bytes());
}

/// The mean over the rolls, found the slow way.
#[test]
fn looking_ahead_is_the_mean_of_the_best_plays() {
    use crate::nn::{equity, flip};
    use crate::{Roll, movegen};
    let network = Network::new(Weights::random(shape(), 2));
    let mut player = Player::new(&network, None);
    let teaching = Teaching {
        objective: Objective::Points,
        lambda: 0.0,
        look_ahead: 0.0,
        tables: None,
        teacher: None,
        stray: 0.0,
    };
    let evaluate = |cells: [i8; CELLS]| {
        let mut outputs = Vec::new();
        network.evaluate(&mut Scratch::new(&network), &[cells], &mut outputs);
        outputs[0]
    };
    for position in simulate::random_positions(&Position::start(Variant::Standard), 40, 3, &Control::default()) {
        let mut mean = 0.0;
        for roll in Roll::ALL {
            let mut results = Vec::new();
            movegen::results(&position, roll, movegen::View::Mover, &mut results);
            if results.is_empty() {
                results.push(*position.cells());
            }
            let seen =
                |cells: &[i8; CELLS]| equity(flip(evaluate(*Position::from_cells(cells).unwrap().flip().cells())));
            let best = results.iter().map(seen).fold(f32::NEG_INFINITY, f32::max);
            mean += f32::from(roll.weight()) / 36.0 * best;
        }
        let found = equity(player.look_ahead(&position, &teaching));
        assert!((found - mean).abs() < 1e-5, "{found} {mean}");
    }
}

/// A quick network leaves the candidates that it likes best; the other chooses among them.
#[test]
fn a_quick_network_sifts() {
    use crate::nn::equity;
    use crate::{Roll, movegen};
    let (network, quick) = (Network::new(Weights::random(shape(), 2)), quick());
    let worth = |network: &Network, cells: &[i8; CELLS]| {
        let mut outputs = Vec::new();
        network.evaluate(&mut Scratch::new(network), &[*cells], &mut outputs);
        equity(outputs[0])
    };
    let mut sifted = 0;
    let positions = simulate::random_positions(&Position::start(Variant::Standard), 100, 4, &Control::default());
    for (row, position) in positions.iter().enumerate() {
        let roll = Roll::ALL[row % 21];
        let mut results = Vec::new();
        movegen::results(position, roll, movegen::View::Next, &mut results);
        if results.len() < 4 {
            continue;
        }
        results.sort_by(|a, b| worth(&quick, a).total_cmp(&worth(&quick, b)));
        results.truncate(3);
        let best = results.iter().map(|cells| worth(&network, cells)).fold(f32::INFINITY, f32::min);
        let (found, outputs) = Player::new(&network, Some((&quick, 3))).best(position, roll, Objective::Points);
        assert_eq!(equity(outputs), best);
        sifted += usize::from(found != Player::new(&network, None).best(position, roll, Objective::Points).0);
    }
    assert!(sifted > 20, "{sifted}");
}

/// A teacher's word is the target, but for bear-offs; the student plays.
#[test]
fn a_teacher_teaches() {
    let (network, teacher) = (Network::new(Weights::random(shape(), 2)), quick());
    let tables = tables_for(&[Stage { tables: true, ..stage(16) }]).unwrap();
    let start = Position::start(Variant::Standard);
    let alone = Teaching {
        objective: Objective::Points,
        lambda: 0.0,
        look_ahead: 0.0,
        tables: Some(&tables),
        teacher: None,
        stray: 0.0,
    };
    let (mut lessons, mut taught) = (Vec::new(), Vec::new());
    for game in 0..20 {
        let dice = GameDice { seed: 1, game };
        game::play(&mut Player::new(&network, None), &alone, &start, dice, &mut lessons);
        let teaching = Teaching { teacher: Some(&teacher), ..alone };
        game::play(&mut Player::new(&network, None), &teaching, &start, dice, &mut taught);
    }
    assert_eq!(lessons.len(), taught.len());
    let mut exact = 0;
    for (lesson, taught) in lessons.iter().zip(&taught) {
        assert_eq!(lesson.cells, taught.cells);
        if tables.ranks(&Position::from_cells(&lesson.cells).unwrap()).is_some() {
            assert_eq!(lesson, taught);
            exact += 1;
        } else {
            let mut outputs = Vec::new();
            teacher.evaluate(&mut Scratch::new(&teacher), &[taught.cells], &mut outputs);
            assert_eq!(taught.target, outputs[0]);
        }
    }
    assert!(exact > 5 && exact < lessons.len() / 2);
}

/// With lambda 1 every position is taught the end of its game, seen by its player.
#[test]
fn lambda_1_teaches_the_end() {
    let network = Network::new(Weights::random(shape(), 2));
    let mut player = Player::new(&network, None);
    let teaching = Teaching {
        objective: Objective::Points,
        lambda: 1.0,
        look_ahead: 0.0,
        tables: None,
        teacher: None,
        stray: 0.0,
    };
    let mut lessons = Vec::new();
    let start = Position::start(Variant::Standard);
    let turns = game::play(&mut player, &teaching, &start, GameDice { seed: 1, game: 0 }, &mut lessons);
    assert_eq!(lessons.len() as u64, turns - 1);
    let last = lessons.last().unwrap().target;
    assert!(last[0] == 1.0 && last.iter().all(|&value| value == 0.0 || value == 1.0));
    for pair in lessons.windows(2) {
        assert_eq!(pair[0].target, crate::nn::flip(pair[1].target));
    }
}

/// With lambda and a look ahead, what later positions turned out to be wrong by is added, and none of the luck of the dice.
#[test]
fn lambda_adds_later_errors() {
    let network = Network::new(Weights::random(shape(), 2));
    let start = Position::start(Variant::Standard);
    for lambda in [0.0f32, 0.6, 1.0] {
        let teaching =
            Teaching { objective: Objective::Points, lambda, look_ahead: 1.0, tables: None, teacher: None, stray: 0.0 };
        let mut player = Player::new(&network, None);
        let mut lessons = Vec::new();
        game::play(&mut player, &teaching, &start, GameDice { seed: 1, game: 3 }, &mut lessons);
        let seen = |lesson: &Lesson| {
            let mut outputs = Vec::new();
            network.evaluate(&mut Scratch::new(&network), &[lesson.cells], &mut outputs);
            outputs[0]
        };
        // Nothing is wrong with the end of the game.
        let mut error = [0.0f32; 5];
        for lesson in lessons.iter().rev() {
            let ahead = player.look_ahead(&Position::from_cells(&lesson.cells).unwrap(), &teaching);
            // A chance of the one player's win is one of the other's loss: errors change sign and ends.
            let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = error.map(|value| lambda * value);
            let turned = [-win, lose_gammon, lose_backgammon, win_gammon, win_backgammon];
            for ((target, ahead), turned) in lesson.target.iter().zip(ahead).zip(turned) {
                assert!((target - (ahead + turned)).abs() < 1e-5, "{lambda}: {target} {ahead} {turned}");
            }
            error = std::array::from_fn(|end| lesson.target[end] - seen(lesson)[end]);
        }
    }
}

/// With tables every bear-off is taught what they say, the position before it too, and three games in four end there.
#[test]
fn tables_teach_bear_offs() {
    let stages = [Stage { tables: true, ..stage(16) }];
    let tables = tables_for(&stages).unwrap();
    let network = Network::new(Weights::random(shape(), 2));
    let mut player = Player::new(&network, None);
    let start = Position::start(Variant::Standard);
    let (mut cut, mut bear_offs) = (0, 0);
    for lambda in [0.0, 1.0] {
        let teaching = Teaching {
            objective: Objective::Points,
            lambda,
            look_ahead: 0.0,
            tables: Some(&tables),
            teacher: None,
            stray: 0.0,
        };
        for game in 0..40 {
            let mut lessons = Vec::new();
            game::play(&mut player, &teaching, &start, GameDice { seed: 1, game }, &mut lessons);
            let known = |lesson: &Lesson| tables.ranks(&Position::from_cells(&lesson.cells).unwrap());
            let Some(first) = lessons.iter().position(|lesson| known(lesson).is_some()) else { continue };
            for lesson in &lessons[first..] {
                let [player, opponent] = known(lesson).unwrap();
                let chances = tables.race_chances(player, opponent).unwrap();
                let target = [chances.win, chances.win_gammon, 0.0, chances.lose_gammon, 0.0];
                assert_eq!(lesson.target, target.map(|chance| chance as f32));
            }
            assert_eq!(lessons[first - 1].target, crate::nn::flip(lessons[first].target));
            assert_eq!(lessons.len() == first + 1, game % 4 != 0 || lessons.len() == first + 1);
            cut += usize::from(lessons.len() == first + 1);
            bear_offs += lessons.len() - first;
        }
    }
    assert!(cut > 10 && bear_offs > 2 * cut, "{cut} {bear_offs}");
    assert!(tables_for(&[stage(16)]).is_none());
}

/// Nothing is learnt before the memory is full, and the network that teaches is a new one every so many steps only.
#[test]
fn a_memory_is_filled_first_and_a_steady_network_stays() {
    let mut trainer = Trainer::new(shape(), vec![remembering(64)], 7);
    let first = trainer.weights.clone();
    let steady = |trainer: &Trainer| trainer.steady.as_ref().unwrap().weights().clone();
    let seen = trainer.step(2, &Control::default()).unwrap().unwrap();
    assert!((1001..2000).contains(&seen.plies) && seen.positions == 0, "{seen:?}");
    assert_eq!((trainer.steps(), trainer.memory.lessons().len() as u64), (0, seen.plies));
    assert_eq!(trainer.weights, first);
    let seen = trainer.step(2, &Control::default()).unwrap().unwrap();
    assert_eq!((trainer.steps(), trainer.memory.lessons().len()), (20, 2000));
    assert_eq!(seen.positions, 20 * seen.plies);
    assert_ne!(trainer.weights, first);
    trainer.step(2, &Control::default()).unwrap();
    assert_eq!(steady(&trainer), first);
    let average = trainer.averaged().unwrap();
    assert_ne!(average, first);
    trainer.step(2, &Control::default()).unwrap();
    assert_eq!(steady(&trainer), average);
    while trainer.step(2, &Control::default()).unwrap().is_some() {}
    assert!(trainer.steady.is_none() && trainer.memory.lessons().is_empty());
}

/// Games that stray are other games, in which most plays are the best all the same; what is taught is the best play's
/// worth, and the next position counts where it was reached by the best play.
#[test]
fn games_stray_and_teach_what_is_best() {
    let network = Network::new(Weights::random(shape(), 2));
    let start = Position::start(Variant::Standard);
    let dice = GameDice { seed: 1, game: 3 };
    let game = |stray, lambda| {
        let teaching =
            Teaching { objective: Objective::Points, lambda, look_ahead: 1.0, tables: None, teacher: None, stray };
        let mut lessons = Vec::new();
        game::play(&mut Player::new(&network, None), &teaching, &start, dice, &mut lessons);
        lessons
    };
    assert_eq!(game(1e-9, 0.5), game(0.0, 0.5));
    let (plain, strayed, corrected) = (game(0.0, 0.0), game(0.02, 0.0), game(0.02, 1.0));
    assert_ne!(plain, strayed);
    let mut player = Player::new(&network, None);
    let (mut best, mut other) = (0, 0);
    for (turn, (pair, corrected)) in strayed.windows(2).zip(&corrected).enumerate() {
        let position = Position::from_cells_unchecked(pair[0].cells);
        let roll = dice.roll(turn as u64 + 1);
        let (next, _) = player.best(&position, roll, Objective::Points);
        if next.cells() == &pair[1].cells {
            best += 1;
        } else {
            assert!(position.plays(roll).iter().any(|play| play.next().cells() == &pair[1].cells));
            assert_eq!(corrected.target, pair[0].target);
            other += 1;
        }
    }
    assert!(other > 5 && best > other, "{best} {other}");
}

#[test]
fn stages_that_make_no_sense() {
    let good = stage(16);
    assert_eq!(good.validate(), Ok(()));
    for (bad, field) in [
        (Stage { games: 0, ..good }, "games"),
        (Stage { games_per_step: 12, ..good }, "games_per_step"),
        (Stage { changes: 0, ..good }, "changes"),
        (Stage { changes: 17, ..good }, "changes"),
        (Stage { rate: [0.0, 1e-3], ..good }, "rate"),
        (Stage { rate: [1e-3, f32::NAN], ..good }, "rate"),
        (Stage { lambda: [0.0, 1.5], ..good }, "lambda"),
        (Stage { look_ahead: -0.1, ..good }, "look_ahead"),
        (Stage { taught: true, look_ahead: 0.1, ..good }, "taught"),
        (Stage { average: 0.0, ..good }, "average"),
        (Stage { stray: 1.5, ..good }, "stray"),
        (Stage { equity: [1.0, -1.0], ..good }, "equity"),
        (Stage { equity: [1.0, 0.0], objective: Objective::Win, ..good }, "equity"),
        (Stage { memory: 4_000_001, games: 1 << 20, ..good }, "memory"),
        (Stage { memory: 641, ..good }, "memory"),
        (Stage { memory: 100, changes: 1001, ..good }, "changes"),
    ] {
        assert_eq!(bad.validate().unwrap_err().field, field);
    }
}
