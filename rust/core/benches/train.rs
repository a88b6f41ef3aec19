//! Learning from lessons on one thread, without the games that make them: `cargo bench -p gammon-core --bench train`.
//!
//! Lessons are positions before a roll in random games of seed 0, taught what another network says of them.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gammon_core::nn::{Inputs, Network, Scratch, Shape, Weights};
use gammon_core::parallel::Control;
use gammon_core::train::{Gradient, Lesson};
use gammon_core::{Position, Variant, simulate};

const LESSONS: usize = 1_000;

fn learn(c: &mut Criterion) {
    let start = Position::start(Variant::Standard);
    let positions = simulate::random_positions(&start, LESSONS, 0, &Control::default());
    let cells: Vec<_> = positions.iter().map(|position| *position.cells()).collect();
    let teacher = Network::new(Weights::random(Shape::new(64, 16).expect("a shape"), 2));
    let mut targets = Vec::new();
    teacher.evaluate(&mut Scratch::new(&teacher), &cells, &mut targets);
    let lessons: Vec<_> = cells.into_iter().zip(targets).map(|(cells, target)| Lesson { cells, target }).collect();
    let mut group = c.benchmark_group("learn");
    group.throughput(Throughput::Elements(LESSONS as u64));
    for (inputs, first, second) in [(Inputs::Raw, 128, 32), (Inputs::Contact, 256, 32), (Inputs::Contact, 512, 64)] {
        let weights = Weights::random(Shape::new(first, second).expect("a shape").with_inputs(inputs), 1);
        let mut gradient = Gradient::zero(&weights);
        let kernel = teacher.kernel();
        group.bench_function(format!("{}/{first}x{second}", inputs.name()), |b| {
            b.iter(|| {
                gradient.clear();
                gradient.learn(&weights, kernel, [100.0; 2], black_box(&lessons));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, learn);
criterion_main!(benches);
