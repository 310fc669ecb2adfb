import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What disks, volumes and network storage say of themselves on a host. */
export const DISK_READINGS: readonly PlainReading[] = [
  {
    id: 'says-mount-full',
    // Images that are mounted are always full; so is the root of a system that is one.
    pattern:
      /^\s*(?!\/dev\/loop|composefs|overlay|squashfs|udev|none)(?<device>\S+)(?: +[\d.]+[KMGTP]?i?B?){2} +[\d.]+[KMGTP]?i?B? +(?:100|99)% +(?<mount>\/\S*)\s*$/,
    cause: (found) =>
      `The file system at ${word(found, 'mount')} is full (${word(found, 'device')})`,
    remedy:
      'Make room there, or give it a larger disk ("du -xh --max-depth=1" shows what takes it)',
  },
  {
    id: 'says-fstab-entry',
    pattern: /mount: (?<path>\/\S*): can't find in \/etc\/fstab/,
    cause: (found) =>
      `/etc/fstab has no entry for ${word(found, 'path')}, and the command does not say what is to be mounted there`,
    remedy: 'Add the entry, or name the disk and the directory both ("mount DISK DIRECTORY")',
  },
  {
    id: 'says-file-system-twice',
    pattern: /XFS \((?<device>[^)]+)\): Filesystem has duplicate UUID/,
    cause: (found) =>
      `The XFS file system on ${word(found, 'device')} has the same UUID as one that is mounted already: it is a copy or a snapshot of it, or the same disk by another path`,
    remedy:
      'Of a copy, mount it with -o nouuid, or give it a UUID of its own ("xfs_admin -U generate DISK"); of another path, use the multipath device',
  },
  {
    id: 'says-not-ext',
    pattern: /resize2fs: Bad magic number in super-block while trying to open (?<device>\S+)/,
    cause: (found) =>
      `The file system on ${word(found, 'device')} is no ext2, ext3 or ext4, which is all that resize2fs can widen`,
    remedy: '"lsblk -f" shows what it is; XFS is widened with "xfs_growfs MOUNTPOINT"',
  },
  {
    id: 'says-smart',
    pattern:
      /Device: (?<device>\/dev\/\S+?)(?: \[[^\]]*\])?, (?<why>FAILED SMART self-check|[1-9]\d* (?:Currently unreadable|Offline uncorrectable)[\w ()]{0,40})|SMART overall-health self-assessment test result: (?<result>FAILED!?)/,
    cause: (found) =>
      `The disk${named(word(found, 'device'))} reports that it is failing (${word(found, 'why', 'result')})`,
    remedy: 'Save what is on it and replace it ("smartctl -a DISK")',
  },
  {
    id: 'says-device-read-only',
    pattern:
      /(?<device>\/dev\/(?!null\b|shm\b)[\w./-]+)['"]?: (?:[\w ]{3,60}: )?Read-only file system|Problem opening (?<sgdisk>\/dev\/\S+) for reading! Error is 30\b|blockdev: .{0,40}(?<blockdev>\/dev\/\S+).{0,40}Read-only/i,
    cause: (found) =>
      `The device ${word(found, 'device', 'sgdisk', 'blockdev')} itself is read-only: it is a virtual drive (of the firmware or the management controller), write-protected, or broken`,
    remedy:
      'See what it is ("lsblk -o NAME,RO,MODEL,TRAN"): unplug or switch off a virtual drive in the firmware, or leave it out by name where disks are cleaned or installed to (root device hints, skip_block_devices)',
  },
  {
    id: 'says-signature-left',
    pattern:
      /(?<kind>\w+) signature detected on (?<device>\/dev\/\S+) at offset \d+\. Wipe it\? .{0,12}\[n\]|Can't initialize physical volume "(?<pv>[^"]+)" of volume group "(?<group>[^"]+)" without -ff|^(?:\s*)Aborted wiping of (?<left>\w+)\./,
    cause: (found) =>
      `The disk${named(word(found, 'device', 'pv'))} bears the traces of an earlier use (${word(found, 'kind', 'left') ?? `volume group ${word(found, 'group')}`}), and LVM does not overwrite them unasked`,
    remedy:
      'Look first whether anything on it is wanted ("lsblk -f", "pvs"); then "wipefs -a DISK" (of an old volume group "vgremove", "pvremove -ff"), or give --yes',
  },
  {
    id: 'says-volume-group-full',
    pattern:
      /Volume group "(?<group>[^"]+)" has insufficient free space \((?<free>\d+) extents\): (?<wanted>\d+) required|Insufficient free (?:space|extents): (?<needed>\d+) extents needed, but only (?<left>\d+) available/,
    cause: (found) =>
      `The volume group${named(word(found, 'group'))} has no room for it: ${word(found, 'free', 'left')} extents are free, ${word(found, 'wanted', 'needed')} are asked for`,
    remedy: 'Add a disk to it (pvcreate, vgextend), or ask for less: "vgs" shows what is free',
  },
  {
    id: 'says-volume-group-missing',
    pattern: /Volume group "(?<group>[^"]+)" not found|Cannot process volume group (?<other>\S+)/,
    cause: (found) => `This machine has no volume group ${word(found, 'group', 'other')}`,
    remedy: '"vgs" and "pvs -a" show what there is; its disk may be missing or filtered out',
  },
  {
    id: 'says-volume-part-missing',
    pattern:
      /VG (?<group>\S+) is missing PV \S+ \(last written to (?<device>[^)]+)\)|Couldn't find device with uuid (?<uuid>[\w-]+)/,
    cause: (found) =>
      `A disk of ${word(found, 'group') === undefined ? 'a volume group' : `the volume group ${word(found, 'group')}`} is gone (${word(found, 'device', 'uuid')})`,
    remedy:
      'Bring the disk back; "pvs -a" and "lsblk" show what is seen. Remove it from the group only where its data is given up',
  },
  {
    id: 'says-disk-in-use',
    pattern:
      /Can't open (?<lvm>\/dev\/\S+) exclusively|(?<mkfs>\/dev\/\S+) (?:appears to (?:contain an existing|be part of a raid array)|contains a mounted|is apparently in use|is in use\. Can not proceed)|Cannot use (?<part>\/dev\/\S+): device is (?:partitioned|rejected by filter|multipath_component|an? md component)|Device (?<filter>\/dev\/\S+) excluded by a filter|mdadm: [Cc]annot open (?<md>\/dev\/\S+): Device or resource busy/,
    cause: (found) =>
      `The disk ${word(found, 'lvm', 'mkfs', 'part', 'filter', 'md')} is not free: it is mounted, or has partitions, a file system or the signature of another use on it${word(found, 'filter') === undefined ? '' : ', or a filter of lvm.conf leaves it out'}`,
    remedy:
      'Look first ("lsblk -f", "wipefs DISK"); where nothing on it is wanted any more, unmount it and "wipefs -a DISK"',
  },
  {
    id: 'says-thin-pool-full',
    pattern:
      /Thin pool (?<pool>\S+) \(?.{0,30}reached its 100|thin: (?<number>\d+:\d+): (?:switching pool to|reached low water mark|no free (?:data|metadata) space)/,
    cause: (found) => `The thin pool ${word(found, 'pool', 'number')} is full, or nearly so`,
    remedy: 'Widen it ("lvextend POOL") or remove volumes; "lvs -a" shows how full it is',
  },
  {
    id: 'says-raid-incomplete',
    pattern:
      /mdadm: (?<array>\/dev\/\S+) assembled from \d+ drives?.{0,40}not enough to start|md\/raid\d*:(?<md>\w+): Disk failure on (?<disk>\S+?),/,
    cause: (found) =>
      `The RAID ${word(found, 'array', 'md')} lacks disks${because(word(found, 'disk') && `${word(found, 'disk')} failed`)}`,
    remedy: 'See "cat /proc/mdstat" and "mdadm --detail"; replace the disk and add the new one',
  },
  {
    id: 'says-disk-unread',
    isGeneral: true,
    pattern:
      /^(?!.*End of file while reading data)(?:[\w.-]+: )?(?<what>[^:]{0,80}\b(?:p?read|p?writ|open|stat|creat|access|fsync|clos|remov|copy)[^:]{0,160}): (?:Input\/output|I\/O) error\b/i,
    cause: (found) =>
      `What lies on a disk or volume cannot be read or written any more${because(word(found, 'what'))}: the disk, or the storage behind it, fails or is gone`,
    remedy:
      '"dmesg" names the disk and the error; of a volume of the cluster, see whether it is still attached and its storage is well',
  },
  {
    id: 'says-paths-lost',
    pattern: /(?<map>[\w.-]+): remaining active paths: 0\b/,
    cause: (found) => `All paths to the multipath disk ${word(found, 'map')} are lost`,
    remedy:
      'Look at the storage and the ways to it (zoning, iSCSI sessions, cables): "multipath -ll" shows each path',
  },
  {
    id: 'says-iscsi-login',
    pattern:
      /iSCSI login failed due to authorization failure|login rejected: .{0,40}\((?:02\/01|02\/02)\)|Target is enforcing iSCSI Authentication, login failed|iSCSI Initiator Node: (?<initiator>\S+) is not authorized to access iSCSI target portal group/,
    cause: (found) =>
      `The iSCSI target does not let this initiator${because(word(found, 'initiator'))} in: its name is not on the list of the target, or the CHAP login is missing or wrong`,
    remedy:
      'Compare /etc/iscsi/initiatorname.iscsi with the access list of the target, and the CHAP settings of both',
  },
  {
    id: 'says-iscsi-cut',
    pattern:
      /Kernel reported iSCSI connection \S+ error \((?<why>[^)]{4,80})\)|connection\d+:\d+: (?:detected conn error \((?<code>\d+)\)|(?<ping>ping timeout of \d+ secs expired))|session\d+: (?<recovery>session recovery timed out after \d+ secs)/,
    cause: (found) =>
      `The connection to the iSCSI target is lost (${word(found, 'why', 'code', 'ping', 'recovery')}), so its disks hang or return errors`,
    remedy:
      'Look at the target and the network to it (load, MTU, duplicate initiator names): two initiators of one name throw each other out; "iscsiadm -m session -P 1" shows the state',
  },
  {
    id: 'says-iscsi-target-missing',
    pattern: /login rejected: .{0,40}target not found|iscsiadm: No records found/,
    cause: () => 'The iSCSI target that is named is not known: it was not found or not discovered',
    remedy:
      '"iscsiadm -m discovery -t st -p SERVER" shows what the server offers; name one of them',
  },
  {
    id: 'says-iscsi-unreached',
    pattern:
      /iscsiadm: cannot make connection to (?<server>[^\s:]+): (?<why>[^\\\n]{3,60})|iscsiadm: (?:initiator reported error \(|Could not perform SendTargets discovery: )(?<code>8 - connection timed out|(?:4 - )?encountered connection failure)/,
    cause: (found) =>
      `The iSCSI server${named(word(found, 'server'))} does not take the connection (${word(found, 'why', 'code')})`,
    remedy: 'Look at its address, its service and the firewall (TCP 3260)',
  },
  {
    id: 'says-iscsi-refused',
    pattern:
      /iscsiadm: (?:initiator reported error \((?<code>1[59]|2[07]) - (?<why>[^)]{4,80})\)|(?<name>Cannot perform discovery\. Initiatorname required)|Could not find records for \[(?<records>[^\]]{4,200})\]|Login authentication failed with target (?<target>\S+))/,
    cause: (found) => {
      if (word(found, 'name') !== undefined)
        return 'This machine has no name of its own for iSCSI (/etc/iscsi/initiatorname.iscsi)';
      if (word(found, 'target') !== undefined)
        return `The target ${word(found, 'target')} does not accept the login of CHAP`;
      return word(found, 'records') === undefined
        ? `The session of iSCSI is not begun (${word(found, 'why')})${word(found, 'code') === '15' ? ': there is one already' : ''}`
        : `Nothing is recorded of such a target on this machine (${word(found, 'records')}): it was not discovered`;
    },
    remedy:
      '"iscsi-iname" makes a name, "iscsiadm -m discovery -t st -p SERVER" records what a server offers, "iscsiadm -m session" shows what stands; CHAP is set by node.session.auth.*; "journalctl -u iscsid" tells why a login is refused',
  },
  {
    id: 'says-luks',
    pattern:
      /Device (?<device>\S+) is not a valid LUKS device|No key available with this passphrase/,
    cause: (found) =>
      word(found, 'device') === undefined
        ? 'The passphrase or key file does not open the encrypted disk'
        : `${word(found, 'device')} is no encrypted (LUKS) disk, or its header is gone`,
    remedy: '"blkid" and "cryptsetup luksDump DISK" show what it is and which keys it has',
  },
  {
    id: 'says-nfs-silent',
    pattern: /nfs: server (?<server>\S+) not responding/,
    cause: (found) => `The NFS server ${word(found, 'server')} does not answer any more`,
    remedy:
      'Look at the server, its load and the network to it (TCP 2049): who uses it hangs until it answers',
  },
  {
    id: 'says-rpc',
    pattern:
      /clnt_create: RPC: (?<why>[^\n]{4,80})|(?:Cannot register service|unable to register \([^)]*\)\.?): ?RPC: (?<own>[^\n]{4,80})|portmap query failed: RPC: (?<map>[^\n]{4,60})/,
    cause: (found) =>
      word(found, 'own') === undefined
        ? `The other machine does not offer the service of NFS 3 that is asked for (${word(found, 'why', 'map')}): its NFS server or rpcbind does not run or is behind a firewall, or it only serves NFS 4, which showmount cannot list`
        : `A service of NFS cannot make itself known on this machine (${word(found, 'own')}): rpcbind does not run here, or does not let it`,
    remedy:
      '"rpcinfo -p SERVER" shows what is offered; start rpcbind and nfs-server there, open the services nfs, mountd and rpc-bind in the firewall, or mount with vers=4 and the port alone',
  },
  {
    id: 'says-exports-wrong',
    pattern:
      /exportfs: (?:(?<file>\/\S+?):(?<line>\d+): (?<why>.{3,100})|Failed to stat (?<gone>\/[^\s:]+): No such file|(?<kind>\/\S+) (?<unfit>requires fsid= for NFS export|does not support NFS export)|No host name given with (?<blank>\/\S+))/,
    cause: (found) => {
      if (word(found, 'gone') !== undefined)
        return `The folder ${word(found, 'gone')} that is to be exported by NFS is not there`;
      if (word(found, 'blank') !== undefined)
        return `The export of ${word(found, 'blank')} names no client, so its options are those of everyone: most often a blank stands before the bracket`;
      return word(found, 'kind') === undefined
        ? `Line ${word(found, 'line')} of ${word(found, 'file')} is not taken: ${word(found, 'why')}`
        : `The file system of ${word(found, 'kind')} cannot be exported by NFS as it is (${word(found, 'unfit')})`;
    },
    remedy:
      'Correct /etc/exports ("/PATH CLIENT(rw,sync,no_root_squash)", without a blank before the bracket), or make the folder (and mount its disk); a file system without an id of its own (overlay, FUSE, tmpfs) needs "fsid=1", or another place; then "exportfs -ra"',
  },
  {
    id: 'says-share-login',
    pattern: /mount error\(13\): Permission denied|mount\.cifs.{0,40}Permission denied/,
    cause: () => 'The file server (CIFS) does not accept the login for this share',
    remedy: 'Correct user, password, domain and sec= of the mount; its own log tells which',
  },
  {
    id: 'says-mount-helper',
    pattern:
      /mount: (?<at>\/[^\s:]*): bad option; for several filesystems.{0,80}helper program|failed to setup loop device for (?<file>\S+?)\.?$/,
    cause: (found) =>
      word(found, 'file') === undefined
        ? `The machine lacks the program that mounts such a file system${because(word(found, 'at'))}`
        : `${word(found, 'file')} cannot be mounted as a disk: there is no free loop device, or the file is not there`,
    remedy:
      'Install nfs-utils or cifs-utils for network shares; for loop devices, "modprobe loop", and not in a container',
  },
];
