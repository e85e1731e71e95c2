"""What type checkers see of tarl.align; scripts/verify_python.sh has mypy read it."""

from typing import assert_type

import jax
import numpy as np
import numpy.typing as npt
import tarl
import tarl.sb3
import torch
from tarl import align

row = np.zeros(4, np.float32)
assert_type(align.score(row, row, row), npt.NDArray[np.float64])
assert_type(align.score_errors(row, row), npt.NDArray[np.float64])
assert_type(align.scenario(row, row, row), npt.NDArray[np.int32])
assert_type(align.scenario_errors(row, row), npt.NDArray[np.int32])
assert_type(align.keep_best(row, 2), npt.NDArray[np.int64])
assert_type(align.oversampling(1.0, 32), int)

tensor = torch.zeros(4)
assert_type(align.score(tensor[None], tensor, tensor, critics=0), torch.Tensor)
assert_type(align.keep_best(align.score_errors(tensor, tensor), 2), torch.Tensor)
assert_type(align.scenario(tensor, tensor, tensor), torch.Tensor)

array = jax.numpy.zeros(4)
assert_type(align.score(array, array, array), jax.Array)
assert_type(align.keep_best(array, 2), jax.Array)

assert_type(tarl.sb3.TADDQN("MlpPolicy", "CartPole-v1", margin=0.5).learn(10), tarl.sb3.TADDQN)
assert_type(tarl.sb3.TASAC("MlpPolicy", "Pendulum-v1").margin, float)

align.score("no", "arrays", "these")  # type: ignore[call-overload]
align.keep_best(row, "two")  # type: ignore[call-overload]
