#!/usr/bin/env bash
# Cards of several generations, emulated: doctor says what each runs; the fleet refuses by name what a
# card cannot run, and leaves nothing; the rest runs.
. "$(dirname "$0")/lib.sh"
emulated=${2:?usage: TEST path-to-tarl path-to-tarl_emulated}
control="--algo ta-sac --env classic/pendulum --steps 60 --set learning_starts=20 --set batch_size=10
  --set buffer_size=50 --set eval.count=2 --set eval.episodes=1 --set policy.net_arch=[20,36]"
game="--algo dqn --env minatar/breakout --steps 500"

# on CARD ARGS...: tarl with that card, its output in $work/out.
on() {
  local card=$1
  shift
  TARL_EMULATED_CARD=$card "$emulated" "$@" >"$work/out" 2>&1
}
says() { grep -q -- "$1" "$work/out" || fail "'$1' not in: $(cat "$work/out")"; }

for card in 8.0 8.6 12.0; do
  on $card doctor || fail "doctor: $(cat "$work/out")"
  says "^fleet .*minatar_dqn needs compute capability 9.0, and this card has $card"
  says "^fleet .*actor_critic runs on it"
  on $card train $game --device cuda --out "$work/game" && fail "MinAtar on $card"
  says "minatar_dqn needs compute capability 9.0, and this card has $card; leave it out to train on the CPU"
  on $card study run minatar-replay --seeds 1 --steps 500 --executor fleet --out "$work/game" && fail "a study on $card"
  says "minatar_dqn needs compute capability 9.0, and this card has $card; use --executor local"
  [ -e "$work/game" ] && fail "a refusal on $card left a folder"
done
on 8.6 train $control --device cuda --out "$work/control" || fail "control on 8.6: $(tail -n 1 "$work/out")"
on 9.0 doctor
says "^fleet .*minatar_dqn runs on it"
on 7.5 doctor
says "compute capability 7.5.*, which no program of the fleet runs on"
says "^fleet .*actor_critic needs compute capability 8.0 or later, and this card has 7.5"
on 7.5 train $control --device cuda --out "$work/old" && fail "control on 7.5"
says "no GPU for --device cuda: CUDA is emulated"
[ -e "$work/old" ] && fail "a refusal on 7.5 left a folder"
"$tarl" train $control --out "$work/cpu" >"$work/out" 2>&1 || fail "CPU: $(tail -n 1 "$work/out")"
equal "$work/control/model.safetensors" "$work/cpu/model.safetensors" || fail "another model than the CPU's"
echo "each card runs what it can, and refuses the rest by name"
