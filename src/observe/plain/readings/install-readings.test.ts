import { expect, test } from 'vitest';
import { readPlainly } from '../read-plainly.ts';
import { INSTALL_READINGS } from './install-readings.ts';

/** A line of each program as it logs, where it comes from, and what is quoted of it. */
const STATED: readonly (readonly [line: string, origin: string, id: string, cause: string])[] = [
  [
    'DEBUG libvirt_ignition.fern: Still creating... (40s elapsed)',
    'installer-log',
    'says-libvirt-pool-waits',
    'libvirt has not stored fern after 40s: its storage pool is not there',
  ],
  [
    'libvirt_cloudinit_disk.fern[0]: Still creating... [1m10s elapsed]',
    '*',
    'says-libvirt-pool-waits',
    'libvirt has not stored fern[0] after 1m10s',
  ],
  [
    'Error: expected "cidr_block" to contain a valid network Value, expected 10.8.0.0/14, got 10.9.0.0/14',
    '*',
    'says-network-of-no-start',
    '10.9.0.0/14 is not written as a network: its address is one inside a network of that size, not the first (10.8.0.0/14)',
  ],
  [
    'ValueError: 10.9.4.3/24 has host bits set',
    '*',
    'says-network-of-no-start',
    '10.9.4.3/24 is not written as a network',
  ],
  [
    `Invalid input for operation: '10.9.4.3/24' isn't a recognized IP subnet cidr, '10.9.4.0/24' is recommended.`,
    '*',
    'says-network-of-no-start',
    'not the first (10.9.4.0/24)',
  ],
  [
    '"10.9.4.3/24" is not a valid IPv4 CIDR block; did you mean "10.9.4.0/24"?',
    '*',
    'says-network-of-no-start',
    'not the first (10.9.4.0/24)',
  ],
  [
    'Ignition failed: mount path "/srv/moss" contains non-directory component "srv"',
    'journal:node/ignition',
    'says-ignition',
    'Ignition does not set up the machine: mount path "/srv/moss" contains',
  ],
  [
    'waiting for Kubernetes API: context deadline exceeded',
    'installer-log',
    'says-api-not-up',
    'The Kubernetes API of the new cluster did not come up in the time',
  ],
  [
    'level=error msg=Cluster operator moss Available is False with MossController_Deploying: MossControllerAvailable: Waiting for Deployment',
    'installer-log',
    'says-operator-told',
    'The cluster operator moss is not available: MossControllerAvailable: Waiting for Deployment',
  ],
  [
    'ERROR Cluster operator moss Degraded is True with Moss_Dry: the lid of the depot is open',
    'installer-log',
    'says-operator-told',
    'The cluster operator moss is degraded: the lid of the depot is open',
  ],
  [
    'error syncing creds in mint-mode: error creating key: rpc error: code = FailedPrecondition desc = Key creation is not allowed on this service account.',
    '*',
    'says-machine-config',
    'The controller does not bring about creds in mint-mode: error creating key',
  ],
  [
    'failed: [fern-0] (item=moss) => {"ansible_loop_var": "item", "changed": false, "item": "moss", "msg": "the lid of moss is no list"}',
    '*',
    'says-ansible',
    'A task of Ansible fails on fern-0: the lid of moss is no list',
  ],
  [
    "The Virtual Machine Management Service failed to start the virtual machine 'fern' because one of the Hyper-V components",
    '*',
    'says-local-host',
    "failed to start the virtual machine 'fern' because one of the Hyper-V components",
  ],
  [
    'Error: saving partitions from an MBR disk is not yet supported',
    'journal:node/coreos-installer-service',
    'says-coreos-installer',
    'coreos-installer stops: saving partitions from an MBR disk is not yet supported',
  ],
  [
    'Error: install failed Caused by: Secure IPL is not supported',
    'journal:node/coreos-installer-service',
    'says-coreos-installer',
    'coreos-installer stops: Secure IPL is not supported',
  ],
  [
    "Warning: Downloading 'http://10.9.0.2/fern/images/install.img' failed!",
    'journal:node/dracut-initqueue',
    'says-boot-file-missing',
    'The start of the installer does not get http://10.9.0.2/fern/images/install.img: the address is wrong',
  ],
  [
    'Warning: anaconda: failed to fetch kickstart from http://10.9.0.2/fern.ks',
    'journal:node/dracut-initqueue',
    'says-boot-file-missing',
    'The start of the installer does not get kickstart http://10.9.0.2/fern.ks: the address is wrong',
  ],
  [
    'http://10.9.0.2:8080/fern.ipxe... No such device (https://ipxe.org/2c048087)',
    '*',
    'says-ipxe',
    'iPXE does not get http://10.9.0.2:8080/fern.ipxe: No such device',
  ],
  [
    'Error: parsing the list Caused by: 0: the moss of line 3 is no number',
    '*',
    'says-caused-by',
    'By its own words: the moss of line 3 is no number',
  ],
  [
    'Error: This ISO image already has an embedded Ignition config; use -f to force.',
    '*',
    'says-coreos-image',
    'does not take the image: This ISO image already has an embedded Ignition config',
  ],
  [
    '2026-03-02 10:00:00.123 1 ERROR ironic.conductor.utils [None req-0c9f - - - - - -] Cleaning a node in maintenance mode is not allowed',
    '*',
    'says-ironic',
    'Ironic reports: Cleaning a node in maintenance mode is not allowed',
  ],
  [
    `level=error msg="Error: could not inspect: could not inspect node, node is currently 'inspect failed', last error was 'Failed to inspect hardware. Reason: unable to start inspection: 'System' object has no attribute 'moss''"`,
    '*',
    'says-ironic',
    "Ironic reports: unable to start inspection: 'System' object has no attribute 'moss",
  ],
  [
    'ERRO Error in driver during machine creation: getting MAC address from UUID: vmnet: error from vmnet.framework: -1',
    '*',
    'says-local-host',
    "By the program's own check of this host: vmnet: error from vmnet.framework: -1",
  ],
  [
    'ERROR Installing to filesystem: Installing bootloader: Failed to find PReP partition with GUID 9E1A',
    '*',
    'says-bootc',
    'bootc does not install the system: Failed to find PReP partition with GUID 9E1A',
  ],
  [
    "ERROR Creating rootfs: Rereading partition table: couldn't reread partition table: device may not support partitions: EINVAL: Invalid argument",
    '*',
    'says-bootc',
    "bootc does not install the system: Rereading partition table: couldn't reread partition table: device may not support partitions",
  ],
  [
    'time="22-09-2026 18:55:57" level=error msg="failed to ping address fd00:53ba::1e0e" file="ping_checker.go:29" error="exit status 1"',
    '*',
    'says-host-unpinged',
    'A host does not get an answer from fd00:53ba::1e0e',
  ],
  [
    'E0302 08:04:00.537132 1 controller.go:474] "Reconciler error" err="failed to get spec.fern.apiVersion from Depot" controller="topology/cluster" reconcileID="dbaf"',
    '*',
    'says-error-field',
    'The program reports: failed to get spec.fern.apiVersion from Depot',
  ],
  [
    String.raw`fatal: [fern-0]: FAILED! => {"msg": "The error was: no lid for 'moss_'\n\nThe error appears to be in '/srv/main.yml': line 18"}`,
    '*',
    'says-ansible',
    "A task of Ansible fails on fern-0: The error was: no lid for 'moss_'",
  ],
  [
    "  errorMessage: 'Cleaning failed: the moss of the disk is too old'",
    '*',
    'says-host-error',
    'is in error: Cleaning failed: the moss of the disk is too old',
  ],
  [
    '  Normal  PreparationError  12s  metal3-baremetal-controller  the RAID of fern-2 has no first volume',
    '*',
    'says-host-error',
    'is in error: the RAID of fern-2 has no first volume',
  ],
  [
    "  failureMessage: 'no crate of the depot fits the machine fern-2'",
    '*',
    'says-host-error',
    'is in error: no crate of the depot fits the machine fern-2',
  ],
  [
    'tern                              Partial    False       UnhealthyControlPlaneComponents   Kubernetes APIServer load balancer is not provisioned; 9m since creation.',
    '*',
    'says-hosted-cluster',
    'The control plane of the hosted cluster tern is not available (UnhealthyControlPlaneComponents): Kubernetes APIServer load balancer',
  ],
  [
    'tern   4.16.1   tern-admin-kubeconfig   Partial    False   False   WaitingForAvailable',
    '*',
    'says-hosted-cluster',
    'hosted cluster tern is not available (WaitingForAvailable)',
  ],
  [
    '{"code":"400","href":"","id":400,"kind":"Error","reason":"Setting API VIPs is forbidden when cluster \\"fern\\" is in vip-dhcp-allocation mode"}',
    '*',
    'says-assisted',
    'reports: Setting API VIPs is forbidden when cluster "fern" is in vip-dhcp-allocation mode',
  ],
  [
    "    message: 'The Spec could not be synced due to an input error: the moss of fern-2 is no version'",
    '*',
    'says-assisted',
    'reports: the moss of fern-2 is no version',
  ],
  [
    'time="2026-03-02T10:00:00Z" level=error msg="failed to update" func="github.com/openshift/assisted-service/a.B" file="/src/a.go:7" error="release moss is not one of ours" pkg=Inventory',
    '*',
    'says-assisted',
    'reports: release moss is not one of ours',
  ],
  [
    'time="2026-03-02T10:00:00Z" level=error msg="device /dev/fern is not large enough to fit the registry data"',
    'journal:node/assisted-installer',
    'says-assisted-step',
    'reports: device /dev/fern is not large enough',
  ],
  [
    'ignition[812]: files: createUsers: op(2): [failed]   creating or modifying user "fern": exit status 6: Cmd: "useradd" "--root" "/sysroot" "fern" Stdout: "" Stderr: "useradd: group moss does not exist"',
    'journal:node/ignition',
    'says-ignition-command',
    'Ignition does not get through with creating or modifying user "fern": useradd: group moss does not exist',
  ],
  [
    'sushy.exceptions.InvalidParameterValueError: The parameter "target" value "Moss" is invalid. Valid values are: Pxe, Cd',
    '*',
    'says-ironic',
    'Ironic reports: The parameter "target" value "Moss" is invalid',
  ],
  [
    String.raw`time="2026-03-02T10:00:00Z" level=error msg="failed to prepare install device /dev/sda, err failed executing vgremove --force moss, Error exit status 5, LastOutput \"Logical volume moss/root in use.\""`,
    '*',
    'says-assisted-command',
    'fails on the host: Logical volume moss/root in use (vgremove --force moss)',
  ],
  [
    'level=warning msg="Node fern-1 has desiredConfig rendered-master-ab12 which does not exist (state=Degraded), waiting..."',
    '*',
    'says-rendered-missing',
    'The node fern-1 wants the machine configuration rendered-master-ab12',
  ],
  [
    'E0302 10:00:00.123456 1 kubelet_config_controller.go:371] Error syncing kubeletconfig set-moss: KubeletConfiguration: autoSizingReserved and systemdReserved cannot be set together',
    '*',
    'says-machine-config',
    'The machine configuration (kubeletconfig set-moss) is not taken: KubeletConfiguration: autoSizing',
  ],
  [
    '{"level":"error","ts":"2026-03-02T10:00:00Z","msg":"Reconciler error","error":"action \\"preparing\\" failed: no moss named \\"fern\\"","stacktrace":"a.b"}',
    '*',
    'says-error-field',
    'The program reports: action "preparing" failed: no moss named "fern"',
  ],
];

test.each(STATED)('readPlainly quotes of %j, from %s', (line, origin, id, cause) => {
  const reading = readPlainly(line, undefined, [origin]);

  expect(reading?.id).toBe(id);
  expect(reading?.cause).toContain(cause);
});

test('each of them has a line', () => {
  const ids = INSTALL_READINGS.map(({ id }) => id);

  expect(ids.filter((id) => !STATED.some(([, , known]) => known === id))).toEqual([]);
});

test.each([
  ['Error: saving partitions from an MBR disk is not yet supported', 'journal:node/fern'],
  ['time="2026-03-02T10:00:00Z" level=error msg="device /dev/fern is too small"', 'installer-log'],
  ['  errorMessage: ""', '*'],
  ['Ignition failed: exit status 1', 'journal:node/ignition'],
  [
    '{"level":"error","msg":"Reconciler error","error":"Operation on fern: the object has been modified; please apply your changes to the latest version"}',
    '*',
  ],
  ['{"level":"info","msg":"done","error":"none to speak of"}', '*'],
  ['2026-03-02 10:00:00.123 1 INFO ironic.conductor.utils [None req-0c9f] Node is on', '*'],
])('readPlainly quotes nothing of %j, from %s', (line, origin) => {
  expect(readPlainly(line, undefined, [origin])).toBeUndefined();
});
