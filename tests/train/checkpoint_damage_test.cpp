// SPDX-License-Identifier: MIT
//
// A real checkpoint, damaged in every way: each damage is detected and named, and the previous
// checkpoint is used.
#include <cstdlib>
#include <fstream>

#include "support/temporary_folder.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tarl/core/rng.h"
#include "tarl/store/checkpoint.h"
#include "tarl/train/loop.h"

namespace tarl::train {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStride = 11;  // bytes between flips, unless TARL_FAULTS_LONG is set
#else
constexpr std::size_t kStride = 1;
#endif

bool is_long() {
  return std::getenv("TARL_FAULTS_LONG") != nullptr;
}

// Two generations of a run that learns.
class Damage : public testing::Test {
 protected:
  void save(int capacity, int width) {
    const RunConfig config =
        resolve({.algo = "ta-dqn+reaper",
                 .env = "classic/cartpole",
                 .set = {"steps=100000", "learning_starts=20", "eval.count=1", "batch_size=4",
                         "buffer_size=" + std::to_string(capacity),
                         "policy.net_arch=[" + std::to_string(width) + "]"}});
    Team team(1);
    store::RunLogs logs(folder_ / "logs",
                        {.env_id = config.env, .tensorboard = false, .csv = false});
    fs::create_directories(folder_ / "logs");
    Loop loop(config, team, logs);
    store::CheckpointStore store(folder_ / "checkpoints");
    for (int generation = 1; generation <= 2; ++generation) {
      const std::int64_t until = generation * (capacity / 2 + 10);
      loop.run({.stop = [&] { return loop.step() >= until; }, .progress = {}, .checkpoint = {}});
      Tensors state;
      StateWriter out(state);
      loop.save(out);
      store.save(loop.step(), state);
      steps_.push_back(loop.step());
    }
    for (const auto& entry : fs::directory_iterator(folder_ / "checkpoints")) {
      if (entry.path().filename().string().starts_with("step_") &&
          std::stoll(entry.path().filename().string().substr(5)) == steps_[1]) {
        newer_ = entry.path();
      }
    }
  }

  // Loads; the newer generation must be refused with a line that names `file`.
  testing::AssertionResult falls_back(const std::string& file, std::string& problem) {
    std::vector<std::string> problems;
    const auto loaded = store::CheckpointStore(folder_ / "checkpoints").load_newest(problems);
    problem = problems.empty() ? "" : problems[0];
    if (problems.size() != 1) return testing::AssertionFailure() << problems.size() << " problems";
    if (!loaded || loaded->step != steps_[0]) return testing::AssertionFailure() << "not the older";
    if (problem.find(file) == std::string::npos) {
      return testing::AssertionFailure() << "file not named: " << problem;
    }
    return testing::AssertionSuccess();
  }

  // Overwrites bytes in place, and puts them back at the end.
  class Patch {
   public:
    Patch(const fs::path& path, std::size_t offset, std::vector<std::byte> bytes)
        : file_(::open(path.c_str(), O_RDWR)), offset_(static_cast<off_t>(offset)) {
      before_.resize(bytes.size());
      EXPECT_EQ(::pread(file_, before_.data(), before_.size(), offset_),
                static_cast<ssize_t>(before_.size()));
      EXPECT_EQ(::pwrite(file_, bytes.data(), bytes.size(), offset_),
                static_cast<ssize_t>(bytes.size()));
    }

    ~Patch() {
      EXPECT_EQ(::pwrite(file_, before_.data(), before_.size(), offset_),
                static_cast<ssize_t>(before_.size()));
      ::close(file_);
    }

    Patch(const Patch&) = delete;
    Patch& operator=(const Patch&) = delete;

   private:
    int file_;
    off_t offset_;
    std::vector<std::byte> before_;
  };

  std::vector<fs::path> files() const {
    return {newer_ / "manifest.json", newer_ / "state.safetensors"};
  }

  test::TemporaryFolder folder_;
  std::vector<std::int64_t> steps_;
  fs::path newer_;
};

TEST_F(Damage, EveryFlippedByteIsNoticedAndTheFieldNamed) {
  save(is_long() ? 1000 : 40, is_long() ? 64 : 4);
  Rng rng = seeded(1);
  std::size_t flips = 0, fields = 0;
  for (const fs::path& path : files()) {
    const std::vector<std::byte> good = read_file(path);
    for (std::size_t i = 0; i < good.size(); i += is_long() ? 1 : kStride) {
      const Patch patch(path, i, {good[i] ^ (std::byte{1} << rng.below(8))});
      std::string problem;
      ASSERT_TRUE(falls_back(path.filename().string(), problem)) << path << " byte " << i;
      fields += problem.find("field '") != std::string::npos ? 1 : 0;
      ++flips;
    }
  }
  std::printf("  %zu flips, all noticed; %zu messages name a field, the others a header\n", flips,
              fields);
  EXPECT_GT(fields, flips / 3);
}

TEST_F(Damage, EveryTruncationAndEveryZeroedBlockIsNoticed) {
  save(1000, 32);
  std::string problem;
  std::size_t cuts = 0, zeroed = 0;
  for (const fs::path& path : files()) {
    const std::vector<std::byte> good = read_file(path);
    for (std::size_t size = 0; size < good.size(); size += 512) {
      fs::resize_file(path, size);
      ASSERT_TRUE(falls_back(path.filename().string(), problem)) << path << " cut to " << size;
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char*>(good.data()),
                 static_cast<std::streamsize>(good.size()));
      ++cuts;
    }
    for (std::size_t at = 0; at < good.size(); at += 512) {
      const std::size_t length = std::min<std::size_t>(512, good.size() - at);
      const auto begin = good.begin() + static_cast<std::ptrdiff_t>(at);
      if (std::count(begin, begin + static_cast<std::ptrdiff_t>(length), std::byte{0}) ==
          static_cast<std::ptrdiff_t>(length)) {
        continue;  // zeros already
      }
      const Patch patch(path, at, std::vector<std::byte>(length));
      ASSERT_TRUE(falls_back(path.filename().string(), problem)) << path << " zeroed at " << at;
      ++zeroed;
    }
  }
  std::printf("  %zu truncations and %zu zeroed blocks, all noticed\n", cuts, zeroed);
}

TEST_F(Damage, RandomBytesOfABigCheckpointAreNoticed) {
  save(is_long() ? 60'000 : 6'000, 64);
  const fs::path path = newer_ / "state.safetensors";
  const std::vector<std::byte> good = read_file(path);
  Rng rng = seeded(2);
  const int flips = is_long() ? 10'000 : 300;
  for (int i = 0; i < flips; ++i) {
    const std::size_t at = rng.below(static_cast<std::uint32_t>(good.size()));
    const Patch patch(path, at, {good[at] ^ (std::byte{1} << rng.below(8))});
    std::string problem;
    ASSERT_TRUE(falls_back("state.safetensors", problem)) << "byte " << at;
  }
  std::printf("  %d flips in %zu bytes, all noticed\n", flips, good.size());
}

TEST_F(Damage, MissingSwappedAndForeignFilesAreNoticed) {
  save(40, 4);
  const fs::path older = folder_ / "checkpoints" /
                         ("step_" + std::string(12 - std::to_string(steps_[0]).size(), '0') +
                          std::to_string(steps_[0]));
  std::string problem;
  for (const fs::path& path : files()) {
    const fs::path aside = folder_ / "aside";
    fs::rename(path, aside);
    EXPECT_TRUE(falls_back(path.filename().string(), problem)) << "missing " << path;
    fs::copy_file(older / path.filename(), path);
    EXPECT_TRUE(falls_back(path.filename() == "manifest.json" ? "manifest.json" : "state", problem))
        << "from the older generation: " << path;
    fs::remove(path);
    fs::create_directory(path);
    EXPECT_TRUE(falls_back(path.filename().string(), problem)) << "a folder in its place";
    fs::remove(path);
    fs::rename(aside, path);
  }
  // The two files of one generation in each other's place.
  fs::rename(files()[0], folder_ / "aside");
  fs::rename(files()[1], files()[0]);
  fs::rename(folder_ / "aside", files()[1]);
  EXPECT_TRUE(falls_back("manifest.json", problem));
}

}  // namespace

}  // namespace tarl::train
