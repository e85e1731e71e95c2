// SPDX-License-Identifier: MIT
#include "fleet/emulated/races.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "fleet/emulated/threads.h"
#include <dlfcn.h>

namespace tarl::fleet {

extern unsigned char shared_memory[];

}  // namespace tarl::fleet

namespace tarl::emulated::races {

namespace {

constexpr std::size_t kCellBytes = 2;  // neighbouring fp16 values have different writers

// The last writer and reader of a cell; all readers if they are not ordered among each other.
struct Cell {
  std::uint32_t written = 0, read = 0;  // clocks of writer and reader, or 0
  std::uint16_t writer = 0, reader = 0;
  std::uint32_t readers = 0;  // index into `sets`, or 0
  const void *write_code = nullptr, *read_code = nullptr;
};

struct Region {
  const std::byte* base;
  std::size_t bytes;
  std::vector<Cell> cells;
};

// A write is judged after it has happened: writing an unchanged value is no race.
struct Write {
  const std::byte* p = nullptr;
  std::size_t bytes = 0;
  Cell* cells = nullptr;
  const void* code = nullptr;
  int thread = 0;
  std::byte before[16];
};

struct State {
  bool on = false;
  std::vector<Region> regions;
  std::vector<std::vector<Cell>> shared;  // by rank
  std::vector<Clock> clocks;              // [thread][thread]
  std::vector<Clock> sets{1};
  std::vector<std::uint32_t> free_sets;
  Write pending;
  std::map<std::pair<const void*, const void*>, std::string> races;
};

State state;

Cell* cells_at(const std::byte* p, std::size_t bytes) {
  const auto inside = [&](const void* base, std::size_t size) {
    return p >= base && p + bytes <= static_cast<const std::byte*>(base) + size;
  };
  if (inside(tarl::fleet::shared_memory, kSharedBytes)) {
    const auto offset =
        static_cast<std::size_t>(p - reinterpret_cast<std::byte*>(tarl::fleet::shared_memory));
    return &state.shared[static_cast<std::size_t>(machine().rank())][offset / kCellBytes];
  }
  for (Region& region : state.regions) {
    if (!inside(region.base, region.bytes)) continue;
    return &region.cells[static_cast<std::size_t>(p - region.base) / kCellBytes];
  }
  for (int rank = 0; rank < static_cast<int>(machine().cluster()); ++rank) {
    if (rank == machine().rank() || machine().has_ended(rank)) continue;
    const std::byte* base = machine().memory_of(rank);
    if (!inside(base, kSharedBytes)) continue;
    return &state.shared[static_cast<std::size_t>(rank)]
                        [static_cast<std::size_t>(p - base) / kCellBytes];
  }
  return nullptr;
}

std::string place_of(const void* code) {
  Dl_info info{};
  ::dladdr(code, &info);
  char text[32];
  std::snprintf(text, sizeof(text), "0x%zx",
                static_cast<std::size_t>(static_cast<const char*>(code) -
                                         static_cast<const char*>(info.dli_fbase)));
  return text;
}

void report(const char* what, int thread, const void* code, int other, const void* other_code) {
  auto& text = state.races[{code, other_code}];
  if (!text.empty()) return;
  text = "thread " + std::to_string(thread) + " " + what + " thread " + std::to_string(other) +
         " in no order (addr2line -Cpfie test_fleet_races " + place_of(code) + " " +
         place_of(other_code) + ")";
}

void forget_readers(Cell& cell) {
  if (cell.readers != 0) {
    std::fill(state.sets[cell.readers].begin(), state.sets[cell.readers].end(), 0U);
    state.free_sets.push_back(cell.readers);
  }
  cell.readers = 0;
  cell.read = 0;
}

void note_write(Cell& cell, int thread, const void* code) {
  const Clock& mine = state.clocks[static_cast<std::size_t>(thread)];
  if (cell.written > mine[cell.writer]) {
    report("writes what was written by", thread, code, cell.writer, cell.write_code);
  }
  if (cell.readers != 0) {
    const Clock& set = state.sets[cell.readers];
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (set[i] <= mine[i]) continue;
      report("writes what was read by", thread, code, static_cast<int>(i), cell.read_code);
      break;
    }
  } else if (cell.read > mine[cell.reader]) {
    report("writes what was read by", thread, code, cell.reader, cell.read_code);
  }
  forget_readers(cell);
  cell.written = mine[static_cast<std::size_t>(thread)];
  cell.writer = static_cast<std::uint16_t>(thread);
  cell.write_code = code;
}

void note_read(Cell& cell, int thread, const void* code) {
  const Clock& mine = state.clocks[static_cast<std::size_t>(thread)];
  const std::uint32_t now = mine[static_cast<std::size_t>(thread)];
  if (cell.written > mine[cell.writer]) {
    report("reads what was written by", thread, code, cell.writer, cell.write_code);
  }
  cell.read_code = code;
  if (cell.readers == 0 && cell.read <= mine[cell.reader]) {
    cell.read = now;
    cell.reader = static_cast<std::uint16_t>(thread);
    return;
  }
  if (cell.readers == 0) {
    if (state.free_sets.empty()) {
      state.free_sets.push_back(static_cast<std::uint32_t>(state.sets.size()));
      state.sets.emplace_back(state.clocks.size());
    }
    cell.readers = state.free_sets.back();
    state.free_sets.pop_back();
    state.sets[cell.readers][cell.reader] = cell.read;
  }
  state.sets[cell.readers][static_cast<std::size_t>(thread)] = now;
}

std::size_t cell_count(const void* p, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(p) / kCellBytes;
  return (reinterpret_cast<std::uintptr_t>(p) + bytes - 1) / kCellBytes - first + 1;
}

void judge_write() {
  Write& write = state.pending;
  if (write.cells == nullptr) return;
  Cell* cells = write.cells;
  write.cells = nullptr;
  if (std::memcmp(write.before, write.p, write.bytes) == 0) return;
  for (std::size_t i = 0; i < cell_count(write.p, write.bytes); ++i) {
    note_write(cells[i], write.thread, write.code);
  }
}

void raise(Clock& to, const Clock& from) {
  to.resize(from.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
}

}  // namespace

void watch() {
  state.on = true;
}

bool watching() {
  return state.on;
}

std::vector<std::string> found() {
  std::vector<std::string> lines;
  for (const auto& [places, text] : state.races) lines.push_back(text);
  state.races.clear();
  return lines;
}

void add_memory(const void* p, std::size_t bytes) {
  if (state.on) state.regions.push_back({static_cast<const std::byte*>(p), bytes, {}});
}

void remove_memory(const void* p) {
  std::erase_if(state.regions, [p](const Region& region) { return region.base == p; });
}

void begin(int threads) {
  if (!state.on) return;
  const auto count = static_cast<std::size_t>(threads);
  state.clocks.assign(count, Clock(count));
  for (std::size_t i = 0; i < count; ++i) state.clocks[i][i] = 1;
  state.sets.assign(1, {});
  state.free_sets.clear();
  state.pending.cells = nullptr;
  for (Region& region : state.regions) region.cells.assign(region.bytes / kCellBytes + 1, {});
  state.shared.assign(machine().cluster(), std::vector<Cell>(kSharedBytes / kCellBytes));
}

void access(const void* p, std::size_t bytes, bool write, const void* code) {
  if (!state.on || machine().current() < 0) return;
  judge_write();
  const auto* first = static_cast<const std::byte*>(p);
  Cell* cells = cells_at(first, bytes);
  if (cells == nullptr) return;
  if (write && bytes <= sizeof(Write::before)) {
    state.pending = {first, bytes, cells, code, machine().current(), {}};
    std::memcpy(state.pending.before, p, bytes);
    return;
  }
  for (std::size_t i = 0; i < cell_count(p, bytes); ++i) {
    if (write) {
      note_write(cells[i], machine().current(), code);
    } else {
      note_read(cells[i], machine().current(), code);
    }
  }
}

void meet(int first, int count) {
  if (!state.on) return;
  judge_write();
  Clock all;
  for (int i = first; i < first + count; ++i) raise(all, state.clocks[static_cast<std::size_t>(i)]);
  for (int i = first; i < first + count; ++i) {
    Clock& own = state.clocks[static_cast<std::size_t>(i)];
    own = all;
    ++own[static_cast<std::size_t>(i)];
  }
}

void release(int thread, Clock& place) {
  if (!state.on) return;
  judge_write();
  Clock& own = state.clocks[static_cast<std::size_t>(thread)];
  raise(place, own);
  ++own[static_cast<std::size_t>(thread)];
}

void acquire(int thread, const Clock& place) {
  if (!state.on || place.empty()) return;
  judge_write();
  raise(state.clocks[static_cast<std::size_t>(thread)], place);
}

}  // namespace tarl::emulated::races

// The hooks that the compiler calls before reads and writes.
#define TARL_ACCESS(name, bytes, write)                                          \
  extern "C" void name(void* p) {                                                \
    tarl::emulated::races::access(p, bytes, write, __builtin_return_address(0)); \
  }
#define TARL_ACCESSES(bytes)                              \
  TARL_ACCESS(__tsan_read##bytes, bytes, false)           \
  TARL_ACCESS(__tsan_write##bytes, bytes, true)           \
  TARL_ACCESS(__tsan_unaligned_read##bytes, bytes, false) \
  TARL_ACCESS(__tsan_unaligned_write##bytes, bytes, true)

TARL_ACCESSES(1)
TARL_ACCESSES(2)
TARL_ACCESSES(4)
TARL_ACCESSES(8)
TARL_ACCESSES(16)

extern "C" void __tsan_read_range(void* p, std::size_t bytes) {
  tarl::emulated::races::access(p, bytes, false, __builtin_return_address(0));
}

extern "C" void __tsan_write_range(void* p, std::size_t bytes) {
  tarl::emulated::races::access(p, bytes, true, __builtin_return_address(0));
}

extern "C" void __tsan_init() {}

extern "C" void __tsan_func_entry(void*) {}

extern "C" void __tsan_func_exit() {}

extern "C" void __tsan_vptr_update(void*, void*) {}

extern "C" void __tsan_vptr_read(void*) {}

// For the host side, which is instrumented along with its kernels.
extern "C" unsigned char __tsan_atomic8_load(const volatile unsigned char* p, int) {
  return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

extern "C" std::uint32_t __tsan_atomic32_fetch_add(volatile std::uint32_t* p, std::uint32_t value,
                                                   int) {
  return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
}

extern "C" std::uint64_t __tsan_atomic64_fetch_add(volatile std::uint64_t* p, std::uint64_t value,
                                                   int) {
  return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
}

extern "C" std::uint64_t __tsan_atomic64_fetch_sub(volatile std::uint64_t* p, std::uint64_t value,
                                                   int) {
  return __atomic_fetch_sub(p, value, __ATOMIC_SEQ_CST);
}
