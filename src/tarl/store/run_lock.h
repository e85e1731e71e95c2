// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "tarl/core/descriptor.h"
#include "tarl/core/files.h"

namespace tarl::store {

// One life of a job of Slurm's, which may put a job back into its queue and start it again.
struct BatchJob {
  std::int64_t number = 0;
  std::int64_t restarts = 0;
  bool operator==(const BatchJob&) const = default;
};

// The job that this process is part of, as its environment says; nothing outside Slurm.
std::optional<BatchJob> this_batch_job();

// Keeps other processes out of a run folder for the lifetime of this object. The file `lock` in the
// folder says who holds it; the kernel's lock on that file says whether it is still held, so the
// lock of a process that was killed, reaped or not, is taken over silently.
//
// Throws Error if another process holds it or the file names another machine: a kernel lock may not
// reach across machines, so only the user can know that the process there is gone.
class RunLock {
 public:
  explicit RunLock(const fs::path& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  // Throws Error if the folder was moved, removed or replaced since: whatever now has its path
  // belongs to another run, or will. Call it before every write into the folder.
  void check() const;

 private:
  fs::path path_;
  Descriptor file_{-1};
};

// Whether a process seems to hold the folder, without touching its lock; one on another machine
// counts as alive.
bool is_in_use(const fs::path& folder);

// The job that the process named in a folder's lock was part of.
std::optional<BatchJob> job_in_lock(const fs::path& folder);

// Takes away the lock that a process of that job has left, unless somebody holds it or it is
// another's by now. For a job that has ended wherever it ran, which Slurm knows and this machine
// cannot. True where the lock is gone.
bool remove_lock_of(const fs::path& folder, const BatchJob& ended);

}  // namespace tarl::store
