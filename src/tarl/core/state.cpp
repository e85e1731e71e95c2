// SPDX-License-Identifier: MIT
#include "tarl/core/state.h"

#include <array>

namespace tarl {

namespace {

struct DtypeRow {
  Dtype dtype;
  const char* name;
  std::size_t size;
};

constexpr std::array<DtypeRow, 8> kDtypes = {{{Dtype::kF64, "F64", 8},
                                              {Dtype::kF32, "F32", 4},
                                              {Dtype::kI64, "I64", 8},
                                              {Dtype::kI32, "I32", 4},
                                              {Dtype::kU64, "U64", 8},
                                              {Dtype::kU32, "U32", 4},
                                              {Dtype::kU16, "U16", 2},
                                              {Dtype::kU8, "U8", 1}}};

const DtypeRow& row_of(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)];
}

}  // namespace

const char* dtype_name(Dtype dtype) {
  return row_of(dtype).name;
}

std::size_t dtype_size(Dtype dtype) {
  return row_of(dtype).size;
}

Dtype dtype_from_name(std::string_view name) {
  for (const DtypeRow& row : kDtypes) {
    if (name == row.name) return row.dtype;
  }
  throw Error("unknown element type '" + std::string(name) + "'");
}

const Tensor& StateReader::find(std::string_view name, Dtype dtype) const {
  const auto it = in_->find(prefix_ + std::string(name));
  if (it == in_->end()) {
    throw Error(source_ + ": field '" + prefix_ + std::string(name) + "' is missing");
  }
  if (it->second.dtype != dtype) {
    throw Error(source_ + ": field '" + it->first + "' holds " + dtype_name(it->second.dtype) +
                ", expected " + dtype_name(dtype));
  }
  return it->second;
}

void StateReader::check_bytes(std::string_view name, const Tensor& tensor,
                              std::size_t expected) const {
  if (tensor.bytes.size() != expected) {
    throw Error(source_ + ": field '" + prefix_ + std::string(name) + "' has " +
                std::to_string(tensor.bytes.size()) + " bytes, expected " +
                std::to_string(expected));
  }
}

}  // namespace tarl
