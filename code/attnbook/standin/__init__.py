"""The torch of the page: a stand-in for PyTorch in plain Python, for readers who have installed nothing.

The page puts this folder on `sys.path`, so that `import torch` finds `standin/torch` and `import numpy` a module that
says there is no NumPy. Tests run it beside PyTorch, and `python -m tools.standin` judges readers' answers under both.

The exercises and the rooms `attention`, `checks`, `pairs`, `reproducible` and `transformer` work with it as they are.
What PyTorch has besides stands in `torch/names.txt` and raises `NotInThePage`. Numbers are lists of Python floats, in
float64 as PyTorch's to the last digits; strides, views, dtypes, the random stream, printing and the errors that
readers meet are PyTorch's.
Not here: second derivatives, functions with their own way back, compilers, other devices, convolutions.
"""

__all__: list[str] = []
