// SPDX-License-Identifier: MIT
#pragma once

// Marks code that the CPU and a GPU both compile: rules, random numbers, equations.
#if defined(__CUDACC__) && !defined(TARL_HOST_DEVICE)
#define TARL_HOST_DEVICE __host__ __device__
#elif !defined(TARL_HOST_DEVICE)
#define TARL_HOST_DEVICE
#endif
