/**
 * What the logs of installs that went well hold all the same, file by file: things are waited for, tried
 * again, and complained about until they are there. The last line of each file says that all was well.
 */
export const ORDINARY_FILES: Readonly<Record<string, readonly string[]>> = {
  'bootstrap/journals/node-image-pull.log': [
    'Aug 20 10:00:03 bootstrap node-image-pull.sh[1420]: Failed to query MCO image from release; retrying...',
    'Aug 20 10:00:20 bootstrap node-image-pull.sh[1420]: Extracting machine-config-osimagestream binary to /tmp/tmp.x',
    'Aug 20 10:00:21 bootstrap node-image-pull.sh[1420]: Failed to query for OS image pullspec; retrying...',
    'Aug 20 10:00:31 bootstrap node-image-pull.sh[1420]: Target node image is mirror.lab:5000/x@sha256:ab',
    'Aug 20 10:00:40 bootstrap node-image-pull.sh[1420]: Failed to fetch release image; retrying...',
    'Aug 20 10:01:50 bootstrap node-image-pull.sh[1420]: Checking out node image content',
  ],
  'bootstrap/journals/release-image.log': [
    'Aug 20 10:02:01 bootstrap release-image-download.sh[1700]: Pull failed. Retrying mirror.lab:5000/x@sha256:ab...',
    'Aug 20 10:02:09 bootstrap systemd[1]: Finished Download the OpenShift Release Image.',
  ],
  'bootstrap/journals/bootkube.log': [
    'Aug 20 10:03:15 bootstrap bootkube.sh[2100]: https://localhost:2379 is unhealthy: failed to commit proposal: context deadline exceeded',
    'Aug 20 10:03:15 bootstrap bootkube.sh[2100]: etcdctl failed. Retrying in 5 seconds...',
    'Aug 20 10:03:25 bootstrap bootkube.sh[2100]: https://localhost:2379 is healthy: successfully committed proposal: took = 9.8ms',
    'Aug 20 10:03:28 bootstrap bootkube.sh[2100]: Still waiting for the Kubernetes API: Get "https://localhost:6443/readyz": dial tcp [::1]:6443: connect: connection refused',
    'Aug 20 10:04:29 bootstrap bootkube.sh[2100]: [#1] failed to create some manifests:',
    'Aug 20 10:04:29 bootstrap bootkube.sh[2100]: "99_x.yaml": unable to get REST mapping for "99_x.yaml": no matches for kind "MachineConfig" in version "machineconfiguration.openshift.io/v1"',
    'Aug 20 10:04:29 bootstrap bootkube.sh[2100]: Failed to create "etcd-signer-secret.yaml" secrets.v1./etcd-signer -n openshift-config: namespaces "openshift-config" not found',
    'Aug 20 10:13:31 bootstrap bootkube.sh[2100]: Sending bootstrap-finished event.',
    'Aug 20 10:13:41 bootstrap bootkube.sh[2100]: Trying again to restore CVO overrides',
    'Aug 20 10:13:51 bootstrap bootkube.sh[2100]: clusterversion.config.openshift.io/version patched',
    'Aug 20 10:13:53 bootstrap bootkube.sh[2100]: I0820 10:13:53.1 1 waitforceo.go:67] waiting on condition EtcdRunningInCluster in etcd CR /cluster to be True.',
    'Aug 20 10:16:54 bootstrap bootkube.sh[2100]: bootkube.service complete',
  ],
  [`bootstrap/containers/etcd-${'0a'.repeat(32)}.log`]: [
    '{"level":"warn","msg":"apply request took too long","took":"127.3ms","expected-duration":"100ms"}',
  ],
  'control-plane/10.0.0.5/journals/kubelet.log': [
    'Aug 20 10:05:01 master-0 kubenswrapper[2519]: E0820 kubelet_node_status.go:107] "Unable to register node with API server" err="nodes is forbidden" node="master-0"',
    'Aug 20 10:05:02 master-0 kubenswrapper[2519]: E0820 kubelet.go:2349] "Container runtime network not ready" networkReady="NetworkReady=false reason:NetworkPluginNotReady message:No CNI configuration file in /etc/kubernetes/cni/net.d/"',
    'Aug 20 10:05:11 master-0 kubenswrapper[2519]: I0820 kubelet_node_status.go:78] "Successfully registered node" node="master-0"',
    'Aug 20 10:06:11 master-0 kubenswrapper[2519]: I0820 kubelet_node_status.go:669] "Recording event message for node" node="master-0" event="NodeReady"',
  ],
  'serial/master-0.log': [
    '[   15.3] ignition[687]: GET error: Get "https://api-int.c1.example.com:22623/config/master": dial tcp 10.0.0.9:22623: connect: connection refused',
    '[   15.9] ignition[687]: GET error: Get "https://api-int.c1.example.com:22623/config/master": dial tcp: lookup api-int.c1.example.com on [::1]:53: read udp [::1]:1->[::1]:53: read: connection refused',
    '[   20.4] ignition[687]: GET result: Internal Server Error',
    '[   25.4] ignition[687]: GET result: OK',
  ],
  '.openshift_install.log': [
    'time="2026-08-20T10:00:01Z" level=debug msg="Still waiting for the Kubernetes API: Get \\"https://api.c1.example.com:6443/version\\": dial tcp: lookup api.c1.example.com on 10.0.0.2:53: no such host"',
    'time="2026-08-20T10:00:31Z" level=debug msg="Still waiting for the Kubernetes API: Get \\"https://api.c1.example.com:6443/version\\": dial tcp 10.0.0.9:6443: connect: connection refused"',
    'time="2026-08-20T10:04:28Z" level=info msg="API v1.31.0 up"',
    'time="2026-08-20T10:04:28Z" level=info msg="Waiting up to 45m0s (until 10:49AM UTC) for bootstrapping to complete..."',
    'time="2026-08-20T10:20:31Z" level=debug msg="Still waiting for the cluster to initialize: Cluster operators authentication, console are not available"',
    'time="2026-08-20T10:41:31Z" level=info msg="Install complete!"',
  ],
  'resources/clusteroperators.json': [
    JSON.stringify({
      kind: 'List',
      items: [
        operator(
          'ClusterOperator',
          'etcd',
          'Degraded',
          'NodeControllerDegraded: All master nodes are ready\nEtcdMembersDegraded: No unhealthy members found',
        ),
        operator('Etcd', 'cluster', 'EtcdMembersDegraded', 'No unhealthy members found'),
        mount('metrics-tls'),
        mount('cluster-autoscaler-operator-cert'),
      ],
    }),
  ],
};

function operator(kind: string, name: string, type: string, message: string) {
  const conditions = [{ type, status: 'False', reason: 'AsExpected', message }];
  return { kind, metadata: { name }, status: { conditions } };
}

function mount(secret: string) {
  const message = `MountVolume.SetUp failed for volume "${secret}" : secret "${secret}" not found`;
  return { kind: 'Event', reason: 'FailedMount', message, lastTimestamp: '2026-08-20T10:10:00Z' };
}
