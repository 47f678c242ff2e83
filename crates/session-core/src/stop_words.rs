//! Stop words of a query: those of English, of languages with a script of their own, and of another language in which the
//! query is written.

use crate::question_words::is_question_alone;
use crate::text::{fold_word, trim_punctuation};
use std::collections::HashSet;
use std::sync::LazyLock;

const ENGLISH: &str = "\
a about after all am an and any are as at be because been before being between both but by can \
cannot could did do does doing down during e.g each few for further from had has have having he her here hers \
him his how i i.e if in into is it its itself just me might more most my no nor not now of off on once \
only or other our ours out over own same she should so some such than that the their theirs them \
then there these they this those through to too under until up us very was we were what when where \
which while who whom why will with would you your yours";

/// German, French, Spanish, Portuguese, Italian, Dutch, Polish, Swedish, Czech, Turkish and Russian, folded as the word
/// index folds words.
const OTHER_LANGUAGES: [&str; 11] = [
    "der die das den dem des ein eine einen einem einer eines und oder aber nicht auch nur noch schon wie was wer wo \
     wann warum weshalb wieso wohin womit welche welcher welches welchen ich du er sie es wir ihr mich mir dich dir uns \
     euch man mein meine meinen dein deine unser unsere ist sind war waren bin bist sein habe haben hat hatte hatten wird \
     werden wurde wurden kann konnen konnte muss mussen soll sollen wenn dann weil dass ob als bei beim mit von vom zu \
     zum zur im in am an auf aus nach uber unter fur gegen ohne um durch bis da dort hier doch mal denn so sehr jetzt \
     immer mehr kein keine keinen",
    "le la les un une des du de et ou mais ne pas plus que qui quoi dont quel quelle quels quelles comment pourquoi quand \
     combien je tu il elle on nous vous ils elles me te se mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs \
     ce cet cette ces est sont etait etaient sera ai as a avons avez ont avait avaient ete etre avoir fait faire peut peux \
     dans sur sous avec sans pour par en au aux chez entre vers si aussi tres bien deja encore alors donc car y meme tout \
     tous toute toutes",
    "el la los las lo un una unos unas y o pero no que quien cual cuales como por para porque cuando donde cuanto yo tu \
     ella nosotros ellos ellas me te se nos le les mi mis tus su sus nuestro nuestra este esta estos estas ese esa eso \
     esto aquel es son era eran fue fueron ser estar estaba estan ha han he hemos habia hay hice hizo hicimos puede puedo \
     tiene tengo en de del al con sin sobre entre hasta desde ya muy mas tambien aqui si",
    "o a os as um uma uns umas e ou mas nao que quem qual quais como por para porque quando onde quanto eu tu ele ela nos \
     eles elas voce voces me te se lhe meu minha meus minhas seu sua seus suas nosso nossa este esta estes estas esse essa \
     isso isto aquele sao era eram foi foram ser estar estava estao tem tinha temos ha fiz fez fizemos pode posso em de do \
     da dos das no na nas ao aos com sem sobre entre ate desde ja muito mais tambem aqui pelo pela",
    "il lo la i gli le un uno una e o ma non che chi cui quale quali come perche quando dove quanto io tu lui lei noi voi \
     loro mi ti si ci vi ne mio mia miei tuo tua suo sua nostro nostra questo questa questi queste quello quella quelli \
     sono era erano stato stata essere avere ha hanno ho abbiamo aveva avevamo fatto puo posso di a da in con su per tra \
     fra del dello della dei degli delle al allo alla ai agli alle dal dalla dai nel nello nella nei nelle sul sulla sui \
     gia molto piu anche qui poi se",
    "de het een en of maar niet wel ook nog al hoe wat wie waar wanneer waarom welke ik jij je hij zij ze wij we jullie \
     hen hun mij me jou ons onze mijn dit dat deze die er is zijn was waren ben bent heb hebt heeft hebben had hadden wordt \
     worden werd werden kan kunnen kon moet moeten zal zullen zou als dan omdat in op aan bij met van voor naar uit over \
     onder tot te door om zonder tegen geen heel zeer nu weer toch daar hier",
    "i a oraz lub ale nie tak jak co kto gdzie kiedy dlaczego czemu czy ktory ktora ktore ja ty on ona ono my wy oni mnie \
     mi cie ci go jej jego ich nam nas wam was moj moja moje twoj nasz nasza sie ten ta to te tego tej tym tych jest sa \
     byl byla bylo byly byc mam ma mamy maja moze mozna trzeba w we z ze na do od po za przez przed pod nad o u dla przy \
     bez zeby aby gdy jesli bo juz jeszcze tylko tez bardzo tu tam",
    "och eller men inte hur vad vem var nar varfor vilken vilket vilka jag du han hon den det vi ni de mig dig oss er min \
     mitt mina din ditt sin sitt denna detta dessa ar varit vara har hade blir blev kan kunde ska skulle maste far fick en \
     ett i pa av till fran med for om att som utan mot under over efter innan vid nu sa ocksa bara redan dar igen ikke \
     hvad hvordan hvorfor jeg og et af til fra",
    "a i nebo ale ne ano jak co kdo kde kdy proc ktery ktera ktere ja ty on ona my vy oni mne me mi te ti ho jej jeho jeji \
     jim nam nas vam vas muj moje tvuj nase se si ten ta to tato tento toto je jsou byl byla bylo byli byt mam ma mame \
     maji muze lze v ve z ze s na do od po za pres pred pod nad o u pro pri bez aby kdyz pokud protoze uz jeste jen take \
     velmi tady tam",
    "ve veya ama fakat degil nasil ne kim nerede nereye neden nicin niye hangi kac ben sen o biz siz onlar bana sana ona \
     bize benim senin onun bizim bu su bunu sunu bunun icin ile gibi kadar daha cok en da de ki mi mu var yok oldu olan \
     olarak bir her hic simdi sonra once",
    "и а но или не да нет как что кто где когда почему зачем какой какая какие который которая которые я ты он она оно мы \
     вы они меня мне тебя его ее их нас нам вас вам мой моя мои твой наш наша свой это этот эта эти тот та те был была \
     было были быть есть в во на с со у к ко от до из за под над о об по для при без через если чтобы потому бы же ли уже \
     еще только тоже очень тут там так",
];

/// Korean, Hindi and Arabic: no English query has words in their scripts.
const OTHER_SCRIPTS: [&str; 3] = [
    "어떻게 어째서 왜 언제 어디 어디서 어디에 무엇 무엇을 무슨 뭐 뭐가 뭘 누가 어느 어떤 얼마나 지난번 지난번에 저번 저번에 이전에 전에 그때 알려줘 알려주세요 가르쳐줘 보여줘 찾아줘 \
     해결했지 해결했는지 해결했어 해결했나 해결했나요 해결했더라 고쳤지 고쳤는지 고쳤어 고쳤나 고쳤나요 고쳤더라 했지 했는지 했어 했나 했나요 했더라 있었지 있었나 우리 우리가 내가 그 이 저 \
     것 좀 다시",
    "कैसे क्या क्यों कब कहाँ कहां कौन किस किसने किसे कितना कितने की का के को से में पर ने है हैं था थी थे हो \
     हुआ हुई हुए किया कर करें करना ठीक गया गई गए और या यह वह ये वे इस उस हम हमने हमें मैं मैंने मुझे आप तुम भी ही \
     तो पिछली पिछले बार जब तब अब मेरा मेरी मेरे हमारा हमारी हमारे",
    "كيف ماذا ما من متى أين لماذا لم هل كم أي الذي التي الذين هذا هذه ذلك تلك هنا هناك في على إلى عن مع بعد \
     قبل بين أو ثم لكن إن أن كان كانت تم قد لقد قمنا قمت نحن أنا أنت هو هي هم المرة الماضية السابقة",
];

/// Words of other languages that developers type in English queries, too: these do not identify the language.
const IN_ENGLISH: &str = "\
ben bin bis car com come con dan den des die dig din dos fan far for fra had han hat her man mal mas men mes min mot net \
non nos nu once over par per plus pod pro sans sera set ses sin son sub sur tab tan tar tap tel ton var war was wat";

/// Further words of other languages that are words or names in English queries: one of them alone does not identify the
/// language.
const ENGLISH_HOMOGRAPHS: &str = "\
aby aos ale ama ast ate att bara bent biz byc che chi comment dal dar das dat dei del dem dir door dove elle encore era est \
fur hay heel hen hoe hon hun ist jen jest jim kan kde kim los maja mam med meme mia mit mitt moet mon nad nam nas nebo ont \
oss para pode poi por pour pred pres pri proc sana sem sen ser ska som sui tam tato ten til till ton tot toto tout tra uber \
uit une van vara vers vid";

/// Stop words of two letters that are words of English queries, too.
const SHORT_ENGLISH_HOMOGRAPHS: &str = "ai ci go os vi ma";

/// English verbs before `n't`.
const NEGATED: &str = "\
ai are ca could did do does had has have is might must need sha should was were wo would";

/// English words before `'ll`, `'ve`, `'re`, `'d` and `'m`.
const CONTRACTED: &str = "i you he she it we they that this there here who what how where when why";

/// Their contractions that are also typed without an apostrophe, and are no other word then: not `well`, `were`, `ill`.
const WITHOUT_APOSTROPHE: &str = "\
im ive itll theyd theyll theyre theyve thatll weve youd youll youre youve";

/// Fewest stop words of a language by which a query is taken to be written in it.
const MIN_WORDS: usize = 2;
/// Fewest letters of such a word: shorter ones are names of locales, too, and count only beside another.
const MIN_LETTERS: usize = 3;
/// Letters of those.
const SHORT_LETTERS: usize = 2;

static ENGLISH_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| ENGLISH.split_whitespace().collect());

/// Returns true for an English stop word, or a contraction of one: `couldn't`, `couldnt`, `it'll`.
pub(crate) fn is_english_stop_word(word: &str) -> bool {
    let word = trim_punctuation(word).to_lowercase();
    ENGLISH_WORDS.contains(word.as_str()) || is_contraction(&word)
}

/// Returns true for the contraction of stop words, in lower case and with either apostrophe.
fn is_contraction(word: &str) -> bool {
    let negated = word
        .strip_suffix('t')
        .map(|word| word.trim_end_matches(is_apostrophe));
    if let Some(verb) = negated.and_then(|word| word.strip_suffix('n')) {
        return is_one_of(NEGATED, verb);
    }
    match word.split_once(is_apostrophe) {
        Some((pronoun, "ll" | "ve" | "re" | "d" | "m")) => is_one_of(CONTRACTED, pronoun),
        _ => is_one_of(WITHOUT_APOSTROPHE, word),
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

static OTHER_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let languages = OTHER_LANGUAGES.iter();
    languages
        .flat_map(|words| words.split_whitespace())
        .collect()
});

static OTHER_SCRIPT_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let words = OTHER_SCRIPTS.iter();
    let words = words.flat_map(|words| words.split_whitespace());
    words.map(fold_word).collect()
});

/// Returns true for a stop word of a language with a script of its own, and for question words that are written without
/// spaces.
fn is_stop_word_of_other_script(word: &str) -> bool {
    !word.is_ascii()
        && (OTHER_SCRIPT_WORDS.contains(&fold_word(trim_punctuation(word)))
            || is_question_alone(word))
}

/// Returns true for a word by which a text is taken to be English: a stop word of no other language.
pub(crate) fn marks_english(word: &str) -> bool {
    let word = trim_punctuation(word).to_lowercase();
    ENGLISH_WORDS.contains(word.as_str()) && !OTHER_WORDS.contains(word.as_str())
}

/// Returns true for a word by which a text is taken to be of a language other than English: a stop word of such a language
/// that is no word of English queries, or a word in Latin letters with a diacritic.
pub(crate) fn marks_other_language(word: &str) -> bool {
    let word = trim_punctuation(word).to_lowercase();
    let folded = fold_word(&word);
    let has_diacritic =
        folded.is_ascii() && word.contains(|c: char| c.is_alphabetic() && !c.is_ascii());
    has_diacritic || identifies_language(&folded)
}

/// Returns true for a stop word, of whichever language.
pub fn is_stop_word(word: &str) -> bool {
    is_english_stop_word(word)
        || OTHER_WORDS.contains(fold_word(trim_punctuation(word)).as_str())
        || is_stop_word_of_other_script(word)
}

/// Returns true for a folded stop word of another language than English that is no word of English queries.
fn identifies_language(word: &str) -> bool {
    word.chars().count() >= MIN_LETTERS
        && OTHER_WORDS.contains(word)
        && !ENGLISH_WORDS.contains(word)
        && !is_one_of(IN_ENGLISH, word)
        && !is_one_of(ENGLISH_HOMOGRAPHS, word)
}

/// The words that count as stop words in a query: those of English, and those of the languages in which it is written.
pub(crate) struct StopWords {
    /// The stop words of the other languages in which the query is written.
    other: HashSet<&'static str>,
}

impl StopWords {
    /// Detects the languages in which words are written, by their stop words.
    pub(crate) fn for_words<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let words = words.filter(|word| !is_english_stop_word(word));
        let words: HashSet<String> = words
            .map(|word| fold_word(trim_punctuation(word)))
            .collect();
        let evidence: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut other = HashSet::new();
        if evidence.len() >= MIN_WORDS {
            for language in OTHER_LANGUAGES {
                if is_language_of(language, &evidence) {
                    other.extend(language.split_whitespace());
                }
            }
        }
        Self { other }
    }

    /// Returns true for a stop word.
    pub(crate) fn contains(&self, word: &str) -> bool {
        is_english_stop_word(word)
            || is_stop_word_of_other_script(word)
            || (!self.other.is_empty()
                && self
                    .other
                    .contains(fold_word(trim_punctuation(word)).as_str()))
    }
}

/// Returns true if folded words are in a language by its stop words: two of at least three letters, or one that no
/// English query has and one of two letters.
fn is_language_of(language: &str, words: &[&str]) -> bool {
    let found = || {
        language
            .split_whitespace()
            .filter(|word| words.contains(word))
    };
    let letters = |word: &str| word.chars().count();
    let is_long = |word: &&str| letters(word) >= MIN_LETTERS && !is_one_of(IN_ENGLISH, word);
    let is_short =
        |word: &str| letters(word) == SHORT_LETTERS && !is_one_of(SHORT_ENGLISH_HOMOGRAPHS, word);
    found().filter(is_long).count() >= MIN_WORDS
        || (found().any(identifies_language) && found().any(is_short))
}

fn is_one_of(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_stop_words(query: &str) -> String {
        let words = || query.split(' ');
        let stop_words = StopWords::for_words(words());
        let left: Vec<&str> = words().filter(|word| !stop_words.contains(word)).collect();
        left.join(" ")
    }

    #[test]
    fn stop_words_of_the_language_of_a_query_are_left_out() {
        for (query, left) in [
            ("why did the docker network freeze", "docker network freeze"),
            ("wie haben wir das gelöst", "gelöst"),
            ("Für den Deploy, wie war das?", "Deploy,"),
            (
                "comment est-ce que nous avons réparé la page",
                "est-ce réparé page",
            ),
            (
                "cómo hizo la migración de los usuarios",
                "migración usuarios",
            ),
            ("jak jest zrobiony cache", "zrobiony cache"),
            ("nasıl daha hızlı derleme için", "hızlı derleme"),
            ("почему не идёт сборка как раньше", "идёт сборка раньше"),
            (
                "dónde decidimos usar SQLite en vez de Elasticsearch",
                "decidimos usar SQLite vez Elasticsearch",
            ),
            ("pourquoi la page bloque", "page bloque"),
            ("장바구니 문제 어떻게 고쳤지", "장바구니 문제"),
            ("भुगतान की समस्या कैसे ठीक की", "भुगतान समस्या"),
            ("كيف تم حل مشكلة الفواتير", "حل مشكلة الفواتير"),
            ("أين الخادم", "الخادم"),
            ("网络 怎么解决的", "网络"),
            ("cache どうやって直したの", "cache"),
        ] {
            assert_eq!(without_stop_words(query), left, "{query}");
        }
    }

    #[test]
    fn contractions_of_stop_words_are_stop_words() {
        for word in [
            "couldn't",
            "couldn’t",
            "couldnt",
            "can't",
            "cannot",
            "won't",
            "Don't",
            "dont",
            "hadn't",
            "isn't,",
            "it'll",
            "they’re",
            "theyre",
            "I'd",
            "i've",
            "I'm",
            "im",
            "who'd",
            "that'll",
            "there're",
        ] {
            assert!(is_english_stop_word(word), "{word}");
        }
        for word in [
            "well",
            "were't",
            "ill",
            "shell",
            "wed",
            "id",
            "o'clock",
            "ain",
            "want",
            "dent",
            "parser'll",
            "l'il",
            "n't",
            "shed",
            "hell",
            "front",
            "count",
        ] {
            assert!(!is_english_stop_word(word), "{word}");
        }
    }

    #[test]
    fn words_of_other_languages_stay_in_an_english_query() {
        for query in [
            "die war var",
            "locale es de missing",
            "tar par con",
            "wie docker",
            "add ai comment",
            "open door go",
            "jest os config",
            "es la locale",
        ] {
            assert_eq!(without_stop_words(query), query);
        }
    }

    #[test]
    fn an_english_text_is_known_by_its_stop_words() {
        for (text, expected) in [
            ("how did we fix it", true),
            ("the parser", true),
            ("die Tests was so in", false),
            ("pool timeout", false),
        ] {
            assert_eq!(text.split(' ').any(marks_english), expected, "{text}");
        }
    }

    #[test]
    fn another_language_is_known_by_a_stop_word_or_a_diacritic() {
        for (text, expected) in [
            ("wie docker", true),
            ("Größe docker", true),
            ("où est-ce", true),
            ("how do I install conda", false),
            ("add comment for jest", false),
            ("Rechnungen", false),
            ("συνδέσεις", false),
        ] {
            assert_eq!(
                text.split(' ').any(marks_other_language),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_word_of_any_list_is_a_stop_word() {
        for word in ["dónde", "where", "pourquoi,", "почему", "Couldn't"] {
            assert!(is_stop_word(word), "{word}");
        }
        assert!(!is_stop_word("docker"));
    }

    #[test]
    fn lists_are_folded() {
        for word in OTHER_LANGUAGES
            .iter()
            .flat_map(|language| language.split_whitespace())
        {
            assert_eq!(fold_word(word), word);
        }
    }
}
