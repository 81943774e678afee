"""Which statements a cell needs: those that give what it reads, wherever and however they do it."""

import ast

import pytest

from attnbook.classroom import facts, needs


def found(target, *rounds):
    statements, absent = needs(ast.parse(target).body, *(ast.parse(one).body for one in rounds))  # fmt: skip
    return [ast.unparse(one) for one in statements], absent


NET = "class Net:\n    def __call__(self):\n        return b"
CLOSURE = "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += a\n    return g"
GLOBAL = "def init():\n    global scale\n    scale = 2"
FILL = "def fill(box):\n    box[0] = 1"
READ = "def look(box):\n    return box[0]"
REMEMBER = "def remember(x):\n    seen.append(x)"
OR_ELSE = "try:\n    import fast\nexcept ImportError:\n    fast = None"
PERHAPS = "try:\n    a = 2\nexcept ValueError:\n    pass"
LEFT_OR_RIGHT = "if x:\n    a = 1\nelse:\n    a = 2"


@pytest.mark.parametrize(
    "target, above, expected",
    {
        "read when called, from below the function": ("f()", ["def f():\n    return b", "b = 2"], None),
        "before each call, and y may hold f": ("y", ["b = 1", "def f():\n    return b", "y = f()", "b = 3"], None),
        "and before the cell": ("f()", ["b = 1", "def f():\n    return b", "b = 3"], [1, 2]),
        "by way of another function": ("g()", ["def f():\n    return b", "def g():\n    return f()", "b = 3"], None),
        "in a lambda": ("f()", ["f = lambda: b", "b = 3"], None),
        "a method's": ("net()", [NET, "net = Net()", "b = 1"], None),
        "handed on": ("h()", ["from functools import partial", "f = lambda: b", "h = partial(f)", "b = 1"], None),
        "a function's own names": ("f()", ["a = 1", "def f():\n    a = 2\n    return [a for b in a]", "b = 3"], [1]),
        "a closure": ("f()", [CLOSURE, "n = 1", "a = 2"], [0, 2]),
        "in try": ("a", ["try:\n    a = 1\nfinally:\n    pass", "b = 2"], [0]),
        "either way": ("a", ["a = 0", LEFT_OR_RIGHT], [1]),
        "perhaps": ("a", ["a = 0", PERHAPS], None),
        "imported or else": ("fast", ["fast = 1", OR_ELSE], [1]),
        "with": ("f.read()", ["f = 1", "with open('a') as f:\n    pass"], None),
        "in with, which may skip it": ("a", ["a = 1", "with suppress(E):\n    a = 1 / 0"], None),
        "in a lambda that changes it": ("x", ["w = [1]", "x = [0]", "x.sort(key=lambda i: w[i])"], None),
        "tuples": ("b", ["a, (b, *c) = 1, (2, 3)", "c = 1"], [0]),
        "a walrus": ("b", ["print(b := 2)", "c = 1"], [0]),
        "match": ("b", ["match [1, 2]:\n    case [a, b]:\n        pass", "c = 1"], [0]),
        "a loop's variable": ("for a in range(2):\n    print(a)", ["a = 1"], []),
        "of a loop's own": ("a", ["b = 1", "for b in range(2):\n    a = b"], [1]),
        "an error's name": ("try:\n    f\nexcept E as e:\n    print(e)", ["e = 1", "f = 2"], [1]),
        "a global name": ("scale", [GLOBAL, "init()", "print(1)"], [0, 1]),
        "a global name, read late": ("f()", [GLOBAL, "init()", "def f():\n    return scale"], None),
        "written into by a function": ("a", ["a = [0]", FILL, "fill(a)"], None),
        "looked at by a function": ("a", ["a = [0]", READ, "look(a)"], [0]),
        "a memory": ("seen", ["seen = []", REMEMBER, "remember(1)", "print(seen)"], [0, 1, 2]),
        "deleted": ("sum([1])", ["sum = 3", "del sum"], []),
        "used, then deleted": ("b + sum([1])", ["sum = 3", "b = sum", "del sum", "del c"], [0, 1, 2]),
        "an item deleted": ("a", ["a = {1: 2}", "del a[1]"], None),
        "decorated": ("f()", ["def twice(g):\n    return g", "@twice\ndef f():\n    pass"], None),
        "a class's attribute": ("C.a", ["class C:\n    a = 1", "C.a = 2", "C.register(3)", "print(C)"], [0, 1, 2]),
        "torch changed": ("torch.exp(1)", ["import torch", "torch.exp = abs", "torch.manual(1)"], [0, 1]),
        "torch used": ("torch.exp(1)", ["import torch", "b = 1", "def f():\n    return b", "torch.manual(f())"], [0]),
        "popped": ("a", ["a = [1]", "last = a.pop()", "other = a.copy()"], [0, 1]),
        "in place": ("a", ["a = [1]", "b = a.add_(1)", "init_(a)", "init(a)"], [0, 1, 2]),
        "by Python": ("a", ["a = [3, 1]", "random.shuffle(a)", "heappush(a, 1)", "setattr(a, 'b', 1)"], None),
        "by Python, for another": ("a", ["a = [1]", "shuffle(b)", "setattr(b, 'c', a)"], [0]),
        "out": ("a", ["a = zeros(2)", "torch.add(b, 1, out=a)", "torch.add(a, 1, out=b)"], [0, 1]),
        "out of a function": ("a", ["a = [0]", "def f(b):\n    random.shuffle(b)", "f(a)"], None),
        "added to in a block": ("a", ["a = 1", "if True:\n    a += 1"], None),
        "another name for it": ("a", ["a = [1]", "b = a", "b.append(2)", "b = [3]", "b.append(4)"], [0, 1, 2]),
        "the name that it had": ("b", ["a = [1]", "b = a", "a.append(2)", "a = [3]", "a.append(4)"], [0, 1, 2]),
        "a third name": ("c", ["a = [1]", "b = c = a", "b += [2]", "d = b + [3]", "d.append(4)"], [0, 1, 2]),
        "names in pairs": ("a", ["a, x = [1], [2]", "b, (*c, y) = a, (x, 5)", "b.append(3)", "c.append(4)"], [0, 1, 2]),
        "a row": ("a", ["a = torch.eye(2)", "row = a[0]", "row[1] = 3", "s = row.sum()", "print(row)"], [0, 1, 2]),
        "a view": ("a", ["a = torch.eye(2)", "b = a.T.view(-1)", "b.zero_()", "c = a.clone()", "c.zero_()"], [0, 1, 2]),
        "a view in a loop": ("a", ["a = make()", "b = a.data", "while x:\n    b[0] += 1"], None),
        "another name, written into": ("a", ["a = [0]", FILL, "b = a", "fill(b)", "look(b)"], [0, 1, 2, 3]),
        "another name, only looked at": ("a", ["a = [0]", "b = a", "c = len(b)", "for i in b:\n    print(i)"], [0]),
        "another name, deleted": ("a", ["a = [0]", "b = a", "del b", "b = [1]", "b.append(2)"], [0]),
        "a module's parts": ("torch.exp", ["import torch", "b = torch.ones", "b.mark = 1"], [0]),
        "only declared": ("a", ["a = 1", "a: int"], [0]),
        "where modules are looked for": ("helper", ["import sys", "sys.path.append('lib')", "import helper"], None),
        "what cannot be compiled": ("a", ["def f(x, x):\n    pass", "a = 1"], [1]),
    }.values(),
)  # fmt: skip
def test_what_gives_a_name(target, above, expected):
    whole = [*map(ast.unparse, map(ast.parse, above))]
    assert found(target, "\n".join(above))[0] == (whole if expected is None else [whole[number] for number in expected])


def test_what_nothing_gives_is_told_and_looked_for_further_off():
    above, below = "def f(x):\n    return x + a + b + c", "b = one + 1\nd = 4"
    assert found("f(len)", above) == ([above], {"a", "b", "c"})
    whole = f"a = 0\none = 1\n{above}\n{below}"
    statements, absent = found("f(1)", whole, "a = 5\n" + above)
    assert statements == ["one = 1", "b = one + 1", "a = 5", above]
    assert absent == {"c"}


def test_seeds_of_the_last_round_only_are_set():
    seed = "import torch\ntorch.manual_seed(0)"
    assert found("1", seed, "")[0] == []
    assert found("1", "", seed)[0] == seed.splitlines()


def test_a_statement_that_is_nested_too_deeply_gives_its_name():
    (statement,) = ast.parse(f"a = {' + '.join(['1'] * 800)}").body
    assert facts(statement).gives == {"a"}
