//! The built-in functions of the language, and how many arguments each takes.

/// A built-in function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// Its name, in upper case; in a query any case will do.
    pub name: &'static str,
    /// Fewest arguments.
    pub arguments_min: usize,
    /// Most arguments; `None` where any number is taken.
    pub arguments_max: Option<usize>,
}

impl Function {
    /// The built-in function of a name, in any case.
    pub fn of(name: &str) -> Option<Self> {
        let upper = || name.bytes().map(|byte| byte.to_ascii_uppercase());
        let found = ALL.binary_search_by(|(known, ..)| known.bytes().cmp(upper()));
        let (name, arguments_min, most) = ALL[found.ok()?];
        Some(Self {
            name,
            arguments_min: arguments_min.into(),
            arguments_max: (most != ANY).then_some(most.into()),
        })
    }

    /// Whether it takes all rows of a group.
    pub fn is_aggregate(&self) -> bool {
        matches!(
            self.name,
            "AVG" | "COUNT" | "COUNTIF" | "MAKELIST" | "MAKESET" | "MAX" | "MIN" | "SUM"
        )
    }
}

/// Any number of arguments.
const ANY: u8 = u8::MAX;

/// Name, fewest and most arguments, by name; 0 to [`ANY`] where the documentation does not say.
const ALL: [(&str, u8, u8); 165] = [
    ("ABS", 1, 1),
    ("ACOS", 1, 1),
    ("AGO", 0, ANY),
    ("ARRAY_AVG", 1, 1),
    ("ARRAY_CONCAT", 2, ANY),
    ("ARRAY_CONTAINS", 2, 3),
    ("ARRAY_CONTAINS_ALL", 2, ANY),
    ("ARRAY_CONTAINS_ANY", 2, ANY),
    ("ARRAY_LENGTH", 1, 1),
    ("ARRAY_MAX", 1, 1),
    ("ARRAY_MEDIAN", 1, 1),
    ("ARRAY_MIN", 1, 1),
    ("ARRAY_SLICE", 2, 3),
    ("ARRAY_SUM", 1, 1),
    ("ASIN", 1, 1),
    ("ATAN", 1, 1),
    ("ATN2", 2, 2),
    ("AVG", 1, 1),
    ("CEILING", 1, 1),
    ("CHOOSE", 2, ANY),
    ("CONCAT", 2, ANY),
    ("CONTAINS", 2, 3),
    ("CONTAINS_ALL_CI", 0, ANY),
    ("CONTAINS_ALL_CS", 0, ANY),
    ("CONTAINS_ANY_CI", 0, ANY),
    ("CONTAINS_ANY_CS", 0, ANY),
    ("COS", 1, 1),
    ("COT", 1, 1),
    ("COUNT", 1, 1),
    ("COUNTIF", 1, 1),
    ("DATETIMEADD", 3, 3),
    ("DATETIMEBIN", 2, 4),
    ("DATETIMEDIFF", 3, 3),
    ("DATETIMEFORMAT", 2, 2),
    ("DATETIMEFROMPARTS", 3, 7),
    ("DATETIMEPART", 2, 2),
    ("DATETIMETOTICKS", 1, 1),
    ("DATETIMETOTIMESTAMP", 1, 1),
    ("DAY", 0, ANY),
    ("DEGREES", 1, 1),
    ("DOCUMENTID", 1, 1),
    ("ENDSWITH", 2, 3),
    ("EXP", 1, 1),
    ("FLOOR", 1, 1),
    ("FULLTEXTCONTAINS", 2, ANY),
    ("FULLTEXTCONTAINSALL", 2, ANY),
    ("FULLTEXTCONTAINSANY", 2, ANY),
    ("FULLTEXTSCORE", 2, ANY),
    ("FULLTEXT_CONTAINS", 2, ANY),
    ("FULLTEXT_CONTAINS_ALL", 2, ANY),
    ("FULLTEXT_CONTAINS_ANY", 2, ANY),
    ("GETCURRENTDATETIME", 0, 0),
    ("GETCURRENTDATETIMESTATIC", 0, 0),
    ("GETCURRENTTICKS", 0, 0),
    ("GETCURRENTTICKSSTATIC", 0, 0),
    ("GETCURRENTTIMESTAMP", 0, 0),
    ("GETCURRENTTIMESTAMPSTATIC", 0, 0),
    ("HASH", 0, ANY),
    ("IIF", 3, 3),
    ("INDEX_OF", 2, 3),
    ("INTADD", 2, 2),
    ("INTBITAND", 2, 2),
    ("INTBITLEFTSHIFT", 2, 2),
    ("INTBITNOT", 1, 1),
    ("INTBITOR", 2, 2),
    ("INTBITRIGHTSHIFT", 2, 2),
    ("INTBITXOR", 2, 2),
    ("INTDIV", 2, 2),
    ("INTMOD", 2, 2),
    ("INTMUL", 2, 2),
    ("INTMULTIPLY", 2, 2),
    ("INTSUB", 2, 2),
    ("IS_ARRAY", 1, 1),
    ("IS_BOOL", 1, 1),
    ("IS_BOOLEAN", 1, 1),
    ("IS_DATETIME", 1, 1),
    ("IS_DEFINED", 1, 1),
    ("IS_FINITE_NUMBER", 1, 1),
    ("IS_INTEGER", 1, 1),
    ("IS_NULL", 1, 1),
    ("IS_NUMBER", 1, 1),
    ("IS_OBJECT", 1, 1),
    ("IS_PRIMITIVE", 1, 1),
    ("IS_STRING", 1, 1),
    ("LASTINDEXOF", 0, ANY),
    ("LASTSUBSTRINGAFTER", 0, ANY),
    ("LASTSUBSTRINGBEFORE", 0, ANY),
    ("LEFT", 2, 2),
    ("LENGTH", 1, 1),
    ("LOG", 1, 2),
    ("LOG10", 1, 1),
    ("LOWER", 1, 1),
    ("LTRIM", 1, 2),
    ("MAKELIST", 1, 1),
    ("MAKESET", 1, 1),
    ("MAX", 1, 1),
    ("MIN", 1, 1),
    ("MONTH", 0, ANY),
    ("NOW", 0, ANY),
    ("NUMBERBIN", 1, 2),
    ("OBJECTTOARRAY", 1, 3),
    ("OBJECT_TO_ARRAY", 1, 3),
    ("PI", 0, 0),
    ("POWER", 2, 2),
    ("RADIANS", 1, 1),
    ("RAND", 0, 0),
    ("REGEXEXTRACT", 2, ANY),
    ("REGEXEXTRACTALL", 2, ANY),
    ("REGEXMATCH", 2, 3),
    ("REPLACE", 3, 3),
    ("REPLICATE", 2, 2),
    ("REVERSE", 1, 1),
    ("RIGHT", 2, 2),
    ("ROUND", 1, 2),
    ("RRF", 1, ANY),
    ("RTRIM", 1, 2),
    ("SETDIFFERENCE", 2, 2),
    ("SETEQUAL", 2, 2),
    ("SETINTERSECT", 2, 2),
    ("SETUNION", 2, 2),
    ("SET_DIFFERENCE", 2, 2),
    ("SET_EQUAL", 2, 2),
    ("SET_INTERSECT", 2, 2),
    ("SET_UNION", 2, 2),
    ("SIGN", 1, 1),
    ("SIN", 1, 1),
    ("SQRT", 1, 1),
    ("SQUARE", 1, 1),
    ("STARTSWITH", 2, 3),
    ("STRINGEQUALS", 2, 3),
    ("STRINGJOIN", 2, 2),
    ("STRINGSPLIT", 2, 2),
    ("STRINGTOARRAY", 1, 1),
    ("STRINGTOBOOLEAN", 1, 1),
    ("STRINGTONULL", 1, 1),
    ("STRINGTONUMBER", 1, 1),
    ("STRINGTOOBJECT", 1, 1),
    ("STRING_EQUALS", 2, 3),
    ("STRING_JOIN", 2, 2),
    ("STRING_SPLIT", 2, 2),
    ("STRING_TO_ARRAY", 1, 1),
    ("STRING_TO_BOOLEAN", 1, 1),
    ("STRING_TO_NULL", 1, 1),
    ("STRING_TO_NUMBER", 1, 1),
    ("STRING_TO_OBJECT", 1, 1),
    ("ST_AREA", 1, 1),
    ("ST_DISTANCE", 2, 2),
    ("ST_INTERSECTS", 2, 2),
    ("ST_ISVALID", 1, 1),
    ("ST_ISVALIDDETAILED", 1, 1),
    ("ST_WITHIN", 2, 2),
    ("SUBSTRING", 2, 3),
    ("SUBSTRINGAFTER", 0, ANY),
    ("SUBSTRINGBEFORE", 0, ANY),
    ("SUM", 1, 1),
    ("TAN", 1, 1),
    ("TICKSTODATETIME", 1, 1),
    ("TIMESTAMPTODATETIME", 1, 1),
    ("TOSTRING", 1, 1),
    ("TO_STRING", 1, 1),
    ("TRIM", 1, 2),
    ("TRUNC", 1, 2),
    ("UPPER", 1, 1),
    ("VECTORDISTANCE", 2, 4),
    ("YEAR", 0, ANY),
];

/// What a function of another dialect is called here.
pub(super) fn counterpart(name: &str) -> Option<&'static str> {
    let hint = match name.to_ascii_uppercase().as_str() {
        "LEN" | "CHAR_LENGTH" => "the length of a text is LENGTH(c.x)",
        "ISNULL" | "IFNULL" | "NVL" | "COALESCE" => "a value instead of a missing one is c.x ?? 0",
        "SUBSTR" | "MID" => "a part of a text is SUBSTRING(c.x, start, length), from 0",
        "CHARINDEX" | "POSITION" | "INSTR" => "a text in a text is INDEX_OF(c.x, 'text'), from 0",
        "GETDATE" | "GETUTCDATE" | "SYSDATETIME" | "CURRENT_TIMESTAMP" => {
            "the time is GetCurrentDateTime() or GetCurrentTimestamp()"
        }
        "DATEADD" => "it is DateTimeAdd('dd', 1, c.x)",
        "DATEDIFF" => "it is DateTimeDiff('dd', c.x, c.y)",
        "DATEPART" => "it is DateTimePart('dd', c.x)",
        "CAST" | "CONVERT" => "types are changed by ToString, StringToNumber and their like",
        "CEIL" => "it is CEILING(c.x)",
        "POW" => "it is POWER(c.x, 2)",
        "UCASE" => "it is UPPER(c.x)",
        "LCASE" => "it is LOWER(c.x)",
        "IF" => "it is IIF(condition, a, b) or condition ? a : b",
        "ARRAY_AGG" | "GROUP_CONCAT" | "STRING_AGG" => "a group becomes a list by MAKELIST(c.x)",
        _ => return None,
    };
    Some(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_order_and_found_in_any_case() {
        assert!(ALL.is_sorted_by(|one, other| one.0 < other.0));
        for (name, ..) in ALL {
            let found = Function::of(&name.to_lowercase()).map(|function| function.name);
            assert_eq!(found, Some(name));
        }
        assert_eq!(Function::of("nofunction"), None);
        assert_eq!(Function::of(""), None);
    }

    #[test]
    fn no_function_is_said_to_be_another_dialects() {
        assert!(ALL.iter().all(|(name, ..)| counterpart(name).is_none()));
    }
}
