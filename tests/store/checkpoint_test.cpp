// SPDX-License-Identifier: MIT
#include "tarl/store/checkpoint.h"

#include <algorithm>
#include <fstream>

#include "store/checkpoint_examples.h"
#include "support/errors.h"
#include "support/garbage.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/json.h"
#include "tarl/core/formats/number.h"

namespace tarl::store {

namespace {

using test::error_of;
using test::TemporaryFolder;

std::optional<Loaded> load(const fs::path& folder, std::vector<std::string>& problems) {
  return CheckpointStore(folder).load_newest(problems);
}

// Loads from an intact folder.
Loaded load_good(const fs::path& folder) {
  std::vector<std::string> problems;
  auto loaded = load(folder, problems);
  EXPECT_TRUE(problems.empty()) << problems.front();
  EXPECT_TRUE(loaded.has_value());
  return loaded.value_or(Loaded{});
}

void overwrite(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

const std::vector<std::string> kSteps100And200 = {"step_000000000100", "step_000000000200"};

TEST(Checkpoint, AnEmptyOrMissingFolderHasNone) {
  const TemporaryFolder folder;
  std::vector<std::string> problems;
  EXPECT_FALSE(load(folder.path(), problems));
  EXPECT_FALSE(load(folder / "none", problems));
  EXPECT_TRUE(problems.empty());
}

TEST(Checkpoint, LoadsTheNewestAndKeepsTwo) {
  const TemporaryFolder folder;
  CheckpointStore store(folder / "checkpoints");
  for (const std::int64_t step : {0, 100, 200}) store.save(step, state_of(step));
  EXPECT_EQ(names(folder / "checkpoints"), kSteps100And200);
  EXPECT_EQ(names(folder / "checkpoints/step_000000000200"),
            (std::vector<std::string>{"manifest.json", "state.safetensors"}));
  const Loaded loaded = load_good(folder / "checkpoints");
  EXPECT_EQ(loaded.step, 200);
  EXPECT_TRUE(same(loaded.state, state_of(200)));
  EXPECT_EQ(loaded.folder, folder / "checkpoints/step_000000000200");
}

TEST(Checkpoint, SavingTheSameStepTwiceKeepsTheLater) {
  const TemporaryFolder folder;
  CheckpointStore store(folder.path());
  store.save(100, state_of(1));
  store.save(100, state_of(2));
  EXPECT_EQ(names(folder.path()), (std::vector<std::string>{"step_000000000100"}));
  EXPECT_TRUE(same(load_good(folder.path()).state, state_of(2)));
}

// Every instant of a save is one of these: killed there, a complete generation is still found.
TEST(Checkpoint, EveryMomentOfASaveLeavesACompleteGeneration) {
  const TemporaryFolder folder;
  CheckpointStore(folder.path()).save(100, state_of(100));
  // Killed while writing.
  fs::create_directory(folder / "tmp-step_000000000200");
  write_file_durably(folder / "tmp-step_000000000200/state.safetensors", std::string_view("half"));
  EXPECT_EQ(load_good(folder.path()).step, 100);
  // Killed between the two renames of a second save of one step.
  fs::rename(folder / "step_000000000100", folder / "replaced-step_000000000100");
  EXPECT_TRUE(same(load_good(folder.path()).state, state_of(100)));
  // Killed before the replaced one was removed.
  CheckpointStore(folder / "other").save(100, state_of(7));
  fs::rename(folder / "other/step_000000000100", folder / "step_000000000100");
  EXPECT_TRUE(same(load_good(folder.path()).state, state_of(7)));
  // The next save cleans up.
  CheckpointStore(folder.path()).save(200, state_of(200));
  fs::remove(folder / "other");
  EXPECT_EQ(names(folder.path()), kSteps100And200);
}

TEST(Checkpoint, AManifestNestedWithoutEndIsRefused) {
  const std::string deep(1'000'000, '[');
  for (const std::string& text : {deep, "{\"a\":" + deep + std::string(deep.size(), ']') + "}"}) {
    EXPECT_NE(error_of([&] { decode_manifest(text, "manifest.json"); }).find("manifest.json"),
              std::string::npos);
  }
}

TEST(Checkpoint, AnAbandonedFutureGoesWithTheNextSave) {
  const TemporaryFolder folder;
  CheckpointStore store(folder.path());
  store.save(100, state_of(100));
  store.save(300, state_of(300));
  store.save(200, state_of(200));
  EXPECT_EQ(names(folder.path()), kSteps100And200);
}

// Two generations, of which the newer is to be damaged.
struct Pair {
  TemporaryFolder folder;
  fs::path newer;

  Pair() : newer(folder / "step_000000000200") {
    CheckpointStore store(folder.path());
    store.save(100, state_of(100));
    store.save(200, state_of(200));
  }

  // The line that reports the damage; checks that the older generation is used instead.
  std::string fall_back() const {
    std::vector<std::string> problems;
    const auto loaded = load(folder.path(), problems);
    EXPECT_TRUE(loaded && loaded->step == 100 && same(loaded->state, state_of(100)));
    EXPECT_EQ(problems.size(), 1U);
    if (problems.empty()) return "";
    EXPECT_TRUE(test::is_one_line(problems[0])) << problems[0];
    EXPECT_NE(problems[0].find("step_000000000200"), std::string::npos) << problems[0];
    return problems[0];
  }
};

class CheckpointFile : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Names, CheckpointFile,
                         testing::Values("state.safetensors", "manifest.json"));

TEST_P(CheckpointFile, AFlipOfAnyByteIsNoticed) {
  const Pair pair;
  const fs::path path = pair.newer / GetParam();
  const std::vector<std::byte> good = read_file(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bytes = good;
    bytes[i] ^= std::byte{1} << (i % 8);
    overwrite(path, bytes);
    const std::string problem = pair.fall_back();
    ASSERT_NE(problem.find(GetParam()), std::string::npos) << "byte " << i << ": " << problem;
  }
}

TEST_P(CheckpointFile, EveryTruncationIsNoticed) {
  const Pair pair;
  const fs::path path = pair.newer / GetParam();
  const std::vector<std::byte> good = read_file(path);
  for (std::size_t size = 0; size < good.size(); size += size < 64 ? 1 : 512) {
    overwrite(path, std::span(good).first(size));
    ASSERT_NE(pair.fall_back().find(GetParam()), std::string::npos) << size;
  }
  auto longer = good;
  longer.push_back(std::byte{0});
  overwrite(path, longer);
  EXPECT_NE(pair.fall_back(), "");
}

TEST_P(CheckpointFile, AMissingOrForeignFileIsNoticed) {
  const Pair pair;
  const auto older = read_file(pair.folder / "step_000000000100" / GetParam());
  overwrite(pair.newer / GetParam(), older);
  EXPECT_NE(pair.fall_back(), "");
  fs::remove(pair.newer / GetParam());
  EXPECT_NE(pair.fall_back().find("No such file"), std::string::npos);
}

TEST_P(CheckpointFile, GarbageIsNoticed) {
  const Pair pair;
  const fs::path path = pair.newer / GetParam();
  const auto good = read_file(path);
  Rng rng = seeded(2);
  for (int i = 0; i < 300; ++i) {
    const auto bytes =
        i % 3 == 0 ? test::random_bytes(rng, rng.below(600)) : test::mutated(rng, good);
    if (bytes == good) continue;
    overwrite(path, bytes);
    ASSERT_NE(pair.fall_back(), "");
  }
}

TEST(Checkpoint, DamageNamesTheField) {
  const Pair pair;
  const fs::path path = pair.newer / "state.safetensors";
  auto bytes = read_file(path);
  bytes[bytes.size() - 1 - sizeof(std::int64_t)] ^= std::byte{4};  // the field before "step"
  overwrite(path, bytes);
  EXPECT_NE(pair.fall_back().find("checksum of field 'replay/rewards'"), std::string::npos);
}

TEST(Checkpoint, SwappedGenerationsAreNoticed) {
  const Pair pair;
  const fs::path older = pair.folder / "step_000000000100";
  fs::rename(older, pair.folder / "aside");
  fs::rename(pair.newer, older);
  fs::rename(pair.folder / "aside", pair.newer);
  std::vector<std::string> problems;
  EXPECT_FALSE(load(pair.folder.path(), problems));
  EXPECT_EQ(problems.size(), 2U);
}

TEST(Checkpoint, TheNextSaveReplacesADamagedGeneration) {
  const Pair pair;
  overwrite(pair.newer / "state.safetensors", {});
  std::vector<std::string> problems;
  CheckpointStore store(pair.folder.path());
  EXPECT_EQ(store.load_newest(problems)->step, 100);
  store.save(200, state_of(200));
  EXPECT_EQ(load_good(pair.folder.path()).step, 200);
  EXPECT_EQ(names(pair.folder.path()), kSteps100And200);
}

TEST(Checkpoint, AnotherFormatIsRefusedByTheVersionThatWroteIt) {
  const Pair pair;
  const fs::path path = pair.newer / "manifest.json";
  // A good manifest of a later format: its checksum is made by the same rule.
  auto manifest = parse_sorted_json(read_text(path));
  manifest["format"] = 99;
  manifest["tarl"] = "9.8.7";
  manifest.erase("xxh3");
  const std::string body = json_line(manifest);
  manifest["xxh3"] = format_hash(xxh3(std::as_bytes(std::span(body))));
  write_file_durably(path, json_page(manifest));
  std::vector<std::string> problems;
  const std::string problem = error_of([&] { load(pair.folder.path(), problems); });
  EXPECT_NE(problem.find("checkpoint format 99, written by tarl 9.8.7"), std::string::npos)
      << problem;
  EXPECT_TRUE(test::is_one_line(problem));
}

}  // namespace

}  // namespace tarl::store
