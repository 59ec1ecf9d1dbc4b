//! Sums in the order of numpy, so that results agree with the reference to the bit.

/// Added to a norm before division.
const TINY: f32 = 1e-32;
/// Longer stretches are halved.
const BLOCK: usize = 128;
const LANES: usize = 8;

/// Scale to length 1; the zero vector stays.
pub fn normalise(vector: &mut [f32]) {
    let squares: Vec<f32> = vector.iter().map(|value| value * value).collect();
    let norm = pairwise(&squares).sqrt() + TINY;
    vector.iter_mut().for_each(|value| *value /= norm);
}

/// Pairwise summation: eight running sums in a block, longer stretches halved at a multiple of eight.
fn pairwise(values: &[f32]) -> f32 {
    if values.len() < LANES {
        return values.iter().sum();
    }
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (left, right) = values.split_at(half - half % LANES);
        return pairwise(left) + pairwise(right);
    }
    let mut chunks = values.chunks_exact(LANES);
    let mut r = [0.0_f32; LANES];
    if let Some(first) = chunks.next() {
        r.copy_from_slice(first);
    }
    for chunk in chunks.by_ref() {
        r.iter_mut()
            .zip(chunk)
            .for_each(|(sum, value)| *sum += value);
    }
    let whole = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    chunks
        .remainder()
        .iter()
        .fold(whole, |sum, value| sum + value)
}

/// Round to 32 bits towards zero, and set the last bit if something was lost ("round to odd"): rounding the result to 16 bits
/// then gives what rounding from 64 would (Boldo and Melquiond 2005, "When double rounding is odd").
pub fn to_odd(value: f64) -> f32 {
    let near = value as f32;
    let back = f64::from(near);
    if back.to_bits() == value.to_bits() || !near.is_finite() {
        return near;
    }
    let towards_zero = near.to_bits() - u32::from(back.abs() > value.abs());
    f32::from_bits(towards_zero | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_sum_to_what_the_exact_sum_is() {
        for length in [0, 1, 7, 8, 9, 127, 128, 129, 300, 1025] {
            let values: Vec<f32> = (0..length).map(|at| (at % 13) as f32).collect();
            let exact: f64 = values.iter().map(|&value| f64::from(value)).sum();
            assert!(
                (f64::from(pairwise(&values)) - exact).abs() < 1e-3,
                "{length}"
            );
        }
    }

    #[test]
    fn a_vector_is_scaled_to_length_one_and_the_zero_vector_stays() {
        let mut vector = [3.0, 4.0];
        normalise(&mut vector);
        assert!((vector[0] - 0.6).abs() < 1e-7 && (vector[1] - 0.8).abs() < 1e-7);
        let mut zero = [0.0; 9];
        normalise(&mut zero);
        assert!(zero.iter().all(|&value| value == 0.0));
    }
}
