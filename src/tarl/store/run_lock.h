// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/descriptor.h"
#include "tarl/core/files.h"

namespace tarl::store {

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

}  // namespace tarl::store
