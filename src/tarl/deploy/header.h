// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/deploy/policy_network.h"

namespace tarl::deploy {

inline constexpr const char* kDefaultNamespace = "policy";

struct HeaderOptions {
  std::string name = kDefaultNamespace;  // of its namespace: "policy", "mine::policy"
  bool force = false;                    // also with very many parameters
};

// Compilers take seconds for as many, and hundreds of megabytes.
inline constexpr std::size_t kMostHeaderParameters = 2'000'000;

// The policy as a header in C++17 (docs/export.md). Throws UsageError where it has more parameters
// than that without force, and where the namespace is none.
std::string header_file(const PolicyNetwork& net, const HeaderOptions& options = {});

}  // namespace tarl::deploy
