//! Networks with random weights on one thread: `cargo bench -p gammon-core --bench evaluate`.
//!
//! Speed depends on the shape alone. The corpus is positions before a roll in random games of seed 0, each with the dice
//! it had. Incremental counts the candidates of each roll; full takes the positions as if they had nothing in common; a
//! choice of play is legal plays, their evaluation and the best of them.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gammon_core::eval::{Chooser, Objective};
use gammon_core::movegen::View;
use gammon_core::nn::{Inputs, Network, Scratch, Shape, Weights, contact};
use gammon_core::{Position, Roll, Variant, batch, simulate};

const ROWS: usize = 1_000;

fn evaluate(c: &mut Criterion) {
    let start = Position::start(Variant::Standard);
    let mut rows = Vec::new();
    for game in 0.. {
        simulate::random_game(&start, 0, game, |position, roll| rows.push((*position, roll)));
        if rows.len() >= ROWS {
            break;
        }
    }
    rows.truncate(ROWS);
    let (positions, rolls): (Vec<Position>, Vec<Roll>) = rows.into_iter().unzip();
    let candidates = batch::legal_positions(&positions, &rolls, View::Next, 1);
    println!("{:.1} candidates a roll", candidates.values.len() as f64 / ROWS as f64);
    let cells: Vec<_> = positions.iter().map(|position| *position.cells()).collect();
    let mut group = c.benchmark_group("contact");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("values", |b| {
        b.iter(|| {
            for cells in black_box(&cells) {
                black_box(contact::values(cells));
            }
        });
    });
    group.finish();
    let shapes = [(64, 16), (128, 32), (256, 64), (512, 128)];
    for ((first, second), inputs) in shapes.into_iter().flat_map(|shape| Inputs::ALL.map(|inputs| (shape, inputs))) {
        let shape = Shape::new(first, second).unwrap().with_inputs(inputs);
        let network = Network::new(Weights::random(shape, 1));
        let mut scratch = Scratch::new(&network);
        let mut outputs = Vec::new();
        let mut group = c.benchmark_group(format!("{} {first}x{second} {:?}", inputs.name(), network.kernel()));
        group.throughput(Throughput::Elements(candidates.values.len() as u64));
        group.bench_function("incremental", |b| {
            b.iter(|| {
                outputs.clear();
                for (row, position) in positions.iter().enumerate() {
                    let range = candidates.offsets[row] as usize..candidates.offsets[row + 1] as usize;
                    let near = position.flip();
                    network.evaluate_near(&mut scratch, near.cells(), &candidates.values[range], &mut outputs);
                }
                black_box(&outputs);
            });
        });
        group.throughput(Throughput::Elements(ROWS as u64));
        group.bench_function("full", |b| {
            b.iter(|| {
                outputs.clear();
                network.evaluate(&mut scratch, black_box(&cells), &mut outputs);
                black_box(&outputs);
            });
        });
        group.bench_function("choices of play", |b| {
            let mut chooser = Chooser::new(&network);
            b.iter(|| {
                for (position, &roll) in positions.iter().zip(&rolls) {
                    black_box(chooser.best(black_box(position), roll, Objective::Points));
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, evaluate);
criterion_main!(benches);
