// SPDX-License-Identifier: MIT
#include "tarl/nn/kernel_times.h"

#include "nn/helpers.h"

namespace tarl::nn {

namespace {

class KernelTimesTest : public testing::Test {
 protected:
  KernelTimesTest() {
    Rng rng = seeded(6);
    fill_normal(a_, 8, 40, rng);
    fill_normal(b_, 40, 32, rng);
  }

  std::vector<float> multiply() const {
    Product p;
    p.rows = 8;
    p.columns = 32;
    p.depth = 40;
    p.a = a_.data;
    p.a_row = a_.stride;
    p.b = b_.data;
    p.b_stride = b_.stride;
    p.c = c_.data;
    p.c_stride = c_.stride;
    kernels().product(p);
    return copied(c_, 8, 32);
  }

  Arena arena_;
  Rows a_ = arena_.take_rows(8, 40), b_ = arena_.take_rows(40, 32), c_ = arena_.take_rows(8, 32);
};

TEST_F(KernelTimesTest, CountWhatKernelsDoAndLeaveTheirBits) {
  const std::vector<float> expected = multiply();
  KernelTimes times;
  EXPECT_EQ(multiply(), expected);
  multiply();
  const WorkDone done = times.done(Work::kProducts);
  EXPECT_EQ(done.calls, 2);
  EXPECT_EQ(done.operations, 2 * 2.0 * 8 * 32 * 40);
  EXPECT_EQ(done.bytes, 2 * 4.0 * (8 * 40 + 40 * 32 + 8 * 32));
  EXPECT_EQ(times.done(Work::kOptimiser).calls, 0);
  kernels().polyak(c_.data, b_.data, 64, 0.5F);
  EXPECT_EQ(times.done(Work::kOptimiser).bytes, 3 * 4.0 * 64);
  times.clear();
  EXPECT_EQ(times.done(Work::kProducts).calls, 0);
  EXPECT_EQ(times.overhead(), 0);
}

TEST_F(KernelTimesTest, LeaveTheKernelsAsTheyWere) {
  const Kernels* before = &kernels();
  {
    const KernelTimes times;
    EXPECT_NE(&kernels(), before);
    EXPECT_STREQ(kernels().name, before->name);
  }
  EXPECT_EQ(&kernels(), before);
}

TEST_F(KernelTimesTest, EveryInstructionSetIsTimed) {
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    const KernelTimes times;
    multiply();
    EXPECT_EQ(times.done(Work::kProducts).calls, 1) << set;
    EXPECT_EQ(kernels().name, set);
  }
  use_instruction_set("auto");
}

}  // namespace

}  // namespace tarl::nn
