//! Which container each operation belongs to, where a log holds several.

use super::interner::Interner;

/// No container is named.
pub(super) const UNNAMED: u32 = u32::MAX;

/// The operations of one container in a log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContainerCount {
    /// Its database, where the log names it.
    pub database: Option<String>,
    /// Its name.
    pub container: String,
    /// Operations of the log on it, used or not.
    pub operations: u64,
}

impl ContainerCount {
    /// How it is named to choose it.
    pub fn name(&self) -> String {
        match &self.database {
            Some(database) => format!("{database}/{}", self.container),
            None => self.container.clone(),
        }
    }

    fn is(&self, chosen: &str) -> bool {
        self.container == chosen || self.name() == chosen
    }
}

/// Counts operations per container, and takes only those of the chosen one.
#[derive(Default)]
pub(super) struct Containers {
    chosen: Option<String>,
    names: Interner<(Option<String>, String)>,
    counts: Vec<ContainerCount>,
    taken: Vec<bool>,
    /// The container of rows that name none, as the header of their file says.
    default: Option<u32>,
    /// Operations that were used though nothing says that they are on the chosen container.
    unnamed: u64,
}

impl Containers {
    pub(super) fn new(chosen: Option<String>) -> Self {
        Self {
            chosen,
            ..Self::default()
        }
    }

    /// The number of a container.
    pub(super) fn number(&mut self, database: Option<&str>, container: Option<&str>) -> u32 {
        let Some(container) = container else {
            return self.default.unwrap_or(UNNAMED);
        };
        let name = (database.map(str::to_owned), container.to_owned());
        let number = self.names.intern(name);
        if number as usize == self.counts.len() {
            let (database, container) = self.names.get(number).clone();
            let count = ContainerCount {
                database,
                container,
                operations: 0,
            };
            self.taken
                .push(self.chosen.as_ref().is_none_or(|chosen| count.is(chosen)));
            self.counts.push(count);
        }
        number
    }

    /// From here on rows that name no container belong to this one.
    pub(super) fn set_default(&mut self, container: Option<&str>) {
        self.default = None;
        self.default = container.map(|name| self.number(None, Some(name)));
    }

    /// Counts an operation; whether it is used. One whose container is unknown is.
    pub(super) fn take(&mut self, number: u32) -> bool {
        if number == UNNAMED {
            self.unnamed += u64::from(self.chosen.is_some());
            return true;
        }
        self.counts[number as usize].operations += 1;
        self.taken[number as usize]
    }

    /// Whether one container was chosen.
    pub(super) fn is_chosen(&self) -> bool {
        self.chosen.is_some()
    }

    /// Operations that were used though nothing says that they are on the chosen container.
    pub(super) fn unnamed(&self) -> u64 {
        self.unnamed
    }

    /// The containers with their operations, most first.
    pub(super) fn into_counts(self) -> Vec<ContainerCount> {
        let mut counts = self.counts;
        counts.retain(|count| count.operations > 0);
        counts.sort_by(|one, other| {
            (other.operations.cmp(&one.operations)).then_with(|| one.cmp(other))
        });
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_container_is_named_with_or_without_its_database() {
        for chosen in ["orders", "shop/orders"] {
            let mut containers = Containers::new(Some(chosen.to_owned()));
            let orders = containers.number(Some("shop"), Some("orders"));
            let carts = containers.number(Some("shop"), Some("carts"));
            assert!(containers.take(orders) && !containers.take(carts) && !containers.take(carts));
            assert!(containers.take(UNNAMED));
            assert_eq!(containers.unnamed(), 1);
            let counts = containers.into_counts();
            assert_eq!(counts[0].name(), "shop/carts");
            assert_eq!((counts[0].operations, counts[1].operations), (2, 1));
        }
    }

    #[test]
    fn a_header_names_the_container_of_rows_that_do_not() {
        let mut containers = Containers::new(None);
        containers.set_default(Some("orders"));
        let number = containers.number(None, None);
        assert!(containers.take(number));
        containers.set_default(None);
        assert_eq!(containers.number(None, None), UNNAMED);
        assert_eq!(containers.into_counts()[0].container, "orders");
    }
}
