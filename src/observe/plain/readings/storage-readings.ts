import { because, named, type PlainReading, word } from '../plain-reading.ts';
import { CEPH_READINGS, LOOK_AT_CEPH, VOLUME } from './ceph-readings.ts';

/** Why a claim gets no volume, or a node cannot use it. */
export const STORAGE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-io-error',
    pattern:
      /(?:could not|cannot|can't|failed to|unable to|error) (?:\w+ ){1,3}(?:file |directory )?["'`]?(?<what>[\w./-]*\/[\w./-]+|\/[\w./-]+)["'`]?\W{1,4}(?:\w+ ){0,4}[Ii]nput\/output error|\b(?:read|write|open|stat|lstat|mkdir|fsync|unlinkat) (?<path>\/[^\s:]+): input\/output error/,
    cause: (found) =>
      `The disk or volume below ${word(found, 'what', 'path')} does not read or write (input/output error)`,
    remedy:
      'Look at the kernel log of the node ("dmesg": a disk that fails, a path or session of the storage that was lost) and at the storage behind the volume; the pod must be started anew after it is back',
  },
  {
    id: 'says-volume-operation-hangs',
    pattern: new RegExp(
      String.raw`${VOLUME}an operation with the given (?:Volume ID|volume|Snapshot ID) (?<id>\S+) already exists`,
      'i',
    ),
    cause: (found) =>
      `The storage driver still works at an earlier request for the volume${named(word(found, 'volume', 'id'))}: mostly the storage behind it does not answer, or slowly`,
    remedy: `${LOOK_AT_CEPH}; restart the driver pod of that node when the storage is well`,
  },
  ...CEPH_READINGS,
  {
    id: 'says-volume-other-kind',
    pattern: new RegExp(
      String.raw`${VOLUME}failed to mount the volume as "(?<wanted>[^"]+)", it already contains (?<held>[\w-]+(?: data, probably partitions)?)`,
    ),
    cause: (found) =>
      `The volume${named(word(found, 'volume'))} is to be mounted as ${word(found, 'wanted')}, and holds ${word(found, 'held')}`,
    remedy:
      'Set fsType of the volume or of its storage class to what it holds; only a disk that holds nothing of worth is emptied ("wipefs -a")',
  },
  {
    id: 'says-volume-source-missing',
    pattern:
      /provision volume with StorageClass "(?<class>[^"]+)": .{0,600}?(?<why>(?:[\w-]*snapshot|access bucket|PersistentVolumeClaim|data ?source|pool|share)\b[^,{}]{0,200}(?:not ?found|never existed|does not exist|no such)[^,{}]{0,80})/i,
    cause: (found) =>
      `The storage behind the class ${word(found, 'class')} makes no volume: it does not have what the claim or the class names (${word(found, 'why')})`,
    remedy:
      'Look whether that snapshot, claim, bucket or pool is still there and belongs to this storage; correct its name in the claim or the class, or make it anew',
  },
  {
    id: 'says-volume-damaged',
    pattern: new RegExp(
      String.raw`${VOLUME}(?:'(?:fsck|xfs_repair)' found errors on device(?: (?<device>\S+) but could not correct them)?|bad superblock on (?<block>[^\s,]+)|Structure needs cleaning)`,
    ),
    cause: (found) =>
      `The file system of the volume${named(word(found, 'volume'))} is damaged, or of another kind than is asked for${word(found, 'block') === undefined ? '' : ', or an option of the mount is wrong'}${because(word(found, 'device', 'block'))}`,
    remedy:
      'With no pod using it, look at the kernel log of the node ("dmesg") and repair it there (xfs_repair, e2fsck) after a snapshot or backup',
  },
  {
    id: 'says-mount-helper-missing',
    pattern: /unknown filesystem type '(?<type>[^']+)'/,
    cause: (found) =>
      `The machine lacks the program that mounts this kind of volume${because(word(found, 'type') ?? 'mount.nfs or mount.cifs')}`,
    remedy:
      'Red Hat CoreOS has the one for NFS; on a RHEL node install nfs-utils or cifs-utils, and for other kinds use their CSI driver',
  },
  {
    id: 'says-nfs-mount-fails',
    isGeneral: true,
    pattern: /error mounting NFS volume (?<share>\S+:\/\S+) on mountpoint \S+: (?<why>[^"]{4,120})/,
    cause: (found) =>
      `The node cannot mount the NFS share ${word(found, 'share')} (${word(found, 'why')})`,
    remedy:
      'Mount it by hand on that node: the answer says more. The server must run and be reached (port 2049), export this path to the address of the node, and speak the NFS version that is asked for',
  },
  {
    id: 'says-host-folder-denied',
    pattern:
      /failed to provision volume with StorageClass "(?<class>[^"]+)": .{0,80}?mkdir (?<folder>\/\S+): permission denied/,
    cause: (found) =>
      `The provisioner of the class ${word(found, 'class')} may not make ${word(found, 'folder')} on the node: the rights of the folder above it, or SELinux`,
    remedy:
      'Look on the node at "ls -ldZ" of that folder and at denials ("ausearch -m avc -ts recent"); give the folder the label container_file_t (semanage fcontext, restorecon), and the pod the SCC it needs',
  },
  {
    id: 'says-local-disk-gone',
    pattern:
      /failed for volume "(?<volume>[^"]+)" ?: path "?(?<path>\/[^\s"]+)"? does not exist|hostPath type check failed: (?<host>\S+) (?<is>is not .{3,40})/,
    cause: (found) =>
      word(found, 'host') === undefined
        ? `The local disk or folder ${word(found, 'path')} behind the volume ${word(found, 'volume')} is no longer on the node`
        : `${word(found, 'host')} of the node ${word(found, 'is')}, as the pod asks for it`,
    remedy:
      'Look on the node what is there ("lsblk", "ls -l /mnt/local-storage"); a volume whose disk is gone is deleted, and its claim made anew',
  },
  {
    id: 'says-volume-other-zone',
    pattern:
      /(?:[Tt]he volume|\b[Dd]isk) '?(?<volume>[^\s']+)[ '].{0,80}\bis not in the same (?:availability )?zone as (?<machine>(?:instance|the VM)(?: '[^']+')?)/,
    cause: (found) =>
      `The disk ${word(found, 'volume')?.replace(/^.*\//, '')} is in another zone than the machine that its pod runs on (${word(found, 'machine')})`,
    remedy:
      'Let the pod run in the zone of its volume (node affinity), or make the claim anew with a class that waits for the pod (WaitForFirstConsumer)',
  },
  {
    id: 'says-mount-gone',
    pattern:
      /\b(?:l?stat|readdirent|open) (?<path>\/[^\s:"]+): (?<why>host is down|transport endpoint is not connected|stale (?:NFS )?file handle)|mount error\(11(?:2|5)\): (?<cifs>.{4,40})/i,
    cause: (found) =>
      word(found, 'cifs') === undefined
        ? `What is mounted at ${word(found, 'path')} no longer answers (${word(found, 'why')}): its server or storage driver is gone, or has changed`
        : `The file server (CIFS) does not answer (${word(found, 'cifs')})`,
    remedy:
      'Look at the server behind the volume and its login; then start the pod anew on that node, so that it is mounted again',
  },
  {
    id: 'says-attacher-silent',
    pattern: /timed out waiting for external-attacher of (?<driver>\S+) CSI driver/,
    cause: (found) =>
      `The controller of the storage driver ${word(found, 'driver')} does not attach the volume in time: it does not run, or its storage does not answer`,
    remedy: 'Look at the controller (provisioner) pods of that driver and their csi-attacher',
  },
  {
    id: 'says-image-over-claim',
    pattern:
      /[Vv]irtual image size (?<size>\d+) is larger than (?:the )?(?:reported )?available (?:storage|size) (?<room>\d+)/,
    cause: (found) =>
      `The disk image is larger (${inGib(found.groups.size)}) than the claim that it is imported to has room for (${inGib(found.groups.room)})`,
    remedy: 'Make the DataVolume with a larger claim',
  },
  {
    id: 'says-image-without-disk',
    pattern:
      /Failed to find VM disk image file in the container image|image file does not exist in image directory(?: - (?<why>[\w ]{4,60}))?/,
    cause: (found) =>
      `The container image holds no disk of a virtual machine where it is looked for (below /disk)${because(word(found, 'why'))}`,
    remedy:
      'Take an image made for that (a container disk: one qcow2 or raw file in /disk), or import the disk by HTTP instead',
  },
  {
    id: 'says-class-without-profile',
    pattern:
      /PVC spec is missing accessMode and no storageClass to choose profile|[Nn]o accessModes? specified in StorageProfile (?<profile>[\w.-]+)|missing accessMode and volumeMode, cannot get access mode from StorageProfile (?<other>[\w.-]+)/,
    cause: (found) =>
      word(found, 'profile', 'other') === undefined
        ? 'The DataVolume names no access mode, and there is no storage class (no default one either) to take it from'
        : `The DataVolume names no access mode, and the StorageProfile ${word(found, 'profile', 'other')} of its class knows none for that driver`,
    remedy:
      'Write accessModes and volumeMode into the DataVolume, or once for all into the StorageProfile of the class (spec.claimPropertySets); mark one class as the default',
  },
  {
    id: 'says-machine-version-old',
    pattern:
      /(?:node|VM|machine) (?<node>\S+) has hardware version (?<have>vmx-\d+|\d+),? which is below the minimum(?: required)?(?: version)?(?: is)? (?<least>vmx-\d+|\d+)/,
    cause: (found) =>
      `The virtual hardware of ${word(found, 'node')} is of version ${word(found, 'have')}, and the storage driver of vSphere wants at least ${word(found, 'least')}`,
    remedy:
      'Shut the machine down, raise its compatibility (VM hardware) in vCenter and start it, one node after another; raise that of the template, too',
  },
  {
    id: 'says-claim-mismatch',
    pattern: /Cannot bind to requested volume "(?<volume>[^"]+)": (?<why>.{4,160})/,
    cause: (found) =>
      `The claim does not fit the volume ${word(found, 'volume')} that it names (${word(found, 'why')})`,
    remedy: 'Make size, storageClassName, accessModes and volumeMode of both agree',
  },
  {
    id: 'says-volume-lost',
    pattern: /Bound claim has lost (?:its PersistentVolume|reference to PersistentVolume)/,
    cause: () => 'The volume of a bound claim was deleted: the claim is lost',
    remedy:
      'Restore the PersistentVolume object where the storage still has its data; else make the claim anew from a backup',
  },
  {
    id: 'says-binding-late',
    pattern: /running PreBind plugin "VolumeBinding": binding volumes: (?<why>.{4,160})/,
    cause: (found) =>
      `The volumes of the pod were not bound in time${because(word(found, 'why'))}: mostly their provisioner makes none`,
    remedy: 'Describe its claims, and look at the provisioner that their storage class names',
  },
  {
    id: 'says-class-without-room',
    pattern: /not? enough space left on VG: free=(?<free>[^\s,]+), requested=(?<asked>[^\s,"]+)/,
    cause: (found) =>
      `The volume group behind the storage class has no room for the volume (${word(found, 'free')} bytes are free, ${word(found, 'asked')} were asked for)`,
    remedy:
      'Add a disk to the volume group on that node (deviceSelector of the LVMCluster), delete volumes, or ask for less; "vgs" on the node shows what is free',
  },
  {
    id: 'says-no-disk-for-group',
    pattern:
      /no available devices found for volume group(?: "?(?<group>[\w-]+))?|volume group (?<gone>\S+) does not exist \(or was not tagged.{0,80} no available devices to create it|mandatory device path \\*"(?<path>[^"\\]+)\\*" cannot be used(?:.{0,140}existing volume group: (?<why>.{4,160}))?|(?<disk>[\w/-]+) (?<left>is already a LVM2_Member of another volume group|has an invalid filesystem signature|has children block devices)/,
    cause: (found) =>
      word(found, 'path', 'disk') === undefined
        ? `LVM storage finds no disk on the node that it may use for the volume group${named(word(found, 'group', 'gone'))}`
        : `LVM storage cannot use the disk ${word(found, 'path', 'disk')}${because(word(found, 'why', 'left'))}`,
    remedy:
      'Compare deviceSelector of the LVMCluster with "lsblk -f" on the node: the disk must be there and empty; remove what an earlier use left only of one that holds nothing of worth ("wipefs -a")',
  },
  {
    id: 'says-volume-group-not-made',
    pattern:
      /failed to (?:create|extend)(?:\/extend)? volume group (?<group>[\w-]+)(?:.{0,200}(?:vgcreate|vgextend) \S+ (?<disk>\/\S+?)'?:)?/,
    cause: (found) =>
      `The volume group ${word(found, 'group')} cannot be made or extended${because(word(found, 'disk'))}: the disk is in use, or not empty`,
    remedy:
      'Look at the disk ("lsblk -f", "pvs"): of one that holds nothing of worth remove what an earlier use left ("wipefs -a"), or name another in deviceSelector',
  },
  {
    id: 'says-volume-not-resized',
    pattern: /resize volume "(?<volume>[^"]+)" by resizer "[^"]+" failed: (?<why>.{4,900})/,
    cause: (found) =>
      `The volume ${word(found, 'volume')} cannot be resized${because(word(found, 'why'))}`,
    remedy:
      'A claim can only grow, and only where its class has allowVolumeExpansion; look at the log of the driver',
  },
  {
    id: 'says-class-does-not-grow',
    pattern:
      /persistentvolumeclaims \\*"(?<claim>[^"\\]+)\\*" is forbidden: only dynamically provisioned pvc can be resized/,
    cause: (found) =>
      `The claim ${word(found, 'claim')} cannot grow: its storage class does not allow it (allowVolumeExpansion), or its volume was made by hand`,
    remedy:
      'Set allowVolumeExpansion: true in the storage class where its driver can; else make a larger claim and copy the data',
  },
  {
    id: 'says-no-snapshots',
    pattern: /(?:snapshot|CreateSnapshot).{0,200}code = Unimplemented/,
    cause: () => 'The storage driver cannot make snapshots, or this release of it cannot',
    remedy:
      'Copy such volumes by files instead (of Velero: defaultVolumesToFsBackup), or use a class whose driver has snapshots',
  },
  {
    id: 'says-metrics-store-damaged',
    pattern: /opening storage failed: (?<why>[^"]{4,200})/,
    cause: (found) => `Prometheus cannot open its data (${word(found, 'why')})`,
    remedy:
      'Where another pod still holds them, let it end; where they are damaged, move the folder it names away: what was measured in it is lost',
  },
];

const inGib = (bytes: string | undefined): string => `${(Number(bytes) / 2 ** 30).toFixed(1)} GiB`;
