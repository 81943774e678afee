"""The torch of the page: a stand-in for PyTorch in plain Python, for readers who have installed nothing.

The page puts this folder on `sys.path`, so that `import torch` finds `standin/torch` and `import numpy` a module that
says there is no NumPy. Everywhere else it is `attnbook.standin.torch`; tests run it beside PyTorch, and
`python -m tools.standin` judges readers' answers under both.

Under it the exercises (`attnbook.exercises`) and the rooms `attention`, `checks`, `pairs`, `reproducible` and
`transformer` work as they are. NumPy is imported by `exercises/answers.py` and `exercises/kinds.py`, which ask only
whether a result is an array. What PyTorch has besides stands in `torch/names.txt` and raises `NotInThePage`.

Numbers are lists of Python floats, in float64 as PyTorch's to the last digits; strides, views, dtypes, errors, the
random stream and printing are PyTorch's. Not here: second derivatives, functions with their own way back, compilers,
other devices, convolutions.
"""

__all__: list[str] = []
