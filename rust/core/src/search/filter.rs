//! Which candidates are worth a deeper look.

use crate::search::MAX_PLIES;

/// How many of the candidates that were judged so far are judged again deeper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// So many in any case, at least one.
    pub accept: usize,
    /// So many more ...
    pub extra: usize,
    /// ... whose equity is no further than this from the best one's.
    pub threshold: f64,
}

impl Filter {
    /// How many of these equities, best first, stay.
    pub(super) fn keeps(&self, equities: &[f64]) -> usize {
        let Some(&best) = equities.first() else { return 0 };
        let sure = self.accept.max(1).min(equities.len());
        let more = equities[sure..].iter().take(self.extra);
        sure + more.take_while(|&&equity| best - equity <= self.threshold).count()
    }
}

/// For a search of `n` plies: what is done after the candidates were judged at 0, 1, ... n - 1 plies. `None`: that pass is
/// left out. Candidates are always judged at 0-ply first.
pub type Passes = [Option<Filter>; MAX_PLIES];

/// The passes of each depth of search, 1 ply first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filters(pub [Passes; MAX_PLIES]);

impl Default for Filters {
    /// What GNU Backgammon's Python package 1.1 answers `getevalhintfilter` with, except that one candidate is always
    /// kept: the best dozen or so get a look at 1-ply, half of them at 2-ply. So its speed can be compared.
    fn default() -> Filters {
        let keep = |extra, threshold| Some(Filter { accept: 0, extra, threshold });
        Filters([
            [keep(12, 0.24), None, None],
            [keep(12, 0.24), keep(6, 0.12), None],
            [keep(16, 0.32), keep(8, 0.16), keep(4, 0.06)],
        ])
    }
}

impl Filters {
    /// Every candidate is judged at every depth that is asked for.
    pub const NONE: Filters = Filters([[None; MAX_PLIES]; MAX_PLIES]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_in_any_case_and_more_if_they_are_close() {
        let equities = [0.5, 0.45, 0.4, 0.39, -0.2];
        let keeps = |accept, extra, threshold| Filter { accept, extra, threshold }.keeps(&equities);
        assert_eq!(keeps(0, 8, 0.0), 1);
        assert_eq!(keeps(0, 8, 0.1), 3);
        assert_eq!(keeps(0, 1, 0.1), 2);
        assert_eq!(keeps(4, 8, 0.1), 4);
        assert_eq!(keeps(9, 8, 0.1), 5);
        assert_eq!(Filter { accept: 3, extra: 3, threshold: 1.0 }.keeps(&[]), 0);
    }
}
