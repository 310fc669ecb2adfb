import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What Velero (OADP) and the programs that copy for it (restic, kopia) say of a backup. */
export const BACKUP_READINGS: readonly PlainReading[] = [
  {
    id: 'says-backup-late',
    pattern: /timed out waiting for all (?<what>PodVolume(?:Backup|Restore)s) to complete/,
    cause: (found) =>
      `Velero waited for the copies of volumes (${word(found, 'what')}) until its time was over: one takes longer than that, or nobody works at it`,
    remedy:
      'Look how far they came ("oc -n openshift-adp get podvolumebackups,podvolumerestores") and at the node-agent pods; where they only need longer, raise spec.configuration.nodeAgent.timeout of the DataProtectionApplication',
  },
  {
    id: 'says-snapshot-late',
    pattern: /Timed out awaiting reconciliation of volumesnapshots? ?(?<snapshot>[\w./-]+)?/i,
    cause: (found) =>
      `The storage did not finish the snapshot${named(word(found, 'snapshot'))} in the time that Velero waits`,
    remedy:
      'Look at the VolumeSnapshot and its VolumeSnapshotContent, and at the csi-snapshotter of the driver; where it only needs longer, raise csiSnapshotTimeout of the backup',
  },
  {
    id: 'says-backup-interrupted',
    pattern: /found an? (?<kind>\w+) with status "?\w+"? during the server starting/,
    cause: (found) =>
      `Velero, or its node agent, was started anew in the middle of the work (${word(found, 'kind')}), which is given up with that; often it had too little memory`,
    remedy:
      'Look why the pod was restarted ("oc -n openshift-adp describe pod": OOMKilled), raise its limits, and make the backup anew',
  },
  {
    id: 'says-backup-repository-gone',
    pattern:
      /unable to open config file: (?:L?[Ss]tat\b|<config\/|.{0,60}does not exist)(?:.{0,120}following location\?\W{0,4}n?(?<where>[a-z0-9]+:[^\s"\\]+))?|repository not initialized in the provided storage/,
    cause: (found) =>
      `There is no backup repository where it is looked for${because(word(found, 'where'))}: it was never made, or the bucket was emptied or changed since`,
    remedy:
      'Compare bucket and prefix of the storage location with what is there; where it is gone for good, delete the BackupRepository (formerly ResticRepository) object of that namespace, so that it is made anew',
  },
  {
    id: 'says-backup-locked',
    pattern:
      /repository is already locked(?: exclusively)? by PID (?<pid>\d+)(?: on (?<host>[\w.-]+))?/,
    cause: (found) =>
      `The restic repository is locked by another run (process ${word(found, 'pid')}${word(found, 'host') === undefined ? '' : ` on ${word(found, 'host')}`}), or by one that was cut off`,
    remedy: 'Let that run end; of one that is gone, "restic unlock" removes the lock',
  },
  {
    id: 'says-snapshot-class-unlabelled',
    pattern:
      /failed to get volumesnapshotclass for (?:storageclass (?<class>[\w.-]+): .{0,80})?provisioner (?<driver>[\w.-]+), ensure that the desired volumesnapshot ?class has the (?<label>\S+) label/i,
    cause: (found) =>
      `Velero finds no VolumeSnapshotClass of the driver ${word(found, 'driver')} that it may use: none has the label ${word(found, 'label')}`,
    remedy:
      'Label the class ("oc label volumesnapshotclass NAME velero.io/csi-volumesnapshot-class=true"), and make the backup anew',
  },
  {
    id: 'says-backup-location',
    pattern:
      /backup can't be created because (?:BackupStorageLocation|backup storage location) (?<name>[\w.-]+) is (?:currently )?in (?<state>[\w-]+)|BackupStorageLocation \\?"?(?<other>[\w.-]+)\\?"? is unavailable(?:: (?<why>.{4,200}))?|the default '(?<none>[\w.-]+)' wasn't found/,
    cause: (found) =>
      word(found, 'none') === undefined
        ? `The place that backups are stored in${named(word(found, 'name', 'other'))} cannot be used${because(word(found, 'state', 'why'))}`
        : `There is no BackupStorageLocation ${word(found, 'none')}, and none was named`,
    remedy:
      'Look at its status ("oc -n openshift-adp get backupstoragelocation -o yaml"): bucket, credentials, address and CA of the object store',
  },
  {
    id: 'says-backup-agent',
    pattern:
      /daemonset pod not found in (?:running state in )?node (?<node>[\w.-]+)|expected one matching path: (?<path>\S+?),? got (?<count>\d+)/,
    cause: (found) =>
      word(found, 'node') === undefined
        ? `The node agent of Velero finds no folder of the volume (${word(found, 'path')}): the pod is gone from that node, or the agent does not see the folders of the kubelet`
        : `The node agent of Velero does not run on the node ${word(found, 'node')}, so volumes of pods there are not copied`,
    remedy:
      'Look at the pods node-agent ("oc -n openshift-adp get pods -o wide"): they need a pod on that node (tolerations) and the host path /var/lib/kubelet/pods',
  },
];
