// Sets the partition key @KEY@ of an item before it is written.
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.*;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.*;
import java.util.concurrent.ThreadLocalRandom;

final class PartitionKeyOf {
    static Map<String, Object> setPartitionKey(Map<String, Object> item) {
        @LINES@
        return item;
    }

    private static final Object MISSING = new Object();

    static Object get(Object item, String... names) {
        for (String name : names) {
            if (!(item instanceof Map<?, ?> map) || !map.containsKey(name)) return MISSING;
            item = map.get(name);
        }
        return item;
    }

    /** What is missing, a list or a map makes no text. */
    static boolean isText(Object value) {
        return value != MISSING && !(value instanceof Map) && !(value instanceof Collection);
    }

    /** Numbers as JavaScript prints them. */
    static String text(Object value) {
        if (!isText(value)) return "";
        return value instanceof Number n ? number(n.doubleValue()) : String.valueOf(value);
    }

    static String number(double value) {
        if (value == 0) return "0";
        // The fewest digits that read back.
        BigDecimal shortest = new BigDecimal(value);
        for (int digits = 1; digits <= 17; digits++) {
            BigDecimal rounded = new BigDecimal(String.format(Locale.ROOT, "%." + (digits - 1) + "e", value));
            if (rounded.doubleValue() == value) { shortest = rounded; break; }
        }
        String digits = shortest.stripTrailingZeros().unscaledValue().abs().toString();
        int point = digits.length() - shortest.stripTrailingZeros().scale();
        StringBuilder out = new StringBuilder(value < 0 ? "-" : "");
        if (0 < point && point <= 21) {
            if (digits.length() <= point) out.append(digits).append("0".repeat(point - digits.length()));
            else out.append(digits, 0, point).append('.').append(digits.substring(point));
        } else if (-6 < point && point <= 0) {
            out.append("0.").append("0".repeat(-point)).append(digits);
        } else {
            out.append(digits.charAt(0));
            if (digits.length() > 1) out.append('.').append(digits.substring(1));
            out.append('e').append(point > 0 ? "+" : "").append(point - 1);
        }
        return out.toString();
    }

    /** A moment in UTC: RFC 3339, a date or a time without zone, or a number since 1970. */
    static String moment(Object value, int length) {
        Instant at;
        if (value instanceof Number n) {
            double number = n.doubleValue();
            at = Instant.ofEpochMilli((long) Math.floor(number < 1e11 ? number * 1000 : number));
        } else if (value instanceof String s) {
            try {
                at = s.length() <= 10 ? LocalDate.parse(s).atStartOfDay().toInstant(ZoneOffset.UTC) : zoned(s);
            } catch (DateTimeParseException e) {
                return "";
            }
        } else {
            return "";
        }
        return DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm").withZone(ZoneOffset.UTC).format(at).substring(0, length);
    }

    private static Instant zoned(String text) {
        String s = text.replace(' ', 'T').replace('z', 'Z');
        String behind = s.substring(10);
        boolean hasZone = behind.endsWith("Z") || behind.contains("+") || behind.contains("-");
        return hasZone ? OffsetDateTime.parse(s).toInstant() : LocalDateTime.parse(s).toInstant(ZoneOffset.UTC);
    }

    static String first(String text, int count) {
        int[] points = text.codePoints().limit(count).toArray();
        return new String(points, 0, points.length);
    }

    static String last(String text, int count) {
        int[] points = text.codePoints().toArray();
        int from = Math.max(0, points.length - count);
        return new String(points, from, points.length - from);
    }

    static String lower(String text) { return text.toLowerCase(Locale.ROOT); }

    static String upper(String text) { return text.toUpperCase(Locale.ROOT); }

    static String randomSuffix(int count) { return String.valueOf(1 + ThreadLocalRandom.current().nextInt(count)); }

    /** FNV-1a of 32 bits over UTF-8, its halves folded, from 1 to count. */
    static String suffix(Object value, int count) {
        if (!isText(value)) return "";
        int hash = 0x811c9dc5;
        for (byte b : text(value).getBytes(StandardCharsets.UTF_8)) hash = (hash ^ (b & 0xff)) * 0x01000193;
        return String.valueOf(1 + Integer.remainderUnsigned(hash ^ (hash >>> 16), count));
    }
}
