//! What is usual in a store? A hit is told from chance by how far it is beyond that.

/// The mean over the texts of a store, and how far from it they are (standard deviation).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usual {
    /// The mean.
    pub mean: f32,
    /// The standard deviation.
    pub spread: f32,
}

impl Usual {
    /// Of so many values; `None` of none.
    pub fn of(values: impl Iterator<Item = f32>) -> Option<Self> {
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for value in values {
            count += 1.0;
            sum += value;
            squares += value * value;
        }
        (count > 0.0).then(|| Self::from_moments(sum / count, squares / count))
    }

    /// Of a mean and a mean of squares.
    pub fn from_moments(mean: f32, square: f32) -> Self {
        Self {
            mean,
            spread: (square - mean * mean).max(0.0).sqrt(),
        }
    }
}

impl std::ops::Add for Usual {
    type Output = Self;

    /// Of the sums of two values that rise and fall together.
    fn add(self, other: Self) -> Self {
        Self {
            mean: self.mean + other.mean,
            spread: self.spread + other.spread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_a_mean_and_a_spread() {
        let usual = Usual::of([1.0, 3.0].into_iter()).unwrap();
        assert_eq!((usual.mean, usual.spread), (2.0, 1.0));
        assert_eq!(Usual::of(std::iter::empty()), None);
    }

    #[test]
    fn what_rises_together_spreads_together() {
        let both = Usual::from_moments(1.0, 2.0) + Usual::from_moments(2.0, 8.0);
        assert_eq!((both.mean, both.spread), (3.0, 3.0));
    }
}
