// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "tarl/core/error.h"
#include "tarl/fleet/cuda/device_memory.cuh"
#include "tarl/fleet/cuda/waves/product.h"

namespace tarl::fleet {

// The products of one agent, by phase.
template <class Phase, int kPhases>
class ProductLists {
 public:
  std::vector<Product>& of(Phase phase) { return lists_[static_cast<std::size_t>(phase)]; }

  // Room for `most` products.
  void reserve(DeviceMemory& memory, int most) {
    most_ = static_cast<std::size_t>(most);
    memory.reserve(products_, most);
  }

  // Copies them to the device, and their addresses there to `views`.
  void upload(int act_rows, PhaseView (&views)[kPhases]) {
    std::vector<Product> all;
    for (std::size_t phase = 0; phase < lists_.size(); ++phase) {
      const std::vector<Product>& list = lists_[phase];
      views[phase] = {products_ + all.size(), static_cast<std::int32_t>(list.size())};
      for (const Product& product : list) {
        tiles_[phase] += product.tiles(product.rows_of(act_rows));
      }
      all.insert(all.end(), list.begin(), list.end());
    }
    require(all.size() <= most_, "more products than an agent has room for");
    fleet::upload(all, products_);
  }

  // Blocks needed by each phase.
  const int (&tiles() const)[kPhases] { return tiles_; }

 private:
  std::array<std::vector<Product>, kPhases> lists_;
  std::size_t most_ = 0;
  Product* products_ = nullptr;
  int tiles_[kPhases] = {};
};

}  // namespace tarl::fleet
