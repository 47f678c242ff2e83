//! Search: rank, age, scope, replacement and near-duplicates.

use crate::support::{TestMemories, days_ago, draft, embedder, now};
use jiff::Timestamp;
use session_embed::{EmbedError, Embedder, EmbeddingMatrix, ModelSpec};
use session_memory::{
    Memory, MemoryError, MemoryQuery, MemoryState, Trust, find_duplicates, search_memories,
};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A model that fails once it has embedded a number of texts.
struct LimitedModel {
    model: Box<dyn Embedder>,
    left: AtomicUsize,
}

impl LimitedModel {
    fn new(texts: usize) -> Self {
        Self {
            model: session_embed::open_bundled_table().unwrap(),
            left: AtomicUsize::new(texts),
        }
    }
}

impl Embedder for LimitedModel {
    fn spec(&self) -> &ModelSpec {
        self.model.spec()
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<EmbeddingMatrix, EmbedError> {
        let relaxed = Ordering::Relaxed;
        let take = |left: usize| left.checked_sub(texts.len());
        let taken = self.left.fetch_update(relaxed, relaxed, take);
        taken.map_err(|_| io::Error::other("too many texts"))?;
        self.model.embed_documents(texts)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.model.embed_query(text)
    }
}

/// Makes copies of a memory with other topics.
fn copies(memory: &Memory, count: usize, trust: Trust) -> Vec<Memory> {
    let copy = |n| {
        let mut copy = Memory {
            trust,
            ..memory.clone()
        };
        copy.front.topic = format!("Lantern {n} of the harbour");
        copy.front.id = format!("mem-20260110-{:06}", 91500 + n);
        copy
    };
    (0..count).map(copy).collect()
}

#[test]
fn vectors_that_were_made_before_an_error_are_kept() {
    let world = TestMemories::new();
    let all = copies(&world.save("Lantern", "lit at dusk"), 200, Trust::Own);
    let stopped = LimitedModel::new(150);
    let embed = |model| embedder(model, &world.index_directory).embed_missing(&all);
    assert!(embed(&stopped).is_err());
    embed(&LimitedModel::new(200 - 128)).unwrap();
}

/// A repository chooses their number, and a model takes a while for each.
#[test]
fn many_memories_that_wait_for_trust_are_found_by_their_words_alone() {
    let world = TestMemories::new();
    let own = world.save_global("Zebra crossing", "paint it white");
    let search = |waiting: usize, text: &str, texts: usize| {
        let mut all = copies(&own, waiting, Trust::Waiting);
        all.push(own.clone());
        let model = LimitedModel::new(texts);
        let query = MemoryQuery {
            text,
            memories: &all,
            settings: &world.settings.retrieval,
            now: Timestamp::now(),
        };
        let found = search_memories(&query, &embedder(&model, &world.index_directory)).ok()?;
        Some(all[found.first()?.index].front.topic.clone())
    };
    let own = "Zebra crossing";
    assert_eq!(search(100, "zebra", 1).as_deref(), Some(own));
    let theirs = "Lantern 77 of the harbour";
    assert_eq!(search(100, "lantern 77", 0).as_deref(), Some(theirs));
    assert_eq!(search(5, "zebra", 0), None, "few are embedded");
    assert_eq!(search(5, "zebra", 5).as_deref(), Some(own));
}

#[test]
fn a_score_is_the_match_times_decay_and_weight() {
    let world = TestMemories::new();
    let old = draft("Lantern release", "on Tuesdays");
    world.store.save(&old, None, &days_ago(2000)).unwrap();
    world.save("Kestrel release", "on Mondays");
    let all = world.store.list(&[MemoryState::Active]).memories;
    let model = session_embed::open_bundled_table().unwrap();
    let query = MemoryQuery {
        text: "lantern release",
        memories: &all,
        settings: &world.settings.retrieval,
        now: Timestamp::now(),
    };
    let found = search_memories(&query, &embedder(model.as_ref(), &world.index_directory));
    let best = &found.unwrap()[0];
    assert_eq!(all[best.index].front.topic, "Lantern release");
    assert!((best.decay - 0.5).abs() < 1e-6);
    assert!(
        (best.score - best.fused_score * 0.5).abs() < 1e-6,
        "{best:?}"
    );
    assert_eq!(best.terms, ["lantern", "releas"]);
}

#[test]
fn memories_of_the_project_rank_above_global_ones() {
    let world = TestMemories::new();
    world.save_global("Tabs for makefiles", "never spaces");
    world.save("Tabs for the shop", "never spaces");
    let found = world.search("tabs spaces");
    assert_eq!(found, ["Tabs for the shop", "Tabs for makefiles"]);
}

#[test]
fn chinese_is_searched_without_spaces() {
    let world = TestMemories::new();
    world.save("支付回调用幂等键去重", "写入 Redis，保留 24 小时");
    assert_eq!(world.search("回调怎么去重"), ["支付回调用幂等键去重"]);
}

#[test]
fn only_memories_of_the_scope_of_days_are_candidates() {
    let mut world = TestMemories::new();
    let old = draft("Lantern release", "on Tuesdays");
    world.store.save(&old, None, &days_ago(40)).unwrap();
    world.save("Kestrel release", "on Mondays");
    let prompt = "when are lantern and kestrel released?";
    assert_eq!(world.decide(prompt, None).memories.len(), 2);
    world.settings.retrieval.scope_days = 30;
    let [compared] = &world.decide(prompt, None).memories[..] else {
        panic!("one is in scope");
    };
    assert_eq!(compared.front.topic, "Kestrel release");
}

#[test]
fn a_replaced_memory_ranks_below_its_replacement() {
    let world = TestMemories::new();
    let old = world.save("Releases on Tuesdays", "tag before 11:00");
    let new = world.save("Releases on Thursdays", "tag before noon");
    let query = "releases on tuesdays tag before 11:00";
    assert_eq!(world.search(query)[0], "Releases on Tuesdays");
    let replaced = world.store.supersede(old.id(), new.id(), &now()).unwrap();
    assert_eq!(replaced.front.superseded_by.as_deref(), Some(new.id()));
    assert_eq!(world.search(query)[0], "Releases on Thursdays");
    let active = world.store.activate(&[replaced], &now()).unwrap().remove(0);
    assert_eq!(active.front.superseded_by, None);
    assert_eq!(world.search(query)[0], "Releases on Tuesdays");
}

#[test]
fn the_valid_memory_ranks_above_all_that_it_replaced() {
    let world = TestMemories::new();
    let first = world.save("Releases on Tuesdays", "tag before 11:00");
    let second = world.save("Releases on Tuesdays at eleven", "tag before 11:00");
    let valid = world.save("Releases on Thursdays", "in the afternoon");
    let supersede = |old: &str, new: &str| world.store.supersede(old, new, &now()).unwrap();
    supersede(first.id(), second.id());
    supersede(second.id(), valid.id());
    let found = world.search("releases on tuesdays tag before 11:00");
    let topics = [&valid, &second, &first].map(|memory| memory.front.topic.as_str());
    assert_eq!(found, topics);
}

#[test]
fn one_of_several_replacements_at_once_is_taken() {
    let world = TestMemories::new();
    let old = world.save("Releases on Tuesdays", "tag before 11:00");
    let days = ["Mondays", "Wednesdays", "Thursdays", "Fridays"];
    let new = days.map(|day| world.save(&format!("Releases on {day}"), "tag before noon"));
    let (store, old) = (&world.store, old.id());
    let results = std::thread::scope(|scope| {
        let supersede = |new: &str| store.supersede(old, new, &now());
        let threads = new
            .each_ref()
            .map(|new| scope.spawn(move || supersede(new.id())));
        threads.map(|thread| thread.join().unwrap())
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for error in results.iter().filter_map(|result| result.as_ref().err()) {
        let is_told = matches!(error, MemoryError::AlreadySuperseded { .. });
        assert!(is_told, "{error}");
    }
}

#[test]
fn a_replacement_must_exist_and_be_another_memory() {
    let world = TestMemories::new();
    let old = world.save("Releases on Tuesdays", "tag before 11:00");
    let new = world.save("Releases on Thursdays", "tag before noon");
    let supersede = |old: &str, new: &str| world.store.supersede(old, new, &now());
    assert!(matches!(
        supersede(old.id(), old.id()),
        Err(MemoryError::ReplacedByItself)
    ));
    assert!(matches!(
        supersede(old.id(), "mem-lost"),
        Err(MemoryError::Unknown(_))
    ));
    let trashed = world.move_to(&new, MemoryState::Trash).unwrap();
    let error = supersede(old.id(), new.id()).unwrap_err();
    assert!(
        matches!(error, MemoryError::ReplacementInTrash(_)),
        "{error}"
    );
    world.move_to(&trashed, MemoryState::Active).unwrap();
    supersede(old.id(), new.id()).unwrap();
    let error = supersede(new.id(), old.id()).unwrap_err();
    assert!(
        matches!(error, MemoryError::ReplacementIsReplaced { .. }),
        "{error}"
    );
    let newest = world.save("Releases on Fridays", "tag before noon");
    supersede(new.id(), newest.id()).unwrap();
    let error = supersede(newest.id(), old.id()).unwrap_err();
    assert!(
        matches!(error, MemoryError::ReplacementIsReplaced { .. }),
        "a cycle of three: {error}"
    );
}

/// Both replacements would be in use.
#[test]
fn a_memory_is_replaced_by_one_other() {
    let world = TestMemories::new();
    let [a, b, c] = ["5432", "6432", "7432"].map(|port| world.save("Port", port));
    let supersede = |old: &Memory, new: &Memory| world.store.supersede(old.id(), new.id(), &now());
    supersede(&a, &b).unwrap();
    supersede(&a, &b).unwrap();
    let replaceable = world.store.find_replaceable(&[a.id().to_owned()]);
    for error in [supersede(&a, &c).unwrap_err(), replaceable.unwrap_err()] {
        let expected = format!("{} is superseded by {}", a.id(), b.id());
        assert_eq!(error.to_string(), expected);
        let hint = error.hint().unwrap();
        assert!(hint.starts_with(&format!("replace {}, ", b.id())), "{hint}");
    }
    let a = world.store.find(a.id()).unwrap();
    let a = world.store.activate(&[a], &now()).unwrap().remove(0);
    supersede(&a, &c).unwrap();
}

/// Of A, which B replaces, which C replaces, no older word comes back with B's end.
#[test]
fn what_replaced_a_deleted_replacement_stands_in_for_it() {
    for is_purged in [false, true] {
        let world = TestMemories::new();
        let ids = ["port 5432", "port 6432", "port 7432"].map(|text| world.save("Port", text));
        let [a, b, c] = &ids;
        world.store.supersede(a.id(), b.id(), &now()).unwrap();
        let b = world.store.supersede(b.id(), c.id(), &now()).unwrap();
        if is_purged {
            world.store.purge(std::slice::from_ref(&b), &now()).unwrap()
        } else {
            drop(world.move_to(&b, MemoryState::Trash).unwrap())
        }
        let replacement = |id| world.store.find(id).unwrap().front.superseded_by;
        assert_eq!(replacement(a.id()).as_deref(), Some(c.id()), "{is_purged}");
        let c = world.store.find(c.id()).unwrap();
        world.store.purge(std::slice::from_ref(&c), &now()).unwrap();
        assert_eq!(replacement(a.id()), None, "{is_purged}");
    }
}

/// Each order of the ids of a chain leaves what the memory after the chain replaces.
#[test]
fn what_replaced_several_purged_replacements_stands_in_for_them() {
    for order in [[1, 2], [2, 1]] {
        let world = TestMemories::new();
        let save = |port: u16| world.save("Port", &port.to_string());
        let ids = [5432, 6432, 7432, 8432].map(|port| save(port).id().to_owned());
        for pair in ids.windows(2) {
            world.store.supersede(&pair[0], &pair[1], &now()).unwrap();
        }
        let gone = order.map(|n| world.store.find(&ids[n]).unwrap());
        world.store.purge(&gone, &now()).unwrap();
        let first = world.store.find(&ids[0]).unwrap();
        assert_eq!(
            first.front.superseded_by.as_ref(),
            Some(&ids[3]),
            "{order:?}"
        );
        assert_eq!(world.topics(&MemoryState::ALL).len(), 2);
    }
}

#[test]
fn several_memories_are_active_and_replaced_no_longer() {
    let world = TestMemories::new();
    let new = world.save("Valid", "x");
    let save = |n: u8| world.save(&format!("Old {n}"), "x");
    let mut all: Vec<_> = (0..3).map(save).collect();
    for old in [0, 2] {
        all[old] = world
            .store
            .supersede(all[old].id(), new.id(), &now())
            .unwrap();
    }
    let active = world.store.activate(&all, &now()).unwrap();
    let ids = |memories: &[Memory]| -> Vec<String> {
        let ids = memories.iter().map(|memory| memory.id().to_owned());
        ids.collect()
    };
    assert_eq!(ids(&active), ids(&all));
    for memory in &active {
        assert_eq!(memory.front.superseded_by, None);
        assert_eq!(world.store.find(memory.id()).unwrap(), *memory);
    }
}

#[test]
fn a_near_duplicate_is_found_and_another_topic_is_not() {
    let world = TestMemories::new();
    let info = "time-outs under load, raise DB_POOL to 40";
    let old = world.save("Connection pool too small", info);
    let duplicates = |topic: &str, info: &str| {
        let new = world.save(topic, info);
        let all = world.store.list(&[MemoryState::Active]).memories;
        let model = session_embed::open_bundled_table().unwrap();
        let embedder = embedder(model.as_ref(), &world.index_directory);
        let found = find_duplicates(&new, &all, &embedder).unwrap();
        found.into_iter().map(|d| d.id).collect::<Vec<_>>()
    };
    let found = duplicates(
        "The connection pool is too small",
        "time-outs under load: raise DB_POOL to 40",
    );
    assert_eq!(found, [old.id()]);
    assert_eq!(duplicates("Holidays", "skip bank holidays"), [""; 0]);
    let first = duplicates("Retries", "Use 3 retries with backoff, decided 2026");
    assert_eq!(first, [""; 0]);
    assert_eq!(duplicates(" retries", "never").len(), 1);
}

#[test]
fn the_vectors_of_a_memory_go_with_it() {
    let world = TestMemories::new();
    let memory = world.save("Lantern", "in the harbour");
    world.search("light at the pier");
    let cache = world.index_directory.join("memories");
    world.write(&cache.join("record.json"), "{}");
    let names = || fs_err::read_dir(&cache).unwrap().count();
    assert_eq!(names(), 2);
    let store = world
        .store
        .clone()
        .with_index_directory(&world.index_directory);
    store.purge(std::slice::from_ref(&memory), &now()).unwrap();
    assert_eq!(names(), 1, "the file of another program");
    assert!(cache.join("record.json").exists());
}
