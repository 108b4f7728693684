"""What a reader sees of answers in HTML and Markdown; other text is left alone, and quickly."""

import time

import pytest

from simulator.core.clean import plain, plain_talk
from simulator.core.talk import Reply
from tests.targets.fakes import talk_of

MENU = "番号をお選びください: [1] 送料 [2] 返品"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("**送料**は *500円* です[1]。\n\n[1]: https://a.example/b", "送料は 500円 です。"),
        ("送料は 500 円[1][2]、返品[3, 4]は", "送料は 500 円、返品は"),
        ("within 30 days [1], and more [2][3].", "within 30 days, and more."),
        ("See it [^note].\n\n[^note]: The **terms**", "See it."),
        ("It takes 3 days【4:0†faq.md】.", "It takes 3 days."),
        ("500 円です [1](https://a.example)。", "500 円です。"),
        ("# 送料\n> 引用\n\n---\n1. 一つ目", "送料\n引用\n\n1. 一つ目"),
        ("| 地域 | 送料 |\n|---|:-:|\n| 東京 | 500円 |", "地域  送料\n東京  500円"),
        ("[配送](https://a.example/x_(y)) を", "配送 (https://a.example/x_(y)) を"),
        ("[配送](/local) と ![図](https://a.example/i.png)", "配送 と 図"),
        ("<https://a.example|here>, <https://b.example>", "here (https://a.example), https://b.example"),
        ("```py\na = b*c*d\n```\nand `**x**`", "a = b*c*d\nand **x**"),
        (r"3 \* 4 &amp; 5&nbsp;円", "3 * 4 & 5 円"),
        ("<p>送料は<b>500</b>円です。</p><ul><li>30 日</li></ul>", "送料は500円です。\n\n- 30 日"),
        ("500円<sup><a href='#1'>[1]</a></sup>です", "500円です"),
        ("10 m<sup>2</sup>, 10<sup>6</sup>, days<sup>1</sup>", "10 m2, 10^6, days"),
        ("a<!-- b --><script>c</script><i style='display: none'>d<i>e</i></i>f", "af"),
        ("<table><tr><th>A</th><td>B</td></tr></table>", "A  B"),
        ("<a href='https://a.example'>A</a><br>B", "A (https://a.example)\nB"),
        ("標準配送[1](500円)です", "標準配送(500円)です"),
        ("500円[1-3]と<sup>[1]</sup>\n[2]: a.md\n[3]: b.md", "500円と"),
        ("3 days [1](a.html). Free[2](#note)", "3 days. Free"),
        (r"snake\_case, 5 \* 3", "snake_case, 5 * 3"),
    ],
)  # fmt: skip
def test_marks_are_not_read(written: str, read: str) -> None:
    assert read == plain(written)


@pytest.mark.parametrize(
    "text",
    [
        "plain\n\n\n  text  \n",
        "2*3*4=24, snake_case_name, __init__.py, 5 < 6 and 7 > 3",
        "Dear <your name>, List<String>",
        MENU,
        "(3)注 [重要] これ - [ ] todo",
        "#1 is best; 50% & more",
        r"C:\_x と D:\a\_b\[1].txt、\\server\_share\#1",
        "<5kg なら無料、重さ<5kg>3kg、a_b_c",
        "「[1]」を押すか、番号[12]を入力し、画面の[3]を選びます",
        "手順[1]を見て第[2]条を読む。答えは[3]。",
        "1[2]3 A1[2]B x[1] + 2",
        "Press [1], choose option [2]. arr[0] = x[1].y",
        "[1]: 送料\n[2]: 返品",
        "注[1]参照、窓口の[2]番",
        "申し込みはこちら:\n[1] https://a.example/b",
        "[送料](500円)と[内線](12)",
        "",
    ],
)
def test_what_is_no_markup_stays(text: str) -> None:
    assert text == plain(text)


def test_an_answer_that_shows_nothing_is_left_as_it_came() -> None:
    talk = talk_of(("q", "<p hidden>x</p>"), ("r", "**x**"))
    assert ["<p hidden>x</p>", "x"] == [e.assistant for e in plain_talk(talk).exchanges]
    assert talk.exchanges[0].reply == Reply("<p hidden>x</p>")


@pytest.mark.parametrize(
    "piece",
    ["**a ", "<", "<p ", "<!--", "[1", "[", "[1]", "[a](", "`", "` ", "```\n", "_a ", "|", "|a\n",
     "| -", ">", " #", "&a", "【a†", "<p style='", "<a>", "<sup>1", "<p hidden>", "x [1 1"],
)  # fmt: skip
def test_no_answer_takes_long(piece: str) -> None:
    began = time.process_time()
    plain(piece * (100_000 // len(piece)))
    assert time.process_time() - began < 2
