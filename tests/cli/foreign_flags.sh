#!/usr/bin/env bash
# Flags that users of rl_zoo3 and CleanRL type: they work, or one line says what to use here.
. "$(dirname "$0")/lib.sh"
run="train --env CartPole-v1 --out $work/run"
refused "--set key=value" $run --hyperparams learning_rate:0.001
refused "--set key=value" $run -params learning_rate:0.001
refused "--set eval.count=N" $run --eval-freq 1000
refused "logdir" $run --tensorboard-log /tmp
refused "--quiet" $run --verbose 1
refused "run folder" $run --track
refused "model.safetensors" $run --save-model
refused "--resume --out RUN" $run -i model.zip
refused "--resume --out RUN" $run --trained-agent model.zip
refused "--gif" $run --capture-video
refused "leave --device cuda out" $run --device cuda
refused "not one of cpu, cuda" $run --device mps
refused "device cuda" $run --cuda
refused "environment.KEY" $run --env-kwargs a:1
refused "tarl eval RUN" eval --algo dqn
refused "learning_rate" $run --set lr=1e-3
refused "policy.net_arch" $run --set policy_kwargs=x
refused "action_noise" $run --set noise_std=0.1
refused "no state-dependent exploration" $run --set use_sde=true
refused "needs a value" $run --learning-rate
refused "settings are given as --set key=value" $run --ent-coef 0.1
refused "name the run by its folder" $run --exp_name x
[ -e "$work/run" ] && fail "a refused run left $work/run behind"

cat >"$work/study.toml" <<STUDY
envs = ["classic/cartpole"]
[[conditions]]
algo = "dqn"
learning_rate = 1e-3
STUDY
refused "study.toml:4: .*set = { learning_rate = " study run "$work/study.toml" --dry-run

"$tarl" train --env-id CartPole-v1 --algo dqn --total-timesteps 60 --num-threads 1 --learning-rate 1e-3 --num-envs 2 \
  --buffer_size 500 --batch-size 8 --gamma 0.9 --learning-starts=20 --train-frequency 2 --start-e 0.5 --end-e 0.1 \
  --exploration-fraction 0.5 --target-network-frequency 10 --tau 0.5 --eval-episodes 1 --set eval.count=2 \
  -q -f "$work/zoo" >"$work/out" 2>&1 || fail "CleanRL's flags: $(cat "$work/out")"
for setting in 'learning_rate = 0.001' 'n_envs = 2' 'buffer_size = 500' 'batch_size = 8' 'gamma = 0.9' \
  'learning_starts = 20' 'train_freq = 2' 'exploration_initial_eps = 0.5' 'target_update_interval = 10' 'episodes = 1'; do
  grep -q "^$setting$" "$work/zoo/config.toml" || fail "no $setting in config.toml"
done
echo "flags from elsewhere work or are answered"
