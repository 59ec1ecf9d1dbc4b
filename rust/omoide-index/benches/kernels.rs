//! How long do the innermost loops take? `cargo bench -p omoide-index`.

use divan::{Bencher, black_box};
use half::f16;
use omoide_index::dot::{dot, dot_codes, dot_codes_scalar, dot_rows, dot_rows_scalar, dot_scalar};
use omoide_index::packing::{pack, unpack};

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
    bencher.bench_local(|| unpack(black_box(&packed), width, &mut found));
}
