// SPDX-License-Identifier: MIT
//
// Logged means as 16-bit numbers. Rows of a column change little from one to the next, so their
// differences are kept, low bytes apart from high ones: that compresses to about a byte a value.
#pragma once

#include <string>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/statistics/descriptive.h"

namespace tarl::study {

// Columns of progress.csv, and means of a trace, that are packed beside the steps.
bool is_packed_column(const std::string& name);

// One curve a run, all equally long, as [2][runs][rows] bytes. Alignments and shares are rounded to
// 1/16384, other columns to three digits (bfloat16); what is no finite number is missing.
Tensor pack_column(const std::string& name, const std::vector<statistics::Curve>& curves);

// Throws Error where the array has another shape.
std::vector<statistics::Curve> unpack_column(const std::string& name, const Tensor& packed);

}  // namespace tarl::study
