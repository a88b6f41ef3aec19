//! Solves a table layer by layer, in order of the pips of both sides together.
//!
//! A play takes 1 to 24 pips, so a layer needs the 24 before it and nothing else: those are kept in memory, whatever
//! becomes of the others.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use memmap2::MmapMut;

use super::kernel::{Isa, Job, Number, Scale};
use super::layout::{BlockName, Class, ClassPlays, Layout, Line, MOST_PIPS, Strip};
use super::{Scoring, TwoSidedError, Values};
use crate::parallel::{self, Control};

/// Lines in memory of their own, in huge pages where the system has them: the rows that one tile needs are far apart.
#[derive(Debug)]
pub(super) struct Lines<N> {
    memory: MmapMut,
    bytes: usize,
    number: PhantomData<N>,
}

impl<N: Number> Lines<N> {
    /// So many lines of zeros.
    pub fn zeroed(lines: usize) -> Result<Lines<N>, TwoSidedError> {
        let bytes = lines * size_of::<Line<N>>();
        let memory = MmapMut::map_anon(bytes.max(1)).map_err(TwoSidedError::Memory)?;
        #[cfg(target_os = "linux")]
        {
            // Without them everything works, only more slowly.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        Ok(Lines { memory, bytes, number: PhantomData })
    }

    /// The same memory for so many lines, whose content is whatever was there, if it fits and not much is wasted.
    fn reused(self, lines: usize) -> Option<Lines<N>> {
        let bytes = lines * size_of::<Line<N>>();
        let fits = bytes <= self.memory.len() && self.memory.len() / 5 * 4 <= bytes;
        fits.then_some(Lines { bytes, ..self })
    }

    pub fn lines(&self) -> &[Line<N>] {
        bytemuck::cast_slice(&self.memory[..self.bytes])
    }

    pub fn lines_mut(&mut self) -> &mut [Line<N>] {
        bytemuck::cast_slice_mut(&mut self.memory[..self.bytes])
    }
}

/// How a table is solved; none of it changes the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means<'a> {
    pub threads: usize,
    pub isa: Isa,
    pub control: &'a Control,
}

/// The plays of every class of every side.
struct Plays(Vec<Vec<ClassPlays>>);

impl Plays {
    fn new(layout: &Layout, means: Means) -> Result<Plays, TwoSidedError> {
        let mut sides = Vec::new();
        for orientation in 0..layout.orientations() {
            let side = layout.side(orientation);
            let classes = side.classes.len();
            // Progress is counted in pairs, so the control only serves to stop.
            let uncounted = parallel::map_chunks(classes as u64, means.threads, means.control, |pips| {
                ClassPlays::new(side, &side.classes[pips as usize])
            });
            if uncounted.len() < classes {
                return Err(TwoSidedError::Cancelled);
            }
            sides.push(uncounted.into_iter().map(|(_, plays)| plays).collect());
        }
        Ok(Plays(sides))
    }
}

/// The rows of one strip of one block, with the memory they go to.
struct Unit<'a, N> {
    name: BlockName,
    strip: Strip,
    rows: Mutex<&'a mut [Line<N>]>,
}

/// The layers that are still needed, by the sum of pips.
pub(super) struct Window<N>(Vec<Option<Arc<Lines<N>>>>);

impl<N: Number> Window<N> {
    pub fn new(layout: &Layout) -> Window<N> {
        Window((0..layout.layers.len()).map(|_| None).collect())
    }

    /// Takes in a layer and gives back one that is not needed any more.
    pub fn put(&mut self, sum: usize, layer: Arc<Lines<N>>) -> Option<Arc<Lines<N>>> {
        self.0[sum] = Some(layer);
        self.0[sum.checked_sub(MOST_PIPS)?].take()
    }

    /// The block in which the waiting side is on roll after a play that takes so many pips; empty if there is none.
    fn after(&self, layout: &Layout, name: BlockName, taken: usize) -> &[Line<N>] {
        if taken == 0 || taken > name.pips {
            return &[];
        }
        let turned = BlockName {
            orientation: layout.turned(name.orientation),
            pips: name.waiting_pips,
            waiting_pips: name.pips - taken,
        };
        let block = layout.block(turned);
        let layer = self.0[turned.pips + turned.waiting_pips].as_ref().expect("the 24 layers before are there");
        &layer.lines()[block.in_layer..block.in_layer + block.lines()]
    }
}

/// Solves the layers from `first` on; `window` holds those before it that it needs. Hands each to `finished`.
pub(super) fn solve<N: Number>(
    layout: &Layout,
    scoring: &Scoring,
    means: Means,
    first: usize,
    mut window: Window<N>,
    mut finished: impl FnMut(usize, Arc<Lines<N>>) -> Result<(), TwoSidedError>,
) -> Result<(), TwoSidedError> {
    let plays = Plays::new(layout, means)?;
    // Memory that the system has to clear first costs a fifth of the time, so a layer takes over that of a past one.
    let mut spare: Option<Lines<N>> = None;
    for (sum, plan) in layout.layers.iter().enumerate().skip(first) {
        let mut layer = match spare.take().and_then(|lines| lines.reused(plan.lines)) {
            Some(lines) => lines,
            None => Lines::zeroed(plan.lines)?,
        };
        solve_layer(layout, scoring, means, &plays, &window, sum, &mut layer)?;
        let layer = Arc::new(layer);
        spare = window.put(sum, Arc::clone(&layer)).and_then(Arc::into_inner);
        finished(sum, layer)?;
    }
    Ok(())
}

fn solve_layer<N: Number>(
    layout: &Layout,
    scoring: &Scoring,
    means: Means,
    plays: &Plays,
    window: &Window<N>,
    sum: usize,
    layer: &mut Lines<N>,
) -> Result<(), TwoSidedError> {
    let plan = &layout.layers[sum];
    let mut units = Vec::new();
    let mut rest = layer.lines_mut();
    for &name in &plan.names {
        let waiting = &layout.waiting_side(name.orientation).classes[name.waiting_pips];
        let row_lines = layout.block(name).row_lines;
        for strip in waiting.strips(scoring.strip_tiles()) {
            let (rows, others) = rest.split_at_mut(strip.rows * row_lines);
            units.push(Unit { name, strip, rows: Mutex::new(rows) });
            rest = others;
        }
    }
    parallel::gather(units.len() as u64, means.threads, means.control, |_: &mut (), number| {
        let unit = &units[number as usize];
        let mut rows = unit.rows.lock().expect("no other thread has this unit");
        let on_roll = &layout.side(unit.name.orientation).classes[unit.name.pips];
        if unit.name.pips == 0 || unit.name.waiting_pips == 0 {
            fill_finished(scoring, unit.name, on_roll, unit.strip, &mut rows);
        } else {
            let row_lines = layout.block(unit.name).row_lines;
            let waiting_side = layout.waiting_side(unit.name.orientation);
            let job = Job {
                scoring,
                player: unit.name.orientation,
                on_roll,
                plays: &plays.0[unit.name.orientation][unit.name.pips],
                strip: unit.strip,
                after: std::array::from_fn(|taken| window.after(layout, unit.name, taken)),
                after_row_lines: waiting_side.classes[unit.name.waiting_pips].tiles() * scoring.count(),
                row_lines,
            };
            job.run(means.isa, &mut rows);
        }
        means.control.advance((on_roll.members.len() * unit.strip.rows) as u64);
    });
    // A stopped run may have left out units; a run that was stopped too late to matter is thrown away as well.
    if means.control.is_cancelled() { Err(TwoSidedError::Cancelled) } else { Ok(()) }
}

/// The worth of a finished game to the player on roll: that of a gammon where the loser has all 15 checkers left.
fn fill_finished<N: Number>(scoring: &Scoring, name: BlockName, on_roll: &Class, strip: Strip, rows: &mut [Line<N>]) {
    let won = name.pips == 0;
    let sign = if won { 1.0 } else { -1.0 };
    for row in rows.chunks_exact_mut(on_roll.tiles() * scoring.count()) {
        for (tile, lines) in row.chunks_exact_mut(scoring.count()).enumerate() {
            let members = on_roll.rows_of_tile(tile);
            let gammon = strip.full || members.start >= on_roll.safe;
            for (number, line) in lines.iter_mut().enumerate() {
                let (worth, scale) = match scoring {
                    // While the cube is centred a gammon counts single under Jacoby.
                    Scoring::Money(_) if number == Values::JACOBY => (sign, Scale::new(gammon)),
                    Scoring::Money(_) => (sign * Scale::new(gammon).factor(), Scale::new(gammon)),
                    Scoring::Score(score) => (score.finished(number, name.orientation, won, gammon), Scale::Single),
                };
                line.fill(N::default());
                line[..members.len()].fill(N::encode(worth, scale));
            }
        }
    }
}
