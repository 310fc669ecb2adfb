import { testNearLines, testSaidLines } from '../../../../test/support/readings.ts';
import { DELIVERY_READINGS } from './delivery-readings.ts';

/** A line of each kind as these programs have it, and what it says. */
const SAID: readonly (readonly [line: string, id: string, cause: string])[] = [
  [
    'reason: routes.route.openshift.io is forbidden: User "system:serviceaccount:gitops:fern-argocd-application-controller" cannot create resource "routes" in API group "route.openshift.io" in the namespace "tide"',
    'says-argo-not-permitted',
    'Argo CD may not create routes in the namespace tide',
  ],
  [
    'error testing repository connectivity: Get "https://git.fern.lan/a.git/info/refs?service=git-upload-pack": x509: certificate signed by unknown authority',
    'says-git-untrusted',
    'the Git server (git.fern.lan',
  ],
  [
    'failed to list refs: ssh: handshake failed: knownhosts: key is unknown',
    'says-git-host-unknown',
    'is not among the known ones',
  ],
  [
    'ssh: handshake failed: knownhosts: key mismatch',
    'says-git-host-unknown',
    'shows another host key',
  ],
  [
    'ComparisonError: failed to generate manifest for source 1 of 1: rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    'says-manifest-late',
    'did not get the manifests of an application in time',
  ],
  [
    "application destination server 'https://api.fern.lan:6443' and namespace 'tide' do not match any of the allowed destinations in project 'ebb'",
    'says-project-forbids',
    'The project ebb of Argo CD does not allow',
  ],
  [
    'Error: trouble configuring builtin HelmChartInflationGenerator: must specify --enable-helm',
    'says-kustomize-without-helm',
    'uses a Helm chart',
  ],
  [
    'CustomResourceDefinition.apiextensions.k8s.io "tides.fern.lan" is invalid: metadata.annotations: Too long: must have at most 262144 bytes',
    'says-annotation-too-long',
    'too large for "apply"',
  ],
  [
    'SyncFailed: The Kubernetes API could not find fern.lan/v1:Tide for requested resource shop/t1. Make sure the "Tide" CRD is installed on the destination cluster.',
    'says-definition-not-yet',
    'does not know fern.lan/v1:Tide yet',
  ],
  [
    'E0228 07:02:10.510031 1 setup.go:218] "failed to register an ACME account" err="Get \\"https://acme.fern.lan/directory\\": dial tcp 192.0.2.7:443: i/o timeout"',
    'says-acme-unreached',
    'cert-manager does not reach acme.fern.lan',
  ],
  [
    'E1021 12:00:33.193021 1 sync.go:186] "propagation check failed" err="wrong status code \'503\', expected \'200\'" resource_name="tide"',
    'says-acme-not-proven',
    "(wrong status code '503', expected '200')",
  ],
  [
    'E1022 10:30:34.422588 1 login.go:187] Error authenticating "kim" with provider "fern_ldap": LDAP Result Code 200 "Network Error": x509: certificate signed by unknown authority',
    'says-identity-untrusted',
    'does not trust the certificate of the identity provider fern_ldap',
  ],
  [
    'AuthenticationError: LDAP Result Code 200 "Network Error": x509: certificate signed by unknown authority',
    'says-identity-untrusted',
    'does not trust the certificate of the identity provider',
  ],
  [
    'Failed to watch *v1.ManagedCluster: Get "https://api.hub.fern.lan:6443/apis/cluster.open-cluster-management.io/v1/managedclusters": x509: certificate signed by unknown authority',
    'says-hub-untrusted',
    'does not trust the API of its hub',
  ],
  [
    "message: NodePool version 4.15.8 can't be greater than HostedCluster version: 4.14.20",
    'says-node-pool-ahead',
    'is to run 4.15.8, and its hosted cluster is only at 4.14.20',
  ],
  [
    'GET error: Get "https://ignition-server-tide.apps.fern.lan/ignition": x509: certificate signed by unknown authority',
    'says-hosted-ignition-untrusted',
    'does not trust the ignition server of its hosted cluster',
  ],
  [
    "Deploy step deploy.write_image failed: Failed to download image http://192.0.2.3:6181/images/tide.qcow2: HTTPConnectionPool(host='192.0.2.3', port=6181): Max retries exceeded",
    'says-host-image-not-had',
    'from http://192.0.2.3:6181/images/tide.qcow2 (Max retries exceeded)',
  ],
  [
    'provision "shop/tide" class "nfs": unexpected error getting claim reference: selfLink was empty, can\'t make reference',
    'says-provisioner-too-old',
    'no longer fills since 1.20',
  ],
  [
    'error creating machine: unable to get template "fern-rhcos": template not found, specify valid value',
    'says-machine-template-missing',
    'vSphere has no template fern-rhcos',
  ],
  [
    'could not Create/Update MachineConfig: conflicting mirrorSourcePolicy is set for the same source "quay.io/fern" in imagedigestmirrorsets',
    'says-mirror-policies-differ',
    'say different things of quay.io/fern',
  ],
  [
    'error="could not push logs to Elasticsearch cluster ({:host=>\\"es\\", :port=>9200}): connect_write timeout reached"',
    'says-logs-not-taken',
    'connect_write timeout reached',
  ],
  [
    'packageserver observed in phase Failed with reason: APIServiceInstallFailed, message: APIService install failed: not ready',
    'says-olm-api-unserved',
    'OLM cannot register the API of packageserver',
  ],
  [
    'level=error msg="Temporary Error: BackingStore fern-store: ALL_NODES_OFFLINE"',
    'says-backing-store-ill',
    'The backing store fern-store of NooBaa cannot be used: none of its storage pods runs',
  ],
];

testSaidLines(
  SAID.map(([line, id, cause]) => ({ line, id, cause })),
  DELIVERY_READINGS,
);

testNearLines([
  ['NodePool version 4.14.8 is that of its HostedCluster'],
  [
    'Error: deployments.apps is forbidden: User "system:serviceaccount:shop:till" cannot create resource "deployments" in API group "apps" in the namespace "shop"',
    'says-not-permitted',
  ],
]);
