// SPDX-License-Identifier: MIT
#include <cstdio>

#include <gtest/gtest.h>

#include "tarl/fleet/device.h"

int main(int argc, char** argv) {
  const tarl::fleet::DeviceInfo device = tarl::fleet::device_info();
  if (!device.found) {
    std::printf("SKIP: these tests need a GPU; CUDA is %s\n", device.text.c_str());
    return 77;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
