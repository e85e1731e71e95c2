// SPDX-License-Identifier: MIT
//
// Tests single operations of the fleet's kernels against the references.
#include "fleet/gpu/operations.h"

#include "fleet/gpu/each_case.h"
#include "fleet/gpu/fleet_helpers.h"

namespace tarl::fleet {
namespace {

using fixtures::Case;
using fixtures::Checker;
using fixtures::Integers;

constexpr double kFloat = 1e-5;  // the replay receives errors as floats

void require_fits(std::size_t rows) {
  if (rows > kMaxCandidates) throw test::BeyondFleet("more rows than a fleet draws at a time");
}

class DeviceAligner final : public fixtures::Aligner {
 public:
  Rows score(const std::vector<double>& online, const std::vector<double>& offline) override {
    return test::score_rows(online, offline);
  }

  // The device defines no order among the kept rows.
  Integers keep_best(const std::vector<double>& score, int m) override {
    require_fits(score.size());
    const std::vector<std::int32_t> chosen = test::choose_best(score, m);
    Integers kept(chosen.begin(), chosen.end());
    std::stable_sort(kept.begin(), kept.end(), [&](std::int64_t a, std::int64_t b) {
      return score[static_cast<std::size_t>(a)] > score[static_cast<std::size_t>(b)];
    });
    return kept;
  }
};

TEST(FleetFixtures, ScoresAreTheReferences) {
  test::for_each_case("alignment", [](const Case& test, Checker& check) {
    DeviceAligner aligner;
    fixtures::check_alignment(test, aligner, check);
  });
}

TEST(FleetFixtures, GamesAreTheReferences) {
  test::for_each_case("minatar", [](const Case& test, Checker& check) {
    fixtures::check_minatar(
        test,
        [](const std::string& game, const fixtures::PlayScript& script) {
          AgentSpec spec = make_spec(test::short_run("dqn", "minatar/" + game));
          spec.sticky = script.sticky;
          spec.ramping = script.ramping ? 1 : 0;
          return test::play_script(spec, script);
        },
        check);
  });
}

class DevicePriorities final : public fixtures::ReplayPriorities {
 public:
  explicit DevicePriorities(const Case& test)
      : config_(config_of(test)),
        spec_(make_spec(config_)),
        state_(fixtures::make_priorities(test)),
        replay_(test::make_device_replay(spec_, test::new_device_agent(config_)->download())) {}

  void add(std::int64_t /*slot*/, bool done) override { replay_->add(done); }

  void update(const Integers& slots, const std::vector<double>& errors) override {
    require_fits(slots.size());
    replay_->update(slots, errors);
  }

  Drawn draw(replay::Draw draw, const std::vector<double>& u, double beta,
             const Integers& kept) override {
    require_fits(u.size());
    std::vector<double> shares;
    const int rows = static_cast<int>(u.size());
    for (const double one : u) {
      shares.push_back(replay::drawn_mass(draw, static_cast<int>(shares.size()), rows, one, 1));
    }
    Drawn drawn = replay_->find(shares, beta, kept);
    const replay::Priorities& priorities = state();
    for (const std::int64_t slot : drawn.index) {
      drawn.probability.push_back(priorities.weight(slot) / drawn.total);
    }
    return drawn;
  }

  const replay::Priorities& state() override {
    Tensors tensors;
    StateWriter out(tensors);
    save_image(spec_, replay_->image(), out);
    state_->load(StateReader(tensors, "the device").group("replay/priorities"));
    return *state_;
  }

 private:
  static train::RunConfig config_of(const Case& test) {
    std::vector<std::string> set = {
        "batch_size=1", "replay.kind=" + test.meta("type"), "buffer_size=" + test.meta("capacity"),
        "replay.alpha=" + test.meta("alpha"), "replay.eps=" + test.meta("epsilon")};
    if (test.has_meta("omega")) set.push_back("replay.omega=" + test.meta("omega"));
    return test::short_run("dqn", "minatar/breakout", set);
  }

  train::RunConfig config_;
  AgentSpec spec_;
  std::unique_ptr<replay::Priorities> state_;
  std::unique_ptr<test::DeviceReplay> replay_;
};

TEST(FleetFixtures, ReplayIsTheReferences) {
  test::for_each_case("replay", [](const Case& test, Checker& check) {
    DevicePriorities priorities(test);
    fixtures::check_replay(test, priorities, kFloat, check);
  });
}

}  // namespace
}  // namespace tarl::fleet
