//! Which numbers does a text write in Han characters?
//!
//! Useful for: finding 3天 by 三天. Not useful for: dates; see omoide.dates.
//! Invariant: a single digit counts only before a unit of measure or time, so that 一般 and 三国 contain no number.

/// What may follow a single digit that is a number: units of time, money and measure, and counters, in folded form.
const UNITS: &str = "年月日号天周时点秒岁元块圆人名次回度层楼章页卷集季届位册匹台辆件杯瓶碗米斤倍枚个头条张步代期话阶";
/// A single 一 is a number only before these: elsewhere it means "a" (一人, 一个, 一次, 一度).
const UNITS_OF_ONE: &str = "年月日号时";

/// Each number in digits, with its code points `start..end`. Positional (二〇二四) and with units of ten (二十三万).
///
/// ```
/// assert_eq!(omoide_text::numerals("二〇二四年三月"), [("2024".to_owned(), 0, 4), ("3".to_owned(), 5, 6)]);
/// ```
pub fn numerals(text: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut run: Vec<char> = Vec::new();
    for (at, c) in text.chars().chain(['\0']).enumerate() {
        if digit(c).is_some() || unit(c).is_some() {
            run.push(c);
        } else if !run.is_empty() {
            if run.len() > 1 || lone_counts(run[0], c) {
                found.extend(value(&run).map(|value| (value.to_string(), at - run.len(), at)));
            }
            run.clear();
        }
    }
    found
}

fn lone_counts(digit: char, next: char) -> bool {
    let units = if digit == '一' { UNITS_OF_ONE } else { UNITS };
    units.contains(next)
}

/// The value of a run of numerals; `None` if it is no number (十十, 万三千十千) or too large.
fn value(run: &[char]) -> Option<u64> {
    if run.iter().all(|&c| digit(c).is_some()) {
        return positional(run);
    }
    let (mut total, mut section, mut waiting) = (0_u64, 0_u64, None);
    let (mut last_unit, mut last_large) = (u64::MAX, u64::MAX);
    for &c in run {
        if let Some(digit) = digit(c) {
            // 一百零三: a zero only marks a skipped place.
            if waiting.is_some_and(|before| before != 0) {
                return None;
            }
            waiting = Some(digit);
        } else if let Some(unit) = unit(c) {
            if unit >= 10_000 {
                section += waiting.take().unwrap_or(0);
                if unit > last_large {
                    // 两万亿: so many hundred millions.
                    (total, section) = (0, total + section);
                }
                total = total.checked_add(section.max(1).checked_mul(unit)?)?;
                (section, last_unit, last_large) = (0, u64::MAX, unit);
            } else {
                if unit >= last_unit {
                    return None;
                }
                section += waiting.take().unwrap_or(1).max(1) * unit;
                last_unit = unit;
            }
        }
    }
    total.checked_add(section + waiting.unwrap_or(0))
}

fn positional(run: &[char]) -> Option<u64> {
    run.iter().try_fold(0_u64, |value, &c| {
        value.checked_mul(10)?.checked_add(digit(c)?)
    })
}

fn digit(c: char) -> Option<u64> {
    Some(match c {
        '〇' | '零' => 0,
        '一' => 1,
        '二' | '两' | '兩' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    })
}

fn unit(c: char) -> Option<u64> {
    match c {
        '十' => Some(10),
        '百' => Some(100),
        '千' => Some(1_000),
        '万' | '萬' => Some(10_000),
        '亿' | '億' => Some(100_000_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_words_are_not() {
        let rows: [(&str, &[&str]); 17] = [
            ("三天前", &["3"]),
            ("三国", &[]),
            ("一般", &[]),
            ("一人一个一日", &["1"]),
            ("二十三日", &["23"]),
            ("十五人", &["15"]),
            ("十月", &["10"]),
            ("一百零三页", &["103"]),
            ("两万五千", &["25000"]),
            ("三亿六千万人", &["360000000"]),
            ("两万亿元", &["2000000000000"]),
            ("一万二千亿五百万", &["1200005000000"]),
            ("二〇二四年", &["2024"]),
            ("九九九九九九九九九九九九九九九九九九九九九", &[]),
            ("十十", &[]),
            ("第三章和第十二章", &["3", "12"]),
            ("", &[]),
        ];
        for (text, expected) in rows {
            let found: Vec<String> = numerals(text).into_iter().map(|found| found.0).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
