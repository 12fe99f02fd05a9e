//! A table as bytes and back.

use super::{Limits, Table, Thinned, hash_of};
use crate::model::encoded;
use crate::profile::sums::Sums;
use crate::profile::table::Key;

impl Table {
    /// Its values as bytes, in the order of their hashes.
    pub(in crate::profile) fn rows(&self) -> Vec<u8> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_unstable_by_key(|entry| entry.key);
        let mut rows = Vec::new();
        for entry in entries {
            let (_, value, origin) = self.parts(entry).unwrap_or_default();
            let origins = self.origins.get(&entry.key);
            let (first, last) = origins.map_or((&[][..], &[][..]), |(first, last)| (first, last));
            for part in [self.epk_of(entry), value, origin, first, last] {
                encoded::append_bytes(part, &mut rows);
            }
            let sums = self.sums(entry);
            let (first, last) = sums.times.unwrap_or((0, 0));
            for number in [
                sums.items,
                sums.bytes,
                sums.squared_bytes,
                sums.timed_items,
                u64::from(sums.times.is_some()),
                first as u64,
                last as u64,
            ] {
                encoded::append_number(number, &mut rows);
            }
        }
        rows
    }

    /// Items and bytes of all its values; `None` where they are more than can be.
    pub(in crate::profile) fn total(&self) -> Option<(u64, u64)> {
        let sums = self.entries.iter().map(|entry| self.sums(entry));
        sums.into_iter().try_fold((0_u64, 0_u64), |all, one| {
            Some((all.0.checked_add(one.items)?, all.1.checked_add(one.bytes)?))
        })
    }

    /// What is known beside these values, where not all are there.
    pub(in crate::profile) fn thinned(&self) -> Option<&Thinned> {
        self.thinned.as_deref()
    }

    /// The table that was written as these bytes; `None` where they are damaged.
    pub(in crate::profile) fn of_rows(
        limits: Limits,
        mut rows: &[u8],
        thinned: Option<Thinned>,
    ) -> Option<Self> {
        let mut table = Self::new(limits);
        while !rows.is_empty() {
            let mut part = || encoded::bytes(&mut rows);
            let (epk, value, origin) = (part()?, part()?, part()?);
            let (first, last) = (part()?, part()?);
            let mut number = || encoded::number(&mut rows);
            let sums = Sums {
                items: number()?,
                bytes: number()?,
                squared_bytes: number()?,
                timed_items: number()?,
                times: match (number()?, number()?, number()?) {
                    (0, ..) => None,
                    (_, first, last) => Some((first as i64, last as i64)),
                },
            };
            let hash = hash_of(epk);
            if epk.is_empty() || table.find(&hash).is_some() {
                return None;
            }
            table.insert(hash, &Key { epk, value, origin }, &sums);
            if !first.is_empty() {
                table.origins.insert(hash, (first.into(), last.into()));
            }
        }
        if !thinned.iter().all(|thinned| thinned.sketch.is_whole()) {
            return None;
        }
        table.thinned = thinned.map(Box::new);
        Some(table)
    }

    /// Whether sums of another one can be added to those of this one.
    pub(in crate::profile) fn takes(&self, other: &Self) -> bool {
        let Some(theirs) = &other.thinned else {
            return true;
        };
        let mine = self.thinned.as_ref();
        let same = |sketch: &super::Sketch| sketch.is_like(&theirs.sketch);
        mine.map_or_else(|| same(&self.empty_sketch()), |mine| same(&mine.sketch))
    }
}
