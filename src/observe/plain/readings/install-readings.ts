import { because, named, type PlainReading, word } from '../plain-reading.ts';
import { NO_REASON, reason } from './stated-reason.ts';

/** Said while another try is under way, or of an object that just changed: no reason to stop. */
const PASSES = `(?!.{0,200}(?:object has been modified|please apply your changes|requeue|still initializing|not ready yet|caches? (?:did not|to|never) sync|from tombstone|tombstone contained))`;
const WHY = `${NO_REASON}${PASSES}(?<why>`;
/** Where a quoted value ends: quotes inside it are seen without their backslash. */
const QUOTED = String.raw`.{8,}?)"(?=[,}]|\s+[\w-]+=|\s*$)`;

/** Objects of the machine config operator, whose names begin with a number where no kind stands before them. */
const OF_MACHINES =
  /(?:machine|kubelet|containerruntime|controller)_?-?config|\bpool\b|^\d\d-|rendered-/i;

const CORRECT_AND_TRY =
  'Correct what it names in the cluster, the environment or the host, and try again';

const states = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join('|'));

/** Programs that set up machines: each states its reason behind words of its own. */
export const INSTALL_READINGS: readonly PlainReading[] = [
  {
    id: 'says-ignition',
    pattern: states(String.raw`\bIgnition failed: ${WHY}.{8,})`),
    cause: (found) => `Ignition does not set up the machine: ${reason(found)}`,
    remedy:
      'Correct what it names in the MachineConfig or Ignition file, and start the machine anew; Ignition runs on the first boot only',
  },
  {
    // A command that it runs tells why, behind how it ended and what was called.
    id: 'says-ignition-command',
    pattern:
      /\[failed\] +(?<step>[^\n]{3,160}?): exit status \d+: Cmd: .{0,600}? Stderr: "(?<why>[^"\n]{5,300})/,
    cause: (found) => `Ignition does not get through with ${word(found, 'step')}: ${reason(found)}`,
    remedy:
      'Correct what it names in the MachineConfig or Ignition file, and start the machine anew; Ignition runs on the first boot only',
  },
  {
    id: 'says-api-not-up',
    isGeneral: true,
    pattern: /\bwaiting for (?<what>Kubernetes API): context deadline exceeded/,
    cause: (found) =>
      `The ${word(found, 'what')} of the new cluster did not come up in the time that the installer waits`,
    remedy:
      'Why, the bootstrap machine tells: "openshift-install gather bootstrap", or "journalctl -b -u bootkube -u release-image -u kubelet" on it',
  },
  {
    // A small file, which is stored at once unless something is in its way.
    id: 'says-libvirt-pool-waits',
    pattern:
      /\blibvirt_(?:ignition|cloudinit_disk)\.(?<what>[\w.[\]-]+): Still creating\.\.\. \[?\(?(?<time>\w+) elapsed/,
    cause: (found) =>
      `libvirt has not stored ${word(found, 'what')} after ${word(found, 'time')}: its storage pool is not there, not active or without its directory, or an image that is copied to it first takes its time`,
    remedy:
      '"virsh pool-list --all" tells whether the pool is there and active (else "virsh pool-define-as", "pool-start"), "virsh vol-list default --details" whether a volume grows',
  },
  {
    id: 'says-network-of-no-start',
    pattern:
      /to contain a valid network (?:CIDR|Value), expected (?<right>[\da-f.:]+\/\d+), got:? (?<net>[\da-f.:]+\/\d+)|(?<bare>[\da-f.:]+\/\d+) has host bits set|'(?<asked>[\da-f.:]+\/\d+)' isn't a recognized IP subnet cidr, '(?<better>[\da-f.:]+\/\d+)' is recommended|"(?<block>[\da-f.:]+\/\d+)" is not a valid (?:IPv[46] )?CIDR block; did you mean "(?<meant>[\da-f.:]+\/\d+)"/,
    cause: (found) =>
      `${word(found, 'net', 'bare', 'asked', 'block')} is not written as a network: its address is one inside a network of that size, not the first${because(word(found, 'right', 'better', 'meant'))}`,
    remedy:
      'Write the first address of the network, or the length that is meant (of the machines: networking.machineNetwork of a fresh copy of install-config.yaml)',
  },
  {
    // What the installer gathers at its end, one line for each operator that is not well.
    id: 'says-operator-told',
    pattern: states(
      String.raw`\blevel=error msg="?Cluster operator (?<what>[\w-]+) (?<state>Available is False|Degraded is True) with (?<kind>[\w:.-]*?):? (?<why>\S.{7,})`,
      String.raw`^ERROR Cluster operator (?<name>[\w-]+) (?<told>Available is False|Degraded is True) with (?<type>[\w:.-]*?):? (?<said>\S.{7,})`,
    ),
    cause: (found) =>
      `The cluster operator ${word(found, 'what', 'name')} is ${word(found, 'state', 'told') === 'Degraded is True' ? 'degraded' : 'not available'}: ${reason(found)}`,
    remedy:
      'Look at what it names: "oc describe co NAME", then the pods and events of its namespace; of several operators begin with network, etcd, ingress and storage, which others wait for',
  },
  {
    id: 'says-coreos-image',
    pattern:
      /(?<why>This (?:ISO|OS) image (?:already has|is already|does not support) .{1,80}|Unrecognized CoreOS ISO image|Cannot operate on ISO with embedded customizations|not a CoreOS live initramfs image|ISO image is incomplete|incomplete \w+ \w+; corrupt ISO|No karg embed areas found; \w.{0,40})/,
    cause: (found) => `coreos-installer does not take the image: ${reason(found)}`,
    remedy:
      'Begin with a fresh copy of the live image of this release (or "coreos-installer iso reset"), and look at its checksum',
  },
  {
    id: 'says-coreos-installer',
    from: /coreos-installer/,
    pattern: states(
      String.raw`^Error: (?:.{1,300} Caused by: )?(?:\d+: )?(?!install failed|running |copying |writing |reading )${WHY}.{8,})`,
    ),
    cause: (found) => `coreos-installer stops: ${reason(found)}`,
    remedy: 'Correct what it names (disk, image, arguments), and run the installation again',
  },
  {
    id: 'says-caused-by',
    pattern: states(String.raw`^Error: .{1,300} Caused by: (?:\d+: )?${WHY}.{8,})`),
    cause: (found) => `By its own words: ${reason(found)}`,
    remedy: 'Correct what it names, and run it again',
  },
  {
    id: 'says-bootc',
    pattern: states(
      String.raw`\b(?:ERROR|error:) +(?:(?:Installing to (?:filesystem|disk)|Installing bootloader|boot data installation failed|Creating rootfs): )+(?!Task )${WHY}.{8,})`,
    ),
    cause: (found) => `bootc does not install the system: ${reason(found)}`,
    remedy:
      'Correct what it names (partitions and firmware of the target, the options of the command), and install again',
  },
  {
    // What the installer of RHEL asks for besides need not be there.
    id: 'says-boot-file-missing',
    pattern:
      /Downloading '(?<url>[^']+\/(?!updates\.img|product\.img)[^'/]+)' failed!|anaconda: failed to fetch (?<what>[\w. ]+?) from (?<from>\S+)/,
    cause: (found) =>
      `The start of the installer does not get${named(word(found, 'what'))} ${word(found, 'url', 'from')}: the address is wrong, the file is not there, or its server does not answer`,
    remedy:
      'Fetch the same address with curl from that network; correct inst.repo, inst.stage2 or inst.ks, or put the file there',
  },
  {
    id: 'says-ipxe',
    pattern:
      /(?<url>(?:https?|tftp|nfs|ftp):\/\/\S+?)\.{2,6} ?(?<why>[A-Z][\w ]{4,60}) \(https?:\/\/ipxe\.org\/(?<no>[0-9a-f]{8})\)/,
    cause: (found) => `iPXE does not get ${word(found, 'url')}: ${reason(found)}`,
    remedy:
      'Fetch the same address by hand from that network, and read what https://ipxe.org/err/NUMBER says of the number in the line',
  },
  {
    id: 'says-ironic',
    pattern: states(
      String.raw`\b(?:ERROR|CRITICAL) ironic[\w.]* \[[^\]]*\] (?!Traceback|\s)${WHY}.{8,})`,
      String.raw`\b(?:sushy\.exceptions|ironic\.common\.exception|ironic_python_agent\.errors)\.\w+: (?<error>(?!Timeout|[^:]{0,40}timed out)\S.{7,})`,
      String.raw`Failed to inspect hardware\. Reason: (?<said>(?!timeout)\S.{7,}?)'{0,2}"?$`,
    ),
    cause: (found) => `Ironic reports: ${reason(found)}`,
    remedy:
      'Correct what it names on the host object (address, credentials, image, hints) or at the server; "oc describe bmh" shows the state of each',
  },
  {
    id: 'says-host-error',
    pattern: states(
      String.raw`^\s*(?:errorMessage|Error Message|failureMessage|Failure Message): +['"]?${WHY}[^'"\s].{7,}?)['"]?$`,
      String.raw`\b(?<what>\w+Error)\s+.{0,60}metal3-baremetal-controller\s+(?<said>\S.{7,})`,
    ),
    cause: (found) => `The host or machine is in error: ${reason(found)}`,
    remedy: 'Correct what it names; the controller tries again by itself',
  },
  {
    // Rows of "oc get hostedclusters".
    id: 'says-hosted-cluster',
    pattern:
      /^\s*(?<name>[a-z][\w.-]*) +(?:[\w.-]+ +){0,3}(?:Partial|Completed) +False +(?:(?:True|False) +)?(?<kind>[A-Z][a-z]+[A-Z]\w+)(?: +(?<why>\S.{7,}))?$/,
    cause: (found) =>
      `The control plane of the hosted cluster ${word(found, 'name')} is not available (${word(found, 'kind')})${word(found, 'why') === undefined ? '' : `: ${reason(found)}`}`,
    remedy:
      '"oc describe hostedcluster NAME" lists what it waits for; then the pods and events in the namespace of its control plane tell why they do not run',
  },
  {
    id: 'says-assisted',
    pattern: states(
      `"kind": ?"Error".{0,80}"(?:reason|message)": ?"${WHY}${QUOTED}`,
      String.raw`(?:The Spec could not be synced due to (?:an input|backend) error|The installation (?:has )?failed|Updating node installation stage: Failed -|Waiting for user input):? (?<said>\S.{7,})`,
      String.raw`level=(?:error|fatal) msg="[^"]*".{0,20}func=\S*assisted.*? error="(?<error>${QUOTED}`,
    ),
    cause: (found) => `The assisted installation reports: ${reason(found)}`,
    remedy: CORRECT_AND_TRY,
  },
  {
    // The installer of a host quotes the last words of the command that failed.
    id: 'says-assisted-command',
    pattern:
      /failed executing (?<command>[^\n]{2,200}?), Error exit status \d+, LastOutput \\*"(?:Error: )?(?<why>[^\n]{8,400}?)\\*"{0,3}(?=\s+\w+=|\s*$)/i,
    cause: (found) =>
      `A command of the assisted installer fails on the host: ${reason(found)} (${named(word(found, 'command')).trim().slice(0, 80)})`,
    remedy:
      'Correct on that host what it names (disks and volume groups of an older system are wiped with "wipefs -a" and "sgdisk --zap-all"), and start the installation again',
  },
  {
    id: 'says-rendered-missing',
    isGeneral: true,
    pattern:
      /Node (?<node>\S+) has (?:desired|current)Config (?<config>rendered-[\w-]+) which does not exist/,
    cause: (found) =>
      `The node ${word(found, 'node')} wants the machine configuration ${word(found, 'config')}, which the cluster does not have: what the bootstrap rendered differs from what the cluster renders`,
    remedy:
      'Compare "oc get mc" with the annotation of the node; mostly an object differs between bootstrap and cluster (image mirrors, proxy, MachineConfigs, an operator that changed them meanwhile)',
  },
  {
    id: 'says-host-unpinged',
    isGeneral: true,
    pattern: /level=error msg="failed to ping address (?<address>[\da-f.:]+)"/,
    cause: (found) =>
      `A host does not get an answer from ${word(found, 'address')}, which another host of the cluster has: its checks want each host to reach the others by every address`,
    remedy:
      'Ping that address from the host by hand; open ICMP between the hosts, or take the address (often an IPv6 one that nobody routes) off the interface',
  },
  {
    id: 'says-assisted-step',
    from: /assisted/,
    pattern: states(`level=(?:error|fatal) msg="${WHY}${QUOTED}`),
    cause: (found) => `The assisted installation reports: ${reason(found)}`,
    remedy: CORRECT_AND_TRY,
  },
  {
    id: 'says-machine-config',
    pattern: states(
      String.raw`\b[Ee]rror syncing (?!load balancer|csr |endpoint)(?<what>(?:[\w ]+ )?[\w.-]+): ${WHY}.{8,})`,
      String.raw`error running MC[COS]\[BOOTSTRAP\]: (?<said>\S.{7,})`,
    ),
    // Controllers of all kinds say that they sync something.
    cause: (found) => {
      const what = word(found, 'what');
      return what !== undefined && !OF_MACHINES.test(what)
        ? `The controller does not bring about ${what}: ${reason(found)}`
        : `The machine configuration${what ? ` (${what})` : ''} is not taken: ${reason(found)}`;
    },
    remedy: 'Correct the object it names; the controller tries again by itself',
  },
  {
    id: 'says-error-field',
    pattern: states(
      String.raw`(?:"level": ?"error"|\tERROR\t).*"error": ?"${WHY}${QUOTED}`,
      String.raw`"Reconciler error".{0,400}?\s"?err(?:or)?"?="(?!.{0,200}(?:object has been modified|not ready yet|requeue))(?<said>${QUOTED}`,
    ),
    cause: (found) => `The program reports: ${reason(found)}`,
    remedy: 'Correct what it names; a controller of the cluster then tries again by itself',
  },
];
