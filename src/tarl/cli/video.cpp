// SPDX-License-Identifier: MIT
#include "tarl/cli/video.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tarl/core/error.h"

namespace tarl::cli {

namespace {

constexpr const char* kProgram = "ffmpeg";
constexpr std::array<std::string_view, 5> kKinds = {".mp4", ".mkv", ".webm", ".mov", ".avi"};

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

bool VideoWriter::knows(std::string_view extension) {
  return std::find(kKinds.begin(), kKinds.end(), extension) != kKinds.end();
}

VideoWriter::VideoWriter(fs::path path, double frame_seconds)
    : path_(std::move(path)),
      written_(path_.parent_path() / (".unfinished-" + path_.filename().string())),
      frame_seconds_(frame_seconds) {
  if (on_path(kProgram)) return;
  throw Error(
      "a video needs ffmpeg, which is not installed here; install it (apt-get install "
      "ffmpeg), or write a GIF with --gif");
}

VideoWriter::~VideoWriter() {
  pictures_ = Descriptor(-1);
  if (ffmpeg_ < 0) return;
  wait();
  std::error_code unknown;
  fs::remove(written_, unknown);
}

// A socket, since a write to it need not raise a signal if ffmpeg has died.
void VideoWriter::start(int width, int height) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error("cannot talk to ffmpeg: no more open files are allowed");
  }
  pictures_ = Descriptor(ends[0]);
  const Descriptor input(ends[1]);
  const auto micros = std::lround(1e6 * frame_seconds_);
  // Most players want an even number of rows and columns, and colours at half the resolution.
  std::vector<std::string> words = {kProgram,
                                    "-loglevel",
                                    "error",
                                    "-y",
                                    "-f",
                                    "rawvideo",
                                    "-pixel_format",
                                    "rgb24",
                                    "-video_size",
                                    std::to_string(width) + "x" + std::to_string(height),
                                    "-framerate",
                                    "1000000/" + std::to_string(micros),
                                    "-i",
                                    "pipe:0",
                                    "-vf",
                                    "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                    "-pix_fmt",
                                    "yuv420p",
                                    written_.string()};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const int problem =
      ::posix_spawnp(&ffmpeg_, kProgram, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    ffmpeg_ = -1;
    throw Error("ffmpeg cannot be started; write a GIF with --gif instead");
  }
}

void VideoWriter::add(const rl::Image& image) {
  if (ffmpeg_ < 0) start(image.width, image.height);
  std::span<const std::uint8_t> left = image.rgb;
  while (!left.empty()) {
    const ssize_t sent = ::send(pictures_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) fail();
    left = left.subspan(static_cast<std::size_t>(sent));
  }
}

int VideoWriter::wait() {
  int status = 0;
  while (::waitpid(ffmpeg_, &status, 0) < 0 && errno == EINTR) {
  }
  ffmpeg_ = -1;
  return status;
}

void VideoWriter::fail() {
  throw Error("ffmpeg failed to write " + path_.string() +
              " (its own message is above); another ending chooses another codec");
}

void VideoWriter::finish() {
  require(ffmpeg_ >= 0, "a video needs a picture");
  pictures_ = Descriptor(-1);
  const int status = wait();
  if (status != 0) {
    std::error_code unknown;
    fs::remove(written_, unknown);
    fail();
  }
  rename_path(written_, path_);
}

}  // namespace tarl::cli
