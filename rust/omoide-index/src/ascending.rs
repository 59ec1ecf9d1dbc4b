//! How many of some ascending numbers are below another? With SIMD.
//!
//! The last numbers of all runs are compared at once, then all of one run. In a binary search each step would wait for the
//! one before.
//!
//! The fastest code that the processor supports is chosen once, at run time, and agrees with the portable code.

use std::sync::LazyLock;

/// Numbers in a run.
pub const RUN: usize = 16;
/// Number of runs.
pub const RUNS: usize = 8;

type Below = fn(&[u32; RUNS], &[[u32; RUN]; RUNS], u32) -> usize;

static BELOW: LazyLock<Below> = LazyLock::new(|| available()[0]);

/// How many numbers of all runs are below `number`; `lasts` holds the last number of each run, side by side.
#[inline]
pub fn count_below(lasts: &[u32; RUNS], runs: &[[u32; RUN]; RUNS], number: u32) -> usize {
    BELOW(lasts, runs, number)
}

/// The implementations that this machine can run, the fastest first.
fn available() -> Vec<Below> {
    let mut found: Vec<Below> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        found.push(x86::count_below);
    }
    found.push(count_below_plain);
    found
}

fn count_below_plain(lasts: &[u32; RUNS], runs: &[[u32; RUN]; RUNS], number: u32) -> usize {
    let below = |numbers: &[u32]| numbers.iter().filter(|&&each| each < number).count();
    let whole = below(lasts);
    RUN * whole + runs.get(whole).map_or(0, |run| below(run))
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{RUN, RUNS};
    use std::arch::x86_64::{
        __m256i, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_max_epu32, _mm256_movemask_ps,
        _mm256_set1_epi32,
    };

    const LANES: usize = 8;

    pub fn count_below(lasts: &[u32; RUNS], runs: &[[u32; RUN]; RUNS], number: u32) -> usize {
        // SAFETY: `available` saw avx2 on this machine.
        unsafe { below_avx2(lasts, runs, number) }
    }

    #[target_feature(enable = "avx2")]
    fn below_avx2(lasts: &[u32; RUNS], runs: &[[u32; RUN]; RUNS], number: u32) -> usize {
        let number = _mm256_set1_epi32(number as i32);
        let whole = reaching(*lasts, number).trailing_zeros() as usize;
        let Some(run) = runs.get(whole) else {
            return RUN * RUNS;
        };
        let [first, second] = bytemuck::cast::<_, [[u32; LANES]; 2]>(*run);
        let reaching = reaching(first, number) | reaching(second, number) << LANES;
        RUN * whole + reaching.trailing_zeros() as usize
    }

    /// Which numbers are at least `number`, a bit each, the lowest for the first.
    #[target_feature(enable = "avx2")]
    fn reaching(numbers: [u32; LANES], number: __m256i) -> u32 {
        let numbers = bytemuck::cast(numbers);
        let reaching = _mm256_cmpeq_epi32(_mm256_max_epu32(numbers, number), numbers);
        _mm256_movemask_ps(_mm256_castsi256_ps(reaching)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::array::from_fn;

    #[test]
    fn every_kernel_counts_what_is_below_any_number() {
        for (step, from) in [(1, 0), (3, 5), (1 << 24, 0), (1 << 24, (1 << 31) + 77)] {
            let runs: [[u32; RUN]; RUNS] =
                from_fn(|run| from_fn(|at| ((run * RUN + at) as u32 * step).saturating_add(from)));
            let lasts = from_fn(|run| runs[run][RUN - 1]);
            let all = runs.as_flattened();
            let around = all
                .iter()
                .flat_map(|&each| [each.saturating_sub(1), each, each.saturating_add(1)]);
            for number in around.chain([0, u32::MAX]) {
                let wanted = all.iter().filter(|&&each| each < number).count();
                for below in available() {
                    assert_eq!(below(&lasts, &runs, number), wanted, "{step} {number}");
                }
            }
        }
    }
}
