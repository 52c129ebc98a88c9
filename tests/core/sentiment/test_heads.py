"""The models of a head by themselves."""

import numpy as np

from scoop.core.sentiment.heads import VectorModel


def test_products_tell_what_two_directions_mean_together():
    nothing = np.zeros((3, 3), dtype=np.float32)
    both = np.array([[0, 0.5], [0.5, 0]], dtype=np.float32)
    model = VectorModel(
        linear=np.vstack([nothing[:2], [0.0, 0.25, 0.0]]).astype(np.float32),
        directions=np.eye(2, dtype=np.float32),
        products=np.stack([-both, 0 * both, both]),
    )
    margins = model.margins(np.array([[1, 1], [1, -1], [-1, -1], [2, 0]], dtype=np.float32))
    assert margins.tolist() == [[-1, 0.25, 1], [1, 0.25, -1], [-1, 0.25, 1], [0, 0.25, 0]]


def test_a_model_without_products_is_linear():
    none = np.zeros((0, 0), dtype=np.float32)
    model = VectorModel(linear=np.array([[1, 2, 3], [0, 0, 1]], dtype=np.float32), directions=none, products=none)
    assert model.margins(np.array([[2]], dtype=np.float32)).tolist() == [[2, 4, 7]]
