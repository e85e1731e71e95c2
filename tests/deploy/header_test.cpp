// SPDX-License-Identifier: MIT
#include "tarl/deploy/header.h"

#include "deploy/models.h"
#include "support/errors.h"
#include <gtest/gtest.h>

namespace tarl::deploy {
namespace {

using tarl::test::error_of;

bool has(const std::string& header, const std::string& text) {
  return header.find(text) != std::string::npos;
}

TEST(HeaderFile, HasWeightsByInputsAsExactWords) {
  const std::string header = header_file(read_policy(test::dqn_model(2), "here"));
  // 0.125, 0.375, 0.25, 0.5: [out][in] turned over.
  EXPECT_TRUE(has(header,
                  "std::uint32_t kFc1Weight[] = {\n"
                  "0x3e000000,0x3ec00000,0x3e800000,0x3f000000,};"));
  EXPECT_TRUE(has(header, "detail::linear<2, 2>(detail::kFc1Weight, detail::kFc1Bias, obs, x0);"));
  EXPECT_TRUE(has(header, "int policy::act(const float* obs);"));
}

TEST(HeaderFile, HasNoPartsThatItsNetworkLacks) {
  const std::string vectors = header_file(read_policy(test::sac_model(), "here"));
  EXPECT_FALSE(has(vectors, "convolution"));
  EXPECT_FALSE(has(vectors, "normalize"));
  EXPECT_FALSE(has(vectors, "LogStd"));  // only sampling needs them
  EXPECT_TRUE(has(vectors, "kActionLow[] = {-1.0F};"));
  EXPECT_TRUE(has(header_file(read_policy(test::minatar_model(), "here")),
                  "convolution<2, 10, 10, 3, 3, 1>"));
}

TEST(HeaderFile, IsInTheNamespaceThatIsAskedFor) {
  const PolicyNetwork net = read_policy(test::dqn_model(), "here");
  EXPECT_TRUE(has(header_file(net, {.name = "mine::_2"}), "namespace mine::_2 {"));
  for (const char* name : {"", "2", "a-b", "a::", "::a", "a:b", "a:::b", "a b", "a::2", "a\n",
                           "class", "mine::int", "std", "xor::a"}) {
    EXPECT_TRUE(has(error_of([&] { header_file(net, {.name = name}); }), "cannot name a namespace"))
        << name;
  }
}

TEST(HeaderFile, OfVeryManyParametersNeedsForce) {
  const PolicyNetwork net = read_policy(test::dqn_model(400'000), "here");
  const std::string problem = error_of([&] { header_file(net); });
  EXPECT_TRUE(has(problem, "2400003 parameters")) << problem;
  EXPECT_TRUE(has(problem, "write ONNX, or force it")) << problem;
  EXPECT_TRUE(tarl::test::is_one_line(problem));
  EXPECT_GT(header_file(net, {.force = true}).size(), 11 * net.parameters());
}

// Metadata is untrusted: it must not escape from its comment.
TEST(HeaderFile, NamesOfTheModelFileStayInTheComment) {
  SafetensorsFile model = test::dqn_model();
  model.metadata["env"] = "x\n#error out\r\\";
  const std::string header = header_file(read_policy(std::move(model), "here"));
  EXPECT_TRUE(has(header, "dqn in x?#error out?? after 600 steps"));
  EXPECT_FALSE(has(header, "\n#error"));
}

}  // namespace
}  // namespace tarl::deploy
