use std::path::PathBuf;

use super::*;
use crate::dice::Roll;
use crate::files::FileError;
use crate::parallel::Control;

fn build(points: usize, checkers: usize, threads: usize) -> OneSided {
    OneSided::build(Index::new(points, checkers).unwrap(), threads, &Control::default()).unwrap()
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("gammon-one-sided-{name}-{}", std::process::id()))
}

/// The mean by plain recursion over numerators of 36^k: exact in i128 for few rolls.
#[test]
fn exact_fractions_of_small_tables() {
    let table = build(3, 3, 1);
    let index = table.index();
    // numerators[k] / 36^k, and the mean as a fraction of 36^LAST.
    const LAST: u32 = 8;
    let mut exact: Vec<Vec<u128>> = vec![vec![1]];
    let mean = |numerators: &[u128]| -> u128 {
        (0..).zip(numerators).map(|(k, &n)| u128::from(k) * n * 36u128.pow(LAST - k)).sum()
    };
    for rank in 1..index.len() {
        let mut sum = vec![0u128; 1];
        for roll in Roll::ALL {
            let best = index.plays(rank, roll).into_iter().min_by_key(|&play| mean(&exact[play])).unwrap();
            sum.resize(sum.len().max(exact[best].len() + 1), 0);
            for (k, &n) in exact[best].iter().enumerate() {
                sum[k + 1] += u128::from(roll.weight()) * n;
            }
        }
        exact.push(sum);
    }
    for (rank, numerators) in exact.iter().enumerate() {
        let distribution = table.distribution(rank);
        for (k, &n) in (0u32..).zip(numerators) {
            let p = n as f64 / 36f64.powi(k as i32);
            let seen = distribution.iter().find(|&(rolls, _)| rolls == k as usize).map_or(0.0, |(_, p)| p);
            assert!((seen - p).abs() < 1e-14, "{rank} {k}: {seen} {p}");
        }
    }
}

#[test]
fn distributions_are_whole_and_more_off_is_never_worse() {
    let table = build(6, 8, 2);
    let index = table.index();
    for rank in 0..index.len() {
        let distribution = table.distribution(rank);
        assert!((distribution.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-13);
        let first_off = table.first_off(rank).unwrap();
        assert!((first_off.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-13);
        assert!(first_off.mean() <= distribution.mean() + 1e-12);
        let counts = index.unrank(rank);
        for point in 0..index.points() {
            if counts[point] > 0 {
                let mut fewer = counts;
                fewer[point] -= 1;
                let off = table.distribution(index.rank(&fewer).unwrap());
                assert!(off.mean() <= distribution.mean(), "{counts:?}");
            }
        }
    }
}

#[test]
fn the_same_for_any_number_of_threads() {
    let one = build(5, 6, 1);
    assert_eq!(build(5, 6, 2), one);
    assert_eq!(build(5, 6, 8), one);
}

/// Against the sum over all pairs of numbers of rolls.
#[test]
fn race_chances_by_pairs() {
    let table = build(6, 5, 2);
    let index = table.index();
    for (player, opponent) in [(17, 40), (461, 461), (300, 461), (461, 12), (1, 1)] {
        let (own, theirs) = (table.distribution(player), table.distribution(opponent));
        let (own_first, first) = (table.first_off(player).unwrap(), table.first_off(opponent).unwrap());
        let pairs = |a: Distribution<'_>, b: Distribution<'_>, wins: &dyn Fn(usize, usize) -> bool| -> f64 {
            let terms = a.iter().flat_map(|(i, p)| b.iter().map(move |(j, q)| (i, j, p * q)));
            terms.filter(|&(i, j, _)| wins(i, j)).map(|(_, _, p)| p).sum()
        };
        let chances = table.race_chances(player, opponent).unwrap();
        assert!((chances.win - pairs(own, theirs, &|i, j| i <= j)).abs() < 1e-14);
        assert!((chances.win_gammon - pairs(own, first, &|i, j| i <= j)).abs() < 1e-14);
        assert!((chances.lose_gammon - pairs(theirs, own_first, &|j, i| j < i)).abs() < 1e-14);
        assert!(index.len() > player.max(opponent));
    }
}

#[test]
fn too_large_is_refused_before_anything_is_allocated() {
    let index = Index::new(18, 15).unwrap();
    let error = OneSided::build(index, 1, &Control::default()).unwrap_err();
    assert!(matches!(error, BuildError::TooLarge { positions: 1_037_158_320, bytes } if bytes > 1 << 34), "{error}");
    assert!(Index::new(13, 15).unwrap().len() <= MOST_POSITIONS);
}

#[test]
fn cancelled() {
    let control = Control::default();
    control.cancel();
    assert_eq!(OneSided::build(Index::new(6, 6).unwrap(), 2, &control), Err(BuildError::Cancelled));
}

#[test]
fn files() {
    let path = temporary("file");
    let table = build(4, 4, 1);
    table.save(&path, Precision::Float32).unwrap();
    let single = OneSided::open(&path).unwrap();
    for rank in 0..table.index().len() {
        let (a, b) = (table.distribution(rank), single.distribution(rank));
        assert_eq!(a.first, b.first);
        assert!(a.iter().zip(b.iter()).all(|((_, p), (_, q))| (p - q).abs() <= 6e-8 * p));
    }
    table.save(&path, Precision::Float64).unwrap();
    assert_eq!(OneSided::open(&path).unwrap(), table);
    let bytes = std::fs::read(&path).unwrap();
    for byte in (0..bytes.len()).step_by(37).chain(0..200) {
        let mut bad = bytes.clone();
        bad[byte] ^= 4;
        std::fs::write(&path, bad).unwrap();
        let seen = OneSided::open(&path);
        assert!(matches!(seen, Err(FileError::Damaged(_) | FileError::Foreign(_))), "byte {byte}");
    }
    for len in [0, 5, 63, 64, 200, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..len]).unwrap();
        assert!(OneSided::open(&path).is_err(), "{len}");
    }
    std::fs::remove_file(&path).unwrap();
}
