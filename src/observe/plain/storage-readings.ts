import { because, named, type PlainReading, word } from './plain-reading.ts';

const VOLUME = `(?:failed for volume "(?<volume>[^"]+)" ?: .{0,160})?`;
const LOOK_AT_CEPH =
  'Look at the state of Ceph ("oc -n openshift-storage get cephcluster", "ceph status" in the toolbox) and whether the node reaches its monitors (ports 3300, 6789) and its disks (6800-7300)';

/** Why a claim gets no volume, or a node cannot use it. */
export const STORAGE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-volume-operation-hangs',
    pattern: new RegExp(
      String.raw`${VOLUME}an operation with the given (?:Volume ID|volume|Snapshot ID) (?<id>\S+) already exists`,
      'i',
    ),
    cause: (found) =>
      `The storage driver still works at an earlier request for the volume${named(word(found, 'volume', 'id'))}: the storage behind it does not answer`,
    remedy: `${LOOK_AT_CEPH}; restart the driver pod of that node when the storage is well`,
  },
  {
    id: 'says-ceph-unreachable',
    pattern: new RegExp(
      String.raw`${VOLUME}(?:rados: ret=-110|map failed.{0,60}exit status 110|rbd: map failed: \(110\))`,
    ),
    cause: (found) =>
      `Ceph does not answer in time, so the volume${named(word(found, 'volume'))} cannot be used`,
    remedy: LOOK_AT_CEPH,
  },
  {
    id: 'says-ceph-key-refused',
    pattern: new RegExp(`${VOLUME}rados: ret=-(?:13|1),`),
    cause: () => 'Ceph does not accept the key of the storage driver',
    remedy:
      'Compare the secrets of the driver (rook-csi-rbd-node, rook-csi-cephfs-node, ...) with "ceph auth get"; the Rook operator writes them anew when they are deleted',
  },
  {
    id: 'says-image-still-used',
    pattern: new RegExp(
      String.raw`${VOLUME}rbd (?:image )?(?<image>\S+) (?:is still being used|has watchers)`,
    ),
    cause: (found) =>
      `The Ceph image ${word(found, 'image')} is still in use, most often on another node`,
    remedy:
      'Let the pod on the other node end ("rbd status POOL/IMAGE" shows who watches it); of a node that is lost, make sure that it is off, then fence it (taint out-of-service)',
  },
  {
    id: 'says-volume-damaged',
    pattern: new RegExp(
      String.raw`${VOLUME}(?:'fsck' found errors on device (?<device>\S+) but could not correct them|bad superblock on (?<block>[^\s,]+)|Structure needs cleaning)`,
    ),
    cause: (found) =>
      `The file system of the volume${named(word(found, 'volume'))} is damaged, or of another kind than is asked for${because(word(found, 'device', 'block'))}`,
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
    id: 'says-attacher-silent',
    pattern: /timed out waiting for external-attacher of (?<driver>\S+) CSI driver/,
    cause: (found) =>
      `The controller of the storage driver ${word(found, 'driver')} does not attach the volume in time: it does not run, or its storage does not answer`,
    remedy: 'Look at the controller (provisioner) pods of that driver and their csi-attacher',
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
      `The volumes of the pod were not bound in time${because(word(found, 'why'))}: their provisioner makes none`,
    remedy: 'Describe its claims, and look at the provisioner that their storage class names',
  },
  {
    id: 'says-ceph-full',
    pattern:
      /(?<why>\b\d+ (?:near|backfill)?full osd\(s\).{0,120}|\b\d+ pool\(s\) (?:near)?full.{0,80})/,
    cause: (found) =>
      `The disks of Ceph are full, or nearly so (${word(found, 'why')}): full ones take no writes`,
    remedy:
      'Add disks or nodes to the storage cluster, and delete what is not needed; "ceph osd df" shows which are full',
  },
  {
    id: 'says-no-disk-for-storage',
    pattern:
      /skipping OSD configuration as no devices matched the storage settings for this node "(?<node>[^"]+)"|skipping device "(?<device>[^"]+)"(?: because it contains a filesystem "(?<kind>[^"]+)"|: \[?"(?<why>Has BlueStore[^"]+))/,
    cause: (found) =>
      word(found, 'device') === undefined
        ? `Ceph finds no disk on the node ${word(found, 'node')} that it may use`
        : `Ceph does not take the disk ${word(found, 'device')}: it is not empty${because(word(found, 'kind', 'why'))}`,
    remedy:
      'Only whole, empty disks are taken: of one that holds nothing of worth remove what an earlier use left ("wipefs -a", "sgdisk --zap-all"), and compare the device filter with "lsblk -f"',
  },
  {
    id: 'says-mons-without-quorum',
    pattern: /(?:waiting for monitors to reach quorum|failed to wait for mon quorum)/,
    cause: () =>
      'The monitors of Ceph do not find each other: too few of them run, or they do not reach each other',
    remedy:
      'Look at the pods rook-ceph-mon, the network between their nodes, and for /var/lib/rook of an earlier installation, which must be removed before a new one',
  },
  {
    id: 'says-storage-nodes-few',
    pattern: /Not enough nodes found: Expected (?<wanted>\d+), found (?<found>\d+)/,
    cause: (found) =>
      `The storage cluster wants ${word(found, 'wanted')} nodes, and only ${word(found, 'found')} bear its label`,
    remedy: 'Give the nodes the label cluster.ocs.openshift.io/openshift-storage=""',
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
    pattern: /resize volume "(?<volume>[^"]+)" by resizer "[^"]+" failed: (?<why>.{4,200})/,
    cause: (found) =>
      `The volume ${word(found, 'volume')} cannot be resized (${word(found, 'why')})`,
    remedy:
      'A claim can only grow, and only where its class has allowVolumeExpansion; look at the log of the driver',
  },
  {
    id: 'says-metrics-store-damaged',
    pattern: /opening storage failed: (?<why>[^"]{4,200})/,
    cause: (found) => `Prometheus cannot open its data (${word(found, 'why')})`,
    remedy:
      'Where another pod still holds them, let it end; where they are damaged, move the folder it names away: what was measured in it is lost',
  },
];
