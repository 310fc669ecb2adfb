import { named, type PlainReading, word } from './plain-reading.ts';

/** What the services beside the control plane say: machines and their scaling, builds, monitoring. */
export const SERVICE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-not-scaled',
    pattern: /pod didn't trigger scale-up(?: \([^)]*\))?: (?<why>.{4,200})/,
    cause: (found) => `The autoscaler adds no node for the pod (${word(found, 'why')})`,
    remedy:
      'Raise the limits of the MachineAutoscaler or ClusterAutoscaler where the largest size is reached; else no machine set makes nodes that fit the pod',
  },
  {
    id: 'says-not-remediated',
    pattern:
      /[Rr]emediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy \((?<why>[^)]+)\)/,
    cause: (found) =>
      `The MachineHealthCheck replaces no machine, because too many are unhealthy at once (${word(found, 'why')})`,
    remedy:
      'Look why these machines are not ready (network, API, storage); then raise maxUnhealthy only if it is right',
  },
  {
    id: 'says-no-host-for-machine',
    pattern: /No available host found/,
    cause: () => 'No bare metal host is free and fits the machine',
    remedy:
      'Look at "oc get bmh -n openshift-machine-api": hosts must be available, not in maintenance, and bear the labels of the host selector',
  },
  {
    id: 'says-instance-gone',
    pattern: /Can't find created instance/,
    cause: () => 'The machine behind a Machine object was removed outside of the cluster',
    remedy: 'Delete the Machine, so that its set makes a new one',
  },
  {
    id: 'says-git-login',
    pattern: /could not read (?:Username|Password) for '(?<url>[^']+)'/,
    cause: (found) => `The git server ${word(found, 'url')} wants a login, and the build has none`,
    remedy: 'Make a secret for it and name it as sourceSecret of the BuildConfig',
  },
  {
    id: 'says-index-blocked',
    pattern:
      /(?:index \[(?<index>[^\]]+)\] )?blocked by: \[(?<block>[A-Z_]+\/\d+\/[^\];]{4,120})\]|this cluster currently has \[(?<shards>[^\]]+)\]\/\[(?<most>[^\]]+)\] maximum (?:\w+ )?shards open/,
    cause: (found) =>
      word(found, 'shards') === undefined
        ? `Elasticsearch (or OpenSearch) itself blocks it${named(word(found, 'index') && `on the index ${word(found, 'index')}`)}: ${word(found, 'block')}`
        : `Elasticsearch (or OpenSearch) has as many shards open as it may (${word(found, 'shards')} of ${word(found, 'most')}), and makes no more`,
    remedy:
      'A block of an index is one of its settings (index.blocks.*) and stays until it is taken away; "state not recovered" and "no master" are of the cluster: look at its nodes. Of shards: delete old indices, or raise cluster.max_shards_per_node',
  },
  {
    id: 'says-build-step',
    isGeneral: true,
    pattern: /error building at STEP "(?<step>[^"]{2,200})": (?<why>.{4,160})/,
    cause: (found) => `The build fails in its step ${word(found, 'step')} (${word(found, 'why')})`,
    remedy: 'The lines before it say why; without internet packages come from a mirror inside',
  },
  {
    id: 'says-monitoring-late',
    isGeneral: true,
    pattern:
      /waiting for (?:Prometheus|Alertmanager|DaemonSetRollout of|DeploymentRollout of) ?(?<what>openshift-[\w-]+\/[\w-]+): (?<why>(?:expected|got) .{4,100})/,
    cause: (found) =>
      `The monitoring waits for pods of ${word(found, 'what')} (${word(found, 'why')})`,
    remedy: 'Describe these pods: most often a volume, memory or an image is missing',
  },
];
