"""The scripts that sentences are written in, and Chinese in one of its two: simplified or traditional characters."""

import functools
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

# a script counts as a language's own if this part of its sentences has a letter of it
OWN = 0.05
# OpenCC's names of the conversions into each
CONVERSIONS = {"simplified": "t2s", "traditional": "s2t"}
# frequent characters that only one of the two scripts has, one above the other
SIMPLIFIED = frozenset(
    "们这说时对会为学国过还问开关见谁让给爱书车门话气东马鸟鱼饭买卖钱电飞长间听觉欢乐难热认识读写边远请谢该谈语错钟岁"
    "点头题愿现经结样机应张动单吗妈儿亲师带帮总报换条极楼汉灯烦猫确礼离种笔红级纸练细网脑脸药虽视许诉词试误课调贵费"
)
TRADITIONAL = frozenset(
    "們這說時對會為學國過還問開關見誰讓給愛書車門話氣東馬鳥魚飯買賣錢電飛長間聽覺歡樂難熱認識讀寫邊遠請謝該談語錯鐘歲"
    "點頭題願現經結樣機應張動單嗎媽兒親師帶幫總報換條極樓漢燈煩貓確禮離種筆紅級紙練細網腦臉藥雖視許訴詞試誤課調貴費"
)


def scripts_of(text: str) -> set[str]:
    """The scripts of a text's letters.

    Args:
        text: any.

    Returns:
        The first word of each letter's Unicode name: LATIN, CJK, HIRAGANA, ARABIC, ….
    """
    return {script for script in map(_script, set(text)) if script}


@functools.cache
def _script(character: str) -> str:
    letter = unicodedata.category(character)[0] == "L"
    return unicodedata.name(character, "").partition(" ")[0] if letter else ""


def own_scripts(sentences: Sequence[str]) -> set[str]:
    """The scripts in which a language is written.

    Args:
        sentences: of the language.

    Returns:
        The scripts that a twentieth of the sentences have a letter of; see `scripts_of`.
    """
    counts = Counter(
        script for sentence in sentences for script in scripts_of(sentence)
    )
    return {script for script, n in counts.items() if n >= OWN * len(sentences)}


def is_chinese(sentences: Sequence[str]) -> bool:
    """Whether sentences are Chinese: in Han characters, without Japanese kana.

    Args:
        sentences: of one language.

    Returns:
        True if they are.
    """
    return own_scripts(sentences) & {"CJK", "HIRAGANA", "KATAKANA"} == {"CJK"}


def in_both_scripts(sentences: Iterable[str]) -> tuple[int, int]:
    """Count Chinese sentences by their script.

    Args:
        sentences: Chinese.

    Returns:
        How many can only be simplified, and how many only traditional; most others are the same in both.
    """
    texts = [set(sentence) for sentence in sentences]
    simplified = sum(bool(t & SIMPLIFIED) and not t & TRADITIONAL for t in texts)
    traditional = sum(bool(t & TRADITIONAL) and not t & SIMPLIFIED for t in texts)
    return simplified, traditional


def in_script(sentences: Iterable[str], script: str) -> list[str]:
    """Write Chinese sentences in one script.

    Args:
        sentences: Chinese, in either script.
        script: "simplified" or "traditional".

    Returns:
        The same sentences.

    Raises:
        ValueError: another script.
        ModuleNotFoundError: OpenCC is not installed.
    """
    if script not in CONVERSIONS:
        raise ValueError(f"script must be {' or '.join(CONVERSIONS)}, got {script!r}")
    try:
        from opencc import OpenCC
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "OpenCC, which writes Chinese in one script, is not installed: "
            'pip install "attnbook[chinese]"'
        ) from error
    convert = OpenCC(CONVERSIONS[script]).convert
    return [convert(sentence) for sentence in sentences]
