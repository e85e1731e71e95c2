// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>

#include "tarl/core/error.h"
#include "tarl/fleet/cuda/waves/wave.cuh"
#include "tarl/fleet/pixel_dqn/cuda/arrays.cuh"
#include "tarl/fleet/pixel_dqn/cuda/frame_ring.cuh"
#include "tarl/fleet/pixel_dqn/cuda/wave.h"
#include "tarl/replay/storage.h"

namespace tarl::fleet::pixel_dqn {

namespace {

constexpr std::int32_t kStagingBytes = 64 << 10;
static_assert(kStagingBytes > 2 * kMostFrameBytes);

struct Waves : AgentWaves<Item, WaveSize> {
  Waves() : AgentWaves(launch_acts, launch_updates, launch_stores) {}
};

// Frames on their way to the device. Two of these: one stays with a pending update, the other
// fills.
struct Staging {
  Pinned<StagedFrame> frames{kStagedFrames};
  Pinned<unsigned char> bytes{kStagingBytes};
  std::int32_t count = 0, used = 0;
};

class CudaNetwork final : public DeviceNetwork {
 public:
  CudaNetwork(std::shared_ptr<Waves> waves, const std::shared_ptr<FramePages>& pages,
              const AgentPlan& plan)
      : plan_(plan),
        frames_(pages, plan.frames),
        act_obs_(std::int64_t{plan.act_rows} * plan.stack * plan.frame_bytes()),
        act_outputs_(std::int64_t{plan.act_rows} * Arrays::outputs_row(plan)),
        drawn_(plan.candidates),
        loose_(std::int64_t{plan.candidates} * plan.stack * plan.frame_bytes()),
        output_(1),
        arrays_(plan_, act_outputs_.get()),
        requests_(std::move(waves)) {}

  void act(std::span<const std::byte> obs, int n) override {
    require(n <= plan_.act_rows, "more observations than there is room for");
    std::memcpy(act_obs_.get(), obs.data(), obs.size());
    Item item;
    item.view = arrays_.device_view(side_);
    item.act_obs = act_obs_.get();
    item.act_rows = n;
    requests_.act(item, size_of(item));
  }

  bool acted() override { return requests_.acted(); }

  const float* outputs(int row) const override {
    return act_outputs_.get() + std::int64_t{row} * Arrays::outputs_row(plan_);
  }

  void store(std::int64_t number, std::span<const std::byte> frame, bool packed) override {
    const auto bytes = static_cast<std::int32_t>(frame.size());
    const std::int32_t room = (bytes + kFrameGrain - 1) / kFrameGrain * kFrameGrain;
    require(room <= kStagingBytes, "a frame larger than the memory it is staged in");
    if (staging().count == kStagedFrames || staging().used + room > kStagingBytes) flush();
    Staging& to = staging();
    std::memcpy(to.bytes.get() + to.used, frame.data(), frame.size());
    to.frames.get()[to.count++] = {frames_.put(number, bytes, packed), to.used, bytes};
    to.used += room;
  }

  void sync_target() override { ++syncs_; }

  void update(const UpdateInput& input) override {
    for (std::size_t row = 0; row < input.rows.size(); ++row) place(input.rows[row], row);
    *output_.get() = {};
    Item item = stored();
    item.drawn = drawn_.get();
    item.output = output_.get();
    item.rate = input.rate;
    item.adam = input.adam;
    requests_.update(item, size_of(item));
    filling_ = 1 - filling_;
    forget_stored();
  }

  bool updated() override {
    if (!requests_.updated()) return false;
    if (output().stepped) side_ = 1 - side_;
    return true;
  }

  const UpdateOutput& output() const override { return *output_.get(); }

  void download(Numbers& to) override {
    if (syncs_ > 0) flush();
    const AgentView& view = arrays_.view();
    to.values = downloaded(arrays_.values(side_), view.size);
    to.target = downloaded(view.target, view.size);
    to.moments = {downloaded(view.first, view.size)};
    if (view.second != nullptr) to.moments.push_back(downloaded(view.second, view.size));
  }

  void upload(const Numbers& from) override {
    const AgentView& view = arrays_.view();
    fleet::upload(from.values, arrays_.values(side_));
    fleet::upload(from.target, view.target);
    fleet::upload(from.moments.front(), view.first);
    if (view.second != nullptr) fleet::upload(from.moments.back(), view.second);
  }

  std::vector<std::int32_t> kept() const override {
    return downloaded(arrays_.view().kept, plan_.batch);
  }

  std::vector<float> gradients() const override {
    return downloaded(arrays_.view().grads, arrays_.view().size);
  }

 private:
  WaveSize size_of(const Item& item) const { return {arrays_.view(), arrays_.tiles(), item}; }

  Item stored() const {
    Item item;
    item.view = arrays_.device_view(side_);
    item.staged = staging().count;
    item.staged_frames = staging().frames.get();
    item.staging = staging().bytes.get();
    item.syncs = syncs_;
    return item;
  }

  Staging& staging() { return staging_[static_cast<std::size_t>(filling_)]; }

  const Staging& staging() const { return staging_[static_cast<std::size_t>(filling_)]; }

  void forget_stored() { staging().count = staging().used = syncs_ = 0; }

  void flush() {
    requests_.store_now(stored(), size_of(stored()));
    forget_stored();
  }

  FramePlace place_of(std::int64_t number) const {
    return number == replay::FramesOfRow::kBlack ? FramePlace{} : frames_.at(number);
  }

  void place(const DrawnRow& row, std::size_t at) {
    DrawnFrames& to = drawn_.get()[at];
    const auto stack = static_cast<std::size_t>(plan_.stack);
    const auto bytes = static_cast<std::size_t>(plan_.frame_bytes());
    for (std::size_t i = 0; i < stack; ++i) to.frame[i] = place_of(row.obs[i]);
    const std::size_t loose = row.loose.size() / bytes;
    unsigned char* const room = loose_.get() + at * stack * bytes;
    std::memcpy(room, row.loose.data(), row.loose.size());
    for (std::size_t i = 0; i < loose; ++i) {
      to.frame[stack + i] = {room + i * bytes, plan_.frame_bytes(), false};
    }
    if (loose == 0) to.frame[stack] = place_of(row.next);
    to.goes_on = loose < 2;
    to.action = row.action;
    to.reward = row.reward;
    to.discount = row.discount;
    to.terminated = row.terminated;
  }

  const AgentPlan plan_;
  FrameRing frames_;
  Pinned<unsigned char> act_obs_;
  Pinned<float> act_outputs_;
  Pinned<DrawnFrames> drawn_;
  Pinned<unsigned char> loose_;
  std::array<Staging, 2> staging_;
  Pinned<UpdateOutput> output_;
  Arrays arrays_;
  int filling_ = 0;  // index into staging_
  std::int32_t syncs_ = 0;
  int side_ = 0;  // of the parameters
  AgentRequests<Item, WaveSize> requests_;
};

class CudaDevice final : public Device {
 public:
  std::unique_ptr<DeviceNetwork> make(const AgentPlan& plan) override {
    return std::make_unique<CudaNetwork>(waves_, pages_, plan);
  }

  bool turn() override { return waves_->turn(); }

 private:
  std::shared_ptr<Waves> waves_ = std::make_shared<Waves>();
  std::shared_ptr<FramePages> pages_ = std::make_shared<FramePages>();
};

}  // namespace

std::shared_ptr<Device> make_device() {
  return std::make_shared<CudaDevice>();
}

}  // namespace tarl::fleet::pixel_dqn
