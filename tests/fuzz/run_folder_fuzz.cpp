// SPDX-License-Identifier: MIT
//
// The files of a run folder as a report or a resume reads them; the first byte says which.
#include "fuzz/fuzz.h"
#include <unistd.h>

#include "tarl/core/files.h"
#include "tarl/store/run_info.h"
#include "tarl/study/results/run.h"

using namespace tarl;

namespace {

struct Folder {
  fs::path path = "/dev/shm/tarl-fuzz-run-" + std::to_string(::getpid());

  Folder() { fs::create_directories(path); }

  ~Folder() { fs::remove_all(path); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  static constexpr const char* kNames[] = {"config.toml", "run.json", "evaluations.npz",
                                           "progress.csv"};
  if (size == 0) return 0;
  const char* name = kNames[data[0] % 4];
  for (const char* other : kNames) fs::remove(folder.path / other);
  AppendFile(folder.path / name, 0).append(fuzz::bytes_of(data + 1, size - 1));
  study::read_run(folder.path, folder.path);  // damage is listed, never thrown
  fuzz::may_refuse("run.json", [&] { store::load_run_info(folder.path / "run.json"); });
  return 0;
}
