//! Items and operations for measurements, of any number: the same seed, the same bytes.
//!
//! 5,000 tenants of very different size (Zipf, s = 1) have 500,000 users, who visit from three devices
//! each over 30 days.

use std::io::{self, Write};

/// Tenants; the first is the largest.
const TENANTS: usize = 5_000;

/// Users of all tenants.
const USERS: u64 = 500_000;

/// Postal codes. With a leading zero in some of them no table takes them for numbers.
const ZIPS: u64 = 30_000;

/// Days, all of them in May 2024.
const DAYS: u64 = 30;

const DAY_MILLIS: u64 = 86_400_000;

/// Bytes of text that are gathered before they are written.
const BLOCK_BYTES: usize = 1 << 20;

/// How items are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemForm {
    /// One compact JSON object a line.
    Lines,
    /// One JSON array, indented.
    Array,
    /// A table of 15 columns with text in quotes.
    Csv,
}

/// How operations are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogForm {
    /// The native log as a table.
    Csv,
    /// The native log, one JSON object a line.
    Jsonl,
}

/// A small seeded source of numbers (`SplitMix64`).
#[derive(Debug, Clone, Copy)]
struct Numbers(u64);

impl Numbers {
    /// The source for one of many things, whichever came before.
    fn of(seed: u64, index: u64) -> Self {
        Self(mix(seed ^ mix(index.wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

/// An id of 40 bits, another one for each index below 2^40.
fn id_of(index: u64) -> u64 {
    const MASK: u64 = (1 << 40) - 1;
    let mut id = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) & MASK;
    id ^= id >> 20;
    id.wrapping_mul(0xbf58_476d_1ce4_e5b9) & MASK
}

/// Texts that items are filled with: plain ones, and ones with quotes, line breaks, accents, Chinese
/// characters and emoji.
const TEXTS: [&str; 24] = [
    "the parcel was handed over at the door ",
    "no answer at the first ring, second try tomorrow ",
    "paid by card ending in 4111 ",
    "see ticket #20451 for the whole story ",
    "the customer said \"leave it with the neighbour\" ",
    "path C:\\export\\2024\\may ",
    "first line\nsecond line ",
    "columns\tset apart by tabs ",
    "crème brûlée, façade, naïve ",
    "Grüße aus Köln, Straße und Hof ",
    "配送済み、受領印あり ",
    "订单已发货,预计明天送达 ",
    "주문이 완료되었습니다 ",
    "thanks a lot 🎉🚀 ",
    "good 👍🏽, next time faster ",
    "половина заказа отменена ",
    "returned within 14 days, refund to the same card ",
    "discount applied: 12.5 % of 80.00 ",
    "status changed from open to packed to sent ",
    "please call before noon, the gate is closed later ",
    "two of three boxes were wet, photographs attached ",
    "gift wrapping in blue, card without a name ",
    "the invoice goes to the head office ",
    "https://example.com/orders?from=mail&step=3 ",
];

const CITIES: [&str; 12] = [
    "Lyon", "Köln", "Porto", "Łódź", "Bergen", "大阪", "Graz", "Leeds", "Turin", "Zürich", "Gent",
    "Malmö",
];

const TYPES: [&str; 5] = ["order", "visit", "return", "message", "payment"];

/// A text as it stands between the quotes of JSON and of a table.
struct Text {
    json: Vec<u8>,
    csv: Vec<u8>,
}

impl Text {
    /// Where `ascii` is set, JSON holds all other characters as `\uXXXX`.
    fn new(text: &str, ascii: bool) -> Self {
        let mut json = Vec::new();
        for character in text.chars() {
            match character {
                '"' | '\\' => json.extend([b'\\', character as u8]),
                '\n' => json.extend(b"\\n"),
                '\t' => json.extend(b"\\t"),
                _ if ascii && !character.is_ascii() => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        json.extend(b"\\u");
                        hex(&mut json, u64::from(*unit), 4);
                    }
                }
                _ => json.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        let csv = text.replace('"', "\"\"").into_bytes();
        Self { json, csv }
    }
}

/// The first digits of a number, with zeros before it.
fn digits<const COUNT: usize>(out: &mut Vec<u8>, mut number: u64) {
    let mut text = [b'0'; COUNT];
    for place in text.iter_mut().rev() {
        *place += (number % 10) as u8;
        number /= 10;
    }
    out.extend(text);
}

fn hex(out: &mut Vec<u8>, number: u64, count: u32) {
    for place in (0..count).rev() {
        let digit = (number >> (4 * place) & 15) as usize;
        out.push(b"0123456789abcdef"[digit]);
    }
}

/// A number without zeros before it.
fn number(out: &mut Vec<u8>, number: u64) {
    if number >= 10 {
        self::number(out, number / 10);
    }
    out.push(b'0' + (number % 10) as u8);
}

/// Hundredths as a number with up to two places.
fn decimal(out: &mut Vec<u8>, hundredths: u64) {
    number(out, hundredths / 100);
    match hundredths % 100 {
        0 => {}
        part if part % 10 == 0 => {
            out.push(b'.');
            digits::<1>(out, part / 10);
        }
        part => {
            out.push(b'.');
            digits::<2>(out, part);
        }
    }
}

/// A day of May 2024.
fn date(out: &mut Vec<u8>, millis: u64) {
    out.extend(b"2024-05-");
    digits::<2>(out, 1 + millis / DAY_MILLIS);
}

/// A moment of May 2024.
fn moment(out: &mut Vec<u8>, millis: u64) {
    date(out, millis);
    out.push(b'T');
    let seconds = millis / 1000;
    digits::<2>(out, seconds / 3600 % 24);
    out.push(b':');
    digits::<2>(out, seconds / 60 % 60);
    out.push(b':');
    digits::<2>(out, seconds % 60);
    out.push(b'.');
    digits::<3>(out, millis % 1000);
    out.push(b'Z');
}

/// JSON as it is written, compact or indented.
struct Json<'a> {
    out: &'a mut Vec<u8>,
    indented: bool,
    depth: usize,
    /// Whether the next name or element is the first one of its object or array.
    first: bool,
}

impl Json<'_> {
    fn open(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.depth += 1;
        self.first = true;
    }

    fn close(&mut self, bracket: u8) {
        self.depth -= 1;
        self.line();
        self.out.push(bracket);
        self.first = false;
    }

    fn line(&mut self) {
        if self.indented {
            self.out.push(b'\n');
            self.out.resize(self.out.len() + 2 * self.depth, b' ');
        }
    }

    fn element(&mut self) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        self.line();
    }

    fn name(&mut self, name: &str) {
        self.element();
        self.out.push(b'"');
        self.out.extend(name.as_bytes());
        self.out
            .extend(if self.indented { &b"\": "[..] } else { b"\":" });
    }

    /// Text that needs no escapes.
    fn quoted(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.out.push(b'"');
        write(self.out);
        self.out.push(b'"');
    }

    fn member(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.name(name);
        self.quoted(write);
    }
}

/// All that makes items and operations.
pub(crate) struct Data {
    seed: u64,
    items: u64,
    /// Where the share of each tenant ends, of 2^64.
    ends: Vec<u64>,
    /// The first user of each tenant, and the end of the last one's.
    users: Vec<u64>,
    texts: Vec<Text>,
}

/// The values of an item that are keys.
struct Item {
    id: u64,
    tenant: u64,
    user: u64,
    session: u64,
    device: u64,
    zip: u64,
    /// Milliseconds since the first of the days.
    time: u64,
    /// Draws the rest.
    rest: Numbers,
}

impl Item {
    fn id(&self) -> impl FnOnce(&mut Vec<u8>) {
        let id = self.id;
        move |out| hex(out, id, 10)
    }

    fn tenant(&self) -> impl FnOnce(&mut Vec<u8>) {
        let tenant = self.tenant;
        move |out| {
            out.push(b't');
            digits::<4>(out, tenant);
        }
    }

    fn user(&self) -> impl FnOnce(&mut Vec<u8>) {
        let user = self.user;
        move |out| {
            out.push(b'u');
            digits::<6>(out, user);
        }
    }

    fn session(&self) -> impl FnOnce(&mut Vec<u8>) {
        let session = self.session;
        move |out| hex(out, session, 10)
    }

    fn device(&self) -> impl FnOnce(&mut Vec<u8>) {
        let device = self.device;
        move |out| {
            out.push(b'd');
            digits::<7>(out, device);
        }
    }

    fn zip(&self) -> impl FnOnce(&mut Vec<u8>) {
        let zip = self.zip;
        move |out| digits::<5>(out, zip)
    }

    fn date(&self) -> impl FnOnce(&mut Vec<u8>) {
        let time = self.time;
        move |out| date(out, time)
    }

    fn moment(&self) -> impl FnOnce(&mut Vec<u8>) {
        let time = self.time;
        move |out| moment(out, time)
    }
}

impl Data {
    /// The data of so many items.
    pub(crate) fn new(seed: u64, items: u64) -> Self {
        let weights = || (1..=TENANTS).map(|rank| 1.0 / rank as f64);
        let sum: f64 = weights().sum();
        let (mut ends, mut users) = (Vec::new(), vec![0]);
        let mut reached = 0.0;
        for weight in weights() {
            reached += weight / sum;
            ends.push((reached * u64::MAX as f64) as u64);
            let before = users[users.len() - 1];
            let own = (USERS as f64 * weight / sum) as u64;
            users.push(before + own.max(1));
        }
        let texts = TEXTS.iter().enumerate();
        Self {
            seed,
            items,
            ends,
            users,
            texts: texts
                .map(|(place, text)| Text::new(text, place % 2 == 1))
                .collect(),
        }
    }

    fn item(&self, index: u64) -> Item {
        let mut rest = Numbers::of(self.seed, index);
        let draw = rest.next();
        let tenant = self.ends.partition_point(|end| *end < draw);
        let tenant = tenant.min(TENANTS - 1);
        let users = self.users[tenant]..self.users[tenant + 1];
        let count = users.end - users.start;
        // The smaller of two draws: some users come far more often than others.
        let user = users.start + rest.below(count).min(rest.below(count));
        let step = DAYS * DAY_MILLIS;
        let time = (u128::from(step) * u128::from(index) / u128::from(self.items.max(1))) as u64;
        let time = time.min(step - 1);
        let visit = (user * DAYS + time / DAY_MILLIS) * 2 + rest.below(2);
        Item {
            id: id_of(index),
            tenant: tenant as u64,
            user,
            session: mix(self.seed ^ visit),
            device: user * 3 + rest.below(3),
            zip: mix(self.seed ^ !user) % ZIPS,
            time,
            rest,
        }
    }

    /// Appends texts until so many bytes are reached.
    fn text(
        &self,
        out: &mut Vec<u8>,
        numbers: &mut Numbers,
        bytes: u64,
        form: impl Fn(&Text) -> &[u8],
    ) {
        let end = out.len() + bytes as usize;
        while out.len() < end {
            let place = numbers.below(TEXTS.len() as u64) as usize;
            out.extend(form(&self.texts[place]));
        }
    }

    /// Writes an item as JSON.
    fn json(&self, json: &mut Json<'_>, index: u64) {
        let item = self.item(index);
        let mut rest = item.rest;
        json.open(b'{');
        json.member("id", item.id());
        json.member("type", |out| {
            out.extend(TYPES[rest.below(TYPES.len() as u64) as usize].as_bytes());
        });
        json.member("tenantId", item.tenant());
        json.member("userId", item.user());
        json.member("sessionId", item.session());
        json.member("deviceId", item.device());
        json.member("ts", item.moment());
        json.member("date", item.date());
        json.name("amount");
        decimal(json.out, rest.below(100_000));
        json.name("active");
        let active: &[u8] = if rest.below(4) > 0 { b"true" } else { b"false" };
        json.out.extend(active);
        json.member("title", |out| {
            self.text(out, &mut rest, 20, |text| &text.json);
        });
        json.name("address");
        json.open(b'{');
        json.member("street", |out| {
            number(out, 1 + rest.below(400));
            out.extend(b" Long Road");
        });
        json.member("city", |out| {
            out.extend(CITIES[rest.below(CITIES.len() as u64) as usize].as_bytes());
        });
        json.member("zip", item.zip());
        json.close(b'}');
        json.name("lines");
        json.open(b'[');
        for _ in 0..=rest.below(3) {
            json.element();
            json.open(b'{');
            json.member("sku", |out| hex(out, rest.next(), 8));
            json.name("count");
            number(json.out, 1 + rest.below(9));
            json.name("price");
            decimal(json.out, 1 + rest.below(20_000));
            json.name("discount");
            json.out.extend(b"null");
            json.close(b'}');
        }
        json.close(b']');
        json.name("tags");
        json.open(b'[');
        for _ in 0..rest.below(4) {
            json.element();
            json.quoted(|out| hex(out, rest.next(), 6));
        }
        json.close(b']');
        json.member("note", |out| {
            let bytes = 250 + rest.below(465);
            self.text(out, &mut rest, bytes, |text| &text.json);
        });
        json.close(b'}');
    }

    /// Writes an item as a row of a table.
    fn row(&self, out: &mut Vec<u8>, index: u64) {
        let item = self.item(index);
        let mut rest = item.rest;
        let mut cell = |write: &mut dyn FnMut(&mut Vec<u8>, &mut Numbers)| {
            write(out, &mut rest);
            out.push(b',');
        };
        cell(&mut |out, _| item.id()(out));
        cell(&mut |out, rest| {
            out.extend(TYPES[rest.below(TYPES.len() as u64) as usize].as_bytes());
        });
        cell(&mut |out, _| item.tenant()(out));
        cell(&mut |out, _| item.user()(out));
        cell(&mut |out, _| item.session()(out));
        cell(&mut |out, _| item.device()(out));
        cell(&mut |out, _| item.moment()(out));
        cell(&mut |out, _| item.date()(out));
        cell(&mut |out, rest| decimal(out, rest.below(100_000)));
        cell(&mut |out, rest| {
            out.extend(if rest.below(4) > 0 {
                &b"true"[..]
            } else {
                b"false"
            });
        });
        cell(&mut |out, rest| {
            out.push(b'"');
            self.text(out, rest, 20, |text| &text.csv);
            out.push(b'"');
        });
        cell(&mut |out, rest| {
            number(out, 1 + rest.below(400));
            out.extend(b" Long Road");
        });
        cell(&mut |out, rest| {
            out.extend(CITIES[rest.below(CITIES.len() as u64) as usize].as_bytes());
        });
        cell(&mut |out, _| item.zip()(out));
        out.push(b'"');
        let bytes = 135 + rest.below(250);
        self.text(out, &mut rest, bytes, |text| &text.csv);
        out.extend(b"\"\n");
    }

    /// Writes all items.
    pub(crate) fn write_items(&self, form: ItemForm, to: &mut dyn Write) -> io::Result<()> {
        let mut block = Block::new(to);
        match form {
            ItemForm::Lines => {
                for index in 0..self.items {
                    let mut json = Json {
                        out: &mut block.bytes,
                        indented: false,
                        depth: 0,
                        first: true,
                    };
                    self.json(&mut json, index);
                    block.bytes.push(b'\n');
                    block.pass_on()?;
                }
            }
            ItemForm::Array => {
                block.bytes.push(b'[');
                for index in 0..self.items {
                    let mut json = Json {
                        out: &mut block.bytes,
                        indented: true,
                        depth: 1,
                        first: index == 0,
                    };
                    json.element();
                    self.json(&mut json, index);
                    block.pass_on()?;
                }
                block.bytes.extend(b"\n]\n");
            }
            ItemForm::Csv => {
                block.bytes.extend(
                    b"id,type,tenantId,userId,sessionId,deviceId,ts,date,amount,active,title,\
                      address.street,address.city,address.zip,note\n",
                );
                for index in 0..self.items {
                    self.row(&mut block.bytes, index);
                    block.pass_on()?;
                }
            }
        }
        block.end()
    }

    /// Writes so many operations on these items over the days, in the order of time.
    ///
    /// Of 20 operations 14 are reads and two are writes of an item, whose properties they name; four
    /// are queries for a user, a tenant or a device.
    pub(crate) fn write_log(
        &self,
        operations: u64,
        form: LogForm,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let mut block = Block::new(to);
        if form == LogForm::Csv {
            block.bytes.extend(
                b"ts,op,id,filter.tenantId,filter.userId,filter.sessionId,filter.deviceId,\
                  filter.address.zip,filter.date,ru:number\n",
            );
        }
        for index in 0..operations {
            let mut numbers = Numbers::of(!self.seed, index);
            let item = self.item(numbers.below(self.items.max(1)));
            let step = u128::from(DAYS * DAY_MILLIS);
            let time = (step * u128::from(index) / u128::from(operations)) as u64;
            let asked = match numbers.below(20) {
                0..14 => Asked::new("read", Named::All, 100),
                14..16 => Asked::new("upsert", Named::All, 600 + numbers.below(500)),
                16..18 => Asked::new("query", Named::User, 280 + numbers.below(300)),
                18 => Asked::new("query", Named::Tenant, 280 + numbers.below(2000)),
                _ => Asked::new("query", Named::Device, 280 + numbers.below(100)),
            };
            match form {
                LogForm::Csv => asked.row(&mut block.bytes, time, &item),
                LogForm::Jsonl => asked.json(&mut block.bytes, time, &item),
            }
            block.pass_on()?;
        }
        block.end()
    }
}

/// What an operation names of the item that it is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    All,
    User,
    Tenant,
    Device,
}

/// An operation.
struct Asked {
    kind: &'static str,
    named: Named,
    /// Hundredths of an RU.
    charge: u64,
}

impl Asked {
    fn new(kind: &'static str, named: Named, charge: u64) -> Self {
        Self {
            kind,
            named,
            charge,
        }
    }

    fn row(&self, out: &mut Vec<u8>, time: u64, item: &Item) {
        moment(out, time);
        out.push(b',');
        out.extend(self.kind.as_bytes());
        let all = self.named == Named::All;
        let mut cell = |named: bool, write: &mut dyn FnMut(&mut Vec<u8>)| {
            out.push(b',');
            if named {
                write(out);
            }
        };
        cell(all, &mut |out| item.id()(out));
        cell(self.named != Named::Device, &mut |out| item.tenant()(out));
        cell(all || self.named == Named::User, &mut |out| {
            item.user()(out);
        });
        cell(all, &mut |out| item.session()(out));
        cell(all || self.named == Named::Device, &mut |out| {
            item.device()(out);
        });
        cell(all, &mut |out| item.zip()(out));
        cell(all, &mut |out| item.date()(out));
        cell(true, &mut |out| decimal(out, self.charge));
        out.push(b'\n');
    }

    fn json(&self, out: &mut Vec<u8>, time: u64, item: &Item) {
        let mut json = Json {
            out,
            indented: false,
            depth: 0,
            first: true,
        };
        let all = self.named == Named::All;
        json.open(b'{');
        json.member("ts", |out| moment(out, time));
        json.member("op", |out| out.extend(self.kind.as_bytes()));
        if all {
            json.member("id", item.id());
        }
        json.name("filter");
        json.open(b'{');
        if self.named != Named::Device {
            json.member("tenantId", item.tenant());
        }
        if all || self.named == Named::User {
            json.member("userId", item.user());
        }
        if all {
            json.member("sessionId", item.session());
        }
        if all || self.named == Named::Device {
            json.member("deviceId", item.device());
        }
        if all {
            json.member("address.zip", item.zip());
            json.member("date", item.date());
        }
        json.close(b'}');
        json.name("ru");
        decimal(json.out, self.charge);
        json.close(b'}');
        json.out.push(b'\n');
    }
}

/// Writes so many items of at most 64 bytes, each with an id of its own.
pub(crate) fn write_small(seed: u64, items: u64, to: &mut dyn Write) -> io::Result<()> {
    let mut block = Block::new(to);
    for index in 0..items {
        block.bytes.extend(b"{\"id\":\"");
        hex(&mut block.bytes, id_of(index), 10);
        block.bytes.extend(b"\",\"t\":\"");
        digits::<4>(&mut block.bytes, Numbers::of(seed, index).below(10_000));
        block.bytes.extend(b"\"}\n");
        block.pass_on()?;
    }
    block.end()
}

/// Bytes on their way out.
struct Block<'a> {
    to: &'a mut dyn Write,
    bytes: Vec<u8>,
}

impl<'a> Block<'a> {
    fn new(to: &'a mut dyn Write) -> Self {
        Self {
            to,
            bytes: Vec::with_capacity(BLOCK_BYTES + (1 << 14)),
        }
    }

    fn pass_on(&mut self) -> io::Result<()> {
        if self.bytes.len() >= BLOCK_BYTES {
            self.to.write_all(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }

    fn end(self) -> io::Result<()> {
        self.to.write_all(&self.bytes)?;
        self.to.flush()
    }
}
