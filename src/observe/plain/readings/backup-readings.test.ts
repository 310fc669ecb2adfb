import { testNearLines, testSaidLines } from '../../../../test/support/readings.ts';
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
  [
    'The config profile (tide) could not be found',
    'says-aws-setting',
    'The files in ~/.aws of the user that runs this have no profile tide',
  ],
  [
    'level=fatal msg=failed to create AWS config: failed to load shared config profile, tide',
    'says-aws-setting',
    'have no profile tide',
  ],
  [
    'You must specify a region. You can also configure your region by running "aws configure".',
    'says-aws-setting',
    'No region of AWS is given',
  ],
  [
    'Could not connect to the endpoint URL: "https://ec2.tide-1.amazonaws.com/"',
    'says-aws-setting',
    'https://ec2.tide-1.amazonaws.com/ is not reached',
  ],
  [
    'operation error EC2: RunInstances, https response error StatusCode: 400, RequestID: 4f, api error InvalidParameterValue: Invalid availability zone: [tide-1z]',
    'says-aws-answer',
    'refuses the call: Invalid availability zone: [tide-1z] (InvalidParameterValue)',
  ],
  [
    'An error occurred (ValidationError) when calling the CreateStack operation: Stack [tide] already exists',
    'says-aws-answer',
    'refuses CreateStack: Stack [tide] already exists (ValidationError)',
  ],
  [
    'Error: creating the lid: TideNotReady: The tide of the zone is low status code: 400, request id: 5c',
    'says-aws-answer',
    'refuses the call: The tide of the zone is low (TideNotReady)',
  ],
  [
    'ERROR CODE: TideTaken {"message": "The storage account named tide is already taken."}',
    'says-azure-answer',
    'The storage account named tide is already taken (TideTaken)',
  ],
  [
    '{"error":{"code":"ScopeLocked","message":"The scope tide cannot perform delete operation because it is locked"}}',
    'says-azure-answer',
    'refuses it: The scope tide cannot perform delete operation because it is locked (ScopeLocked)',
  ],
  [
    `googleapi: Error 400: Invalid value for field 'resource.lid': 'tide'. Lid does not exist., invalid`,
    'says-google-answer',
    'Google Cloud answers 400: Invalid value for field',
  ],
  [
    'Missing value auth-url required for auth plugin password',
    'says-openstack-client',
    'no cloud is chosen, and no OS_AUTH_URL is set',
  ],
  ['Cloud tide was not found.', 'says-openstack-client', 'clouds.yaml has no cloud tide'],
  [
    'public endpoint for network service in Tide1 region not found',
    'says-openstack-client',
    'no public endpoint of the service network in its catalogue (Tide1)',
  ],
  [
    `More than one Network exists with the name 'tide'.`,
    'says-openstack-client',
    'OpenStack has more than one Network that is called tide',
  ],
  [
    'Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance 7c1e.',
    'says-openstack-build',
    'Exhausted all hosts available for retrying build failures for instance 7c1e',
  ],
  [
    'Build of instance 7c aborted: Volume 9d did not finish being created even after we waited 187 seconds or 61 attempts.',
    'says-openstack-build',
    'does not bring the machine or service up: Volume 9d did not finish',
  ],
  [
    'ServerFaultCode: A specified parameter was not correct: spec.tide',
    'says-vsphere-fault',
    'vSphere refuses it: A specified parameter was not correct: spec.tide',
  ],
  [
    `Module 'Disk' power on failed. Failed to lock the file`,
    'says-vsphere-fault',
    `vSphere refuses it: Module 'Disk' power on failed. Failed to lock the file`,
  ],
  [
    '{"api_version":"3.1","code":422,"message_list":[{"message":"Image tide not found","reason":"ENTITY_NOT_FOUND"}],"state":"ERROR"}',
    'says-nutanix-answer',
    'Prism of Nutanix refuses it: Image tide not found',
  ],
  [
    '│ A managed resource "aws_subnet" "tide" has not been declared in the root module.',
    'says-terraform-undeclared',
    'The files of Terraform name aws_subnet.tide, and nothing there declares it',
  ],
  [
    '│ The argument "tide_name" is required, but no definition was found.',
    'says-terraform-undeclared',
    'do not give the argument tide_name, which is needed there',
  ],
  [
    "An error occurred (InvalidUserID.NotFound) when calling the AuthorizeIngress operation: The group ID '1' is malformed",
    'says-aws-answer',
    "refuses AuthorizeIngress: The group ID '1' is malformed (InvalidUserID.NotFound)",
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
  ['googleapi: Error 412: Precondition check failed'],
  ['io.tide.ResourceNotFoundException: lid 7 is gone'],
]);
