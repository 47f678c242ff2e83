//! `search`: levels one and two.

use crate::Found;
use crate::args::{FilterArgs, RankingArgs, SearchArgs};
use crate::command::{background, caller, demo, fresh, memory};
use crate::models::Models;
use crate::output::preview::{Preview, previews};
use crate::output::{compact, human, json, layout, notes};
use crate::when::Range;
use anyhow::{Result, bail};
use jiff::Zoned;
use session_config::Home;
use session_core::Query;
use session_core::text::printable;
use session_embed::ModelSpec;
use session_indexer::Outcome;
use session_report::{WorkSummary, read_turns};
use session_search::{
    Filter, FusionMode, Hit, Level, QueryEmbedding, Request, Resolved, Results, Tuning,
    is_of_project, resolve, search,
};
use session_sources::sources;
use session_store::{Reader, SessionRow, StoreError};
use std::io::Write;

/// A note is due while one session in so many, or more, is left to a model.
const LEFT_OF: usize = 20;

/// Runs the command.
///
/// # Errors
/// When the index or the model fails, or an argument names nothing.
pub fn run(args: &SearchArgs) -> Result<Found> {
    let home = Home::from_process()?;
    let models = Models::of(&home)?;
    let (refreshed, early) = refresh(args, &home, &models)?;
    let refreshed = refreshed.as_ref();
    let asked = match early {
        Some(asked) => Some(asked),
        None => ask_again(args, &home, &models, refreshed)?,
    };
    let Some(asked) = asked else {
        return no_history(args, &home, refreshed);
    };
    let left = asked.left(&models)?;
    if let Some(reason) = models.unreachable() {
        let note = "the other models answer in its place";
        writeln!(notes::stderr(), "note: {}; {note}", printable(&reason))?;
    }
    let found = print(args, &asked.answer, &asked.all, refreshed)?;
    if left > 0 && models.unreachable().is_none() {
        background::start(&home);
    }
    Ok(found)
}

/// Brings the index up to date. Meanwhile the index as it is gives its answer,
/// which counts where it was up to date.
fn refresh(
    args: &SearchArgs,
    home: &Home,
    models: &Models,
) -> Result<(Option<Outcome>, Option<Asked>)> {
    if args.no_refresh && session_store::index_exists(&home.root) {
        return Ok((None, None));
    }
    std::thread::scope(|scope| {
        let refreshing = scope.spawn(|| fresh::before_search(home, models));
        if !args.ranking.keyword_only && models.chosen().is_some() {
            scope.spawn(|| models.warm(&Query::new(&query(args)).text));
        }
        // What fails here is said when it is asked again.
        let early = ask(args, home, models, None).ok().flatten();
        let outcome = refreshing
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let counts = outcome == Outcome::default();
        Ok((Some(outcome), early.filter(|_| counts)))
    })
}

/// What the index answers.
struct Asked {
    all: Vec<SessionRow>,
    answer: Answer,
    /// Sessions that the chosen model has read.
    done: usize,
}

/// Asks the index, twice if need be: a matrix may go between a look at the
/// database and one at the matrix.
fn ask_again(
    args: &SearchArgs,
    home: &Home,
    models: &Models,
    refreshed: Option<&Outcome>,
) -> Result<Option<Asked>> {
    match ask(args, home, models, refreshed) {
        Err(error) if error.downcast_ref().is_some_and(StoreError::needs_rebuild) => {
            ask(args, home, models, refreshed)
        }
        other => other,
    }
}

/// What the index answers; nothing where there is no history.
fn ask(
    args: &SearchArgs,
    home: &Home,
    models: &Models,
    refreshed: Option<&Outcome>,
) -> Result<Option<Asked>> {
    let index = home.index()?;
    let all = index.sessions()?;
    if all.is_empty() && refreshed.is_none_or(Outcome::is_complete) {
        return Ok(None);
    }
    let see = |query: &str| models.dense(&index, query);
    let callers = caller::left_out(&args.filter, home, &all);
    let answer = answer(args, &index, &all, &callers, &see)?;
    let done = match models.chosen() {
        Some(chosen) => done(chosen, &index)?,
        None => all.len(),
    };
    Ok(Some(Asked { all, answer, done }))
}

fn done(model: &ModelSpec, index: &Reader) -> Result<usize> {
    let model = index.model(&model.fingerprint())?;
    let done = model.map_or(Ok(0), |model| index.embedded_sessions(model.id))?;
    Ok(usize::try_from(done).unwrap_or(usize::MAX))
}

impl Asked {
    /// Sessions that the chosen model has not read; where they are many, that
    /// is said.
    fn left(&self, models: &Models) -> Result<usize> {
        let (done, of) = (self.done, self.all.len());
        let left = of.saturating_sub(done);
        if let Some(chosen) = models.chosen().filter(|_| left * LEFT_OF > of) {
            writeln!(
                notes::stderr(),
                "note: {} has read {done} of {of} sessions; for the rest another model stands in",
                chosen.name
            )?;
        }
        Ok(left)
    }
}

/// What was asked, and what was found.
pub struct Answer {
    /// All words of the query.
    pub query: String,
    /// What was found.
    pub results: Results,
    /// Ids of the sessions that this was asked from: they are not among the hits.
    pub left_out: Vec<String>,
    /// The filter looked at single turns.
    narrowed: bool,
    /// What is shown of each hit.
    pub previews: Vec<Preview>,
    /// What was done in each hit, where that was asked for.
    done: Vec<WorkSummary>,
}

/// Answers from an index that holds something, without the sessions of
/// `callers` and what they started.
///
/// # Errors
/// As [`run`].
pub fn answer(
    args: &SearchArgs,
    index: &Reader,
    all: &[SessionRow],
    callers: &[&SessionRow],
    see: &dyn Fn(&str) -> Result<Vec<QueryEmbedding>>,
) -> Result<Answer> {
    let query = query(args);
    let mut filter = filter(&args.filter, all)?;
    if !callers.is_empty() {
        filter.exclude.extend(caller::with_subagents(callers, all));
    }
    let request = Request {
        query: Query::new(&query),
        level: if args.depth == 1 {
            Level::Session
        } else {
            Level::Turn
        },
        filter,
        fusion: fusion_mode(&args.ranking),
        tuning: Tuning::default(),
        limit: args.limit,
    };
    let dense = match request.fusion {
        FusionMode::LexicalOnly => Vec::new(),
        _ => see(&request.query.text)?,
    };
    let results = search(index, all, &request, &dense)?;
    let hits = results.hits.iter().take(match args.with.is_empty() {
        true => 0,
        false => usize::MAX,
    });
    Ok(Answer {
        done: hits
            .map(|hit| work(index, results.level, hit))
            .collect::<Result<_>>()?,
        previews: match args.compact {
            true => Vec::new(),
            false => previews(&results)?,
        },
        results,
        left_out: caller::ids(callers),
        narrowed: request.filter.by_turn(),
        query,
    })
}

/// The words of the query as one text.
fn query(args: &SearchArgs) -> String {
    let words = std::iter::once(&args.query).chain(&args.more);
    let words: Vec<_> = words.map(|w| w.to_string_lossy()).collect();
    words.join(" ")
}

/// Prints an answer.
///
/// # Errors
/// When it cannot be written.
pub fn print(
    args: &SearchArgs,
    answer: &Answer,
    all: &[SessionRow],
    refreshed: Option<&Outcome>,
) -> Result<Found> {
    let (query, results, explain) = (&answer.query, &answer.results, args.ranking.explain);
    let beside = args.memories.then(|| memory::beside(query)).transpose()?;
    if let (Some(beside), false) = (&beside, args.json) {
        write!(anstream::stdout(), "{}", beside.text(explain))?;
    }
    let found = found(results);
    if !args.json {
        caller::note(&answer.left_out)?;
        note_missing(results)?;
    }
    if args.compact {
        compact::print(answer, all, refreshed)?;
    } else if args.json {
        let memories = beside.as_ref().map(memory::Beside::candidates);
        let printed = json::answer(answer, explain, refreshed).with(&answer.done, &args.with);
        json::print(&json::with_memories(printed, memories))?;
    } else if found == Found::Nothing {
        writeln!(notes::stderr(), "{}", nothing(args, answer))?;
    } else {
        let listing = human::Listing {
            query,
            results,
            all,
            narrowed: answer.narrowed,
            previews: &answer.previews,
            done: &answer.done,
            with: &args.with,
            explain,
            width: layout::width(),
        };
        write!(anstream::stdout(), "{}", listing.text())?;
    }
    match beside.is_some_and(|beside| !beside.is_empty()) {
        true => Ok(Found::Something),
        false => Ok(found),
    }
}

/// Most columns of a word that no session holds.
const WORD: usize = 48;

/// Says which words no session holds: what follows was found without them.
fn note_missing(results: &Results) -> Result<()> {
    let missing = &results.explanation.missing;
    if !missing.is_empty() && results.searched.sessions > 0 {
        let words: Vec<String> = missing
            .iter()
            .map(|word| layout::line(word, WORD))
            .collect();
        writeln!(notes::stderr(), "no session holds {}", words.join(", "))?;
    }
    Ok(())
}

/// What was done in a session, or in the turn that was found.
fn work(index: &Reader, level: Level, hit: &Hit) -> Result<WorkSummary> {
    let found = hit.turn.as_ref().filter(|_| level == Level::Turn);
    let mut turns = read_turns(index, hit.session.id)?;
    turns.retain(|turn| found.is_none_or(|found| found.index == turn.row.index));
    Ok(WorkSummary::from_turns(&turns))
}

/// Whether there is a hit.
pub fn found(results: &Results) -> Found {
    if results.hits.is_empty() {
        Found::Nothing
    } else {
        Found::Something
    }
}

fn nothing(args: &SearchArgs, answer: &Answer) -> String {
    let count = human::plural(answer.results.searched.sessions, "session");
    let hint = narrowed(&args.filter);
    match answer.narrowed {
        true => format!("nothing found in what the filters leave of {count}{hint}"),
        false => format!("nothing found in {count}{hint}"),
    }
}

fn narrowed(filter: &FilterArgs) -> &'static str {
    let narrow = filter.project.is_some()
        || filter.source.is_some()
        || filter.time.is_given()
        || filter.branch.is_some()
        || filter.file.is_some();
    if narrow {
        "\nhint: the filters may be too narrow"
    } else {
        ""
    }
}

fn fusion_mode(args: &RankingArgs) -> FusionMode {
    match (args.vector_only, args.keyword_only) {
        (true, _) => FusionMode::DenseOnly,
        (_, true) => FusionMode::LexicalOnly,
        _ => args.alpha.map_or(FusionMode::Adaptive, FusionMode::Fixed),
    }
}

/// The conditions as typed.
///
/// # Errors
/// When a time or an id cannot be read.
pub fn filter(args: &FilterArgs, all: &[SessionRow]) -> Result<Filter> {
    let time = Range::of(&args.time, Zoned::now)?;
    if let Some(source) = &args.source {
        known_source(source)?;
    }
    let number = |id: &String| one(all, id).map(|session| session.id);
    Ok(Filter {
        project: args.project.as_deref().map(project),
        source: args.source.clone(),
        since_ms: time.since_ms,
        until_ms: time.until_ms,
        branch: args.branch.clone(),
        file: args.file.clone(),
        only: args.session.iter().map(number).collect::<Result<_>>()?,
        exclude: args
            .exclude_session
            .iter()
            .map(number)
            .collect::<Result<_>>()?,
        subagents: args.subagents,
    })
}

fn known_source(wanted: &str) -> Result<()> {
    let names: Vec<String> = sources().iter().map(|s| s.name().to_string()).collect();
    if !names.iter().any(|n| n == wanted) {
        bail!(
            "there is no source `{wanted}`\nhint: one of {}",
            names.join(", ")
        );
    }
    Ok(())
}

/// A project as typed; a relative path that exists is made whole.
pub fn project(wanted: &str) -> String {
    let is_path =
        wanted == "." || wanted == ".." || wanted.starts_with("./") || wanted.starts_with("../");
    match fs_err::canonicalize(wanted) {
        Ok(path) if is_path => path.to_string_lossy().into_owned(),
        _ => wanted.to_owned(),
    }
}

/// Tells the sessions of a project as typed; without one all are.
pub fn of_project(wanted: Option<&str>) -> impl Fn(&SessionRow) -> bool {
    let wanted = wanted.map(project);
    move |row| wanted.as_ref().is_none_or(|p| is_of_project(row, p))
}

/// The one session that an id names.
///
/// # Errors
/// When there is none, or several: the candidates are in the message.
pub fn one(all: &[SessionRow], id: &str) -> Result<SessionRow> {
    match resolve(all, id) {
        Resolved::One(session) => Ok(*session),
        Resolved::None => {
            bail!("no session begins with `{id}`\nhint: `session-search search` prints ids")
        }
        Resolved::Many(found) => bail!(crate::output::session::candidates(id, &found)),
    }
}

fn no_history(args: &SearchArgs, home: &Home, refreshed: Option<&Outcome>) -> Result<Found> {
    if args.or_demo {
        writeln!(
            notes::stderr(),
            "note: this machine has no history yet; this is the built-in demo"
        )?;
        return demo::search(args);
    }
    let folder = home.env.home.display();
    let set = ["CLAUDE_CONFIG_DIR", "XDG_DATA_HOME"];
    let set = set
        .iter()
        .find_map(|name| Some((name, home.env.get(name)?)));
    let looked = match set {
        Some((name, value)) => format!(
            ", where {name} is `{}`\nhint: correct or unset it",
            printable(value)
        ),
        None => "\nhint: try `session-search demo`, or set CLAUDE_CONFIG_DIR or XDG_DATA_HOME"
            .to_owned(),
    };
    writeln!(
        notes::stderr(),
        "no Claude Code or OpenCode history in `{folder}`{looked}"
    )?;
    if args.compact {
        compact::print_nothing(&query(args), refreshed)?;
    } else if args.json {
        json::print(&json::nothing(&query(args), args.depth, refreshed))?;
    }
    Ok(Found::Nothing)
}
