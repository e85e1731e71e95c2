// SPDX-License-Identifier: MIT
#include "tarl/deploy/header.h"

#include <initializer_list>

#include "tarl/core/build_config.h"
#include "tarl/core/error.h"
#include "tarl/deploy/header_text.h"
#include "tarl/nn/nature_encoder.h"

namespace tarl::deploy {

namespace {

std::string template_arguments(std::initializer_list<int> numbers) {
  std::string out;
  for (const int number : numbers) out += (out.empty() ? "" : ", ") + std::to_string(number);
  return "<" + out + ">";
}

// The body of the function that runs the network, step by step. Each step reads the array that the
// previous one wrote.
class Body {
 public:
  explicit Body(const PolicyNetwork& net) : net_(net) {
    std::string x = input();
    for (const Convolution& layer : net.convolutions) {
      const std::string y = array(layer.out_size());
      call("convolution",
           {layer.channels, layer.height, layer.width, layer.maps, layer.kernel, layer.stride},
           layer, x, y);
      x = relu(layer.out_size(), y);
    }
    for (const Linear& layer : net.hidden) {
      const std::string y = array(layer.out);
      call("linear", {layer.in, layer.out}, layer, x, y);
      x = relu(layer.out, y);
    }
    call("linear", {net.out.in, net.out.out}, net.out, x, net.action.discrete() ? "q" : "action");
    if (net.value) duel(*net.value, x);
  }

  const std::string& text() const { return text_; }

  // Size of all arrays.
  std::size_t stack_bytes() const { return floats_ * sizeof(float); }

 private:
  void line(const std::string& code) { text_ += "  " + code + "\n"; }

  std::string array(int size) {
    const std::string name = "x" + std::to_string(arrays_++);
    line("float " + name + "[" + std::to_string(size) + "];");
    floats_ += static_cast<std::size_t>(size);
    return name;
  }

  template <class Layer>
  void call(const std::string& function, std::initializer_list<int> sizes, const Layer& layer,
            const std::string& from, const std::string& to) {
    const std::string constants = "detail::" + constant_name(layer);
    line("detail::" + function + template_arguments(sizes) + "(" + constants + "Weight, " +
         constants + "Bias, " + from + ", " + to + ");");
  }

  std::string relu(int size, const std::string& x) {
    line("detail::relu" + template_arguments({size}) + "(" + x + ");");
    return x;
  }

  // The observation as the first layer reads it.
  std::string input() {
    const rl::ObsSpec& obs = net_.obs;
    if (obs.kind == rl::ObsKind::kFloats && !net_.normalization) return "obs";
    std::string x = array(obs.size());
    if (obs.kind == rl::ObsKind::kFloats) {
      line("detail::normalize(obs, " + x + ");");
    } else if (obs.kind == rl::ObsKind::kBytes) {
      line("for (int i = 0; i < kObsSize; ++i) {");
      line("  " + x + "[i] = " + literal(nn::NatureEncoder::kPixelScale) +
           " * static_cast<float>(obs[i]);");
      line("}");
    } else {
      const std::string places = std::to_string(obs.height * obs.width);
      const std::string channels = std::to_string(obs.channels);
      line("for (int c = 0; c < " + channels + "; ++c) {");
      line("  for (int i = 0; i < " + places + "; ++i) {");
      line("    " + x + "[c * " + places + " + i] = obs[i * " + channels +
           " + c] != 0 ? 1.0F : 0.0F;");
      line("  }");
      line("}");
    }
    return x;
  }

  // q holds the advantages: Q = V + A - mean A.
  void duel(const Linear& value, const std::string& x) {
    const std::string v = array(1);
    call("linear", {value.in, value.out}, value, x, v);
    line("float sum = 0.0F;");
    line("for (int a = 0; a < kActions; ++a) sum += q[a];");
    line("const float base = " + v + "[0] - sum / static_cast<float>(kActions);");
    line("for (int a = 0; a < kActions; ++a) q[a] += base;");
  }

  const PolicyNetwork& net_;
  std::string text_;
  int arrays_ = 0;
  std::size_t floats_ = 0;
};

const char* obs_type(const PolicyNetwork& net) {
  return net.obs.kind == rl::ObsKind::kFloats ? "const float*" : "const std::uint8_t*";
}

std::string obs_text(const rl::ObsSpec& obs) {
  const auto sides = [](std::initializer_list<int> numbers) {
    std::string out;
    for (const int number : numbers) out += "[" + std::to_string(number) + "]";
    return out;
  };
  if (obs.kind == rl::ObsKind::kFloats) return "a vector";
  if (obs.kind == rl::ObsKind::kBits) {
    return sides({obs.height, obs.width, obs.channels}) + " (row, column, channel), 0 for no";
  }
  return sides({obs.channels, obs.height, obs.width}) + " (channel, row, column), as pixels are";
}

std::string comment(const PolicyNetwork& net, const std::string& name, std::size_t stack) {
  const auto told = [&](const char* key) { return plain(net.metadata.at(key)); };
  const std::string obs = obs_type(net);
  std::string out = "// The policy of " + told("algo") + " in " + told("env") + " after " +
                    std::to_string(net.steps) + " steps, written by tarl " + kVersion + ".\n//\n";
  if (net.action.discrete()) {
    out += "//   int " + name + "::act(" + obs + " obs);                // the best action\n" +
           "//   void " + name + "::q_values(" + obs + " obs, float* q);  // what each is worth\n";
  } else {
    out += "//   void " + name + "::act(" + obs + " obs, float* action);  // in its bounds\n";
  }
  return out + "//\n// obs: kObsSize values, " + obs_text(net.obs) +
         ".\n// C++17, nothing beside it; no heap, no exceptions; " + std::to_string(stack) +
         " bytes of stack.\n";
}

std::string constants(const PolicyNetwork& net) {
  const std::string constant = "inline constexpr ";
  std::string out = constant + "int kObsSize = " + std::to_string(net.obs.size()) + ";\n";
  if (net.action.discrete()) {
    return out + constant + "int kActions = " + std::to_string(net.action.count) + ";\n\n";
  }
  out += constant + "int kActionSize = " + std::to_string(net.action.size) + ";\n";
  const auto bounds = [&](const char* name, const auto& values) {
    std::string list;
    for (int k = 0; k < net.action.size; ++k) {
      list += (k == 0 ? "" : ", ") + literal(values[static_cast<std::size_t>(k)]);
    }
    return constant + "float " + name + "[] = {" + list + "};\n";
  };
  return out + bounds("kActionLow", net.action.low) + bounds("kActionHigh", net.action.high) + "\n";
}

std::string weights(const PolicyNetwork& net) {
  std::string out;
  if (const auto& with = net.normalization) {
    append_array(out, "kMean", std::span<const double>(with->mean));
    append_array(out, "kDeviation", std::span<const double>(with->deviation));
    append_array(out, "kLimit", std::span<const double>(&with->limit, 1));
  }
  for (const Convolution& layer : net.convolutions) append_layer(out, layer);
  for (const Linear& layer : net.hidden) append_layer(out, layer);
  append_layer(out, net.out);
  if (net.value) append_layer(out, *net.value);
  out += kLayerCode;
  if (!net.convolutions.empty()) out += kConvolutionCode;
  if (net.normalization) out += kNormalizeCode;
  return out;
}

std::string functions(const PolicyNetwork& net, const std::string& body) {
  const std::string obs = std::string(obs_type(net)) + " obs";
  if (!net.action.discrete()) {
    return "inline void act(" + obs + ", float* action) {\n" + body +
           "  for (int k = 0; k < kActionSize; ++k) {\n"
           "    const float low = kActionLow[k], high = kActionHigh[k];\n"
           "    const float a = low + 0.5F * (std::tanh(action[k]) + 1.0F) * (high - low);\n"
           "    action[k] = a < low ? low : a > high ? high : a;  // rounding may lead out\n"
           "  }\n}\n\n";
  }
  return "inline void q_values(" + obs + ", float* q) {\n" + body + "}\n\n" + "inline int act(" +
         obs +
         ") {\n"
         "  float q[kActions];\n"
         "  q_values(obs, q);\n"
         "  int best = 0;\n"
         "  for (int a = 1; a < kActions; ++a) best = q[a] > q[best] ? a : best;\n"
         "  return best;\n}\n\n";
}

}  // namespace

std::string header_file(const PolicyNetwork& net, const HeaderOptions& options) {
  if (!is_namespace(options.name)) {
    throw UsageError("'" + options.name + "' cannot name a namespace; policy or mine::policy can");
  }
  if (net.parameters() > kMostHeaderParameters && !options.force) {
    throw UsageError("the policy has " + std::to_string(net.parameters()) +
                     " parameters, and compilers take long for a header of more than " +
                     std::to_string(kMostHeaderParameters) +
                     "; write ONNX, or force it (--force, force=True)");
  }
  const Body body(net);
  return comment(net, options.name, body.stack_bytes()) +
         "#pragma once\n\n#include <cmath>\n#include <cstdint>\n#include <cstring>\n\nnamespace " +
         options.name + " {\n\n" + constants(net) + "namespace detail {\n\n" + weights(net) +
         "}  // namespace detail\n\n" + functions(net, body.text()) + "}  // namespace " +
         options.name + "\n";
}

}  // namespace tarl::deploy
