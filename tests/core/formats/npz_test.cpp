// SPDX-License-Identifier: MIT
#include "tarl/core/formats/npz.h"

#include "support/errors.h"
#include "support/garbage.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/npy.h"

namespace tarl {

namespace {

using test::error_of;

template <class T>
Tensor tensor(const std::vector<T>& values, std::vector<std::int64_t> shape) {
  return Tensor::of(std::span<const T>(values), std::move(shape));
}

std::vector<NamedTensor> example() {
  return {{"timesteps", tensor<std::int64_t>({10, 20}, {2})},
          {"results", tensor<double>({1.5, -2, 3, 4, 5, 6}, {2, 3})},
          {"weights", tensor<float>({0.5F}, {})},
          {"small", tensor<std::int32_t>({-1, 2}, {1, 2, 1})},
          {"bytes", tensor<std::uint8_t>({1, 2, 255}, {3})},
          {"empty", tensor<double>({}, {0, 5})}};
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Npz, IsTheSameInPiecesAndOnlyThereWhenFinished) {
  const test::TemporaryFolder folder;
  const auto write = [&](bool whole) {
    NpzFile npz(folder / "example.npz");
    for (const auto& [name, tensor] : example()) {
      npz.add(name, tensor.dtype, tensor.shape, [&](const NpzFile::Sink& sink) {
        const std::span<const std::byte> bytes(tensor.bytes);
        sink(bytes.first(bytes.size() / 2));
        sink(bytes.subspan(bytes.size() / 2));
      });
    }
    if (whole) npz.finish();
  };
  write(false);
  EXPECT_TRUE(fs::is_empty(folder.path()));
  write(true);
  EXPECT_EQ(read_file(folder / "example.npz"), encode_npz(example()));
}

TEST(Npy, WritesTheHeaderOfNumpy) {
  const std::string text = text_of(encode_npy(tensor<double>({1, 2, 3}, {3})));
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(text.substr(10, 60).substr(0, 58),
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } ");
  EXPECT_EQ(text[127], '\n');
  EXPECT_EQ(text.size(), 128U + 24U);
  EXPECT_NE(text_of(encode_npy(tensor<float>({1}, {}))).find("'shape': (), "), std::string::npos);
  EXPECT_NE(text_of(encode_npy(tensor<float>({1, 2}, {1, 2}))).find("'shape': (1, 2), "),
            std::string::npos);
}

TEST(Npz, ReadsBackWhatWasWritten) {
  const test::TemporaryFolder folder;
  save_npz(folder / "a.npz", example());
  const auto arrays = load_npz(folder / "a.npz");
  ASSERT_EQ(arrays.size(), example().size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ(arrays[i].first, example()[i].first);
    EXPECT_EQ(arrays[i].second.dtype, example()[i].second.dtype);
    EXPECT_EQ(arrays[i].second.shape, example()[i].second.shape);
    EXPECT_EQ(arrays[i].second.bytes, example()[i].second.bytes);
  }
  EXPECT_TRUE(decode_npz(encode_npz({}), "none").empty());
}

TEST(Npz, EqualContentsAreEqualBytes) {
  EXPECT_EQ(encode_npz(example()), encode_npz(example()));
}

TEST(Npz, ReadsBackWhatWasCompressed) {
  std::vector<NamedTensor> arrays = example();
  arrays.emplace_back("zeros", tensor(std::vector<double>(10'000), {100, 100}));
  const auto bytes = encode_npz(arrays, Packing::kDeflated);
  EXPECT_LT(bytes.size(), 3000U);
  EXPECT_EQ(bytes, encode_npz(arrays, Packing::kDeflated));
  const auto again = decode_npz(bytes, "a.npz");
  ASSERT_EQ(again.size(), arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ(again[i].first, arrays[i].first);
    EXPECT_EQ(again[i].second.shape, arrays[i].second.shape);
    EXPECT_EQ(again[i].second.bytes, arrays[i].second.bytes);
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(error_of([&] { decode_npz(std::span(bytes).first(size), "a.npz"); }), "") << size;
  }
}

TEST(Npz, NoticesAChangeOfTheData) {
  const auto good = encode_npz(example());
  const std::string text = text_of(good);
  for (const char* name : {"timesteps.npy", "results.npy", "bytes.npy"}) {
    auto bytes = good;
    bytes[text.find(name) + 40] ^= std::byte{1};
    const std::string problem = error_of([&] { decode_npz(bytes, "a.npz"); });
    EXPECT_NE(problem.find("checksum of '" + std::string(name)), std::string::npos) << problem;
  }
}

TEST(Npz, RefusesEveryTruncation) {
  const auto good = encode_npz(example());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(error_of([&] { decode_npz(std::span(good).first(size), "a.npz"); }), "") << size;
  }
}

TEST(Npz, RefusesMembersThatShareTheirBytes) {
  // Two entries of the list of members name the same, large, member.
  const std::vector<NamedTensor> pair = {
      {"a", Tensor{Dtype::kU8, {5000}, std::vector<std::byte>(5000)}},
      {"b", tensor<std::uint8_t>({1}, {1})}};
  auto bytes = encode_npz(pair);
  const std::string text = text_of(bytes);
  const std::size_t first = text.find("PK\x01\x02"), second = text.find("PK\x01\x02", first + 1);
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(first), second - first,
              bytes.begin() + static_cast<std::ptrdiff_t>(second));
  const std::string problem = error_of([&] { decode_npz(bytes, "a.npz"); });
  EXPECT_NE(problem.find("overlap"), std::string::npos) << problem;
}

TEST(Npz, RefusesToUnpackMoreThanAsked) {
  const std::vector<NamedTensor> arrays = {{"a", tensor(std::vector<double>(1000), {1000})},
                                           {"b", tensor(std::vector<double>(1000), {1000})}};
  const auto packed = encode_npz(arrays, Packing::kDeflated);
  EXPECT_EQ(decode_npz(packed, "a.npz", 20'000).size(), 2U);
  const std::string problem = error_of([&] { decode_npz(packed, "a.npz", 10'000); });
  EXPECT_NE(problem.find("unpacks to more"), std::string::npos) << problem;
  EXPECT_EQ(decode_npz(encode_npz(arrays), "a.npz", 10).size(), 2U);  // nothing to unpack
}

TEST(Npy, RefusesWhatItCannotHold) {
  const auto header = [](const std::string& text) {
    std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) +
                        '\0' + text + std::string(16, '\0');
    const auto view = std::as_bytes(std::span(bytes));
    return error_of([&] { decode_npy(view, "a.npy"); });
  };
  EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"), "");
  EXPECT_NE(header("{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }").find("Fortran"),
            std::string::npos);
  EXPECT_NE(header("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }").find("'|O'"),
            std::string::npos);
  EXPECT_NE(header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }").find("24 bytes"),
            std::string::npos);
  EXPECT_NE(header("{'descr': '<f8', 'fortran_order': False, 'shape': (-2,), }").find("shape"),
            std::string::npos);
  EXPECT_NE(header("{'descr': '<f8', 'fortran_order': False, 'shape': (2").find("shape"),
            std::string::npos);
  EXPECT_NE(header("{}").find("'fortran_order'"), std::string::npos);
}

TEST(Npz, SurvivesGarbage) {
  test::feed_garbage(encode_npz(example()), 20'000,
                     [](const auto& bytes) { decode_npz(bytes, "garbage"); });
  test::feed_garbage(encode_npz(example(), Packing::kDeflated), 20'000,
                     [](const auto& bytes) { decode_npz(bytes, "garbage"); });
  test::feed_garbage(encode_npy(example()[1].second), 20'000,
                     [](const auto& bytes) { decode_npy(bytes, "garbage"); });
}

}  // namespace

}  // namespace tarl
