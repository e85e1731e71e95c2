// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tarl/core/error.h"

namespace tarl {

// Element types, spelled as in safetensors.
enum class Dtype { kF64, kF32, kI64, kI32, kU64, kU32, kU16, kU8 };

const char* dtype_name(Dtype dtype);           // "F32"
std::size_t dtype_size(Dtype dtype);           // bytes
Dtype dtype_from_name(std::string_view name);  // throws Error on an unknown name

template <class T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, double>) {
    return Dtype::kF64;
  } else if constexpr (std::is_same_v<T, float>) {
    return Dtype::kF32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return Dtype::kI64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return Dtype::kI32;
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return Dtype::kU64;
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return Dtype::kU32;
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return Dtype::kU16;
  } else {
    static_assert(sizeof(T) == 1 && (std::is_integral_v<T> || std::is_same_v<T, std::byte>));
    return Dtype::kU8;
  }
}

// A named array: what model files, checkpoints and fixtures are made of. Row-major.
struct Tensor {
  Dtype dtype = Dtype::kU8;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  std::size_t count() const { return bytes.size() / dtype_size(dtype); }

  // Requires dtype_of<T>() == dtype.
  template <class T>
  std::span<const T> as() const {
    require(dtype_of<T>() == dtype, "tensor read as another type");
    return {reinterpret_cast<const T*>(bytes.data()), count()};
  }

  template <class T>
  static Tensor of(std::span<const T> values, std::vector<std::int64_t> shape) {
    Tensor tensor{dtype_of<T>(), std::move(shape), {}};
    tensor.bytes.resize(values.size_bytes());
    if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), values.size_bytes());
    return tensor;
  }
};

// Ordered by name, so that equal contents give equal files.
using Tensors = std::map<std::string, Tensor>;

// Everything a component needs to continue exactly where it was. Components write their fields
// under a prefix and read them back by the same names; sizes and types must match.
class StateWriter {
 public:
  explicit StateWriter(Tensors& out, std::string prefix = "")
      : out_(&out), prefix_(std::move(prefix)) {}

  StateWriter group(std::string_view name) const {
    return StateWriter(*out_, prefix_ + std::string(name) + "/");
  }

  template <class T>
  void put(std::string_view name, std::span<const T> values) {
    (*out_)[prefix_ + std::string(name)] =
        Tensor::of(values, {static_cast<std::int64_t>(values.size())});
  }

  template <class T>
  void put(std::string_view name, std::span<T> values) requires(!std::is_const_v<T>) {
    put(name, std::span<const T>(values));
  }

  template <class T>
  void put(std::string_view name, const std::vector<T>& values) {
    put(name, std::span<const T>(values));
  }

  // A number, or any plain struct (stored as bytes).
  template <class T>
  void put(std::string_view name, const T& value) requires std::is_trivially_copyable_v<T> {
    static_assert(!std::is_pointer_v<T>, "an address means nothing after a resume");
    if constexpr (std::is_arithmetic_v<T>) {
      (*out_)[prefix_ + std::string(name)] = Tensor::of(std::span<const T>(&value, 1), {});
    } else {
      put(name, std::span<const std::byte>(reinterpret_cast<const std::byte*>(&value), sizeof(T)));
    }
  }

  void put(std::string_view name, const std::string& text) {
    put(name, std::span<const char>(text));
  }

 private:
  Tensors* out_;
  std::string prefix_;
};

class StateReader {
 public:
  // `source` names the file in error messages.
  StateReader(const Tensors& in, std::string source, std::string prefix = "")
      : in_(&in), source_(std::move(source)), prefix_(std::move(prefix)) {}

  StateReader group(std::string_view name) const {
    return StateReader(*in_, source_, prefix_ + std::string(name) + "/");
  }

  bool has(std::string_view name) const { return in_->contains(prefix_ + std::string(name)); }

  template <class T>
  std::vector<T> get_vector(std::string_view name) const {
    const Tensor& tensor = find(name, dtype_of<T>());
    std::vector<T> values(tensor.count());
    if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }

  // Fills `values`; the stored array must have exactly that many elements.
  template <class T>
  void get(std::string_view name, std::span<T> values) const {
    const Tensor& tensor = find(name, dtype_of<T>());
    check_bytes(name, tensor, values.size_bytes());
    if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  }

  template <class T>
  void get(std::string_view name, std::vector<T>& values) const {
    get(name, std::span<T>(values));
  }

  template <class T>
  void get(std::string_view name, T& value) const requires std::is_trivially_copyable_v<T> {
    constexpr Dtype kType = [] {
      if constexpr (std::is_arithmetic_v<T>) {
        return dtype_of<T>();
      } else {
        return Dtype::kU8;
      }
    }();
    const Tensor& tensor = find(name, kType);
    check_bytes(name, tensor, sizeof(T));
    std::memcpy(&value, tensor.bytes.data(), sizeof(T));
  }

  void get(std::string_view name, std::string& text) const {
    const Tensor& tensor = find(name, Dtype::kU8);
    text.assign(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }

 private:
  const Tensor& find(std::string_view name, Dtype dtype) const;
  void check_bytes(std::string_view name, const Tensor& tensor, std::size_t expected) const;

  const Tensors* in_;
  std::string source_;
  std::string prefix_;
};

}  // namespace tarl
