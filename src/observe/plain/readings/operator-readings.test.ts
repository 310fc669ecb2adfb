import { expect, test } from 'vitest';
import { testNearLines, testSaidLines } from '../../../../test/support/readings.ts';
import { readPlainly } from '../read-plainly.ts';
import { LOGIN_READINGS } from './login-readings.ts';
import { OPERATOR_READINGS } from './operator-readings.ts';
import { SERVICE_READINGS } from './service-readings.ts';

/** A line of each kind as events, conditions and logs have it, and what it says. */
const SAID: readonly (readonly [line: string, id: string, cause: string])[] = [
  [
    '  Message: Cluster operator machine-config should not be upgraded between minor versions: PoolUpdating: One or more machine config pools are updating',
    'says-operator-holds-minor',
    'The operator machine-config holds the update to the next minor version back: PoolUpdating',
  ],
  [
    "message: 'WellKnownReadyControllerDegraded: need at least 3 kube-apiservers, got 2'",
    'says-kubeapi-rolls',
    'The login waits for the API servers: 2 of 3 are there',
  ],
  [
    `message: 'found bundles for package "tide" in multiple catalogs with the same priority [ebb flow]'`,
    'says-package-in-several',
    'Several catalogues hold the package tide, and none comes before the others (ebb flow)',
  ],
  [
    'failed to list fern.lan/v1, Kind=Tide: conversion webhook for fern.lan/v1alpha1, Kind=Tide failed: Post "https://tide.shop.svc:443/convert?timeout=30s": service "tide" not found',
    'says-conversion-webhook',
    'Objects of fern.lan/v1alpha1, Kind=Tide cannot be read or written',
  ],
  [
    'level=fatal msg="Failed to establish connection to argocd-repo-server:8081: context deadline exceeded"',
    'says-part-silent',
    'argocd-repo-server:8081 does not answer in time',
  ],
  [
    'rpc error: code = Unknown desc = overlays/shop: app path does not exist',
    'says-app-path-missing',
    'has no folder overlays/shop',
  ],
  [
    "message: 'Registration agent stopped updating its lease.'",
    'says-managed-cluster-silent',
    'The hub hears nothing of the managed cluster any more',
  ],
  [
    'I0110 10:00:00.000000 1 leaderelection.go:283] failed to renew lease shop/till: timed out waiting for the condition',
    'says-leadership-lost',
    'could not renew its lease shop/till in time',
  ],
  [
    "`helm dependency build` failed exit status 1: Error: no cached repository for helm-manager-3 found. (try 'helm repo update'): open /helm-working-dir/repository/x-index.yaml: no such file or directory",
    'says-chart-repository-unknown',
    'Helm does not know the repository that a dependency of the chart comes from',
  ],
  [
    'error sending canary HTTP request to "canary.apps.fern.lan": Get "https://canary.apps.fern.lan": remote error: tls: certificate required',
    'says-client-certificate-wanted',
    'demands a client certificate, and is shown none',
  ],
  [
    'message: \'spec.tls.certificate: Invalid value: "redacted certificate data": error verifying certificate: x509: certificate has expired or is not yet valid: current time 2026-01-10T10:00:00Z is after 2025-12-01T00:00:00Z\'',
    'says-route-tls-invalid',
    'What the route holds as certificate (spec.tls) is not accepted: x509: certificate has expired',
  ],
  [
    'Internal error occurred: failed calling admission webhook "tide.fern.lan": an error on the server ("tls: failed to find \\"CERTIFICATE\\" PEM block in certificate input after skipping PEM blocks of the following types: [PUBLIC KEY]") has prevented the request',
    'says-pem-of-another-kind',
    'What is given as a certificate holds PUBLIC KEY instead',
  ],
  [
    '{"tags":["warning","elasticsearch","admin"],"message":"Unable to revive connection: https://depot.fern.svc:9200/"}',
    'says-search-unreached',
    'Elasticsearch at https://depot.fern.svc:9200/ cannot be reached',
  ],
  [
    'Error: running task failed: waiting for Alertmanager object changes failed: retrieving stateful set failed: statefulsets.apps "tide-main" not found',
    'says-operand-missing',
    'An operator waits for Alertmanager, and statefulsets.apps "tide-main" was not made for it',
  ],
  [
    'E1103 10:11:12.1 1 basicauth.go:1] AuthenticationError: LDAP Result Code 49 "Invalid Credentials": 80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext error, data 52e, v2580',
    'says-ldap-password',
    'The LDAP server does not accept the login: the bindDN of the identity provider and its password, or those of t',
  ],
  [
    'Error determining LDAP group membership for "cn=admins": membership lookup for user "cn=kim" in group "cn=admins" failed because of "search for entry with dn="cn=kim,ou=out" would search outside of the base dn specified (dn="ou=users,dc=fern,dc=lan")".',
    'says-ldap-entry',
    'The LDAP entry cn=kim,ou=out lies outside of ou=users,dc=fern,dc=lan, where the sync configuration searches',
  ],
  [
    'failed because of "search for entry with base dn="cn=kim" refers to a non-existent entry".',
    'says-ldap-entry',
    'The LDAP server has no entry cn=kim that the search allows, though a group names it',
  ],
  [
    'level=warn caller=grpc_logging.go:43 err="rpc error: code = Code(429) desc = entry ignored, reason: \'Per stream rate limit exceeded (limit: 3MB/sec) while attempting to ingest\'"',
    'says-log-store-refuses',
    'Loki refuses it by one of its limits: Per stream rate limit exceeded (limit: 3MB/sec)',
  ],
  [
    '2026-01-01T10:00:00Z ERROR vector::cli: Configuration error. error=unknown variant `fern`',
    'says-collector-config',
    'Vector, which collects the logs, does not take its configuration: unknown variant `fern`',
  ],
  [
    'level=warn component=prometheusoperator msg="skipping podmonitor" error="secret \\"fern\\" not found" podmonitor=garden/fern',
    'says-monitor-left-out',
    'Prometheus leaves out the podmonitor garden/fern: secret "fern" not found',
  ],
  [
    'Argo service account does not have delete on deployments in namespace garden.',
    'says-argo-permission',
    'Argo CD may not do it: its service account lacks delete on deployments in the namespace garden',
  ],
  [
    "InvalidSpecError: application repo https://git.fern.lan/x.git is not permitted in project 'default'",
    'says-argo-permission',
    "Argo CD may not do it (application repo https://git.fern.lan/x.git is not permitted in project 'default')",
  ],
  [
    '87m Warning NodeIntegrityStatus fileintegrity/fern node w1.fern.lan has changed! a:1,c:2,r:0 log:garden/aide-fern-w1-failed',
    'says-files-changed',
    'Files of the node w1.fern.lan are not as AIDE recorded them (added 1, changed 2, removed 0)',
  ],
  [
    'error: Resource start-up disabled since no STONITH resources have been defined',
    'says-fencing-missing',
    'Pacemaker has no device to fence a node with (STONITH)',
  ],
  [
    'Cluster is in partition WITHOUT quorum',
    'says-pacemaker-stands',
    'Too few machines of the Pacemaker cluster see each other (no quorum), so it starts nothing',
  ],
  [
    '  * reboot of cp-1 failed: delegate=cp-0, client=pacemaker-controld.1, origin=cp-0',
    'says-pacemaker-stands',
    'Pacemaker could not fence cp-1, so it does not take over what ran there',
  ],
  [
    'message: "The record failed to provision in some zones: [fern.lan]"',
    'says-record-not-made',
    'The ingress operator could not make a DNS record in the zone fern.lan',
  ],
  [
    'message: cannot migrate VMI which does not use masquerade to connect to the pod network',
    'says-not-live-migratable',
    'The virtual machine cannot be moved while it runs: it does not use masquerade to connect to the pod network',
  ],
  [
    'AuthenticationError: user "dev1" cannot be claimed by identity "ldap:cn=dev1" because it is already mapped to [htpasswd:[redacted]',
    'says-user-claimed',
    'The user dev1 belongs to another identity provider already, so ldap:cn=dev1 cannot use this name',
  ],
  [
    'E1103 errorpage.go:28] AuthenticationError: users.user.openshift.io "dev1" not found',
    'says-user-not-provisioned',
    'The user dev1 does not exist, and its identity provider makes none (mappingMethod: lookup)',
  ],
  [
    '{"error":"invalid_client","error_description":"Invalid client or Invalid client credentials"} / oauth2: error exchanging code: unauthorized_client',
    'says-client-refused',
    'The identity provider does not accept the client that asks for people to log in (as OpenShift does): its id,',
  ],
  [
    'invalid_redirect_uri: Invalid parameter: redirect_uri',
    'says-redirect-refused',
    'The identity provider does not know the address that it is to send people back to',
  ],
  [
    'oauth: oidc: id token issued by a different provider, expected "https://sso.fern.lan/realms/a" got "https://sso.fern.lan/auth/realms/a"',
    'says-issuer-differs',
    'The identity provider calls itself https://sso.fern.lan/auth/realms/a, and https://sso.fern.lan/realms/a is co',
  ],
  [
    'IdentityProviderConfigDegraded: failed to apply IDP keycloak config: dial tcp: lookup sso.fern.lan on 172.30.0.10:53: no such host',
    'says-identity-config',
    'The identity provider keycloak cannot be used (dial tcp: lookup sso.fern.lan on 172.30.0.10:53: no such host)',
  ],
  [
    'E1103 Ignoring malformed htpasswd line: dev1',
    'says-htpasswd-line',
    'A line of the htpasswd file cannot be used: it has no password hash of a kind that OpenShift knows',
  ],
  [
    'error: no token is currently in use for this session',
    'says-no-token',
    'oc is logged in by a certificate, as with the kubeconfig of the installation, or not at all',
  ],
  [
    'error: You must be logged in to the server (Unauthorized)',
    'says-not-logged-in',
    'The API does not accept the token or certificate that oc sends (Unauthorized): it has ended, or is of another ',
  ],
  [
    'The connection to the server api.c1.fern.lan:6443 was refused - did you specify the right host or port?',
    'says-api-refused',
    'Nothing listens at api.c1.fern.lan:6443: the API of the cluster does not run there, or the load balancer has n',
  ],
  [
    'error: The server uses a certificate signed by unknown authority. You may need to use the --certificate-authority flag to provide the path to a certificate file for the certificate authority, or --insecure-skip-tls-verify to bypass the certificate check and use insecure connections.',
    'says-api-authority',
    'oc does not know the authority that signed the certificate of the API: most often of the ingress or a CA of th',
  ],
  [
    'Error in configuration: context was not found for specified context: admin',
    'says-context-missing',
    'The kubeconfig has no context admin',
  ],
  [
    'Unable to connect to the server: net/http: TLS handshake timeout',
    'says-tls-silent',
    'The other end takes the connection and does not go on with TLS in time',
  ],
  [
    'Error from server: etcdserver: request timed out',
    'says-etcd-late',
    'etcd behind the API does not answer in time (request timed out): its disks or the network between its members ',
  ],
  [
    'message: CRD is not present',
    'says-crd-required',
    'An operator is not installed, because the cluster lacks a definition (CRD) that it needs',
  ],
  [
    "message: 'one or more requirements couldn''t be found' phase: Pending reason: RequirementsNotMet",
    'says-requirement-missing',
    'An operator waits for something that it requires and the cluster does not have',
  ],
  [
    'message: install failed: deployment "fern-operator" exceeded its progress deadline',
    'says-operator-deployment',
    'fern-operator did not become ready in time',
  ],
  [
    'ClusterServiceVersions blocking cluster upgrade: shop/fern-operator.v1.2.3 is incompatible with OpenShift minor versions greater than 4.15',
    'says-operators-hold-update',
    'An installed operator holds the update of the cluster back: shop/fern-operator.v1.2.3 is incompatible with Ope',
  ],
  [
    'Cluster operator kube-apiserver should not be upgraded between minor versions: KubeletMinorVersionUpgradeable: Kubelet minor versions on nodes w1 and w2 will not be supported in the next OpenShift minor version upgrade.',
    'says-kubelets-hold-update',
    'The update is held back by nodes that are too far behind: nodes w1 and w2',
  ],
  [
    'MissingStaticPodControllerDegraded: static pod lifecycle failure - static pod: "etcd" in namespace: "openshift-etcd" for revision: 9 on node: "m2" didn\'t show up, waited: 3m30s',
    'says-static-pod-late',
    'The static pod etcd (revision 9) does not come up on m2',
  ],
  [
    'NodeControllerDegraded: The master nodes not ready: node "m2" not ready since 2026-11-03 10:00:00 +0000 UTC because NodeStatusUnknown (Kubelet stopped posting node status.)',
    'says-masters-not-ready',
    'The control plane machine m2 is not ready (NodeStatusUnknown (Kubelet stopped posting node status.))',
  ],
  [
    'OAuthServerDeploymentDegraded: 1 of 3 requested instances are unavailable for oauth-openshift.openshift-authentication (container is crashlooping in oauth-openshift-7-x pod)',
    'says-instances-unavailable',
    '1 of 3 pods of oauth-openshift.openshift-authentication do not run (container is crashlooping in oauth-openshi',
  ],
  [
    'message: \'host "web.apps.c1.fern.lan" is already claimed by route shop/web (HostAlreadyClaimed)\' reason: HostAlreadyClaimed status: "False" type: Admitted',
    'says-route-host-taken',
    'The host name of the route belongs to another, older route already',
  ],
  [
    '<h1>Application is not available</h1><p>The application is currently not serving requests at this endpoint. It may not have been started or is still starting.</p>',
    'says-route-without-pods',
    'The router knows no pod to send the request to: no route has this host, or no pod behind its service is ready',
  ],
  [
    'WellKnownReadyControllerDegraded: kube-apiserver oauth endpoint https://10.9.0.11:6443/.well-known/oauth-authorization-server is not yet served and authentication operator keeps waiting (check kube-apiserver operator, and check that instances roll out successfully, which can take several minutes per instance)',
    'says-kubeapi-rolls',
    'The login waits for the API servers: not all of them run with the newest configuration yet',
  ],
  [
    'Error from server (ServiceUnavailable): the server is currently unable to handle the request (get routes.route.openshift.io)',
    'says-api-part-down',
    'The part of the API that serves routes.route.openshift.io does not answer: the service behind it (openshift-apiserver, packageserver',
  ],
  [
    'StaticPodsDegraded: pod/kube-apiserver-m1 container "kube-apiserver" is waiting: CrashLoopBackOff: back-off 5m0s restarting failed container=kube-apiserver',
    'says-static-pod-crashes',
    'The container kube-apiserver of kube-apiserver-m1 ends again and again',
  ],
  [
    'Cluster minor level upgrades are not allowed while resource deletions are in progress; resources=PrometheusRule "openshift-x/y"',
    'says-deletions-hold-update',
    'The update waits until what it removes is gone: PrometheusRule "openshift-x/y"',
  ],
  [
    'ingress controller: LoadBalancerReady=False (LoadBalancerPending: The LoadBalancer service is pending)',
    'says-balancer-missing',
    'The service of the routers has no load balancer: nothing in this cluster makes one, or not yet',
  ],
  [
    'CanaryChecksSucceeding=False (CanaryChecksRepetitiveFailures: Canary route checks for the default ingress controller are failing)',
    'says-canary-fails',
    'The ingress operator does not reach its own test route (canary) through the routers of the ingress controller "default"',
  ],
  [
    'message: \'Retrieving payload failed version="4.16.9" image="mirror.fern.lan:8443/ocp/release@sha256:aa" failure: Unable to download and prepare the update: deadline exceeded, reason: "DeadlineExceeded", message: "Job was active longer than specified deadline"\' reason: RetrievePayload',
    'says-payload-late',
    'The cluster does not get the release 4.16.9 in time: the pod that unpacks mirror.fern.lan:8443/ocp/release@sha',
  ],
  [
    'static_autoscaler.go:239] Failed to fix node group sizes: failed to decrease MachineSet/m/tide-a: attempt to delete existing nodes',
    'says-sizes-differ',
    'The cluster autoscaler counts other nodes than the group MachineSet/m/tide-a has (attempt to delete existing nodes)',
  ],
  [
    'garbagecollector.go:245] timed out waiting for dependency graph builder sync during GC sync (attempt 7)',
    'says-collector-waits',
    'The garbage collector of the cluster cannot list every kind there is',
  ],
  [
    'level=warn component=prometheusoperator msg="skipping podmonitor" error="invalid relabel config" podmonitor=tide/web namespace=tide',
    'says-monitor-skipped',
    'Prometheus does not take the podmonitor tide/web: invalid relabel config',
  ],
  [
    'level=warn component="scrape manager" scrape_pool=serviceMonitor/tide/web/0 msg="Error on ingesting samples with different value but same timestamp" num_dropped=3',
    'says-series-twice',
    'Prometheus drops samples of serviceMonitor/tide/web/0 (samples with different value but same timestamp): the same series comes twice',
  ],
  [
    'level=warn component="rule manager" msg="Evaluating rule failed" rule="record: x" err="found duplicate series for the match group {instance=\\"a\\"}"',
    'says-rule-fails',
    'A rule of Prometheus cannot be evaluated: found duplicate series for the match group {instance="a"}',
  ],
  [
    'mac address 02:00:00:00:00:07 already allocated to vm/tide/a, br1, conflict with: vm/tide/b, br1',
    'says-mac-taken',
    'Two virtual machines have the same MAC address 02:00:00:00:00:07 (vm/tide/a, vm/tide/b)',
  ],
  [
    '{"level":"info","msg":"summary for tide:\\nminimal-required-memory applied: FAIL, value 1024 is lower than minimum [2048]\\n"}',
    'says-template-unmet',
    'The virtual machine does not meet minimal-required-memory of its template: value 1024 is lower than minimum [2048]',
  ],
  [
    "pod didn't trigger scale-up: 1 max node group size reached, 2 Insufficient cpu",
    'says-not-scaled',
    'The autoscaler adds no node for the pod (1 max node group size reached, 2 Insufficient cpu)',
  ],
  [
    'Remediation: MachineHealthCheck w: Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy (total: 3, unhealthy: 2, maxUnhealthy: 40%)',
    'says-not-remediated',
    'The MachineHealthCheck replaces no machine, because too many are unhealthy at once (total: 3, unhealthy: 2, ma',
  ],
  [
    'no BareMetalHost available: No available host found',
    'says-no-host-for-machine',
    'No bare metal host is free and fits the machine',
  ],
  [
    "Can't find created instance.",
    'says-instance-gone',
    'The machine behind a Machine object was removed outside of the cluster',
  ],
  [
    "error: fatal: could not read Username for 'https://git.fern.lan': No such device or address",
    'says-git-login',
    'The git server https://git.fern.lan wants a login, and the build has none',
  ],
  [
    'error: build error: error building at STEP "RUN dnf -y install gcc": error while running runtime: exit status 1',
    'says-build-step',
    'The build fails in its step RUN dnf -y install gcc (error while running runtime: exit status 1)',
  ],
  [
    'UpdatingPrometheusK8SFailed: waiting for Prometheus object changes failed: waiting for Prometheus openshift-monitoring/k8s: expected 2 replicas, got 1 available replicas',
    'says-monitoring-late',
    'The monitoring waits for pods of openshift-monitoring/k8s (expected 2 replicas, got 1 available replicas)',
  ],
  [
    'failing or missing response from https://10.9.0.6:4443/apis/fern.io/v1: Get "https://10.9.0.6:4443/apis/fern.io/v1": dial tcp 10.9.0.6:4443: i/o timeout',
    'says-apiservice-unreached',
    'The API server gets no good answer from the service of fern.io/v1 at 10.9.0.6:4443 (dial tcp 10.9.0.6:4443: i/o timeout)',
  ],
  [
    'message: \'endpoints for service/fern-api in "garden" have no addresses with port name "https"\'',
    'says-apiservice-empty',
    'Behind the service fern-api in garden, which serves a part of the API, no pod is ready',
  ],
  [
    'Error: index [leaves-000002] blocked by: [FORBIDDEN/8/index write (api)];',
    'says-index-blocked',
    'Elasticsearch (or OpenSearch) itself blocks it on the index leaves-000002: FORBIDDEN/8/index write (api)',
  ],
  [
    'secret/fern-tls references serviceUID 62ad25ca, which does not match 77b6dd80',
    'says-certificate-of-other-service',
    'secret/fern-tls holds the certificate of an earlier service of that name',
  ],
  [
    'The current latency 304 is bigger than the expected one 20 :',
    'says-latency-high',
    'The latency test measures 304 µs, more than it allows (20)',
  ],
  [
    'Samples exceeding threshold: 5',
    'says-latency-high',
    'The latency test of the hardware (hwlatdetect) finds 5 times',
  ],
];

testSaidLines(
  SAID.map(([line, id, cause]) => ({ line, id, cause })),
  [...LOGIN_READINGS, ...OPERATOR_READINGS, ...SERVICE_READINGS],
);

testNearLines([
  ['Samples exceeding threshold: 0'],
  [
    'Error: Get "https://depot.fern.lan/v2/": x509: certificate signed by unknown authority',
    'says-authority-unknown',
  ],
  [
    'The connection to the server localhost:8080 was refused - did you specify the right host or port?',
  ],
  ['Error: user "dev1" does not exist'],
  ['etcdserver: compaction finished'],
  ['Error: depot.fern.lan/v2/: toomanyrequests: slow down', 'says-rate-limited'],
  ['Warning: node w1.fern.lan has changed! labels: 2'],
  ['STONITH devices found and enabled'],
  ['the lid has a timestamp too old'],
  ['reboot of cp-1 failed: the lid is shut'],
  ['level=info component=prometheusoperator msg="sync prometheus" key=garden/fern'],
  ['LDAP Result Code 32 "No Such Object"', 'says-ldap-base-missing'],
  ['3 of 3 requested instances are available for oauth-openshift.openshift-authentication'],
  ['ClusterServiceVersions: none'],
  ['DaemonSet "/openshift-multus/multus" is not available (awaiting 1 nodes)'],
  ['installing: waiting for deployment fern-operator to become ready'],
]);

test.each([
  [
    'failing or missing response from https://10.9.0.6:4443/apis/fern.io/v1: bad status from https://10.9.0.6:4443/apis/fern.io/v1: 403',
    'The API server gets no good answer from the service of fern.io/v1 at 10.9.0.6:4443 (status 403)',
  ],
  [
    'message: \'service/fern-api in "garden" is not present\'',
    'The service fern-api in garden, which an APIService names, does not exist',
  ],
  [
    'Error: this action would add [2] total shards, but this cluster currently has [1000]/[1000] maximum shards open',
    'Elasticsearch (or OpenSearch) has as many shards open as it may (1000 of 1000), and makes no more',
  ],
])('readPlainly tells the other forms, too: %j', (line, cause) => {
  expect(readPlainly(line)?.cause).toBe(cause);
});
