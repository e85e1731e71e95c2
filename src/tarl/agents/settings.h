// SPDX-License-Identifier: MIT
#pragma once

#include <any>
#include <concepts>
#include <utility>

#include "tarl/core/error.h"
#include "tarl/core/fields.h"

namespace tarl::agents {

// The settings of an agent: a struct of any type that has a fields() table.
class Settings {
 public:
  Settings() = default;

  template <class Config>

  requires requires(Config& config) {
    { fields(config) } -> std::same_as<Fields>;
  }

  explicit Settings(Config config)
      : value_(std::move(config)),
        table_([](std::any& value) { return fields(std::any_cast<Config&>(value)); }) {}

  // Requires that this is the type they were made with.
  template <class Config>
  const Config& as() const {
    const auto* config = std::any_cast<Config>(&value_);
    require(config != nullptr, "settings of another agent");
    return *config;
  }

  template <class Config>
  Config& as() {
    return const_cast<Config&>(std::as_const(*this).as<Config>());
  }

  Fields table() { return table_ == nullptr ? Fields{} : table_(value_); }

 private:
  std::any value_;
  Fields (*table_)(std::any& value) = nullptr;
};

}  // namespace tarl::agents
