//! What was worked out before, by everything that it depends on.

use crate::position::{CELLS, Position};
use crate::search::walk::Answer;

/// What an answer depends on, beside the judge that a cache belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub position: Position,
    /// The number of the plan, the depth in it, and how far was looked ahead.
    pub plan: u32,
    pub layer: u8,
    pub plies: u8,
}

/// Answers by key, each key at one place: a newer one drives out an older one. Keys are compared whole.
pub(super) struct Cache {
    entries: Vec<Option<(Key, Answer)>>,
}

impl Cache {
    /// Room for so many answers.
    pub fn new(entries: usize) -> Cache {
        Cache { entries: vec![None; entries] }
    }

    fn place(&self, key: &Key) -> usize {
        let cells: &[i8; CELLS] = key.position.cells();
        let mut hash = u64::from(key.plan) << 16 | u64::from(key.layer) << 8 | u64::from(key.plies);
        for part in cells.chunks(7) {
            let word = part.iter().fold(0u64, |word, &cell| word << 8 | u64::from(cell as u8));
            hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
        ((u128::from(hash) * self.entries.len() as u128) >> 64) as usize
    }

    pub fn get(&self, key: &Key) -> Option<&Answer> {
        let (known, answer) = self.entries.get(self.place(key))?.as_ref()?;
        (known == key).then_some(answer)
    }

    pub fn set(&mut self, key: Key, answer: Answer) {
        let place = self.place(&key);
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = Some((key, answer));
        }
    }

    pub fn clear(&mut self) {
        self.entries.fill(None);
    }
}
