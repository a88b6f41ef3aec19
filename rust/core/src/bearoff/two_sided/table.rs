//! A solved table, in memory or in a file, and what it can be asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::build::{self, Lines, Means, Window};
use super::file::{Reader, Writer, check_space, file_bytes};
use super::kernel::{HALF_RANGE, Isa, Number as _, Scale};
use super::layout::{BlockName, LANES, Layout, Line, Place};
use super::{MOST_IN_MEMORY, Scoring, Spec, TwoSidedError, Values};
use crate::bearoff::index::{self, Counts};
use crate::cube::{Action, choose};
use crate::dice::Roll;
use crate::ladder::{MAX_LEVELS, Owner};
use crate::parallel::{self, Control};
use crate::play::Play;
use crate::position::{CHECKERS, Position};

/// How a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Through a memory map: fastest. A file that somebody shortens meanwhile ends the process, as with every map.
    #[default]
    Map,
    /// By reading at a place for each look-up.
    Read,
}

/// How a table is built; none of it changes the result.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// A file to stream the table to; without one it stays in memory.
    pub path: Option<&'a Path>,
    /// How many threads.
    pub threads: usize,
    /// The instruction set, which the processor must have.
    pub isa: Isa,
}

impl Default for Build<'_> {
    /// In memory, with one thread for each core and the best instruction set.
    fn default() -> Self {
        Build { path: None, threads: parallel::threads_or_all(None), isa: Isa::best() }
    }
}

/// Whether gammons count single while the cube is centred (rule 7.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Jacoby {
    /// What the table was built for.
    #[default]
    OfTable,
    /// It is in force.
    On,
    /// It is not.
    Off,
}

/// The most numbers of a pair: at a score two for each level of the cube, one above the last, and the game without one.
pub(super) const MOST_NUMBERS: usize = 2 * MAX_LEVELS + 2;

/// What is asked about a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// Where the cube lies, seen by the player on roll, and how often it was turned (which money does not depend on);
    /// `None`: nobody ever doubles.
    pub cube: Option<(Owner, usize)>,
    /// For money: whether rule 7.6 is in force.
    pub jacoby: Jacoby,
    /// At a score: who is on roll, 0 for the player whose ladder it is, 1 for the other.
    pub player: usize,
    /// The player on roll does not double this turn.
    pub no_double: bool,
}

impl Ask {
    /// The same for the opponent, who may double.
    fn flip(self) -> Ask {
        let cube = self.cube.map(|(owner, level)| (owner.flip(), level));
        Ask { cube, player: 1 - self.player, no_double: false, ..self }
    }
}

/// A number of a table as it is stored: it stands for (code + 1/2) / 32767.5, or twice that where a gammon can be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The 16 bits.
    pub code: i16,
    /// Whether a side still has 15 checkers.
    pub gammon: bool,
}

impl Number {
    /// The equity.
    pub fn equity(self) -> f64 {
        (f64::from(self.code) + 0.5) / HALF_RANGE * Scale::new(self.gammon).factor()
    }
}

/// What doubling and not doubling is worth to the player on roll, who may double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeAction {
    /// The equity of rolling.
    pub no_double: f64,
    /// The equity after a double that is taken.
    pub double_take: f64,
    /// The equity after a double that is dropped.
    pub double_drop: f64,
    /// The equity of the best action.
    pub best: f64,
    /// What to do, and the answer. Equal equities: double, and take.
    pub action: Action,
}

#[derive(Debug)]
enum Store {
    Memory(Vec<Arc<Lines<i16>>>),
    File(Reader),
}

/// A two-sided database.
///
/// ```
/// use gammon_core::Position;
/// use gammon_core::bearoff::{Spec, TwoSided, Values};
///
/// let spec = Spec::new(6, [2, 2], Values::Cubeless).unwrap();
/// let table = TwoSided::build(spec, Default::default(), &Default::default()).unwrap();
/// let position = Position::from_points(&[(6, 1)], &[(1, 1)]).unwrap();
/// let equity = table.equity(&position, None, Default::default(), true).unwrap();
/// // 27 of 36 throws bear off from the six point.
/// assert!((equity - 0.5).abs() < 1e-4);
/// ```
#[derive(Debug)]
pub struct TwoSided {
    spec: Spec,
    layout: Layout,
    store: Store,
}

/// Where a pair is.
#[derive(Clone, Copy)]
struct Located {
    orientation: usize,
    on_roll: Place,
    waiting: Place,
}

impl Located {
    fn gammon(&self) -> bool {
        self.on_roll.full || self.waiting.full
    }
}

impl TwoSided {
    /// Solves a table.
    ///
    /// With a path it is streamed to `PATH.partial`, beside a journal, and renamed when it is complete; a build that
    /// was interrupted goes on from there. Progress is counted in pairs.
    ///
    /// # Errors
    /// [`TwoSidedError::NeedsPath`] for a table too large for memory, [`TwoSidedError::NoSpace`] before anything is
    /// written, [`TwoSidedError::Cancelled`], and what the system says to files.
    pub fn build(spec: Spec, how: Build, control: &Control) -> Result<TwoSided, TwoSidedError> {
        let means = Means { threads: how.threads, isa: how.isa, control };
        let Some(path) = how.path else {
            if spec.least_bytes() > MOST_IN_MEMORY {
                return Err(TwoSidedError::NeedsPath { bytes: spec.least_bytes() });
            }
            let bytes = spec.size().memory_without_path;
            if bytes > MOST_IN_MEMORY {
                return Err(TwoSidedError::NeedsPath { bytes });
            }
            check_memory(bytes)?;
            let layout = spec.layout();
            let mut layers = Vec::new();
            solve(&layout, &spec, means, 0, Window::new(&layout), |_, layer| {
                layers.push(layer);
                Ok(())
            })?;
            return Ok(TwoSided { spec, layout, store: Store::Memory(layers) });
        };
        check_space(path, spec.least_bytes())?;
        let layout = spec.layout();
        check_space(path, file_bytes(&layout))?;
        check_memory(spec.size().memory_with_path)?;
        let mut writer = Writer::start(path, &spec, &layout)?;
        let (first, window) = writer.resume(&layout)?;
        control.advance(layout.layers[..first].iter().map(|layer| layout.pairs_of(layer)).sum());
        writer.run(&layout, control, |send| solve(&layout, &spec, means, first, window, send))?;
        writer.finish(&layout)?;
        TwoSided::open(path, Access::Map)
    }

    /// Opens a file. Its header, its size and the checksum of its table of blocks are checked; blocks only by
    /// [`TwoSided::verify`].
    pub fn open(path: &Path, access: Access) -> Result<TwoSided, TwoSidedError> {
        let (spec, layout, reader) = Reader::open(path, access)?;
        Ok(TwoSided { spec, layout, store: Store::File(reader) })
    }

    /// Writes the table to a file.
    pub fn save(&self, path: &Path, control: &Control) -> Result<(), TwoSidedError> {
        check_space(path, file_bytes(&self.layout))?;
        let mut writer = Writer::start(path, &self.spec, &self.layout)?;
        writer.restart(&self.layout)?;
        writer.run(&self.layout, control, |send| {
            for sum in 0..self.layout.layers.len() {
                if control.is_cancelled() {
                    return Err(TwoSidedError::Cancelled);
                }
                send(sum, self.layer(sum)?)?;
                control.advance(self.layout.pairs_of(&self.layout.layers[sum]));
            }
            Ok(())
        })?;
        writer.finish(&self.layout)
    }

    #[cfg(test)]
    pub(super) fn from_layers(spec: Spec, layers: Vec<Arc<Lines<i16>>>) -> TwoSided {
        TwoSided { layout: spec.layout(), spec, store: Store::Memory(layers) }
    }

    fn layer(&self, sum: usize) -> Result<Arc<Lines<i16>>, TwoSidedError> {
        match &self.store {
            Store::Memory(layers) => Ok(Arc::clone(&layers[sum])),
            Store::File(reader) => {
                let plan = &self.layout.layers[sum];
                let mut layer = Lines::zeroed(plan.lines)?;
                reader.read_lines(plan.first_line, layer.lines_mut())?;
                Ok(Arc::new(layer))
            }
        }
    }

    /// Checks every block of a file against its checksum; a table in memory is as it was built. Progress is counted in
    /// pairs.
    ///
    /// # Errors
    /// [`TwoSidedError::Format`] that names the first bad block.
    pub fn verify(&self, control: &Control) -> Result<(), TwoSidedError> {
        let Store::File(reader) = &self.store else {
            return Ok(());
        };
        for (sum, plan) in self.layout.layers.iter().enumerate() {
            reader.check_layer(&self.layout, sum, || control.is_cancelled())?;
            control.advance(self.layout.pairs_of(plan));
        }
        Ok(())
    }

    /// What it covers.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Its file, if it has one.
    pub fn path(&self) -> Option<&Path> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(reader) => Some(reader.path()),
        }
    }

    /// The numbers of a pair, by the indices of both sides (see [`Spec::sides`]): the first [`Scoring::count`] are set.
    ///
    /// `orientation` 0: the first side is on roll. 1: the second is.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn numbers(
        &self,
        orientation: usize,
        on_roll: usize,
        waiting: usize,
    ) -> Result<[Number; MOST_NUMBERS], TwoSidedError> {
        let orientation = if self.layout.orientations() == 1 { 0 } else { orientation };
        self.read(Located {
            orientation,
            on_roll: self.layout.side(orientation).place(on_roll),
            waiting: self.layout.waiting_side(orientation).place(waiting),
        })
    }

    fn read(&self, located: Located) -> Result<[Number; MOST_NUMBERS], TwoSidedError> {
        let Located { orientation, on_roll, waiting } = located;
        let (pips, waiting_pips) = (usize::from(on_roll.pips), usize::from(waiting.pips));
        let block = self.layout.block(BlockName { orientation, pips, waiting_pips });
        let (tile, lane) = (on_roll.slot as usize / LANES, on_roll.slot as usize % LANES);
        let line = block.in_layer + waiting.row as usize * block.row_lines + tile * self.layout.values;
        let mut codes = [0; MOST_NUMBERS];
        let codes = &mut codes[..self.layout.values];
        match &self.store {
            Store::Memory(layers) => pick(&layers[pips + waiting_pips].lines()[line..], lane, codes),
            Store::File(reader) => {
                let first_line = self.layout.layers[pips + waiting_pips].first_line;
                reader.read_lane(first_line + line as u64, lane, codes)?;
            }
        }
        let gammon = located.gammon() && matches!(self.spec.scoring, Scoring::Money(_));
        let mut numbers = [Number { code: 0, gammon }; MOST_NUMBERS];
        for (number, &mut code) in numbers.iter_mut().zip(codes) {
            number.code = code;
        }
        Ok(numbers)
    }

    /// Finds a pair, or says why the table does not hold it.
    fn locate(&self, position: &Position, seat: usize) -> Result<Located, TwoSidedError> {
        let Some([player, opponent]) = index::sides(position) else {
            let reason = if position.is_contact() {
                "the sides are not past each other".to_owned()
            } else {
                format!("a checker is beyond the {} points of the table", self.spec.points())
            };
            return Err(TwoSidedError::NotInDatabase(reason));
        };
        no_unknown_gammon("the player on roll", &player, position.off())?;
        no_unknown_gammon("the opponent", &opponent, position.opponent_off())?;
        let orientations = match self.spec.scoring {
            Scoring::Money(_) => 0..self.layout.orientations(),
            // At a score the players have their sides.
            Scoring::Score(_) => seat..seat + 1,
        };
        for orientation in orientations {
            let (on_roll, waiting) = (self.layout.side(orientation), self.layout.waiting_side(orientation));
            if let (Some(i), Some(j)) = (on_roll.index.rank(&player), waiting.index.rank(&opponent)) {
                return Ok(Located { orientation, on_roll: on_roll.place(i), waiting: waiting.place(j) });
            }
        }
        let [first, second] = self.spec.checkers();
        let has = |counts: &Counts| {
            let rearmost = counts.iter().rposition(|&count| count > 0).map_or(0, |below| below + 1);
            format!("{} checkers up to point {rearmost}", index::checkers(counts))
        };
        Err(TwoSidedError::NotInDatabase(format!(
            "the table holds {first} against {second} checkers on {} points, not {} against {}",
            self.spec.points(),
            has(&player),
            has(&opponent)
        )))
    }

    /// The equity for money: [`TwoSided::value`] without a score.
    ///
    /// # Errors
    /// As for [`TwoSided::value`].
    pub fn equity(
        &self,
        position: &Position,
        cube: Option<Owner>,
        jacoby: Jacoby,
        may_double: bool,
    ) -> Result<f64, TwoSidedError> {
        let cube = cube.map(|owner| (owner, 0));
        self.value(position, Ask { cube, jacoby, no_double: !may_double, player: 0 })
    }

    /// What the position is worth to the player on roll with the best action of both from now on: the equity of a table
    /// for money, what the ladder counts of a table at a score. A finished game is worth what it pays.
    ///
    /// # Errors
    /// [`TwoSidedError::NotInDatabase`] outside the table, for a loser with none off whose side is short of 15 checkers,
    /// and where rule 7.6 would change a number that the table has not; [`TwoSidedError::Cubeless`].
    pub fn value(&self, position: &Position, ask: Ask) -> Result<f64, TwoSidedError> {
        let located = self.locate(position, ask.player)?;
        let number = self.number_for(located, ask)?;
        if let Some(outcome) = position.outcome() {
            return Ok(match &self.spec.scoring {
                Scoring::Money(_) if number == Values::JACOBY => f64::from(outcome.points().signum()),
                Scoring::Money(_) => f64::from(outcome.points()),
                Scoring::Score(score) => {
                    let points = outcome.points();
                    score.worth(score.finished(number, ask.player, points > 0, points.abs() > 1))
                }
            });
        }
        let numbers = self.read(located)?;
        let rolling = self.worth(numbers[number]);
        Ok(match self.double(&numbers, number, ask) {
            Some(double) if !ask.no_double => rolling.max(double.take.min(double.drop)),
            _ => rolling,
        })
    }

    fn worth(&self, number: Number) -> f64 {
        match &self.spec.scoring {
            Scoring::Money(_) => number.equity(),
            Scoring::Score(score) => score.worth(number.equity()),
        }
    }

    /// What doubling is worth to the player on roll, who may do so.
    fn double(&self, numbers: &[Number; MOST_NUMBERS], number: usize, ask: Ask) -> Option<Doubled> {
        match &self.spec.scoring {
            Scoring::Money(_) => matches!(ask.cube, Some((Owner::Player | Owner::Centred, _)))
                .then(|| Doubled { take: 2.0 * numbers[Values::OPPONENT].equity(), drop: 1.0 }),
            Scoring::Score(score) => score.doubles(ask.player)[number]
                .map(|double| Doubled { take: self.worth(numbers[double.taken]), drop: score.worth(double.cash) }),
        }
    }

    /// Which of the numbers holds rolling with a cube there.
    fn number_for(&self, located: Located, ask: Ask) -> Result<usize, TwoSidedError> {
        let values = match &self.spec.scoring {
            Scoring::Score(score) => return score.number(ask.player, ask.cube),
            Scoring::Money(values) => *values,
        };
        let owner = ask.cube.map(|(owner, _)| owner);
        if owner.is_some() && !values.is_cubeful() {
            return Err(TwoSidedError::Cubeless);
        }
        let has_jacoby = values == Values::MoneyJacoby;
        Ok(match owner {
            None => Values::CUBELESS,
            Some(Owner::Player) => Values::OWNED,
            Some(Owner::Opponent) => Values::OPPONENT,
            Some(Owner::Centred) => match ask.jacoby {
                Jacoby::OfTable | Jacoby::On if has_jacoby => Values::JACOBY,
                Jacoby::On if located.gammon() => {
                    return Err(TwoSidedError::NotInDatabase(
                        "a gammon can be lost and counts single while the cube is centred under the Jacoby rule, which \
                         the table was not built for"
                            .to_owned(),
                    ));
                }
                _ => Values::CENTRED,
            },
        })
    }

    /// The best play of a roll and what it is worth to the player; `None` if the game is over. Equal plays: the first.
    ///
    /// # Errors
    /// As for [`TwoSided::value`].
    pub fn best_play(&self, position: &Position, roll: Roll, ask: Ask) -> Result<Option<(Play, f64)>, TwoSidedError> {
        self.value(position, ask)?;
        let mut best: Option<(Play, f64)> = None;
        for play in position.plays(roll) {
            let worth = self.other(self.value(&play.next(), ask.flip())?);
            if best.is_none_or(|(_, highest)| worth > highest) {
                best = Some((play, worth));
            }
        }
        Ok(best)
    }

    /// What one player has when the other has this much.
    fn other(&self, worth: f64) -> f64 {
        match &self.spec.scoring {
            Scoring::Money(_) => -worth,
            Scoring::Score(score) => 2.0 * score.worth(0.0) - worth,
        }
    }

    /// What to do with a cube before rolling.
    ///
    /// # Errors
    /// As for [`TwoSided::value`], and [`TwoSidedError::Cubeless`] without a cube.
    pub fn cube_action(&self, position: &Position, ask: Ask) -> Result<CubeAction, TwoSidedError> {
        if ask.cube.is_none() {
            return Err(TwoSidedError::Cubeless);
        }
        let no_double = self.value(position, Ask { no_double: true, ..ask })?;
        let located = self.locate(position, ask.player)?;
        let doubled = if position.is_over() {
            None
        } else {
            self.double(&self.read(located)?, self.number_for(located, ask)?, ask)
        };
        let Some(Doubled { take, drop }) = doubled else {
            let (none, action) = (f64::NAN, Action::Unavailable);
            return Ok(CubeAction { no_double, double_take: none, double_drop: none, best: no_double, action });
        };
        let (action, best) = choose(no_double, take, drop, f64::NAN);
        Ok(CubeAction { no_double, double_take: take, double_drop: drop, best, action })
    }
}

struct Doubled {
    take: f64,
    drop: f64,
}

/// A side with none off that is short of 15 checkers could lose a gammon that no table knows (rule 9.6).
fn no_unknown_gammon(who: &str, counts: &Counts, off: u8) -> Result<(), TwoSidedError> {
    let left = index::checkers(counts);
    if off == 0 && left > 0 && left < usize::from(CHECKERS) {
        return Err(TwoSidedError::NotInDatabase(format!(
            "{who} has {left} checkers left and none off, so a gammon can be lost; the table knows gammons of 15 \
             checkers only"
        )));
    }
    Ok(())
}

/// One lane of consecutive lines.
pub(super) fn pick(lines: &[Line<i16>], lane: usize, codes: &mut [i16]) {
    for (code, line) in codes.iter_mut().zip(lines) {
        *code = line[lane];
    }
}

/// Solves from a layer on and hands out 16-bit layers.
fn solve(
    layout: &Layout,
    spec: &Spec,
    means: Means,
    first: usize,
    window: Window<i16>,
    mut finished: impl FnMut(usize, Arc<Lines<i16>>) -> Result<(), TwoSidedError>,
) -> Result<(), TwoSidedError> {
    if !spec.is_exact() {
        return build::solve::<i16>(layout, &spec.scoring, means, first, window, finished);
    }
    // Takes at most seconds, so it starts at the beginning: a file holds rounded numbers.
    build::solve::<f64>(layout, &spec.scoring, means, 0, Window::new(layout), |sum, layer| {
        if sum < first {
            return Ok(());
        }
        finished(sum, Arc::new(quantise(layout, &spec.scoring, sum, &layer)?))
    })
}

/// Rounds a layer once.
fn quantise(layout: &Layout, scoring: &Scoring, sum: usize, layer: &Lines<f64>) -> Result<Lines<i16>, TwoSidedError> {
    let plan = &layout.layers[sum];
    let mut rounded = Lines::zeroed(plan.lines)?;
    for &name in &plan.names {
        let block = layout.block(name);
        let on_roll = &layout.side(name.orientation).classes[name.pips];
        let waiting = &layout.waiting_side(name.orientation).classes[name.waiting_pips];
        let lines = block.in_layer..block.in_layer + block.lines();
        let rows = layer.lines()[lines.clone()].chunks_exact(block.row_lines);
        for (row, (from, to)) in rows.zip(rounded.lines_mut()[lines].chunks_exact_mut(block.row_lines)).enumerate() {
            for (at, (from, to)) in from.iter().zip(to).enumerate() {
                let members = on_roll.rows_of_tile(at / layout.values);
                let gammon = row >= waiting.safe || members.start >= on_roll.safe;
                let scale = Scale::new(gammon && matches!(scoring, Scoring::Money(_)));
                // Lanes without a position stay 0.
                for (number, &value) in to[..members.len()].iter_mut().zip(from) {
                    *number = i16::encode(value, scale);
                }
            }
        }
    }
    Ok(rounded)
}

/// Refuses what the machine cannot hold, where it says how much that is: better than being stopped half-way.
fn check_memory(needed: u64) -> Result<(), TwoSidedError> {
    match available_memory() {
        Some(available) if needed > available => Err(TwoSidedError::NoMemory { needed, available }),
        _ => Ok(()),
    }
}

/// What Linux could still hand out, swap included.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    Some((kilobytes("MemAvailable")? + kilobytes("SwapFree").unwrap_or(0)) * 1024)
}

/// The unfinished files beside a path.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
