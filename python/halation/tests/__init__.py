"""halation.tests: `pytest --pyargs halation` runs them; they need pytest, hypothesis and SciPy."""
