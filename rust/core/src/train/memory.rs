//! Lessons that are learnt from more than once.

use crate::rng::Stream;
use crate::train::game::Lesson;

/// The last lessons of a stage, the oldest of them written over by new ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Memory {
    lessons: Vec<Lesson>,
    /// Where the oldest is, once there are as many as are kept.
    oldest: usize,
}

impl Memory {
    /// A memory that was taken apart, if it can be one.
    pub fn from_parts(lessons: Vec<Lesson>, oldest: usize) -> Option<Memory> {
        (oldest < lessons.len().max(1)).then_some(Memory { lessons, oldest })
    }

    pub fn lessons(&self) -> &[Lesson] {
        &self.lessons
    }

    pub const fn oldest(&self) -> usize {
        self.oldest
    }

    /// Adds lessons, and forgets the oldest beyond `most`.
    pub fn add(&mut self, lessons: &[Lesson], most: usize) {
        for &lesson in lessons {
            if self.lessons.len() < most {
                self.lessons.push(lesson);
            } else {
                self.lessons[self.oldest] = lesson;
                self.oldest = (self.oldest + 1) % most;
            }
        }
    }

    /// So many of them, each drawn from all.
    pub fn draw(&self, count: usize, mut draws: Stream) -> Vec<Lesson> {
        let most = self.lessons.len() as u64;
        (0..count).map(|_| self.lessons[draws.below(most) as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::CELLS;
    use crate::rng::Purpose;

    fn lesson(number: i8) -> Lesson {
        Lesson { cells: [number; CELLS], target: [0.0; 5] }
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut memory = Memory::default();
        memory.add(&[1, 2, 3].map(lesson), 5);
        memory.add(&[4, 5, 6, 7].map(lesson), 5);
        let mut kept: Vec<_> = memory.lessons().iter().map(|lesson| lesson.cells[0]).collect();
        kept.rotate_left(memory.oldest());
        assert_eq!(kept, [3, 4, 5, 6, 7]);
    }

    #[test]
    fn every_lesson_is_drawn_as_often() {
        let mut memory = Memory::default();
        memory.add(&[0, 1, 2, 3].map(lesson), 4);
        let mut counts = [0; 4];
        for lesson in memory.draw(4000, Stream::new(1, Purpose::Training, 0, 0, 1)) {
            counts[lesson.cells[0] as usize] += 1;
        }
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    }
}
