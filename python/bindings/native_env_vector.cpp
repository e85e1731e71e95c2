// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/native_env.h"
#include "bindings/observations.h"
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/core/threads.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tarl::python {

namespace {

// When a new episode follows a finished one: Gymnasium's AutoresetMode.
enum class Autoreset { kNextStep, kSameStep, kDisabled };
constexpr std::array kAutoresetNames = {"NextStep", "SameStep", "Disabled"};

// Rows of the arrays that a step writes, each with one value per environment.
enum Number { kReward, kScore, kNumbers };

enum Flag { kTerminated, kTruncated, kScoreEpisodeOver, kPlayed, kFlags };

using Observations = nb::ndarray<nb::c_contig, nb::device::cpu>;
using Numbers = Array<double, 2>;  // [kNumbers][environments]
using Flags = Array<bool, 2>;      // [kFlags][environments]
using Indices = Array<const std::int64_t>;
using Values = Array<const float, 2>;

rl::Action action_of(const rl::ActionSpec& spec, const Indices& actions, std::size_t i) {
  return discrete_action(spec, actions.data()[i]);
}

rl::Action action_of(const rl::ActionSpec& spec, const Values& actions, std::size_t i) {
  const std::size_t size = actions.shape(1);
  return continuous_action(spec, {actions.data() + i * size, size});
}

// One thread's use of environments that step without the GIL. It begins and ends with the GIL.
class Use {
 public:
  explicit Use(bool& used) : used_(used) {
    if (used_) {
      throw std::runtime_error(
          "these environments are in use in another thread; give each thread its own");
    }
    used_ = true;
  }

  ~Use() { used_ = false; }

  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  bool& used_;
};

// Environments of one task, stepped together by a team of threads while Python continues.
class VectorEnv {
 public:
  VectorEnv(Task task, const std::vector<std::uint64_t>& seeds, int threads,
            const std::string& autoreset)
      : task_(std::move(task)), team_(threads) {
    const auto mode = find_value<Autoreset>(kAutoresetNames, autoreset);
    require(mode.has_value(), "an autoreset mode that Gymnasium does not have");
    autoreset_ = *mode;
    for (const std::uint64_t seed : seeds) lanes_.emplace_back(task_, seed);
    actions_.resize(lanes_.size());
  }

  Description spec() const { return describe(lanes_.front().spec()); }

  void seed(std::size_t lane, std::uint64_t seed) {
    const Use use(used_);
    lanes_.at(lane).seed(task_, seed);
  }

  void reset(const Array<const bool>& mask, const Observations& obs) {
    const Use use(used_);
    check(obs);
    require(mask.size() == lanes_.size(), "a mask of another size");
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (!mask.data()[i] && !lanes_[i].started()) refuse_until_reset(lanes_[i]);
    }
    const nb::gil_scoped_release without_python;
    each([&](std::size_t i) {
      if (mask.data()[i]) lanes_[i].reset();
      show(i, obs);
    });
  }

  // `final_obs` is written if an episode ends and the next begins within the step.
  template <class Actions>
  void step(const Actions& actions, const Observations& obs, const Numbers& numbers,
            const Flags& flags, const Observations& final_obs) {
    const Use use(used_);
    check(obs);
    check(final_obs);
    choose(actions);
    const nb::gil_scoped_release without_python;
    const std::size_t n = lanes_.size();
    each([&](std::size_t i) {
      Lane& lane = lanes_[i];
      rl::StepResult result;
      const bool plays = !lane.over();
      if (plays) {
        result = lane.step(actions_[i]);
      } else {
        lane.reset();
      }
      if (lane.over() && autoreset_ == Autoreset::kSameStep) {
        show(i, final_obs);
        lane.reset();
      }
      numbers.data()[kReward * n + i] = static_cast<double>(result.reward);
      numbers.data()[kScore * n + i] = static_cast<double>(result.score);
      flags.data()[kTerminated * n + i] = result.terminated;
      flags.data()[kTruncated * n + i] = result.truncated;
      flags.data()[kScoreEpisodeOver * n + i] = result.score_episode_over;
      flags.data()[kPlayed * n + i] = plays;
      show(i, obs);
    });
  }

  nb::object render(std::size_t lane) {
    const Use use(used_);
    return lanes_.at(lane).render();
  }

  nb::bytes get_state() {
    const Use use(used_);
    return state_of(task_, lanes_);
  }

  void set_state(const nb::bytes& state) {
    const Use use(used_);
    python::set_state(task_, lanes_, state);
  }

 private:
  // Every action is checked before any environment steps.
  template <class Actions>
  void choose(const Actions& actions) {
    const rl::ActionSpec& spec = lanes_.front().spec().action;
    require(spec.discrete() == (actions.ndim() == 1) && actions.shape(0) == lanes_.size(),
            "actions of another shape");
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const bool begins = lanes_[i].over();
      if (begins && (autoreset_ != Autoreset::kNextStep || !lanes_[i].started())) {
        refuse_until_reset(lanes_[i]);
      }
      if (!begins) actions_[i] = action_of(spec, actions, i);
    }
  }

  void check(const Observations& obs) const {
    require(obs.nbytes() == lanes_.size() * plain_bytes(lanes_.front().spec().obs),
            "observations of another size");
  }

  void show(std::size_t lane, const Observations& obs) const {
    const std::size_t bytes = obs.nbytes() / lanes_.size();
    lanes_[lane].show({static_cast<std::byte*>(obs.data()) + lane * bytes, bytes});
  }

  template <class Work>
  void each(Work&& work) {
    team_.run([&](int rank) {
      const Range mine = share(static_cast<int>(lanes_.size()), rank, team_.size());
      for (int i = mine.begin; i < mine.end; ++i) work(static_cast<std::size_t>(i));
    });
  }

  Task task_;
  Team team_;
  Autoreset autoreset_ = Autoreset::kNextStep;
  std::vector<Lane> lanes_;
  std::vector<rl::Action> actions_;
  bool used_ = false;
};

}  // namespace

void bind_vector_env(nb::module_& module) {
  const auto step = [](const char* actions) {
    return "def step(self, actions: numpy.typing.NDArray[numpy." + std::string(actions) +
           "], obs: numpy.typing.NDArray[typing.Any], "
           "numbers: numpy.typing.NDArray[numpy.float64], "
           "flags: numpy.typing.NDArray[numpy.bool_], "
           "final_obs: numpy.typing.NDArray[typing.Any]) -> None";
  };
  const std::string of_indices = step("int64"), of_values = step("float32");
  nb::class_<VectorEnv>(module, "VectorEnv", "Environments of ours, stepped together.")
      .def(nb::init<Task, const std::vector<std::uint64_t>&, int, const std::string&>(), "task"_a,
           "seeds"_a, "threads"_a, "autoreset"_a)
      .def_prop_ro("spec", &VectorEnv::spec)
      .def("seed", &VectorEnv::seed, "lane"_a, "seed"_a)
      .def("reset", &VectorEnv::reset, "mask"_a, "obs"_a,
           nb::sig("def reset(self, mask: numpy.typing.NDArray[numpy.bool_], "
                   "obs: numpy.typing.NDArray[typing.Any]) -> None"))
      .def("step", &VectorEnv::step<Indices>, "actions"_a, "obs"_a, "numbers"_a, "flags"_a,
           "final_obs"_a, nb::sig(of_indices.c_str()))
      .def("step", &VectorEnv::step<Values>, "actions"_a, "obs"_a, "numbers"_a, "flags"_a,
           "final_obs"_a, nb::sig(of_values.c_str()))
      .def("render", &VectorEnv::render, "lane"_a)
      .def("get_state", &VectorEnv::get_state)
      .def("set_state", &VectorEnv::set_state, "state"_a);
}

}  // namespace tarl::python
