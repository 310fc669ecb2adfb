import { expect, test } from 'vitest';
import { testNearLines, testSaidLines } from '../../../../test/support/readings.ts';
import { readPlainly } from '../read-plainly.ts';
import { ADMISSION_READINGS } from './admission-readings.ts';
import { POD_NETWORK_READINGS } from './pod-network-readings.ts';
import { POD_READINGS } from './pod-readings.ts';
import { SCHEDULING_READINGS } from './scheduling-readings.ts';
import { STORAGE_READINGS } from './storage-readings.ts';

/** A line of each kind as events, conditions and logs have it, and what it says. */
const SAID: readonly (readonly [line: string, id: string, cause: string])[] = [
  [
    'E0110 10:00:00.0 1 x.go:1] failed to reserve sandbox name "till-0_shop": name "till-0_shop" is reserved for "aa11"',
    'says-name-reserved',
    'an earlier try to make till-0_shop',
  ],
  [
    'rpc error: code = Unknown desc = failed to find runtime handler kata from runtime list map[runc:x]',
    'says-runtime-class-unknown',
    'has no handler kata, which the RuntimeClass of the pod names',
  ],
  [
    "Warning OutOfcpu kubelet Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000",
    'says-node-does-not-admit',
    'it has too little cpu left (2000 asked for, 3000 of 4000 taken)',
  ],
  [
    'Warning UnexpectedAdmissionError kubelet Allocate failed due to requested number of devices unavailable for fern.lan/gpu. Requested: 1, Available: 0, which is unexpected',
    'says-node-does-not-admit',
    'no healthy fern.lan/gpu is free on it',
  ],
  [
    'Warning TopologyAffinityError kubelet Resources cannot be allocated with Topology locality',
    'says-node-does-not-admit',
    'does not lie together on one NUMA node',
  ],
  [
    'Warning NodeAffinity kubelet Predicate NodeAffinity failed',
    'says-node-does-not-admit',
    'its labels are not those that the pod asks for',
  ],
  [
    'failed to execute nmstatectl set --no-commit: exit status 1 rolling back desired state configuration: failed runnig probes after network changes: failed to run probe: default gw, timed out',
    'says-network-rolled-back',
    'The new network settings of the node were taken back, because it did not work with them (default gw)',
  ],
  [
    'error: persistentvolumeclaims "till" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    'says-class-does-not-grow',
    'The claim till cannot grow',
  ],
  [
    'Failed to check and update snapshot content: failed to take snapshot of the volume till: "rpc error: code = Unimplemented desc = "',
    'says-no-snapshots',
    'The storage driver cannot make snapshots',
  ],
  [
    'error adding container to network "br-a": failed to lookup master "eth9": Link not found',
    'says-parent-card-missing',
    'the network br-a builds on eth9 is not on this node',
  ],
  [
    'E0110 10:00:00.000000 1 utils.go:200] ID: 5 GRPC error: rpc error: code = Internal desc = an error (exit status 32) occurred while running mount args: [-t ceph x] stderr: mount error: no mds server is up or the cluster is laggy',
    'says-ceph-without-mds',
    'none of its metadata servers (MDS) is active',
  ],
  [
    'debug 2026-01-10T10:00:00.000+0000 7f1 -1 monclient: authenticate timed out after 300',
    'says-ceph-unreachable',
    'Ceph does not answer in time',
  ],
  [
    'monclient(hunting): handle_auth_bad_method server allowed_methods [2] but i only support [2]',
    'says-ceph-key-refused',
    'Ceph does not accept the key that it is shown',
  ],
  [
    'rpc error: code = InvalidArgument desc = failed to fetch monitor list using clusterID (tide): missing configuration for cluster ID "tide"',
    'says-ceph-cluster-unknown',
    'names a Ceph cluster (clusterID tide) that the driver has no addresses of',
  ],
  [
    'rpc error: code = Internal desc = pool not found: pool (tide) not found in Ceph cluster',
    'says-ceph-pool-missing',
    'Ceph has no pool tide',
  ],
  [
    'E0110 10:00:00.000000 1 importer.go:173] Failed to find VM disk image file in the container image',
    'says-image-without-disk',
    'The container image holds no disk of a virtual machine',
  ],
  [
    'Warning  ErrClaimNotValid   5s   datavolume-import-controller  PVC spec is missing accessMode and no storageClass to choose profile',
    'says-class-without-profile',
    'there is no storage class (no default one either)',
  ],
  [
    'Warning  ErrClaimNotValid   5s   datavolume-import-controller  No accessModes specified in StorageProfile tide-sc',
    'says-class-without-profile',
    'the StorageProfile tide-sc of its class knows none',
  ],
  [
    'VMwareVSphereControllerDegraded: node till-1 has hardware version vmx-13, which is below the minimum required version 15',
    'says-machine-version-old',
    'The virtual hardware of till-1 is of version vmx-13',
  ],
  [
    'ERRORED: error configuring pod [shop/till-0] networking: [shop/till-0:tide]: error adding container to network "tide": Link not found',
    'says-parent-card-missing',
    'The network card that the network tide builds on is not on this node',
  ],
  [
    'error adding container to network "tide": failed to create macvlan: device or resource busy',
    'says-parent-card-taken',
    'The network card below the macvlan network is held by something that does not share it',
  ],
  [
    'plugin type="multus-shim" name="multus-cni-network" failed (add): CmdAdd (shim): failed to send CNI request: Post "http://dummy/cni": EOF: StdinData: {"auxiliaryCNIChainName":"vendor"}',
    'says-multus-silent',
    'The daemon of Multus on the node does not answer the plugin (EOF)',
  ],
  [
    'ERRORED: error configuring pod [shop/till-0] networking: Multus: [shop/till-0/aa-1]: error waiting for pod: Unauthorized',
    'says-multus-login',
    'The API does not accept the login that Multus asks with for the pod shop/till-0/aa-1',
  ],
  [
    'error adding container to network "tide": IPAM error: time limit exceeded while waiting to become leader',
    'says-whereabouts-late',
    'Whereabouts did not get its turn',
  ],
  [
    'Warning  ErrorUpdatingResource 1m controlplane  nodeAdd: error adding node "till-4": could not find "k8s.ovn.org/node-subnets" annotation',
    'says-node-without-subnet',
    'The node till-4 was given no part of the cluster network',
  ],
  [
    'failed to allocate cluster subnets for node till-3: error allocating network for node till-3: no subnets available',
    'says-node-without-subnet',
    'The cluster network has no part left for the node till-3',
  ],
  [
    'Error from server (Forbidden): clusterroles.rbac.authorization.k8s.io "tide" is forbidden: user "kim" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
    'says-rights-not-held',
    'kim may not give rights that it does not have itself (tide)',
  ],
  [
    'Error from server: etcdserver: request is too large',
    'says-object-too-large',
    'The object is too large for the store of the API',
  ],
  [
    'error adding container to network "ovn-kubernetes": CNI request failed with status 400: \'[shop/till-0] failed to get pod annotation: timed out waiting for annotations: context deadline exceeded\'',
    'says-pod-not-annotated',
    'The control plane of OVN did not give the pod its address in time',
  ],
  [
    "CNI request failed with status 400: '[shop/till-0] failed to configure pod interface: timed out while waiting for OVS port binding (ovn-installed) for 0a:58:0a:80:00:05",
    'says-pod-not-annotated',
    'OVN did not set up the port of the pod on the node in time',
  ],
  [
    'Error from server (AlreadyExists): object is being deleted: namespaces "till" already exists',
    'says-namespace-ending',
    'The namespace till is being deleted',
  ],
  [
    'Error from server (BadRequest): container "till" in pod "till-0" is waiting to start: ContainerCreating',
    'says-container-waits',
    'The container till of till-0 has not started yet, so it has no log (ContainerCreating)',
  ],
  [
    '2026-01-01 10:00:00.521 UTC [25] PANIC:  could not read file "global/pg_control": Input/output error',
    'says-io-error',
    'The disk or volume below global/pg_control does not read or write',
  ],
  [
    'Error: failed to start: stat /var/lib/tide/till: input/output error',
    'says-io-error',
    'The disk or volume below /var/lib/tide/till does not read or write',
  ],
  [
    'nginx: [emerg] mkdir() "/var/cache/nginx/client_temp" failed (13: Permission denied)',
    'says-image-wants-root',
    'The program may not make or take over /var/cache/nginx/client_temp as the user that it runs as',
  ],
  [
    'Resolving Linux kernel version...Could not resolve Linux kernel version',
    'says-driver-kernel-unknown',
    'does not find what it needs for the kernel of the node',
  ],
  [
    'ERROR: Failed to obtain JDBC connection',
    'says-database-unreached',
    'The program gets no connection to its database in time',
  ],
  [
    'Error: INSTALLATION FAILED: context deadline exceeded',
    'says-release-late',
    'Helm waited in vain for what it made to become ready',
  ],
  [
    'message: PipelineRun "till-x" failed to finish within "1h0m0s"',
    'says-release-late',
    'The run till-x of the pipeline did not end within 1h0m0s',
  ],
  [
    'Error: INSTALLATION FAILED: Unable to continue with install: ServiceAccount "till" in namespace "shop" exists and cannot be imported into the current release: invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"',
    'says-object-of-no-release',
    'The ServiceAccount till in shop is there already and does not belong to this Helm release',
  ],
  [
    'Error: container create failed: error loading seccomp filter into kernel: error loading seccomp filter: errno 524',
    'says-seccomp-not-loaded',
    'does not take the seccomp filter of the container (errno 524): it has no room left',
  ],
  [
    "exit status 2: iptables v1.8.7 (nf_tables): host/network `<nil>' not found",
    'says-rule-refused',
    'A rule of iptables is not taken: host/network `<nil>',
  ],
  [
    'The Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
    'says-field-fixed',
    'The Pod web is to be changed in a field that cannot be changed',
  ],
  [
    "Error: failed to set MOUNT_ATTR_IDMAP on /var/lib/tide: invalid argument (maybe the filesystem used doesn't support idmap mounts on this kernel?)",
    'says-idmap-unsupported',
    'A volume of the pod is on a file system that cannot be mounted for a user namespace',
  ],
  [
    '"error":"secrets "tide" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: , <nil>","stacktrace":"sigs.k8s.io"',
    'says-owner-not-set',
    'The program may not make itself the owner of secrets "tide"',
  ],
  [
    'Warning  SysctlForbidden  9s  kubelet  forbidden sysctl: "kernel.msgmax" not allowlisted',
    'says-sysctl-forbidden',
    'The kubelet does not let the pod set the sysctl kernel.msgmax (not allowlisted)',
  ],
  [
    'Unable to process data: Virtual image size 42949672960 is larger than the reported available storage 10632560640.',
    'says-image-over-claim',
    'The disk image is larger (40.0 GiB)',
  ],
  [
    'Error creating: pods "web-7f-" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "app" must set securityContext.capabilities.drop=["ALL"])',
    'says-pod-security',
    'The pod web-7f- does not meet the pod security level of its namespace, restricted:latest (allowPrivilegeEscala',
  ],
  [
    'Error creating: pods "web-1" is forbidden: exceeded quota: compute, requested: limits.memory=2Gi, used: limits.memory=7Gi, limited: limits.memory=8Gi',
    'says-quota-of-project',
    'A quota or limit is used up: the quota compute of the namespace has no room for web-1 (requested: limits.memor',
  ],
  [
    'Error creating: pods "web-1" is forbidden: failed quota: compute: must specify limits.cpu for: app; limits.memory for: app',
    'says-limits-missing',
    'The namespace has a quota (compute), so every pod must say what it takes, and web-1 does not: limits.cpu for: ',
  ],
  [
    'Error creating: pods "web-1" is forbidden: [maximum memory usage per Container is 1Gi, but limit is 4Gi, maximum cpu usage per Pod is 2, but limit is 4]',
    'says-limit-range',
    'A LimitRange of the namespace does not allow what web-1 asks for (maximum memory usage per Container is 1Gi, b',
  ],
  [
    'Error creating: pods "web-1" is forbidden: error looking up service account shop/web-sa: serviceaccount "web-sa" not found',
    'says-service-account-missing',
    'The service account shop/web-sa does not exist, so pods that run as it are not made',
  ],
  [
    'Internal error occurred: failed calling webhook "validate.fern.io": failed to call webhook: Post "https://hook.fern.svc:443/validate?timeout=10s": context deadline exceeded',
    'says-webhook-silent',
    'The webhook validate.fern.io does not answer the API, so what it checks cannot be made',
  ],
  [
    'The Deployment "web" is invalid: spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"b"}}: field is immutable',
    'says-field-fixed',
    'The field spec.selector of the Deployment web cannot be changed once it is there',
  ],
  [
    'The Service "web" is invalid: spec.clusterIP: Invalid value: "172.30.0.10": failed to allocate IP 172.30.0.10: provided IP is already allocated',
    'says-service-port-taken',
    'The service web asks for a node port or address that another service of the cluster has already (172.30.0.10)',
  ],
  [
    'Error from server (Conflict): Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
    'says-object-changed',
    'deployments.apps "web" was changed by somebody else between reading and writing it',
  ],
  [
    'Warning FailedCreate 1m replicaset-controller Error creating: Internal error occurred: admission plugin "image.openshift.io/ImagePolicy" failed to complete mutation in 13s',
    'says-image-policy-slow',
    'The check image.openshift.io/ImagePolicy of the API does not end in time: the API that it asks (openshift-apis',
  ],
  [
    'Warning Unhealthy 5s (x12 over 2m) kubelet Readiness probe failed: HTTP probe failed with statuscode: 503',
    'says-probe-fails',
    'The container does not pass its readiness probe (HTTP probe failed with statuscode: 503): no traffic is sent t',
  ],
  [
    'Warning FailedCreatePodSandBox 3m kubelet Failed to create pod sandbox: rpc error: code = Unknown desc = error reserving pod name k8s_etcd-0: name is reserved',
    'says-name-reserved',
    'The container runtime still works at an earlier try to make k8s_etcd-0: it is too slow on this node',
  ],
  [
    'E1103 10:11:12.112233 2310 kuberuntime_sandbox.go:72] "Failed to create sandbox for pod" err="rpc error: code = Unknown desc = failed to mount container k8s_POD_web: error creating overlay mount to /var/lib/containers/storage/overlay/ab/merged: no such file or directory" pod="shop/web-1"',
    'says-container-storage-damaged',
    'The container storage of the machine is damaged or not whole (/var/lib/containers/storage/overlay/ab/merged), ',
  ],
  [
    "Warning Failed 8s kubelet Error: couldn't find key password in Secret shop/db-creds",
    'says-key-of-object-missing',
    'The Secret shop/db-creds has no key password, which the pod asks for',
  ],
  [
    'Warning FailedMount 1m (x8 over 20m) kubelet MountVolume.SetUp failed for volume "config" : configmap "web-conf" not found',
    'says-mounted-object-missing',
    'There is no configmap "web-conf" in the namespace of the pod, which mounts it (config)',
  ],
  [
    'Warning Failed 8s kubelet Error: container has runAsNonRoot and image will run as root (pod: "web-1_shop(aa)", container: app)',
    'says-image-runs-as-root',
    'The container app may not run as root, and its image runs as root (web-1_shop(aa))',
  ],
  [
    'Warning ErrImageNeverPull 8s kubelet Container image "local/web:1" is not present with pull policy of Never',
    'says-image-never-pulled',
    'The image local/web:1 is not on the node, and the pod does not let it be pulled (imagePullPolicy: Never)',
  ],
  [
    'Warning FailedToRetrieveImagePullSecret 1m kubelet Unable to retrieve some image pull secrets (mirror-pull); attempting to pull the image may not succeed.',
    'says-pull-secret-missing',
    'The pull secret mirror-pull that the pod or its service account names does not exist in its namespace',
  ],
  [
    'W1118 00:11:22.123456    2044 kubelet_pods.go:861] Unable to retrieve pull secret fern/depot-pull for fern/depot-0 due to secret "depot-pull" not found.  The image pull may not succeed.',
    'says-pull-secret-missing',
    'The pull secret depot-pull that the pod or its service account names does not exist in its namespace',
  ],
  [
    'Warning Evicted 1m kubelet Pod ephemeral local storage usage exceeds the total limit of containers 2Gi.',
    'says-pod-storage-limit',
    'The pod was ended, because it wrote more to the disk of its node than its limit (2Gi)',
  ],
  [
    'Warning Evicted 1m kubelet The node was low on resource: memory. Container app was using 6Gi, which exceeds its request of 1Gi.',
    'says-node-low-on',
    'The node ran low on memory and threw the pod out (its container app used 6Gi)',
  ],
  [
    'Ready False KubeletNotReady [container runtime is down, PLEG is not healthy]',
    'says-runtime-down',
    'The node is not ready: its container runtime (crio) does not run or answer',
  ],
  [
    'Warning BackoffLimitExceeded 1m job-controller Job has reached the specified backoff limit',
    'says-job-given-up',
    'A job was given up: each of its pods failed',
  ],
  [
    'Warning FailedComputeMetricsReplicas invalid metrics (1 invalid out of 1), first error is: failed to get cpu utilization: missing request for cpu in container app of Pod web-1',
    'says-metrics-request-missing',
    'The autoscaler cannot count by cpu: the container app says no request for it',
  ],
  [
    'Warning ProgressDeadlineExceeded ReplicaSet "web-7f" has timed out progressing.',
    'says-rollout-late',
    'The pods of the ReplicaSet "web-7f" do not become ready in time',
  ],
  [
    'Warning DeadlineExceeded 1m job-controller Job was active longer than specified deadline',
    'says-job-late',
    'A job was ended, because it did not finish in its time',
  ],
  [
    'error: unable to upgrade connection: container not found ("app")',
    'says-container-not-there',
    'The container app does not run, so nothing can be run in it',
  ],
  [
    'error: timed out waiting for the condition on pods/web-1',
    'says-wait-over',
    'pods/web-1 did not come to the state that was waited for in time',
  ],
  [
    'no nodes available to schedule pods',
    'says-no-nodes',
    'The cluster has no node yet that pods could run on',
  ],
  [
    'error: Metrics API not available',
    'says-metrics-missing',
    'The cluster has no figures of its pods: what serves the metrics API does not run, or does not have them yet',
  ],
  [
    'Warning NodeHasInsufficientPID 1m kubelet Node status is now: NodeHasInsufficientPID',
    'says-pids-short',
    'The node has hardly any process ids left: something on it starts too many processes',
  ],
  [
    'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create pod network sandbox k8s_a_b_c_0(11): error adding pod b_a to CNI network "multus-cni-network": plugin type="multus" name="multus-cni-network" failed (add): cannot find a network-attachment-definition (storage-net) in namespace (shop): network-attachment-definitions.k8s.cni.cncf.io "storage-net" not found',
    'says-attachment-missing',
    'There is no NetworkAttachmentDefinition storage-net in the namespace shop, which the pod names as a network of',
  ],
  [
    'Error adding network: failed to find plugin "dnsname" in path [/usr/local/libexec/cni /usr/libexec/cni /opt/cni/bin]',
    'says-podman-plugin-missing',
    'The network plugin dnsname of podman (CNI) is not installed on this host',
  ],
  [
    'Failed to pull image "m.lab:8443/fern/depot:1": pull QPS exceeded',
    'says-pulls-held-back',
    'The kubelet holds pulls back',
  ],
  [
    'failed to find plugin "whereabouts" in path [/opt/multus/bin /var/lib/cni/bin /usr/libexec/cni]',
    'says-plugin-missing',
    'The network plugin whereabouts is not installed on the node',
  ],
  [
    'error: failed to assign pod addresses for pod shop/web-1: failed to allocate new IPs for: subnet address pool exhausted',
    'says-pod-addresses-gone',
    'There is no free address left to give (subnet address pool exhausted)',
  ],
  [
    'plugin type="macvlan" failed (add): Link not found',
    'says-parent-card-missing',
    'The network card that the macvlan network builds on is not on this node',
  ],
  [
    'SRIOV-CNI failed to load netconf: LoadConf(): VF pci addr is required',
    'says-vf-missing',
    'The pod was given no virtual function of an SR-IOV card',
  ],
  [
    'calico/node is not ready: BIRD is not ready: BGP not established with 10.9.0.21,10.9.0.22',
    'says-bgp-down',
    'Calico of this node has no BGP session with 10.9.0.21,10.9.0.22',
  ],
  [
    'calico/node is not ready: felix is not ready: readiness probe reporting 503',
    'says-calico-down',
    'Calico is not ready on this node',
  ],
  [
    'plugin/loop: Loop (127.0.0.1:5353 -> :5353) detected for zone ".", see https://coredns.io/plugins/loop#troubleshooting. Query: "HINFO 1.2"',
    'says-dns-loop',
    'CoreDNS asks itself for names that it does not know (127.0.0.1:5353 -> :5353)',
  ],
  [
    'lookup db.shop.svc.cluster.local on 172.30.0.10:53: no such host',
    'says-service-unknown',
    'The service name db.shop.svc.cluster.local is not known to 172.30.0.10:53: there is no such service, or the na',
  ],
  [
    'Warning AllocationFailed 1m metallb-controller Failed to allocate IP for "shop/web": no available IPs',
    'says-no-service-address',
    'The service shop/web gets no address from MetalLB (no available IPs)',
  ],
  [
    "multus: [shop/web-1]: error loading k8s delegates k8s args: TryLoadPodDelegates: error in getting k8s network for pod: GetNetworkDelegates: failed getting the delegate: GetCNIConfig: err in GetCNIConfigFromFile: Error loading CNI config file /etc/cni/net.d/net1.conf: error parsing configuration: missing 'type'",
    'says-attachment-config',
    'The configuration of a pod network cannot be read (/etc/cni/net.d/net1.conf: error parsing configuration: miss',
  ],
  [
    'openshift-sdn: F1103 10:11:12.1 cmd.go:111] Failed to start sdn: failed to get subnet for this host: w1, error: timed out waiting for the condition',
    'says-node-without-subnet',
    'The node w1 was given no part of the cluster network',
  ],
  [
    'EgressIP: W1103 no available nodes: eip egress-1: assigned 0 of 1: no assignable nodes',
    'says-no-egress-node',
    'No node may hold the egress address',
  ],
  [
    'DNS "default" is unavailable / Some pods of DNS default unavailable: DNS default is degraded: Have 0 available DNS pods, want at least 1',
    'says-dns-pods-missing',
    'The cluster has 0 of its DNS pods, and wants 1',
  ],
  [
    'failed to create pod network sandbox: cannot set "ovn-kubernetes" ifname to "eth0": no netns: failed to Statfs "/proc/4711/ns/net": no such file or directory',
    'says-netns-gone',
    'The sandbox of the pod had ended before its network was set up: its network namespace is gone (/proc/4711/ns/net)',
  ],
  [
    'Message: error attempting to add ANP garden with priority 600 because, OVNK only supports priority ranges 0-99',
    'says-admin-policy',
    'OVN does not apply the policy garden (priority 600): OVNK only supports priority ranges 0-99',
  ],
  [
    'failed to provision volume with StorageClass "lvms-vg1": rpc error: code = ResourceExhausted desc = no enough space left on VG: free=1024, requested=4096',
    'says-class-without-room',
    'The volume group behind the storage class has no room for the volume (1024 bytes are free, 4096 were asked for)',
  ],
  [
    '2026-11-16 03:11:42.343160 I | cephosd: skipping device "sdd" because it contains a filesystem "mpath_member"',
    'says-no-disk-for-storage',
    'Ceph does not take the disk sdd: multipathd has claimed it as one of its paths (mpath_member)',
  ],
  [
    'reason: no available devices found for volume group vg1',
    'says-no-disk-for-group',
    'LVM storage finds no disk on the node that it may use for the volume group vg1',
  ],
  [
    'mandatory device path "/dev/sdz" cannot be used, because it is NOT available as a new device for the volume group and NOT part of a valid and tagged existing volume group: the device did not exist on the host',
    'says-no-disk-for-group',
    'LVM storage cannot use the disk /dev/sdz (the device did not exist on the host)',
  ],
  [
    'Warning FailedMount 2m kubelet MountVolume.MountDevice failed for volume "pvc-1f2e" : rpc error: code = Aborted desc = an operation with the given Volume ID 0001-0011-openshift-storage-0000000000000001-aa already exists',
    'says-volume-operation-hangs',
    'The storage driver still works at an earlier request for the volume pvc-1f2e: mostly the storage behind it does not a',
  ],
  [
    'Warning FailedMount 2m kubelet MountVolume.MountDevice failed for volume "pvc-1f2e" : rpc error: code = Internal desc = rbd: map failed with error an error (exit status 110) occurred while running rbd args: [--id csi-rbd-node -m 10.9.1.1:6789,10.9.1.2:6789]',
    'says-ceph-unreachable',
    'Ceph does not answer in time, so the volume pvc-1f2e cannot be used',
  ],
  [
    'rpc error: code = Internal desc = failed to establish the connection: failed to get connection: connecting failed: rados: ret=-13, Permission denied',
    'says-ceph-key-refused',
    'Ceph does not accept the key that it is shown',
  ],
  [
    'MountVolume.MountDevice failed for volume "pvc-9" : rpc error: code = Internal desc = rbd image ocs-storagecluster-cephblockpool/csi-vol-9 is still being used',
    'says-image-still-used',
    'The Ceph image ocs-storagecluster-cephblockpool/csi-vol-9 is still in use, most often on another node',
  ],
  [
    'level=error msg="GRPC error: rpc error: code = Internal desc = error mounting NFS volume 192.0.2.5:/srv/fern on mountpoint /var/lib/kubelet/pods/1/mount: exit status 32"',
    'says-nfs-mount-fails',
    'The node cannot mount the NFS share 192.0.2.5:/srv/fern (exit status 32)',
  ],
  [
    'failed to provision volume with StorageClass "fern-local": mkdir /var/fern/pvc-1: permission denied',
    'says-host-folder-denied',
    'The provisioner of the class fern-local may not make /var/fern/pvc-1 on the node',
  ],
  [
    'MountVolume.MountDevice failed for volume "pvc-9" : rpc error: code = Internal desc = \'fsck\' found errors on device /dev/rbd0 but could not correct them: fsck from util-linux 2.37',
    'says-volume-damaged',
    'The file system of the volume pvc-9 is damaged, or of another kind than is asked for (/dev/rbd0)',
  ],
  [
    "mount: /var/lib/kubelet/pods/x/volumes/pv: unknown filesystem type 'depotfs'.",
    'says-mount-helper-missing',
    'The machine lacks the program that mounts this kind of volume (depotfs)',
  ],
  [
    'Warning FailedMapVolume 5m kubelet MapVolume.MapPodDevice failed for volume "local-pv-1" : path /mnt/local-storage/lb/sdb does not exist',
    'says-local-disk-gone',
    'The local disk or folder /mnt/local-storage/lb/sdb behind the volume local-pv-1 is no longer on the node',
  ],
  [
    'AttachVolume.Attach failed for volume "pvc-77" : timed out waiting for external-attacher of openshift-storage.rbd.csi.ceph.com CSI driver to attach volume 0001',
    'says-attacher-silent',
    'The controller of the storage driver openshift-storage.rbd.csi.ceph.com does not attach the volume in time: it',
  ],
  [
    'Warning VolumeMismatch 1m persistentvolume-controller Cannot bind to requested volume "pv1": requested PV is too small',
    'says-claim-mismatch',
    'The claim does not fit the volume pv1 that it names (requested PV is too small)',
  ],
  [
    'Warning ClaimLost 1m persistentvolume-controller Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    'says-volume-lost',
    'The volume of a bound claim was deleted: the claim is lost',
  ],
  [
    'running PreBind plugin "VolumeBinding": binding volumes: timed out waiting for the condition',
    'says-binding-late',
    'The volumes of the pod were not bound in time (timed out waiting for the condition): mostly their provisioner makes n',
  ],
  [
    'HEALTH_ERR 2 osds down; 1 nearfull osd(s)',
    'says-ceph-disk-down',
    'Disks of Ceph are down (2 osds down)',
  ],
  [
    "AttachVolume.Attach failed for volume \"pvc-1\" : rpc error: code = Unknown desc = InvalidVolume.ZoneMismatch: The volume 'vol-0a' is not in the same availability zone as instance 'i-0b'",
    'says-volume-other-zone',
    "The disk vol-0a is in another zone than the machine that its pod runs on (instance 'i-0b')",
  ],
  [
    'Error: failed to stat "/var/lib/kubelet/pods/7/volumes/a": stat /var/lib/kubelet/pods/7/volumes/a: host is down',
    'says-mount-gone',
    'What is mounted at /var/lib/kubelet/pods/7/volumes/a no longer answers (host is down)',
  ],
  [
    'HEALTH_ERR 1 full osd(s); 3 pool(s) full',
    'says-ceph-full',
    'The disks of Ceph are full, or nearly so (1 full osd(s); 3 pool(s) full): full ones take no writes',
  ],
  [
    '2026-11-03 10:00:00.1 W | cephosd: skipping OSD configuration as no devices matched the storage settings for this node "w1"',
    'says-no-disk-for-storage',
    'Ceph finds no disk on the node w1 that it may use',
  ],
  [
    'E | ceph-cluster-controller: failed to reconcile CephCluster "openshift-storage/ocs-storagecluster-cephcluster". failed to reconcile cluster "ocs-storagecluster-cephcluster": failed to configure local ceph cluster: failed to create cluster: failed to start ceph monitors: failed to start mon pods: failed to check mon quorum a: failed to wait for mon quorum: exceeded max retry count waiting for monitors to reach quorum',
    'says-mons-without-quorum',
    'The monitors of Ceph do not find each other: too few of them run, or they do not reach each other',
  ],
  [
    "message: 'Not enough nodes found: Expected 3, found 2' reason: ReconcileFailed",
    'says-storage-nodes-few',
    'The storage cluster wants 3 nodes, and only 2 bear its label',
  ],
  [
    "lvms: failed to create/extend volume group vg1: failed to create volume group or extend volume group 'vg1' using command '/usr/sbin/vgcreate vg1 /dev/sdb': exit status 5",
    'says-volume-group-not-made',
    'The volume group vg1 cannot be made or extended (/dev/sdb): the disk is in use, or not empty',
  ],
  [
    'Warning VolumeResizeFailed resize failed: resize volume "pvc-3" by resizer "rbd.csi" failed: rpc error: code = Internal desc = volume cannot be shrunk',
    'says-volume-not-resized',
    'The volume pvc-3 cannot be resized (rpc error: code = Internal desc = volume cannot be shrunk)',
  ],
  [
    'err="opening storage failed: lock DB directory: resource temporarily unavailable"',
    'says-metrics-store-damaged',
    'Prometheus cannot open its data (lock DB directory: resource temporarily unavailable)',
  ],
  [
    '0/3 nodes are available: persistentvolumeclaim "data-db-0" not found. preemption: not eligible due to preemptionPolicy=Never.',
    'says-claim-missing',
    'is not there (persistentvolumeclaim "data-db-0" not found)',
  ],
  [
    '0/6 nodes are available: 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }, 3 node(s) had volume node affinity conflict. preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling.',
    'says-volume-of-other-nodes',
    '3 node(s) had volume node affinity conflict)',
  ],
  [
    "0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind.",
    'says-no-volume-to-bind',
    'there is no volume on it for its claim',
  ],
  [
    "0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports.",
    'says-host-port-taken',
    'the host port that it wants is taken',
  ],
  [
    '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.',
    'says-device-short',
    'a free device of the kind that the pod asks for (3 Insufficient nvidia.com/gpu)',
  ],
  [
    "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
    'says-node-labels',
    "(3 node(s) didn't match Pod's node affinity/selector)",
  ],
  [
    '0/3 nodes are available: 3 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }.',
    'says-nodes-sick',
    'because nodes are not well (3 node(s) had untolerated taint',
  ],
  [
    'Warning Preempted 1m default-scheduler Preempted by pod 1f2e on node w1',
    'says-preempted',
    'of a higher priority (1f2e on w1)',
  ],
  [
    'Warning EvictionThresholdMet 1m kubelet Attempting to reclaim memory',
    'says-node-reclaims',
    'The node runs low on memory',
  ],
  [
    'Warning FailedKillPod 1m kubelet error killing pod: failed to destroy network: error removing pod shop_web-1 from CNI network "multus-cni-network": plugin type="multus" failed (delete): netplugin failed',
    'says-pod-not-disconnected',
    'does not take the pod shop_web-1 off its network (multus-cni-network)',
  ],
  [
    '2026-11-03T10:00:00Z|00022|reconnect|ERR|ssl:10.9.0.11:9642: no response to inactivity probe after 60 seconds, disconnecting',
    'says-ovn-database-silent',
    'The OVN database at ssl:10.9.0.11:9642 gave no answer for 60 seconds',
  ],
  [
    'ovs-vsctl: unix:/var/run/openvswitch/db.sock: database connection failed (No such file or directory)',
    'says-ovs-down',
    'ovsdb-server does not run on this machine, or not where it is asked: /var/run/openvswitch/db.sock is not there',
  ],
  [
    'ovs-vsctl: no bridge named br-fern',
    'says-ovs-bridge-missing',
    'Open vSwitch has no bridge br-fern on this machine',
  ],
  [
    'Error from server (Forbidden): pods "till-0" is forbidden: unable to create new content in namespace shop because it is being terminated',
    'says-namespace-ending',
    'The namespace shop is being deleted, and takes nothing new until it is gone',
  ],
  [
    'Internal error occurred: failed calling webhook "validate.fern.io": failed to call webhook: the server could not find the requested resource',
    'says-webhook-broken',
    'The webhook validate.fern.io answers the API with an error of its own (the server could not find the requested',
  ],
  [
    'Error from server (InternalError): Internal error occurred: failed calling webhook "ibmcloud.fern.io": Post https://hook.fern.svc:443/v: dial tcp 172.30.4.4:443: connect: connection timed out',
    'says-webhook-silent',
    'The webhook ibmcloud.fern.io does not answer the API',
  ],
  [
    'Internal error occurred: admission plugin "MutatingAdmissionWebhook" failed to complete mutation in 13s',
    'says-image-policy-slow',
    'The check MutatingAdmissionWebhook of the API does not end in time: a webhook that it calls does not answer, or slowly',
  ],
  [
    'Error: UPGRADE FAILED: cannot patch "web" with kind Deployment: Deployment.apps "web" is invalid: spec.selector: Invalid value: v1.LabelSelector{}: field is immutable',
    'says-field-fixed',
    'The field spec.selector of the Deployment web cannot be changed once it is there',
  ],
  [
    'updating StatefulSet object failed: StatefulSet.apps "depot" is invalid: spec: Forbidden: updates to statefulset spec for fields other than replicas are forbidden',
    'says-field-fixed',
    'The StatefulSet depot is to be changed in a field that cannot be changed once it is there',
  ],
  [
    'MountVolume.MountDevice failed for volume "pvc-7" : failed to mount the volume as "ext4", it already contains xfs. Mount error: mount failed: exit status 32',
    'says-volume-other-kind',
    'The volume pvc-7 is to be mounted as ext4, and holds xfs',
  ],
  [
    'failed to provision volume with StorageClass "fern": error getting handle: volumesnapshots.snapshot.storage.k8s.io "leaf" not found',
    'says-volume-source-missing',
    'The storage behind the class fern makes no volume: it does not have what the claim or the class names (snapshot.storage.k8s.io "leaf" not found)',
  ],
];

testSaidLines(
  SAID.map(([line, id, cause]) => ({ line, id, cause })),
  [
    ...ADMISSION_READINGS,
    ...POD_READINGS,
    ...POD_NETWORK_READINGS,
    ...SCHEDULING_READINGS,
    ...STORAGE_READINGS,
  ],
);

testNearLines([
  [
    'I0110 10:00:00.0 9 ovs.go:1] Exec(12): stderr: "ovs-ofctl: br-ext is not a bridge or a socket\\n"',
  ],
  [
    'failed to provision volume with StorageClass "fern": rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    'says-volume-not-made',
  ],
  ['Warning: would violate PodSecurity "restricted:latest": runAsNonRoot != true'],
  ["Error: googleapi: Quota 'CPUS' exceeded. Limit: 24.0", 'says-quota'],
  [
    'Error: error creating overlay mount to /var/lib/x/merged, mount_data="a": invalid argument',
    'says-overlay-mount',
  ],
  [
    'Error: rpc error: code = ResourceExhausted desc = grpc: received message larger than max (5 vs. 4)',
  ],
  ['Error: path /srv/depot does not exist'],
  ['Error: dial tcp: lookup depot.fern.lan on 10.9.0.2:53: no such host', 'says-name-unknown'],
  ['HEALTH_OK'],
  [
    "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.",
    'says-unschedulable',
  ],
  ['3/6 nodes are available: 3 node(s) had volume node affinity conflict.'],
  ['Normal WaitForFirstConsumer waiting for first consumer to be created before binding'],
  [
    'The Deployment "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    'says-field-invalid',
  ],
  ['Error: bind: address already in use', 'says-port-taken'],
  [
    '00007|reconnect|INFO|unix:/var/run/ovn/ovnsb_db.sock: connection attempt failed (No such file or directory)',
  ],
  [
    'ovs-vsctl: unix:/var/run/openvswitch/db.sock: database connection failed (Permission denied)',
    'says-access-denied',
  ],
  ['Error: open /etc/depot.key: permission denied', 'says-access-denied'],
]);

test.each([
  [
    'ovn-nbctl: unix:/var/run/ovn/ovnnb_db.sock: database connection failed (Connection refused)',
    'The database server of OVN does not run on this machine, or not where it is asked: /var/run/ovn/ovnnb_db.sock is there and nobody answers',
  ],
  [
    'ovs-appctl: /var/run/openvswitch/ovs-vswitchd.pid: open: No such file or directory',
    'ovs-vswitchd does not run on this machine, or not where it is asked: /var/run/openvswitch/ovs-vswitchd.pid is not there',
  ],
])('readPlainly tells whose socket is not answered: %j', (line, cause) => {
  expect(readPlainly(line)?.cause).toBe(cause);
});
