// SPDX-License-Identifier: MIT
//
// Observations and actions between Gymnasium's spaces and the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "tarl/rl/spec.h"

namespace tarl::python {

// Maps a value in [-1, 1] to the environment's own action bounds.
float in_box(const rl::ActionSpec& action, int dimension, float value);

// The spaces of a tarl._bridge.Bridged. Everything but spec() and frame_bytes() needs the GIL.
class GymSpaces {
 public:
  explicit GymSpaces(nanobind::handle bridged);

  const rl::EnvSpec& spec() const { return spec_; }

  // Bytes per read: one frame if frames are stacked, else the whole observation.
  std::size_t frame_bytes() const;

  // The number of observations in an array, or a structure of arrays; -1 for a single unbatched
  // one.
  std::int64_t count(nanobind::handle value) const;

  // Writes an observation, `rows` contiguous ones, or that of a row, in the loop's format. Throws
  // ValueError if its shape is not the space's.
  void read(nanobind::handle value, std::span<std::byte> out) const;
  void read_all(nanobind::handle value, std::int64_t rows, std::span<std::byte> out) const;
  void read_row(nanobind::handle values, std::int64_t row, std::span<std::byte> out) const;

  // In the environment's format: a NumPy scalar, or a new array of the space's shape and type.
  nanobind::object to_python(const rl::Action& action) const;
  // In the format of vector environments and of predict(): a new array with one row each.
  nanobind::object to_python(std::span<const rl::Action> actions) const;

  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  using Array = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;

  enum class Kind { kNumbers, kChoices, kImage, kBits };

  struct Part {
    nanobind::object own;  // tarl._spaces.Part
    std::vector<nanobind::object> keys;
    Kind kind = Kind::kNumbers;
    std::vector<std::size_t> shape;
    std::size_t values = 1;  // from the environment
    std::size_t bytes = 0;   // of the observation
    std::size_t offset = 0;  // in it
    std::vector<std::int64_t> choices;
    std::vector<std::int64_t> starts;
  };

  void describe_parts(nanobind::handle bridged);
  void describe_actions(nanobind::handle space);
  [[noreturn]] void refuse_without(nanobind::handle key) const;
  nanobind::object find(const Part& part, nanobind::handle value) const;
  void read_part(const Part& part, nanobind::handle value, std::byte* out) const;
  void refuse_other_count(nanobind::handle values, std::int64_t rows) const;
  bool copied(const Part& part, nanobind::handle value, std::int64_t rows, std::byte* out) const;
  template <class T>
  void store(const Part& part, const T* values, std::byte* out) const;
  void choose(const Part& part, std::size_t at, std::int64_t value, float*& out) const;
  template <class T>
  nanobind::object box_actions(std::span<const rl::Action> actions, bool rows) const;

  rl::EnvSpec spec_;
  std::vector<Part> parts_;
  bool channels_last_ = false;
  nanobind::object as_array_;
  std::vector<nanobind::object> actions_;  // of a Discrete space
  std::int64_t first_action_ = 0;
  std::vector<std::size_t> action_shape_;  // of a Box
  bool wide_actions_ = false;              // float64
};

}  // namespace tarl::python
