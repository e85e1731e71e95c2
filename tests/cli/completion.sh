#!/usr/bin/env bash
# Shell completion and the manual: both come from the tables of the verbs.
. "$(dirname "$0")/lib.sh"
"$tarl" completion bash >"$work/bash" && . "$work/bash" || fail "the script is not bash"
PATH=$(dirname "$tarl"):$PATH
# complete WORDS...: what follows them
complete_words() {
  COMP_WORDS=(tarl "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _tarl
  echo " ${COMPREPLY[*]} "
}
has() {
  local wanted=$1
  shift
  case "$(complete_words "$@")" in *" $wanted "*) ;; *) fail "'$*' is not completed by $wanted: $(complete_words "$@")" ;; esac
}
has train ""
has selftest se
has --resume train --re
has ta-dqn+per train --algo ta-dqn+
has minatar/breakout train --env mina
has minatar/paper show-config --preset minatar/
has skip train --on-nan s
has status study st
has minatar-replay study run minatar-
has agents list a
[ "$(complete_words eval x)" = "  " ] || fail "eval names a folder: files are the shell's"
"$tarl" completion zsh >"$work/zsh" || fail "completion zsh"
if command -v zsh >/dev/null; then zsh -n "$work/zsh" || fail "the script is not zsh"; fi
head -n 1 "$work/zsh" | grep -q '^#compdef tarl' || fail "zsh does not know its function"
"$tarl" completion fish 2>"$work/log" && fail "completion of an unknown shell"
grep -q 'bash or zsh' "$work/log" || fail "$(cat "$work/log")"

"$tarl" help --man >"$work/tarl.1" || fail "help --man"
for verb in $("$tarl" help | sed -n '/^With every verb/q; s/^  \([a-z-]*\)  .*/\1/p'); do
  grep -qF ".SS tarl $(echo "$verb" | sed 's/-/\\-/g')" "$work/tarl.1" || fail "the manual lacks $verb"
done
if command -v man >/dev/null; then
  problems=$(MANROFFSEQ= man --warnings -l "$work/tarl.1" 2>&1 >/dev/null)
  [ -z "$problems" ] || fail "the manual: $problems"
fi
echo "completion and manual"
