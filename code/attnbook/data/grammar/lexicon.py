"""The words of the bilingual grammar: every English word has one French translation, in all the forms that occur.

No noun begins with an aspirated h, so a French word that begins with a vowel or an h always asks for elision.
English forms were chosen so that present and past never look alike (*see*, *saw*, but not *read*, *read*).
"""

from dataclasses import dataclass
from typing import Any

# Kinds of things, so that hats do not sleep: person, animal, thing, place.
KINDS = "patl"


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun in both languages.

    Attributes:
        english: singular, plural.
        french: singular, plural.
        feminine: the French gender.
        kind: p(erson), a(nimal), t(hing) or (p)l(ace).
    """

    english: tuple[str, str]
    french: tuple[str, str]
    feminine: bool
    kind: str


@dataclass(frozen=True, eq=False)
class Adjective:
    """An adjective in both languages.

    Attributes:
        english: the one English form.
        before: whether the French one stands before its noun.
        french: masculine singular, the same before a vowel, feminine, masculine plural, feminine plural.
        kinds: what it is said of.
    """

    english: str
    before: bool
    french: tuple[str, str, str, str, str]
    kinds: str

    def agree(self, feminine: bool, plural: bool, before_vowel: bool = False) -> str:
        """The French form.

        Args:
            feminine: the noun's gender.
            plural: the noun's number.
            before_vowel: whether a noun with a vowel follows directly: un bel arbre.

        Returns:
            One of `french`.
        """
        if plural:
            return self.french[4 if feminine else 3]
        return self.french[2 if feminine else int(before_vowel)]


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb in both languages.

    Attributes:
        english: base form, third person, past; for *be* six: am, are, is, was, were and the base.
        present: je, tu, il, nous, ils.
        infinitive: the French one.
        participle: masculine singular; e, s, es are added.
        subjects: kinds that do it.
        objects: kinds that it is done to; empty: nobody.
        particle: the English word between verb and object: look *for*.
        preposition: the French one: parler *à*.
        etre: whether the past tense is formed with être, and the participle agrees with the subject.
        imperfect: je, tu, il, nous, ils; *être* only, the other verbs' past is the passé composé.
    """

    english: tuple[str, ...]
    present: tuple[str, ...]
    infinitive: str
    participle: str
    subjects: str = "p"
    objects: str = ""
    particle: str = ""
    preposition: str = ""
    etre: bool = False
    imperfect: tuple[str, ...] = ()

    def agree(self, feminine: bool, plural: bool) -> str:
        """The past participle's form.

        Args:
            feminine: the gender that it agrees with.
            plural: the number that it agrees with.

        Returns:
            vu, vue, vus or vues.
        """
        return self.participle + "e" * feminine + "s" * plural


def starts_with_vowel(word: str) -> bool:
    """Whether a French word of this lexicon makes the word before it elide.

    Args:
        word: lower case.

    Returns:
        True before a, e, i, o, u with any accent, and before the mute h.
    """
    return word[0] in "aâeéèêiîoôuûh"


_NOUNS = """
man men          homme hommes      m p
boy boys         garçon garçons    m p
brother brothers frère frères      m p
neighbour neighbours voisin voisins m p
child children   enfant enfants    m p
woman women      femme femmes      f p
girl girls       fille filles      f p
sister sisters   sœur sœurs        f p
mother mothers   mère mères        f p
dog dogs         chien chiens      m a
cat cats         chat chats        m a
horse horses     cheval chevaux    m a
cow cows         vache vaches      f a
mouse mice       souris souris     f a
tree trees       arbre arbres      m t
hat hats         chapeau chapeaux  m t
boat boats       bateau bateaux    m t
book books       livre livres      m t
car cars         voiture voitures  f t
letter letters   lettre lettres    f t
flower flowers   fleur fleurs      f t
garden gardens   jardin jardins    m l
village villages village villages  m l
house houses     maison maisons    f l
school schools   école écoles      f l
"""

# a hyphen-minus in the second place: the masculine has no form of its own before a vowel
_ADJECTIVES = """
small     before petit   -      petite   petits   petites  patl
big       before grand   -      grande   grands   grandes  patl
young     before jeune   -      jeune    jeunes   jeunes   pa
old       before vieux   vieil  vieille  vieux    vieilles patl
beautiful before beau    bel    belle    beaux    belles   patl
new       before nouveau nouvel nouvelle nouveaux nouvelles tl
red       after  rouge   -      rouge    rouges   rouges   tl
green     after  vert    -      verte    verts    vertes   tl
black     after  noir    -      noire    noirs    noires   at
white     after  blanc   -      blanche  blancs   blanches atl
famous    after  célèbre -      célèbre  célèbres célèbres pl
happy     after  heureux -      heureuse heureux  heureuses pa
tired     after  fatigué -      fatiguée fatigués fatiguées pa
"""


def _noun(row: str) -> Noun:
    single, many, singulier, pluriel, gender, kind = row.split()
    return Noun((single, many), (singulier, pluriel), gender == "f", kind)


def _adjective(row: str) -> Adjective:
    english, place, masculine, vowel, feminine, many, many_feminine, kinds = row.split()
    vowel = masculine if vowel == "-" else vowel
    forms = (masculine, vowel, feminine, many, many_feminine)
    return Adjective(english, place == "before", forms, kinds)


def _regular(stem: str) -> tuple[str, ...]:
    """The present tense of verbs in -er."""
    return tuple(stem + ending for ending in ("e", "es", "e", "ons", "ent"))


def _er(english: str, stem: str, **more: Any) -> Verb:
    return Verb(tuple(english.split()), _regular(stem), stem + "er", stem + "é", **more)


NOUNS = tuple(_noun(row) for row in _NOUNS.strip().splitlines())
ADJECTIVES = tuple(_adjective(row) for row in _ADJECTIVES.strip().splitlines())

_SEE = ("vois", "vois", "voit", "voyons", "voient")
_WAIT = ("attends", "attends", "attend", "attendons", "attendent")
_SELL = ("vends", "vends", "vend", "vendons", "vendent")
_SLEEP = ("dors", "dors", "dort", "dormons", "dorment")
_GO = ("vais", "vas", "va", "allons", "vont")
_CAN = ("peux", "peux", "peut", "pouvons", "peuvent")
_WANT = ("veux", "veux", "veut", "voulons", "veulent")
_KNOW = ("sais", "sais", "sait", "savons", "savent")

# By the place that they take in a sentence; see grammar_rules.
VERBS = {
    "see": (
        Verb(("see", "sees", "saw"), _SEE, "voir", "vu", "pa", KINDS),
        _er("like likes liked", "aim", subjects="pa", objects=KINDS),
        Verb(("sell", "sells", "sold"), _SELL, "vendre", "vendu", "p", "atl"),
    ),
    "look": (
        _er(
            "look looks looked",
            "cherch",
            subjects="pa",
            objects=KINDS,
            particle="for",
        ),
        Verb(
            ("wait", "waits", "waited"),
            _WAIT,
            "attendre",
            "attendu",
            "pa",
            "pa",
            particle="for",
        ),
    ),
    "talk": (
        _er(
            "talk talks talked",
            "parl",
            objects="p",
            particle="to",
            preposition="à",
        ),
        Verb(
            ("go", "goes", "went"),
            _GO,
            "aller",
            "allé",
            "pa",
            "l",
            "to",
            "à",
            etre=True,
        ),
    ),
    "sleep": (
        Verb(("sleep", "sleeps", "slept"), _SLEEP, "dormir", "dormi", "pa"),
        _er("work works worked", "travaill"),
        Verb(
            ("come", "comes", "came"),
            ("viens", "viens", "vient", "venons", "viennent"),
            "venir",
            "venu",
            "pa",
            etre=True,
        ),
    ),
    "can": (Verb(("can", "can"), _CAN, "pouvoir", "pu", "pa"),),
    "want": (Verb(("want", "wants"), _WANT, "vouloir", "voulu", "pa"),),
    "think": (
        _er("think thinks", "pens"),
        Verb(("know", "knows"), _KNOW, "savoir", "su"),
    ),
}

BE = Verb(
    ("am", "are", "is", "was", "were", "be"),
    ("suis", "es", "est", "sommes", "sont"),
    "être",
    "été",
    KINDS,
    imperfect=("étais", "étais", "était", "étions", "étaient"),
)
HAVE = Verb(
    ("have", "has", "had"), ("ai", "as", "a", "avons", "ont"), "avoir", "eu", KINDS
)

# name → feminine
NAMES = {"paul": False, "marc": False, "marie": True, "claire": True, "anna": True}
