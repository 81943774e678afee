"""The Chinese words of the bilingual grammar, by the English ones. Each character is a token.

Simplified characters. A noun has a measure word, which stands between it and a number, *this* or *every*: 一本书, one
*copy* of book. Neither nouns nor verbs have other forms.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ChineseNoun:
    """A noun.

    Attributes:
        text: the noun.
        measure: its measure word.
        had: what somebody who is *with* one does to it: wears, holds, leads, has.
        kin: whether *my* needs no 的 before it: 我哥哥.
        ages: whether an old one is 老 and not 旧.
    """

    text: str
    measure: str
    had: str = ""
    kin: bool = False
    ages: bool = True


@dataclass(frozen=True)
class ChineseAdjective:
    """An adjective.

    Attributes:
        before: before its noun; one of two characters is followed by 的.
        alone: after *is*.
        short: before its noun where another 的 is near, if it can do without.
        named: whether *is* is 是 with 的 at the end, which sorts things, and not 很.
    """

    before: str
    alone: str
    short: str = ""
    named: bool = False


_NOUNS = """
man       男人   个
boy       男孩   个
brother   哥哥   个 kin
neighbour 邻居   个
child     孩子   个
woman     女人   个
girl      女孩   个
sister    姐姐   个 kin
mother    母亲   位 kin
dog       狗     只 带着
cat       猫     只 带着
horse     马     匹 带着
cow       牛     头 带着
mouse     老鼠   只 带着
tree      树     棵 有
hat       帽子   顶 戴着 wears-out
boat      船     条 有   wears-out
book      书     本 拿着 wears-out
car       汽车   辆 有   wears-out
letter    信     封 拿着 wears-out
flower    花     朵 拿着
garden    花园   座
village   村子   个
house     房子   座
school    学校   所
"""


def _noun(text: str, measure: str, *more: str) -> ChineseNoun:
    had = next((word for word in more if not word.isascii()), "")
    return ChineseNoun(text, measure, had, "kin" in more, "wears-out" not in more)


CHINESE_NOUNS = {
    english: _noun(*rest)
    for english, *rest in map(str.split, _NOUNS.strip().splitlines())
}

CHINESE_ADJECTIVES = {
    "small": ChineseAdjective("小", "小"),
    "big": ChineseAdjective("大", "大"),
    "young": ChineseAdjective("年轻", "年轻", "年轻"),
    "old": ChineseAdjective("老", "老"),
    "beautiful": ChineseAdjective("漂亮", "漂亮", "漂亮"),
    "new": ChineseAdjective("新", "新", named=True),
    "red": ChineseAdjective("红色", "红", "红", named=True),
    "green": ChineseAdjective("绿色", "绿", "绿", named=True),
    "black": ChineseAdjective("黑色", "黑", "黑", named=True),
    "white": ChineseAdjective("白色", "白", "白", named=True),
    "famous": ChineseAdjective("有名", "有名"),
    "happy": ChineseAdjective("快乐", "高兴"),
    "tired": ChineseAdjective("疲惫", "累"),
}
OLD_THING = ChineseAdjective("旧", "旧")

# the verb, and what follows it: 睡 a sleep, 说 words
CHINESE_VERBS = {
    "see": ("看到", ""),
    "like": ("喜欢", ""),
    "sell": ("卖", ""),
    "look": ("找", ""),
    "wait": ("等", ""),
    "talk": ("说", "话"),
    "go": ("去", ""),
    "sleep": ("睡", "觉"),
    "work": ("工作", ""),
    "come": ("来", ""),
    "think": ("觉得", ""),
    "know": ("知道", ""),
    "can": ("能", ""),
    "want": ("想", ""),
}
CHINESE_NAMES = {
    "paul": "保罗",
    "marc": "马克",
    "marie": "玛丽",
    "claire": "克莱尔",
    "anna": "安娜",
}
PRONOUNS = {
    "i": "我",
    "you": "你",
    "he": "他",
    "she": "她",
    "it": "它",
    "we": "我们",
    "they": "他们",
}
PRONOUNS |= {"him": "他", "her": "她", "them": "他们"}
OWNERS = {
    "my": "我",
    "your": "你",
    "his": "他",
    "her": "她",
    "our": "我们",
    "their": "他们",
}
NUMBERS = {"two": "两", "three": "三"}
COUNTED = NUMBERS | {
    "a": "一",
    "this": "这",
    "every": "每",
}  # followed by the measure word
PLACES = {"near": "附近", "behind": "后面", "next": "旁边", "front": "前面", "in": "里"}
TIMES = {"today": "今天", "now": "现在", "yesterday": "昨天"}
OFTEN = {"often": "常常", "always": "总是"}
LINKS = {"and": "，", "but": "，但是", "because": "，因为"}
