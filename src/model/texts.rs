//! Many short texts in one piece of memory.

/// Texts, each known by the number of its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    all: String,
    /// Where each ends in `all`.
    ends: Vec<usize>,
}

impl Texts {
    /// Adds a text behind the others; its number.
    pub fn push(&mut self, text: &str) -> u32 {
        self.all.push_str(text);
        self.ends.push(self.all.len());
        self.ends.len() as u32 - 1
    }

    /// The text of a number.
    pub fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[number]]
    }

    /// Gives back room that is kept for more.
    pub fn shrink(&mut self) {
        self.all.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back_by_their_numbers() {
        let mut texts = Texts::default();
        let numbers = ["a", "", "schön"].map(|text| texts.push(text));
        assert_eq!(numbers.map(|number| texts.get(number)), ["a", "", "schön"]);
    }
}
