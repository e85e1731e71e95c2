// SPDX-License-Identifier: MIT
#include "fleet/gpu/operations.cuh"
