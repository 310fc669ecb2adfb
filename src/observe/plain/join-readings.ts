import { type PlainReading, word } from './plain-reading.ts';

/** What keeps machines out of clusters that kubeadm, k3s and RKE2 make, and CRC from its own. */
export const JOIN_READINGS: readonly PlainReading[] = [
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
      /(?<why>\/dev\/\S{1,60} is not readable(?:\/writable)? by the current user|CRC is unsupported using WSL2|Hyper-V PowerShell Module is not available|crc-admin-helper executable is not cached|Too little memory \([^)]{2,20}\) allocated to the virtual machine.{0,120}|The executable version \(\S+\) doesn't match the daemon version \(\S+\)|\S+ does not have the SUID bit set.{0,40}|\S+ is not managed by systemd-resolved|vsock udev rule does not exist|VSock registry key for \w+ not correctly configured|AppArmor profile not configured)/,
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
];
