//! The charge on each physical partition over time, and what pattern it makes.

use super::tally::InWindow;

/// Columns at most: spans of time that a picture has room for.
const COLUMNS_MAX: u32 = 48;

/// Physical partitions at most; of more there is no picture.
const ROWS_MAX: usize = 128;

/// Up to this many times the even share, the hottest partition is like the others.
const EVEN_FACTOR: f64 = 1.5;

/// From this share of the charge on, what holds for it holds for the whole.
const MOST: f64 = 0.75;

/// What the charge does over physical partitions and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// At no time does one partition take much more than the others.
    Even,
    /// One partition takes most, and it is always the same.
    Concentrated,
    /// The partition that takes most changes and comes back.
    Periodic,
    /// The partition that takes most changes.
    Moving,
}

impl Pattern {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Even => "even",
            Self::Concentrated => "concentrated",
            Self::Periodic => "periodic",
            Self::Moving => "moving",
        }
    }
}

/// The charge of physical partitions in spans of equal length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeatMap {
    /// Windows of the replay in a column.
    pub windows: u32,
    /// For each physical partition its charge in each column, in millionths of a request unit.
    pub rows: Vec<Vec<u64>>,
    /// What pattern they make.
    pub pattern: Pattern,
}

/// The charges of a map that is being drawn.
pub(super) struct Heat {
    windows: u32,
    rows: Vec<Vec<u64>>,
}

impl Heat {
    /// A map of partitions over so many windows; `None` where it would be one column or too many rows.
    pub(super) fn new(partitions: usize, windows: u32) -> Option<Self> {
        if windows < 2 || partitions > ROWS_MAX {
            return None;
        }
        let per_column = windows.div_ceil(COLUMNS_MAX);
        let columns = windows.div_ceil(per_column) as usize;
        Some(Self {
            windows: per_column,
            rows: vec![vec![0; columns]; partitions],
        })
    }

    /// Adds what partitions take in a window.
    pub(super) fn add(&mut self, sums: &InWindow) {
        let column = (sums.window / self.windows) as usize;
        for partition in sums.touched {
            let row = &mut self.rows[*partition as usize];
            row[column] += sums.charges[*partition as usize] as u64;
        }
    }

    /// The map.
    pub(super) fn finish(self) -> HeatMap {
        HeatMap {
            windows: self.windows,
            pattern: pattern(&self.rows),
            rows: self.rows,
        }
    }
}

fn pattern(rows: &[Vec<u64>]) -> Pattern {
    let columns = rows.first().map_or(0, Vec::len);
    let (mut total, mut hottest_total) = (0_u128, 0_u128);
    let mut hottest: Vec<Option<usize>> = Vec::new();
    let mut of_partition = vec![0_u128; rows.len()];
    for column in 0..columns {
        let charges = || rows.iter().map(|row| row[column]);
        let whole: u128 = charges().map(u128::from).sum();
        let most = charges().max().unwrap_or(0);
        total += whole;
        hottest_total += u128::from(most);
        let first = charges().position(|charge| charge == most);
        hottest.push(first.filter(|_| most > 0));
        if let Some(first) = first.filter(|_| most > 0) {
            of_partition[first] += whole;
        }
    }
    let share = hottest_total as f64 / total.max(1) as f64;
    if share <= EVEN_FACTOR / rows.len().max(1) as f64 {
        return Pattern::Even;
    }
    let most = of_partition.into_iter().max().unwrap_or(0);
    if most as f64 >= MOST * total as f64 {
        return Pattern::Concentrated;
    }
    let comes_back = (2..=columns / 2).any(|period| {
        let pairs = hottest.iter().zip(&hottest[period..]);
        let same = pairs.clone().filter(|(one, other)| one == other).count();
        same as f64 >= MOST * pairs.count() as f64
    });
    if comes_back {
        Pattern::Periodic
    } else {
        Pattern::Moving
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_names() {
        let rows = |of: fn(usize, usize) -> u64| -> Vec<Vec<u64>> {
            (0..4)
                .map(|row| (0..24).map(|column| of(row, column)).collect())
                .collect()
        };
        for (of, name) in [
            ((|_, _| 5) as fn(usize, usize) -> u64, "even"),
            (|row, _| if row == 2 { 9 } else { 1 }, "concentrated"),
            (
                |row, column| if row == column % 4 { 9 } else { 1 },
                "periodic",
            ),
            (
                |row, column| if row == column / 6 { 9 } else { 1 },
                "moving",
            ),
        ] {
            assert_eq!(pattern(&rows(of)).name(), name);
        }
    }
}
