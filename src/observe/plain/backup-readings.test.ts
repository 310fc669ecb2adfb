import { testNearLines, testSaidLines } from '../../../test/support/readings.ts';
import { BACKUP_READINGS } from './backup-readings.ts';
import { CLOUD_READINGS } from './cloud-readings.ts';

/** A line of each kind as Velero, restic, Terraform and AWS have it, and what it says. */
const SAID: readonly (readonly [line: string, id: string, cause: string])[] = [
  [
    'level=error msg="Error backing up item" error="timed out waiting for all PodVolumeBackups to complete"',
    'says-backup-late',
    'Velero waited for the copies of volumes (PodVolumeBackups)',
  ],
  [
    'error="Timed out awaiting reconciliation of volumesnapshot tide/velero-lid-x1"',
    'says-snapshot-late',
    'The storage did not finish the snapshot tide/velero-lid-x1',
  ],
  [
    'found a podvolumebackup with status "InProgress" during the server starting, mark it as "Failed"',
    'says-backup-interrupted',
    'was started anew in the middle of the work (podvolumebackup)',
  ],
  [
    String.raw`stderr=Fatal: unable to open config file: Stat: The key is not there.\nIs there a repository at the following location?\ns3:http://store.cove.lan/tide/restic/lid`,
    'says-backup-repository-gone',
    'There is no backup repository where it is looked for (s3:http://store.cove.lan/tide/restic/lid)',
  ],
  ['Fatal: wrong password or no key found', 'says-backup-password', 'another password'],
  [
    'unable to create lock in backend: repository is already locked exclusively by PID 2419 on tide-0 by root',
    'says-backup-locked',
    'locked by another run (process 2419 on tide-0)',
  ],
  [
    'failed to get volumesnapshotclass for storageclass tide-rbd: failed to get volumesnapshotclass for provisioner rbd.tide.lan, ensure that the desired volumesnapshot class has the tide.lan/class label',
    'says-snapshot-class-unlabelled',
    'no VolumeSnapshotClass of the driver rbd.tide.lan that it may use: none has the label tide.lan/class',
  ],
  [
    "backup can't be created because BackupStorageLocation tide-1 is in Unavailable status",
    'says-backup-location',
    'The place that backups are stored in tide-1 cannot be used (Unavailable)',
  ],
  [
    "an existing backup storage location wasn't specified and the default 'tide' wasn't found",
    'says-backup-location',
    'There is no BackupStorageLocation tide, and none was named',
  ],
  [
    'daemonset pod not found in running state in node w-3.cove.lan',
    'says-backup-agent',
    'does not run on the node w-3.cove.lan',
  ],
  [
    'expected one matching path: /host_pods/0a/volumes/*/lid, got 0',
    'says-backup-agent',
    'finds no folder of the volume (/host_pods/0a/volumes/*/lid)',
  ],
  [
    "Error: waiting for EC2 NAT Gateway (nat-0a) create: timeout while waiting for state to become 'available' (last state: 'pending', timeout: 10m0s)",
    'says-cloud-late',
    'EC2 NAT Gateway (nat-0a) create is still pending, and not available',
  ],
  [
    "Error: Error launching source instance: timeout while waiting for state to become 'success' (timeout: 30s)",
    'says-cloud-late',
    'in 30s: something is not success (Error launching source instance)',
  ],
  [
    'failed to delete load balancer: but got 409 instead\\n{\\"faultcode\\": \\"Client\\", \\"faultstring\\": \\"Invalid state PENDING_DELETE of loadbalancer resource fern-7\\"}',
    'says-openstack',
    'OpenStack refuses it: Invalid state PENDING_DELETE of loadbalancer resource fern-7',
  ],
  [
    `  message: '{"ResourceType":"gcp-types/moss-v1:instances","ResourceErrorCode":"400","ResourceErrorMessage":{"code":400,"message":"Precondition check failed."}}'`,
    'says-google-resource',
    'Google Cloud does not make the resource (gcp-types/moss-v1:instances, 400): Precondition check failed',
  ],
  [
    'ERROR Error: updating the VM (f626) failed! failed to set the pinning, Failed to find StartElement',
    'says-ovirt-answer',
    'The engine of oVirt gave no answer of its API',
  ],
  [
    "RetryError: HTTPSConnectionPool(host='management.fern.lan', port=443): Max retries exceeded with url: /validate (Caused by ResponseError('too many 500 error responses',))",
    'says-cloud-fails',
    'management.fern.lan answers each try with an error of its own (500)',
  ],
  [
    'govc: 400 Bad Request: {"type":"a.not_allowed","value":{"error_type":"NOT_ALLOWED_IN_CURRENT_STATE","messages":[{"args":["fern.vmdk"],"default_message":"The import session is in the ERROR state. Reason: Pipe closed"}]}}',
    'says-vcenter',
    'vCenter refuses it (NOT_ALLOWED_IN_CURRENT_STATE): The import session is in the ERROR state. Reason: Pipe closed',
  ],
  [
    "Error: timeout while waiting for resource to be gone (last state: 'deleting', timeout: 5m0s)",
    'says-cloud-late',
    'something is still deleting, and not gone',
  ],
  [
    'An error occurred (NoSuchEntity) when calling the GetRole operation: The role with name tide cannot be found.',
    'says-aws-missing',
    'AWS does not have it in this account and region: The role with name tide cannot be found (NoSuchEntity)',
  ],
  [
    'Bad request with: [POST https://cloud.fern.lan:8774/v2.1/servers], error message: {"badRequest": {"code": 400, "message": "Multiple possible networks found, use a Network ID to be more specific."}}',
    'says-openstack',
    'OpenStack refuses it: Multiple possible networks found, use a Network ID to be more specific (badRequest)',
  ],
];

testSaidLines(
  SAID.map(([line, id, cause]) => ({ line, id, cause })),
  [...BACKUP_READINGS, ...CLOUD_READINGS],
);

testNearLines([
  [
    'error: unable to open config file: open /etc/tide.conf: no such file or directory',
    'says-file-missing',
  ],
  ['level=info msg="All PodVolumeBackups completed"'],
  ['InvalidVolume: the volume is too small'],
  ['io.tide.ResourceNotFoundException: lid 7 is gone'],
]);
