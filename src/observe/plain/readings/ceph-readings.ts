import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** Of which volume, where an event tells. */
export const VOLUME = `(?:failed for volume "(?<volume>[^"]+)" ?: .{0,160})?`;
export const LOOK_AT_CEPH =
  'Look at the state of Ceph ("oc -n openshift-storage get cephcluster", "ceph status" in the toolbox) and whether the node reaches its monitors (ports 3300, 6789) and its disks (6800-7300)';

/** What Ceph, its storage drivers and Rook say. */
export const CEPH_READINGS: readonly PlainReading[] = [
  {
    id: 'says-ceph-without-mds',
    pattern: /mount error: no mds (?:\(?server is up|.{0,40}up).{0,40}laggy/i,
    cause: () =>
      'CephFS cannot be mounted: none of its metadata servers (MDS) is active, or they are not reached',
    remedy:
      'Look at "ceph fs status" and the pods rook-ceph-mds: they must run and be active; then at the network between the node and them (ports 6800-7300)',
  },
  {
    id: 'says-ceph-cluster-unknown',
    pattern: /missing configuration for cluster ID \\*"(?<id>[^"\\]+)/,
    cause: (found) =>
      `The storage class names a Ceph cluster (clusterID ${word(found, 'id')}) that the driver has no addresses of`,
    remedy:
      'Compare clusterID of the class with the config map of the driver (ceph-csi-config, rook-ceph-csi-config): with Rook it is the namespace of the cluster',
  },
  {
    id: 'says-ceph-pool-missing',
    pattern: /pool not found: pool \((?<pool>[^)]+)\) not found in Ceph cluster/,
    cause: (found) => `Ceph has no pool ${word(found, 'pool')}, which the storage class names`,
    remedy:
      'Make it (CephBlockPool, CephFilesystem), or correct "pool" of the class; "ceph osd pool ls" shows what there is',
  },
  {
    id: 'says-ceph-unreachable',
    pattern: new RegExp(
      String.raw`${VOLUME}(?:rados: ret=-110|map failed.{0,60}exit status 110|rbd: map failed: \(110\)|mount error 110 = |monclient: authenticate timed out after \d+)`,
    ),
    cause: (found) =>
      `Ceph does not answer in time, so the volume${named(word(found, 'volume'))} cannot be used`,
    remedy: LOOK_AT_CEPH,
  },
  {
    id: 'says-ceph-key-refused',
    pattern: new RegExp(
      String.raw`${VOLUME}(?:rados: ret=-(?:13|1),|handle_auth_bad_method server allowed_methods \[\d)`,
    ),
    cause: () =>
      'Ceph does not accept the key that it is shown: it is not that of the account, or belongs to another cluster',
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
    // Of a status that tells of full disks as well: those that are down come first.
    id: 'says-ceph-disk-down',
    pattern: /(?<why>\b\d+ osds? down\b)(?=.*\b(?:near|backfill)?full osd)/,
    cause: (found) =>
      `Disks of Ceph are down (${word(found, 'why')}): what lies on them is degraded or cannot be read; others are full, or nearly so`,
    remedy:
      'Look at the pods rook-ceph-osd that do not run and at their nodes and disks first ("ceph osd tree" names them)',
  },
  {
    id: 'says-ceph-full',
    pattern:
      /(?<why>\b\d+ (?:near|backfill)?full osd\(s\).{0,120}|\b\d+ pool\(s\) (?:near)?full.{0,80}|\b\d+ pgs? (?:backfill|recovery)\\?_toofull)/,
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
        : `Ceph does not take the disk ${word(found, 'device')}: ${word(found, 'kind') === 'mpath_member' ? 'multipathd has claimed it as one of its paths (mpath_member)' : `it is not empty${because(word(found, 'kind', 'why'))}`}`,
    remedy:
      'Only whole, empty disks are taken: of one that holds nothing of worth remove what an earlier use left ("wipefs -a", "sgdisk --zap-all"), take one that multipathd claimed out of its hands (blacklist in multipath.conf), and compare the device filter with "lsblk -f"',
  },
  {
    id: 'says-mons-without-quorum',
    pattern:
      /(?:waiting for monitors to reach quorum|failed to wait for mon quorum|failed to get mon quorum status|failed to get ceph status\..{0,60}timed out)/,
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
];
