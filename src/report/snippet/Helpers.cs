// Sets the partition key @KEY@ of an item before it is written.
using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;

static class PartitionKeyOf
{
    public static JsonObject SetPartitionKey(JsonObject item)
    {
        @LINES@
        return item;
    }

    static (bool found, JsonNode? value) get(JsonNode? item, params string[] names)
    {
        foreach (var name in names)
        {
            if (item is not JsonObject map || !map.TryGetPropertyValue(name, out item)) return (false, null);
        }
        return (true, item);
    }

    // What is missing, an array or an object makes no text.
    static bool isText((bool found, JsonNode? value) of) => of.found && of.value is not (JsonObject or JsonArray);

    // Numbers as JavaScript prints them.
    static string text((bool found, JsonNode? value) of)
    {
        if (!isText(of)) return "";
        if (of.value is null) return "null";
        var value = of.value.AsValue();
        if (value.TryGetValue<string>(out var s)) return s;
        if (value.TryGetValue<bool>(out var b)) return b ? "true" : "false";
        return number(value.GetValue<double>());
    }

    static string number(double value)
    {
        if (value == 0) return "0";
        // "R" gives the fewest digits that read back.
        var parts = Math.Abs(value).ToString("R", CultureInfo.InvariantCulture).Split('E');
        var front = parts[0].Split('.');
        var whole = front[0].TrimStart('0');
        var rest = front.Length > 1 ? front[1] : "";
        var exponent = parts.Length > 1 ? int.Parse(parts[1], CultureInfo.InvariantCulture) : 0;
        var point = whole.Length + exponent;
        var all = whole + rest;
        var leading = all.Length - all.TrimStart('0').Length;
        if (whole.Length == 0) point -= leading;
        var digits = all.TrimStart('0').TrimEnd('0');
        var sign = value < 0 ? "-" : "";
        if (0 < point && point <= 21)
            return sign + (digits.Length <= point ? digits.PadRight(point, '0') : digits[..point] + "." + digits[point..]);
        if (-6 < point && point <= 0) return sign + "0." + new string('0', -point) + digits;
        var mantissa = digits.Length > 1 ? digits[0] + "." + digits[1..] : digits;
        return sign + mantissa + "e" + (point > 0 ? "+" : "") + (point - 1).ToString(CultureInfo.InvariantCulture);
    }

    // A moment in UTC: RFC 3339, a date or a time without zone, or a number since 1970.
    static string moment((bool found, JsonNode? value) of, int length)
    {
        if (of.value is not JsonValue value) return "";
        DateTimeOffset at;
        if (value.TryGetValue<string>(out var s))
        {
            const DateTimeStyles utc = DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal;
            if (!DateTimeOffset.TryParse(s, CultureInfo.InvariantCulture, utc, out at)) return "";
        }
        else if (value.TryGetValue<double>(out var n))
        {
            at = DateTimeOffset.FromUnixTimeMilliseconds((long)Math.Floor(n < 1e11 ? n * 1000 : n));
        }
        else return "";
        return at.UtcDateTime.ToString("yyyy-MM-ddTHH:mm", CultureInfo.InvariantCulture)[..length];
    }

    static string first(string text, int count) => string.Concat(text.EnumerateRunes().Take(count).Select(r => r.ToString()));
    static string last(string text, int count) => string.Concat(text.EnumerateRunes().TakeLast(count).Select(r => r.ToString()));
    static string lower(string text) => text.ToLowerInvariant();
    static string upper(string text) => text.ToUpperInvariant();
    static string randomSuffix(int count) => Random.Shared.Next(1, count + 1).ToString(CultureInfo.InvariantCulture);

    // FNV-1a of 32 bits over UTF-8, its halves folded, from 1 to count.
    static string suffix((bool found, JsonNode? value) of, int count)
    {
        if (!isText(of)) return "";
        uint hash = 0x811c9dc5;
        foreach (var b in Encoding.UTF8.GetBytes(text(of))) hash = unchecked((hash ^ b) * 0x01000193);
        return (1 + (hash ^ hash >> 16) % (uint)count).ToString(CultureInfo.InvariantCulture);
    }
}
