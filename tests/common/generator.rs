//! Makes the samples, and data of any size for tests and measurements: the same seed, the same bytes.

use std::fmt::Write;

/// A small seeded source of numbers (`SplitMix64`).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// One tenant of the first sample.
struct Tenant {
    name: &'static str,
    items: u64,
    users: u64,
    /// RU a second.
    load: u64,
}

/// Tenant A is large, tenant D is busy.
const TENANTS: [Tenant; 6] = [
    Tenant {
        name: "A",
        items: 250,
        users: 31,
        load: 900,
    },
    Tenant {
        name: "B",
        items: 80,
        users: 16,
        load: 1200,
    },
    Tenant {
        name: "C",
        items: 70,
        users: 14,
        load: 1000,
    },
    Tenant {
        name: "D",
        items: 60,
        users: 30,
        load: 10_000,
    },
    Tenant {
        name: "E",
        items: 20,
        users: 10,
        load: 800,
    },
    Tenant {
        name: "F",
        items: 20,
        users: 10,
        load: 700,
    },
];

/// Charge of a read of a user's orders, and of a tenant's overview, in RU.
const USER_CHARGE: u64 = 4;
const OVERVIEW_CHARGE: u64 = 10;

fn user(number: u64) -> String {
    format!("u{number:02}")
}

/// Items of the multi-tenant sample.
pub fn tenants_data() -> String {
    let mut numbers = Numbers::new(1);
    let mut out = String::new();
    for tenant in &TENANTS {
        for number in 0..tenant.items {
            let user = user(number % tenant.users);
            let note = "x".repeat(700 + numbers.below(400) as usize);
            let total = numbers.below(50_000);
            writeln!(
                out,
                r#"{{"id":"{}-{number:04}","tenantId":"{}","userId":"{user}","total":{}.{:02},"note":"{note}"}}"#,
                tenant.name.to_lowercase(),
                tenant.name,
                total / 100,
                total % 100
            )
            .expect("memory");
        }
    }
    out
}

/// Twenty seconds of the multi-tenant sample, as a native log in CSV.
pub fn tenants_log() -> String {
    let mut out =
        String::from("ts,op,shape,filter.tenantId,filter.userId,ru:number,count:number\n");
    for second in 0..20_u64 {
        for tenant in &TENANTS {
            // One in fifty RU goes to overviews of the whole tenant.
            let overviews = tenant.load / 50 / OVERVIEW_CHARGE;
            let reads = (tenant.load - overviews * OVERVIEW_CHARGE) / USER_CHARGE;
            let users = 5;
            for slot in 0..users {
                let user = user((second * users + slot) % tenant.users);
                let millisecond = slot * 1000 / users;
                writeln!(
                    out,
                    "2024-05-03T10:00:{second:02}.{millisecond:03}Z,query,orders-of-user-{},{},{user},{USER_CHARGE},{}",
                    tenant.name.to_lowercase(),
                    tenant.name,
                    reads / users
                )
                .expect("memory");
            }
            writeln!(
                out,
                "2024-05-03T10:00:{second:02}.001Z,query,overview-{},{},,{OVERVIEW_CHARGE},{overviews}",
                tenant.name.to_lowercase(),
                tenant.name
            )
            .expect("memory");
        }
    }
    out
}

const VEHICLES: u64 = 200;

fn vin(number: u64) -> String {
    format!("WPK{:05}{:04}", (number * 7919) % 100_000, number)
}

/// Items of the telemetry sample: ten days of 200 vehicles.
pub fn telemetry_data() -> String {
    let mut numbers = Numbers::new(2);
    let mut out = String::new();
    for day in 1..=10_u64 {
        for vehicle in 0..VEHICLES {
            writeln!(
                out,
                r#"{{"id":"{day:02}-{vehicle:04}","vin":"{}","date":"2024-05-{day:02}","ts":"2024-05-{day:02}T{:02}:{:02}:00Z","speed":{},"soc":{}}}"#,
                vin(vehicle),
                numbers.below(24),
                numbers.below(60),
                numbers.below(130),
                numbers.below(100)
            )
            .expect("memory");
        }
    }
    out
}

/// Twenty seconds of the telemetry sample: each vehicle writes into today, and looks at its own day.
pub fn telemetry_log() -> String {
    let mut out = String::new();
    for tick in 0..4_u64 {
        for vehicle in 0..VEHICLES {
            let microsecond = vehicle * 5_000_000 / VEHICLES + tick * 5_000_000;
            let (second, rest) = (microsecond / 1_000_000, microsecond % 1_000_000);
            let vin = vin(vehicle);
            writeln!(
                out,
                r#"{{"ts":"2024-05-10T12:00:{second:02}.{rest:06}Z","op":"create","shape":"report-of-vehicle","item":{{"vin":"{vin}","date":"2024-05-10"}},"ru":6,"count":75}}"#
            )
            .expect("memory");
            writeln!(
                out,
                r#"{{"ts":"2024-05-10T12:00:{second:02}.{rest:06}Z","op":"query","shape":"day-of-vehicle","query":"SELECT * FROM c WHERE c.vin = @v AND c.date = @d","params":{{"@v":"{vin}","@d":"2024-05-10"}},"ru":4,"count":25}}"#
            )
            .expect("memory");
        }
    }
    out
}
