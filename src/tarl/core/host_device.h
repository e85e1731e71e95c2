// SPDX-License-Identifier: MIT
#pragma once

// Marks code that the CPU and a GPU both compile: rules, random numbers, equations.
#ifndef TARL_HOST_DEVICE
#if defined(__CUDACC__)
#define TARL_HOST_DEVICE __host__ __device__
#else
#define TARL_HOST_DEVICE
#endif
#endif
