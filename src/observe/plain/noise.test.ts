import { expect, test } from 'vitest';
import { once } from '../../core/bytes.ts';
import { silentContext } from '../../core/context.ts';
import { diagnose } from '../diagnose.ts';

const NOW = new Date('2026-11-18T12:00:00Z');

/** What is claimed of a text, by a rule or as likely. */
async function claimsOf(...lines: readonly string[]): Promise<string[]> {
  const open = () => once(Buffer.from(`${lines.join('\n')}\n`));
  const input = { name: 'paste.txt', modified: NOW, open };
  const { findings, likely } = await diagnose(silentContext({ now: () => NOW }), [input]);
  return [...findings.map(({ id }) => id), ...(likely ? [likely.id] : [])];
}

const FAILED = 'depotctl: error: the crate "7" has no lid';

/** What healthy machines say, in the words of many programs. */
const NOISE: readonly (readonly [of: string, line: string])[] = [
  [
    'an installer that cannot gather logs',
    'level=error msg="bootstrap host address and at least one control plane host address must be provided"',
  ],
  [
    'a controller that comes too late',
    'E1118 00:11:22.123456       1 depot.go:53] sync "fern/lid" failed with Operation cannot be fulfilled on lids.fern.lan "lid": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    'podman without root',
    'WARN[0000] Failed to add conmon to cgroupfs sandbox cgroup: error creating cgroup for pids: mkdir /sys/fs/cgroup/pids/libpod_parent: permission denied',
  ],
  [
    'a registry before the login',
    'time="2026-11-18T00:11:22Z" level=error msg="error authorizing context: authorization token required" http.request.method=GET http.request.uri="/v2/"',
  ],
  [
    'the firmware of a server',
    String.raw`[    0.311223] ACPI Error: Aborting method \_SB.LID0._STA due to previous error (AE_NOT_FOUND) (20210730/psparse-529)`,
  ],
  [
    'a kubelet that starts',
    'E1118 00:11:22.123456    2044 kubelet.go:1466] "Image garbage collection failed once. Stats initialization may not have completed yet" err="invalid capacity 0 on image filesystem"',
  ],
  [
    'what is passed over',
    "systemd-sysctl[611]: Couldn't write '1' to 'net/fern/lids', ignoring: No such file or directory",
  ],
  [
    'what is passed over from the start',
    "depotd[811]: Ignoring duplicate lid 'a' in file '/srv/lids': it cannot be sealed twice",
  ],
  [
    'what says so itself',
    'W1118 00:11:22.123456       1 depot.go:40] Error getting lids: lids.fern.lan "a" not found. It can be safely ignored.',
  ],
];

test.each(NOISE)('diagnose claims nothing of %s', async (_of, line) => {
  expect(await claimsOf(line)).toEqual([]);
  expect(await claimsOf(line, line, line)).toEqual([]);
});

test.each(NOISE)('what fails is seen beside %s', async (_of, line) => {
  expect(await claimsOf(FAILED, line)).toEqual(['says-itself']);
  expect(await claimsOf(line, FAILED)).toEqual(['says-itself']);
});

test.each(NOISE)('an error that says nothing is not explained by %s', async (_of, line) => {
  expect(await claimsOf(line, 'depotctl: error: exit status 1')).toEqual([]);
});

test('a manifest that waits for its kind is a symptom, and nothing more is read from it', async () => {
  const waits =
    '"99_fern.yaml": unable to get REST mapping for "99_fern.yaml": no matches for kind "Lid" in version "fern.lan/v1"';

  expect(await claimsOf('[#12] failed to create some manifests:', waits)).toEqual([
    'boot-cb-assets-retried',
  ]);
});

test('who was told to write an object and comes too late has failed', async () => {
  const late =
    'Operation cannot be fulfilled on lids.fern.lan "lid": the object has been modified; please apply your changes to the latest version and try again';

  expect(await claimsOf(`Error from server (Conflict): ${late}`)).toEqual(['says-object-changed']);
  expect(await claimsOf(`Error: UPGRADE FAILED: ${late}`)).toEqual(['says-object-changed']);
});

test('files that the start of an installer asks for besides are told from those it needs', async () => {
  const notFound =
    'dracut-initqueue[1534]: curl: (22) The requested URL returned error: 404 Not Found';
  const failed = (file: string) =>
    `dracut-initqueue[1534]: Warning: Downloading 'http://10.9.0.2/fern/images/${file}' failed!`;

  expect(await claimsOf(notFound, failed('updates.img'), notFound)).toEqual([]);
  expect(await claimsOf(notFound, failed('install.img'))).toEqual(['says-boot-file-missing']);
});

test('what the kernel notes of devices is no failure, and what stops a machine is', async () => {
  expect(
    await claimsOf('kernel: lidd 0000:3b:00.0: missing or invalid FERN field of "lid 3".'),
  ).toEqual([]);
  expect(
    await claimsOf('kernel: lidd 0000:3b:00.0: the link of "lid 3" is down, no carrier'),
  ).not.toEqual([]);
});

test('a command that warns and prints what it was asked for has done it', async () => {
  const warned = 'WARN[0000] the lid of /srv/depot cannot be sealed: permission denied';

  expect(await claimsOf('$ depotctl date', warned, 'Mon Nov 16 21:39:58 UTC 2026')).toEqual([]);
  expect(await claimsOf('$ depotctl date', warned)).toEqual(['says-access-denied']);
});

/** What ordinary starts, probes and clean-ups print, each alone. */
const SAID_BESIDE: readonly string[] = [
  "kernel: acpi PNP0A03:00: fail to add MMCONFIG information, can't access extended PCI configuration space under this bridge.",
  'kernel: floppy: error -5 while reading block 0',
  "kernel: hub 2-0:1.0: config failed, hub doesn't have any ports! (err -19)",
  'kernel: overlayfs: unrecognized mount option "volatile" or missing value',
  'kernel: pci 0000:04:00.0: BAR 6: no space for [mem size 0x00080000 pref]',
  'kernel: AMD-Vi: AMD IOMMUv2 functionality not available on this system - This is not a bug.',
  "systemd-udevd[611]: specified group 'lids' unknown",
  'systemd-tmpfiles[611]: Failed to parse ACL "d:group:adm:r-x": Invalid argument. Ignoring',
  'systemd[1]: till.service: Failed to reset devices.list: Operation not permitted',
  'systemd[1]: Failed unmounting /var/lib/nfs/rpc_pipefs.',
  'multipathd[811]: sda: failed to get sysfs uid: Invalid argument',
  'rpcbind[811]: cannot open file = /run/rpcbind/rpcbind.xdr for writing',
  'udisksd[811]: Failed to load module mdraid: libbd_mdraid.so.2: cannot open shared object file: No such file or directory',
  'modprobe: FATAL: Module ip_tables is builtin.',
  'named[911]: automatic empty zone: 10.IN-ADDR.ARPA',
  'dracut-pre-trigger[411]: cat: /tmp/dmpd.conf: No such file or directory',
  'E1118 00:11:22.123456    2044 log_metrics.go:66] failed to get pod stats: failed to get imageFs info: non-existent label "crio-images"',
  'W1118 00:11:22.123456    2044 iptables.go:240] Error checking iptables version, assuming version at least 1.8.0: exec: "iptables": not found',
  'E1118 00:11:22.123456       1 garbagecollector.go:360] "Unhandled Error" err="error syncing item &garbagecollector.node{identity:lid}: serviceaccounts \\"till\\" not found"',
  'E1118 00:11:22.123456       1 pv_controller.go:1463] error finding provisioning plugin for claim fern/till: no volume plugin matched name: kubernetes.io/no-provisioner',
  'E1118 00:11:22.123456       1 tokens_controller.go:262] error synchronizing serviceaccount fern/default: secrets "default-token-aa" is forbidden: unable to create new content in namespace fern because it is being terminated',
  'E1118 00:11:22.123456       1 queueinformer_operator.go:290] sync "fern" failed: csv is in phase Replacing',
  '2026-11-18T00:11:22Z [ERROR] [/common/config/store/store.go:42]: failed to get key admiral_url, error: the configure value is not set',
  'ERRO[0000] Unable to cleanup network for container 12ab: "netavark: open container netns: No such file or directory (os error 2)"',
  'WARN[2026-11-18T00:11:22Z] failed to determine if container is already mounted  container=12ab error="lstat /srv/docker/rootfs/overlayfs/12ab: no such file or directory"',
  'dockerd[726]: time="2026-11-18T00:11:22Z" level=error msg="Not continuing with pull after error: context canceled"',
  'libvirtd[911]: internal error: End of file from agent socket',
  'ignition[811]: VirtualBox guest property "/Ignition/Config" does not exist; assuming no config',
];

test.each(SAID_BESIDE)('diagnose claims nothing of %s', async (line) => {
  expect(await claimsOf(line)).toEqual([]);
});

/** Failures of the same programs, in words near to those that are known to be harmless. */
const STILL_FAILS: readonly string[] = [
  'kernel: EXT4-fs error (device sda4): ext4_find_entry:1455: inode #2: comm systemd: reading directory lblock 0',
  'kernel: SQUASHFS error: zlib decompression failed, data probably corrupt',
  "kernel: EXT4-fs (sda1): VFS: Can't find ext4 filesystem",
  'systemd[1]: till.service: Failed to parse PID from file /run/till.pid: Invalid argument',
  'rpcbind[811]: cannot bind tcp: Address already in use',
  'lvm[811]:   /dev/sdb: open failed: No such file or directory',
  'modprobe: FATAL: Module br_netfilter not found in directory /lib/modules/5.14.0',
  'dnsmasq-tftp[911]: file /srv/tftp/pxelinux.cfg/default not found',
  "named[911]: couldn't add command channel 127.0.0.1#953: address in use",
  'NetworkManager[930]: <error> [1600000000.1111] platform-linux: do-change-link[5]: failure 16 (Device or resource busy)',
  'Error: unable to clean up network for container 12ab: netavark: failed to delete firewall rules',
  'Error creating: pods "till-7d9-" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes (volume "lid")',
  'level=error msg=Cluster operator insights Degraded is True with UploadFailed: Unable to report: unable to build request',
  'time="2026-11-18T00:11:22.123Z" level=error msg="response completed with error" err.code=unknown err.detail="s3aws: AccessDenied: Access Denied" err.message="unknown error" http.request.method=HEAD http.request.uri="/v2/till/blobs/sha256:12" http.response.status=500',
  'nginx: [emerg] open() "/var/log/nginx/error.log" failed (13: Permission denied)',
  'error: the lid of the depot is missing, assuming nothing',
  "error: Failed to start domain 'till': qemu-kvm: -chardev socket,id=charchannel0: Failed to bind socket to /srv/qemu/org.qemu.guest_agent.0: No such file or directory",
  'error: failed to connect to the hypervisor: internal error: Unable to get system bus connection: Could not connect: No such file or directory',
  'Error: statfs /srv/depot: Inappropriate ioctl for device',
  `fatal: [bastion]: FAILED! => {"msg": "the lid is not there. [DEPRECATION WARNING]: lids"}`,
  `E1118 00:11:22.123456       1 event.go:276] Unable to write event: 'Post "https://api-int.fern.lan:6443/api/v1/namespaces/fern/events": x509: certificate has expired or is not yet valid' (may retry after sleeping)`,
  'depotctl: hostname could not be resolved, falling back to localhost',
];

test.each(STILL_FAILS)('a failure is told though its words are near to noise: %s', async (line) => {
  expect(await claimsOf(line)).not.toEqual([]);
});
