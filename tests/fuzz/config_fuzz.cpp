// SPDX-License-Identifier: MIT
//
// A run's config.toml, and one setting as typed. What is accepted reads back as itself.
#include "fuzz/fuzz.h"

#include "tarl/train/config.h"

using namespace tarl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  fuzz::may_refuse("", [&] {
    const train::RunConfig config = train::config_from_toml(text, "config.toml");
    const std::string written = train::config_to_toml(config, false);
    const train::RunConfig again = train::config_from_toml(written, "again.toml");
    require(train::config_to_toml(again, false) == written, "a config changes when read back");
  });
  fuzz::may_refuse("", [&] {
    train::ConfigRequest request{.algo = "dqn", .env = "classic/cartpole"};
    request.set = {text};
    train::resolve(request);
  });
  return 0;
}
