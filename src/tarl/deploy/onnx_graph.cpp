// SPDX-License-Identifier: MIT
#include "tarl/deploy/onnx_graph.h"

#include <cctype>
#include <utility>

#include "tarl/core/build_config.h"

namespace tarl::deploy {

namespace {

// Field numbers of onnx.proto, by message.
namespace model {
constexpr int kVersion = 1, kProducer = 2, kProducerVersion = 3, kGraph = 7, kOpset = 8,
              kMetadata = 14;
}

namespace opset {
constexpr int kDomain = 1, kVersion = 2;
}

namespace entry {
constexpr int kKey = 1, kValue = 2;
}

namespace graph {
constexpr int kNode = 1, kName = 2, kTensor = 5, kInput = 11, kOutput = 12;
}

namespace node {
constexpr int kInput = 1, kOutput = 2, kName = 3, kOperation = 4, kAttribute = 5;
}

namespace attribute {
constexpr int kName = 1, kNumber = 3, kNumbers = 8, kType = 20;
constexpr std::int64_t kIsNumber = 2, kIsNumbers = 7;
}  // namespace attribute

namespace tensor {
constexpr int kSide = 1, kType = 2, kName = 8, kBytes = 9;
}

namespace value {
constexpr int kName = 1, kType = 2;
}

namespace type {
constexpr int kTensor = 1, kElement = 1, kShape = 2, kSide = 1, kNumber = 1, kSymbol = 2;
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

ProtoMessage rows_of(const std::string& name, OnnxGraph::Type element,
                     const OnnxGraph::Shape& row) {
  ProtoMessage shape;
  shape.add(type::kSide, ProtoMessage().add(type::kSymbol, "batch"));
  for (const std::int64_t side : row) {
    shape.add(type::kSide, ProtoMessage().add(type::kNumber, side));
  }
  ProtoMessage rows;
  rows.add(type::kElement, static_cast<std::int64_t>(element)).add(type::kShape, shape);
  ProtoMessage out;
  out.add(value::kName, name).add(value::kType, ProtoMessage().add(type::kTensor, rows));
  return out;
}

ProtoMessage attribute_of(const OnnxGraph::Attribute& given) {
  ProtoMessage out;
  out.add(attribute::kName, given.name);
  for (const std::int64_t number : given.values) {
    out.add(given.list ? attribute::kNumbers : attribute::kNumber, number);
  }
  out.add(attribute::kType, given.list ? attribute::kIsNumbers : attribute::kIsNumber);
  return out;
}

}  // namespace

std::string OnnxGraph::node(const std::string& operation, const std::vector<std::string>& inputs,
                            std::string output, const std::vector<Attribute>& attributes) {
  if (output.empty()) output = operation + std::to_string(nodes_);
  ++nodes_;
  ProtoMessage added;
  for (const std::string& input : inputs) added.add(node::kInput, input);
  added.add(node::kOutput, output).add(node::kName, output).add(node::kOperation, operation);
  for (const Attribute& given : attributes) added.add(node::kAttribute, attribute_of(given));
  graph_.add(graph::kNode, added);
  return output;
}

void OnnxGraph::tensor(const std::string& name, Type type, std::string_view bytes,
                       const Shape& shape) {
  ProtoMessage added;
  for (const std::int64_t side : shape) added.add(tensor::kSide, side);
  added.add(tensor::kType, static_cast<std::int64_t>(type));
  added.add(tensor::kName, name).add(tensor::kBytes, bytes);
  graph_.add(graph::kTensor, added);
}

std::string OnnxGraph::constant(const std::string& name, std::span<const float> values,
                                const Shape& shape) {
  tensor(name, Type::kFloat, bytes_of(values), shape);
  return name;
}

std::string OnnxGraph::constant(const std::string& name, std::span<const double> values,
                                const Shape& shape) {
  tensor(name, Type::kDouble, bytes_of(values), shape);
  return name;
}

std::string OnnxGraph::input(const std::string& name, Type type, const Shape& row) {
  graph_.add(graph::kInput, rows_of(name, type, row));
  return name;
}

void OnnxGraph::output(const std::string& name, Type type, const Shape& row) {
  graph_.add(graph::kOutput, rows_of(name, type, row));
}

std::string OnnxGraph::file(const std::map<std::string, std::string>& metadata) const {
  ProtoMessage out;
  out.add(model::kVersion, kVersion).add(model::kProducer, "tarl");
  out.add(model::kProducerVersion, tarl::kVersion);
  out.add(model::kGraph, ProtoMessage(graph_).add(graph::kName, "policy"));
  out.add(model::kOpset, ProtoMessage().add(opset::kDomain, "").add(opset::kVersion, kOpset));
  for (const auto& [key, text] : metadata) {
    out.add(model::kMetadata, ProtoMessage().add(entry::kKey, key).add(entry::kValue, text));
  }
  return out.bytes();
}

}  // namespace tarl::deploy
