// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/deploy/policy_network.h"

namespace tarl::deploy {

inline constexpr const char* kDefaultNamespace = "policy";

struct HeaderOptions {
  std::string name = kDefaultNamespace;  // namespace: "policy", "mine::policy"
  bool force = false;                    // even with very many parameters
};

// At this size compilers take seconds, and hundreds of megabytes.
inline constexpr std::size_t kMostHeaderParameters = 2'000'000;

// The policy as a header in C++17 (docs/export.md). Throws UsageError if it has more parameters
// than that, unless forced, or if the namespace is invalid.
std::string header_file(const PolicyNetwork& net, const HeaderOptions& options = {});

}  // namespace tarl::deploy
