// SPDX-License-Identifier: MIT
#include "bindings/gym_spaces.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "bindings/arrays.h"
#include "bindings/observations.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tarl/core/error.h"

namespace nb = nanobind;

namespace tarl::python {

namespace {

// Calls visit(first) with the values of an array of any numeric type; false for others.
template <class Array, class Visit>
bool visit_values(const Array& array, Visit&& visit) {
  const auto is = [&]<class T>(T) {
    if (array.dtype() != nb::dtype<T>()) return false;
    visit(static_cast<const T*>(array.data()));
    return true;
  };
  return is(float{}) || is(double{}) || is(std::uint8_t{}) || is(std::int64_t{}) ||
         is(std::int32_t{}) || is(bool{}) || is(std::int8_t{}) || is(std::int16_t{}) ||
         is(std::uint16_t{}) || is(std::uint32_t{}) || is(std::uint64_t{});
}

nb::object item(nb::handle values, std::int64_t row) {
  PyObject* const found = PySequence_GetItem(values.ptr(), row);
  if (found == nullptr) throw nb::python_error();
  return nb::steal(found);
}

}  // namespace

float in_box(const rl::ActionSpec& action, int dimension, float value) {
  const auto k = static_cast<std::size_t>(dimension);
  const float low = action.low[k], high = action.high[k];
  // Rounding may leave the box.
  return std::clamp(low + 0.5F * (value + 1) * (high - low), low, high);
}

GymSpaces::GymSpaces(nb::handle bridged)
    : as_array_(nb::module_::import_("tarl._spaces").attr("as_array")) {
  spec_.name = spec_.title = nb::cast<std::string>(bridged.attr("name"));
  spec_.eval_step_limit = nb::cast<std::int64_t>(bridged.attr("eval_step_limit"));
  describe_parts(bridged);
  describe_actions(bridged.attr("action_space"));
}

void GymSpaces::describe_parts(nb::handle bridged) {
  std::size_t bytes = 0;
  for (const nb::handle from : bridged.attr("parts")) {
    Part part;
    part.own = nb::borrow(from);
    for (const nb::handle key : from.attr("keys")) part.keys.push_back(nb::borrow(key));
    const auto kind = nb::cast<std::string>(from.attr("kind"));
    part.kind = kind == "image"     ? Kind::kImage
                : kind == "bits"    ? Kind::kBits
                : kind == "choices" ? Kind::kChoices
                                    : Kind::kNumbers;
    part.shape = nb::cast<std::vector<std::size_t>>(from.attr("shape"));
    for (const std::size_t side : part.shape) part.values *= side;
    part.choices = nb::cast<std::vector<std::int64_t>>(from.attr("choices"));
    part.starts = nb::cast<std::vector<std::int64_t>>(from.attr("starts"));
    part.bytes = nb::cast<std::size_t>(from.attr("size")) * sizeof(float);
    part.offset = bytes;
    bytes += part.bytes;
    parts_.push_back(std::move(part));
  }
  spec_.obs.channels = static_cast<int>(bytes / sizeof(float));
  const nb::object image = bridged.attr("image");
  if (image.is_none()) return;
  Part& picture = parts_.front();
  const auto sides = nb::cast<std::vector<int>>(image);
  const int stack = nb::cast<int>(bridged.attr("frame_stack"));
  spec_.obs = {picture.kind == Kind::kBits ? rl::ObsKind::kBits : rl::ObsKind::kBytes,
               sides[0] * stack, sides[1], sides[2], stack};
  picture.bytes = frame_bytes();
  channels_last_ = nb::cast<bool>(bridged.attr("channels_last"));
}

void GymSpaces::describe_actions(nb::handle space) {
  if (nb::hasattr(space, "n")) {
    spec_.action.count = nb::cast<int>(space.attr("n"));
    first_action_ = nb::cast<std::int64_t>(space.attr("start"));
    const nb::object number = nb::module_::import_("numpy").attr("int64");
    for (int i = 0; i < spec_.action.count; ++i) actions_.push_back(number(first_action_ + i));
    return;
  }
  const auto bounds = [&](const char* name) {
    return nb::cast<std::vector<float>>(space.attr(name).attr("ravel")().attr("tolist")());
  };
  const std::vector<float> low = bounds("low"), high = bounds("high");
  spec_.action.size = static_cast<int>(low.size());
  std::copy(low.begin(), low.end(), spec_.action.low.begin());
  std::copy(high.begin(), high.end(), spec_.action.high.begin());
  action_shape_ = nb::cast<std::vector<std::size_t>>(space.attr("shape"));
  wide_actions_ = nb::cast<int>(space.attr("dtype").attr("itemsize")) == sizeof(double);
}

std::size_t GymSpaces::frame_bytes() const {
  return spec_.obs.bytes() / static_cast<std::size_t>(spec_.obs.frame_stack);
}

// Replaces the Python error of a look-up.
void GymSpaces::refuse_without(nb::handle key) const {
  nb::python_error problem;
  if (!problem.matches(PyExc_LookupError) && !problem.matches(PyExc_TypeError)) throw problem;
  nb::raise_from(problem, PyExc_ValueError,
                 "an observation of %s lacks the part %s of its observation_space",
                 spec_.name.c_str(), nb::repr(key).c_str());
}

nb::object GymSpaces::find(const Part& part, nb::handle value) const {
  nb::object found = nb::borrow(value);
  for (const nb::object& key : part.keys) {
    PyObject* const next = PyObject_GetItem(found.ptr(), key.ptr());
    if (next == nullptr) refuse_without(key);
    found = nb::steal(next);
  }
  return found;
}

std::int64_t GymSpaces::count(nb::handle value) const {
  const Part& part = parts_.front();
  const nb::object shape = nb::module_::import_("numpy").attr("shape")(find(part, value));
  if (nb::len(shape) != part.shape.size() + 1) return -1;
  return nb::cast<std::int64_t>(shape[0]);
}

void GymSpaces::read(nb::handle value, std::span<std::byte> out) const {
  for (const Part& part : parts_) {
    if (part.keys.empty()) {
      read_part(part, value, out.data());
    } else {
      read_part(part, find(part, value), out.data() + part.offset);
    }
  }
}

void GymSpaces::refuse_other_count(nb::handle values, std::int64_t rows) const {
  const Py_ssize_t size = PyObject_Size(values.ptr());
  if (size == rows) return;
  PyErr_Clear();  // no sequence at all
  const std::string message = "observations of " + spec_.name + " must be " + std::to_string(rows) +
                              ", one for each environment, and are " +
                              (size < 0 ? "no sequence" : std::to_string(size));
  throw nb::value_error(message.c_str());
}

void GymSpaces::read_all(nb::handle value, std::int64_t rows, std::span<std::byte> out) const {
  for (const Part& part : parts_) {
    const nb::object values = find(part, value);
    if (copied(part, values, rows, out.data() + part.offset)) continue;
    refuse_other_count(values, rows);
    for (std::int64_t row = 0; row < rows; ++row) {
      read_part(part, item(values, row),
                out.data() + static_cast<std::size_t>(row) * frame_bytes() + part.offset);
    }
  }
}

// Vector environments batch final observations like observations, except those without keys, which
// may come as an array of objects.
void GymSpaces::read_row(nb::handle values, std::int64_t row, std::span<std::byte> out) const {
  if (!PyDict_Check(values.ptr())) {
    read(item(values, row), out);
    return;
  }
  for (const Part& part : parts_) {
    read_part(part, item(find(part, values), row), out.data() + part.offset);
  }
}

// Fast for what an environment should return, correct for anything else.
void GymSpaces::read_part(const Part& part, nb::handle value, std::byte* out) const {
  if (copied(part, value, -1, out)) return;
  const nb::object array = as_array_(value, part.own, spec_.name);
  require(copied(part, array, -1, out), "an array of a space's own shape and type");
}

// nanobind's arrays rather than Py_buffer, which is in the stable ABI only since Python 3.11.
bool GymSpaces::copied(const Part& part, nb::handle value, std::int64_t rows,
                       std::byte* out) const {
  Array array;
  if (!nb::try_cast(value, array, false)) return false;
  const std::size_t before = rows < 0 ? 0 : 1;
  if (array.ndim() != part.shape.size() + before) return false;
  if (rows >= 0 && array.shape(0) != static_cast<std::size_t>(rows)) return false;
  for (std::size_t i = 0; i < part.shape.size(); ++i) {
    if (array.shape(i + before) != part.shape[i]) return false;
  }
  if (part.kind == Kind::kImage && array.dtype() != nb::dtype<std::uint8_t>()) return false;
  if (part.kind == Kind::kBits && array.dtype() != nb::dtype<bool>()) return false;
  return visit_values(array, [&](const auto* values) {
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(rows, 1));
    for (std::size_t row = 0; row < (rows == 0 ? 0 : count); ++row) {
      store(part, values + row * part.values, out + row * frame_bytes());
    }
  });
}

template <class T>
void GymSpaces::store(const Part& part, const T* values, std::byte* out) const {
  auto* numbers = reinterpret_cast<float*>(out);
  if (part.kind == Kind::kChoices) {
    std::memset(out, 0, part.bytes);
    for (std::size_t i = 0; i < part.values; ++i) {
      choose(part, i, static_cast<std::int64_t>(values[i]), numbers);
    }
  } else if (part.kind == Kind::kBits) {
    to_packed(spec_.obs, std::as_bytes(std::span(values, part.values)), {out, part.bytes});
  } else if (part.kind == Kind::kImage && channels_last_) {
    const auto channels = static_cast<std::size_t>(part.shape[2]);
    const std::size_t pixels = part.values / channels;
    for (std::size_t channel = 0; channel < channels; ++channel) {
      for (std::size_t i = 0; i < pixels; ++i) {
        out[channel * pixels + i] = static_cast<std::byte>(values[i * channels + channel]);
      }
    }
  } else if (part.kind == Kind::kImage || std::is_same_v<T, float>) {
    std::memcpy(out, values, part.bytes);
  } else {
    for (std::size_t i = 0; i < part.values; ++i) numbers[i] = static_cast<float>(values[i]);
  }
}

void GymSpaces::choose(const Part& part, std::size_t at, std::int64_t value, float*& out) const {
  const std::int64_t choice = value - part.starts[at];
  if (choice < 0 || choice >= part.choices[at]) {
    const std::string message = "the observation " + std::to_string(value) + " of " + spec_.name +
                                " is not in its observation_space";
    throw nb::value_error(message.c_str());
  }
  out[choice] = 1;
  out += part.choices[at];
}

nb::object GymSpaces::to_python(const rl::Action& action) const {
  if (spec_.action.discrete()) return actions_[static_cast<std::size_t>(action.index)];
  const std::span<const rl::Action> one(&action, 1);
  return wide_actions_ ? box_actions<double>(one, false) : box_actions<float>(one, false);
}

nb::object GymSpaces::to_python(std::span<const rl::Action> actions) const {
  if (!spec_.action.discrete()) {
    return wide_actions_ ? box_actions<double>(actions, true) : box_actions<float>(actions, true);
  }
  std::vector<std::int64_t> numbers;
  for (const rl::Action& action : actions) numbers.push_back(first_action_ + action.index);
  return to_numpy(std::move(numbers), {actions.size()});
}

template <class T>
nb::object GymSpaces::box_actions(std::span<const rl::Action> actions, bool rows) const {
  std::vector<T> values;
  values.reserve(actions.size() * static_cast<std::size_t>(spec_.action.size));
  for (const rl::Action& action : actions) {
    for (int k = 0; k < spec_.action.size; ++k) {
      values.push_back(in_box(spec_.action, k, action.values[static_cast<std::size_t>(k)]));
    }
  }
  std::vector<std::size_t> shape = action_shape_;
  if (rows) shape.insert(shape.begin(), actions.size());
  return to_numpy(std::move(values), shape);
}

int GymSpaces::traverse(visitproc visit, void* arg) const {
  Py_VISIT(as_array_.ptr());
  for (const Part& part : parts_) {
    Py_VISIT(part.own.ptr());
    for (const nb::object& key : part.keys) Py_VISIT(key.ptr());
  }
  for (const nb::object& action : actions_) Py_VISIT(action.ptr());
  return 0;
}

void GymSpaces::clear() {
  as_array_.reset();
  parts_.clear();
  actions_.clear();
}

}  // namespace tarl::python
