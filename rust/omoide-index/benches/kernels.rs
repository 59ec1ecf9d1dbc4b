//! How long do the innermost loops take? `cargo bench -p omoide-index`.

use divan::{Bencher, black_box};
use half::f16;
use omoide_index::dot::{dot, dot_codes, dot_codes_scalar, dot_rows, dot_rows_scalar, dot_scalar};
use omoide_index::packing::{pack, unpack};
use omoide_index::vectors::{GRAPH_FROM, Vectors};

const DIMENSIONS: [usize; 2] = [384, 1_024];

fn main() {
    divan::main();
}

fn values(length: usize) -> Vec<f32> {
    (0..length)
        .map(|i| (i * 37 % 101) as f32 / 101.0 - 0.5)
        .collect()
}

fn bits(length: usize) -> Vec<u16> {
    let bits = |value: f32| f16::from_f32(value).to_bits();
    values(length).into_iter().map(bits).collect()
}

fn bytes(length: usize) -> Vec<i8> {
    (0..length).map(|i| (i * 37) as i8).collect()
}

#[divan::bench(args = DIMENSIONS, consts = [false, true])]
fn query_and_row<const SCALAR: bool>(bencher: Bencher, length: usize) {
    let (query, row) = (values(length), bits(length));
    let kernel = if SCALAR { dot_scalar } else { dot };
    bencher.bench(|| kernel(black_box(&query), black_box(&row)));
}

#[divan::bench(args = DIMENSIONS, consts = [false, true])]
fn two_rows<const SCALAR: bool>(bencher: Bencher, length: usize) {
    let (left, right) = (bits(length), bits(length));
    let kernel = if SCALAR { dot_rows_scalar } else { dot_rows };
    bencher.bench(|| kernel(black_box(&left), black_box(&right)));
}

#[divan::bench(args = DIMENSIONS, consts = [false, true])]
fn two_codes<const SCALAR: bool>(bencher: Bencher, length: usize) {
    let (left, right) = (bytes(length), bytes(length));
    let kernel = if SCALAR { dot_codes_scalar } else { dot_codes };
    bencher.bench(|| kernel(black_box(&left), black_box(&right)));
}

#[divan::bench(args = [1, 5, 11, 20])]
fn unpack_a_block(bencher: Bencher, width: u8) {
    let mut packed = Vec::new();
    pack((0..128).map(|n| n & ((1 << width) - 1)), width, &mut packed);
    let mut found = [0; 128];
    bencher.bench_local(|| unpack(black_box(&packed), width, 0, &mut found));
}

/// A different vector for each number, in all directions.
fn direction(number: u32) -> Vec<f32> {
    let mut state = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..DIMENSIONS[0]).map(|_| next()).collect()
}

fn add(vectors: &mut Vectors, number: u32) {
    let made = vec![direction(number)];
    vectors.insert(number, made).expect("as many dimensions");
    let due = vectors.next_unlinked(1);
    if !due.is_empty() {
        let plan = vectors.plan(&due, 0);
        vectors.link(plan);
    }
}

#[divan::bench]
fn one_more_vector_in_the_graph(bencher: Bencher) {
    let mut vectors = Vectors::new(DIMENSIONS[0]);
    let most = GRAPH_FROM as u32;
    (0..most).for_each(|number| add(&mut vectors, number));
    while !vectors.next_unlinked(1).is_empty() {
        let plan = vectors.plan(&vectors.next_unlinked(1), 0);
        vectors.link(plan);
    }
    let mut next = most;
    bencher.bench_local(|| {
        add(&mut vectors, next);
        next += 1;
    });
}
