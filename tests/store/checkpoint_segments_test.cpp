// SPDX-License-Identifier: MIT
#include "store/checkpoint_examples.h"
#include "support/errors.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/store/checkpoint.h"
#include "tarl/store/segment_repair.h"

namespace tarl::store {

namespace {

using test::error_of;
using test::TemporaryFolder;

// Segments whose contents follow from their numbers, and how often each was produced.
struct Segments {
  std::map<std::int64_t, int> produced;

  std::vector<Segment> range(std::int64_t first, std::int64_t last) {
    std::vector<Segment> segments;
    for (std::int64_t i = first; i <= last; ++i) {
      segments.push_back({"replay_" + std::to_string(i), [this, i] {
                            ++produced[i];
                            return state_of(i);
                          }});
    }
    return segments;
  }
};

// Of another file than the segment.
std::vector<std::byte> repair_of_nothing() {
  return repair_data({});
}

std::vector<std::string> stored(const TemporaryFolder& folder) {
  return names(folder / "segments");
}

TEST(Segments, AreWrittenOnceAndLoadedByEveryGeneration) {
  const TemporaryFolder folder;
  Segments segments;
  CheckpointStore store(folder.path());
  store.save(100, state_of(100), segments.range(1, 2));
  store.save(200, state_of(200), segments.range(1, 3));
  EXPECT_EQ(segments.produced, (std::map<std::int64_t, int>{{1, 1}, {2, 1}, {3, 1}}));

  std::vector<std::string> problems;
  const auto loaded = CheckpointStore(folder.path()).load_newest(problems);
  ASSERT_EQ(loaded.value().segments.size(), 3U);
  for (std::int64_t i = 1; i <= 3; ++i) {
    const StoredSegment& segment = loaded->segments[static_cast<std::size_t>(i - 1)];
    EXPECT_EQ(segment.name, "replay_" + std::to_string(i));
    EXPECT_TRUE(same(read_segment(segment), state_of(i)));
  }
}

TEST(Segments, GoWhenNoKeptGenerationNamesThem) {
  const TemporaryFolder folder;
  Segments segments;
  CheckpointStore store(folder.path());
  store.save(100, state_of(100), segments.range(1, 2));
  store.save(200, state_of(200), segments.range(2, 3));
  store.save(300, state_of(300), segments.range(3, 4));
  EXPECT_EQ(stored(folder),
            (std::vector<std::string>{"replay_2.safetensors", "replay_3.safetensors",
                                      "replay_4.safetensors"}));
  store.save(400, state_of(400), segments.range(3, 4));
  EXPECT_EQ(stored(folder),
            (std::vector<std::string>{"replay_3.safetensors", "replay_4.safetensors"}));
  // A name that went and comes back is written again.
  store.save(500, state_of(500), segments.range(1, 1));
  EXPECT_EQ(segments.produced.at(1), 2);
}

TEST(Segments, AResumedStoreTrustsOnlyWhatItLoaded) {
  const TemporaryFolder folder;
  Segments before, after;
  CheckpointStore(folder.path()).save(100, state_of(100), before.range(1, 2));
  // Left by a killed save, never named by a manifest, and not what it should be.
  write_file_durably(folder / "segments/replay_3.safetensors", std::string_view("half"));
  CheckpointStore store(folder.path());
  std::vector<std::string> problems;
  EXPECT_TRUE(store.load_newest(problems));
  store.save(200, state_of(200), after.range(1, 3));
  EXPECT_EQ(after.produced, (std::map<std::int64_t, int>{{3, 1}}));
  const auto loaded = store.load_newest(problems);
  EXPECT_TRUE(same(read_segment(loaded.value().segments[2]), state_of(3)));
  EXPECT_TRUE(problems.empty());
}

// Two generations, the second with a segment of its own.
struct SharedSegments {
  TemporaryFolder folder;
  Segments segments;
  fs::path path = folder / "segments/replay_2.safetensors";
  std::vector<std::byte> good;
  std::vector<std::string> problems;

  SharedSegments() {
    CheckpointStore store(folder.path());
    store.save(100, state_of(100), segments.range(1, 1));
    store.save(200, state_of(200), segments.range(1, 2));
    good = read_file(path);
  }

  std::int64_t newest() {
    problems.clear();
    return CheckpointStore(folder.path()).load_newest(problems).value().step;
  }
};

TEST(Segments, DamageIsNamedAndMended) {
  SharedSegments shared;
  for (std::size_t i = 0; i < shared.good.size(); i += 7) {
    auto bytes = shared.good;
    bytes[i] ^= std::byte{2};
    write_file_durably(shared.path, bytes);
    EXPECT_EQ(shared.newest(), 200);
    ASSERT_EQ(shared.problems.size(), 1U);
    EXPECT_NE(shared.problems[0].find("replay_2.safetensors: damaged: checksum of "),
              std::string::npos);
    EXPECT_TRUE(shared.problems[0].ends_with("; mended")) << shared.problems[0];
    EXPECT_EQ(read_file(shared.path), shared.good);
    EXPECT_EQ(shared.newest(), 200);
    EXPECT_TRUE(shared.problems.empty());
  }
  fs::resize_file(shared.path, shared.good.size() / 2);
  EXPECT_EQ(shared.newest(), 200);
  fs::remove(shared.path);
  EXPECT_EQ(shared.newest(), 200);
  EXPECT_EQ(read_file(shared.path), shared.good);
}

TEST(Segments, AReaderMayLeaveDamageAsItIs) {
  SharedSegments shared;
  auto bytes = shared.good;
  bytes[3] ^= std::byte{2};
  write_file_durably(shared.path, bytes);
  const auto found =
      CheckpointStore(shared.folder.path()).load_newest(shared.problems, Mend::kNever);
  EXPECT_EQ(found.value().step, 100);
  ASSERT_EQ(shared.problems.size(), 1U);
  EXPECT_NE(shared.problems[0].find("replay_2.safetensors: damaged"), std::string::npos);
  EXPECT_EQ(read_file(shared.path), bytes);
}

TEST(Segments, DamageThatCannotBeMendedIsNamedAndTheGenerationBeforeIsUsed) {
  SharedSegments shared;
  const fs::path repair = shared.folder / "repair/replay_2.repair";
  for (const bool wrong : {false, true}) {
    if (wrong) write_file_durably(repair, repair_of_nothing());
    if (!wrong) fs::remove(repair);
    for (std::size_t i = 0; i < shared.good.size(); i += 7) {
      auto bytes = shared.good;
      bytes[i] ^= std::byte{2};
      write_file_durably(shared.path, bytes);
      EXPECT_EQ(shared.newest(), 100);
      ASSERT_EQ(shared.problems.size(), 1U);
      EXPECT_NE(shared.problems[0].find("replay_2.safetensors: damaged: checksum of "),
                std::string::npos);
    }
    fs::remove(shared.path);
    EXPECT_EQ(shared.newest(), 100);
    EXPECT_NE(shared.problems.at(0).find("replay_2.safetensors: No such file"), std::string::npos);
    write_file_durably(shared.path, shared.good);
  }
}

TEST(Segments, ALostFileIsWrittenAgain) {
  const TemporaryFolder folder;
  Segments segments;
  CheckpointStore store(folder.path());
  store.save(100, state_of(100), segments.range(1, 1));
  fs::remove(folder / "segments/replay_1.safetensors");
  store.save(200, state_of(200), segments.range(1, 1));
  EXPECT_EQ(segments.produced.at(1), 2);
}

TEST(Segments, AFullDiskLeavesTheOlderGeneration) {
  const TemporaryFolder folder;
  Segments segments;
  CheckpointStore store(folder.path());
  store.save(100, state_of(100), segments.range(1, 1));
  {
    const test::FileSizeLimit full(100);
    EXPECT_NE(error_of([&] { store.save(200, state_of(200), segments.range(1, 2)); }), "");
  }
  std::vector<std::string> problems;
  EXPECT_EQ(CheckpointStore(folder.path()).load_newest(problems).value().step, 100);
  EXPECT_EQ(stored(folder), (std::vector<std::string>{"replay_1.safetensors"}));
  store.save(200, state_of(200), segments.range(1, 2));
  EXPECT_EQ(CheckpointStore(folder.path()).load_newest(problems).value().step, 200);
}

TEST(Segments, WrittenAheadTheyCostTheSaveNothing) {
  const TemporaryFolder folder;
  Segments segments;
  CheckpointStore store(folder / "checkpoints");
  store.write_ahead(segments.range(1, 1));
  store.write_ahead(segments.range(1, 2));
  std::vector<std::string> problems;
  EXPECT_FALSE(CheckpointStore(folder / "checkpoints").load_newest(problems));
  store.save(100, state_of(100), segments.range(1, 2));
  EXPECT_EQ(segments.produced, (std::map<std::int64_t, int>{{1, 1}, {2, 1}}));
  const auto loaded = CheckpointStore(folder / "checkpoints").load_newest(problems);
  EXPECT_TRUE(same(read_segment(loaded.value().segments.at(1)), state_of(2)));
}

TEST(Segments, WrittenAheadTheyGoWhenNobodyAsksForThemAnyMore) {
  const TemporaryFolder folder;
  Segments segments;
  CheckpointStore store(folder.path());
  store.save(100, state_of(100), segments.range(1, 2));
  store.write_ahead(segments.range(2, 4));
  store.write_ahead(segments.range(4, 5));
  // 1 and 2 are in the checkpoint, 3 was in none.
  EXPECT_EQ(stored(folder),
            (std::vector<std::string>{"replay_1.safetensors", "replay_2.safetensors",
                                      "replay_4.safetensors", "replay_5.safetensors"}));
  store.sweep();
  EXPECT_EQ(stored(folder),
            (std::vector<std::string>{"replay_1.safetensors", "replay_2.safetensors"}));
  std::vector<std::string> problems;
  EXPECT_EQ(CheckpointStore(folder.path()).load_newest(problems).value().step, 100);
}

TEST(Segments, LeftByACrashTheyGoWithTheNextSave) {
  const TemporaryFolder folder;
  Segments before, after;
  {
    CheckpointStore store(folder.path());
    store.save(100, state_of(100), before.range(1, 2));
    store.write_ahead(before.range(2, 9));
  }
  CheckpointStore store(folder.path());
  std::vector<std::string> problems;
  EXPECT_EQ(store.load_newest(problems).value().step, 100);
  store.write_ahead(after.range(2, 3));
  EXPECT_EQ(after.produced, (std::map<std::int64_t, int>{{3, 1}}));
  store.save(200, state_of(200), after.range(2, 3));
  EXPECT_EQ(stored(folder),
            (std::vector<std::string>{"replay_1.safetensors", "replay_2.safetensors",
                                      "replay_3.safetensors"}));
}

TEST(Segments, ANameIsAPlainFileName) {
  const TemporaryFolder folder;
  for (const char* name : {"", "../up", "a/b", ".hidden", "tmp-x"}) {
    const std::vector<Segment> segments = {{name, [] { return state_of(1); }}};
    EXPECT_THROW(CheckpointStore(folder.path()).save(1, state_of(1), segments), std::logic_error);
  }
}

}  // namespace

}  // namespace tarl::store
