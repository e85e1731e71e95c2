// SPDX-License-Identifier: MIT
#pragma once

namespace tarl {

// Exit codes of the program, which studies read from their runs.
inline constexpr int kExitGood = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;      // the command or its settings; would fail again
inline constexpr int kExitNonFinite = 3;  // a NaN or an infinity; would recur
inline constexpr int kExitStopped = 75;   // stopped by a signal after a durable checkpoint

}  // namespace tarl
