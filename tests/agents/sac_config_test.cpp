// SPDX-License-Identifier: MIT
#include "tarl/agents/sac_config.h"

#include <gtest/gtest.h>

#include "tarl/core/error.h"

namespace {

using tarl::agents::SacConfig;

TEST(SacConfig, SaysWhatIsAllowed) {
  SacConfig config;
  config.ent_coef = "auto_0.1";
  EXPECT_EQ(tarl::agents::entropy_coefficient(config).initial, 0.1);
  EXPECT_TRUE(tarl::agents::entropy_coefficient(config).learned);
  for (const char* bad : {"", "much", "auto_", "-1", "0", "nan", "0.1x"}) {
    config.ent_coef = bad;
    EXPECT_THROW(tarl::agents::entropy_coefficient(config), tarl::UsageError) << bad;
  }
  EXPECT_EQ(tarl::agents::target_entropy(config, 6), -6);
  config.target_entropy = "-2.5";
  EXPECT_EQ(tarl::agents::target_entropy(config, 6), -2.5);
  config.target_entropy = "low";
  EXPECT_THROW(tarl::agents::target_entropy(config, 6), tarl::UsageError);
}

}  // namespace
