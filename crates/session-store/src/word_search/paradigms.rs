//! How languages change the ends of their words.
//!
//! The commonest endings of nouns, adjectives and verbs, folded as the word index folds them. Those are left out that
//! make another word in English of one that developers type.

/// The endings that a word of a language takes, and what is written before it without a space.
pub(crate) struct Paradigm {
    kind: ParadigmKind,
    script: Script,
    /// Articles and prepositions that are one word with what follows, with spaces between them.
    prefixes: &'static str,
    /// With spaces between them, beside none where the kind has a bare form.
    endings: &'static str,
}

/// The words that are the forms of a paradigm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParadigmKind {
    /// Inflections of one word, which is a form without an ending, too.
    Inflection,
    /// A verb and the noun of its action, each with an ending: `exportar`, `exportación`.
    ActionNoun,
    /// The same with endings that English has, too: they count in a query of another language alone.
    SharedActionNoun,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Hebrew,
}

/// The sign that a word may be of another language than English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LanguageEvidence {
    /// Its script, another word of the query, or a diacritic is of another language.
    OtherLanguage,
    /// Nothing.
    Unknown,
    /// The query is English.
    English,
    /// Turns hold the word as typed: it is none that must have other forms.
    HeldAsTyped,
}

const fn latin(endings: &'static str) -> Paradigm {
    Paradigm {
        kind: ParadigmKind::Inflection,
        script: Script::Latin,
        prefixes: "",
        endings,
    }
}

const fn action_noun(script: Script, kind: ParadigmKind, endings: &'static str) -> Paradigm {
    Paradigm {
        kind,
        script,
        prefixes: "",
        endings,
    }
}

const PARADIGMS: [Paradigm; 12] = [
    // German.
    latin("e en em er ern es n s t te ten et"),
    // Dutch.
    latin("e en s n t d de te den ten er len nen sen ken gen"),
    // Swedish, Danish and Norwegian.
    latin("a e s t n en et ar er or na ne arna erna orna erne ade at ad"),
    // French.
    latin("e s es x aux er ez ent ait ant ons ee ees"),
    // Spanish and Portuguese.
    latin(
        "a as e es o os s ao oes oe l is ar er ir ado ada ados adas ando endo ido ida idos idas aram ou amos an en ia z ces m ns cao coes cion ciones",
    ),
    // Italian.
    latin("a e i o he hi are ere ire ato ata ati ate ito ita iti ite ando ano iamo ava"),
    // Polish.
    latin(
        "a u y i e o om ow ami ach em ie owi owie iem ej ego emu ych ich ym im ymi imi ia iu ii ac al ala aly ano any ana ane nie nia niu niem",
    ),
    // Czech and Slovak.
    latin(
        "a u y i e o em um om ami emi ach ech ich ou ovi ove ho ku mu ym im ych ymi at it l la li lo ly n na ny ne ni nim nich",
    ),
    // Turkish.
    latin(
        "i u a e in un nin nun im um si su yi yu ya ye da de ta te dan den tan ten la le lar ler lari leri larin lerin lara lere larda lerde lardan lerden larini lerini sini sinin sinda sinde sina sine inda inde ina ine ini undan undaki daki deki mak mek ma me di du ti tu dim iyor uyor yor lik luk li lu ci",
    ),
    Paradigm {
        kind: ParadigmKind::Inflection,
        script: Script::Greek,
        prefixes: "",
        endings: "α ασ αν ατα ατοσ ε εσ εων η ησ ην ι ια ιασ ιεσ ιων ο οσ ου ουσ οι ον ων ω ει ουν ετε ηκε εισ εωσ ηση ησησ ησεισ",
    },
    Paradigm {
        kind: ParadigmKind::Inflection,
        script: Script::Arabic,
        prefixes: "ال و وال بال لل ل ب ف ك كال فال",
        endings: "ه ات ين ون ان ا ي يه ها هم نا ته تها",
    },
    Paradigm {
        kind: ParadigmKind::Inflection,
        script: Script::Hebrew,
        prefixes: "ה ו ב ל מ ש כ וה שה מה וב ול",
        endings: "ה ת ים ות י ו ית יות",
    },
];

/// The endings of verbs and of the nouns of their actions. None joins two words that developers type in English: `generic` and
/// `general` would be one with more endings of verbs.
const ACTION_PARADIGMS: [Paradigm; 9] = [
    // German.
    action_noun(
        Script::Latin,
        ParadigmKind::ActionNoun,
        "n en te ten et ung ungen",
    ),
    // Swedish.
    action_noun(
        Script::Latin,
        ParadigmKind::ActionNoun,
        "era erar erade ering eringen eringar",
    ),
    // French.
    action_noun(
        Script::Latin,
        ParadigmKind::SharedActionNoun,
        "e er ez ent ait ant ons ee ees ement ements ation ations",
    ),
    // Spanish and Portuguese.
    action_noun(
        Script::Latin,
        ParadigmKind::ActionNoun,
        "a ar an o ado ada ados adas ando amos aram acion aciones acao acoes",
    ),
    // Italian.
    action_noun(
        Script::Latin,
        ParadigmKind::ActionNoun,
        "a are ato ata ati ate ando iamo ava azione azioni amento amenti",
    ),
    // Polish.
    action_noun(
        Script::Latin,
        ParadigmKind::ActionNoun,
        "ac yc ic anie ania aniu aniem enie enia eniu eniem",
    ),
    // Czech and Slovak.
    action_noun(Script::Latin, ParadigmKind::ActionNoun, "at it et ani eni"),
    // Turkish.
    action_noun(
        Script::Latin,
        ParadigmKind::ActionNoun,
        "mek mak me ma meyi mayi rken",
    ),
    // Russian.
    action_noun(
        Script::Cyrillic,
        ParadigmKind::ActionNoun,
        "ать ал ала али аю ает аем ают аться ался алась ить ил ила или ит им ят иться ился илась ание ания анию анием \
         ение ения ению ением ление ления лению лением",
    ),
];
/// Fewest letters before the ending of a verb or a noun of action.
const MIN_ACTION_BASE: usize = 5;

/// Returns the paradigms of which a word may be a form in a query with this sign of its language.
pub(crate) fn paradigms_of(
    word: &str,
    evidence: LanguageEvidence,
) -> impl Iterator<Item = &'static Paradigm> {
    let of_script = PARADIGMS.iter().filter(|p| p.has_script_of(word));
    let of_actions = ACTION_PARADIGMS
        .iter()
        .filter(move |p| p.has_script_of(word) && p.has_evidence(evidence));
    of_script.chain(of_actions)
}

impl Paradigm {
    fn has_evidence(&self, evidence: LanguageEvidence) -> bool {
        match self.kind {
            ParadigmKind::Inflection => true,
            ParadigmKind::ActionNoun => evidence != LanguageEvidence::English,
            ParadigmKind::SharedActionNoun => evidence == LanguageEvidence::OtherLanguage,
        }
    }

    fn has_script_of(&self, word: &str) -> bool {
        word.chars().next().is_some_and(|c| self.script.has(c))
    }

    /// Returns what the terms of all forms of a word begin with.
    pub(crate) fn shared_prefixes(&self, word: &str) -> Vec<String> {
        let least = self.min_base(LanguageEvidence::OtherLanguage);
        let cores = self.cores(word).into_iter();
        let shortest = cores.flat_map(|core| {
            let base = self.bases(core, least).min_by_key(|base| base.len())?;
            // The English stemmer makes one of two like consonants.
            let (end, _) = base.char_indices().next_back()?;
            let is_long = base.chars().count() > least;
            Some(if is_long { &base[..end] } else { base })
        });
        shortest.flat_map(|base| self.with_prefixes(base)).collect()
    }

    /// Returns the form of a word for which `is_form` is true, of those that may become a term when the English stemmer
    /// has cut it: the less shows its language, only with a longer base.
    pub(crate) fn find_form(
        &self,
        word: &str,
        term: &str,
        evidence: LanguageEvidence,
        is_form: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let prefixes = std::iter::once("").chain(self.prefixes.split_whitespace());
        let mut ends = prefixes.filter_map(|prefix| Some((prefix, term.strip_prefix(prefix)?)));
        ends.find_map(|(prefix, end)| {
            let cores = self.cores(word).into_iter();
            let least = self.min_base(evidence);
            let mut bases = cores.flat_map(|core| self.bases(core, least));
            bases.find_map(|base| {
                let forms = self.forms_like(prefix, base, end);
                forms.into_iter().find(|form| is_form(form))
            })
        })
    }

    /// Returns the forms with a base of which a term may be what the English stemmer leaves.
    fn forms_like(&self, prefix: &str, base: &str, term: &str) -> Vec<String> {
        let endings = || self.endings();
        let form = |ending: &str| format!("{prefix}{base}{ending}");
        match term.strip_prefix(base) {
            Some(rest) => endings()
                .filter(|ending| ending.starts_with(rest))
                .map(form)
                .collect(),
            None if is_undoubled(base, term) => endings().map(form).collect(),
            None => Vec::new(),
        }
    }

    /// Returns a word, and what is left of it without each prefix that it begins with.
    fn cores<'w>(&self, word: &'w str) -> Vec<&'w str> {
        let prefixes = self.prefixes.split_whitespace();
        let cores = prefixes.filter_map(|prefix| word.strip_prefix(prefix));
        let least = self.script.min_base(LanguageEvidence::OtherLanguage);
        let is_long = |core: &&str| core.chars().count() >= least;
        std::iter::once(word).chain(cores.filter(is_long)).collect()
    }

    fn endings(&self) -> impl Iterator<Item = &'static str> {
        let bare = (self.kind == ParadigmKind::Inflection).then_some("");
        bare.into_iter().chain(self.endings.split_whitespace())
    }

    /// Returns the fewest letters before an ending.
    fn min_base(&self, evidence: LanguageEvidence) -> usize {
        let least = self.script.min_base(evidence);
        match self.kind {
            ParadigmKind::Inflection => least,
            ParadigmKind::ActionNoun | ParadigmKind::SharedActionNoun => least.max(MIN_ACTION_BASE),
        }
    }

    /// Returns a word, and what is left of it without each ending that it has.
    fn bases<'w>(&self, word: &'w str, least: usize) -> impl Iterator<Item = &'w str> {
        let bases = self
            .endings()
            .filter_map(|ending| word.strip_suffix(ending));
        bases.filter(move |base| base.chars().count() >= least)
    }

    fn with_prefixes(&self, base: &str) -> Vec<String> {
        let prefixes = std::iter::once("").chain(self.prefixes.split_whitespace());
        prefixes.map(|prefix| format!("{prefix}{base}")).collect()
    }
}

/// Returns true for a term that is a base without the second of its two last like consonants, as the English stemmer
/// leaves it.
fn is_undoubled(base: &str, term: &str) -> bool {
    let last = base.strip_prefix(term);
    last.is_some_and(|last| last.len() == 1 && term.ends_with(last))
}

/// Returns true for a Cyrillic letter.
pub(crate) fn is_cyrillic(c: char) -> bool {
    ('\u{400}'..='\u{4ff}').contains(&c)
}

impl Script {
    fn has(self, c: char) -> bool {
        match self {
            Self::Latin => c.is_ascii_alphabetic(),
            Self::Cyrillic => is_cyrillic(c),
            Self::Greek => ('\u{370}'..='\u{3ff}').contains(&c),
            Self::Arabic => ('\u{620}'..='\u{6ff}').contains(&c),
            Self::Hebrew => ('\u{5d0}'..='\u{5ea}').contains(&c),
        }
    }

    /// Returns the fewest letters before an ending. A short Latin base is that of many English words.
    fn min_base(self, evidence: LanguageEvidence) -> usize {
        match (self, evidence) {
            (Self::Latin, LanguageEvidence::English) => 6,
            (Self::Latin, LanguageEvidence::HeldAsTyped | LanguageEvidence::Unknown) => 5,
            (Self::Latin, LanguageEvidence::OtherLanguage) | (Self::Greek | Self::Cyrillic, _) => 4,
            (Self::Arabic | Self::Hebrew, _) => 3,
        }
    }
}
