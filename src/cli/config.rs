//! `pkadvisor.toml`: containers with their files and settings, and the policy, each error with its place.

use std::collections::BTreeSet;
use std::ops::Range;

use clap::CommandFactory;
use jiff::civil::Date;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Arguments;
use crate::assess::Severity;
use crate::assess::checks;
use crate::assess::policy::{Ignore, Limit, Policy};

/// A container whose design is checked.
#[derive(Debug, Clone, Default)]
pub(super) struct Design {
    /// Its name in the file; the file's own one has none.
    pub(super) name: Option<String>,
    /// Patterns of the data, relative to the file.
    pub(super) data: Vec<String>,
    /// Patterns of the logs.
    pub(super) log: Vec<String>,
    /// The key that is judged; the recommended one without it.
    pub(super) key: Option<String>,
    /// Further keys to compare with.
    pub(super) candidates: Vec<String>,
    /// Settings of `analyze`, by the names of its flags, with where they stand.
    pub(super) settings: Vec<(String, Vec<String>, usize)>,
    /// What is said of findings.
    pub(super) policy: Policy,
    /// The severity from which on a finding fails.
    pub(super) fail_on: Option<String>,
}

/// All mistakes of a file, with line and column.
#[derive(Debug)]
pub(super) struct Mistakes(Vec<String>);

impl Mistakes {
    /// The mistakes, one a line.
    pub(super) fn lines(&self) -> &[String] {
        &self.0
    }
}

/// Flags of `analyze` that are no setting of a file.
const NO_SETTINGS: [&str; 13] = [
    "data",
    "log",
    "key",
    "propose",
    "max-proposals",
    "why-not",
    "explain-input",
    "format",
    "output",
    "fail-on",
    "help",
    "show-config",
    "quiet",
];

/// The settings that a file may hold: the flags of `analyze`.
pub(super) fn setting_names() -> Vec<String> {
    let command = Arguments::command();
    let analyze = command.find_subcommand("analyze");
    let longs = analyze
        .into_iter()
        .flat_map(clap::Command::get_arguments)
        .filter_map(clap::Arg::get_long);
    let mut names: Vec<String> = longs
        .filter(|name| !NO_SETTINGS.contains(name))
        .map(str::to_owned)
        .collect();
    names.sort();
    names
}

/// Reads a file: its own design where it names data, and those under `[container.NAME]`, which take
/// over what they do not say themselves.
pub(super) fn read(text: &str) -> Result<Vec<Design>, Mistakes> {
    let mut reader = Reader {
        text,
        mistakes: Vec::new(),
        settings: setting_names(),
    };
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            let at = error.span().unwrap_or(0..0);
            reader.mistake(&at, error.message());
            return Err(reader.told());
        }
    };
    let designs = reader.file(table.get_ref());
    if reader.mistakes.is_empty() {
        Ok(designs)
    } else {
        Err(reader.told())
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Line, column and what is wrong.
    mistakes: Vec<(usize, usize, String)>,
    settings: Vec<String>,
}

type Value<'a> = Spanned<DeValue<'a>>;

impl Reader<'_> {
    /// All mistakes in the order of their places.
    fn told(mut self) -> Mistakes {
        self.mistakes.sort();
        let lines = self.mistakes.into_iter();
        let told =
            lines.map(|(line, column, what)| format!("line {line}, column {column}: {what}"));
        Mistakes(told.collect())
    }

    fn mistake(&mut self, at: &Range<usize>, message: &str) {
        let before = &self.text[..at.start.min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        self.mistakes.push((line, column, message.to_owned()));
    }

    fn file(&mut self, table: &DeTable) -> Vec<Design> {
        let mut shared = Design::default();
        self.design(table, &mut shared, true);
        let mut designs = Vec::new();
        let containers = table.iter().find(|(name, _)| name.get_ref() == "container");
        if let Some((_, containers)) = containers {
            let Some(tables) = self.table(containers) else {
                return designs;
            };
            for (name, container) in tables {
                let mut design = shared.clone();
                design.name = Some(name.get_ref().to_string());
                if let Some(table) = self.table(container) {
                    self.design(table, &mut design, false);
                    if design.data.is_empty() {
                        self.mistake(&name.span(), "a container needs data = [\"...\"]");
                    }
                }
                designs.push(design);
            }
        } else if shared.data.is_empty() {
            self.mistake(&(0..0), "data = [\"...\"] is missing");
        } else {
            designs.push(shared);
        }
        designs
    }

    fn design(&mut self, table: &DeTable, design: &mut Design, is_file: bool) {
        for (name, value) in table {
            match name.get_ref().as_ref() {
                "data" => design.data = self.texts(value),
                "log" => design.log = self.texts(value),
                "key" => design.key = self.text_of(value),
                "candidates" => design.candidates = self.texts(value),
                "settings" => self.settings(value, &mut design.settings),
                "policy" => self.policy(value, design),
                "container" if is_file => {}
                other => {
                    let mut known = vec!["data", "log", "key", "candidates", "settings", "policy"];
                    known.extend(is_file.then_some("container"));
                    let message = format!(
                        "{other} is not known here; expected one of {}",
                        known.join(", ")
                    );
                    self.mistake(&name.span(), &message);
                }
            }
        }
    }

    fn settings(&mut self, value: &Value, settings: &mut Vec<(String, Vec<String>, usize)>) {
        let Some(table) = self.table(value) else {
            return;
        };
        for (name, value) in table {
            let text = name.get_ref().to_string();
            if !self.settings.contains(&text) {
                let near = self
                    .settings
                    .iter()
                    .filter(|known| known.contains(&text) || text.contains(known.as_str()));
                let near: Vec<&str> = near.map(String::as_str).collect();
                let hint = if near.is_empty() {
                    "expected a flag of 'pkadvisor analyze' without its dashes".to_owned()
                } else {
                    format!("did you mean {}?", near.join(" or "))
                };
                self.mistake(&name.span(), &format!("{text} is no setting; {hint}"));
                continue;
            }
            let values = match value.get_ref() {
                DeValue::Boolean(true) => vec![],
                DeValue::Boolean(false) => continue,
                DeValue::Array(all) => all.iter().filter_map(|one| self.plain(one)).collect(),
                _ => self.plain(value).into_iter().collect(),
            };
            settings.retain(|(known, ..)| *known != text);
            settings.push((text, values, value.span().start));
        }
    }

    fn policy(&mut self, value: &Value, design: &mut Design) {
        let Some(table) = self.table(value) else {
            return;
        };
        for (name, value) in table {
            match name.get_ref().as_ref() {
                "fail-on" => {
                    design.fail_on = self.one_of(value, &["never", "info", "warning", "error"]);
                }
                "severity" => self.severities(value, &mut design.policy),
                "threshold" => self.thresholds(value, &mut design.policy),
                "limits" => self.limits(value, &mut design.policy),
                "ignore" => self.ignores(value, &mut design.policy),
                other => {
                    let message = format!(
                        "{other} is not known here; expected one of fail-on, severity, threshold, limits, ignore"
                    );
                    self.mistake(&name.span(), &message);
                }
            }
        }
    }

    fn severities(&mut self, value: &Value, policy: &mut Policy) {
        let Some(table) = self.table(value) else {
            return;
        };
        for (code, value) in table {
            if !self.is_check(code) {
                continue;
            }
            let names = ["off", "info", "warning", "error"];
            if let Some(severity) = self.one_of(value, &names) {
                let severity = Severity::named(&severity);
                policy
                    .severities
                    .insert(code.get_ref().to_string(), severity);
            }
        }
    }

    fn thresholds(&mut self, value: &Value, policy: &mut Policy) {
        let Some(table) = self.table(value) else {
            return;
        };
        for (code, value) in table {
            if !self.is_check(code) {
                continue;
            }
            let Some(of_check) = self.table(value) else {
                continue;
            };
            for (evidence, value) in of_check {
                if let Some(number) = self.number(value) {
                    let name = (code.get_ref().to_string(), evidence.get_ref().to_string());
                    policy.thresholds.insert(name, number);
                }
            }
        }
    }

    fn limits(&mut self, value: &Value, policy: &mut Policy) {
        let Some(table) = self.table(value) else {
            return;
        };
        for (name, value) in table {
            let text = name.get_ref().to_string();
            let Some(limit) = Limit::ALL.into_iter().find(|limit| limit.name() == text) else {
                let known = Limit::ALL.map(Limit::name).join(", ");
                let message = format!("{text} cannot be limited; expected one of {known}");
                self.mistake(&name.span(), &message);
                continue;
            };
            if let Some(number) = self.number(value) {
                policy.limits.insert(limit, number);
            }
        }
    }

    fn ignores(&mut self, value: &Value, policy: &mut Policy) {
        let DeValue::Array(all) = value.get_ref() else {
            self.mistake(&value.span(), "expected tables: [[policy.ignore]]");
            return;
        };
        policy.ignores.clear();
        for one in all {
            let Some(table) = self.table(one) else {
                continue;
            };
            let mut ignore = Ignore {
                check: String::new(),
                key: None,
                contains: None,
                reason: String::new(),
                until: None,
            };
            for (name, value) in table {
                match name.get_ref().as_ref() {
                    "check" => {
                        ignore.check = self.text_of(value).unwrap_or_default();
                        if checks::named(&ignore.check).is_none() {
                            let message = format!("{} is no check", ignore.check);
                            self.mistake(&value.span(), &message);
                        }
                    }
                    "key" => ignore.key = self.text_of(value),
                    "contains" => ignore.contains = self.text_of(value),
                    "reason" => ignore.reason = self.text_of(value).unwrap_or_default(),
                    "until" => ignore.until = self.day(value),
                    other => {
                        let message = format!(
                            "{other} is not known here; expected one of check, key, contains, reason, until"
                        );
                        self.mistake(&name.span(), &message);
                    }
                }
            }
            if ignore.check.is_empty() {
                self.mistake(&one.span(), "an ignore needs a check");
            }
            if ignore.reason.trim().is_empty() {
                self.mistake(&one.span(), "an ignore needs a reason");
            }
            policy.ignores.push(ignore);
        }
    }

    fn is_check(&mut self, code: &Spanned<toml::de::DeString>) -> bool {
        let known = checks::named(code.get_ref()).is_some();
        if !known {
            let message = format!(
                "{} is no check; see 'pkadvisor list checks'",
                code.get_ref()
            );
            self.mistake(&code.span(), &message);
        }
        known
    }

    fn table<'t, 'd>(&mut self, value: &'t Value<'d>) -> Option<&'t DeTable<'d>> {
        if let DeValue::Table(table) = value.get_ref() {
            return Some(table);
        }
        self.mistake(&value.span(), "expected a table");
        None
    }

    fn text_of(&mut self, value: &Value) -> Option<String> {
        if let DeValue::String(text) = value.get_ref() {
            return Some(text.to_string());
        }
        self.mistake(&value.span(), "expected text in quotes");
        None
    }

    /// A text, or several.
    fn texts(&mut self, value: &Value) -> Vec<String> {
        match value.get_ref() {
            DeValue::Array(all) => all.iter().filter_map(|one| self.text_of(one)).collect(),
            _ => self.text_of(value).into_iter().collect(),
        }
    }

    fn one_of(&mut self, value: &Value, names: &[&str]) -> Option<String> {
        let text = self.text_of(value)?;
        if names.contains(&text.as_str()) {
            return Some(text);
        }
        let message = format!("expected one of {}", names.join(", "));
        self.mistake(&value.span(), &message);
        None
    }

    fn number(&mut self, value: &Value) -> Option<f64> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().replace('_', ""),
            DeValue::Float(number) => number.as_str().replace('_', ""),
            _ => String::new(),
        };
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        if number.is_none() {
            self.mistake(&value.span(), "expected a number");
        }
        number
    }

    /// A value as an argument would write it.
    fn plain(&mut self, value: &Value) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(_) | DeValue::Float(_) => self.number(value).map(|n| n.to_string()),
            _ => {
                self.mistake(&value.span(), "expected a number or text");
                None
            }
        }
    }

    fn day(&mut self, value: &Value) -> Option<Date> {
        let text = match value.get_ref() {
            DeValue::Datetime(day) => day.to_string(),
            DeValue::String(text) => text.to_string(),
            _ => String::new(),
        };
        let day = text.parse().ok();
        if day.is_none() {
            self.mistake(&value.span(), "expected a day such as 2027-01-31");
        }
        day
    }
}

/// The names of the designs of a file that are wanted; all without a choice.
pub(super) fn chosen(designs: Vec<Design>, names: &[String]) -> Result<Vec<Design>, String> {
    let known: BTreeSet<&str> = designs
        .iter()
        .filter_map(|design| design.name.as_deref())
        .collect();
    let unknown: BTreeSet<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !known.contains(name))
        .collect();
    if let Some(name) = unknown.into_iter().next() {
        let names: Vec<&str> = known.into_iter().collect();
        return Err(format!(
            "the configuration has no container {name}; it has {}",
            if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            }
        ));
    }
    let wanted = |design: &Design| {
        names.is_empty()
            || design
                .name
                .as_ref()
                .is_some_and(|name| names.contains(name))
    };
    Ok(designs.into_iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_are_told_at_once_with_their_places() {
        let text = "data = 5\nkee = \"/a\"\n[settings]\nthroughputs = 3\n[policy]\nfail-on = \"often\"\n\
                    [policy.severity]\nhot = \"error\"\n[[policy.ignore]]\ncheck = \"hot-partition\"\nuntil = \"soon\"\n";
        let mistakes = read(text).expect_err("mistakes");
        let starts: Vec<&str> = mistakes
            .lines()
            .iter()
            .map(|line| line.split(": ").next().unwrap_or_default())
            .collect();
        assert_eq!(
            starts,
            [
                "line 1, column 1",
                "line 1, column 8",
                "line 2, column 1",
                "line 4, column 1",
                "line 6, column 11",
                "line 8, column 1",
                "line 9, column 1",
                "line 11, column 9",
            ],
            "{mistakes:?}"
        );
        assert!(mistakes.lines()[3].contains("did you mean throughput?"));
    }

    #[test]
    fn containers_take_over_what_they_do_not_say() {
        let text = "[settings]\nthroughput = 10000\n[policy]\nfail-on = \"warning\"\n\
                    [container.orders]\ndata = \"orders.jsonl\"\nkey = \"/tenantId\"\n\
                    [container.carts]\ndata = [\"carts/*.jsonl\"]\n[container.carts.settings]\nthroughput = 400\nautoscale = true\n";
        let designs = read(text).expect("a file");
        let of = |name: &str| {
            let mut designs = designs.iter();
            designs
                .find(|design| design.name.as_deref() == Some(name))
                .expect("a design")
        };
        let throughput = |name: &str| {
            let settings = of(name).settings.iter();
            let mut found = settings.filter(|(name, ..)| name == "throughput");
            found.next().expect("the setting").1.clone()
        };
        assert_eq!(throughput("orders"), ["10000"]);
        assert_eq!(throughput("carts"), ["400"]);
        assert_eq!(of("carts").fail_on.as_deref(), Some("warning"));
        assert!(chosen(designs.clone(), &["x".to_owned()]).is_err());
        assert_eq!(
            chosen(designs, &["carts".to_owned()]).expect("one").len(),
            1
        );
    }
}
