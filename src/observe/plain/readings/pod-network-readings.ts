import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** Whose socket it is, by its name. */
const DATABASES: readonly (readonly [RegExp, string])[] = [
  [/\/ovn[ns]b_db\./, 'The database server of OVN'],
  [/\/ovs-vswitchd\./, 'ovs-vswitchd'],
  [/\/(?:db\.sock|ovsdb-server\.)/, 'ovsdb-server'],
];

/** What keeps a pod from its networks and names, in the words of the plugins. */
export const POD_NETWORK_READINGS: readonly PlainReading[] = [
  {
    id: 'says-attachment-missing',
    pattern:
      /cannot find a? ?network-attachment-definition \((?<name>[^)]+)\) in namespace \((?<namespace>[^)]+)\)|network-attachment-definitions\.k8s\.cni\.cncf\.io "(?<bare>[^"]+)" not found/,
    cause: (found) =>
      `There is no NetworkAttachmentDefinition ${word(found, 'name', 'bare')}${word(found, 'namespace') === undefined ? '' : ` in the namespace ${word(found, 'namespace')}`}, which the pod names as a network of its own`,
    remedy:
      'Make it there, or correct the annotation k8s.v1.cni.cncf.io/networks of the pod (NAMESPACE/NAME for one of another namespace)',
  },
  {
    id: 'says-netns-gone',
    pattern: /failed to Statfs \\*"(?<netns>[^"\\]*\/(?:ns\/net|netns\/[\w-]+))\\*": no such file/,
    cause: (found) =>
      `The sandbox of the pod had ended before its network was set up: its network namespace is gone (${word(found, 'netns')})`,
    remedy:
      'It is made anew by itself; where that does not end, the log of CRI-O on the node tells why sandboxes die',
  },
  {
    id: 'says-rule-refused',
    isGeneral: true,
    pattern:
      /ip6?tables(?:-restore)? v[\d.]+ \([\w-]+\): (?!can't initialize|Couldn't load|.{0,60}xtables lock)(?<why>[^\n]{6,200})/,
    cause: (found) => `A rule of iptables is not taken: ${word(found, 'why')}`,
    remedy:
      'Look who makes the rule (the line before names it) and from what: a Service, policy or setting without the address or set that it names, or a module that the kernel lacks',
  },
  {
    id: 'says-pod-not-annotated',
    pattern:
      /failed to get pod annotation: timed out waiting|timed out (?:while )?waiting for (?<binding>OVS port binding)/,
    cause: (found) =>
      word(found, 'binding') === undefined
        ? 'The control plane of OVN did not give the pod its address in time (the annotation k8s.ovn.org/pod-networks)'
        : 'OVN did not set up the port of the pod on the node in time (OVS port binding): ovn-controller there is slow, or does not get its flows from the database',
    remedy:
      'Where it lasts, look at the pods of openshift-ovn-kubernetes (ovnkube-control-plane or ovnkube-master, and ovnkube-node of that node) and their logs: one of them does not run, or is far behind',
  },
  {
    id: 'says-admin-policy',
    pattern:
      /error attempting to \w+ B?ANP (?<name>[\w.-]+)(?: with priority (?<priority>\d+))?(?: because,?| when,?|:) (?<why>.{8,200})/,
    cause: (found) =>
      `OVN does not apply the policy ${word(found, 'name')}${because(word(found, 'priority') && `priority ${word(found, 'priority')}`)}: ${word(found, 'why')}`,
    remedy:
      'Correct the AdminNetworkPolicy: OVN takes the priorities 0 to 99, and each of them once',
  },
  {
    id: 'says-podman-plugin-missing',
    pattern:
      /failed to find plugin "(?<plugin>[^"]+)" in path \[\/usr\/local\/libexec\/cni|failed to find plugin "(?<name>dnsname)"/,
    cause: (found) =>
      `The network plugin ${word(found, 'plugin', 'name')} of podman (CNI) is not installed on this host`,
    remedy:
      'Install containernetworking-plugins, for dnsname podman-plugins; a network that is kept from another version is made anew ("podman network rm", "create"), and podman 4 can use netavark instead (network_backend in containers.conf, then "podman system reset")',
  },
  {
    id: 'says-plugin-missing',
    pattern: /failed to find plugin "(?<plugin>[^"]+)" in path/,
    cause: (found) => `The network plugin ${word(found, 'plugin')} is not installed on the node`,
    remedy:
      'Correct "type" in the NetworkAttachmentDefinition, or install what brings the plugin; the pods of openshift-multus put those of OpenShift on each node',
  },
  {
    id: 'says-pod-addresses-gone',
    pattern:
      /(?<range>Could not allocate IP in range: .{4,120})|(?<pool>subnet address pool exhausted|no (?:more )?(?:free|available) IPs?(?: addresses)? (?:left|available)?.{0,60}|range is full|No available network for v[46]|failed to allocate for range \d+: no IP addresses available in range set.{0,80})/,
    isVague: true,
    cause: (found) =>
      `There is no free address left to give${because(word(found, 'range', 'pool'))}`,
    remedy:
      'Free addresses that nobody uses (stale IPPool entries of whereabouts, pods that ended), or give a larger range; of the cluster network, clusterNetwork can be widened',
  },
  {
    id: 'says-parent-card-missing',
    pattern:
      /(?:plugin type="(?<plugin>macvlan|ipvlan|vlan|host-device|bridge)"(?: name="(?<name>[^"]+)")? failed \(add\): |error adding container to network "(?<network>[^"]+)": )(?:failed to create (?:macvlan|ipvlan|vlan): )?(?:Link not found|failed to lookup master "(?<master>[^"]+)"|failed to find host device)/,
    cause: (found) =>
      `The network card that the ${word(found, 'plugin') === undefined ? '' : `${word(found, 'plugin')} `}network${named(word(found, 'name', 'network'))} builds on${named(word(found, 'master'))} is not on this node`,
    remedy:
      'Compare "master" of the NetworkAttachmentDefinition with "ip -br link" of the node; an NNCP can make it on all nodes',
  },
  {
    id: 'says-parent-card-taken',
    pattern: /failed to create (?<kind>macvlan|ipvlan|vlan)\b[^"]{0,60}: device or resource busy/,
    cause: (found) =>
      `The network card below the ${word(found, 'kind')} network is held by something that does not share it: a bridge or bond that it is a port of, or an interface of another kind (macvlan and ipvlan exclude each other)`,
    remedy:
      'Look at it on the node ("ip -d link show master CARD", "ip -d link"): take another card, build on the bridge or bond instead, or use one kind for all networks of that card',
  },
  {
    id: 'says-multus-silent',
    pattern:
      /failed to send CNI request: Post "http:\/\/dummy\/\w+": (?<why>(?:(?!: StdinData).){3,120})/,
    cause: (found) =>
      `The daemon of Multus on the node does not answer the plugin (${word(found, 'why')}): its pod does not run, was ended in between, or is too busy`,
    remedy:
      'Look at the pod multus of that node in openshift-multus: restarts, OOMKilled, its log of the same minute; pods are tried again by themselves when it is back',
  },
  {
    id: 'says-multus-login',
    pattern:
      /[Mm]ultus: \[(?<pod>[^\]]+)\]: error (?:waiting for|getting) pod: (?<why>Unauthorized)/,
    cause: (found) =>
      `The API does not accept the login that Multus asks with for the pod ${word(found, 'pod')} (${word(found, 'why')}): its token or certificate has ended, or is of another time`,
    remedy:
      'Restart the pod multus of that node ("oc -n openshift-multus delete pod ..."), which writes its kubeconfig anew; compare the clock of the node',
  },
  {
    id: 'says-whereabouts-late',
    pattern: /time limit exceeded while waiting to become leader/,
    cause: () =>
      'Whereabouts did not get its turn to give the pod an address: another holds the lease for too long, or the API is slow',
    remedy:
      'Start fewer of these pods at once; look for the lease "whereabouts" in openshift-multus that a node which is gone still holds, and at the load of the API',
  },
  {
    id: 'says-vf-missing',
    pattern: /LoadConf\(\): VF pci addr is required/,
    cause: () => 'The pod was given no virtual function of an SR-IOV card',
    remedy:
      'The NetworkAttachmentDefinition needs the annotation k8s.v1.cni.cncf.io/resourceName, and the node free functions of that resource ("oc describe node")',
  },
  {
    id: 'says-bgp-down',
    pattern:
      /BIRD is not ready: (?:Error querying BIRD: .{0,80}|BGP not established with (?<peers>[\d.,: a-f]+))/,
    cause: (found) =>
      `Calico of this node has no BGP session${word(found, 'peers') === undefined ? '' : ` with ${word(found, 'peers')}`}`,
    remedy:
      'Look whether TCP port 179 passes between the nodes, whether they chose the right card (IP_AUTODETECTION_METHOD), and at the log of calico-node',
  },
  {
    id: 'says-calico-down',
    pattern:
      /felix is not ready|stat \/var\/lib\/calico\/nodename: no such file|error getting ClusterInformation: (?<why>.{4,120})/,
    cause: (found) => `Calico is not ready on this node${because(word(found, 'why'))}`,
    remedy:
      'Look at the pod calico-node of that node and its log; where its token has ended, restart that pod',
  },
  {
    id: 'says-ovs-down',
    pattern:
      /ov[sn]-\w+: (?:unix:)?(?<socket>\/[^\s:]+\.sock): database connection failed \((?<why>No such file or directory|Connection refused|Protocol error)\)|ov[sn]-appctl: (?:cannot connect to "(?<ctl>[^"]+)" \((?<said>[^)]+)\)|(?<pid>\/[^\s:]+\.pid): open: (?<open>No such file or directory))/,
    cause: (found) =>
      `${DATABASES.find(([name]) => name.test(word(found, 'socket', 'ctl', 'pid') ?? ''))?.[1] ?? 'The daemon behind it'} does not run on this machine, or not where it is asked: ${word(found, 'socket', 'ctl', 'pid')} ${word(found, 'why', 'said', 'open') === 'Connection refused' ? 'is there and nobody answers' : 'is not there'}`,
    remedy:
      'Start it (openvswitch, ovsdb-server, ovs-vswitchd; of OVN its pods), and read its log where it does not stay; the command must look in the same folder of sockets (OVS_RUNDIR)',
  },
  {
    // What ovnkube asks by the way it logs with the number of the call.
    id: 'says-ovs-bridge-missing',
    pattern:
      /^(?!.*\b[Ee]xec\(\d+\): stderr).*?(?:ovs-vsctl: no bridge named (?<bridge>\S+)|ovs-ofctl: (?<of>\S+) is not a bridge or a socket)/,
    cause: (found) => `Open vSwitch has no bridge ${word(found, 'bridge', 'of')} on this machine`,
    remedy:
      '"ovs-vsctl show" lists those there are; on a node ovs-configuration makes br-ex and OVN br-int: their logs tell why not',
  },
  {
    id: 'says-dns-loop',
    pattern: /Loop \((?<loop>[^)]+)\) detected for zone/,
    cause: (found) =>
      `CoreDNS asks itself for names that it does not know (${word(found, 'loop')})`,
    remedy:
      'Its upstream leads back to it: give the node, or the DNS operator (spec.upstreamResolvers), the name servers of the site instead of a local one',
  },
  {
    id: 'says-service-unknown',
    pattern:
      /lookup (?<name>[\w-]+\.[\w-]+\.svc(?:\.cluster\.local)?)\.?(?: on (?<server>[\d.:a-f]+))?: no such host/,
    cause: (found) =>
      `The service name ${word(found, 'name')} is not known to ${word(found, 'server') ?? 'the name server that was asked'}: there is no such service, or the name server is none of the cluster`,
    remedy:
      'Look whether the service exists ("oc get svc -n NAMESPACE"); names that end in .svc are known inside the cluster only, to dns-default, not to the name servers of the site',
  },
  {
    id: 'says-no-service-address',
    pattern: /Failed to allocate IP for "(?<service>[^"]+)": (?<why>.{4,120})/,
    cause: (found) =>
      `The service ${word(found, 'service')} gets no address from MetalLB (${word(found, 'why')})`,
    remedy:
      'Widen an IPAddressPool, or free an address; see that a pool is meant for this namespace',
  },
  {
    id: 'says-attachment-config',
    pattern: /Error loading CNI config file (?<file>[^\s:]+): (?<why>.{4,160})/,
    cause: (found) =>
      `The configuration of a pod network cannot be read (${word(found, 'file')}: ${word(found, 'why')})`,
    remedy:
      'Correct spec.config of the NetworkAttachmentDefinition: JSON with cniVersion, name and type',
  },
  {
    id: 'says-network-rolled-back',
    pattern:
      /failed run+ig?n?g? probes after network changes(?:: failed to run probe:? ['"]?(?<probe>[\w -]{2,20}?)['"]?,)?|failed to run probe '?(?<other>default gw|ping|dns|api-server|node-readiness)'?/,
    cause: (found) =>
      `The new network settings of the node were taken back, because it did not work with them${because(word(found, 'probe', 'other'))}`,
    remedy:
      'Correct the NodeNetworkConfigurationPolicy so that the node keeps its default gateway, its name servers and the way to the API; the checks run for two minutes',
  },
  {
    id: 'says-node-without-subnet',
    pattern:
      /failed to get subnet for this host: (?<node>[^\s,]+)|(?:error adding node |waiting for node )"?(?<added>[^"\s]+?)"?(?: annotation)?: could not find "k8s\.ovn\.org\/node-subnets" annotation|could not find subnet for (?<this>this node)|error allocating networks? for node (?<full>[\w.-]+): no subnets available/,
    cause: (found) =>
      word(found, 'full') === undefined
        ? `${word(found, 'this') === undefined ? `The node ${word(found, 'node', 'added')}` : 'This node'} was given no part of the cluster network`
        : `The cluster network has no part left for the node ${word(found, 'full')}: all are given to other nodes`,
    remedy:
      'Look at the network controller of the control plane, and whether clusterNetwork has a part left for it (its size and hostPrefix)',
  },
  {
    id: 'says-no-egress-node',
    pattern: /no assignable nodes(?: for EgressIP: (?<name>[\w.-]+))?/,
    cause: (found) => `No node may hold the egress address${named(word(found, 'name'))}`,
    remedy: 'Label nodes of that network with k8s.ovn.org/egress-assignable=""',
  },
  {
    id: 'says-dns-pods-missing',
    pattern: /Have (?<have>\d+) available DNS pods, want (?:at least )?(?<want>\d+)/,
    cause: (found) =>
      `The cluster has ${word(found, 'have')} of its DNS pods, and wants ${word(found, 'want')}`,
    remedy: 'Look at the pods dns-default in openshift-dns and their nodes',
  },
  {
    id: 'says-pod-not-disconnected',
    pattern: /error removing pod (?<pod>\S+) from CNI network \\?"(?<network>[^"\\]+)\\?"/,
    cause: (found) =>
      `The network plugin does not take the pod ${word(found, 'pod')} off its network (${word(found, 'network')}), so it is not removed`,
    remedy:
      'Look at the network pods of that node (multus, ovnkube-node) and their logs; they try again',
  },
  {
    id: 'says-ovn-database-silent',
    pattern:
      /\|(?<end>(?:ssl|tcp):[^|\s]+): no response to inactivity probe after (?<time>[\d.]+ seconds)/,
    cause: (found) =>
      `The OVN database at ${word(found, 'end')} gave no answer for ${word(found, 'time')}: it is overloaded, or its machine does not answer`,
    remedy:
      'Look at the load of that machine and the pods of openshift-ovn-kubernetes on it (nbdb, sbdb, northd)',
  },
];
