//! Where does the script of a text change?
//!
//! Useful for: passing each stretch to its analyser. Not useful for: languages, which share scripts.
//! Invariant: runs are in order, adjacent, differ in script from their neighbours, and cover the text.

use crate::Script;

/// A maximal stretch of one script: code points `start..end` of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First code point.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// Its script.
    pub script: Script,
}

/// The script runs of `text`, in order, covering it; none for an empty text.
///
/// A combining mark continues the run before it (one that opens the text counts as a letter of another script).
pub fn runs(text: &str) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    for (at, c) in text.chars().enumerate() {
        let script = Script::of(c);
        match found.last_mut() {
            Some(run) if script.is_none_or(|script| script == run.script) => run.end = at + 1,
            _ => found.push(Run {
                start: at,
                end: at + 1,
                script: script.unwrap_or(Script::Other),
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let characters: Vec<char> = text.chars().collect();
        let show = |run: &Run| {
            let slice: String = characters[run.start..run.end].iter().collect();
            format!("{}:{slice}", run.script.name())
        };
        runs(text).iter().map(show).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_run_ends_where_the_script_changes() {
        let rows = [
            ("", ""),
            ("Docker设定", "latin:Docker|han:设定"),
            (
                "iPhone15を買う",
                "latin:iPhone|digit:15|kana:を|han:買|kana:う",
            ),
            ("サーバー", "kana:サーバー"),
            ("人々〆切", "han:人々〆切"),
            ("한국 사람", "hangul:한국|space: |hangul:사람"),
            ("ไทย 5", "thai:ไทย|space: |digit:5"),
            ("Привет, мир", "other:Привет|space:, |other:мир"),
            ("हिन्दी", "other:हिन्दी"),
            ("e\u{301}t", "latin:e\u{301}t"),
            ("\u{301}a", "other:\u{301}|latin:a"),
        ];
        for (text, expected) in rows {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn runs_cover_the_text_without_gap_or_overlap() {
        let text = "昨日Docker 24で\u{3099}、안녕 ไทย\0😀𠮷!";
        let mut next = 0;
        for run in runs(text) {
            assert_eq!(run.start, next);
            assert!(run.end > run.start);
            next = run.end;
        }
        assert_eq!(next, text.chars().count());
    }
}
