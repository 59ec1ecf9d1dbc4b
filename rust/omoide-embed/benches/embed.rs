//! How long does the vector of a text take? `cargo bench -p omoide-embed`.

use divan::Bencher;
use omoide_embed::{Lexical, Scratch, StaticModel};
use safetensors::Dtype;
use safetensors::tensor::{TensorView, serialize_to_file};
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// One text in each language, some sixty characters each.
const TEXTS: [&str; 3] = [
    "昨日の会議では、来年度の予算について話し合いました。営業部の田中さんは京都の支店を三月までに広げたいと言っています。",
    "昨天的会议讨论了明年的预算。销售部的王小姐希望在三月之前扩大京都的分店，下次会议在星期三下午两点开始，请准备资料。",
    "yesterday's meeting was about next year's budget and the shop in kyoto",
];
const LANGUAGES: [usize; 3] = [0, 1, 2];
const DIMENSIONS: usize = 256;
const TOKENS: usize = 20_000;

fn main() {
    divan::main();
}

#[divan::bench(args = LANGUAGES)]
fn by_spelling(bencher: Bencher, language: usize) {
    let lexical = Lexical::new(1_024);
    bencher.bench(|| lexical.embed(divan::black_box(TEXTS[language])));
}

#[divan::bench(args = LANGUAGES)]
fn by_a_table_of_tokens(bencher: Bencher, language: usize) {
    let (model, folder) = table();
    let mut scratch = Scratch::default();
    bencher.bench_local(|| model.embed(divan::black_box(TEXTS[language]), &mut scratch));
    fs::remove_dir_all(folder).expect("it was just made");
}

/// A model with one token for each of the first characters of Latin, kana and Han in Unicode, and made-up numbers.
fn table() -> (StaticModel, PathBuf) {
    let folder = std::env::temp_dir().join(format!("omoide-table-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("room on the disk");
    let characters = ('a'..='z')
        .chain('\u{3041}'..='\u{30ff}')
        .chain('\u{4e00}'..);
    let vocabulary: serde_json::Map<String, serde_json::Value> = characters
        .take(TOKENS)
        .enumerate()
        .map(|(number, character)| (character.to_string(), number.into()))
        .collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": false},
        "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "a"},
    });
    let files = [
        ("tokenizer.json", tokenizer),
        ("config.json", json!({"normalize": true})),
    ];
    for (name, content) in files {
        fs::write(folder.join(name), content.to_string()).expect("room on the disk");
    }
    let numbers: Vec<u8> = (0..TOKENS * DIMENSIONS)
        .flat_map(|at| ((at * 37 % 101) as f32 / 101.0 - 0.5).to_le_bytes())
        .collect();
    let view = TensorView::new(Dtype::F32, vec![TOKENS, DIMENSIONS], &numbers).expect("as many");
    let tensors = [("embeddings", view)];
    serialize_to_file(tensors, None, &folder.join("model.safetensors")).expect("room on the disk");
    (StaticModel::load(&folder).expect("a whole model"), folder)
}
