//! Bars and sparklines from characters, of blocks or of plain ones.

/// Blocks that fill more and more of their place.
const RISING: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The same in plain characters.
const PLAIN: [char; 8] = ['.', '.', ':', '-', '=', '+', '*', '#'];

/// Parts of a block from the left.
const PARTS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Places of a sparkline at most.
const PLACES_MAX: usize = 16;

/// A bar of at most so many characters for a share of the longest.
pub(super) fn bar(share: f64, length: usize, blocks: bool) -> String {
    let share = share.clamp(0.0, 1.0);
    if !blocks {
        return "#".repeat((share * length as f64).round() as usize);
    }
    let eighths = (share * length as f64 * 8.0).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(PARTS[eighths % 8 - 1]);
    }
    bar
}

/// A character for each value, the highest for the largest; of many values the largest of each part.
pub(super) fn sparkline(values: &[f64], blocks: bool) -> String {
    let most = values.iter().copied().fold(0.0, f64::max);
    let part = values.len().div_ceil(PLACES_MAX).max(1);
    let characters = if blocks { RISING } else { PLAIN };
    values
        .chunks(part)
        .map(|part| {
            let value = part.iter().copied().fold(0.0, f64::max) / f64::max(most, 1e-12);
            characters[((value * 7.0).round() as usize).min(7)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_sparklines_follow_their_values() {
        assert_eq!(bar(0.5, 10, false), "#####");
        assert_eq!(bar(0.5625, 2, true), "█▏");
        assert_eq!(bar(7.0, 3, true), "███");
        assert_eq!(sparkline(&[0.0, 0.5, 1.0], false), ".=#");
        assert_eq!(sparkline(&[0.0, 0.5, 1.0], true), "▁▅█");
        assert_eq!(sparkline(&[1.0; 100], true).chars().count(), 15);
        assert_eq!(sparkline(&[], true), "");
    }
}
