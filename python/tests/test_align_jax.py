"""tarl.align inside what JAX does to functions."""

import numpy as np
import pytest
from heavy import need
from tarl import align

jax = need("jax")
jnp = jax.numpy
pytestmark = pytest.mark.verify


def candidates(shape=(64,)):
    rng = np.random.default_rng(5)
    return [jnp.asarray(rng.normal(size=shape), jnp.float32) for _ in range(3)]


def select(q, y_online, y_offline):
    score = align.score(q, y_online, y_offline)
    return score, align.scenario(q, y_online, y_offline), align.keep_best(score, 32)


def assert_same(ours, expected):
    for one, other in zip(ours, expected, strict=True):
        assert isinstance(one, jax.Array)
        np.testing.assert_allclose(one, other, rtol=0, atol=2e-6)


def test_results_are_those_of_numpy():
    given = candidates()
    assert_same(select(*given), select(*map(np.asarray, given)))


def test_compiles_and_maps():
    given = candidates((3, 64))
    expected = [jnp.stack(parts) for parts in zip(*(select(*rows) for rows in zip(*given, strict=True)), strict=True)]
    assert_same(jax.jit(jax.vmap(select))(*given), expected)
    rows = [array[0] for array in given]
    assert_same(jax.jit(select)(*rows), select(*rows))


def test_critics_share_targets():
    q, targets = candidates((2, 64))[0], candidates()[1:]
    score = jax.jit(lambda *given: align.score(*given, critics=0))(q, *targets)
    assert_same([score], [jnp.minimum(*(align.score(one, *targets) for one in q))])


def test_gradients_do_not_see_scores():
    q, y_online, y_offline = candidates()

    def loss(q, y_online, y_offline):
        score = align.score(q, y_online, y_offline)
        kept = align.keep_best(score, 32)
        return ((q[kept] - jax.lax.stop_gradient(y_offline[kept])) ** 2 * score[kept]).mean()

    slopes = jax.jit(jax.grad(loss, argnums=(0, 1, 2)))(q, y_online, y_offline)
    score, _, kept = select(q, y_online, y_offline)
    expected = jnp.zeros(64).at[kept].set(2 * (q - y_offline)[kept] * score[kept] / 32)
    np.testing.assert_allclose(slopes[0], expected, rtol=1e-5, atol=1e-7)
    assert not slopes[1].any() and not slopes[2].any()


def test_shapes_are_checked_while_compiling():
    with pytest.raises(ValueError, match="give targets of q's"):
        jax.jit(align.score)(jnp.zeros((4, 1)), jnp.zeros(4), jnp.zeros(4))


def test_scores_are_doubles_where_jax_has_them():
    rng = np.random.default_rng(6)
    given = rng.normal(size=(3, 64))
    with jax.enable_x64(True):
        score = align.score(*map(jnp.asarray, given))
        assert score.dtype == jnp.float64
        np.testing.assert_allclose(score, align.score(*given), rtol=0, atol=1e-12)
