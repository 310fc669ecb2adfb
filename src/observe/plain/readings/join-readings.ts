import { type PlainReading, word } from '../plain-reading.ts';

/** What keeps machines out of clusters that kubeadm, k3s and RKE2 make, CRC and MicroShift from their own, and servers from being managed. */
export const JOIN_READINGS: readonly PlainReading[] = [
  {
    id: 'says-bootstrap-part-falls',
    pattern: /restarting failed container=(?<container>[\w-]+) pod=bootstrap-/,
    cause: (found) =>
      `${word(found, 'container')} on the bootstrap machine ends again and again, and its own log tells why; often by a manifest that was added (a MachineConfig of another Ignition version)`,
    remedy: '"crictl ps -a" and "crictl logs ID" there; look at the manifests that were added',
  },
  {
    id: 'says-own-api-down',
    pattern:
      /(?<end>localhost|127\.0\.0\.1|\[::1\]):6443\b.{0,200}(?:connection refused|was refused)/,
    cause: (found) =>
      `No API server runs on the machine itself (${word(found, 'end')}:6443): on a bootstrap machine that is so until bootkube has brought it up`,
    remedy:
      'Where it stays so, "crictl ps -a" and the journals of release-image, bootkube and kubelet tell what stops it: images, names without records (api, api-int), certificates. Else set KUBECONFIG',
  },
  {
    id: 'says-join-token-unknown',
    pattern:
      /could not find a JWS signature in the cluster-info ConfigMap for token ID "?\\?"?(?<token>\w+)|the cluster-info ConfigMap does not yet contain a JWS signature for token ID "?(?<other>\w+)/,
    cause: (found) =>
      `The cluster does not know the token ${word(found, 'token', 'other')} any more: such tokens end after a day`,
    remedy: 'Make a new one on the control plane ("kubeadm token create --print-join-command")',
  },
  {
    id: 'says-join-authority',
    pattern:
      /none of the public keys .{0,120}are pinned|token CA hash does not match the Cluster CA certificate hash/,
    cause: () => 'The hash that the machine was given is not of the authority of this cluster',
    remedy:
      'Take token and hash anew from the server that it is to join; an old one is of a cluster before',
  },
  {
    id: 'says-join-other-token',
    pattern: /bootstrap data already found and encrypted with different token/,
    cause: () =>
      'The data of the cluster was encrypted with another token than this server is given',
    remedy: 'Give all servers the token of the first one (server/token in its data directory)',
  },
  {
    id: 'says-join-name-taken',
    pattern:
      /a Node with name "(?<name>[^"]+)" and status "?\w+"? already exists|(?<password>Node password rejected)/,
    cause: (found) =>
      word(found, 'name') === undefined
        ? 'The cluster knows a node of this name with another password: the machine was made anew, or two have the same name'
        : `The cluster has a node ${word(found, 'name')} already`,
    remedy:
      'Delete the old node (and its node-password secret) in the cluster, or give this machine a name of its own',
  },
  {
    id: 'says-join-settings-differ',
    pattern: /critical configuration (?:value )?mismatch between servers: (?<what>[^"\n]{3,200})/,
    cause: (found) =>
      `This server is configured otherwise than the ones that are there: ${word(found, 'what')}`,
    remedy: 'Give it the same settings as the first server',
  },
  {
    id: 'says-join-check',
    pattern:
      /\[ERROR (?<check>(?:Swap|CRI|NumCPU|Mem|ImagePull|SystemVerification|IsPrivilegedUser|Hostname|KubeletVersion|(?:Port|Service|File\w+|DirAvailable|ExternalEtcd|HTTPProxy)[\w-]*))\]: (?<why>[^\n]{5,200})/,
    cause: (found) =>
      `kubeadm does not take this machine as it is (${word(found, 'check')}): ${word(found, 'why')}`,
    remedy:
      'Set that right (swapoff -a, modprobe br_netfilter, free the port, "kubeadm reset" where an earlier run left data), and run it again',
  },
  {
    id: 'says-cgroup-memory',
    pattern: /Failed to find (?<what>memory|cpuset|cpu) cgroup/,
    cause: (found) =>
      `The kernel of this machine was started without the cgroup ${word(found, 'what')}`,
    remedy: 'Add cgroup_memory=1 cgroup_enable=memory to its kernel arguments, and restart it',
  },
  {
    id: 'says-node-address-missing',
    pattern: /failed to find interface with specified node ip/,
    cause: () => 'No network card of this machine has the address that it is to join with',
    remedy: 'Correct node-ip, or give the card that address ("ip -br address")',
  },
  {
    id: 'says-crc-check',
    pattern:
      /(?<why>\/dev\/\S{1,60} is not readable(?:\/writable)? by the current user|CRC is unsupported using WSL2|Hyper-V PowerShell Module is not available|crc-admin-helper executable is not cached|Too little memory \([^)]{2,20}\) allocated to the virtual machine.{0,120}|The executable version \(\S+\) doesn't match the daemon version \(\S+\)|\S+ does not have the SUID bit set.{0,40}|\S+ is not managed by systemd-resolved|vsock udev rule does not exist|VSock registry key for \w+ not correctly configured|AppArmor profile not configured|libvirt '?crc'? network (?:definition is incorrect|is not active)|[\w.-]+crc\.testing resolved to \S+ but \S+ was expected|unable to load pull secret from path "[^"]{0,120}" or from configuration|Error getting bundle name from CRC instance)/,
    cause: (found) => `CRC finds this host not set up for it: ${word(found, 'why')}`,
    remedy:
      'Run "crc setup" again with the same version (after "crc cleanup" where it changed), log in anew, and give the machine what it names',
  },
  {
    id: 'says-bmc-license',
    pattern:
      /LIC501|required license is missing or expired|(?:iLO|XCC) Advanced license (?:is )?required/i,
    cause: () =>
      'The management controller has no licence for what is asked of it (mostly virtual media)',
    remedy: 'Give it the licence, or install the machine by network boot or from an image by hand',
  },
  {
    id: 'says-bmc-sessions',
    pattern:
      /insufficient resources for session|SessionLimitExceeded|maximum number of user sessions/i,
    cause: () => 'The management controller has no session left: others are still open',
    remedy: 'Wait until they end, close them in its web page, or reset the controller',
  },
  {
    id: 'says-bmc-unreached',
    pattern: /Unable to establish LAN session/,
    cause: () => 'The management controller does not answer to IPMI',
    remedy:
      'Look at its address, at UDP 623, and whether IPMI over LAN is switched on (-I lanplus for IPMI 2.0)',
  },
  {
    id: 'says-bmc-name',
    pattern: /^(?:Error: )?Address lookup for (?<name>\S+) failed/,
    cause: (found) =>
      `The name of the management controller does not resolve: ${word(found, 'name')}`,
    remedy: 'Correct the name, put it into DNS, or give the address',
  },
  {
    id: 'says-bmc-local',
    pattern: /Could not open device at (?<device>\/dev\/ipmi\S*)/,
    cause: (found) =>
      `This machine has no ${word(found, 'device')}: its kernel has not loaded the driver of IPMI, or it has no such controller`,
    remedy:
      '"modprobe ipmi_devintf ipmi_si" and try again as root; to talk to another machine give -H and -I lanplus',
  },
  {
    id: 'says-ironic-node-unknown',
    pattern:
      /Could not look up node info|Failed looking up node with addresses (?<macs>'?[\da-f:,]{17,200})/i,
    cause: (found) =>
      `Ironic does not answer the agent on the server, or knows no host with its network cards${word(found, 'macs') === undefined ? '' : ` (${word(found, 'macs')})`}`,
    remedy:
      'Compare bootMACAddress of the host with the cards of the server, and reach port 6385 of Ironic from its network; a host in a wrong state is not found either',
  },
  {
    id: 'says-microshift-data',
    pattern:
      /executable \((?<has>[\d.]+)\) is (?<how>older than|too recent compared to) existing data \((?<data>[\d.]+)\)/,
    cause: (found) =>
      `This MicroShift (${word(found, 'has')}) does not take the data of another version (${word(found, 'data')}): ${word(found, 'how') === 'older than' ? 'it does not go back' : 'it takes at most two versions at once'}`,
    remedy:
      'Install a version that fits, go up by steps, or restore a backup of the data that was made by this version ("microshift restore"); "microshift-cleanup-data" begins anew',
  },
  {
    id: 'says-microshift-setting',
    pattern:
      /(?<why>error validating (?:node\.\w+|ingress\.\w+|network\.\w+|apiServer\.\w+|DNS)\b[^\n]{3,200}|multus cri-o configuration not found|invalid value for (?:apiserver|network|ingress|node|etcd)\.[\w.]+, expected [^\n"]{3,80}|no interface with valid address found on host)/,
    cause: (found) =>
      `MicroShift does not take its configuration or this host: ${word(found, 'why')}`,
    remedy:
      'Correct /etc/microshift/config.yaml or what it names ("microshift show-config" shows what is taken), and restart it',
  },
];
