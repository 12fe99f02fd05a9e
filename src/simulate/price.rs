//! What throughput and storage cost a month.

/// Hours in a month, as the service's calculator counts.
const HOURS: f64 = 730.0;

/// Prices in a currency of the user's; the defaults are list prices in US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// 100 RU/s for an hour.
    pub per_100_ru_hour: f64,
    /// A GB of storage for a month.
    pub per_gb_month: f64,
    /// Regions that hold the container.
    pub regions: u32,
}

/// List price of 100 RU/s for an hour, manual, in US dollars ("pricing").
pub const MANUAL_PRICE: f64 = 0.008;

/// List price of 100 RU/s for an hour, autoscale, in US dollars ("pricing").
pub const AUTOSCALE_PRICE: f64 = 0.012;

/// List price of a GB for a month, in US dollars ("pricing").
pub const STORAGE_PRICE: f64 = 0.25;

/// What a candidate costs a month.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MonthlyCost {
    /// All of it.
    pub total: f64,
    /// The throughput that a perfectly even load without fan-out needs.
    pub even: f64,
    /// What fan-out adds: the overhead of further partitions, spread evenly.
    pub fan_out: f64,
    /// What skew adds: the throughput that is bought because partitions are not used alike.
    pub skew: f64,
    /// Storage.
    pub storage: f64,
}

impl Prices {
    /// The price of a throughput for a month.
    pub fn throughput(&self, ru: u64) -> f64 {
        ru as f64 / 100.0 * self.per_100_ru_hour * HOURS * f64::from(self.regions)
    }

    /// The price of a candidate that needs `required` RU/s, of which `even` for an even load and
    /// `with_fan_out` for an even load with its fan-out.
    pub fn of(&self, required: u64, even: u64, with_fan_out: u64, bytes: u64) -> MonthlyCost {
        let even = even.min(required);
        let with_fan_out = with_fan_out.clamp(even, required);
        let storage = bytes as f64 / 1e9 * self.per_gb_month * f64::from(self.regions);
        MonthlyCost {
            total: self.throughput(required) + storage,
            even: self.throughput(even),
            fan_out: self.throughput(with_fan_out - even),
            skew: self.throughput(required - with_fan_out),
            storage,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_make_the_whole() {
        let prices = Prices {
            per_100_ru_hour: MANUAL_PRICE,
            per_gb_month: STORAGE_PRICE,
            regions: 2,
        };
        // 10,000 RU/s: 100 x 0.008 x 730 x 2 regions.
        assert!((prices.throughput(10_000) - 1168.0).abs() < 1e-9);
        let cost = prices.of(10_000, 4_000, 6_000, 100_000_000_000);
        assert!((cost.even + cost.fan_out + cost.skew + cost.storage - cost.total).abs() < 1e-9);
        assert!((cost.storage - 50.0).abs() < 1e-9);
        assert!((cost.skew - 2.0 * cost.fan_out).abs() < 1e-9);
    }
}
