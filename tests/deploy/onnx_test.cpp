// SPDX-License-Identifier: MIT
#include "tarl/deploy/onnx.h"

#include <cstring>

#include "deploy/models.h"
#include <gtest/gtest.h>

#include "tarl/core/build_config.h"
#include "tarl/deploy/onnx_graph.h"

namespace tarl::deploy {
namespace {

// A field of bytes: tag, length, contents.
std::string field(int tag, const std::string& contents) {
  return std::string(1, static_cast<char>(tag)) + static_cast<char>(contents.size()) + contents;
}

std::string number(int tag, int value) {
  return {static_cast<char>(tag), static_cast<char>(value)};
}

// y = x w in a file written out here field by field, with the numbers of onnx.proto: the tag is 8
// times the field, and 2 more for bytes.
TEST(OnnxGraph, HasTheBytesOfTheFormat) {
  OnnxGraph graph;
  const float two = 2;
  const std::string w = graph.constant("w", std::span<const float>(&two, 1), {1, 1});
  const std::string x = graph.input("x", OnnxGraph::Type::kFloat, {1});
  graph.node("Gemm", {x, w}, "y", {{"transB", {1}}, {"ab", {3, 4}, true}});
  graph.output("y", OnnxGraph::Type::kInt64, {});

  const std::string tensor = number(0x08, 1) + number(0x08, 1) + number(0x10, 1) +
                             field(0x42, "w") + field(0x4a, std::string("\0\0\0\x40", 4));
  const std::string batch = field(0x0a, field(0x12, "batch"));
  const auto value = [](const std::string& name, int type, const std::string& shape) {
    return field(0x0a, name) + field(0x12, field(0x0a, number(0x08, type) + field(0x12, shape)));
  };
  const std::string flag = field(0x0a, "transB") + number(0x18, 1) + std::string("\xa0\x01\x02");
  const std::string list =
      field(0x0a, "ab") + number(0x40, 3) + number(0x40, 4) + std::string("\xa0\x01\x07");
  const std::string node = field(0x0a, "x") + field(0x0a, "w") + field(0x12, "y") +
                           field(0x1a, "y") + field(0x22, "Gemm") + field(0x2a, flag) +
                           field(0x2a, list);
  const std::string inside =
      field(0x2a, tensor) + field(0x5a, value("x", 1, batch + field(0x0a, number(0x08, 1)))) +
      field(0x0a, node) + field(0x62, value("y", 7, batch)) + field(0x12, "policy");
  const std::string file = number(0x08, 8) + field(0x12, "tarl") + field(0x1a, kVersion) +
                           field(0x3a, inside) + field(0x42, field(0x0a, "") + number(0x10, 17)) +
                           field(0x72, field(0x0a, "key") + field(0x12, "text"));
  EXPECT_EQ(graph.file({{"key", "text"}}), file);
}

bool has(const std::string& file, const std::string& text) {
  return file.find(text) != std::string::npos;
}

TEST(OnnxFile, HoldsOnlyWhatThePolicyReads) {
  SafetensorsFile model = test::sac_model();
  test::add_layer(model, "critic.q1.fc1", {4, 3});
  const std::string file = onnx_file(read_policy(std::move(model), "here"));
  EXPECT_TRUE(has(file, "actor.fc1.weight"));
  EXPECT_TRUE(has(file, "log_std"));
  EXPECT_FALSE(has(file, "critic"));
}

TEST(OnnxFile, SaysWhatItIs) {
  SafetensorsFile model = test::sac_model();
  model.metadata["secret"] = "of the caller";
  const std::string file = onnx_file(read_policy(std::move(model), "here"));
  for (const char* told : {"here/there", "sac", "600", "action_high", "[3]", "tarl_version"}) {
    EXPECT_TRUE(has(file, told)) << told;
  }
  EXPECT_FALSE(has(file, "of the caller"));
}

TEST(OnnxFile, EqualPoliciesGiveEqualFiles) {
  EXPECT_EQ(onnx_file(read_policy(test::minatar_model(), "here")),
            onnx_file(read_policy(test::minatar_model(), "there")));
}

}  // namespace
}  // namespace tarl::deploy
