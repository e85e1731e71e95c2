// SPDX-License-Identifier: MIT
#include "tarl/fleet/cuda/device_memory.cuh"
#include "tarl/fleet/minatar_dqn/cuda/agent_arrays.cuh"
#include "tarl/fleet/minatar_dqn/cuda/kernels.cuh"
#include "tarl/fleet/minatar_dqn/device_agent.h"
#include "tarl/fleet/minatar_dqn/fp16_layout.h"

namespace tarl::fleet {

namespace {

// The data exchanged with every slice, in host memory that the device accesses directly. An
// explicit copy would wait for one agent's slice and stall the copies of all other agents queued
// behind it.
struct Mailbox {
  AgentState state;
  EpisodeEntry log[kLogEntries];
};

// One per device, created with the first agent.
AdmissionLimit* admission_limit() {
  static AdmissionLimit* const admission = [] {
    void* made = nullptr;
    check(cudaMalloc(&made, sizeof(AdmissionLimit)), "allocating memory");
    check(cudaMemset(made, 0, sizeof(AdmissionLimit)), "clearing memory");
    return static_cast<AdmissionLimit*>(made);
  }();
  return admission;
}

class CudaAgent final : public DeviceAgent {
 public:
  CudaAgent(const AgentSpec& spec, const AgentImage& image, const DeviceOptions& options)
      : spec_(spec), precision_(options.precision) {
    reserve_arrays(spec, options, memory_, view_);
    reserve_parameters();
    memory_.place();
    check(cudaHostAlloc(&mail_, sizeof(Mailbox), cudaHostAllocMapped), "allocating memory");
    view_.admission = admission_limit();
    view_.state = &mail_->state;
    view_.log = mail_->log;
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event");
    upload_arrays(spec, options, image, view_);
    upload_parameters(image);
    mail_->state = image.state;
  }

  ~CudaAgent() override {
    if (stream_ != nullptr) cudaStreamSynchronize(stream_);
    if (event_ != nullptr) cudaEventDestroy(event_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
    cudaFreeHost(mail_);
  }

  void start(const AgentState& state, std::int64_t stop) override {
    mail_->state = state;
    check(launch(stop), "starting a slice");
    check(cudaEventRecord(event_, stream_), "starting a slice");
  }

  bool ended() override {
    const cudaError_t result = cudaEventQuery(event_);
    if (result == cudaErrorNotReady) return false;
    check(result, "running a slice");
    return true;
  }

  const AgentState& state() const override { return mail_->state; }

  std::vector<EpisodeEntry> episodes() override {
    return {mail_->log, mail_->log + mail_->state.logged};
  }

  AgentImage download() override {
    AgentImage image(spec_);
    image.set_state(mail_->state);
    download_arrays(spec_, view_, image);
    download_parameters(image);
    return image;
  }

  Tensors parameters() override {
    AgentImage image(spec_);
    download_parameters(image);
    return parameters_of(spec_, image);
  }

  LastUpdate last_update() override {
    const UpdateRecord record = downloaded(view_.record, 1).front();
    const auto rows = static_cast<std::size_t>(spec_.candidates);
    const auto kept = static_cast<std::size_t>(spec_.batch);
    const int actions = record.acted != 0 ? spec_.net.actions : 0;
    return {{record.index, record.index + rows},
            {record.weight, record.weight + rows},
            {record.q, record.q + rows},
            {record.y_online, record.y_online + rows},
            {record.y_offline, record.y_offline + rows},
            {record.kept, record.kept + kept},
            {record.kept_weight, record.kept_weight + kept},
            {record.act_q, record.act_q + actions}};
  }

 private:
  bool fp16() const { return precision_ == Precision::kFp16; }

  cudaError_t launch(std::int64_t stop) {
    if (!fp16()) return launch_plain(spec_, view_, stop, precision_ == Precision::kTf32, stream_);
    return spec_.batch == 64 ? launch_fp16_64(spec_, view_, stop, stream_)
                             : launch_fp16_32(spec_, view_, stop, stream_);
  }

  void reserve_parameters() {
    for (float** array : {&view_.values, &view_.target, &view_.grads}) {
      memory_.reserve(*array, spec_.net.size);
    }
    for (int i = 0; i < spec_.optimizer.moments(); ++i) {
      memory_.reserve(view_.moment[i], spec_.net.size);
    }
    if (fp16()) {
      memory_.reserve(view_.replicas, std::int64_t{spec_.blocks - 1} * spec_.net.size);
      memory_.reserve(view_.packed, std::int64_t{kPackedTiles} * (2 * kHighBytes + kRestBytes));
      return;
    }
    memory_.reserve(view_.scratch, plain_scratch_floats(spec_));
    memory_.reserve(view_.batch, std::int64_t{2} * spec_.candidates * spec_.obs_bytes);
  }

  // The big layer's slice of a parameter array; the fp16 kernel stores it in its own layout.
  template <class Values>
  auto big_layer(Values& values) const {
    const LayerPlan& layer = spec_.net.layer[0];
    return std::span(values).subspan(
        static_cast<std::size_t>(layer.weight),
        static_cast<std::size_t>(layer.in) * static_cast<std::size_t>(layer.out));
  }

  std::byte* packed_target() const { return view_.packed + kPackedTiles * kHighBytes; }

  std::byte* packed_rest() const { return view_.packed + 2 * kPackedTiles * kHighBytes; }

  void upload_parameters(const AgentImage& image) {
    upload(image.values, view_.values);
    upload(image.target, view_.target);
    for (int i = 0; i < spec_.optimizer.moments(); ++i) upload(image.moment[i], view_.moment[i]);
    if (!fp16()) return;
    const PackedLayer packed =
        pack_layer(big_layer(image.values), big_layer(image.moment[0]), big_layer(image.target));
    upload(packed.high, reinterpret_cast<std::uint16_t*>(view_.packed));
    upload(packed.target, reinterpret_cast<std::uint16_t*>(packed_target()));
    upload(packed.rest, packed_rest());
  }

  void download_parameters(AgentImage& image) const {
    image.values = downloaded(view_.values, spec_.net.size);
    image.target = downloaded(view_.target, spec_.net.size);
    for (int i = 0; i < spec_.optimizer.moments(); ++i) {
      image.moment[i] = downloaded(view_.moment[i], spec_.net.size);
    }
    if (!fp16()) return;
    constexpr std::int64_t kHalves = std::int64_t{kPackedTiles} * kTileWeights;
    PackedLayer packed;
    packed.high = downloaded(reinterpret_cast<const std::uint16_t*>(view_.packed), kHalves);
    packed.target = downloaded(reinterpret_cast<const std::uint16_t*>(packed_target()), kHalves);
    packed.rest = downloaded(packed_rest(), std::int64_t{kPackedTiles} * kRestBytes);
    unpack_layer(packed, big_layer(image.values), big_layer(image.moment[0]),
                 big_layer(image.target));
  }

  AgentSpec spec_;
  Precision precision_;
  AgentView view_{};
  DeviceMemory memory_;
  Mailbox* mail_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceAgent> make_device_agent(const AgentSpec& spec, const AgentImage& image,
                                               const DeviceOptions& options) {
  return std::make_unique<CudaAgent>(spec, image, options);
}

}  // namespace tarl::fleet
