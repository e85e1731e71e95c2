// SPDX-License-Identifier: MIT
//
// Compares the game inside the kernel with the same game on the machine's cores.
#include "fleet/gpu/fleet_helpers.h"
#include "fleet/host_run.h"

namespace tarl::fleet {
namespace {

// All actions are random, drawn from the run's own stream on both sides; nothing is learned.
TEST(EmulatedHostLanes, HaveTheStateOfTheGameInTheKernel) {
  CorePool pool(test::threads(2));
  for (const char* env : {"minatar/asterix", "minatar/breakout", "minatar/freeway",
                          "minatar/space_invaders", "minatar/seaquest"}) {
    const train::RunConfig config =
        test::idle_run("dqn", env, 1, 9, {"learning_starts=1900", "policy.net_arch=[32]"});
    const auto device = test::new_device_agent(config);
    std::vector<std::unique_ptr<test::HostRun>> runs;
    runs.push_back(std::make_unique<test::HostRun>(pool, config));
    for (const std::int64_t step : {1, 57, 600}) {
      test::advance(*device, step);
      test::run_to(pool, runs, step);
      Tensors kernel, host;
      StateWriter kernel_out(kernel), host_out(host);
      save_image(make_spec(config), device->download(), kernel_out);
      runs.front()->lanes.save(host_out);
      for (const auto& [name, tensor] : host) {
        // Not read between steps, and the kernel leaves a different value there.
        if (name.ends_with("/next_obs")) continue;
        ASSERT_TRUE(kernel.contains(name)) << name;
        EXPECT_TRUE(kernel.at(name).bytes == tensor.bytes)
            << env << " step " << step << ": " << name << " differs";
      }
    }
    EXPECT_GT(runs.front()->episodes + (std::string(env) == "minatar/freeway" ? 1 : 0), 0) << env;
  }
}

}  // namespace
}  // namespace tarl::fleet
