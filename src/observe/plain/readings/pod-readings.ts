import { because, type FoundWords, named, type PlainReading, word } from '../plain-reading.ts';

/** Why a node does not run a pod that it was given, or ends it: what a kubelet says in events. */
export const POD_READINGS: readonly PlainReading[] = [
  {
    id: 'says-idmap-unsupported',
    pattern:
      /(?:mount_setattr|idmap).{0,200}(?:(?<dir>\/[^\s"':]+).{0,80})?doesn't support idmap mounts|doesn't support idmap mounts/,
    cause: () =>
      'A volume of the pod is on a file system that cannot be mounted for a user namespace of its own (idmap mounts), such as NFS or an older kernel',
    remedy:
      'Let the pod use the users of the host (hostUsers: true, no userns), or give it a volume on a file system that can (ext4, xfs, tmpfs of newer kernels)',
  },
  {
    id: 'says-sysctl-forbidden',
    pattern:
      /forbidden sysctl: \\?"(?<name>[\w./-]+)\\?" (?<why>not (?:allow|white)listed|.{4,80})/,
    cause: (found) =>
      `The kubelet does not let the pod set the sysctl ${word(found, 'name')} (${word(found, 'why')})`,
    remedy:
      'Allow it on these nodes (allowedUnsafeSysctls of a KubeletConfig), or take it out of the securityContext of the pod',
  },
  {
    id: 'says-probe-fails',
    pattern:
      /(?<kind>Readiness|Liveness|Startup) probe (?:failed|errored)[^:]*:\s+(?<why>.{4,300})/,
    cause: (found) =>
      `The container does not pass its ${word(found, 'kind')?.toLowerCase()} probe${because(word(found, 'why'))}: ${PROBES[word(found, 'kind') ?? '']}`,
    remedy:
      'The log of the container ("oc logs POD", with --previous after a restart) says what it waits for or why it does not answer; a slow one needs more time (initialDelaySeconds, a startup probe)',
  },
  {
    id: 'says-name-reserved',
    pattern:
      /error reserving (?:pod|ctr|container) name (?<name>\S+?)(?: for id \S+)?: name is reserved|failed to reserve (?:sandbox|container) name \\*"(?<held>[^"\\]+)\\*": name .{1,300}is reserved for/,
    cause: (found) =>
      `The container runtime still works at an earlier try to make ${word(found, 'name', 'held')}: it is too slow on this node`,
    remedy:
      'Look at the load and the disk of the node ("iostat -x", journal of crio); when it lasts, restart crio, or the node',
  },
  {
    id: 'says-runtime-class-unknown',
    pattern:
      /failed to find runtime handler (?<handler>[\w.-]+) from runtime list|no runtime for \\*"(?<other>[^"\\]+)\\*" is configured/,
    cause: (found) =>
      `The container runtime of the node has no handler ${word(found, 'handler', 'other')}, which the RuntimeClass of the pod names`,
    remedy:
      'Install what brings it on these nodes (sandboxed containers for kata, the GPU operator for nvidia) and let the pod run only there, or take runtimeClassName out of the pod',
  },
  {
    id: 'says-node-does-not-admit',
    pattern:
      /Node didn't have enough resource: (?<what>\w+), requested: (?<asked>\d+), used: (?<used>\d+), capacity: (?<all>\d+)|requested number of devices unavailable for (?<device>[\w./-]+)|(?<numa>Resources cannot be allocated with Topology locality)|Predicate (?<predicate>NodeAffinity|MatchNodeSelector) failed/,
    cause: (found) => `The node itself refuses the pod that it was given: ${refusal(found)}`,
    remedy:
      'Look at what runs there ("oc describe node"): of a pod that was bound by hand or by a daemon set, or after a restart of the node, delete it so that it is placed anew; of devices look at their plugin on that node, of topology ask for what one NUMA node holds or choose another policy',
  },
  {
    id: 'says-pulls-held-back',
    pattern: /pull QPS exceeded/,
    cause: () =>
      'The kubelet holds pulls back: more images are asked for in a second than it lets through (registryPullQPS, registryBurst), mostly because many pods start or fail at once',
    remedy:
      'It tries again by itself, and mostly comes through in minutes. Where it stays so, mend the pulls that fail over and over first; then raise registryPullQPS and registryBurst by a KubeletConfig',
  },
  {
    id: 'says-container-storage-damaged',
    pattern:
      /creating overlay mount to (?<mount>[^\s:,]+)\b.{0,300}: no such file or directory|layer not known|readlink (?<link>\/var\/lib\/containers\/storage\/[^\s:]+): |can't stat lower layer (?<lower>\S+) /,
    isVague: true,
    cause: (found) =>
      `The container storage of the machine is damaged or not whole${because(word(found, 'mount', 'link', 'lower'))}, as after a loss of power or a full disk`,
    remedy:
      'Drain the node, stop kubelet and crio, empty the storage ("crio wipe -f", or rm -rf /var/lib/containers/*), and start it again: the images are pulled anew from the mirror',
  },
  {
    id: 'says-key-of-object-missing',
    pattern:
      /couldn't find key (?<key>\S+) in (?<kind>Secret|ConfigMap) (?<object>\S+)|references non-existent (?<of>secret|config) key: (?<lost>\S+)/,
    cause: (found) =>
      `The ${word(found, 'kind', 'of')}${named(word(found, 'object'))} has no key ${word(found, 'key', 'lost')}, which the pod asks for`,
    remedy: 'Add the key to it, or correct its name in the pod',
  },
  {
    id: 'says-mounted-object-missing',
    pattern:
      /MountVolume\.SetUp failed for volume "(?<volume>[^"]+)" ?: (?<kind>configmap|secret)s? "(?<object>[^"]+)" not found/,
    cause: (found) =>
      `There is no ${word(found, 'kind')} "${word(found, 'object')}" in the namespace of the pod, which mounts it (${word(found, 'volume')})`,
    remedy:
      'Make it, or correct its name in the pod; where an operator or the service CA makes it, look why that does not',
  },
  {
    id: 'says-image-runs-as-root',
    pattern:
      /container has runAsNonRoot and image (?:will run as root|has non-numeric user \((?<user>[^)]+)\))(?:.{0,80}\(pod: "(?<pod>[^"]+)", container: (?<container>[^)]+)\))?/,
    cause: (found) =>
      `The container${named(word(found, 'container'))} may not run as root, and its image ${word(found, 'user') === undefined ? 'runs as root' : `names its user only by name (${word(found, 'user')})`}${because(word(found, 'pod'))}`,
    remedy:
      'Set runAsUser of the pod to a number other than 0, or use an image with "USER" as a number',
  },
  {
    id: 'says-image-wants-root',
    pattern:
      /mkdir\(\) "(?<made>\/var\/(?:cache|lib|log|run)\/[^"]+)" failed \(13: Permission denied\)|initdb: (?:error: )?could not change permissions of directory "(?<data>[^"]+)"/,
    cause: (found) =>
      `The program may not make or take over ${word(found, 'made', 'data')} as the user that it runs as: of a container, its image is made for root or for one fixed user, and the cluster gives it another`,
    remedy:
      'Take an image that runs as any user (folders that it writes to belong to group 0 and are writable by it), mount a volume there, or give its service account the SCC anyuid: oc adm policy add-scc-to-user anyuid -z SERVICEACCOUNT',
  },
  {
    id: 'says-driver-kernel-unknown',
    pattern:
      /Could not (?:resolve Linux kernel version|find kernel full version)|No OFED driver found for kernel (?<kernel>[\w.-]+)/,
    cause: (found) =>
      `The container that builds or loads a driver does not find what it needs for the kernel of the node${named(word(found, 'kernel'))}`,
    remedy:
      'See that Node Feature Discovery has labelled the node (feature.node.kubernetes.io/kernel-version.full), that the repositories or the driver toolkit image hold packages of this kernel and are reached, and that the operator is of a version for this release',
  },
  {
    id: 'says-database-unreached',
    pattern:
      /Failed to obtain JDBC connection|Acquisition timeout while waiting for new connection|HikariPool-\d+ - Connection is not available|Unable to acquire JDBC Connection|Communications link failure/,
    isGeneral: true,
    cause: () => 'The program gets no connection to its database in time',
    remedy:
      'Look whether the database runs and answers under the name and port that the program is given, and whether it has connections left; the lines around name it',
  },
  {
    id: 'says-seccomp-not-loaded',
    pattern:
      /error loading seccomp filter(?: into kernel)?: (?:error loading seccomp filter: )?(?<why>errno \d+|[\w ]{4,60})/,
    cause: (found) =>
      `The kernel of the node does not take the seccomp filter of the container${because(word(found, 'why'))}${word(found, 'why') === 'errno 524' ? ': it has no room left for such programs (net.core.bpf_jit_limit)' : ''}`,
    remedy:
      'Of errno 524 raise net.core.bpf_jit_limit on the node, and restart it where a kernel leaks them; else update runtime and kernel',
  },
  {
    id: 'says-image-never-pulled',
    pattern: /Container image "(?<image>[^"]+)" is not present with pull policy of Never/,
    cause: (found) =>
      `The image ${word(found, 'image')} is not on the node, and the pod does not let it be pulled (imagePullPolicy: Never)`,
    remedy: 'Set imagePullPolicy to IfNotPresent, with the image in the mirror',
  },
  {
    id: 'says-pull-secret-missing',
    pattern:
      /Unable to retrieve (?:some image pull secrets \((?<secrets>[^)]+)\)|pull secret[ ,].{0,300}secret "(?<secret>[^"]+)" not found)/,
    cause: (found) =>
      `The pull secret ${word(found, 'secrets', 'secret')} that the pod or its service account names does not exist in its namespace`,
    remedy:
      'It matters only where images do not come: then make it there ("oc create secret docker-registry"), or remove the name; images of the mirror need none where the pull secret of the cluster has its login',
  },
  {
    id: 'says-pod-storage-limit',
    pattern:
      /(?:Pod ephemeral local storage usage exceeds the total limit of containers (?<pod>[\w.]+)|Usage of EmptyDir volume "(?<volume>[^"]+)" exceeds the limit "(?<limit>[^"]+)"|Container (?<container>\S+) exceeded its local ephemeral storage limit "(?<own>[^"]+)")/,
    cause: (found) =>
      `The pod was ended, because it wrote more to ${word(found, 'volume') === undefined ? 'the disk of its node' : `the volume ${word(found, 'volume')}`} than its limit${because(word(found, 'pod', 'limit', 'own'))}`,
    remedy:
      'Raise the limit (ephemeral-storage, sizeLimit), or let the program write less or to a claim of its own',
  },
  {
    id: 'says-node-low-on',
    pattern:
      /node was low on resource: (?<what>(?!ephemeral)[\w-]+)(?:.{0,80}Container (?<container>\S+) was using (?<using>\w+))?/,
    cause: (found) =>
      `The node ran low on ${word(found, 'what')} and threw the pod out${because(word(found, 'container') && `its container ${found.groups.container} used ${found.groups.using}`)}`,
    remedy:
      'Give the pod a request and a limit that fit what it takes, move others off the node, or give the node more of it',
  },
  {
    id: 'says-runtime-down',
    pattern: /KubeletNotReady\s.{0,120}container runtime is down/,
    cause: () => 'The node is not ready: its container runtime (crio) does not run or answer',
    remedy: 'On the node look at "systemctl status crio" and its journal, and at the disk below it',
  },
  {
    id: 'says-job-given-up',
    pattern: /Job has reached the specified backoff limit/,
    cause: () => 'A job was given up: each of its pods failed',
    remedy:
      'The log of its last pod says why ("oc logs job/NAME"); then delete the job to run it anew',
    isGeneral: true,
  },
  {
    id: 'says-metrics-request-missing',
    pattern: /missing request for (?<what>\w+)(?: in container (?<container>\S+))?/,
    isVague: true,
    cause: (found) =>
      `The autoscaler cannot count by ${word(found, 'what')}: the container${named(word(found, 'container'))} says no request for it`,
    remedy: 'Set resources.requests of that container',
  },
  {
    id: 'says-rollout-late',
    isGeneral: true,
    pattern:
      /(?<what>(?:ReplicaSet|Deployment) "[^"]+") (?:has timed out progressing|exceeded its progress deadline)/,
    cause: (found) => `The pods of the ${word(found, 'what')} do not become ready in time`,
    remedy: 'Describe its pods and its replica set: their events say why',
  },
  {
    id: 'says-job-late',
    isGeneral: true,
    pattern: /(?<!message: "|Message: )Job was active longer than specified deadline/,
    cause: () => 'A job was ended, because it did not finish in its time',
    remedy: 'Describe its pod: most often it waits for an image, a volume or a node',
  },
  {
    id: 'says-container-waits',
    isGeneral: true,
    pattern:
      /container "(?<container>[^"]+)" in pod "(?<pod>[^"]+)" is waiting to start: (?<why>[^\n]{4,160})/,
    cause: (found) =>
      `The container ${word(found, 'container')} of ${word(found, 'pod')} has not started yet, so it has no log (${word(found, 'why')})`,
    remedy:
      'The events of the pod say what it waits for: "oc describe pod" (an image, a volume, a secret)',
  },
  {
    id: 'says-container-not-there',
    pattern: /unable to upgrade connection: container not found \("(?<container>[^"]+)"\)/,
    cause: (found) =>
      `The container ${word(found, 'container')} does not run, so nothing can be run in it`,
    remedy: '"oc get pod" and "oc describe pod" say why it does not run',
  },
  {
    id: 'says-release-late',
    isGeneral: true,
    pattern:
      /(?<what>INSTALLATION|UPGRADE|ROLLBACK) FAILED: (?:pre-install hooks failed: |post-install hooks failed: |release \S+ failed, and has been [^:]{0,60}: )?(?:context deadline exceeded|timed out waiting for the condition)|(?:PipelineRun|TaskRun) "?(?<run>[\w.-]+)"? failed to finish within "?(?<time>\w+)/,
    cause: (found) =>
      word(found, 'run') === undefined
        ? 'Helm waited in vain for what it made to become ready'
        : `The run ${word(found, 'run')} of the pipeline did not end within ${word(found, 'time')}`,
    remedy:
      'Its pods and jobs tell why ("oc get pods", "oc describe pod", "oc get events"): an image, a volume, a node, or a program that does not start; a longer time (--timeout, timeouts) only helps where all goes well but slowly',
  },
  {
    id: 'says-wait-over',
    isGeneral: true,
    pattern: /timed out waiting for the condition on (?<what>[\w.-]+\/[\w.-]+)/,
    cause: (found) =>
      `${word(found, 'what')} did not come to the state that was waited for in time`,
    remedy: 'Describe it: its conditions and events say what it waits for',
  },
  {
    id: 'says-no-nodes',
    pattern: /no nodes available to schedule pods/,
    cause: () => 'The cluster has no node yet that pods could run on',
    remedy:
      'Look at "oc get nodes" and at certificate requests that wait ("oc get csr"): the machines have not joined',
  },
  {
    id: 'says-metrics-missing',
    pattern:
      /Metrics API not available|unable to get metrics for resource (?<what>\w+): (?<why>.{4,160})/,
    cause: (found) =>
      `The cluster has no figures of its pods${because(word(found, 'why'))}: what serves the metrics API does not run, or does not have them yet`,
    remedy:
      'Look at "oc get apiservice v1beta1.metrics.k8s.io" and the pods of openshift-monitoring',
  },
  {
    id: 'says-pids-short',
    pattern: /status is now: NodeHasInsufficientPID|\bPIDPressure\s+True\b/,
    cause: () =>
      'The node has hardly any process ids left: something on it starts too many processes',
    remedy:
      'Find it on the node ("ps -eLf | sort"), and limit its pods (podPidsLimit of a KubeletConfig)',
  },
];

/** What a kubelet does then. */
const PROBES: Readonly<Record<string, string>> = {
  Readiness: 'no traffic is sent to it until it does',
  Liveness: 'it is restarted for it',
  Startup: 'it has not come up yet, and is restarted when that takes too long',
};

/** Why, in the words of a kubelet. */
function refusal(found: FoundWords): string {
  const { asked, used, all } = found.groups;
  const what = word(found, 'what');
  if (what !== undefined)
    return `it has too little ${what} left (${asked} asked for, ${used} of ${all} taken)`;
  const device = word(found, 'device');
  if (device !== undefined) return `no healthy ${device} is free on it`;
  return word(found, 'numa') === undefined
    ? 'its labels are not those that the pod asks for'
    : 'what the pod asks for does not lie together on one NUMA node (topology manager)';
}
