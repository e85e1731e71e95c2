#!/usr/bin/env bash
# A study packed into one file, with traces, as reports read it without the runs, and as zip and NumPy do.
. "$(dirname "$0")/lib.sh"
cat >"$work/small.toml" <<'END'
title = "A small study"
question = "Does packing keep it?"
seeds = 2
steps = 900
baseline = "SAC"
envs = ["classic/pendulum"]
[[conditions]]
label = "SAC"
algo = "sac"
set = { learning_starts = 500, batch_size = 8, eval.count = 3, eval.episodes = 1, policy.net_arch = [8], align.log = true }
[[conditions]]
label = "TA-SAC"
algo = "ta-sac"
set = { learning_starts = 500, batch_size = 8, eval.count = 3, eval.episodes = 1, policy.net_arch = [8], align.trace = 10 }
END
"$tarl" study run "$work/small.toml" --out "$work/runs" >"$work/out" 2>&1 || fail "study run: $(tail -n 2 "$work/out")"
refused "holds no study" study pack "$work"
refused "pack which study" study pack
refused "did you mean 'pack'" study pak "$work/runs"
refused "is the folder of a study and its runs" study pack "$work/runs" --out "$work/runs"
[ ! -e "$work/runs/packed.npz" ] || fail "a study was packed over its own runs"
(cd "$work/runs" && "$tarl" study pack .) >"$work/out" 2>&1 || fail "pack .: $(cat "$work/out")"
[ -f "$work/runs/results/runs/packed.npz" ] || fail "pack . went elsewhere: $(cat "$work/out")"
rm -r "$work/runs/results"
before=$(ls -R "$work/runs" | sha256sum)
refused "a folder of its own" study pack "$work/runs" --out "$work/runs"
refused "a folder of its own" study pack "$work/runs" --out "$work"
[ "$before" = "$(ls -R "$work/runs" | sha256sum)" ] && [ ! -e "$work/study.toml" ] || fail "a refused pack wrote something"
"$tarl" study pack "$work/runs" --out "$work/packed" >"$work/out" 2>&1 || fail "pack: $(cat "$work/out")"
grep -q '4 runs, 12 evaluations' "$work/out" || fail "pack says: $(cat "$work/out")"
"$tarl" report "$work/runs" --out "$work/a/page.html" >"$work/a.txt" 2>&1 || fail "report of runs: $(cat "$work/a.txt")"
rm -rf "$work/runs"
"$tarl" report "$work/packed" --out "$work/b/page.html" >"$work/b.txt" 2>&1 || fail "report: $(cat "$work/b.txt")"
equal "$work/a/page_files/comparisons.json" "$work/b/page_files/comparisons.json" || fail "comparisons differ"
for table in "$work"/a/page_files/*.tex; do
  case $table in *table-cost.tex | *table-alignment.tex) continue ;; esac  # times; rounded means
  equal "$table" "$work/b/page_files/$(basename "$table")" || fail "$(basename "$table") differs"
done

# zlib reads what our own code compressed, and the trace's means are there.
python3 - "$work/packed/packed.npz" <<'END' || fail "packed.npz is not what results/README.md says"
import json, sys, zipfile
packed = zipfile.ZipFile(sys.argv[1])
assert packed.testzip() is None
assert all(member.compress_type == zipfile.ZIP_DEFLATED for member in packed.infolist())
names = set(packed.namelist())
assert "log_1/trace/offline_error_kept.npy" in names, names
assert "log_0/trace/offline_error_kept.npy" not in names, names
data = packed.read("about.npy")
about = json.loads(data[10 + int.from_bytes(data[8:10], "little"):])
assert len(about["runs"]) == 4 and "host" not in json.dumps(about)
assert about["info"]["commit"] and about["runs"][0]["info"]["reproduce"].startswith("tarl train")
END

# Damage is one line that says what to do.
head -c 2000 "$work/packed/packed.npz" >"$work/cut" && cp "$work/cut" "$work/packed/packed.npz"
"$tarl" report "$work/packed" --out "$work/c.html" >"$work/out" 2>&1
[ $? = 1 ] && [ "$(wc -l <"$work/out")" = 1 ] && grep -q 'packed.npz.*tarl study pack' "$work/out" ||
  fail "a cut file: $(cat "$work/out")"
echo "pack: good"
