"""tarl.align inside what PyTorch does to functions: gradients, compilation, tracing, vmap, other devices."""

import numpy as np
import pytest
from heavy import need
from tarl import align

torch = need("torch")
pytestmark = pytest.mark.verify

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))]


def candidates(device="cpu", shape=(64,)):
    rng = np.random.default_rng(5)
    return [torch.from_numpy(rng.normal(size=shape).astype(np.float32)).to(device) for _ in range(3)]


def select(q, y_online, y_offline):
    score = align.score(q, y_online, y_offline)
    return score, align.scenario(q, y_online, y_offline), align.keep_best(score, 32)


def assert_same(ours, expected):
    for one, other in zip(ours, expected, strict=True):
        assert one.dtype == other.dtype
        torch.testing.assert_close(one.cpu(), other.cpu(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("device", DEVICES)
def test_results_lie_on_the_same_device(device):
    given = candidates(device)
    score, scenario, kept = select(*given)
    assert {array.device.type for array in (score, scenario, kept)} == {device}
    assert (score.dtype, scenario.dtype, kept.dtype) == (torch.float64, torch.int32, torch.int64)
    assert_same((score, scenario, kept), map(torch.from_numpy, select(*(array.cpu().numpy() for array in given))))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dynamic", [False, True])
def test_compiles_without_a_graph_break(device, dynamic):
    given = candidates(device)
    assert_same(torch.compile(select, fullgraph=True, dynamic=dynamic)(*given), select(*given))


def test_compiled_critics_share_targets():
    q = candidates(shape=(2, 64))[0]
    targets = candidates()[1:]
    score = lambda *given: align.score(*given, critics=0)  # noqa: E731
    assert_same([torch.compile(score, fullgraph=True)(q, *targets)], [score(q, *targets)])


def test_reads_no_values():
    """On the meta device there are none; so nothing waits for a GPU either."""
    score, scenario, kept = select(*candidates("meta"))
    assert score.is_meta and scenario.is_meta and kept.is_meta
    assert (score.shape, scenario.shape, kept.shape) == ((64,), (64,), (32,))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_does_not_wait_for_the_gpu():
    given = candidates("cuda")
    torch.cuda.set_sync_debug_mode("error")
    try:
        select(*given)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_do_not_see_scores(compiled):
    q, y_online, y_offline = (array.requires_grad_() for array in candidates())

    def loss(q, y_online, y_offline):
        score = align.score(q, y_online, y_offline)
        kept = align.keep_best(score, 32)
        assert not score.requires_grad
        return ((q[kept] - y_offline[kept].detach()) ** 2 * score[kept]).mean()

    (torch.compile(loss, fullgraph=True) if compiled else loss)(q, y_online, y_offline).backward()
    assert y_online.grad is None and y_offline.grad is None
    score, _, kept = select(q.detach(), y_online.detach(), y_offline.detach())
    expected = torch.zeros_like(q)
    expected[kept] = (2 * (q - y_offline)[kept] * score[kept] / 32).float().detach()
    torch.testing.assert_close(q.grad, expected)


def test_works_inside_vmap_and_func_grad():
    given = candidates(shape=(3, 64))
    for one, *rows in zip(torch.func.vmap(select)(*given)[0], *given, strict=True):
        torch.testing.assert_close(one, select(*rows)[0], rtol=0, atol=1e-12)
    q, y_online, y_offline = candidates()
    slope = torch.func.grad(lambda q: (align.score(q, y_online, y_offline) * q).sum())(q)
    torch.testing.assert_close(slope, align.score(q, y_online, y_offline).float())


@pytest.mark.filterwarnings("ignore:.*trace")
def test_traces_hold_the_equation_and_not_its_result():
    from torch.fx.experimental.proxy_tensor import make_fx

    example, other = candidates(), [2 * array.flip(0) for array in candidates()]
    class Module(torch.nn.Module):
        def forward(self, *given):
            return select(*given)

    exported = torch.export.export(Module(), tuple(example)).module()
    for traced in (make_fx(select)(*example), torch.jit.trace(select, example), exported):
        assert_same(traced(*other), select(*other))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.int64])
def test_any_type_of_numbers(dtype):
    given = [(4 * array).to(dtype) for array in candidates()]
    assert_same(select(*given), select(*(array.double() for array in given)))


def test_parameters_and_arrays_of_numpy_may_be_among_the_arguments():
    q, y_online, y_offline = candidates()
    expected = align.score(q, y_online, y_offline)
    assert_same([align.score(torch.nn.Parameter(q), y_online.numpy(), y_offline)], [expected])
    assert_same([align.score(q.numpy(), y_online, y_offline)], [expected])
    assert_same([align.score(q, 0.5, y_offline)], [align.score(q, torch.full_like(q, 0.5), y_offline)])
