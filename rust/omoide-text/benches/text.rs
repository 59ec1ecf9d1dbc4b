//! How long does the analysis of a text take, step by step? `cargo bench -p omoide-text`.

use divan::Bencher;
use divan::counter::CharsCount;
use omoide_text::{Chinese, Variants, Writing, grams, numerals, plain, words};
use std::sync::LazyLock;

/// One text in each language, some two hundred characters each.
const TEXTS: [(&str, &str); 3] = [
    (
        "ja",
        "昨日の会議では、来年度の予算について話し合いました。営業部の田中さんは、京都の支店を３月までに広げたいと言っています。\
         次の打ち合わせは水曜日の１４時からで、資料は前日までにサーバーへ置いてください。抹茶のお菓子を忘れずに。",
    ),
    (
        "zh",
        "昨天的會議討論了明年的預算。銷售部的王小姐希望在３月之前擴大京都的分店。下次會議在星期三下午兩點開始，請在前一天把資料\
         放到伺服器上。别忘了带抹茶点心，客户说他们很喜欢那家店的味道，而且价格也不贵。",
    ),
    (
        "en",
        "Yesterday's meeting was about next year's budget. Ms Tanaka of sales wants to enlarge the shop in Kyoto by 3 March; \
         the next meeting is on Wednesday at 14:00. Please put the slides on the server the day before, and bring matcha sweets.",
    ),
];
const LANGUAGES: [usize; 3] = [0, 1, 2];

fn main() {
    divan::main();
}

static CHINESE: LazyLock<Chinese> =
    LazyLock::new(|| Chinese::new(["的".to_owned(), "了".to_owned()], []));

fn measured<T>(bencher: Bencher, language: usize, work: impl Fn(&str) -> T + Sync) {
    let text = TEXTS[language].1;
    bencher
        .counter(CharsCount::of_str(text))
        .bench(|| work(divan::black_box(text)));
}

#[divan::bench(args = LANGUAGES)]
fn width_and_case(bencher: Bencher, language: usize) {
    measured(bencher, language, plain);
}

#[divan::bench(args = LANGUAGES)]
fn variants_of_characters(bencher: Bencher, language: usize) {
    let variants = Variants::new([('會', '会'), ('議', '议'), ('廣', '广'), ('ひ', 'ヒ')]);
    measured(bencher, language, |text| variants.fold(text).len());
}

#[divan::bench(args = LANGUAGES)]
fn character_grams(bencher: Bencher, language: usize) {
    measured(bencher, language, |text| grams(text).count());
}

#[divan::bench(args = LANGUAGES)]
fn words_between_spaces(bencher: Bencher, language: usize) {
    measured(bencher, language, |text| words(text, text).len());
}

#[divan::bench]
fn words_by_the_chinese_dictionary(bencher: Bencher) {
    measured(bencher, 1, |text| CHINESE.words(text).len());
}

#[divan::bench(args = LANGUAGES)]
fn numbers_written_out(bencher: Bencher, language: usize) {
    measured(bencher, language, numerals);
}

#[divan::bench(args = LANGUAGES)]
fn way_of_writing(bencher: Bencher, language: usize) {
    measured(bencher, language, Writing::of);
}
