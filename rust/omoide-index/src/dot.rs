//! The inner product of an f32 query and an f16 row: the kernel of the exact scan.
//!
//! The fast path is chosen once, at run time; it sums in another order than the scalar one, so results agree to
//! rounding, not to the bit.

use half::f16;
use std::sync::LazyLock;

type Kernel = fn(&[f32], &[u16]) -> f32;

static KERNEL: LazyLock<Kernel> = LazyLock::new(choose);

/// Inner product; `row` holds the bits of f16 values. Lengths must agree.
pub fn dot(query: &[f32], row: &[u16]) -> f32 {
    debug_assert_eq!(query.len(), row.len());
    KERNEL(query, row)
}

/// The reference: one product at a time.
pub fn dot_scalar(query: &[f32], row: &[u16]) -> f32 {
    query
        .iter()
        .zip(row)
        .map(|(q, &bits)| q * f16::from_bits(bits).to_f32())
        .sum()
}

fn choose() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
    {
        return x86::dot;
    }
    dot_scalar
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256, _mm_loadu_si128, _mm256_add_ps, _mm256_cvtph_ps, _mm256_fmadd_ps,
        _mm256_loadu_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    };

    const LANES: usize = 8;

    /// Only handed out by `choose`, after the features were detected.
    pub fn dot(query: &[f32], row: &[u16]) -> f32 {
        // SAFETY: `choose` saw avx2, fma and f16c on this machine.
        unsafe { dot_avx2(query, row) }
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    fn dot_avx2(query: &[f32], row: &[u16]) -> f32 {
        let (mut even, mut odd) = (_mm256_setzero_ps(), _mm256_setzero_ps());
        let mut queries = query.chunks_exact(2 * LANES);
        let mut rows = row.chunks_exact(2 * LANES);
        for (q, r) in queries.by_ref().zip(rows.by_ref()) {
            even = step(even, &q[..LANES], &r[..LANES]);
            odd = step(odd, &q[LANES..], &r[LANES..]);
        }
        sum(_mm256_add_ps(even, odd)) + super::dot_scalar(queries.remainder(), rows.remainder())
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[expect(clippy::cast_ptr_alignment, reason = "the load takes any alignment")]
    fn step(total: __m256, query: &[f32], row: &[u16]) -> __m256 {
        assert!(query.len() == LANES && row.len() == LANES);
        // SAFETY: both slices hold LANES values; the loads are unaligned ones.
        let (q, r) = unsafe {
            (
                _mm256_loadu_ps(query.as_ptr()),
                _mm_loadu_si128(row.as_ptr().cast::<__m128i>()),
            )
        };
        _mm256_fmadd_ps(q, _mm256_cvtph_ps(r), total)
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    fn sum(lanes: __m256) -> f32 {
        let mut values = [0.0_f32; LANES];
        // SAFETY: `values` has room for the eight lanes.
        unsafe { _mm256_storeu_ps(values.as_mut_ptr(), lanes) };
        values.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_kernel_agrees_with_the_scalar_one() {
        for length in [0, 1, 7, 8, 15, 16, 17, 384, 1024, 1027] {
            let query: Vec<f32> = (0..length)
                .map(|i| ((i * 37 % 101) as f32 - 50.0) / 50.0)
                .collect();
            let row: Vec<u16> = (0..length)
                .map(|i| f16::from_f32(((i * 53 % 97) as f32 - 48.0) / 48.0).to_bits())
                .collect();
            let (fast, slow) = (dot(&query, &row), dot_scalar(&query, &row));
            assert!(
                (fast - slow).abs() <= 1e-3 * slow.abs().max(1.0),
                "{length}: {fast} {slow}"
            );
        }
    }
}
