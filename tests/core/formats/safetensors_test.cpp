// SPDX-License-Identifier: MIT
#include "tarl/core/formats/safetensors.h"

#include "support/errors.h"
#include "support/garbage.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

namespace tarl {

namespace {

using test::error_of;

SafetensorsFile example() {
  SafetensorsFile file;
  const std::vector<float> weights = {1, 2, 3, 4, 5, 6};
  const std::vector<std::uint8_t> mask = {1, 0, 1};
  file.tensors["net/weight"] = Tensor::of(std::span(weights.data(), weights.size()), {2, 3});
  file.tensors["mask"] = Tensor::of(std::span(mask.data(), mask.size()), {3});
  file.tensors["step"] =
      Tensor::of(std::span<const std::int64_t>(std::vector<std::int64_t>{9}), {});
  file.tensors["none"] = Tensor{Dtype::kF64, {0, 4}, {}};
  file.metadata["algo"] = "dqn";
  return file;
}

std::vector<std::byte> with_header(const std::string& header, std::size_t data_size) {
  const std::uint64_t length = header.size();
  std::vector<std::byte> bytes(sizeof length + header.size() + data_size);
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + sizeof length, header.data(), header.size());
  return bytes;
}

void expect_refused(const std::string& header, std::size_t data_size, const std::string& words) {
  const std::string problem =
      error_of([&] { decode_safetensors(with_header(header, data_size), "file"); });
  EXPECT_NE(problem.find(words), std::string::npos) << header << " -> " << problem;
  EXPECT_EQ(problem.rfind("file: ", 0), 0U) << problem;
}

TEST(Safetensors, ReadsBackWhatWasWritten) {
  const test::TemporaryFolder folder;
  save_safetensors(folder / "model.safetensors", example());
  const SafetensorsFile file = load_safetensors(folder / "model.safetensors");
  EXPECT_EQ(file.metadata, example().metadata);
  ASSERT_EQ(file.tensors.size(), 4U);
  for (const auto& [name, tensor] : example().tensors) {
    EXPECT_EQ(file.tensors.at(name).dtype, tensor.dtype);
    EXPECT_EQ(file.tensors.at(name).shape, tensor.shape);
    EXPECT_EQ(file.tensors.at(name).bytes, tensor.bytes);
  }
}

TEST(Safetensors, EqualContentsAreEqualBytesAndTheDataIsAligned) {
  const auto bytes = encode_safetensors(example());
  EXPECT_EQ(bytes, encode_safetensors(example()));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U);
}

TEST(Safetensors, RefusesWhatDoesNotAddUp) {
  const std::string entry = R"("dtype":"F32","shape":[2],"data_offsets":)";
  expect_refused("not json", 0, "header");
  expect_refused("[]", 0, "no JSON object");
  expect_refused(R"({"a":{)" + entry + "[0,8]}}", 4, "offsets of 'a'");
  expect_refused(R"({"a":{)" + entry + "[8,0]}}", 8, "offsets of 'a'");
  expect_refused(R"({"a":{)" + entry + "[0,4]}}", 4, "size of 'a'");
  expect_refused(R"({"a":{)" + entry + "[0,-8]}}", 8, "offsets of 'a'");
  expect_refused(R"({"a":{)" + entry + "[0,8]}}", 12, "after the last tensor");
  expect_refused(R"({"a":{)" + entry + "[4,12]}}", 12, "hole or overlap before 'a'");
  expect_refused(R"({"a":{)" + entry + R"([0,8]},"b":{)" + entry + "[4,12]}}", 12, "before 'b'");
  expect_refused(R"({"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}})", 8, "'a': unknown");
  expect_refused(R"({"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})", 8, "shape of 'a'");
  expect_refused(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8, "shape of 'a'");
  expect_refused(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0,
                 "shape of 'a'");
  expect_refused(R"({"a":{"dtype":"F32","shape":[9223372036854775809],"data_offsets":[0,4]}})", 4,
                 "shape of 'a'");
  expect_refused(R"({"a":5})", 0, "'a'");
  expect_refused(R"({"__metadata__":{"a":5}})", 0, "'__metadata__'");
}

TEST(Safetensors, RefusesALengthItDoesNotHave) {
  const std::uint64_t huge = ~std::uint64_t{0};
  std::vector<std::byte> bytes(sizeof huge);
  std::memcpy(bytes.data(), &huge, sizeof huge);
  EXPECT_NE(error_of([&] { decode_safetensors(bytes, "file"); }).find("header length"),
            std::string::npos);
  EXPECT_NE(error_of([&] { decode_safetensors(std::span(bytes).first(7), "file"); }), "");
}

TEST(Safetensors, SurvivesGarbage) {
  test::feed_garbage(encode_safetensors(example()), 20'000,
                     [](const auto& bytes) { decode_safetensors(bytes, "garbage"); });
}

}  // namespace

}  // namespace tarl
