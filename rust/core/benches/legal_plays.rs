//! Legal plays on fixed corpora, one thread: `cargo bench -p gammon-core`.
//!
//! A corpus is positions before a roll in random games of seed 0, by kind, each with the dice it had in its game; the
//! answer is checked before it is timed. Throughput counts (position, roll) pairs; buffers are fresh.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gammon_core::movegen::{self, View};
use gammon_core::parallel::Control;
use gammon_core::{Class, Position, Roll, Variant, batch, simulate};

const ROWS: usize = 10_000;

fn corpus(wanted: impl Fn(&Position) -> bool) -> (Vec<Position>, Vec<Roll>) {
    let start = Position::start(Variant::Standard);
    let mut rows = Vec::new();
    for game in 0.. {
        simulate::random_game(&start, 0, game, |position, roll| {
            if rows.len() < ROWS && wanted(position) {
                rows.push((*position, roll));
            }
        });
        if rows.len() == ROWS {
            break;
        }
    }
    rows.into_iter().unzip()
}

fn legal_plays(c: &mut Criterion) {
    type Wanted = fn(&Position) -> bool;
    let corpora: [(&str, Wanted); 4] = [
        ("contact", |position| position.class() == Class::Contact && position.bar() == 0),
        ("race", |position| position.class() == Class::Race),
        ("bearoff", |position| position.class() == Class::BearOff),
        ("bar", |position| position.bar() > 0),
    ];
    for (name, wanted) in corpora {
        let (positions, rolls) = corpus(wanted);
        let answers = batch::legal_positions(&positions, &rolls, View::Next, 1);
        assert_eq!(answers.values.len() as i64, batch::count_plays(&positions, &rolls, 1).iter().sum::<i64>());
        println!("{name}: {:.1} results a roll", answers.values.len() as f64 / ROWS as f64);
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(ROWS as u64));
        group.bench_function("positions, mover", |b| {
            b.iter(|| batch::legal_positions(black_box(&positions), black_box(&rolls), View::Mover, 1));
        });
        group.bench_function("positions, next", |b| {
            b.iter(|| batch::legal_positions(black_box(&positions), black_box(&rolls), View::Next, 1));
        });
        group.bench_function("positions, reused buffer", |b| {
            let mut cells = Vec::new();
            b.iter(|| {
                for (position, &roll) in positions.iter().zip(&rolls) {
                    cells.clear();
                    movegen::results(black_box(position), black_box(roll), View::Mover, &mut cells);
                    black_box(&cells);
                }
            });
        });
        group.bench_function("plays", |b| {
            b.iter(|| batch::legal_plays(black_box(&positions), black_box(&rolls), View::Mover, 1));
        });
        group.bench_function("count", |b| {
            b.iter(|| batch::count_plays(black_box(&positions), black_box(&rolls), 1));
        });
        group.finish();
    }
}

fn random_games(c: &mut Criterion) {
    let start = Position::start(Variant::Standard);
    let mut group = c.benchmark_group("random games");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("1 thread", |b| b.iter(|| simulate::random_games(&start, 1000, 0, 1, &Control::default())));
    group.finish();
}

criterion_group!(benches, legal_plays, random_games);
criterion_main!(benches);
