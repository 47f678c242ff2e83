use super::*;
use session_core::{CallStatus, Turn};
use session_search::TurnOrigin;

fn brief(exchanges: &mut Vec<Exchange>) -> Option<TurnRange> {
    make_brief(with_row(&SessionRow::default()), "a1b2c3d4", exchanges)
}

fn count_chars(exchanges: &[Exchange]) -> usize {
    with_row(&SessionRow::default()).count_json_chars(exchanges)
}

fn with_row(row: &SessionRow) -> BriefSession<'_> {
    BriefSession {
        row,
        continuation: None,
    }
}

#[test]
fn calls_are_shortened_and_words_are_not() {
    let long = "a\nb\nc";
    let cut = "a\n… 2 more lines";
    let call = ToolCall {
        command: Some(long.into()),
        output: Some(long.into()),
        input: json!({"command": long, "edits": [{"new_string": long}], "limit": 3}),
        ..ToolCall::default()
    };
    let said = TurnPart::Text { text: long.into() };
    let thinking = TurnPart::Thinking { text: long.into() };
    let turn = Turn {
        prompt: long.into(),
        parts: vec![said.clone(), thinking, TurnPart::Call(call.clone())],
        ..Turn::default()
    };
    let origin = TurnOrigin::History;
    let exchanges = [Exchange { turn, origin }];
    let exchanges = shorten_calls(&exchanges, TextLimit::with_lines(1));
    let shortened = ToolCall {
        command: Some(cut.into()),
        output: Some(cut.into()),
        input: json!({"command": cut, "edits": [{"new_string": cut}], "limit": 3}),
        ..call
    };
    let thinking = TurnPart::Thinking { text: cut.into() };
    let turn = &exchanges[0].turn;
    assert_eq!(turn.parts, [said, thinking, TurnPart::Call(shortened)]);
    assert_eq!(turn.prompt, long);
}

/// A turn of so many commands, each with an output of 6 KB.
fn long_turn(commands: usize) -> Vec<Exchange> {
    let call = |n: usize| {
        TurnPart::Call(ToolCall {
            command: Some(format!("make {n}")),
            output: Some("lamp oil wick\n".repeat(430)),
            ..ToolCall::default()
        })
    };
    let turn = Turn {
        prompt: "Light the lamp".into(),
        parts: (0..commands).map(call).collect(),
        ..Turn::default()
    };
    let origin = TurnOrigin::History;
    vec![Exchange { turn, origin }]
}

#[test]
fn brief_turns_fit_into_one_answer() {
    for commands in [1, 40, 400] {
        let mut exchanges = long_turn(commands);
        brief(&mut exchanges);
        assert!(count_chars(&exchanges) <= BRIEF_CHARS, "{commands}");
        assert_eq!(exchanges[0].turn.prompt, "Light the lamp");
    }
    let mut few = long_turn(1);
    brief(&mut few);
    assert_eq!(few, shorten_calls(&long_turn(1), TextLimit::BRIEF));
    let mut many = long_turn(400);
    brief(&mut many);
    let shown = many[0].turn.parts.len() - 1;
    assert!(shown > 24, "{shown}");
    let left_out = 400 - shown;
    assert_eq!(
        find_notice(&many[0]).unwrap(),
        format!(
            "[session-search: {left_out} parts left out by --brief; next: session-search show a1b2c3d4:0 --only commands]"
        )
    );
}

#[test]
fn the_session_that_goes_on_is_counted() {
    let next = SessionRow {
        uid: "a1b2c3d4-0000-4000-8000-000000000000".into(),
        ..SessionRow::default()
    };
    let row = SessionRow::default();
    let session = BriefSession {
        row: &row,
        continuation: Some(&next),
    };
    let whole = vec![working_turn(0, &"oil ".repeat(20_000))];
    let mut alone = whole.clone();
    brief(&mut alone);
    assert!(session.count_json_chars(&alone) > BRIEF_CHARS);
    let mut continued = whole;
    make_brief(session, "a1b2c3d4", &mut continued);
    assert!(session.count_json_chars(&continued) <= BRIEF_CHARS);
}

fn find_notice(exchange: &Exchange) -> Option<&str> {
    exchange.turn.parts.iter().find_map(|part| match part {
        TurnPart::Notice { text } => Some(text.as_str()),
        _ => None,
    })
}

#[test]
fn many_turns_fit_too_and_thoughts_are_counted() {
    let mut exchanges: Vec<Exchange> = (0..40).flat_map(|_| long_turn(9)).collect();
    let thought = TurnPart::Thinking {
        text: "Oil?".into(),
    };
    exchanges[0].turn.parts.insert(0, thought);
    brief(&mut exchanges);
    assert_eq!(exchanges.len(), 40);
    assert!(count_chars(&exchanges) <= BRIEF_CHARS);
    let shown = exchanges[1].turn.parts.len() - 1;
    let text = |count| format!("[session-search: {count} parts left out by --brief; ");
    let notice = |turn: usize| find_notice(&exchanges[turn]).unwrap();
    assert!(notice(1).starts_with(&text(9 - shown)), "{}", notice(1));
    assert!(notice(0).starts_with(&text(10 - shown)), "{}", notice(0));
}

/// A turn whose call has an input of many strings and names many files.
fn wide_turn(index: u32) -> Exchange {
    let call = ToolCall {
        input: json!({"todos": vec!["Trim the wick of the lamp"; 60]}),
        files: vec!["/home/ann/harbour/lamp.rs".into(); 60],
        ..ToolCall::default()
    };
    let turn = Turn {
        index,
        prompt: "Light the lamp".into(),
        parts: vec![TurnPart::Call(call); 3],
        ..Turn::default()
    };
    let origin = TurnOrigin::History;
    Exchange { turn, origin }
}

#[test]
fn turns_in_the_middle_are_left_out_and_named() {
    for count in [1, 2, 60] {
        let mut exchanges: Vec<Exchange> = (0..count).map(wide_turn).collect();
        let left_out = brief(&mut exchanges);
        assert!(count_chars(&exchanges) <= BRIEF_CHARS, "{count}");
        let kept: Vec<u32> = exchanges.iter().map(|e| e.turn.index).collect();
        let Some(TurnRange(range)) = left_out else {
            assert_eq!(kept, Vec::from_iter(0..count));
            continue;
        };
        let expected = (0..count).filter(|turn| !range.contains(turn));
        assert_eq!(kept, Vec::from_iter(expected));
        assert!(kept.len() > 4 && count > 2, "{range:?}");
    }
}

fn make_call(name: &str, file: &str, status: CallStatus) -> TurnPart {
    TurnPart::Call(ToolCall {
        name: name.into(),
        files: vec![file.into()],
        output: Some("lamp oil wick\n".repeat(430)),
        status,
        ..ToolCall::default()
    })
}

#[test]
fn thoughts_are_left_out_first() {
    let text = "Is there oil?\n".repeat(8);
    let mut parts = vec![TurnPart::Thinking { text }; 300];
    parts.push(make_call("Read", "/lamp.rs", CallStatus::Done));
    let mut exchanges = long_turn(0);
    exchanges[0].turn.parts = parts;
    let whole = exchanges.clone();
    brief(&mut exchanges);
    let notice =
        "[session-search: 300 thoughts left out by --brief; next: session-search show a1b2c3d4:0]";
    assert_eq!(find_notice(&exchanges[0]), Some(notice));
    let shortened = shorten_calls(&whole, TextLimit::BRIEF);
    assert_eq!(exchanges[0].turn.parts[1..], shortened[0].turn.parts[300..]);
}

/// A turn of reads, within which files are edited and a command fails, and its answer.
fn working_turn(reads: usize, answer: &str) -> Exchange {
    let mut parts: Vec<TurnPart> = (0..reads)
        .map(|n| make_call("Read", &format!("/lamp{n}.rs"), CallStatus::Done))
        .collect();
    let notable = [
        make_call("Edit", "/wick.rs", CallStatus::Done),
        make_call("Bash", "/match", CallStatus::Failed),
        make_call("Write", "/oil.rs", CallStatus::Done),
    ];
    parts.splice(reads / 2..reads / 2, notable);
    let text = answer.into();
    parts.push(TurnPart::Text { text });
    let mut exchange = long_turn(0).remove(0);
    exchange.turn.parts = parts;
    exchange
}

fn named_files(exchange: &Exchange) -> Vec<&str> {
    let files = exchange.turn.parts.iter().filter_map(|part| match part {
        TurnPart::Call(call) => call.files.first(),
        _ => None,
    });
    files.map(String::as_str).collect()
}

#[test]
fn an_answer_is_whole_where_it_fits_and_edits_and_failures_stay() {
    for (reads, lines) in [(300, 10), (300, 1_200), (90, 1_500)] {
        let answer = "The lamp burns.\n".repeat(lines);
        let mut exchanges = vec![working_turn(reads, answer.trim_end())];
        brief(&mut exchanges);
        let chars = count_chars(&exchanges);
        assert!(chars <= BRIEF_CHARS && chars > BRIEF_CHARS - 500, "{chars}");
        let last = exchanges[0].turn.parts.last();
        let text = answer.trim_end().to_owned();
        assert!(last == Some(&TurnPart::Text { text }), "{lines}");
        let files = named_files(&exchanges[0]);
        for file in ["/wick.rs", "/match", "/oil.rs"] {
            assert!(files.contains(&file), "{files:?}");
        }
    }
}

#[test]
fn many_texts_do_not_displace_few_edits() {
    let mut exchange = working_turn(0, "The lamp burns.");
    let texts = (0..400).map(|n| TurnPart::Text {
        text: format!("{n}: {}", "trim the wick ".repeat(9)),
    });
    let texts: Vec<TurnPart> = texts.collect();
    exchange.turn.parts.splice(0..0, texts[..200].to_vec());
    exchange.turn.parts.splice(203..203, texts[200..].to_vec());
    let mut exchanges = vec![exchange];
    brief(&mut exchanges);
    assert!(count_chars(&exchanges) <= BRIEF_CHARS);
    let files = ["/wick.rs", "/match", "/oil.rs"];
    assert_eq!(named_files(&exchanges[0]), files);
    let notice = "[session-search: 2";
    assert!(find_notice(&exchanges[0]).unwrap().starts_with(notice));
}

#[test]
fn answers_of_several_turns_take_the_room_that_there_is() {
    let answer = |lines: usize| "The lamp burns.\n".repeat(lines).trim_end().to_owned();
    let turn = |lines: usize| working_turn(40, &answer(lines));
    let mut exchanges: Vec<Exchange> = (0..12).map(|n| turn(100 * (n % 2))).collect();
    brief(&mut exchanges);
    let chars = count_chars(&exchanges);
    assert!(chars <= BRIEF_CHARS && chars > BRIEF_CHARS - 500, "{chars}");
    let text = answer(100);
    for exchange in exchanges.iter().skip(1).step_by(2) {
        assert_eq!(
            exchange.turn.parts.last(),
            Some(&TurnPart::Text { text: text.clone() })
        );
    }
    // These are too long together: each is cut to the same length.
    let mut exchanges: Vec<Exchange> = (0..12).map(|_| turn(400)).collect();
    brief(&mut exchanges);
    assert!(count_chars(&exchanges) <= BRIEF_CHARS);
    let kept = exchanges
        .iter()
        .map(|exchange| match exchange.turn.parts.last() {
            Some(TurnPart::Text { text }) => text.len(),
            part => panic!("{part:?}"),
        });
    let kept: Vec<usize> = kept.collect();
    assert!(
        kept.iter().all(|bytes| *bytes == kept[0] && *bytes > 1_000),
        "{kept:?}"
    );
}
