// SPDX-License-Identifier: MIT
//
// A file in place of a ROM: only the exact ROM that the emulator knows may pass.
#include "fuzz/fuzz.h"
#include <unistd.h>

#include "tarl/core/files.h"
#include "tarl/envs/registry.h"

using namespace tarl;

namespace {

struct Folder {
  fs::path path = "/dev/shm/tarl-fuzz-rom-" + std::to_string(::getpid());

  Folder() { fs::create_directories(path); }

  ~Folder() { fs::remove_all(path); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  AppendFile(folder.path / "pong.bin", 0).append(fuzz::bytes_of(data, size));
  fuzz::may_refuse("pong.bin", [&] {
    envs::EnvConfig config;
    config.rom_dir = folder.path.string();
    envs::registry().make("atari/pong", seeded(1), config);
    require(false, "a file that is no ROM was accepted");
  });
  return 0;
}
