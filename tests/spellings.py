"""Sentences as people write them, and their tokens: for the package and for its twin in the page."""

#: The sentence, and its tokens with spaces between them.
SPELLINGS = {
    "Go.": "go .",
    "Va !": "va !",
    "Va\u202f!": "va !",
    "Va\u00a0!": "va !",
    "Va\u2009!": "va !",
    "Va!": "va !",
    "J’ai perdu.": "j'ai perdu .",
    "J‘ai perdu.": "j'ai perdu .",
    "  Je   suis\tchez\nmoi ": "je suis chez moi",
    "E\u0301te\u0301": "été",
    "ÉTÉ": "été",
    "ÇA VA ?!": "ça va ? !",
    "Oui, non; peut-être: bien...": "oui , non ; peut-être : bien . . .",
    "Œuvre": "œuvre",
    "": "",
    " \u202f ": "",
    ".": ".",
    # what stays inside a word or a number, and what does not
    "My parents' house, isn't it?": "my parents' house , isn't it ?",
    "She said 'yes'.": "she said ' yes' .",
    "He said 'no'.": "he said ' no ' .",
    "It's 7:45, or 3.14, or 1,051.": "it's 7:45 , or 3.14 , or 1,051 .",
    "Es kostet 3,50 €.": "es kostet 3,50 € .",
    "The 3rd mp3 is 10% off.": "the 3rd mp3 is 10 % off .",
    "well\u2011known - e-mail": "well-known - e-mail",
    "«Bonjour», dit-elle.": "« bonjour » , dit-elle .",
    "¿Qué hora es?": "¿ qué hora es ?",
    "The cat (black) sleeps…": "the cat ( black ) sleeps …",
    '"Yes," he said.': '" yes , " he said .',
    # scripts without spaces: a token is a character, with what combines with it
    "我们走吧。": "我 们 走 吧 。",
    "他是一个 DJ 。": "他 是 一 个 dj 。",
    "私は3.14が好きです。": "私 は 3.14 が 好 き で す 。",
    "スーパーで１９歳Ａ": "ス ー パ ー で 19 歳 a",
    "ｶﾞｷﾞ": "ガ ギ",
    "แมวนอนอยู่": "แ ม ว น อ น อ ยู่",
    # scripts with spaces and marks of their own
    "أين الكتاب؟": "أين الكتاب ؟",
    "مـــرحبا\u200f": "مرحبا",
    "मैं ज़्यादा बास्\u200dकेटबॉल।": "मैं ज़्यादा बास्\u200dकेटबॉल ।",
    "유령은 존재해.": "유령은 존재해 .",
}

# Sentences of seven languages, as their writers would write them.
FRENCH = [
    "L'homme est là !",
    "Où est Marie ?",
    "Paul dit : « Bonjour. »",
    "Elle aime Marie et Paul.",
    "Va !",
    "Elle dit « oui » : bien.",
]
GERMAN = ["Die Katze schläft.", "Der Hund liegt im Haus.", "Siehst du die Katze oder den Hund?", "Im Haus ist Brot."]
CHINESE = ["我们走吧。", "他说：“你好。”", "我有3本书，你呢？", "我们试试看！", "他用 DVD 看书。"]
JAPANESE = ["私は本が好きです。", "「はい」と言った。", "今日は3時に行きます。"]
THAI = ["แมวนอนอยู่", "ฉันชอบแมว", "เขามีแมว 3 ตัว"]
ARABIC = ["أين الكتاب؟", "مرحبا، كيف حالك؟", "هذا كتاب."]
ENGLISH = [
    '"Yes," he said.',
    'She said "no" to Tom.',
    "It's Tom's (old) car.",
    "Wait... Is it 7:45?",
    "I know that I am.",
]
TEXTS = {"fr": FRENCH, "de": GERMAN, "zh": CHINESE, "ja": JAPANESE, "th": THAI, "ar": ARABIC, "en": ENGLISH}
