//! Hypergammon solved: the exact value of every position of up to three checkers a side, contact included.

mod plays;
mod sides;
mod solve;

pub use sides::MOST_CHECKERS;
pub use solve::{SolveError, Values};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Control;
    #[test]
    #[ignore]
    fn timing() {
        for n in 1..=3 {
            let t = std::time::Instant::now();
            let s = solve::solve(n, 1e-9, 2, &Control::default());
            match s {
                Ok(s) => {
                    let sides = sides::Sides::new(n);
                    let i = sides.index([24, if n > 1 { 23 } else { 0 }, if n > 2 { 22 } else { 0 }]);
                    println!("{n}: {:?} sweeps {} bound {:e}", t.elapsed(), s.sweeps, s.error_bound);
                    println!("{:?}", Values::from_array(s.values[i * sides.len() + i]));
                }
                Err(e) => println!("{n} {e:?} {:?}", t.elapsed()),
            }
        }
    }
}
