// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tarl/deploy/protobuf.h"

namespace tarl::deploy {

// A file of the Open Neural Network Exchange, node by node. What is computed is known by its name.
class OnnxGraph {
 public:
  // onnxruntime 1.12 (2022) and whatever is younger reads these.
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

  // What a node is told beside its inputs: a number, or a list.
  struct Attribute {
    std::string name;
    std::vector<std::int64_t> values;
    bool list = false;
  };

  // Adds a node; returns the name of its output, made up where none is given.
  std::string node(const std::string& operation, const std::vector<std::string>& inputs,
                   std::string output = "", const std::vector<Attribute>& attributes = {});

  // Returns `name`.
  std::string constant(const std::string& name, std::span<const float> values, const Shape& shape);
  std::string constant(const std::string& name, std::span<const double> values, const Shape& shape);

  // Rows of that shape, any number of them: the shape in the file has "batch" in front.
  std::string input(const std::string& name, Type type, const Shape& row);
  void output(const std::string& name, Type type, const Shape& row);

  std::string file(const std::map<std::string, std::string>& metadata) const;

 private:
  void tensor(const std::string& name, Type type, std::string_view bytes, const Shape& shape);

  int nodes_ = 0;
  ProtoMessage graph_;
};

}  // namespace tarl::deploy
