import { at, because, named, type PlainReading, word } from '../plain-reading.ts';

/** What keeps pods and machines of a cluster from running. */
export const CLUSTER_READINGS: readonly PlainReading[] = [
  {
    id: 'says-scc',
    pattern:
      /(?:pods? "?(?<pod>[^"\s]+)"? is forbidden: )?(?:unable to validate against any(?: (?:security context constraint|pod security policy)(?:: \[?(?<why>.{4,}))?|$)|(?<none>no providers available to validate pod request))/,
    cause: (found) =>
      word(found, 'none') === undefined
        ? `None of the security context constraints that its service account may use admits the pod${named(word(found, 'pod'))}${because(word(found, 'why'))}`
        : `The service account of the pod${named(word(found, 'pod'))} may use no security context constraint at all`,
    remedy:
      'Remove what the pod asks for beyond "restricted" (fixed users, host paths, host network, privileges), or grant its service account one that allows it: oc adm policy add-scc-to-user SCC -z SERVICEACCOUNT',
  },
  {
    id: 'says-unschedulable',
    pattern:
      /0\/\d+ nodes are available: (?<why>.{1,400}?)(?:\.? preemption: .*)?$|No nodes are available that match all of the (?:following )?predicates:{1,2} (?<predicates>.+)|fit failure (?:summary )?on nodes? ?(?<fit>(?:\([^)]+\))?\s?: \S.+)/i,
    cause: (found) =>
      `No node can run the pod${because(predicatesIn(word(found, 'why', 'predicates', 'fit')))}`,
    remedy: 'Add what is named: nodes, memory, processors, labels, tolerations or volumes',
  },
  {
    id: 'says-pod-network-missing',
    pattern:
      /NetworkPluginNotReady|network plugin is not ready|cni plugin not initialized|cni config uninitialized|No CNI configuration file in (?<path>\S+)/i,
    cause: () =>
      'The pod network of the node is not up: its network plugin has not written its configuration',
    remedy:
      'Look at the pods of the network on this node (openshift-ovn-kubernetes, openshift-multus) and at the network operator: they come first',
    isGeneral: true,
  },
  {
    id: 'says-pod-not-connected',
    pattern:
      /(?:error adding (?:container|pod|\S+) to (?:CNI )?network|CNI request failed|plugin type="[^"]+" (?:name="[^"]+" )?failed \(add\)|fail(?:ed|s)? to set ?up (?:pod |sandbox )?.{0,120}network)(?<rest>.*)/i,
    cause: (found) =>
      `The network plugin does not connect the pod${because(lastWords(found.groups.rest))}`,
    remedy:
      'Look at the network pods of that node (ovnkube-node, multus) and their logs; what the plugin itself said stands last in the line',
  },
  {
    id: 'says-runtime-slow',
    pattern:
      /(?:Failed to (?:create|stop|kill) (?:pod )?(?:sandbox|container)|(?:CreatePodSandbox|RunPodSandbox|StopPodSandbox|CreateContainer|StartContainer|KillPodSandbox)\w*).{0,160}(?:code = DeadlineExceeded|context deadline exceeded)[^:]*$/i,
    cause: () =>
      'The container runtime of the node does not come to the end of it in time: the node or its disk is too slow, or the network plugin does not answer',
    remedy:
      'Look at the load and disk of that node, at the log of its runtime (crio, containerd) in the same minute, and at its network pods',
  },
  {
    id: 'says-budgets-overlap',
    pattern:
      /(?:evicting pods?\/?\s?"(?<pod>[^"]+)".{0,200})?This pod has more than one PodDisruptionBudget/,
    cause: (found) =>
      `Two disruption budgets select the same pod${named(word(found, 'pod'))}, and such a pod cannot be evicted: its node is not emptied`,
    remedy: 'Delete one of them, or change its selector ("oc get pdb" in the namespace of the pod)',
  },
  {
    id: 'says-budget',
    pattern:
      /evicting pods?\/?\s?"(?<pod>[^"]+)".*disruption budget|Cannot evict pod as it would violate the pod's disruption budget/i,
    cause: (found) =>
      `A disruption budget does not let the pod${named(word(found, 'pod'))} go: the drain of its node waits for it`,
    remedy:
      'Bring up the other pods of that application first ("oc get pdb -A" shows which budget allows none to go), or delete the pod by hand',
  },
  {
    id: 'says-drain-refused',
    pattern:
      /cannot delete (?<what>Pods with local storage|DaemonSet-managed Pods|Pods (?:not managed by|that declare no controller|declare no controller)[^(]{0,120}?) \(use (?<flag>--[\w-]+)[^)]*\)(?:: (?<pods>[^\]]{1,160}))?/i,
    cause: (found) =>
      `The drain does not take ${word(found, 'what')?.replace(/^Pods(?: (?=declare))?/, (pods) => (pods === 'Pods' ? 'pods' : 'pods that '))} off the node${because(word(found, 'pods'))} unless it is told to (${word(found, 'flag')})`,
    remedy: 'Look whether these pods can be lost, and give the flag that the line names',
  },
  {
    id: 'says-ceph',
    isGeneral: true,
    pattern:
      /HEALTH_(?:WARN|ERR)[;:]? (?<why>(?!mons? (?:is|are) allowing insecure)\S.{7,240})|(?<full>\d+ (?:nearfull|full|backfillfull) osd\(s\)|\d+ osds? down|\d+ slow ops?, oldest .{3,80}|\d+\/\d+ mons down, quorum \S+)/,
    cause: (found) => `Ceph is not well: ${word(found, 'why', 'full')}`,
    remedy:
      '"ceph health detail" says which daemons and disks it is about; look at the pods of those first',
  },
  {
    id: 'says-check-fails',
    isGeneral: true,
    pattern:
      /VRRP_Script\((?<script>[^)]+)\) (?:failed|timed out)|Script `(?<again>[^`]+)` now returning [1-9]|Unable to access script `(?<lost>[^`]+)`/,
    cause: (found) =>
      `The check${named(word(found, 'script', 'again', 'lost'))} of keepalived ${word(found, 'lost') === undefined ? 'fails on this machine: what it checks does not run or answer here' : 'cannot be run on this machine'}, so the virtual address goes to another machine`,
    remedy:
      'Run the script of that check by hand, and bring up the service that it looks for (haproxy, mostly)',
  },
  {
    id: 'says-volume-elsewhere',
    pattern:
      /Multi-Attach error for volume "(?<volume>[^"]+)"|volume .{0,80}(?:already|still) (?:exclusively )?attached to (?:one|an|another|a different) (?:node|instance|machine|VM)/i,
    cause: (found) => `The volume${named(word(found, 'volume'))} is still held by another node`,
    remedy:
      'Let the pod on the other node end; where that node is lost, delete its VolumeAttachment when the machine is surely off',
  },
  {
    id: 'says-volume-driver-missing',
    pattern:
      /driver name (?<driver>\S+) not found in the list of registered CSI drivers|CSINode \S+ does not contain driver (?<csi>\S+)/i,
    cause: (found) =>
      `The storage driver${named(word(found, 'driver', 'csi'))} does not run on the node`,
    remedy:
      'Look at the node pods of that driver: their image, their tolerations, and whether it is installed at all',
  },
  {
    id: 'says-volume-not-made',
    pattern: /[Ff]ailed to provision volume with StorageClass "(?<class>[^"]+)": (?<why>.+)/,
    cause: (found) =>
      `The storage behind the class ${word(found, 'class')} does not make a volume${because(word(found, 'why'))}`,
    remedy:
      'Look at the controller pod of that storage driver and its log, and whether the storage behind it is well and has room',
  },
  {
    // Follows from what keeps one of the volumes: whoever says that speaks first.
    id: 'says-volumes-awaited',
    isGeneral: true,
    pattern:
      /(?:Unable +to +(?:attach +or +)?mount +volumes|waiting for volumes to attach)(?:.*?unmounted +volumes=\[(?<volumes>[^\]]{1,200})\])?/i,
    cause: (found) =>
      `A pod waits in vain for its volumes to be attached or mounted${because(word(found, 'volumes'))}`,
    remedy:
      'Look at the events of the pod and its claims, and whether the node reaches the storage',
  },
  {
    id: 'says-volume-kept',
    pattern:
      /Unmount(?:Volume|Device)(?:\.\w+)? failed (?:\([^)]{1,60}\) )?for volume \\*"(?<volume>[^"\\]+)\\*".* : (?<why>(?:(?!\\*" (?:err|pod)=|\\n|",").){4,400})/,
    cause: (found) =>
      `The volume ${word(found, 'volume')} cannot be unmounted from the node${because(word(found, 'why'))}, so its pod does not end`,
    remedy:
      'See on the node who still uses it ("findmnt", "lsof", "fuser -m"), and whether the pod of the storage driver runs there',
  },
  {
    id: 'says-volume-unmounted',
    pattern:
      /(?<!Un)(?:MountVolume\.\w+|AttachVolume\.\w+|Attach|Mount) failed for volume "(?<volume>[^"]+)"(?!\s*:?\s*(?:rpc error:?\s*)?(?:code = \w+\s*)?(?:desc =)?\W*$)(?: \((?:UniqueName|spec\.Name): "[^"]*"\))?(?: pod "[^"]*"(?: \(UID: "[^"]*"\))?)?(?: with)? ?:? ?(?:rpc error: code = \w+ desc = )?(?<why>.*)/i,
    cause: (found) =>
      `A volume${named(word(found, 'volume'))} cannot be attached or mounted${because(word(found, 'why'))}`,
    remedy:
      'Look at the events of the pod and its claims, and whether the node reaches the storage',
  },
  {
    id: 'says-machine-not-up',
    pattern: /OS Provisioning for VM '(?<vm>[^']+)' did not finish|OSProvisioningTimedOut/i,
    cause: (found) =>
      `The machine${named(word(found, 'vm'))} did not finish its first boot in time`,
    remedy:
      'Look at its console (boot diagnostics): most often it waits for its configuration, which the bootstrap machine serves on port 22623',
  },
  {
    id: 'says-boot-device-refused',
    pattern: /Error setting Chassis Boot Parameter|fail\w* to (?:set|change) (?:the )?boot device/i,
    cause: (found) => `${at(found)} does not take the device that the server is to boot from`,
    remedy:
      'Try the same by hand ("ipmitool chassis bootdev pxe", or its web page); update the firmware of the management controller, or use Redfish where it has it',
  },
  {
    id: 'says-route-not-taken',
    pattern:
      /route is not available at canonical host (?<host>[\w.-]+)|no admitted ingress for route (?<name>\S+)|no ingress for host (?<asked>[\w.-]+) in route/i,
    cause: (found) =>
      `No router of the cluster has taken the route${named(word(found, 'host', 'name', 'asked'))}: what is to be reached by it waits for the ingress`,
    remedy:
      'Look at the ingress operator and its router pods first ("oc -n openshift-ingress get pods -o wide"): there must be nodes that can run them',
  },
  {
    id: 'says-address-taken',
    pattern:
      /DHCPNAK\S* (?<dhcp>\d+(?:\.\d+){3}) .*address in use|(?<arp>\d+(?:\.\d+){3}).{0,40}(?:address conflict|duplicate address|already in use by)|(?<vip>(?:api|ingress|machine)[- ]?(?:vip|address)\S* <?[\d.:a-f]+>?) (?:is )?already in use/i,
    cause: (found) =>
      `The address${named(word(found, 'dhcp', 'arp', 'vip'))} is held by another machine already`,
    remedy: 'Find who has it ("arping -D"), and give each machine an address of its own',
  },
];

/** What schedulers up to Kubernetes 1.8 name only by the function that checks it. */
const PREDICATES: Readonly<Record<string, string>> = {
  PodFitsHostPorts: 'the ports of the host that it wants are taken',
  PodFitsResources: 'too little processor or memory is left',
  MatchNodeSelector: 'the labels of the node are not those it asks for',
  PodToleratesNodeTaints: 'it does not tolerate a taint of the node',
  NoDiskConflict: 'a disk it wants is in use',
  NoVolumeZoneConflict: 'its volume is in another zone',
  MatchInterPodAffinity: 'its affinity to other pods is not met',
  CheckServiceAffinity: 'the affinity of its service is not met',
};

const predicatesIn = (text: string | undefined): string | undefined =>
  text
    ?.replace(/^\W+/, '')
    .replace('): ', ': ')
    .replace(/\b[A-Z]\w+\b/g, (name) =>
      PREDICATES[name] === undefined ? name : `${name}: ${PREDICATES[name]}`,
    );

/** Of what, stands before it. */
const SAYS_LITTLE =
  /^(?:timed out|context deadline|ip: |Link not found|.{0,40}not found|no such|permission denied|exit status|file exists|invalid argument|operation not)/i;

/** Behind the last colon that is followed by words: there stands what went wrong. */
function lastWords(text: string | undefined): string | undefined {
  const parts = (text ?? '').split(/: (?=[a-zA-Z'"])/).slice(1);
  const last = parts
    .at(-1)
    ?.replace(/["'}\]\s]+$/, '')
    .replace(/^["']+|: \[.*/g, '')
    .trim();
  if (last === undefined || /^\[|^$/.test(last)) return undefined;
  const before = parts.at(-2);
  return before !== undefined && SAYS_LITTLE.test(last) ? `${before}: ${last}` : last;
}
