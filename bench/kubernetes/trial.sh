#!/bin/bash
# What docs/scale.md says of Kubernetes, tried on a control plane of control-plane.sh with the job of docs/batch as it is:
# the job controller makes the pods of all indexes and new ones for those that fail; stand-in-kubelet.mjs runs them as
# processes here. One pod is killed in its middle (SIGKILL), one is deleted as when its node is drained (SIGTERM). The
# scores must be those of one run without Kubernetes, byte for byte.
#
#   bench/kubernetes/trial.sh FOLDER [ROWS=60]    FOLDER: as given to control-plane.sh, which must be running
set -euo pipefail
folder=$(cd "$1" && pwd)
rows=${2:-60}
root=$(cd "$(dirname "$0")/../.." && pwd)
export KUBECONFIG=$folder/kubeconfig
work=$folder/trial
rm -rf "$work"
mkdir -p "$work"/{bin,volume/datasets,logs}

# The project on the volume: the demo with so many rows.
cp -r "$root/models" "$root/models.yaml" "$work/volume/"
cp "$root"/datasets/*.yaml "$work/volume/datasets/"
for file in "$root"/datasets/*.jsonl; do head -n "$rows" "$file" > "$work/volume/datasets/$(basename "$file")"; done
printf '#!/bin/bash\nexec node "%s/scripts/supportcal.mjs" "$@"\n' "$root" > "$work/bin/supportcal"
chmod +x "$work/bin/supportcal"
export PATH=$work/bin:$PATH
(cd "$work/volume" && supportcal pipeline --suite demo --cache ../alone/cache --out ../alone/out --quiet > /dev/null)

kubectl delete job supportcal-score --ignore-not-found > /dev/null
# Nobody else removes the pods of an earlier trial: of all controllers only that of jobs is at work.
kubectl delete pods --all --grace-period=0 --force > /dev/null 2>&1
node "$root/bench/kubernetes/stand-in-kubelet.mjs" "$work/volume" "$work/logs" 2> "$work/kubelet.log" &
kubelet=$!
trap 'kill $kubelet' EXIT
kubectl apply -f "$root/docs/batch/kubernetes-job.yaml"

pod_of() {
  local label=batch.kubernetes.io/job-completion-index=$1
  kubectl get pods -o name -l "$label" --field-selector=status.phase=Running | head -1 | cut -d/ -f2
}
# The pod of an index, once it has handed rows over.
at_work() {
  local pod
  until pod=$(pod_of "$1") && [ -n "$pod" ] && grep -q '^scored [1-9]' "$work/logs/$pod.log"; do sleep 0.5; done
  echo "$pod"
}
killed=$(at_work 3)
kill -KILL -- "-$(cat "$work/logs/$killed.pid")"
echo "killed: $killed"
deleted=$(at_work 5)
kubectl delete pod "$deleted" --wait=false
kubectl wait --for=condition=Complete --timeout=900s job/supportcal-score
exit=.status.containerStatuses[0].state.terminated.exitCode
kubectl get pods -o "custom-columns=POD:.metadata.name,PHASE:.status.phase,EXIT:$exit"
kubectl get job supportcal-score \
  -o jsonpath='succeeded {.status.succeeded}, failed {.status.failed}, indexes {.status.completedIndexes}{"\n"}'
tail -n 2 "$work/logs/$deleted.log"

(cd "$work/volume" && supportcal pipeline --suite demo --cache cache --out out/all --quiet > /dev/null)
unequal=0 entries=0
for file in "$work"/alone/cache/*.arrow; do
  cmp -s "$file" "$work/volume/cache/$(basename "$file")" || unequal=$((unequal + 1))
  entries=$((entries + 1))
done
results=equal
but_time() { grep -v '"createdAt"' "$1/results.json"; }
cmp -s <(but_time "$work/alone/out") <(but_time "$work/volume/out/all") || results=unequal
echo "$entries entries, $unequal unlike those of one run; results $results"
