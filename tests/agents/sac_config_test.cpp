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
  tarl::Fields table = fields(config);
  for (const char* bad : {"", "low", "nan", "1e7", "Auto"}) {
    EXPECT_THROW(set_field(table, "target_entropy", bad, "test"), tarl::UsageError) << bad;
  }
}

TEST(SacConfig, AutoIsCompletedByTheSizeOfTheAction) {
  SacConfig config;
  tarl::Fields table = fields(config);
  set_field(table, "target_entropy", "3", "test");
  set_field(table, "target_entropy", "auto", "test");
  config = completed(config, 6);
  EXPECT_EQ(config.target_entropy, -6);
  EXPECT_EQ(config.ent_coef, "auto_1");
  EXPECT_EQ(tarl::agents::entropy_coefficient(config).initial, 1);
  EXPECT_TRUE(tarl::agents::entropy_coefficient(config).learned);
}

TEST(SacConfig, WhatIsChosenStays) {
  SacConfig config;
  config.ent_coef = "0.2";
  tarl::Fields table = fields(config);
  set_fields_from_toml(table, "target_entropy = \"-2.5\"", "old.toml");  // as once written
  config = completed(config, 6);
  EXPECT_EQ(config.target_entropy, -2.5);
  EXPECT_EQ(config.ent_coef, "0.2");
}

}  // namespace
