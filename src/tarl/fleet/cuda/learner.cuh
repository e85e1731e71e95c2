// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/replay/priorities.cuh"
#include "tarl/fleet/cuda/scores.cuh"

// train::Learner on one thread block: sample, score, keep, update.
namespace tarl::fleet {

// The m best rows, ascending; ties go to the lower row.
static __device__ __noinline__ void choose_rows(const AgentSpec& spec, Shared& s) {
  // Each subwarp counts the rows that rank before its own.
  const int rows = spec.candidates;
  const ItemSubwarp subwarp = ItemSubwarp::of(rows);
  const int row = subwarp.item;
  int before = 0;
  if (row < rows) {
    const double mine = s.score[row];
#pragma unroll 1
    for (int j = subwarp.lane; j < rows; j += subwarp.size) {
      before += comes_before(s.score[j], j, mine, row) ? 1 : 0;
    }
  }
  before = subwarp.sum(before);
  const bool keep = row < rows && subwarp.lane == 0 && before < spec.batch;
  // Kept rows before this one: those in lower lanes, plus those in lower warps.
  const unsigned votes = __ballot_sync(kFullWarp, keep);
  auto* counts = reinterpret_cast<std::int32_t*>(s.scratch);
  if (lane_id() == 0) counts[warp_id()] = __popc(votes);
  __syncthreads();
  const int warps_before =
      __reduce_add_sync(kFullWarp, lane_id() < warp_id() ? counts[lane_id()] : 0);
  if (keep) s.kept[warps_before + __popc(votes & ((1U << lane_id()) - 1))] = row;
  __syncthreads();
}

// Importance weights, normalised over the kept rows; the modes weight and scale multiply by
// A^kappa.
static __device__ __noinline__ void choose_weights(const AgentSpec& spec, Shared& s, bool chosen) {
  const int i = thread_id();
  const bool mine = i < spec.batch;
  const int row = chosen && mine ? s.kept[i] : i;
  const float raw = mine ? s.raw_weight[row] : 0.0F;
  const float largest = block_max(raw, reinterpret_cast<float*>(s.scratch));
  float weight = raw / largest;
  if (align::weighs(spec.mode)) {
    const double power = mine ? pow(s.score[row], spec.kappa) : 0.0;
    const double total = block_sum(power, s.scratch);
    const double factor = align::weight_factor(spec.mode, total, spec.batch);
    weight = static_cast<float>(static_cast<double>(weight) * power * factor);
  }
  if (mine) s.kept_weight[i] = weight;
  __syncthreads();
}

// The slopes that update() starts from. Without a choice every row is kept; without weights every
// weight is 1. Returns false if any value is non-finite.
static __device__ __noinline__ bool compute_slopes(const AgentSpec& spec, Shared& s, bool chosen,
                                                   bool weighted) {
  const int i = thread_id();
  bool bad = false;
  if (i < spec.batch) {
    if (!chosen) s.kept[i] = i;
    if (!weighted) s.kept_weight[i] = 1.0F;
    const int row = s.kept[i];
    const float error = s.q[row] - s.y_offline[row], weight = s.kept_weight[i];
    bad = !isfinite(error) || !isfinite(weight);
    s.slope[i] = weight * nn::loss_slope(spec.loss, error) / static_cast<float>(spec.batch);
  }
  return __syncthreads_or(bad ? 1 : 0) == 0;
}

// One warp: loss and mean prediction of the kept rows, scores and scenarios of all candidates,
// scores of the kept rows. Optimised for code size, since many such functions run once per step:
// lanes share the divisions, and a single loop reduces everything.
static __device__ __noinline__ void log_update(const AgentSpec& spec, Shared& s) {
  const bool scored = spec.needs_scores != 0;
  double loss = 0, q = 0, kept = 0, all = 0, kept_min = 1, all_min = 1;
  int terminals = 0;  // low 16 bits: kept rows; high 16 bits: all candidates
#pragma unroll 1
  for (int i = lane_id(); i < spec.batch; i += 32) {
    const int row = s.kept[i];
    const float error = s.q[row] - s.y_offline[row];
    loss += static_cast<double>(s.kept_weight[i]) *
            nn::loss_value(spec.loss, static_cast<double>(error));
    q += static_cast<double>(s.q[row]);
    const double score = scored ? paper_score(spec, s, row) : 0.0;
    kept += score;
    kept_min = score < kept_min ? score : kept_min;
    terminals += scored && is_terminal(s, row) ? 1 : 0;
  }
  int share = 0;  // count of scenario k in lane k
#pragma unroll 1
  for (int first = 0; scored && first < spec.candidates; first += 32) {
    const int row = first + lane_id();
    const bool mine = row < spec.candidates;
    const RowErrors error = RowErrors::of(s, mine ? row : 0);
    const int which = static_cast<int>(align::scenario(error.online, error.offline));
#pragma unroll 1
    for (int k = 0; k < align::kScenarioCount; ++k) {
      const int count = __popc(__ballot_sync(kFullWarp, mine && which == k));
      share += lane_id() == k ? count : 0;
    }
    if (!mine) continue;
    const double score = paper_score(spec, s, row);
    all += score;
    all_min = score < all_min ? score : all_min;
  }
  if (scored && lane_id() < kMaxCandidates / 32) terminals += __popc(s.terminals[lane_id()]) << 16;
  terminals = __reduce_add_sync(kFullWarp, terminals);
#pragma unroll 1
  for (int o = 1; o < 32; o *= 2) {
    loss += __shfl_xor_sync(kFullWarp, loss, o);
    q += __shfl_xor_sync(kFullWarp, q, o);
    kept += __shfl_xor_sync(kFullWarp, kept, o);
    all += __shfl_xor_sync(kFullWarp, all, o);
    kept_min = fmin(kept_min, __shfl_xor_sync(kFullWarp, kept_min, o));
    all_min = fmin(all_min, __shfl_xor_sync(kFullWarp, all_min, o));
  }
  // The value of each lane, and its divisor: the number of kept rows, of candidates, or 1.
  constexpr int kFirst = rl::index_of(Metric::kAlignmentMean);
  static_assert(rl::index_of(Metric::kAlignmentMin) == kFirst + 1 &&
                rl::index_of(Metric::kAlignmentMeanAll) == kFirst + 2 &&
                rl::index_of(Metric::kAlignmentMinAll) == kFirst + 3 &&
                rl::index_of(Metric::kScenarioPerfect) == kFirst + 4);
  constexpr int kTerminals = rl::index_of(Metric::kTerminalShare) - 11;  // for lanes 11 and 12
  static_assert(rl::index_of(Metric::kTerminalShareAll) == kTerminals + 12);
  const int lane = lane_id(), scenario = lane - 4;
  const int count = __shfl_sync(kFullWarp, share, scenario & 31);
  const double value = lane == 0    ? kept
                       : lane == 1  ? kept_min
                       : lane == 2  ? all
                       : lane == 3  ? all_min
                       : lane < 8   ? static_cast<double>(count)
                       : lane == 8  ? spec.batch
                       : lane == 9  ? loss
                       : lane == 10 ? q
                                    : (lane == 11 ? terminals & 0xFFFF : terminals >> 16);
  const bool by_rows = lane == 2 || (lane >= 4 && lane <= 8) || lane == 12;
  const double mean = value / (lane == 1 || lane == 3 ? 1 : by_rows ? spec.candidates : spec.batch);
  double* sum = s.state.sum;
  if (scored && lane < 8) sum[kFirst + lane] += mean;
  if (scored && lane == 8) {
    sum[rl::index_of(Metric::kDiscardedShare)] += 1.0 - mean;
    sum[rl::index_of(Metric::kTargetLag)] += s.state.target_lag;
  }
  if (scored && (lane == 11 || lane == 12)) sum[kTerminals + lane] += mean;
  if (lane == 9) s.loss = mean;
  if (lane == 10) s.q_mean = mean;
}

static __device__ __noinline__ void record_update(const AgentSpec& spec, const AgentView& view,
                                                  const Shared& s) {
  if (ptx::cluster_rank() != 0) return;
  for (int row = thread_id(); row < spec.candidates; row += kThreads) {
    view.record->index[row] = s.index[row];
    view.record->weight[row] = s.raw_weight[row];
    view.record->q[row] = s.q[row];
    view.record->y_online[row] = s.y_online[row];
    view.record->y_offline[row] = s.y_offline[row];
  }
  for (int i = thread_id(); i < spec.batch; i += kThreads) {
    view.record->kept[i] = s.kept[i];
    view.record->kept_weight[i] = s.kept_weight[i];
  }
  if (thread_id() < kMaxActions) view.record->act_q[thread_id()] = s.act_q[0][thread_id()];
  if (thread_id() == 0) view.record->acted = s.plays != 0 && s.explores == 0 ? 1 : 0;
}

// One gradient step on rows that are drawn, gathered and evaluated. The first warps call `beside`
// exactly once each, while the parameters are being updated if there is an update, and pass whether
// the run is certain to continue. Returns false if the run must stop because of a non-finite value.
template <class Net, class DoBeside>
__device__ bool learn_from_rows(const AgentSpec& spec, const AgentView& view, Shared& s, Net& net,
                                DoBeside do_beside) {
  const bool chooses = spec.candidates != spec.batch;
  const bool weighs = spec.replay != ReplayKind::kUniform || align::weighs(spec.mode);
  // Without scores, compute_slopes() checks that all errors are finite.
  const bool scores = spec.needs_scores != 0 || chooses || weighs;
  int bad = scores ? score_candidates(spec, s) : 0;
  bool good = bad == 0, called = false;
  const auto beside = [&](Beside what, bool goes_on = true) {
    if (what != Beside::kLog) {
      do_beside(what, goes_on);
    } else if (bad == 0) {
      log_update(spec, s);
    }
  };
  if (good) {
    if (scores && replaces_scores(spec)) replace_scores(spec, s);
    prefetch_priorities(spec, view, s, net.free_smem());
    if (chooses) choose_rows(spec, s);
    if (weighs) choose_weights(spec, s, chooses);
    good = compute_slopes(spec, s, chooses, weighs);
    if (!scores && !good) bad = score_candidates(spec, s);
    if (view.records_all != 0) record_update(spec, view, s);
    update_priorities(spec, view, s, net.free_smem());
    good = good && net.update(beside);
    called = good;
  }
  if (!good && spec.skip_nonfinite == 0) record_update(spec, view, s);
  if (!called && warp_id() < kBesideWarps) beside(static_cast<Beside>(warp_id()), false);
  __syncthreads();
  if (thread_id() == 0) {
    if (good) {
      ++s.state.optimizer_steps;
      s.state.sum[rl::index_of(Metric::kLoss)] += s.loss;
      s.state.sum[rl::index_of(Metric::kGradNorm)] += s.grad_norm;
      s.state.sum[rl::index_of(Metric::kQMean)] += s.q_mean;
      ++s.state.count;
    } else {
      s.state.bad_rows = bad;
      ++s.state.skipped;
    }
  }
  __syncthreads();
  return good || spec.skip_nonfinite != 0;
}

// One thread: the drawn rows are now consumed.
__device__ inline void begin_update(Shared& s) {
  s.began = {s.state.step, s.state.stored, s.state.logged};
  s.state.sample = s.next_sample;
  --s.updates_left;
  ++s.state.updates;
  s.state.target_lag += 1;
}

}  // namespace tarl::fleet
