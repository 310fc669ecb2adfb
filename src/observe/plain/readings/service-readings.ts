import { because, named, type PlainReading, word } from '../plain-reading.ts';
import { reason } from './stated-reason.ts';

/** What the exit code of a shell tells. */
const EXITS: Readonly<Record<string, string>> = {
  126: 'a file that it calls may not be run',
  127: 'a program or file that it calls is not there',
  137: 'it was killed, most often for lack of memory',
};

/** What the services beside the control plane say: machines and their scaling, builds, monitoring. */
export const SERVICE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-certificate-of-other-service',
    pattern: /(?<secret>secret\/[\w.-]+) references serviceUID \S+, which does not match/,
    cause: (found) =>
      `${word(found, 'secret')} holds the certificate of an earlier service of that name, so the service CA makes none for the new one`,
    remedy:
      'Delete the secret and the annotations serving-cert-generation-error and -error-num of the service: the service CA then makes it anew',
  },
  {
    id: 'says-latency-high',
    pattern:
      /The current latency (?<got>\d+) is bigger than the expected one(?: (?<limit>\d+))?|Samples exceeding threshold: (?<count>[1-9]\d*)/,
    cause: (found) =>
      word(found, 'count') === undefined
        ? `The latency test measures ${word(found, 'got')} µs, more than it allows${because(word(found, 'limit'))}`
        : `The latency test of the hardware (hwlatdetect) finds ${word(found, 'count')} times that the firmware held the machine longer than allowed`,
    remedy:
      'Compare the limit (MAXIMUM_LATENCY) with what is needed; then the performance profile (isolated CPUs, realtime kernel) and the firmware (SMI, power saving, hyper-threading)',
  },
  {
    id: 'says-not-scaled',
    pattern: /pod didn't trigger scale-up(?: \([^)]*\))?: (?<why>.{4,200})/,
    cause: (found) => `The autoscaler adds no node for the pod (${word(found, 'why')})`,
    remedy:
      'Raise the limits of the MachineAutoscaler or ClusterAutoscaler where the largest size is reached; else no machine set makes nodes that fit the pod',
  },
  {
    id: 'says-sizes-differ',
    pattern:
      /Failed to fix node group sizes: (?:failed to decrease (?<group>\S+): )?(?<why>.{4,200})/,
    cause: (found) =>
      `The cluster autoscaler counts other nodes than the group${named(word(found, 'group'))} has (${word(found, 'why')}), and scales nothing until that is solved`,
    remedy:
      'Restart its pod; where it says so again, compare the replicas of the machine set with its machines and nodes',
  },
  {
    id: 'says-collector-waits',
    pattern: /timed out waiting for dependency graph builder sync during GC sync/,
    cause: () =>
      'The garbage collector of the cluster cannot list every kind there is: the API of one does not answer',
    remedy:
      'Look for the kind at fault: "oc get apiservices" (False), definitions whose conversion webhook is gone, and the kinds in its lines "added: [...]"',
  },
  {
    id: 'says-monitor-skipped',
    pattern:
      /msg="?skipping (?<kind>\w+)"? (?:error|err)="(?<why>[^"]{4,240})" (?:\w+)=(?<name>[\w.-]+\/[\w.-]+)|\b(?<type>ServiceMonitor|PodMonitor|Probe|PrometheusRule|AlertmanagerConfig|ScrapeConfig) (?<object>\S+) was rejected due to invalid configuration: (?<said>.{4,240})/,
    cause: (found) =>
      `Prometheus does not take the ${word(found, 'kind', 'type')} ${word(found, 'name', 'object')}: ${word(found, 'why', 'said')}`,
    remedy: 'Correct that object',
  },
  {
    id: 'says-series-twice',
    pattern:
      /^(?:(?=.*?scrape_pool="?(?<pool>[^\s"]+))|).*Error on ingesting (?<what>samples with different value but same timestamp|out-of-order samples|samples that are too old or are too far into the future)/,
    cause: (found) =>
      `Prometheus drops samples of ${word(found, 'pool') ?? 'a target'} (${word(found, 'what')}): ${word(found, 'what')?.startsWith('samples that') ? 'their times are wrong' : 'the same series comes twice, mostly from two targets with the same labels, or with times of its own'}`,
    remedy: 'Look at what that target exposes, and whether two monitors select the same service',
  },
  {
    id: 'says-rule-fails',
    pattern: /msg="Evaluating rule failed\.?".*\berr="(?<why>.{4,300})/,
    cause: (found) =>
      `A rule of Prometheus cannot be evaluated: ${word(found, 'why')?.replace(/"$/, '').replace(/\\"/g, '"')}`,
    remedy: 'Correct the expression of that rule (PrometheusRule), or what gives the series twice',
  },
  {
    id: 'says-mac-taken',
    pattern:
      /mac address (?<mac>[\da-f:]{17}) already allocated to (?<one>[\w/.-]+)(?:.*conflict with: (?<other>[\w/.-]+))?/i,
    cause: (found) =>
      `Two virtual machines have the same MAC address ${word(found, 'mac')} (${[word(found, 'one'), word(found, 'other')].filter(Boolean).join(', ')})`,
    remedy: 'Take the address out of one of them, so that the pool gives it another',
  },
  {
    id: 'says-template-unmet',
    pattern: /(?:\\n|\b)(?<rule>[a-z][\w-]+) applied: FAIL, (?<why>[^\\"]{4,160})/,
    cause: (found) =>
      `The virtual machine does not meet ${word(found, 'rule')} of its template: ${word(found, 'why')}`,
    remedy: 'Give it what the template asks for, or use another template',
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
    pattern: /No available (?:host|BareMetalHost) found/,
    cause: () => 'No bare metal host is free and fits the machine',
    remedy:
      'Look at "oc get bmh -n openshift-machine-api": one must be available, without a consumer, not in maintenance, and bear the labels of the host selector; else add a host, mend one that is in error, or scale the machine set down',
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
    id: 'says-search-unreached',
    pattern: /Unable to revive connection: (?<url>https?:\/\/[^\s"\\]+)/,
    cause: (found) =>
      `Elasticsearch at ${word(found, 'url')} cannot be reached by its client (Kibana): there is no such service, no ready pod stands behind it, or it does not answer`,
    remedy:
      'See whether the service exists and has endpoints ("oc get service,endpoints,pods -n NAMESPACE"), and what the log of Elasticsearch says',
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
    id: 'says-log-store-refuses',
    pattern:
      /(?<why>(?:Ingestion|Per stream) rate limit exceeded(?: for user \S+)?(?: \(limit: [^)]*\))?|Maximum active stream limit exceeded|Max entry size '?\d+'? bytes exceeded|(?<=\bentry\b.{0,300})timestamp too (?:old|new)|entry too far behind|query time range exceeds the limit(?: \([^)]*\))?|max entries limit per query exceeded.{0,60})/i,
    cause: (found) => `Loki refuses it by one of its limits: ${word(found, 'why')}`,
    remedy:
      'Send or ask for less, or raise that limit in the LokiStack (spec.limits); of lines that are too old or too new, look at the clock of who sends, and for a backlog',
  },
  {
    id: 'says-collector-config',
    pattern:
      /(?:vector::[\w:]+|^:(?:cli|topology::\w+)): Configuration error\. error="?(?<why>.{8,300})/,
    cause: (found) =>
      `Vector, which collects the logs, does not take its configuration: ${reason(found)}`,
    remedy:
      'In OpenShift it is made from the ClusterLogForwarder: correct the input, output or pipeline that it names, or update the logging operator',
  },
  {
    id: 'says-monitor-left-out',
    pattern:
      /skipping (?<kind>servicemonitor|podmonitor|probe|prometheusrule|scrapeconfig)"(?:.{0,80}\b\k<kind>=(?<before>[\w./-]+))?.{0,80}?\berr(?:or)?="(?<why>.{4,300}?)"(?: (?:\w+=\S+ ){0,3}\k<kind>=(?<name>[\w./-]+)| \w+=|\s*$)/,
    cause: (found) =>
      `Prometheus leaves out the ${word(found, 'kind')}${named(word(found, 'name', 'before'))}: ${reason(found)}`,
    remedy: 'Correct that object: its owner sees no metrics or alerts of it until then',
  },
  {
    id: 'says-argo-permission',
    pattern:
      /Argo(?: ?CD)? service account does not have (?<verb>\S+) on (?<what>\S+) in namespace (?<namespace>\S+)|(?<kept>(?:resource \S*:\S+|application \w+ \S+) is not permitted in project \S+)/,
    cause: (found) =>
      `Argo CD may not do it${because(word(found, 'kept'))}${word(found, 'verb') === undefined ? '' : `: its service account lacks ${word(found, 'verb')} on ${word(found, 'what')} in the namespace ${word(found, 'namespace')}`}`,
    remedy:
      'Label the namespace argocd.argoproj.io/managed-by, or allow it in the AppProject; of a namespace that was deleted, refresh the cache of the cluster in Argo CD',
  },
  {
    id: 'says-files-changed',
    pattern:
      /node (?<node>\S+) has changed! (?<count>a:\d+,c:\d+,r:\d+)|AIDE [\d.]+ found differences between database and filesystem/,
    cause: (found) =>
      `Files${named(word(found, 'node') && `of the node ${word(found, 'node')}`)} are not as AIDE recorded them${because(word(found, 'count')?.replace('a:', 'added ').replace('c:', ' changed ').replace('r:', ' removed '))}`,
    remedy:
      'The config map "...-failed" of that node lists them; where the change was meant, let AIDE record anew (annotation file-integrity.openshift.io/re-init)',
  },
  {
    id: 'says-fencing-missing',
    pattern:
      /No STONITH devices (?:found|and stonith-enabled)|no STONITH resources have been defined/i,
    cause: () => 'Pacemaker has no device to fence a node with (STONITH)',
    remedy:
      'Give it one for each node; in OpenShift with two nodes it is made from the address and login of each management controller. "pcs stonith status" shows them',
  },
  {
    id: 'says-pacemaker-stands',
    pattern:
      /partition WITHOUT quorum|\b(?:reboot|off) of (?<node>[\w.-]+) failed: (?=.{0,80}\bclient=)/,
    cause: (found) =>
      word(found, 'node') === undefined
        ? 'Too few machines of the Pacemaker cluster see each other (no quorum), so it starts nothing'
        : `Pacemaker could not fence ${word(found, 'node')}, so it does not take over what ran there`,
    remedy:
      'Bring the other machine and the network between them back; of fencing, try its management controller with the same address and login ("pcs stonith history")',
  },
  {
    id: 'says-not-live-migratable',
    pattern:
      /(?:(?<vm>[\w.-]+) is not a live migratable machine: )?cannot migrate VMI:? (?<why>[^"]{8,240}?)(?: {2}|"|$)/i,
    cause: (found) =>
      `The virtual machine${named(word(found, 'vm'))} cannot be moved while it runs: ${word(found, 'why')?.replace(/^which /, 'it ')}`,
    remedy:
      'Give its disks a storage class with ReadWriteMany and its pod network the binding masquerade, or shut it down to move it',
  },
  {
    id: 'says-build-step',
    isGeneral: true,
    pattern: /error building at STEP "(?<step>[^"]{2,200})": (?<why>.{4,160})/,
    cause: (found) => {
      const why = word(found, 'why') ?? '';
      const means = EXITS[/(?:status|code) (\d+)$/.exec(why)?.[1] ?? ''];
      return `The build fails in its step ${word(found, 'step')} (${why}${means === undefined ? '' : `: ${means}`})`;
    },
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
