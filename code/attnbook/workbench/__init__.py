"""Figures that need PyTorch, with the controls of ipywidgets: break a function, train again, ask a trained model.

In a notebook that runs they compute. A page, and a notebook that has not run, show pictures that were stored.
"""

from .asking import Ask
from .breaking import BreakIt
from .retraining import Retrain

__all__ = ["Ask", "BreakIt", "Retrain"]
