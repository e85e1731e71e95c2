// SPDX-License-Identifier: MIT
#include "tarl/store/run_lock.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/machine.h"
#include "tarl/store/run_files.h"

namespace tarl::store {

namespace {

// A process, identified so that it cannot be confused with a later one with the same number.
struct Owner {
  std::int64_t pid = 0;
  std::string host;
  std::string boot;          // the kernel's boot id: differs after every restart of the machine
  std::int64_t started = 0;  // clock ticks since that boot
  std::optional<BatchJob> job{};
};

std::string boot_id() {
  try {
    const std::string text = read_text("/proc/sys/kernel/random/boot_id");
    return text.substr(0, text.find('\n'));
  } catch (const Error&) {
    return "";
  }
}

// When a process started, in clock ticks since boot; nothing if there is none, or only a zombie
// that its parent has not reaped yet.
std::optional<std::int64_t> start_time(std::int64_t pid) {
  try {
    const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
    // The second field, the command, may hold spaces but ends with the last ')'. The third is the
    // state, field 22 the time.
    std::size_t at = stat.rfind(')');
    if (at == std::string::npos || stat.size() < at + 3) return std::nullopt;
    if (std::string_view("ZXx").find(stat[at + 2]) != std::string_view::npos) return std::nullopt;
    for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
    if (at == std::string::npos) return std::nullopt;
    return std::strtoll(stat.c_str() + at, nullptr, 10);
  } catch (const Error&) {
    return std::nullopt;
  }
}

Owner this_process() {
  const std::int64_t pid = ::getpid();
  return {pid, host_name(), boot_id(), start_time(pid).value_or(0), this_batch_job()};
}

std::string to_text(const Owner& owner) {
  Json json = {
      {"pid", owner.pid}, {"host", owner.host}, {"boot", owner.boot}, {"started", owner.started}};
  if (owner.job) {
    json["slurm_job"] = owner.job->number;
    json["slurm_restarts"] = owner.job->restarts;
  }
  return json_page(json);
}

// Nothing if the file is empty or torn: its writer died before it owned anything.
std::optional<Owner> read_owner(const fs::path& path) {
  try {
    const Json json = parse_json(read_text(path));
    Owner owner{json.at("pid").get<std::int64_t>(), json.at("host").get<std::string>(),
                json.at("boot").get<std::string>(), json.at("started").get<std::int64_t>()};
    if (json.contains("slurm_job")) {
      owner.job = BatchJob{json.at("slurm_job").get<std::int64_t>(),
                           json.at("slurm_restarts").get<std::int64_t>()};
    }
    return owner;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

[[noreturn]] void refuse(const fs::path& path, const std::optional<Owner>& owner) {
  const std::string who = owner ? "process " + std::to_string(owner->pid) + " on " + owner->host
                                : std::string("another process");
  throw Error(path.parent_path().string() + " is in use by " + who +
              "; wait until it ends, stop it, or choose another folder");
}

[[noreturn]] void refuse_other_host(const fs::path& path, const Owner& owner) {
  throw Error(path.parent_path().string() + " was left locked by process " +
              std::to_string(owner.pid) + " on " + owner.host +
              "; if that process is gone, remove " + path.string() + " and run again");
}

// The kernel lock was free. Decides whether the process named in the file can still be alive.
void check_stale(const fs::path& path, const Owner& owner) {
  const bool same_boot = !owner.boot.empty() && owner.boot == boot_id();
  if (!same_boot && owner.host != host_name()) refuse_other_host(path, owner);
  if (owner.pid == ::getpid() || !same_boot) return;
  // If the file system has no kernel locks, this is the only evidence.
  const auto started = start_time(owner.pid);
  if (started && *started == owner.started && owner.host == host_name()) refuse(path, owner);
}

bool is_same_file(const Descriptor& file, const fs::path& path) {
  struct stat held {};

  struct stat named {};

  return ::fstat(file.get(), &held) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

// A signal may interrupt any of these calls.
template <class Call>
auto repeated(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// False if another process holds it. Some network file systems have no such locks: then only the
// content of the file decides.
bool take_kernel_lock(const Descriptor& file) {
  const int result = repeated([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); });
  return result == 0 || errno != EWOULDBLOCK;
}

void write_owner(const Descriptor& file, const std::string& text, const fs::path& path) {
  bool good = repeated([&] { return ::ftruncate(file.get(), 0); }) == 0;
  for (std::size_t at = 0; good && at < text.size();) {
    const ssize_t written = repeated([&] {
      return ::pwrite(file.get(), text.data() + at, text.size() - at, static_cast<off_t>(at));
    });
    good = written > 0;
    if (good) at += static_cast<std::size_t>(written);
  }
  if (!good) throw Error("cannot write " + path.string() + ": " + std::strerror(errno));
}

// A number of the environment's; 0 where it has none.
std::int64_t number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
}

}  // namespace

std::optional<BatchJob> this_batch_job() {
  const std::int64_t number = number_in_environment("SLURM_JOB_ID");
  if (number <= 0) return std::nullopt;
  return BatchJob{number, number_in_environment("SLURM_RESTART_COUNT")};
}

RunLock::RunLock(const fs::path& folder) : path_(folder / kLockFile) {
  do {
    file_ = open_to_write(path_, O_RDWR);
    if (!take_kernel_lock(file_)) refuse(path_, read_owner(path_));
    // Its last holder may have removed the file between our opening and our locking it.
  } while (!is_same_file(file_, path_));
  if (const auto owner = read_owner(path_)) check_stale(path_, *owner);
  write_owner(file_, to_text(this_process()), path_);
}

RunLock::~RunLock() {
  if (is_same_file(file_, path_)) ::unlink(path_.c_str());
}

void RunLock::check() const {
  if (is_same_file(file_, path_)) return;
  throw Error(
      "the folder " + path_.parent_path().string() +
      " was removed or replaced while this run was working in it (its lock is gone); if it " +
      "was moved, resume it where it is");
}

bool is_in_use(const fs::path& folder) {
  const auto owner = read_owner(folder / kLockFile);
  if (!owner) return false;
  const bool same_boot = !owner->boot.empty() && owner->boot == boot_id();
  if (!same_boot) return owner->host != host_name();
  const auto started = start_time(owner->pid);
  return started && *started == owner->started;
}

std::optional<BatchJob> job_in_lock(const fs::path& folder) {
  const auto owner = read_owner(folder / kLockFile);
  return owner ? owner->job : std::nullopt;
}

bool remove_lock_of(const fs::path& folder, const BatchJob& ended) {
  const fs::path path = folder / kLockFile;
  std::error_code unknown;
  if (!fs::exists(path, unknown)) return true;
  // Whoever takes the lock over holds the kernel's meanwhile, and so does who takes it away.
  const Descriptor file = open_to_write(path, O_RDWR);
  if (!take_kernel_lock(file) || !is_same_file(file, path)) return false;
  const auto owner = read_owner(path);
  if (!owner || owner->job != ended) return false;
  return ::unlink(path.c_str()) == 0;
}

}  // namespace tarl::store
