//! Inner products: of an f32 query and an f16 row, of two f16 rows, of two rows of bytes.
//!
//! The fastest kernels that the processor supports are chosen once, at run time; they sum in another order than the scalar
//! code, so results agree up to rounding, not to the bit. If a product is not a number, neither is the sum, in every kernel.

use half::f16;
use std::sync::LazyLock;

/// One kernel each for (f32, f16), (f16, f16) and (i8, i8).
#[derive(Clone, Copy)]
struct Kernels {
    query: fn(&[f32], &[u16]) -> f32,
    rows: fn(&[u16], &[u16]) -> f32,
    codes: fn(&[i8], &[i8]) -> i32,
}

const SCALAR: Kernels = Kernels {
    query: dot_scalar,
    rows: dot_rows_scalar,
    codes: dot_codes_scalar,
};

static KERNELS: LazyLock<Kernels> = LazyLock::new(|| available()[0]);

/// Inner product; `row` holds the bits of f16 values. Lengths must agree.
pub fn dot(query: &[f32], row: &[u16]) -> f32 {
    debug_assert_eq!(query.len(), row.len());
    (KERNELS.query)(query, row)
}

/// Inner product of two rows of f16 bits. Lengths must agree.
pub fn dot_rows(left: &[u16], right: &[u16]) -> f32 {
    debug_assert_eq!(left.len(), right.len());
    (KERNELS.rows)(left, right)
}

/// Inner product of two rows of bytes. Lengths must agree.
pub fn dot_codes(left: &[i8], right: &[i8]) -> i32 {
    debug_assert_eq!(left.len(), right.len());
    (KERNELS.codes)(left, right)
}

/// The reference for two rows of bytes.
pub fn dot_codes_scalar(left: &[i8], right: &[i8]) -> i32 {
    let product = |(&a, &b): (&i8, &i8)| i32::from(a) * i32::from(b);
    left.iter().zip(right).map(product).sum()
}

/// The reference for two rows.
pub fn dot_rows_scalar(left: &[u16], right: &[u16]) -> f32 {
    let product = |(&a, &b): (&u16, &u16)| f16::from_bits(a).to_f32() * f16::from_bits(b).to_f32();
    left.iter().zip(right).map(product).sum()
}

/// The reference: one product at a time.
pub fn dot_scalar(query: &[f32], row: &[u16]) -> f32 {
    query
        .iter()
        .zip(row)
        .map(|(q, &bits)| q * f16::from_bits(bits).to_f32())
        .sum()
}

/// The kernels that this machine can run, the fastest first.
fn available() -> Vec<Kernels> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
            found.push(x86::WIDE_KERNELS);
        }
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
        {
            found.push(x86::KERNELS);
        }
    }
    found.push(SCALAR);
    found
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256, __m256i, __m512, _mm256_add_epi32, _mm256_add_ps, _mm256_cvtepi8_epi16,
        _mm256_cvtph_ps, _mm256_fmadd_ps, _mm256_madd_epi16, _mm256_setzero_ps,
        _mm256_setzero_si256, _mm512_add_epi32, _mm512_add_ps, _mm512_cvtepi8_epi16,
        _mm512_cvtph_ps, _mm512_fmadd_ps, _mm512_madd_epi16, _mm512_reduce_add_epi32,
        _mm512_reduce_add_ps, _mm512_setzero_ps, _mm512_setzero_si512,
    };

    /// For machines with avx512f and avx512bw.
    pub const WIDE_KERNELS: super::Kernels = super::Kernels {
        query: dot_wide,
        rows: dot_rows_wide,
        codes: dot_codes_wide,
    };

    /// For machines with avx2, fma and f16c.
    pub const KERNELS: super::Kernels = super::Kernels {
        query: dot,
        rows: dot_rows,
        codes: dot_codes,
    };

    const LANES: usize = 8;
    const WIDE: usize = 16;

    fn dot_codes_wide(left: &[i8], right: &[i8]) -> i32 {
        // SAFETY: `available` saw avx512bw on this machine.
        unsafe { dot_codes_avx512(left, right) }
    }

    fn dot_codes(left: &[i8], right: &[i8]) -> i32 {
        // SAFETY: `available` saw avx2 on this machine.
        unsafe { dot_codes_avx2(left, right) }
    }

    #[target_feature(enable = "avx512bw")]
    fn dot_codes_avx512(left: &[i8], right: &[i8]) -> i32 {
        let mut total = _mm512_setzero_si512();
        let (lefts, left_rest) = left.as_chunks::<{ 2 * WIDE }>();
        let (rights, right_rest) = right.as_chunks::<{ 2 * WIDE }>();
        for (&l, &r) in lefts.iter().zip(rights) {
            let (l, r) = (bytemuck::cast(l), bytemuck::cast(r));
            let products = _mm512_madd_epi16(_mm512_cvtepi8_epi16(l), _mm512_cvtepi8_epi16(r));
            total = _mm512_add_epi32(total, products);
        }
        _mm512_reduce_add_epi32(total) + super::dot_codes_scalar(left_rest, right_rest)
    }

    #[target_feature(enable = "avx2")]
    fn dot_codes_avx2(left: &[i8], right: &[i8]) -> i32 {
        let mut total = _mm256_setzero_si256();
        let (lefts, left_rest) = left.as_chunks::<WIDE>();
        let (rights, right_rest) = right.as_chunks::<WIDE>();
        for (&l, &r) in lefts.iter().zip(rights) {
            let (l, r) = (bytemuck::cast(l), bytemuck::cast(r));
            let products = _mm256_madd_epi16(_mm256_cvtepi8_epi16(l), _mm256_cvtepi8_epi16(r));
            total = _mm256_add_epi32(total, products);
        }
        let lanes: [i32; LANES] = bytemuck::cast(total);
        lanes.iter().sum::<i32>() + super::dot_codes_scalar(left_rest, right_rest)
    }

    fn dot_wide(query: &[f32], row: &[u16]) -> f32 {
        // SAFETY: `available` saw avx512f on this machine.
        unsafe { dot_avx512(query, row) }
    }

    fn dot_rows_wide(left: &[u16], right: &[u16]) -> f32 {
        // SAFETY: `available` saw avx512f on this machine.
        unsafe { dot_rows_avx512(left, right) }
    }

    #[target_feature(enable = "avx512f")]
    fn dot_avx512(query: &[f32], row: &[u16]) -> f32 {
        let (mut even, mut odd) = (_mm512_setzero_ps(), _mm512_setzero_ps());
        let (queries, query_rest) = query.as_chunks::<{ 2 * WIDE }>();
        let (rows, row_rest) = row.as_chunks::<{ 2 * WIDE }>();
        for (&q, &r) in queries.iter().zip(rows) {
            let (q, r): ([__m512; 2], [__m256i; 2]) = (bytemuck::cast(q), bytemuck::cast(r));
            even = _mm512_fmadd_ps(q[0], _mm512_cvtph_ps(r[0]), even);
            odd = _mm512_fmadd_ps(q[1], _mm512_cvtph_ps(r[1]), odd);
        }
        _mm512_reduce_add_ps(_mm512_add_ps(even, odd)) + super::dot_scalar(query_rest, row_rest)
    }

    #[target_feature(enable = "avx512f")]
    fn dot_rows_avx512(left: &[u16], right: &[u16]) -> f32 {
        let (mut even, mut odd) = (_mm512_setzero_ps(), _mm512_setzero_ps());
        let (lefts, left_rest) = left.as_chunks::<{ 2 * WIDE }>();
        let (rights, right_rest) = right.as_chunks::<{ 2 * WIDE }>();
        for (&l, &r) in lefts.iter().zip(rights) {
            let (l, r): ([__m256i; 2], [__m256i; 2]) = (bytemuck::cast(l), bytemuck::cast(r));
            even = _mm512_fmadd_ps(_mm512_cvtph_ps(l[0]), _mm512_cvtph_ps(r[0]), even);
            odd = _mm512_fmadd_ps(_mm512_cvtph_ps(l[1]), _mm512_cvtph_ps(r[1]), odd);
        }
        _mm512_reduce_add_ps(_mm512_add_ps(even, odd))
            + super::dot_rows_scalar(left_rest, right_rest)
    }

    fn dot(query: &[f32], row: &[u16]) -> f32 {
        // SAFETY: `available` saw avx2, fma and f16c on this machine.
        unsafe { dot_avx2(query, row) }
    }

    fn dot_rows(left: &[u16], right: &[u16]) -> f32 {
        // SAFETY: `available` saw avx2, fma and f16c on this machine.
        unsafe { dot_rows_avx2(left, right) }
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    fn dot_rows_avx2(left: &[u16], right: &[u16]) -> f32 {
        let (mut even, mut odd) = (_mm256_setzero_ps(), _mm256_setzero_ps());
        let (lefts, left_rest) = left.as_chunks::<{ 2 * LANES }>();
        let (rights, right_rest) = right.as_chunks::<{ 2 * LANES }>();
        for (&l, &r) in lefts.iter().zip(rights) {
            let (l, r): ([__m128i; 2], [__m128i; 2]) = (bytemuck::cast(l), bytemuck::cast(r));
            even = _mm256_fmadd_ps(_mm256_cvtph_ps(l[0]), _mm256_cvtph_ps(r[0]), even);
            odd = _mm256_fmadd_ps(_mm256_cvtph_ps(l[1]), _mm256_cvtph_ps(r[1]), odd);
        }
        sum(_mm256_add_ps(even, odd)) + super::dot_rows_scalar(left_rest, right_rest)
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    fn dot_avx2(query: &[f32], row: &[u16]) -> f32 {
        let (mut even, mut odd) = (_mm256_setzero_ps(), _mm256_setzero_ps());
        let (queries, query_rest) = query.as_chunks::<{ 2 * LANES }>();
        let (rows, row_rest) = row.as_chunks::<{ 2 * LANES }>();
        for (&q, &r) in queries.iter().zip(rows) {
            let (q, r): ([__m256; 2], [__m128i; 2]) = (bytemuck::cast(q), bytemuck::cast(r));
            even = _mm256_fmadd_ps(q[0], _mm256_cvtph_ps(r[0]), even);
            odd = _mm256_fmadd_ps(q[1], _mm256_cvtph_ps(r[1]), odd);
        }
        sum(_mm256_add_ps(even, odd)) + super::dot_scalar(query_rest, row_rest)
    }

    fn sum(lanes: __m256) -> f32 {
        bytemuck::cast::<_, [f32; LANES]>(lanes).iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(length: usize, step: usize, modulus: usize) -> Vec<f32> {
        let half = modulus as f32 / 2.0;
        (0..length)
            .map(|i| ((i * step % modulus) as f32 - half) / half)
            .collect()
    }

    fn bits(values: &[f32]) -> Vec<u16> {
        values
            .iter()
            .map(|&value| f16::from_f32(value).to_bits())
            .collect()
    }

    /// Every length around the widths of all loops, and some usual ones.
    fn lengths() -> impl Iterator<Item = usize> {
        (0..=130).chain([384, 1_024, 1_027])
    }

    /// The same values at every alignment: after `shift` others.
    fn shifted<T: Copy + Default>(values: &[T], shift: usize) -> Vec<T> {
        [&vec![T::default(); shift][..], values].concat()
    }

    #[test]
    fn every_kernel_for_bytes_is_the_scalar_one() {
        for kernels in available() {
            for length in lengths() {
                let bytes =
                    |step: usize| -> Vec<i8> { (0..length).map(|i| (i * step) as i8).collect() };
                let (left, right) = (bytes(37), bytes(101));
                let wanted = dot_codes_scalar(&left, &right);
                for shift in 0..4 {
                    let (left, right) = (shifted(&left, shift), shifted(&right, 3 - shift));
                    let found = (kernels.codes)(&left[shift..], &right[3 - shift..]);
                    assert_eq!(found, wanted, "{length}, {shift}");
                }
            }
            let least = [i8::MIN; 64];
            assert_eq!((kernels.codes)(&least, &least), 64 * 128 * 128);
        }
    }

    #[test]
    fn every_kernel_agrees_with_the_scalar_one() {
        for kernels in available() {
            for length in lengths() {
                let (query, row) = (values(length, 37, 101), bits(&values(length, 53, 97)));
                let left = bits(&query);
                for shift in 0..4 {
                    let (queries, rows) = (shifted(&query, shift), shifted(&row, 3 - shift));
                    let lefts = shifted(&left, shift);
                    let rows = &rows[3 - shift..];
                    for (fast, slow) in [
                        (
                            (kernels.query)(&queries[shift..], rows),
                            dot_scalar(&query, &row),
                        ),
                        (
                            (kernels.rows)(&lefts[shift..], rows),
                            dot_rows_scalar(&left, &row),
                        ),
                    ] {
                        assert!(
                            (fast - slow).abs() <= 1e-3 * slow.abs().max(1.0),
                            "{length}, {shift}: {fast} {slow}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn nan_at_any_position_gives_nan() {
        for kernels in available() {
            for place in 0..67 {
                let (mut query, row) = (values(67, 37, 101), bits(&values(67, 53, 97)));
                query[place] = f32::NAN;
                assert!((kernels.query)(&query, &row).is_nan(), "{place}");
                assert!((kernels.rows)(&bits(&query), &row).is_nan(), "{place}");
            }
            let (zeros, endless) = (vec![0.0; 67], vec![f16::INFINITY.to_bits(); 67]);
            assert!((kernels.query)(&zeros, &endless).is_nan());
        }
    }

    #[test]
    fn numbers_too_small_for_a_leading_one_count_on_every_kernel() {
        let row = vec![f16::MIN_POSITIVE_SUBNORMAL.to_bits(); 67];
        let query = vec![1.0; 67];
        for kernels in available() {
            let wanted = 67.0 * f16::MIN_POSITIVE_SUBNORMAL.to_f32();
            assert!(((kernels.query)(&query, &row) - wanted).abs() < wanted * 1e-5);
        }
    }
}
