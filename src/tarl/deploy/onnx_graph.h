// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tarl/deploy/protobuf.h"

namespace tarl::deploy {

// Builds an ONNX file node by node. Values are referred to by name.
class OnnxGraph {
 public:
  // Supported by onnxruntime 1.12 (2022) and later.
  static constexpr std::int64_t kOpset = 17;
  static constexpr std::int64_t kVersion = 8;  // of the format

  enum class Type {
    kFloat = 1,
    kUint8 = 2,
    kInt64 = 7,
    kBool = 9,
    kDouble = 11
  };  // ONNX's numbers

  using Shape = std::vector<std::int64_t>;

  // An attribute of a node: a number or a list.
  struct Attribute {
    std::string name;
    std::vector<std::int64_t> values;
    bool list = false;
  };

  // Adds a node; returns the name of its output, generated if none is given.
  std::string node(const std::string& operation, const std::vector<std::string>& inputs,
                   std::string output = "", const std::vector<Attribute>& attributes = {});

  // Returns `name`.
  std::string constant(const std::string& name, std::span<const float> values, const Shape& shape);
  std::string constant(const std::string& name, std::span<const double> values, const Shape& shape);

  // Any number of rows of that shape: the shape in the file is prefixed with "batch".
  std::string input(const std::string& name, Type type, const Shape& row);
  void output(const std::string& name, Type type, const Shape& row);

  std::string file(const std::map<std::string, std::string>& metadata) const;

 private:
  void tensor(const std::string& name, Type type, std::string_view bytes, const Shape& shape);

  int nodes_ = 0;
  ProtoMessage graph_;
};

}  // namespace tarl::deploy
