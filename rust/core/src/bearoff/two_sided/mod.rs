//! Two-sided databases: the exact equity of every pair of positions of both sides, with and without the cube.

mod build;
mod kernel;
mod layout;

use std::io;

pub use kernel::Isa;

/// Which numbers a table holds for each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Values {
    /// The cubeless equity.
    Cubeless,
    /// Also with the cube: owned and centred (both without doubling this turn), and owned by the opponent.
    Money,
    /// Also with the cube centred where gammons count only once it is turned (rule 7.6).
    MoneyJacoby,
}

impl Values {
    const JACOBY: usize = 4;

    /// How many they are.
    pub const fn count(self) -> usize {
        match self {
            Values::Cubeless => 1,
            Values::Money => 4,
            Values::MoneyJacoby => 5,
        }
    }
}

/// Why a table cannot be built, opened or asked.
#[derive(Debug)]
pub enum TwoSidedError {
    /// The system gives no memory.
    Memory(io::Error),
    /// Stopped on request.
    Cancelled,
}

#[cfg(test)]
mod tests {
    use super::layout::Layout;
    use super::*;
    use crate::bearoff::Index;
    use crate::parallel::Control;

    #[test]
    #[ignore]
    fn time() {
        let c: usize = std::env::var("C").unwrap().parse().unwrap();
        let values = if std::env::var("V").unwrap() == "1" { Values::Cubeless } else { Values::Money };
        let t = std::time::Instant::now();
        let index = Index::new(6, c).unwrap();
        let layout = Layout::new(index, index, values.count());
        println!(
            "layout {:?} {} lines window {} MB",
            t.elapsed(),
            layout.lines(),
            layout.window_lines() * 64 / 1_000_000
        );
        let control = Control::default();
        let threads = std::env::var("T").map_or(2, |t| t.parse().unwrap());
        let isa = match std::env::var("I").as_deref() {
            Ok("0") => Isa::Portable,
            Ok("1") => Isa::Avx2,
            _ => Isa::best(),
        };
        let means = build::Means { threads, isa, control: &control };
        let mut x = 0;
        if std::env::var("F").is_ok() {
            build::solve::<f64>(&layout, values, means, 0, build::Window::new(&layout), |_, layer| {
                x += layer.lines().len();
                Ok(())
            })
            .unwrap();
        } else {
            build::solve::<i16>(&layout, values, means, 0, build::Window::new(&layout), |_, layer| {
                x += layer.lines().len();
                Ok(())
            })
            .unwrap();
        }
        println!("{:?} {isa:?} {:?} {x}", values, t.elapsed());
    }
}
