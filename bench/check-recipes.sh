#!/bin/bash
# Checks the recipes of docs/batch without a cluster: the job of Kubernetes against the schemas of its versions, the task of
# SkyPilot by SkyPilot itself; a field with a wrong name must be refused by both. `bench/check-recipes.sh [FOLDER]`
set -euo pipefail
work=${1:-$(mktemp -d)}
batch=$(realpath "$(dirname "$0")/../docs/batch")
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet kubernetes-validate==1.37.0 skypilot==0.14.1
refused() { ! "$@" > /dev/null 2>&1 || { echo "a wrong field was not noticed: $*" >&2; exit 1; }; }

sed 's/backoffLimitPerIndex/backoffLimitPerIndx/' "$batch/kubernetes-job.yaml" > "$work/job.yaml"
for version in 1.29.0 1.37.0; do
  "$work/venv/bin/kubernetes-validate" --strict -k $version "$batch/kubernetes-job.yaml"
  refused "$work/venv/bin/kubernetes-validate" --strict -k $version "$work/job.yaml"
done

# SkyPilot keeps files in the home folder.
export HOME=$work
cat > "$work/check.py" << 'PYTHON'
import sys
import sky
task = sky.Task.from_yaml(sys.argv[1])
task.validate()
print(f"{sys.argv[1]}: a task of SkyPilot {sky.__version__} for {task.num_nodes} nodes, volumes {task.volumes}")
PYTHON
sed 's/num_nodes/num_node/' "$batch/skypilot.yaml" > "$work/task.yaml"
"$work/venv/bin/python" "$work/check.py" "$batch/skypilot.yaml"
refused "$work/venv/bin/python" "$work/check.py" "$work/task.yaml"
