// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/gpu/operations.h"

#include "tarl/fleet/cuda/device_memory.cuh"
#include "tarl/fleet/minatar_dqn/cuda/agent_arrays.cuh"
#include "tarl/fleet/minatar_dqn/cuda/agent_loop.cuh"
#include "tarl/fleet/minatar_dqn/cuda/kernels.cuh"

namespace tarl::fleet {

// The block's shared memory.
struct OperationMemory {
  Shared shared;
  ReaperChanges changes;
};

__device__ inline OperationMemory& operation_memory() {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  return *reinterpret_cast<OperationMemory*>(shared_memory);
}

namespace {

// Inputs and outputs of an operation.
struct RowsView {
  std::int32_t rows, kept_rows;
  double* given;    // [rows] online errors, scores, errors, or shares of the mass
  double* offline;  // [rows] errors
  std::int64_t* index;
  std::int32_t* kept;
  double *out, *kept_out, *total;
};

__global__ void score_kernel(const RowsView rows) {
  for (int i = thread_id(); i < rows.rows; i += kThreads) {
    rows.out[i] = align::alignment_score(rows.given[i], rows.offline[i]);
    rows.index[i] = static_cast<std::int64_t>(align::scenario(rows.given[i], rows.offline[i]));
  }
}

__global__ void choose_kernel(const RowsView rows) {
  Shared& s = operation_memory().shared;
  if (thread_id() == 0) {
    s.spec.candidates = rows.rows;
    s.spec.batch = rows.kept_rows;
  }
  for (int i = thread_id(); i < rows.rows; i += kThreads) s.score[i] = rows.given[i];
  __syncthreads();
  choose_rows(s.spec, s);
  for (int i = thread_id(); i < rows.kept_rows; i += kThreads) rows.kept[i] = s.kept[i];
}

__global__ void add_kernel(const AgentSpec spec, const AgentView view, bool done) {
  Shared& s = operation_memory().shared;
  begin_slice(spec, view, 0, s);
  if (warp_id() == 0) {
    add_priority(s.spec, s.view, s.state, s.state.stored, done);
    if (lane_id() == 0) ++s.state.stored;
  }
  end_slice(s);
}

__global__ void update_kernel(const AgentSpec spec, const AgentView view, const RowsView rows) {
  Shared& s = operation_memory().shared;
  begin_slice(spec, view, 0, s);
  if (thread_id() == 0) s.spec.candidates = rows.rows;
  for (int i = thread_id(); i < rows.rows; i += kThreads) {
    s.index[i] = static_cast<std::int32_t>(rows.index[i]);
    if (spec.replay == ReplayKind::kReaper) s.entry[i] = view.reaper.entry[rows.index[i]];
    s.q[i] = 0;
    s.y_offline[i] = static_cast<float>(rows.given[i]);
  }
  __syncthreads();
  prefetch_priorities(s.spec, s.view, s, &operation_memory().changes);
  __syncthreads();
  update_priorities(s.spec, s.view, s, &operation_memory().changes);
  end_slice(s);
}

__global__ void find_kernel(const AgentSpec spec, const AgentView view, const RowsView rows) {
  Shared& s = operation_memory().shared;
  begin_slice(spec, view, 0, s);
  const double total = s.view.tree.total();
  if (thread_id() == 0) {
    s.spec.candidates = rows.rows;
    s.spec.batch = rows.kept_rows;
    *rows.total = total;
  }
  for (int i = thread_id(); i < rows.rows; i += kThreads) s.score[i] = rows.given[i] * total;
  __syncthreads();
  find_rows(s.spec, s.view, s, filled(s.spec, s.state.stored), total, s.spec.beta);
  for (int i = thread_id(); i < rows.kept_rows; i += kThreads) s.kept[i] = rows.kept[i];
  __syncthreads();
  choose_weights(s.spec, s, true);
  for (int i = thread_id(); i < rows.rows; i += kThreads) {
    rows.index[i] = s.index[i];
    rows.out[i] = static_cast<double>(s.raw_weight[i]);
  }
  for (int i = thread_id(); i < rows.kept_rows; i += kThreads) {
    rows.kept_out[i] = static_cast<double>(s.kept_weight[i]);
  }
}

// A script and its results.
struct PlayView {
  std::int64_t steps, resets, draws;
  std::int64_t *action, *reset_step, *draw_n;
  double* draw_value;
  std::int64_t *reward, *terminal, *draws_after_step, *draws_after_reset;
  std::byte* boards;
  Play* play;
  std::int64_t* wrong_draw;  // the first one that differs from the game's request, or -1
};

struct ScriptDraws {
  const PlayView& view;
  std::int64_t used = 0;

  __device__ double next(std::int64_t n) {
    const bool right = used < view.draws && view.draw_n[used] == n;
    if (!right && *view.wrong_draw < 0) *view.wrong_draw = used;
    const std::int64_t at = used++;
    return right ? view.draw_value[at] : n > 0 ? static_cast<double>(at % n) : 0.5;
  }

  __device__ double real() { return next(0); }

  __device__ int index(int n) { return static_cast<int>(next(n)); }
};

// Runs on one thread, as in a step.
__global__ void play_kernel(const AgentSpec spec, const PlayView view) {
  if (thread_id() != 0) return;
  begin_play(spec, {}, *view.play);
  *view.wrong_draw = -1;
  with_game(spec.game, [&](auto rules) {
    using Rules = decltype(rules);
    ScriptDraws draws{view};
    std::int64_t resets = 0;
    std::byte* board = view.boards;
    const auto show = [&] {
      draw_board<Rules>(*view.play, board);
      board += kMaxObsBytes;
    };
    for (std::int64_t t = 0; t < view.steps && *view.wrong_draw < 0; ++t) {
      auto& state = state_of<Rules>(*view.play);
      if (resets < view.resets && view.reset_step[resets] == t) {
        state.reset(draws);
        view.draws_after_reset[resets++] = draws.used;
        show();
      }
      const envs::minatar::Outcome outcome =
          state.step(static_cast<int>(view.action[t]), spec.sticky, draws);
      view.reward[t] = outcome.reward;
      view.terminal[t] = outcome.terminal ? 1 : 0;
      view.draws_after_step[t] = draws.used;
      show();
    }
  });
}

template <class... Parameters, class... Arguments>
void launch_operation(void (*kernel)(Parameters...), const Arguments&... arguments) {
  constexpr int kBytes = sizeof(OperationMemory);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
        "asking for shared memory");
  const AgentLaunch launch(1, kBytes, cudaStreamPerThread);
  check(cudaLaunchKernelEx(&launch.config, kernel, arguments...), "starting an operation");
  check(cudaStreamSynchronize(cudaStreamPerThread), "running an operation");
}

struct Rows {
  DeviceMemory memory;
  RowsView view{};

  Rows(std::size_t rows, std::size_t kept) {
    view.rows = static_cast<std::int32_t>(rows);
    view.kept_rows = static_cast<std::int32_t>(kept);
    for (double** array : {&view.given, &view.offline, &view.out})
      memory.reserve(*array, view.rows);
    memory.reserve(view.index, view.rows);
    memory.reserve(view.kept, view.kept_rows);
    memory.reserve(view.kept_out, view.kept_rows);
    memory.reserve(view.total, 1);
    memory.place();
  }
};

class CudaReplay final : public test::DeviceReplay {
 public:
  CudaReplay(const AgentSpec& spec, const AgentImage& image) : spec_(spec) {
    reserve_arrays(spec, {}, memory_, view_);
    memory_.reserve(view_.state, 1);
    memory_.place();
    upload_arrays(spec, {}, image, view_);
    upload(std::vector{image.state}, view_.state);
  }

  void add(bool done) override { launch_operation(add_kernel, spec_, view_, done); }

  void update(const std::vector<std::int64_t>& slots, const std::vector<double>& errors) override {
    const Rows rows(slots.size(), 0);
    upload(slots, rows.view.index);
    upload(errors, rows.view.given);
    launch_operation(update_kernel, spec_, view_, rows.view);
  }

  fixtures::ReplayPriorities::Drawn find(const std::vector<double>& shares, double beta,
                                         const std::vector<std::int64_t>& kept) override {
    const Rows rows(shares.size(), kept.size());
    upload(shares, rows.view.given);
    upload(std::vector<std::int32_t>(kept.begin(), kept.end()), rows.view.kept);
    AgentSpec spec = spec_;
    spec.beta = beta;
    launch_operation(find_kernel, spec, view_, rows.view);
    return {downloaded(rows.view.total, 1).front(),
            downloaded(rows.view.index, rows.view.rows),
            downloaded(rows.view.out, rows.view.rows),
            downloaded(rows.view.kept_out, rows.view.kept_rows),
            {}};
  }

  AgentImage image() override {
    AgentImage image(spec_);
    image.set_state(downloaded(view_.state, 1).front());
    download_arrays(spec_, view_, image);
    return image;
  }

 private:
  AgentSpec spec_;
  AgentView view_{};
  DeviceMemory memory_;
};

}  // namespace

namespace test {

fixtures::Aligner::Rows score_rows(const std::vector<double>& online,
                                   const std::vector<double>& offline) {
  const Rows rows(online.size(), 0);
  upload(online, rows.view.given);
  upload(offline, rows.view.offline);
  launch_operation(score_kernel, rows.view);
  return {downloaded(rows.view.out, rows.view.rows), downloaded(rows.view.index, rows.view.rows)};
}

std::vector<std::int32_t> choose_best(const std::vector<double>& score, int m) {
  const Rows rows(score.size(), static_cast<std::size_t>(m));
  upload(score, rows.view.given);
  launch_operation(choose_kernel, rows.view);
  return downloaded(rows.view.kept, m);
}

fixtures::Played play_script(const AgentSpec& spec, const fixtures::PlayScript& script) {
  PlayView view{};
  view.steps = static_cast<std::int64_t>(script.action.size());
  view.resets = static_cast<std::int64_t>(script.reset_step.size());
  view.draws = static_cast<std::int64_t>(script.draw_n.size());
  const std::int64_t boards = view.steps + view.resets;
  DeviceMemory memory;
  for (std::int64_t** array :
       {&view.action, &view.reward, &view.terminal, &view.draws_after_step}) {
    memory.reserve(*array, view.steps);
  }
  memory.reserve(view.reset_step, view.resets);
  memory.reserve(view.draws_after_reset, view.resets);
  memory.reserve(view.draw_n, view.draws);
  memory.reserve(view.draw_value, view.draws);
  memory.reserve(view.boards, boards * kMaxObsBytes);
  memory.reserve(view.play, 1);
  memory.reserve(view.wrong_draw, 1);
  memory.place();
  upload(script.action, view.action);
  upload(script.reset_step, view.reset_step);
  upload(script.draw_n, view.draw_n);
  upload(script.draw_value, view.draw_value);
  launch_operation(play_kernel, spec, view);
  const std::int64_t wrong = downloaded(view.wrong_draw, 1).front();
  if (wrong >= 0) throw Error("the game asked for another draw than " + std::to_string(wrong));
  fixtures::Played played{downloaded(view.reward, view.steps),
                          downloaded(view.terminal, view.steps),
                          downloaded(view.draws_after_step, view.steps),
                          downloaded(view.draws_after_reset, view.resets),
                          {}};
  const std::vector<std::byte> bytes = downloaded(view.boards, boards * kMaxObsBytes);
  for (auto at = bytes.begin(); at != bytes.end(); at += kMaxObsBytes) {
    played.boards.emplace_back(at, at + kMaxObsBytes);
  }
  return played;
}

std::unique_ptr<DeviceReplay> make_device_replay(const AgentSpec& spec, const AgentImage& image) {
  return std::make_unique<CudaReplay>(spec, image);
}

}  // namespace test

}  // namespace tarl::fleet
