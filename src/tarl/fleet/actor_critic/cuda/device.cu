// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/fleet/actor_critic/cuda/arrays.cuh"
#include "tarl/fleet/actor_critic/cuda/wave.h"
#include "tarl/fleet/cuda/waves/wave.cuh"

namespace tarl::fleet::actor_critic {

namespace {

constexpr int kStagedRows = 128;  // transitions waiting for an update

struct Waves : AgentWaves<Item, WaveSize> {
  Waves() : AgentWaves(launch_acts, launch_updates, launch_stores) {}
};

class CudaNetworks final : public DeviceNetworks {
 public:
  CudaNetworks(std::shared_ptr<Waves> waves, const AgentPlan& plan)
      : plan_(plan),
        act_obs_(std::int64_t{plan.act_rows} * plan.obs),
        act_heads_(std::int64_t{plan.act_rows} * Arrays::heads_stride(plan)),
        slots_(plan.candidates),
        staged_slots_(kStagedRows),
        staged_rows_(std::int64_t{kStagedRows} * plan.row_floats()),
        output_(1),
        arrays_(plan_, act_obs_.get(), act_heads_.get()),
        requests_(std::move(waves)) {}

  void act(std::span<const std::byte> obs, int n) override {
    require(n <= plan_.act_rows, "more observations than there is room for");
    std::memcpy(act_obs_.get(), obs.data(), obs.size());
    Item item;
    item.view = arrays_.device_view();
    item.act_rows = n;
    requests_.act(item, size_of(item));
  }

  bool acted() override { return requests_.acted(); }

  const float* heads(int row) const override {
    return act_heads_.get() + std::int64_t{row} * Arrays::heads_stride(plan_);
  }

  void store(std::int64_t slot, std::span<const float> row) override {
    if (staged_ == kStagedRows) {
      requests_.store_now(stored(), size_of(stored()));
      staged_ = 0;
    }
    staged_slots_.get()[staged_] = static_cast<std::int32_t>(slot);
    std::ranges::copy(row, staged_rows_.get() + std::int64_t{staged_} * plan_.row_floats());
    ++staged_;
  }

  void update(const UpdateInput& input) override {
    std::ranges::copy(input.slots, slots_.get());
    *output_.get() = {};
    Item item = stored();
    item.slots = slots_.get();
    item.output = output_.get();
    item.noise = input.noise;
    item.alpha = input.alpha;
    item.log_alpha = input.log_alpha;
    item.critics = input.critics;
    item.actor = input.actor;
    item.actor_due = input.actor_due;
    item.moves_targets = input.moves_targets;
    requests_.update(item, size_of(item));
  }

  bool updated() override {
    if (!requests_.updated()) return false;
    staged_ = 0;
    return true;
  }

  const UpdateOutput& output() const override { return *output_.get(); }

  void download(Networks& to) const override {
    fetch(arrays_.view().actor, to.actor);
    fetch(arrays_.view().critic, to.critics);
  }

  void upload(const Networks& from) override {
    send(from.actor, arrays_.view().actor);
    send(from.critics, arrays_.view().critic);
  }

  void use_noise(std::span<const float> next, std::span<const float> policy) override {
    arrays_.set_given_noise(!next.empty());
    send_noise(next, arrays_.view().noise_next);
    send_noise(policy, arrays_.view().noise_policy);
  }

  std::vector<std::int32_t> kept() const override {
    return downloaded(arrays_.view().kept, plan_.batch);
  }

 private:
  Item stored() const {
    Item item;
    item.view = arrays_.device_view();
    item.staged = staged_;
    item.staged_slots = staged_slots_.get();
    item.staged_rows = staged_rows_.get();
    return item;
  }

  WaveSize size_of(const Item& item) const {
    return {arrays_.view(), arrays_.tiles(), item.staged};
  }

  static void fetch(const TrainedView& from, NetsImage& to) {
    to.values = downloaded(from.values, from.size);
    to.first = downloaded(from.first, from.size);
    to.second = downloaded(from.second, from.size);
    if (from.target != nullptr) to.target = downloaded(from.target, from.size);
  }

  static void send(const NetsImage& from, const TrainedView& to) {
    fleet::upload(from.values, to.values);
    fleet::upload(from.first, to.first);
    fleet::upload(from.second, to.second);
    if (to.target != nullptr) fleet::upload(from.target, to.target);
  }

  void send_noise(std::span<const float> noise, float* to) {
    const auto width = static_cast<std::size_t>(plan_.actions);
    for (std::size_t row = 0; row * width < noise.size(); ++row) {
      fleet::upload(noise.subspan(row * width, width),
                    to + row * static_cast<std::size_t>(arrays_.view().noise_stride));
    }
  }

  const AgentPlan plan_;
  Pinned<float> act_obs_, act_heads_;
  Pinned<std::int32_t> slots_, staged_slots_;
  Pinned<float> staged_rows_;
  Pinned<UpdateOutput> output_;
  Arrays arrays_;
  int staged_ = 0;
  AgentRequests<Item, WaveSize> requests_;
};

class CudaDevice final : public Device {
 public:
  std::unique_ptr<DeviceNetworks> make(const AgentPlan& plan) override {
    return std::make_unique<CudaNetworks>(waves_, plan);
  }

  bool turn() override { return waves_->turn(); }

 private:
  std::shared_ptr<Waves> waves_ = std::make_shared<Waves>();
};

}  // namespace

std::shared_ptr<Device> make_device() {
  return std::make_shared<CudaDevice>();
}

}  // namespace tarl::fleet::actor_critic
