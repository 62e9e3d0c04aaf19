#!/bin/bash
# A Slurm cluster of three nodes on this machine, for trying what `supportcal slurm` writes: munge, slurmctld and three
# slurmd, each a node of its own with one processor and one GPU, for which /dev/null stands (no card is needed).
# Everything lies in FOLDER; the machine's own Slurm, if it has one, is left alone. Needs root and Debian's packages:
#
#   apt-get install --no-install-recommends munge slurmctld slurmd slurm-client
#
#   bench/slurm/one-machine.sh start FOLDER    starts it, waits until the nodes are idle
#   bench/slurm/one-machine.sh stop FOLDER     ends it; jobs with it
#
# Afterwards SLURM_CONF=FOLDER/slurm.conf makes sbatch, squeue, scancel and scontrol talk to it. There is no slurmdbd: sacct
# has nothing to tell, jobs that are over are shown by `scontrol show job` for five minutes.
set -euo pipefail
folder=$(mkdir -p "$2" && cd "$2" && pwd)
export SLURM_CONF=$folder/slurm.conf
nodes=3

configure() {
  mkdir -p "$folder"/{munge,state,spool}
  chown munge: "$folder/munge"
  chmod 755 "$folder/munge"
  local host gres=$folder/gres.conf
  host=$(hostname -s)
  cat > "$SLURM_CONF" << CONF
ClusterName=one-machine
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17100
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdSpoolDir=$folder/spool/%n
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmdLogFile=$folder/slurmd-%n.log
# No control groups: processes of a job are found as children.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
ReturnToService=2
KillWait=30
MpiDefault=none
GresTypes=gpu
NodeName=node[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[17101-$((17100 + nodes))] CPUs=1 RealMemory=2000 Gres=gpu:1
PartitionName=long Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  # A GPU has to have a device file; this one every machine has.
  echo "NodeName=node[1-$nodes] Name=gpu File=/dev/null" > "$gres"
}

start() {
  configure
  runuser -u munge -- bash -c "cd '$folder/munge' && umask 077 && head -c 1024 /dev/urandom > key"
  runuser -u munge -- munged --socket="$folder/munge/socket" --key-file="$folder/munge/key" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
  slurmctld -f "$SLURM_CONF"
  for n in $(seq "$nodes"); do slurmd -f "$SLURM_CONF" -N "node$n"; done
  for _ in $(seq 60); do
    [ "$(sinfo --noheader --format=%t | sort -u)" = idle ] && sinfo --Node --format='%N %t %G' && return
    sleep 0.5
  done
  sinfo >&2
  for log in "$folder"/*.log; do tail -n 5 "$log" >&2; done
  exit 1
}

stop() {
  for state in PENDING RUNNING; do scancel --state=$state --user="$(id -un)" || true; done
  for pid in "$folder"/slurmd-*.pid "$folder/slurmctld.pid" "$folder/munge/pid"; do
    if [ -f "$pid" ]; then kill "$(cat "$pid")" || true; fi
  done
}

case $1 in
  start) start ;;
  stop) stop ;;
  *) echo "usage: $0 start|stop FOLDER" >&2; exit 2 ;;
esac
