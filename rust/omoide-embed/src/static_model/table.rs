//! One vector for each token, on the disk: rows, and for quantised vocabularies each token's row and weight.

use super::tokens::Tokens;
use super::{StaticError, numpy};
use half::f16;
use memmap2::Mmap;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use std::fs::File;
use std::ops::Range;
use std::path::Path;

/// See the module.
pub struct Table {
    file: Mmap,
    rows: Range<usize>,
    kind: Kind,
    dimensions: usize,
    row_of: Option<Vec<usize>>,
    weights: Option<Vec<f64>>,
    precision: Precision,
}

/// What a row times its weight, and the mean of several, are rounded to, as numpy does it. 16 bits are summed in 32.
#[derive(Clone, Copy, PartialEq)]
enum Precision {
    F64,
    F32,
    F16,
}

impl Precision {
    /// That of a table of this kind with weights of that type. The mean of plain bytes is in 64 bits.
    fn of(kind: Kind, weights: Option<Dtype>) -> Self {
        match (kind, weights) {
            (Kind::F64, _) | (_, Some(Dtype::F64)) | (Kind::I8, None) => Self::F64,
            (Kind::F32, _) | (_, Some(Dtype::F32)) => Self::F32,
            _ => Self::F16,
        }
    }
}

/// The type of the table's numbers.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    F64,
    F32,
    F16,
    I8,
}

impl Kind {
    fn of(dtype: Dtype) -> Option<Self> {
        match dtype {
            Dtype::F64 => Some(Self::F64),
            Dtype::F32 => Some(Self::F32),
            Dtype::F16 => Some(Self::F16),
            Dtype::I8 => Some(Self::I8),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::F64 => 8,
            Self::F32 => 4,
            Self::F16 => 2,
            Self::I8 => 1,
        }
    }
}

impl Table {
    /// Open a safetensors file whose table is called `name`.
    pub fn open(path: &Path, name: &str) -> Result<Self, StaticError> {
        let fail = |why: &dyn std::fmt::Display| StaticError::unreadable(path, &why);
        let file = File::open(path).map_err(|error| fail(&error))?;
        // SAFETY: the file must not change while it is mapped. That is up to whoever owns the model, whom `StaticModel::load`
        // asks to replace it by renaming another file over it; nothing here writes to it.
        let file = unsafe { Mmap::map(&file) }.map_err(|error| fail(&error))?;
        let tensors = SafeTensors::deserialize(&file).map_err(|error| fail(&error))?;
        let table = tensors.tensor(name).map_err(|error| fail(&error))?;
        let (Some(kind), &[_, dimensions]) = (Kind::of(table.dtype()), table.shape()) else {
            let shape = format!("{name} is {:?} {:?}", table.dtype(), table.shape());
            return Err(fail(&format!("{shape}, not rows of f64, f32, f16 or i8")));
        };
        let weights = tensors.tensor("weights").ok();
        let precision = Precision::of(kind, weights.as_ref().map(TensorView::dtype));
        let start = table.data().as_ptr() as usize - file.as_ptr() as usize;
        let rows = start..start + table.data().len();
        let row_of = tensors.tensor("mapping").ok();
        let row_of = row_of.map(|view| whole_numbers(&view)).transpose();
        let weights = weights.map(|view| numbers(&view)).transpose();
        Ok(Self {
            row_of: row_of.map_err(|error| fail(&error))?,
            weights: weights.map_err(|error| fail(&error))?,
            file,
            rows,
            kind,
            dimensions,
            precision,
        })
    }

    /// Return an error if a token has no row.
    pub fn check_covers(&self, tokenizer: &Tokens) -> Result<(), StaticError> {
        let vocabulary_size = tokenizer.vocabulary_size();
        let rows = self.rows.len() / (self.dimensions * self.kind.bytes()).max(1);
        let tokens = self.row_of.as_ref().map_or(rows, Vec::len);
        let weighed = self.weights.as_ref().map_or(tokens, Vec::len);
        let reaches = |rows_of: &Vec<usize>| rows_of.iter().all(|&row| row < rows);
        if let Some(largest) = tokenizer.largest_id()
            && largest as usize >= vocabulary_size
        {
            return Err(StaticError::Unmatched(format!(
                "the tokenizer has {vocabulary_size} tokens, and one with the number {largest}"
            )));
        }
        if tokens == vocabulary_size
            && weighed == tokens
            && self.row_of.as_ref().is_none_or(reaches)
        {
            return Ok(());
        }
        Err(StaticError::Unmatched(format!(
            "the table has {tokens} tokens ({rows} rows, {weighed} weights), the tokenizer {vocabulary_size}"
        )))
    }

    /// The number of dimensions of a row.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The mean of the tokens' rows, each times its weight; zero if there are no tokens.
    pub fn mean(&self, tokens: &[u32]) -> Vec<f32> {
        if tokens.is_empty() {
            return vec![0.0; self.dimensions];
        }
        match self.precision {
            Precision::F64 => self.wide_mean(tokens),
            Precision::F32 => self.mean_rounded(tokens, |value| value),
            Precision::F16 => self.mean_rounded(tokens, half),
        }
    }

    fn mean_rounded(&self, tokens: &[u32], round: impl Fn(f32) -> f32) -> Vec<f32> {
        let mut sum = vec![0.0_f32; self.dimensions];
        for &token in tokens {
            let weight = self.weight(token).map(|weight| weight as f32);
            self.add_row(token, &mut sum, |value| {
                weight.map_or(value as f32, |weight| round(value as f32 * weight))
            });
        }
        let count = tokens.len() as f32;
        sum.iter().map(|value| round(value / count)).collect()
    }

    fn wide_mean(&self, tokens: &[u32]) -> Vec<f32> {
        let mut sum = vec![0.0_f64; self.dimensions];
        for &token in tokens {
            let weight = self.weight(token).unwrap_or(1.0);
            self.add_row(token, &mut sum, |value| value * weight);
        }
        let count = tokens.len() as f64;
        sum.iter().map(|value| self.narrow(value / count)).collect()
    }

    /// Round from 64 bits to the precision of the results, once.
    fn narrow(&self, value: f64) -> f32 {
        match self.kind {
            Kind::F16 => half(numpy::to_odd(value)),
            _ => value as f32,
        }
    }

    /// Round to the precision of the table, which is that of the reference's results.
    pub fn round(&self, vector: &mut [f32]) {
        if self.kind == Kind::F16 {
            vector.iter_mut().for_each(|value| *value = half(*value));
        }
    }

    fn weight(&self, token: u32) -> Option<f64> {
        self.weights.as_ref().map(|weights| weights[token as usize])
    }

    fn add_row<T: std::ops::AddAssign>(&self, token: u32, sum: &mut [T], of: impl Fn(f64) -> T) {
        let row = self
            .row_of
            .as_ref()
            .map_or(token as usize, |row_of| row_of[token as usize]);
        let length = self.dimensions * self.kind.bytes();
        let start = self.rows.start + row * length;
        let bytes = &self.file[start..start + length];
        let places = sum.iter_mut();
        match self.kind {
            Kind::F64 => add(places, bytes.as_chunks().0, |b| of(f64::from_le_bytes(b))),
            Kind::F32 => add(places, bytes.as_chunks().0, |b| {
                of(f32::from_le_bytes(b).into())
            }),
            Kind::F16 => add(places, bytes.as_chunks().0, |b| {
                of(f16::from_le_bytes(b).into())
            }),
            Kind::I8 => add(places, bytes.as_chunks().0, |b| {
                of(i8::from_le_bytes(b).into())
            }),
        }
    }
}

/// Round to 16 bits.
fn half(value: f32) -> f32 {
    f16::from_f32(value).to_f32()
}

fn add<'a, T: std::ops::AddAssign + 'a, const N: usize>(
    sums: impl Iterator<Item = &'a mut T>,
    values: &[[u8; N]],
    value: impl Fn([u8; N]) -> T,
) {
    sums.zip(values)
        .for_each(|(sum, &bytes)| *sum += value(bytes));
}

fn whole_numbers(view: &TensorView<'_>) -> Result<Vec<usize>, String> {
    let data = view.data();
    match view.dtype() {
        Dtype::I64 => Ok(each(data, |b| i64::from_le_bytes(b) as usize)),
        Dtype::I32 => Ok(each(data, |b| i32::from_le_bytes(b) as usize)),
        other => Err(format!(
            "the mapping of tokens is {other:?}, not i64 or i32"
        )),
    }
}

fn numbers(view: &TensorView<'_>) -> Result<Vec<f64>, String> {
    let data = view.data();
    match view.dtype() {
        Dtype::F64 => Ok(each(data, f64::from_le_bytes)),
        Dtype::F32 => Ok(each(data, |b| f32::from_le_bytes(b).into())),
        Dtype::F16 => Ok(each(data, |b| f16::from_le_bytes(b).into())),
        other => Err(format!("the weights are {other:?}, not f64, f32 or f16")),
    }
}

fn each<T, const N: usize>(data: &[u8], of: impl Fn([u8; N]) -> T) -> Vec<T> {
    data.as_chunks().0.iter().map(|&bytes| of(bytes)).collect()
}
