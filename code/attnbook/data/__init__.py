"""Data of the book: seeded generators now, corpora in Part III."""

from attnbook.data.synthetic import RegressionData, kernel_regression_data, true_curve

__all__ = ["RegressionData", "kernel_regression_data", "true_curve"]
