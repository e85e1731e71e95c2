// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <sys/types.h>

#include "tarl/core/descriptor.h"
#include "tarl/core/files.h"
#include "tarl/rl/environment.h"

namespace tarl::cli {

// Writes a video with the ffmpeg of this machine, which chooses the codec by the file's name. The
// file appears only when complete.
class VideoWriter {
 public:
  // Throws Error if there is no ffmpeg on the PATH.
  VideoWriter(fs::path path, double frame_seconds);
  ~VideoWriter();  // removes an unfinished file
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  static bool knows(std::string_view extension);  // ".mp4"

  void add(const rl::Image& image);  // all of the same size
  void finish();                     // after at least one picture

 private:
  void start(int width, int height);
  int wait();
  [[noreturn]] void fail();

  fs::path path_, written_;
  double frame_seconds_;
  Descriptor pictures_{-1};
  pid_t ffmpeg_ = -1;
};

}  // namespace tarl::cli
