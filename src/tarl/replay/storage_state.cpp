// SPDX-License-Identifier: MIT
//
// Saving and loading of Storage.
#include <algorithm>
#include <string>

#include "tarl/replay/storage.h"

namespace tarl::replay {

namespace {

std::string segment_name(std::int64_t first) {
  return "segment" + std::to_string(first / Storage::kSegmentRows);
}

}  // namespace

template <class Self, class Visit>
void Storage::for_each_array(Self& self, Visit visit) {
  visit(self.frames_, static_cast<std::int64_t>(self.frame_bytes_), "frames");
  if (self.action_size_ == 0) {
    visit(self.action_index_, std::int64_t{1}, "action_index");
  } else {
    visit(self.action_, std::int64_t{self.action_size_}, "action");
  }
  visit(self.reward_, std::int64_t{1}, "reward");
  visit(self.flags_, std::int64_t{1}, "flags");
}

void Storage::save_head(StateWriter& out) const {
  const std::vector<std::int64_t> shape = {capacity_, lanes_, stack_,
                                           static_cast<std::int64_t>(frame_bytes_), action_size_};
  out.put("shape", shape);
  out.put("count", count_);
  out.put("newest_next", newest_next_);
}

void Storage::load_head(const StateReader& in) {
  const std::vector<std::int64_t> shape = {capacity_, lanes_, stack_,
                                           static_cast<std::int64_t>(frame_bytes_), action_size_};
  const std::vector<std::int64_t> saved = in.get_vector<std::int64_t>("shape");
  if (saved != shape) {
    const std::string held = saved.size() == shape.size() ? std::to_string(saved[0]) : "?";
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
}

void Storage::save_rows(std::int64_t first, std::int64_t last, StateWriter& out) const {
  require(first_saved() <= first && first <= last && last <= count_, "rows that are not stored");
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
  std::vector<std::int64_t> final_number;
  std::vector<std::byte> final_frame;
  for (const Final& entry : finals_) {
    if (entry.number < first || entry.number >= last) continue;
    final_number.push_back(entry.number);
    final_frame.insert(final_frame.end(), entry.frame.begin(), entry.frame.end());
  }
  out.put("final_number", final_number);
  out.put("final_frame", final_frame);
}

void Storage::load_rows(std::int64_t first, std::int64_t last, const StateReader& in) {
  require(first <= last && last <= count_, "rows beyond those the head speaks of");
  const std::int64_t kept = std::max(first, first_saved());
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
  const auto final_number = in.get_vector<std::int64_t>("final_number");
  std::vector<std::byte> final_frame(final_number.size() * frame_bytes_);
  in.get("final_frame", final_frame);
  for (std::size_t i = 0; i < final_number.size(); ++i) {
    if (final_number[i] < count_ - capacity_) continue;
    const auto from = final_frame.begin() + static_cast<std::ptrdiff_t>(i * frame_bytes_);
    finals_.push_back(
        {final_number[i],
         std::vector<std::byte>(from, from + static_cast<std::ptrdiff_t>(frame_bytes_))});
  }
}

void Storage::save(StateWriter& out) const {
  save_head(out);
  for (std::int64_t first = first_saved(); first < count_;) {
    const std::int64_t last = std::min(count_, (first / kSegmentRows + 1) * kSegmentRows);
    StateWriter segment = out.group(segment_name(first));
    save_rows(first, last, segment);
    first = last;
  }
}

void Storage::load(const StateReader& in) {
  load_head(in);
  for (std::int64_t first = first_saved(); first < count_;) {
    const std::int64_t last = std::min(count_, (first / kSegmentRows + 1) * kSegmentRows);
    load_rows(first, last, in.group(segment_name(first)));
    first = last;
  }
}

}  // namespace tarl::replay
