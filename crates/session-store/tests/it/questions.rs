//! Questions in languages that are written without spaces.

use crate::support::{filled, prompts};
use session_core::Query;

#[test]
fn a_question_is_searched_by_the_pairs_of_its_subject() {
    let turns = ["数据库连接池耗尽了", "上次的问题是怎么解决的"];
    let (_index, reader) = filled(&turns);
    let query = "数据库连接池的问题怎么解决的";
    assert_eq!(prompts(&reader, query)[0], turns[0]);
    let found = reader.search_lexical(&Query::new(query), 9, |_| Ok(true));
    let terms = found.unwrap().terms.into_iter();
    let terms: Vec<String> = terms.map(|term| term.term).collect();
    assert_eq!(terms, ["数据", "据库", "库连", "连接", "接池"]);
}

#[test]
fn a_subject_of_one_pair_is_found() {
    let turns = [
        "文字化けした",
        "この前の問題はどうやって解決したんでしたっけ",
        "乱码了",
    ];
    let (_index, reader) = filled(&turns);
    assert_eq!(prompts(&reader, "乱码是怎么修复的"), [turns[2]]);
    let found = prompts(
        &reader,
        "この前の文字化けはどうやって解決したんでしたっけ？",
    );
    assert_eq!(found, [turns[0]]);
}

/// Particles are parts of other words: `的` of `目的地`, `か` of `動かない`.
#[test]
fn a_subject_stays_whole() {
    let turns = [
        "目的地设置",
        "配置文件在哪里",
        "サーバーが動かない",
        "報告がない",
        "期限がない仕事",
    ];
    let (_index, reader) = filled(&turns);
    assert_eq!(prompts(&reader, "目的地怎么配置")[0], turns[0]);
    assert_eq!(prompts(&reader, "動かないのはなぜ")[0], turns[2]);
}

#[test]
fn a_question_that_stands_in_a_turn_is_found_as_it_stands() {
    let turns = ["网络怎么了", "怎么了"];
    let (_index, reader) = filled(&turns);
    assert_eq!(prompts(&reader, "怎么了").len(), 2);
    assert_eq!(prompts(&reader, turns[0]), [turns[0]]);
}
