//! How near are vectors approximately, computed from half the memory?
//!
//! Each value of a row is one byte: the row is scaled so that its largest value is 127. What codes find is measured again with
//! the rows themselves.

use crate::column::Column;
use crate::dot::dot_codes;

const LARGEST: f32 = 127.0;

/// A vector encoded as bytes.
#[derive(Debug)]
pub struct Encoded {
    values: Vec<i8>,
    scale: f32,
}

impl Encoded {
    /// Encode any vector.
    pub fn of(values: &[f32]) -> Self {
        let largest = values
            .iter()
            .fold(0.0_f32, |most, value| most.max(value.abs()));
        let scale = largest / LARGEST;
        let byte = |value: &f32| (value / scale.max(f32::MIN_POSITIVE)).round() as i8;
        Self {
            values: values.iter().map(byte).collect(),
            scale,
        }
    }
}

/// The codes of all rows.
#[derive(Debug)]
pub struct Codes {
    dimensions: usize,
    values: Column<i8>,
    scales: Column<f32>,
}

impl Codes {
    /// Without any rows.
    pub fn new(dimensions: usize) -> Self {
        Self::from_parts(dimensions, Column::default(), Column::default())
    }

    pub(crate) fn from_parts(dimensions: usize, values: Column<i8>, scales: Column<f32>) -> Self {
        Self {
            dimensions,
            values,
            scales,
        }
    }

    /// Values and scales of all rows.
    pub(crate) fn parts(&self) -> (&Column<i8>, &Column<f32>) {
        (&self.values, &self.scales)
    }

    /// Store the code of a row, an existing one or the next.
    pub fn set(&mut self, row: u32, encoded: &Encoded) {
        let start = row as usize * self.dimensions;
        self.values.grow(start + self.dimensions, 0);
        self.values
            .slice_mut(start..start + self.dimensions)
            .copy_from_slice(&encoded.values);
        self.scales.grow(row as usize + 1, 0.0);
        self.scales.set(row as usize, encoded.scale);
    }

    /// Approximate inner product of two rows.
    pub fn between(&self, left: u32, right: u32) -> f32 {
        let scale = self.scales.get(left as usize) * self.scales.get(right as usize);
        dot_codes(self.row(left), self.row(right)) as f32 * scale
    }

    /// Approximate inner product of a vector and a row.
    pub fn to(&self, vector: &Encoded, row: u32) -> f32 {
        let scale = vector.scale * self.scales.get(row as usize);
        dot_codes(&vector.values, self.row(row)) as f32 * scale
    }

    /// The code of a row.
    pub fn row(&self, row: u32) -> &[i8] {
        let start = row as usize * self.dimensions;
        self.values.slice(start..start + self.dimensions)
    }

    /// Resident bytes.
    pub fn bytes(&self) -> usize {
        self.values.bytes() + self.scales.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_approximate_inner_products() {
        let vectors: [Vec<f32>; 3] = [
            vec![0.5, -0.25, 0.125, 0.0, 1.0],
            vec![0.1, 0.2, -0.3, 0.4, -0.5],
            vec![0.0; 5],
        ];
        let mut codes = Codes::new(5);
        for (row, vector) in vectors.iter().enumerate() {
            codes.set(row as u32, &Encoded::of(vector));
        }
        for (left, a) in vectors.iter().enumerate() {
            for (right, b) in vectors.iter().enumerate() {
                let exact: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                let rows = codes.between(left as u32, right as u32);
                let query = codes.to(&Encoded::of(a), right as u32);
                assert!(
                    (rows - exact).abs() < 0.01,
                    "{left} {right}: {rows} {exact}"
                );
                assert!((query - rows).abs() < f32::EPSILON);
            }
        }
    }
}
