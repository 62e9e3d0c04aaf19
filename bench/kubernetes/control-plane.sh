#!/bin/bash
# The control plane of Kubernetes on this machine, built from its sources through Go's module proxy: etcd (Debian's
# etcd-server), kube-apiserver and the job controller of kube-controller-manager, in one binary. There are no nodes: pods
# are run by stand-in-kubelet.mjs. Everything lies in FOLDER. Needs go, etcd-server and kubectl.
#
#   bench/kubernetes/control-plane.sh build FOLDER    FOLDER/kube; 50 minutes at a load of 25 on two cores
#   bench/kubernetes/control-plane.sh start FOLDER    then KUBECONFIG=FOLDER/kubeconfig makes kubectl talk to it
#   bench/kubernetes/control-plane.sh stop FOLDER
set -euo pipefail
folder=$(mkdir -p "$2" && cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
version=1.33.4
port=17443

build() {
  mkdir -p "$folder/source"
  cd "$folder/source"
  cp "$here/kube.go" main.go
  # The parts that a release keeps in folders of its own repository are modules of their own, of the same number.
  local whole parts
  whole=$(go mod download -json "k8s.io/kubernetes@v$version" | sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
  parts=$(sed -n 's#^\t\(k8s\.io/[a-z-]*\) => \./staging/.*#\1#p' "$whole" | sort -u)
  {
    printf 'module kube\n\ngo 1.24.0\n\nrequire k8s.io/kubernetes v%s\n\nreplace (\n' "$version"
    for part in $parts; do printf '\t%s => %s v0.%s\n' "$part" "$part" "${version#1.}"; done
    printf ')\n'
  } > go.mod
  go mod tidy -e
  go build -ldflags='-s -w' -o "$folder/kube" .
}

start() {
  cd "$folder"
  mkdir -p keys
  openssl genrsa -out keys/accounts.pem 2048 2> keys/log
  echo "trial,admin,admin,system:masters" > keys/tokens.csv
  cat > kubeconfig << CONFIG
apiVersion: v1
kind: Config
clusters: [{ name: one, cluster: { server: "https://127.0.0.1:$port", insecure-skip-tls-verify: true } }]
users: [{ name: admin, user: { token: trial } }]
contexts: [{ name: one, context: { cluster: one, user: admin } }]
current-context: one
CONFIG
  etcd --data-dir etcd --listen-client-urls http://127.0.0.1:17379 --advertise-client-urls http://127.0.0.1:17379 \
    --listen-peer-urls http://127.0.0.1:17380 > etcd.log 2>&1 &
  echo $! > etcd.pid
  # No service accounts: a pod of the trial talks to nobody.
  ./kube apiserver --etcd-servers=http://127.0.0.1:17379 --bind-address=127.0.0.1 --secure-port=$port --cert-dir=keys \
    --token-auth-file=keys/tokens.csv --authorization-mode=RBAC --disable-admission-plugins=ServiceAccount \
    --service-account-issuer=https://one.invalid --service-account-signing-key-file=keys/accounts.pem \
    --service-account-key-file=keys/accounts.pem --service-cluster-ip-range=10.0.0.0/24 > apiserver.log 2>&1 &
  echo $! > apiserver.pid
  export KUBECONFIG=$folder/kubeconfig
  until kubectl get --raw /readyz > /dev/null 2>&1; do
    kill -0 "$(cat apiserver.pid)" || { tail -n 5 apiserver.log >&2; exit 1; }
    sleep 1
  done
  ./kube controller-manager --kubeconfig=kubeconfig --controllers=job-controller --leader-elect=false \
    --use-service-account-credentials=false --secure-port=0 > manager.log 2>&1 &
  echo $! > manager.pid
  kubectl get --raw /version > version.json
  kubectl get namespaces
}

stop() {
  for name in manager apiserver etcd; do
    if [ -f "$folder/$name.pid" ]; then kill "$(cat "$folder/$name.pid")" || true; fi
  done
}

case $1 in
  build) build ;;
  start) start ;;
  stop) stop ;;
  *) echo "usage: $0 build|start|stop FOLDER" >&2; exit 2 ;;
esac
