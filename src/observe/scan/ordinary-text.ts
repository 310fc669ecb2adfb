/**
 * Lines as they fill the logs of installs that go well. A word of a pattern that stands here would be found everywhere:
 * any other part of the pattern is a better thing to look for.
 */
const LINES = String.raw`
Thu 2026-08-20 10:11:12 UTC bootstrap kubelet.service[5867]: I0820 10:11:12.123456    5867 kubelet.go:2076] "SyncLoop ADD" source="api" pods=["openshift-etcd/etcd-bootstrap-member-0"]
Thu 2026-08-20 10:11:12 UTC master-0 crio.service[1432]: time="2026-08-20T10:11:12Z" level=info msg="Checking image status: quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:0a1b" id=0a1b name=/runtime.v1.ImageService/ImageStatus
Aug 20 10:11:12 worker-0 crio[1432]: time="2026-08-20 10:11:12.123456789Z" level=info msg="Pulled image: mirror.example.com:8443/openshift/release@sha256:0a1b" file="server/image_pull.go:120"
Aug 20 10:11:12 bootstrap bootkube.sh[2345]: Starting cluster-bootstrap... Waiting for CEO to finish... https://localhost:2379 is healthy: successfully committed proposal
Aug 20 10:11:12 bootstrap release-image-download.sh[2000]: Pulling quay.io/openshift-release-dev/ocp-release@sha256:0a1b... Pull failed. Retrying quay.io/openshift-release-dev/ocp-release
E0820 10:11:12.123456    5867 reflector.go:147] k8s.io/client-go/informers/factory.go:150: Failed to watch *v1.Service: failed to list *v1.Service: Get "https://api-int.c1.example.com:6443/api/v1/services?limit=500": dial tcp 10.0.0.2:6443: connect: connection refused
E0820 10:11:12.123456    5867 kubelet_node_status.go:96] "Unable to register node with API server" err="Post \"https://api-int.c1.example.com:6443/api/v1/nodes\": dial tcp: lookup api-int.c1.example.com on 10.0.0.2:53: i/o timeout" node="master-0"
E0820 10:11:12.123456    5867 controller.go:145] "Failed to ensure lease exists, will retry" err="Get \"https://api.c1.example.com:6443/apis/coordination.k8s.io/v1\": context deadline exceeded" interval="7s"
E0820 10:11:12.123456    5867 pod_workers.go:1301] "Error syncing pod, skipping" err="network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: No CNI configuration file in /etc/kubernetes/cni/net.d/" pod="openshift-multus/network-metrics-daemon"
I0820 10:11:12.123456       1 controller.go:330] syncing machine-config pool worker generation 3, observed configuration rendered-worker-0a1b, rendered-master-0a1b, degraded machine count 0
W0820 10:11:12.123456       1 dispatcher.go:217] Failed calling webhook, failing open for pod 12: context canceled
W0820 10:11:12.123456       1 logging.go:59] [core] [Channel #1 SubChannel #2] grpc: addrConn.createTransport failed to connect to {Addr: "10.0.0.5:2379"}. Err: connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.5:2379: connect: connection refused"
{"level":"info","ts":"2026-08-20T10:11:12.123Z","caller":"etcdserver/server.go:2144","msg":"saved snapshot","snapshot-index":12}
{"level":"warn","ts":"2026-08-20T10:11:12.123Z","caller":"rafthttp/probing_status.go:68","msg":"prober detected unhealthy status","remote-peer-id":"0a1b","rtt":"0s","error":"dial tcp 10.0.0.6:2380: connect: connection refused"}
time="2026-08-20T10:11:12Z" level=debug msg="Still waiting for the Kubernetes API: Get \"https://api.c1.example.com:6443/version\": EOF"
time="2026-08-20T10:11:12Z" level=info msg="Waiting up to 40m0s (until 10:51AM UTC) for the cluster at https://api.c1.example.com:6443 to initialize..."
level=debug msg=Still waiting for the cluster to initialize: Working towards 4.20.3: 700 of 900 done (77% complete), waiting on authentication, console, ingress, image-registry, monitoring
level=info msg=Cluster operator authentication Available is False with OAuthServer_Error: the server is not available: not found, timeout
2026/08/20 10:11:12  [INFO]   : === Copying image docker://registry.redhat.io/redhat/redhat-operator-index:v4.20 to mirror, operators: release images: success
172.16.0.9 - - [20/Aug/2026:10:11:12 +0000] "HEAD /v2/openshift/release/blobs/sha256:0a1b HTTP/1.1" 404 0 "-" "containers/5.30 (github.com/containers/image)"
Aug 20 10:11:12 lb haproxy[900]: backend api server master-0 is UP, reason: Layer6 check passed, proxy started
[   12.345678] ignition[700]: GET https://api-int.c1.example.com:22623/config/master: attempt #12
[   12.345678] systemd[1]: Started ignition-files.service - Ignition (files). Finished Coreos Ignition User Config Setup. Reached target
Aug 20 10:11:12 master-0 systemd[1]: Starting Kubernetes Kubelet... Stopped target, Deactivated successfully, start request, password, required, expected, listening on port 9100
Aug 20 10:11:12 bastion podman[300]: container start registry image=docker.io/library/registry:2 name=mirror server certificate: config, status: unknown, invalid, error: errors: unable to catalog
NAME VERSION AVAILABLE PROGRESSING DEGRADED SINCE MESSAGE ingress-canary router-default-0a1b 0/1 Pending, memory format stream
`;

/** In lower case. */
export const ORDINARY_TEXT = LINES.toLowerCase().trim();
const ORDINARY = ORDINARY_TEXT.split('\n');

/** How many of them hold this text, which is in lower case. */
export const ordinaryLinesWith = (text: string): number =>
  ORDINARY.filter((line) => line.includes(text)).length;
