"""Tensors inside nested tuples, lists and dictionaries."""


def tree_map(fn, tree):
    """Apply a function to all leaves."""
    if isinstance(tree, dict):
        return {key: tree_map(fn, part) for key, part in tree.items()}
    if isinstance(tree, list | tuple) and type(tree).__name__ != "Size":
        return type(tree)([tree_map(fn, part) for part in tree])
    return fn(tree)


def tree_map_only(kind, fn, tree):
    """Apply a function to the leaves of one type."""
    return tree_map(lambda leaf: fn(leaf) if isinstance(leaf, kind) else leaf, tree)


def tree_leaves(tree):
    """All leaves in order."""
    leaves = []
    tree_map(leaves.append, tree)
    return leaves
