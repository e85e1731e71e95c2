// SPDX-License-Identifier: MIT
//
// Saving and loading of Storage.
#include <algorithm>
#include <string>

#include "tarl/replay/storage.h"

namespace tarl::replay {

template <class Self, class Visit>
void Storage::for_each_array(Self& self, Visit visit) {
  if (self.action_size_ == 0) {
    visit(self.action_index_, std::int64_t{1}, "action_index");
  } else {
    visit(self.action_, std::int64_t{self.action_size_}, "action");
  }
  visit(self.reward_, std::int64_t{1}, "reward");
  visit(self.flags_, std::int64_t{1}, "flags");
}

template <class Rows, class Self>
Rows Storage::rows_of(Self& self) {
  const auto held = static_cast<std::size_t>(std::min(self.count_, self.ring_));
  const std::size_t discrete = self.action_size_ == 0 ? held : 0;
  const auto values = static_cast<std::size_t>(self.action_size_) * held;
  return {.frames = {self.frames_.plain(), held * self.frame_bytes_},
          .action_index = {self.action_index_.data(), discrete},
          .action = {self.action_.data(), values},
          .reward = {self.reward_.data(), held},
          .flags = {self.flags_.data(), held},
          .newest_next = self.newest_next_};
}

StorageRows Storage::rows() {
  return rows_of<StorageRows>(*this);
}

ConstStorageRows Storage::rows() const {
  return rows_of<ConstStorageRows>(*this);
}

void Storage::set_count(std::int64_t count) {
  require(count >= 0 && count % lanes_ == 0, "lanes must be added in turn");
  count_ = count;
  finals_.clear();
}

std::vector<std::int64_t> Storage::shape() const {
  return {capacity_, lanes_, stack_, static_cast<std::int64_t>(frame_bytes_), action_size_};
}

rl::SegmentRange Storage::sealed() const {
  if (segment_rows_ == 0) return {};
  return {first_held() / segment_rows_, count_ / segment_rows_};
}

void Storage::save_segment(std::int64_t segment, StateWriter& out) const {
  require(sealed().first <= segment && segment < sealed().last, "a segment that is not sealed");
  save_rows(std::max(segment * segment_rows_, first_held()), (segment + 1) * segment_rows_, out);
}

void Storage::save(StateWriter& out) const {
  out.put("shape", shape());
  out.put("count", count_);
  out.put("newest_next", newest_next_);
  StateWriter tail = out.group("tail");
  save_rows(std::max(sealed().last * segment_rows_, first_held()), count_, tail);
  if (!late_.empty()) save_finals(late_, first_held(), count_, "late", out);
}

void Storage::load(const StateReader& in) {
  const std::vector<std::int64_t> saved = in.get_vector<std::int64_t>("shape");
  if (saved != shape()) {
    const std::string held = saved.empty() ? "?" : std::to_string(saved[0]);
    throw Error("the saved replay (buffer_size " + held + ") does not fit this run (buffer_size " +
                std::to_string(capacity_) +
                "): environment, buffer_size and number of environments must be those it was "
                "saved with");
  }
  std::int64_t count = 0;
  in.get("count", count);
  if (count < 0) throw Error("the saved replay is damaged: it says it holds a negative number");
  in.get("newest_next", newest_next_);
  count_ = count;
  finals_.clear();
  late_.clear();
  if (in.has("late_number")) late_ = load_finals("late", in);
  load_rows(in.group("tail"));
}

void Storage::save_rows(std::int64_t first, std::int64_t last, StateWriter& out) const {
  out.put("first", first);
  out.put("last", last);
  frames_.save(first, last, out);
  for_each_array(*this, [&](const auto& array, std::int64_t width, const char* name) {
    std::vector<std::remove_cvref_t<decltype(array[0])>> rows(
        static_cast<std::size_t>((last - first) * width));
    auto to = rows.begin();
    for (std::int64_t n = first; n < last;) {
      const std::int64_t run = std::min(last - n, ring_ - place(n));
      to = std::copy_n(array.data() + place(n) * width, run * width, to);
      n += run;
    }
    out.put(name, rows);
  });
  save_finals(finals_, first, last, "final", out);
}

// For the rows [first, last).
void Storage::save_finals(const std::deque<Final>& finals, std::int64_t first, std::int64_t last,
                          const std::string& name, StateWriter& out) {
  std::vector<std::int64_t> number;
  std::vector<std::byte> frame;
  for (const Final& entry : finals) {
    if (entry.number < first || entry.number >= last) continue;
    number.push_back(entry.number);
    frame.insert(frame.end(), entry.frame.begin(), entry.frame.end());
  }
  out.put(name + "_number", number);
  out.put(name + "_frame", frame);
}

std::deque<Storage::Final> Storage::load_finals(const std::string& name,
                                                const StateReader& in) const {
  const auto number = in.get_vector<std::int64_t>(name + "_number");
  std::vector<std::byte> frames(number.size() * frame_bytes_);
  in.get(name + "_frame", frames);
  std::deque<Final> finals;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] < count_ - capacity_) continue;
    const auto from = frames.begin() + static_cast<std::ptrdiff_t>(i * frame_bytes_);
    finals.push_back({number[i], {from, from + static_cast<std::ptrdiff_t>(frame_bytes_)}});
  }
  return finals;
}

void Storage::load_rows(const StateReader& in) {
  std::int64_t first = 0, last = 0;
  in.get("first", first);
  in.get("last", last);
  if (first < 0 || first > last || last > count_ || last - first > ring_) {
    throw Error("the saved replay is damaged: it has rows " + std::to_string(first) + " to " +
                std::to_string(last) + " of " + std::to_string(count_));
  }
  const std::int64_t kept = std::max(first, first_held());
  frames_.load(first, last, kept, in);
  for_each_array(*this, [&](auto& array, std::int64_t width, const char* name) {
    std::vector<std::remove_cvref_t<decltype(array[0])>> rows(
        static_cast<std::size_t>((last - first) * width));
    in.get(name, rows);
    for (std::int64_t n = kept; n < last;) {
      const std::int64_t run = std::min(last - n, ring_ - place(n));
      std::copy_n(rows.begin() + (n - first) * width, run * width, array.data() + place(n) * width);
      n += run;
    }
  });
  // Kept in order of number, whatever the order of loading.
  const auto at = std::find_if(finals_.begin(), finals_.end(),
                               [&](const Final& entry) { return entry.number >= last; });
  const std::deque<Final> finals = load_finals("final", in);
  finals_.insert(at, finals.begin(), finals.end());
  // A segment may have been written before.
  for (const Final& entry : late_) {
    if (entry.number >= kept && entry.number < last) mark_truncated(entry);
  }
}

}  // namespace tarl::replay
