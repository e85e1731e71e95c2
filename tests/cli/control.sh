# Shared by the tests of the actor-critic agents: short runs with small networks.
control_short="--steps 400 --set learning_starts=100 --set batch_size=64 --set policy.net_arch=[64,64] \
  --set eval.count=2 --set eval.episodes=1 --seed 7"
control_envs="classic/pendulum"
if "$tarl" list envs | grep -q mujoco/hopper; then
  control_envs="$control_envs mujoco/hopper"
else
  echo "SKIP: built without MuJoCo; Pendulum only"
fi
