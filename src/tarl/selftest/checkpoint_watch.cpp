// SPDX-License-Identifier: MIT
#include "tarl/selftest/checkpoint_watch.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "tarl/core/error.h"

namespace tarl::selftest {

namespace {

constexpr int kPatience = 20;  // milliseconds between checks whether the run is over
constexpr std::string_view kWriting = "tmp-step_";
constexpr std::string_view kWritten = "step_";

}  // namespace

CheckpointWatch::CheckpointWatch(const fs::path& checkpoints) {
  make_directories(checkpoints);
  descriptor_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor_ < 0 ||
      ::inotify_add_watch(descriptor_, checkpoints.c_str(), IN_CREATE | IN_MOVED_TO) < 0) {
    throw Error("cannot watch " + checkpoints.string() + ": " + std::strerror(errno));
  }
}

CheckpointWatch::~CheckpointWatch() {
  ::close(descriptor_);
}

int CheckpointWatch::take_events() {
  alignas(inotify_event) std::array<char, 4096> buffer;
  int begun = 0;
  for (ssize_t got = 0; (got = ::read(descriptor_, buffer.data(), buffer.size())) > 0;) {
    for (ssize_t at = 0; at < got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      const std::string_view name = event->len > 0 ? event->name : "";
      if ((event->mask & IN_CREATE) != 0 && name.starts_with(kWriting)) {
        ++begun;
        begun_ = Clock::now();
      }
      if ((event->mask & IN_MOVED_TO) != 0 && name.starts_with(kWritten) &&
          begun_ != Clock::time_point{}) {
        total_ += Clock::now() - begun_;
        ++writes_;
      }
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
  return begun;
}

bool CheckpointWatch::wait_for_writes(int writes, const std::function<bool()>& over) {
  take_events();  // earlier ones
  while (!over()) {
    pollfd ready{descriptor_, POLLIN, 0};
    ::poll(&ready, 1, kPatience);
    writes -= take_events();
    if (writes <= 0) return true;
  }
  return false;
}

std::chrono::microseconds CheckpointWatch::write_time() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(writes_ > 0 ? total_ / writes_
                                                                           : Clock::duration{});
}

std::map<std::string, fs::file_time_type> unfinished_writes(const fs::path& checkpoints) {
  std::map<std::string, fs::file_time_type> found;
  std::error_code gone;
  for (const fs::path& folder : {checkpoints, checkpoints / "segments"}) {
    for (fs::directory_iterator entry(folder, gone), end; !gone && entry != end;
         entry.increment(gone)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with("tmp-")) found[name] = entry->last_write_time(gone);
    }
  }
  return found;
}

}  // namespace tarl::selftest
