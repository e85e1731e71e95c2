// SPDX-License-Identifier: MIT
#include "tarl/store/trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "tarl/core/error.h"
#include "tarl/core/formats/npz.h"
#include "tarl/store/run_files.h"

namespace tarl::store {

namespace {

constexpr std::uint64_t kBlockBytes = 1 << 20;
constexpr std::int64_t kBlockMark = 0x31656361'72746c74;  // "tltrace1"
// In undamaged files.
constexpr std::int64_t kMostCandidates = 1 << 30;
constexpr std::int64_t kMostCritics = 64;
constexpr std::int64_t kMostCount = 1'000'000'000'000'000;  // of steps or updates

// Precedes the arrays of a block.
struct BlockHeader {
  std::int64_t mark = kBlockMark;
  std::int64_t updates = 0;
  TraceShape shape;
};

bool is_possible(const TraceShape& shape) {
  const auto within = [](std::int64_t value, std::int64_t most) {
    return value > 0 && value <= most;
  };
  return within(shape.candidates, kMostCandidates) && within(shape.critics, kMostCritics) &&
         (shape.replaced == 0 || shape.replaced == 1);
}

bool is_ours(const BlockHeader& header) {
  return header.mark == kBlockMark && header.updates > 0 && is_possible(header.shape);
}

bool are_counts(const std::vector<std::int64_t>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](std::int64_t value) { return value >= 0 && value <= kMostCount; });
}

// The number of elements of an array per update.
enum class Per { kUpdate, kCandidate, kPrediction, kReplaced };

// Calls visit(name, array, per) for every array, in the order of the file.
template <class Self, class Visit>
void for_each_array(Self& trace, Visit visit) {
  visit("update", trace.update, Per::kUpdate);
  visit("step", trace.step, Per::kUpdate);
  visit("lag", trace.lag, Per::kUpdate);
  visit("slot", trace.slot, Per::kCandidate);
  visit("age", trace.age, Per::kCandidate);
  visit("reward", trace.reward, Per::kCandidate);
  visit("terminal", trace.terminal, Per::kCandidate);
  visit("weight", trace.weight, Per::kCandidate);
  visit("q", trace.q, Per::kPrediction);
  visit("y_online", trace.y_online, Per::kPrediction);
  visit("y_offline", trace.y_offline, Per::kPrediction);
  visit("score", trace.score, Per::kCandidate);
  visit("paper_score", trace.paper_score, Per::kReplaced);
  visit("scenario", trace.scenario, Per::kCandidate);
  visit("kept", trace.kept, Per::kCandidate);
}

std::vector<std::int64_t> extents(Per per, std::int64_t updates, const TraceShape& shape) {
  if (per == Per::kUpdate) return {updates};
  if (per == Per::kPrediction) return {updates, shape.critics, shape.candidates};
  return {updates, shape.candidates};
}

std::size_t elements(Per per, std::int64_t updates, const TraceShape& shape) {
  std::int64_t product = per == Per::kReplaced ? shape.replaced : 1;
  for (const std::int64_t extent : extents(per, updates, shape)) product *= extent;
  return static_cast<std::size_t>(product);
}

template <class Array>
using Element = typename std::remove_cvref_t<Array>::value_type;

// Updates [first, last) of `from`, at the end of `to`.
void add_updates(const Trace& from, std::int64_t first, std::int64_t last, Trace& to) {
  std::array<const void*, 16> arrays{};
  std::size_t at = 0;
  for_each_array(from, [&](const char*, const auto& array, Per) { arrays[at++] = &array; });
  at = 0;
  for_each_array(to, [&](const char*, auto& array, Per per) {
    const auto& source = *static_cast<const std::remove_cvref_t<decltype(array)>*>(arrays[at++]);
    const auto each = static_cast<std::ptrdiff_t>(elements(per, 1, from.shape));
    array.insert(array.end(), source.begin() + first * each, source.begin() + last * each);
  });
  to.shape = from.shape;
}

void clear(Trace& trace) {
  for_each_array(trace, [](const char*, auto& array, Per) { array.clear(); });
}

}  // namespace

std::uint64_t trace_bytes(const TraceShape& shape) {
  std::uint64_t bytes = 0;
  const Trace none;
  for_each_array(none, [&](const char*, const auto& array, Per per) {
    bytes += elements(per, 1, shape) * sizeof(Element<decltype(array)>);
  });
  return bytes;
}

Trace read_trace(const fs::path& file) {
  const std::vector<NamedTensor> arrays = load_npz(file);
  const auto find = [&](const std::string& name) -> const Tensor* {
    const auto found = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const NamedTensor& it) { return it.first == name; });
    return found == arrays.end() ? nullptr : &found->second;
  };
  const auto refuse = [&](const std::string& what) {
    throw Error(file.string() + " is no trace: " + what);
  };
  const Tensor* q = find("q");
  if (q == nullptr || q->shape.size() != 3) refuse("it has no array q with three dimensions");
  const std::int64_t updates = q->shape[0];
  Trace trace;
  trace.shape = {q->shape[2], q->shape[1], find("paper_score") == nullptr ? 0 : 1};
  if (!is_possible(trace.shape)) refuse("its array q has a shape that no update has");
  for_each_array(trace, [&](const char* name, auto& array, Per per) {
    using Value = Element<decltype(array)>;
    if (elements(per, 1, trace.shape) == 0) return;
    const Tensor* tensor = find(name);
    if (tensor == nullptr || tensor->dtype != dtype_of<Value>() ||
        tensor->shape != extents(per, updates, trace.shape)) {
      refuse(std::string("its array ") + name + " is missing or of another type or shape");
    }
    const auto values = tensor->as<Value>();
    array.assign(values.begin(), values.end());
  });
  if (!std::all_of(trace.reward.begin(), trace.reward.end(),
                   [](float reward) { return std::isfinite(reward); })) {
    refuse("it has a reward that is not finite");
  }
  if (!are_counts(trace.lag) || !are_counts(trace.age)) {
    refuse("it has an age or a lag that no run has");
  }
  return trace;
}

void append(Trace& trace, const Trace& updates) {
  add_updates(updates, 0, static_cast<std::int64_t>(updates.updates()), trace);
}

void save_trace(const fs::path& file, const Trace& trace) {
  NpzFile npz(file);
  const auto updates = static_cast<std::int64_t>(trace.updates());
  for_each_array(trace, [&](const char* name, const auto& array, Per per) {
    if (array.empty()) return;
    npz.add(name, dtype_of<Element<decltype(array)>>(), extents(per, updates, trace.shape),
            [&](const NpzFile::Sink& sink) { sink(std::as_bytes(std::span(array))); });
  });
  npz.finish();
}

fs::path TraceLog::part() const {
  return folder_ / kTracePart;
}

void TraceLog::start() {
  if (on_) open(0);
}

// Continues after that many updates.
void TraceLog::open(std::int64_t updates) {
  clear(buffer_);
  blocks_.clear();
  updates_ = 0;
  if (updates == 0) {
    fs::remove(folder_ / kTraceFile);
    file_.emplace(part(), 0);
  } else if (!cut_back(updates)) {
    take_back(updates);
  }
  flush();
}

// False if trace.part does not exist or has fewer updates.
bool TraceLog::cut_back(std::int64_t updates) {
  if (!fs::exists(part())) return false;
  const std::uint64_t size = fs::file_size(part());
  std::uint64_t end = 0;
  Trace cut;
  while (updates_ < updates) {
    BlockHeader header;
    const std::uint64_t arrays = end + sizeof header;
    if (arrays > size) return false;
    read_part(part(), end, std::as_writable_bytes(std::span(&header, 1)));
    if (!is_ours(header)) {
      throw Error(part().string() +
                  " is damaged; put back a copy, or remove it and set align.trace=0");
    }
    shape_ = header.shape;
    const std::uint64_t each = trace_bytes(shape_);
    if (static_cast<std::uint64_t>(header.updates) > (size - arrays) / each) return false;
    const std::uint64_t bytes = static_cast<std::uint64_t>(header.updates) * each;
    const Block block{arrays, header.updates};
    if (updates_ + block.updates > updates) {
      cut = read_block(block);
      break;
    }
    blocks_.push_back(block);
    updates_ += block.updates;
    end = arrays + bytes;
  }
  file_.emplace(part(), end);
  if (updates_ < updates) add_updates(cut, 0, updates - updates_, buffer_);
  updates_ = updates;
  return true;
}

// Recreates trace.part for a run that had finished, or almost, when it was resumed.
void TraceLog::take_back(std::int64_t updates) {
  const fs::path finished = folder_ / kTraceFile;
  Trace trace;
  if (fs::exists(finished)) trace = read_trace(finished);
  if (static_cast<std::int64_t>(trace.updates()) < updates) {
    throw Error(part().string() + " has fewer updates than were saved, or is missing; put it " +
                "back, or remove it and set align.trace=0");
  }
  blocks_.clear();
  updates_ = 0;
  file_.emplace(part(), 0);
  for (std::int64_t at = 0; at < updates; ++at) {
    Trace one;
    add_updates(trace, at, at + 1, one);
    append(one);
  }
}

Trace TraceLog::read_block(const Block& block) const {
  Trace trace;
  trace.shape = shape_;
  std::uint64_t offset = block.offset;
  for_each_array(trace, [&](const char*, auto& array, Per per) {
    array.resize(elements(per, block.updates, shape_));
    read_part(part(), offset, std::as_writable_bytes(std::span(array)));
    offset += array.size() * sizeof(array[0]);
  });
  return trace;
}

void TraceLog::append(const Trace& updates) {
  require(on_ && file_, "a trace that is on");
  require(updates_ == 0 || updates.shape == shape_, "every update has the same shape");
  shape_ = updates.shape;
  const auto count = static_cast<std::int64_t>(updates.updates());
  store::append(buffer_, updates);
  updates_ += count;
  if (buffer_.updates() * trace_bytes(shape_) >= kBlockBytes) flush();
}

void TraceLog::flush() {
  if (buffer_.updates() == 0) return;
  const BlockHeader header{kBlockMark, static_cast<std::int64_t>(buffer_.updates()), shape_};
  std::vector<std::byte> bytes;
  const auto add = [&bytes](std::span<const std::byte> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  };
  add(std::as_bytes(std::span(&header, 1)));
  for_each_array(
      buffer_, [&](const char*, const auto& array, Per) { add(std::as_bytes(std::span(array))); });
  const std::uint64_t begin = file_->size();
  file_->append(bytes);
  blocks_.push_back({begin + sizeof header, header.updates});
  clear(buffer_);
}

void TraceLog::save(StateWriter& out) {
  if (file_) {
    flush();
    file_->sync();
  }
  if (file_ || updates_ > 0) out.put(kTraceFile, updates_);
}

void TraceLog::load(const StateReader& in) {
  std::int64_t updates = 0;
  if (in.has(kTraceFile)) in.get(kTraceFile, updates);
  if (on_) {
    open(updates);
  } else {
    updates_ = updates;
  }
}

void TraceLog::finish() {
  // A trace that was on earlier in the run has it.
  const bool there = fs::exists(part()) || fs::exists(folder_ / kTraceFile);
  if (!file_ && updates_ > 0 && there) {
    on_ = true;
    open(updates_);
  }
  if (!file_) return;
  flush();
  if (updates_ > 0) write_npz();
  file_.reset();
  fs::remove(part());
  sync_directory(folder_);
}

void TraceLog::write_npz() const {
  NpzFile npz(folder_ / kTraceFile);
  const Trace none;
  std::uint64_t before = 0;  // bytes of an update in the preceding arrays
  for_each_array(none, [&](const char* name, const auto& array, Per per) {
    using Value = Element<decltype(array)>;
    const std::uint64_t each = elements(per, 1, shape_) * sizeof(Value);
    if (each == 0) return;
    npz.add(name, dtype_of<Value>(), extents(per, updates_, shape_),
            [&](const NpzFile::Sink& sink) {
              std::vector<std::byte> piece;
              for (const Block& block : blocks_) {
                const auto updates = static_cast<std::uint64_t>(block.updates);
                piece.resize(updates * each);
                read_part(part(), block.offset + updates * before, piece);
                sink(piece);
              }
            });
    before += each;
  });
  npz.finish();
}

}  // namespace tarl::store
