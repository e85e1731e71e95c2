// SPDX-License-Identifier: MIT
//
// progress.csv as a resume finds it, with the position a checkpoint saved: the first line of the
// input is the saved columns, the second their size, the rest the file.
#include <charconv>

#include "fuzz/fuzz.h"
#include <unistd.h>

#include "tarl/core/files.h"
#include "tarl/store/progress_csv.h"

using namespace tarl;

namespace {

const fs::path& csv_path() {
  static const fs::path path = "/dev/shm/tarl-fuzz-" + std::to_string(::getpid()) + ".csv";

  static const struct Remove {
    ~Remove() { ::unlink(path.c_str()); }
  } remove;

  return path;
}

std::string take_line(std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line = text.substr(0, end);
  text.erase(0, std::min(end + 1, text.size()));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file = fuzz::text_of(data, size);
  const std::string columns = take_line(file), number = take_line(file);
  std::uint64_t saved = file.size();
  std::from_chars(number.data(), number.data() + number.size(), saved);
  AppendFile(csv_path(), 0).append(file);
  Tensors tensors;
  StateWriter out(tensors);
  out.put("columns", columns);
  out.put("size", saved);
  fuzz::may_refuse("tarl-fuzz-", [&] {
    store::ProgressCsv csv(csv_path());
    csv.load(StateReader(tensors, "checkpoint"));
    csv.append({{"time/total_timesteps", 5}, {"train/loss", 0.5}});
    require(read_text(csv_path()).ends_with('\n'), "a row without an end");
  });
  return 0;
}
