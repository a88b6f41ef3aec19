//! Work in numbered chunks on scoped threads: progress, cancelling, and results that do not depend on the threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// What a long computation shares with whoever waits for it.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
}

impl Control {
    /// Asks the work to stop soon; what is finished stays.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Units of work finished so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Reports finished units.
    pub fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }
}

/// How many threads to use: those asked for, or one for each core.
pub fn threads_or_all(threads: Option<usize>) -> usize {
    threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// Hands the chunks 0 to `chunks` - 1 out to `threads` threads, lowest first, and returns what each thread gathered.
///
/// Which thread gets which chunk is a matter of luck, so a caller must put the parts together in a way that does not
/// depend on it: by exact sums, or by chunk number. A cancelled run has left out the chunks that were not started.
pub fn gather<T: Default + Send>(
    chunks: u64,
    threads: usize,
    control: &Control,
    work: impl Fn(&mut T, u64) + Sync,
) -> Vec<T> {
    let next = AtomicU64::new(0);
    let worker = || {
        let mut gathered = T::default();
        while !control.is_cancelled() {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                break;
            }
            work(&mut gathered, chunk);
        }
        gathered
    };
    let threads = (threads as u64).min(chunks).max(1);
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut all = vec![worker()];
        all.extend(others.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic))));
        all
    })
}

/// The answers of `work` for every chunk, in chunk order; a cancelled run has gaps.
pub fn map_chunks<T: Send>(
    chunks: u64,
    threads: usize,
    control: &Control,
    work: impl Fn(u64) -> T + Sync,
) -> Vec<(u64, T)> {
    let parts = gather(chunks, threads, control, |answers: &mut Vec<(u64, T)>, chunk| {
        answers.push((chunk, work(chunk)));
    });
    let mut answers: Vec<_> = parts.into_iter().flatten().collect();
    answers.sort_unstable_by_key(|answer| answer.0);
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_in_order_for_any_number_of_threads() {
        for threads in [1, 2, 8] {
            let answers = map_chunks(100, threads, &Control::default(), |chunk| chunk * chunk);
            assert_eq!(answers, (0..100).map(|chunk| (chunk, chunk * chunk)).collect::<Vec<_>>());
        }
        assert!(map_chunks(0, 4, &Control::default(), |chunk| chunk).is_empty());
    }

    #[test]
    fn cancelling_keeps_what_is_finished() {
        let control = Control::default();
        let answers = map_chunks(10, 1, &control, |chunk| {
            if chunk == 3 {
                control.cancel();
            }
            chunk
        });
        assert_eq!(answers.len(), 4);
    }
}
