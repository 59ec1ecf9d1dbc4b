//! The tokens found directly are those that the library finds, for every kind of tokenizer and any text.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::str::FromStr;

const ORDINARY: [&str; 4] = [
    "昨日、京都で抹茶を飲んだ。㈱ドリンク　１２",
    "我昨天在京都喝了抹茶，“会议”在三点",
    "Yesterday's MEETING  was in Kyoto, Café drink\tdrinking!\n",
    "ﬁne ½ ™ ▲ § ß Σ",
];
const JOINING: [&str; 6] = [
    "か\u{3099}",
    "e\u{301}",
    "👍🏽",
    "🇯🇵",
    "ㄱ\u{1161}\u{11a8}",
    "a\r\nb",
];
const NORMALIZERS: [&str; 9] = [
    "null",
    r#"{"type": "NFC"}"#,
    r#"{"type": "NFKC"}"#,
    r#"{"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]}"#,
    r#"{"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}"#,
    r#"{"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Strip", "strip_left": true, "strip_right": true}]}"#,
    r#"{"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Strip", "strip_left": false, "strip_right": true},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]}"#,
    r#"{"type": "Sequence", "normalizers": [{"type": "Sequence", "normalizers": [{"type": "Lowercase"}]},
        {"type": "Replace", "pattern": {"String": "."}, "content": " . "},
        {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "},
        {"type": "Strip", "strip_left": false, "strip_right": true}]}"#,
    r#"{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}"#,
];
const PIECES: [&str; 3] = [
    r#"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": false}"#,
    r#"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}"#,
    r#"{"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}]}"#,
];
const WORDS: [&str; 16] = [
    "京都", "抹茶", "飲", "会議", "会议", "matcha", "kyoto", "meeting", "meet", "ing", "drink",
    "s", "▁drink", "▁", ".", "a▁b",
];
const CHARACTERS: &str = "京都抹茶飲会議喝议昨日我天在了。、，abcdefgiklmnorstuvwxyz012'";

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).expect("written above")
}

fn tokenizer(model: &Value, normalizer: &Value, pre_tokenizer: &Value, added: &Value) -> Tokenizer {
    let described = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer, "post_processor": null, "decoder": null, "model": model,
    });
    Tokenizer::from_str(&described.to_string()).expect("well described")
}

fn unigram() -> Value {
    let characters = CHARACTERS.chars().map(String::from);
    let tokens = ["<pad>", "<unk>"].map(String::from).into_iter();
    let tokens = tokens.chain(WORDS.map(String::from)).chain(characters);
    let scored = (0..)
        .zip(tokens)
        .map(|(at, token)| json!([token, -f64::from(at % 37) / 3.0 - 1.0]));
    json!({"type": "Unigram", "unk_id": 1, "byte_fallback": false, "vocab": scored.collect::<Vec<_>>()})
}

fn wordpiece() -> Value {
    let characters = CHARACTERS
        .chars()
        .flat_map(|c| [c.to_string(), format!("##{c}")]);
    let tokens = ["[PAD]", "[UNK]", "##ing", "##都"]
        .map(String::from)
        .into_iter();
    let tokens = tokens.chain(WORDS.map(String::from)).chain(characters);
    let vocabulary: serde_json::Map<String, Value> = tokens.zip((0..).map(Value::from)).collect();
    json!({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 8,
        "vocab": vocabulary})
}

/// Two added tokens, the second one normalised.
fn added(first: &str) -> Value {
    let token = |id: u32, content: &str, normalized: bool| {
        json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": normalized, "special": !normalized})
    };
    json!([token(0, first, false), token(900, "Kyoto.", true)])
}

/// Every tokenizer that can be made of the parts above.
fn tokenizers() -> Vec<Arc<Tokenizer>> {
    let bert = json!({"type": "BertPreTokenizer"});
    let none = json!([]);
    let mut made = vec![
        tokenizer(&wordpiece(), &parsed(NORMALIZERS[8]), &bert, &none),
        tokenizer(
            &wordpiece(),
            &parsed(NORMALIZERS[1]),
            &bert,
            &added("[PAD]"),
        ),
    ];
    for normalizer in &NORMALIZERS[..8] {
        for pieces in PIECES {
            for added in [none.clone(), added("<pad>")] {
                made.push(tokenizer(
                    &unigram(),
                    &parsed(normalizer),
                    &parsed(pieces),
                    &added,
                ));
            }
        }
    }
    made.into_iter().map(Arc::new).collect()
}

fn direct(tokenizer: &Arc<Tokenizer>) -> Option<Direct> {
    Direct::of(tokenizer, Some(1))
}

fn found(direct: &Direct, text: &str) -> Option<Vec<u32>> {
    direct.tokens(text, usize::MAX, &mut Scratch::default())
}

fn by_library(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
    let encoding = tokenizer
        .encode_fast(text, false)
        .expect("any text will do");
    encoding.get_ids().to_vec()
}

#[test]
fn ordinary_texts_are_found_directly_and_joining_characters_left_to_the_library() {
    for tokenizer in tokenizers() {
        let direct = direct(&tokenizer).expect("of a known kind");
        for text in ORDINARY {
            assert_eq!(
                found(&direct, text),
                Some(by_library(&tokenizer, text)),
                "{text}"
            );
        }
        for text in JOINING {
            assert_eq!(found(&direct, text), None, "{text}");
        }
    }
}

/// (text, scores of tokens): a token with a literal space is not one with the mark of a gap; the first of equal ways counts; an
/// unknown character costs ten more than the least probable token, no less and no more.
#[test]
fn of_ways_that_are_nearly_as_probable_the_one_of_the_library_is_found() {
    let cases = [
        (
            "a b",
            json!([["▁a", -3.0], ["▁b", -3.0], ["▁a▁b", -1.0], ["▁a b", -1.0]]),
        ),
        (
            "京都",
            json!([["▁", -1.0], ["京", -1.0], ["都", -1.0], ["京都", -2.0]]),
        ),
        (
            "喝茶☂",
            json!([["▁", -1.0], ["喝茶", -0.5], ["喝", -10.0], ["茶☂", -10.0]]),
        ),
        (
            "抹茶ラテ☂",
            json!([
                ["▁", -1.0],
                ["抹茶ラテ", -0.5],
                ["抹茶", -10.0],
                ["ラ", -1.0],
                ["テ☂", -10.0]
            ]),
        ),
    ];
    for (text, scored) in cases {
        let mut vocabulary = vec![json!(["<pad>", 0.0]), json!(["<unk>", 0.0])];
        vocabulary.extend(scored.as_array().expect("written above").iter().cloned());
        let model =
            json!({"type": "Unigram", "unk_id": 1, "byte_fallback": false, "vocab": vocabulary});
        let tokenizer = Arc::new(tokenizer(
            &model,
            &json!(null),
            &parsed(PIECES[0]),
            &json!([]),
        ));
        let direct = direct(&tokenizer).expect("of a known kind");
        assert_eq!(
            found(&direct, text),
            Some(by_library(&tokenizer, text)),
            "{text}"
        );
    }
}

#[test]
fn tokens_that_continue_a_word_may_have_any_prefix() {
    for prefix in ["", "@", "##"] {
        let mut model = wordpiece();
        model["continuing_subword_prefix"] = json!(prefix);
        for (at, piece) in ["a", "都", "ing"].into_iter().enumerate() {
            model["vocab"][format!("{prefix}{piece}")] = json!(1_000 + at);
        }
        let bert = json!({"type": "BertPreTokenizer"});
        let tokenizer = Arc::new(tokenizer(&model, &json!(null), &bert, &json!([])));
        let direct = direct(&tokenizer).expect("of a known kind");
        for text in ["meeting a", "京都都", "meeta 会议a", "ing"] {
            assert_eq!(
                found(&direct, text),
                Some(by_library(&tokenizer, text)),
                "{prefix}{text}"
            );
        }
    }
}

#[test]
fn only_the_first_tokens_are_found_where_no_more_count() {
    for tokenizer in tokenizers() {
        let direct = direct(&tokenizer).expect("of a known kind");
        let all = by_library(&tokenizer, ORDINARY[0]);
        let mut scratch = Scratch::default();
        for most in 0..all.len() {
            let first = direct.tokens(ORDINARY[0], most, &mut scratch);
            assert_eq!(first.as_deref(), Some(&all[..most]));
        }
    }
}

#[test]
fn texts_with_added_tokens_are_left_to_the_library() {
    let pre_tokenizer = parsed(PIECES[0]);
    let tokenizer = Arc::new(tokenizer(
        &unigram(),
        &parsed(NORMALIZERS[2]),
        &pre_tokenizer,
        &added("<pad>"),
    ));
    let direct = direct(&tokenizer).expect("of a known kind");
    for (text, alone) in [
        ("京都<pad>", false),
        ("in Ｋyoto. now", false),
        ("kyoto", true),
    ] {
        assert_eq!(found(&direct, text).is_some(), alone, "{text}");
    }
}

#[test]
fn tokenizers_of_other_kinds_are_left_to_the_library() {
    let (bert, pieces) = (json!({"type": "BertPreTokenizer"}), parsed(PIECES[0]));
    let mut bytes = unigram();
    bytes["byte_fallback"] = json!(true);
    let mut likely = unigram();
    likely["vocab"][5][1] = json!(30.0);
    for number in 0..likely["vocab"].as_array().map_or(0, Vec::len) {
        likely["vocab"][number][1] = json!(30.0);
    }
    let two = r#"{"type": "Replace", "pattern": {"String": "``"}, "content": "x"}"#;
    let late = r#"{"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": true, "strip_right": true}, {"type": "NFC"}]}"#;
    let late_left = r#"{"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": true, "strip_right": false},
        {"type": "Replace", "pattern": {"String": "。"}, "content": " "}]}"#;
    let late_right = r#"{"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": false, "strip_right": true},
        {"type": "Replace", "pattern": {"String": "。"}, "content": " "}]}"#;
    let moved = r#"{"type": "Replace", "pattern": {"String": "a"}, "content": "b"}"#;
    let first =
        r#"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": true}"#;
    for (model, normalizer, pre_tokenizer) in [
        (&bytes, "null", &pieces),
        (&likely, "null", &pieces),
        (&unigram(), two, &pieces),
        (&unigram(), late, &pieces),
        (&unigram(), late_left, &pieces),
        (&unigram(), late_right, &pieces),
        (&unigram(), moved, &pieces),
        (
            &unigram(),
            r#"{"type": "Prepend", "prepend": "x"}"#,
            &pieces,
        ),
        (&unigram(), "null", &parsed(first)),
        (&unigram(), "null", &bert),
        (&wordpiece(), "null", &pieces),
        (&wordpiece(), "null", &json!({"type": "Whitespace"})),
    ] {
        let tokenizer = tokenizer(model, &parsed(normalizer), pre_tokenizer, &json!([]));
        assert!(
            direct(&Arc::new(tokenizer)).is_none(),
            "{normalizer} {pre_tokenizer}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_has_the_library_s_tokens(
        text in "([京都抹茶飲会議议昨日我。、，abdikmnotcha Kyoto.ＡＢ０ㇷﾞ½ﬁ™ßİΣ▁\t\n\r\u{3000}\u{a0}\u{200b}\u{301}\u{3099}\u{ad}가각\u{1161}👍🏽🇯🇵]|meeting|drink|<pad>|Kyoto\\.|\\PC){0,12}",
    ) {
        for (tokenizer, direct) in KINDS.iter() {
            if let Some(found) = found(direct, &text) {
                prop_assert_eq!(found, by_library(tokenizer, &text), "{:?}", tokenizer.get_normalizer());
            }
        }
    }
}

static KINDS: std::sync::LazyLock<Vec<(Arc<Tokenizer>, Direct)>> = std::sync::LazyLock::new(|| {
    let known = |tokenizer| Some((Arc::clone(&tokenizer), direct(&tokenizer)?));
    tokenizers().into_iter().filter_map(known).collect()
});
