//! The shape of a query: its text with values and names of sources taken out, so that queries which
//! differ only in them are one.

use super::ast::{Count, Expression, Literal, Query, Selection, Source, SourceRoot};

/// What stands for a value.
const VALUE: &str = "?";

/// The shape of a query. Blanks, comments, the case of keywords, aliases, literals, parameters and the
/// lengths of lists make no difference.
pub fn shape(query: &Query) -> String {
    let mut query = query.clone();
    Shaper::default().query(&mut query);
    query.to_string()
}

/// Renames sources and takes values out.
#[derive(Default)]
struct Shaper {
    /// The names in scope, innermost last, with what they become.
    names: Vec<(String, String)>,
    /// How many sources there were.
    sources: usize,
}

fn value() -> Expression {
    Expression::Parameter(VALUE.to_owned())
}

fn count(count: &mut Count) {
    *count = Count::Parameter(VALUE.to_owned());
}

/// Whether a name can stand behind a dot.
fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl Shaper {
    fn query(&mut self, query: &mut Query) {
        let outer = self.names.len();
        for source in &mut query.from {
            self.source(source);
        }
        match &mut query.selection {
            Selection::All => {}
            Selection::Value(value) => self.expression(value),
            Selection::Items(items) => {
                for item in items {
                    self.expression(&mut item.value);
                }
            }
        }
        if let Some(filter) = &mut query.filter {
            self.expression(filter);
        }
        self.all(&mut query.group_by);
        for item in &mut query.order_by {
            self.expression(&mut item.value);
        }
        query.top.iter_mut().for_each(count);
        if let Some((offset, limit)) = &mut query.offset_limit {
            count(offset);
            count(limit);
        }
        self.names.truncate(outer);
    }

    fn source(&mut self, source: &mut Source) {
        let name = if self.sources == 0 {
            "c".to_owned()
        } else {
            format!("c{}", self.sources + 1)
        };
        self.sources += 1;
        let known = source
            .alias
            .take()
            .or_else(|| match (source.steps.last(), &source.root) {
                (Some(Literal::String(step)), _) => Some(step.clone()),
                (None, SourceRoot::Name(root)) => Some(root.clone()),
                _ => None,
            });
        match &mut source.root {
            SourceRoot::Subquery(query) => self.query(query),
            SourceRoot::Name(root) => match self.renamed(root) {
                Some(renamed) => *root = renamed,
                // The name of the container.
                None => "c".clone_into(root),
            },
        }
        let plain = source.steps.is_empty()
            && !source.each
            && matches!(&source.root, SourceRoot::Name(root) if *root == name);
        if !plain {
            source.alias = Some(name.clone());
        }
        if let Some(known) = known {
            self.names.push((known, name));
        }
    }

    fn renamed(&self, name: &str) -> Option<String> {
        let named = self.names.iter().rev().find(|(known, _)| known == name);
        named.map(|(_, renamed)| renamed.clone())
    }

    fn all(&mut self, expressions: &mut [Expression]) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Literal(_) | Expression::Parameter(_) => *expression = value(),
            Expression::Name(name) => {
                if let Some(renamed) = self.renamed(name) {
                    *name = renamed;
                }
            }
            Expression::Member(base, _) => self.expression(base),
            Expression::Index(base, index) => {
                self.expression(base);
                if let Expression::Literal(Literal::String(name)) = &**index
                    && is_identifier(name)
                {
                    let base = std::mem::replace(&mut **base, value());
                    *expression = Expression::Member(Box::new(base), name.clone());
                    return;
                }
                // A name in brackets is a name; a number in them is a position, and part of the shape.
                if !matches!(**index, Expression::Literal(_)) {
                    self.expression(index);
                }
            }
            Expression::In(of, _, list) => {
                self.expression(of);
                self.all(list);
                list.dedup();
            }
            Expression::Array(list) => {
                self.all(list);
                list.dedup();
            }
            Expression::And(list) | Expression::Or(list) | Expression::Call(_, _, list) => {
                self.all(list);
            }
            Expression::Object(members) => {
                for (_, member) in members {
                    self.expression(member);
                }
            }
            Expression::Unary(_, operand) => {
                self.expression(operand);
                // -1 and 1 are values alike.
                if **operand == value() {
                    *expression = value();
                }
            }
            Expression::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            Expression::Between(of, _, bounds) => {
                self.expression(of);
                self.expression(&mut bounds.0);
                self.expression(&mut bounds.1);
            }
            Expression::Like(of, _, pattern, _) => {
                self.expression(of);
                self.expression(pattern);
            }
            Expression::Conditional(parts) => {
                self.expression(&mut parts.0);
                self.expression(&mut parts.1);
                self.expression(&mut parts.2);
            }
            Expression::Subquery(_, query) => self.query(query),
            Expression::Let(_, parts) => {
                self.expression(&mut parts.0);
                self.expression(&mut parts.1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::parse;

    fn of(text: &str) -> String {
        shape(&parse(text).expect(text))
    }

    #[test]
    fn spelling_values_and_aliases_make_no_difference() {
        let one =
            of("SELECT * FROM c WHERE c.a = 'x' AND c.b IN (1, 2) ORDER BY c.t OFFSET 0 LIMIT 10");
        for text in [
            "select  *\nfrom Items AS i where i.a=@a and i.b in (@one,@two,@three) -- comment\norder by i.t offset @o limit 5",
            "SELECT * FROM root r WHERE r[\"a\"] = -1 AND r.b IN (7) ORDER BY r.t OFFSET 1 LIMIT 1",
        ] {
            assert_eq!(of(text), one, "{text}");
        }
        assert_ne!(
            of("SELECT * FROM c WHERE c.b = 1"),
            of("SELECT * FROM c WHERE c.a = 1")
        );
        assert_ne!(
            of("SELECT * FROM c WHERE c.a > 1"),
            of("SELECT * FROM c WHERE c.a = 1")
        );
    }

    #[test]
    fn joins_and_subqueries_keep_their_sources_apart() {
        assert_eq!(
            of("SELECT p.id, t.x FROM products p JOIN t IN p.tags WHERE t.x = 1"),
            of("SELECT a.id, b.x FROM a JOIN b IN a.tags WHERE b.x = 2")
        );
        assert_ne!(
            of("SELECT p.id FROM p JOIN t IN p.tags WHERE t.x = 1"),
            of("SELECT p.id FROM p JOIN t IN p.tags WHERE p.x = 1")
        );
    }
}
