//! Which numbers does a text write with Han characters?
//!
//! Useful for: finding 3天 by 三天. Not useful for: dates; see omoide.dates.
//! Invariant: a single digit counts only before a unit of measure or time, or as an ordinal or a percentage, so that 一般 and 三国
//! contain no number.

/// What may follow a single digit that is a number: units of time, money and measure, and counters, in folded form.
const UNITS: &str = "年月日号天周时点秒岁元块圆人名次回度层楼章页卷集季届位册匹台辆件杯瓶碗米斤倍枚个头条张步代期话阶\
本只双对家座棵首部支套口场盘份盒包袋串颗粒朵间栋款种类组箱株羽足";
/// A single 一 is a number only before these: elsewhere it means "a" (一人, 一个, 一次, 一度).
const UNITS_OF_ONE: &str = "年月日号时";

/// 第三 is a number, but 第三者, 第三方 and 第三国 are names of what is neither one nor the other.
const NO_ORDINAL_BEFORE: &str = "者方国";
/// What a percentage begins with in Chinese: 百分之五.
const PERCENT: &str = "百分之";

/// A word of a number.
#[derive(Clone, Copy)]
enum Numeral<'a> {
    /// 0 to 9, as a Han character.
    Digit(u64),
    /// A power of ten.
    Unit(u64),
    /// In ASCII digits: `8`, `1,980`, `19.8`.
    Number(&'a str),
}

/// Each number that is written with Han characters, in digits, with its code points `start..end`. Positional (二〇二四), with
/// units of ten (二十三万) and digits before these (19万8千, 1.5億). A digit behind a unit is read as the next smaller one, too:
/// 三万五 is 30005, or 35000 as many people say it.
///
/// ```
/// assert_eq!(omoide_text::numerals("二〇二四年三月"), [("2024".to_owned(), 0, 4), ("3".to_owned(), 5, 6)]);
/// assert_eq!(omoide_text::numerals("19万8千円"), [("198000".to_owned(), 0, 5)]);
/// ```
pub fn numerals(text: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut run: Vec<Numeral<'_>> = Vec::new();
    let (mut start, mut first_byte) = (0, 0);
    let mut chars = text.char_indices().chain([(text.len(), '\0')]).enumerate();
    while let Some((at, (byte, c))) = chars.next() {
        let numeral = if c.is_ascii_digit() {
            number(&text[byte..]).map(Numeral::Number)
        } else {
            numeral(c)
        };
        if let Some(numeral) = numeral {
            if run.is_empty() {
                (start, first_byte) = (at, byte);
            }
            run.push(numeral);
            if let Numeral::Number(digits) = numeral {
                digits[1..].chars().for_each(|_| _ = chars.next());
            }
        } else if !run.is_empty() {
            if run.len() > 1 || lone_counts(&text[..first_byte], run[0], c) {
                let values = [value(&run), spoken_value(&run)].into_iter().flatten();
                found.extend(values.map(|value| (value.to_string(), start, at)));
            }
            run.clear();
        }
    }
    found
}

/// An amount in ASCII digits, such as `1,980` or `1.5`, so many times; `None` if that is no whole number or too large.
pub(crate) fn multiplied(number: &str, times: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{}{fraction}", whole.replace(',', ""));
    let product = digits.parse::<u64>().ok()?.checked_mul(times)?;
    let divisor = 10_u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    (product % divisor == 0).then_some(product / divisor)
}

/// The number in ASCII digits that a text begins with, with commas before groups of three and a fraction.
fn number(text: &str) -> Option<&str> {
    let digits = |from: usize| {
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let has = |at: usize, mark: u8| text.as_bytes().get(at) == Some(&mark);
    let mut end = digits(0);
    if end == 0 {
        return None;
    }
    while has(end, b',') && digits(end + 1) == 3 {
        end += 4;
    }
    if has(end, b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    Some(&text[..end])
}

fn lone_counts(before: &str, numeral: Numeral<'_>, next: char) -> bool {
    let is_ordinal = before.ends_with('第');
    match numeral {
        Numeral::Number(_) => false,
        _ if before.ends_with(PERCENT) => true,
        Numeral::Digit(1) if is_ordinal => UNITS.contains(next),
        _ if is_ordinal => !NO_ORDINAL_BEFORE.contains(next),
        Numeral::Digit(1) => UNITS_OF_ONE.contains(next),
        Numeral::Digit(_) | Numeral::Unit(_) => UNITS.contains(next),
    }
}

impl Numeral<'_> {
    fn times(self, unit: u64) -> Option<u64> {
        match self {
            Self::Digit(value) | Self::Unit(value) => value.checked_mul(unit),
            Self::Number(digits) => multiplied(digits, unit),
        }
    }
}

/// The value of a run of numerals; `None` if it is no number (十十, 万三千十千, 三3) or too large.
fn value(run: &[Numeral<'_>]) -> Option<u64> {
    if !run
        .iter()
        .any(|numeral| matches!(numeral, Numeral::Unit(_)))
    {
        return positional(run);
    }
    let (mut total, mut section) = (0_u64, 0_u64);
    let mut waiting: Option<Numeral<'_>> = None;
    let (mut last_unit, mut last_large) = (u64::MAX, u64::MAX);
    for &numeral in run {
        let Numeral::Unit(unit) = numeral else {
            // 一百零三: a zero only marks a skipped place.
            if waiting.is_some_and(|before| !matches!(before, Numeral::Digit(0))) {
                return None;
            }
            waiting = Some(numeral);
            continue;
        };
        if unit >= 10_000 {
            if unit > last_large {
                // 两万亿: so many hundred millions.
                (total, section) = (0, total + section);
            }
            let of_section = section.checked_mul(unit)?;
            let of_waiting = match waiting.take() {
                None if section == 0 => unit,
                None => 0,
                Some(waiting) => waiting.times(unit)?,
            };
            total = total.checked_add(of_section.checked_add(of_waiting)?)?;
            (section, last_unit, last_large) = (0, u64::MAX, unit);
        } else {
            if unit >= last_unit {
                return None;
            }
            let many = waiting.take().unwrap_or(Numeral::Digit(1));
            section = section.checked_add(many.times(unit)?)?;
            last_unit = unit;
        }
    }
    let rest = waiting.map_or(Some(0), |waiting| waiting.times(1))?;
    total.checked_add(section)?.checked_add(rest)
}

/// The value of a run whose last digit stands for tens, hundreds, ... because the unit before it does: 8千6 is 8600.
fn spoken_value(run: &[Numeral<'_>]) -> Option<u64> {
    let [
        Numeral::Digit(_) | Numeral::Number(_),
        ..,
        Numeral::Unit(unit @ 100..),
        last,
    ] = run
    else {
        return None;
    };
    let digit = last.times(1).filter(|digit| (1..10).contains(digit))?;
    value(&run[..run.len() - 1])?.checked_add(digit * (unit / 10))
}

fn positional(run: &[Numeral<'_>]) -> Option<u64> {
    run.iter().try_fold(0_u64, |value, numeral| match numeral {
        Numeral::Digit(digit) => value.checked_mul(10)?.checked_add(*digit),
        _ => None,
    })
}

fn numeral<'a>(c: char) -> Option<Numeral<'a>> {
    let digit = digit(c).map(Numeral::Digit);
    digit.or_else(|| unit(c).map(Numeral::Unit))
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
        let rows: [(&str, &[&str]); 36] = [
            ("三天前", &["3"]),
            (
                "两本书、三只猫、四家店、五双鞋、六足",
                &["2", "3", "4", "5", "6"],
            ),
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
            ("第三针、第二ターミナル、第一章", &["3", "2", "1"]),
            ("第一是第三者、第三方", &[]),
            ("百分之十、百分之五点、三分之一", &["10", "5"]),
            ("19万8千円", &["198000"]),
            ("8.5万円の家賃", &["85000"]),
            ("押金3万块", &["30000"]),
            ("1,234万人", &["12340000"]),
            ("1.5億と12万3,400", &["150000000", "123400"]),
            ("0.12345万", &[]),
            ("3,5万", &["50000"]),
            ("12/345万", &["3450000"]),
            ("2024年3月15日 1.2.3", &[]),
            ("三3千二3", &[]),
            ("两万五", &["20005", "25000"]),
            ("8千6", &["8006", "8600"]),
            ("万一、八千零六、一万二千", &["10001", "8006", "12000"]),
            ("二百三十、三百二", &["230", "302", "320"]),
            (
                "两千一、8千1、8千10",
                &["2001", "2100", "8001", "8100", "8010"],
            ),
            ("", &[]),
        ];
        for (text, expected) in rows {
            let found: Vec<String> = numerals(text).into_iter().map(|found| found.0).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
