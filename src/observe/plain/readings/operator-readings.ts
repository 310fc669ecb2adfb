import { at, because, named, type PlainReading, word } from '../plain-reading.ts';

/** What the operators of a running cluster say of what keeps them: updates, catalogues, machine configs, routes. */
export const OPERATOR_READINGS: readonly PlainReading[] = [
  {
    id: 'says-crd-required',
    pattern:
      /[Mm]essage:\s+CRD is not present|api-server resource not found installing (?<what>\w+ \S+): GroupVersionKind (?<kind>.{4,100}?) not found on the cluster/,
    cause: (found) =>
      `An operator is not installed, because the cluster lacks a definition (CRD) that it needs${because(word(found, 'kind'))}`,
    remedy:
      'Install the operator that owns this definition first: it must be in the mirrored catalogue, too; "oc describe csv" lists all that is required',
  },
  {
    id: 'says-requirement-missing',
    isGeneral: true,
    pattern:
      /[Mm]essage:\s+Service account does not exist|one or more requirements couldn''?t be found|RequirementsNotMet/,
    cause: () => 'An operator waits for something that it requires and the cluster does not have',
    remedy:
      '"oc describe csv" lists its requirements: look for those with the status NotPresent; a service account is made by the install plan, so delete a CSV that was copied or made by hand',
  },
  {
    id: 'says-operator-deployment',
    isGeneral: true,
    pattern: /deployment "(?<late>[^"]+)" exceeded its progress deadline/,
    cause: (found) =>
      `The pods of the deployment ${word(found, 'late')} did not become ready in time`,
    remedy: 'Describe these pods: their events say whether an image, memory or a right is missing',
  },
  {
    id: 'says-operators-hold-update',
    pattern:
      /ClusterServiceVersions blocking (?:cluster upgrade|minor version upgrades?[^:]*):(?:\\n| |-)*(?<what>.{4,240})/,
    cause: (found) =>
      `An installed operator holds the update of the cluster back: ${word(found, 'what')}`,
    remedy:
      'Update that operator to a version for the next release first (mirror its newer channel), or remove it',
  },
  {
    id: 'says-kubelets-hold-update',
    pattern: /Kubelet minor versions? on (?<nodes>.{2,120}?) will not be supported/,
    cause: (found) =>
      `The update is held back by nodes that are too far behind: ${word(found, 'nodes')}`,
    remedy:
      'Let their pool go on ("oc get mcp": paused or degraded?), so that these nodes are updated first',
  },
  {
    id: 'says-operator-holds-minor',
    pattern:
      /Cluster operator (?<operator>\S+) should not be upgraded between minor versions: (?<why>.{4,240})/,
    cause: (found) =>
      `The operator ${word(found, 'operator')} holds the update to the next minor version back: ${word(found, 'why')}`,
    remedy:
      'Of pools, let them finish and let paused ones go on ("oc get mcp"); of others "oc describe co" of that operator says what it waits for. Updates within the present minor version are not held back',
  },
  {
    id: 'says-static-pod-late',
    pattern:
      /static pod: "(?<pod>[^"]+)" in namespace: "[^"]+" for revision: (?<revision>\d+) on node: "(?<node>[^"]+)" didn't show up/,
    cause: (found) =>
      `The static pod ${word(found, 'pod')} (revision ${word(found, 'revision')}) does not come up on ${word(found, 'node')}`,
    remedy:
      'Look at the kubelet and crio of that machine, and at the log of the pod there ("crictl ps -a", /var/log/pods)',
  },
  {
    id: 'says-masters-not-ready',
    pattern:
      /The master nodes not ready: node "(?<node>[^"]+)" not ready since .{4,40}? because (?<why>.{4,160})/,
    cause: (found) =>
      `The control plane machine ${word(found, 'node')} is not ready (${word(found, 'why')})`,
    remedy: 'Look at that machine: whether it is on, and at its kubelet ("journalctl -u kubelet")',
  },
  {
    id: 'says-instances-unavailable',
    isGeneral: true,
    pattern:
      /(?<count>\d+ of \d+) requested instances are unavailable for (?<what>[\w.-]+)(?: \((?<why>[^)]{4,160})\))?/,
    cause: (found) =>
      `${word(found, 'count')} pods of ${word(found, 'what')} do not run${because(word(found, 'why'))}`,
    remedy: 'Describe that pod and read its log: it says why it does not come up',
  },
  {
    id: 'says-route-host-taken',
    pattern:
      /HostAlreadyClaimed|route (?<other>\S+) already exposes (?<host>[\w.-]+) and is older|another namespace holds (?<held>[\w.-]+) and is older than (?<mine>\S+)/,
    cause: (found) =>
      `The host name${named(word(found, 'host', 'held'))} of the route belongs to another, older route already${because(word(found, 'other'))}`,
    remedy:
      'Choose another host, or delete the older route ("oc get routes -A" shows who has it); several namespaces share a host only where the ingress controller allows it (namespaceOwnership)',
  },
  {
    id: 'says-route-without-pods',
    pattern:
      /<h1>Application is not available<\/h1>|The application is currently not serving requests at this endpoint/,
    cause: () =>
      'The router knows no pod to send the request to: no route has this host, or no pod behind its service is ready',
    remedy:
      'Look at the route, at the endpoints of its service ("oc get endpoints") and at its pods',
  },
  {
    id: 'says-kubeapi-rolls',
    pattern:
      /kube-apiserver oauth endpoint (?<url>\S+) is not yet served and authentication operator keeps waiting|need at least (?<want>\d+) kube-apiservers, got (?<have>\d+)/,
    cause: (found) =>
      word(found, 'want') === undefined
        ? 'The login waits for the API servers: not all of them run with the newest configuration yet'
        : `The login waits for the API servers: ${word(found, 'have')} of ${word(found, 'want')} are there`,
    remedy:
      'Look at "oc get co kube-apiserver" and its pods: one revision does not come up on one of the machines',
  },
  {
    id: 'says-apiservice-unreached',
    pattern:
      /failing or missing response from https:\/\/(?<address>[\w.:[\]-]+)\/apis\/(?<api>[\w./-]+): (?:Get "?https:\/\/\S+: |bad (?<bad>status) from https:\/\/\S+: )?(?<why>.{3,200})/,
    cause: (found) =>
      `The API server gets no good answer from the service of ${word(found, 'api')} at ${word(found, 'address')} (${named(word(found, 'bad')).trimStart()}${word(found, 'bad') ? ' ' : ''}${word(found, 'why')})`,
    remedy:
      'Look at the pods behind that APIService, and whether the control plane reaches them: no time-out or lost route on the pod network, no proxy in between, a certificate that the APIService trusts',
  },
  {
    id: 'says-apiservice-empty',
    pattern:
      /endpoints for service\/(?<service>[\w.-]+) in "(?<namespace>[^"]+)" have no addresses|service\/(?<gone>[\w.-]+) in "(?<where>[^"]+)" is not present/,
    cause: (found) =>
      word(found, 'gone') === undefined
        ? `Behind the service ${word(found, 'service')} in ${word(found, 'namespace')}, which serves a part of the API, no pod is ready`
        : `The service ${word(found, 'gone')} in ${word(found, 'where')}, which an APIService names, does not exist`,
    remedy:
      'Look at the pods of that service; where it was removed for good, delete its APIService, too',
  },
  {
    id: 'says-api-part-down',
    pattern:
      /the server is currently unable to handle the request(?: \((?:get|post|put|patch|delete) (?<what>[\w.-]+)\))?|"(?<service>v?[\w.]+)" is not ready: 503|FailedDiscoveryCheck/,
    isGeneral: true,
    cause: (found) =>
      `The part of the API that serves${named(word(found, 'what', 'service') ?? 'it')} does not answer: the service behind it (openshift-apiserver, packageserver, the metrics server or another that extends the API) is down or not reached`,
    remedy:
      '"oc get apiservices | grep False" names the service behind it; look at its pods, and at the pod network between them and the control plane',
  },
  {
    id: 'says-static-pod-crashes',
    pattern: /pod\/(?<pod>[\w.-]+) container "(?<container>[^"]+)" is waiting: CrashLoopBackOff/,
    isGeneral: true,
    cause: (found) =>
      `The container ${word(found, 'container')} of ${word(found, 'pod')} ends again and again`,
    remedy: 'Its own log says why: "crictl logs" on that machine, or /var/log/pods there',
  },
  {
    id: 'says-deletions-hold-update',
    pattern:
      /upgrades are not allowed while resource deletions are in progress; resources=(?<what>.{4,160})/,
    cause: (found) => `The update waits until what it removes is gone: ${word(found, 'what')}`,
    remedy:
      'Look why it is not deleted: finalizers of its object, or an operator that does not run',
  },
  {
    id: 'says-balancer-missing',
    pattern: /LoadBalancerPending|The LoadBalancer service is pending/,
    cause: () =>
      'The service of the routers has no load balancer: nothing in this cluster makes one, or not yet',
    remedy:
      'Without a cloud use endpointPublishingStrategy HostNetwork or NodePortService, or install MetalLB; with one, look at the cloud controller manager',
  },
  {
    id: 'says-record-not-made',
    pattern:
      /The DNS provider failed to ensure the record: (?<why>.{8,240})|The record failed to provision in some zones: \[(?<zones>[^\]]{2,200})\]/,
    cause: (found) =>
      word(found, 'why') === undefined
        ? `The ingress operator could not make a DNS record in the zone ${word(found, 'zones')}`
        : `The DNS provider does not take the record of the ingress operator: ${word(found, 'why')}`,
    remedy:
      'Look at "oc get dnsrecords -n openshift-ingress-operator -o yaml", the zones of "oc get dns.config cluster -o yaml", and the rights of the operator there',
  },
  {
    id: 'says-operand-missing',
    isGeneral: true,
    pattern:
      /waiting for (?<what>[A-Z][^:]{3,80}?)(?: object changes)? failed: .{0,300}?(?<kind>[\w.]+) "(?<name>[^"]+)" not found/,
    cause: (found) =>
      `An operator waits for ${word(found, 'what')}, and ${word(found, 'kind')} "${word(found, 'name')}" was not made for it: the controller that makes it does not get to it`,
    remedy:
      'Look at the log of the controller that makes it (of the monitoring stack, the prometheus-operator): what it may not do or does not find stands there',
  },
  {
    id: 'says-client-certificate-wanted',
    pattern: /remote error: tls: certificate required/,
    cause: (found) => `${at(found)} demands a client certificate, and is shown none`,
    remedy:
      'Give the client a certificate of an authority that the other side trusts, or let it ask for none (of an ingress controller: spec.clientTLS with clientCertificatePolicy Optional, as the checks of the cluster show none)',
  },
  {
    id: 'says-pem-of-another-kind',
    pattern:
      /failed to find (?:\\*"CERTIFICATE\\*" PEM block in (?<input>certificate) input|PEM block with type ending in \\*"PRIVATE KEY\\*" in (?<key>key) input) after skipping PEM blocks of the following types: \[(?<types>[^\]]{1,80})\]/,
    cause: (found) =>
      `What is given as ${word(found, 'input') === undefined ? 'a private key' : 'a certificate'} holds ${word(found, 'types')} instead`,
    remedy:
      'Put the PEM text of the right kind there ("BEGIN CERTIFICATE", "BEGIN PRIVATE KEY"): key and certificate are swapped, or only the public key was copied',
  },
  {
    id: 'says-route-tls-invalid',
    pattern:
      /spec\.tls\.(?<field>\w+): Invalid value: (?:"[^"]{0,60}"|'[^']{0,60}'): (?:error verifying certificate: )?(?<why>(?:tls|x509|failed|data|asn1)[^"'\n]{6,200})/,
    cause: (found) =>
      `What the route holds as ${word(found, 'field')} (spec.tls) is not accepted: ${word(found, 'why')}`,
    remedy:
      'Put a certificate that is valid today and its own key into the route, both in PEM, with the chain below caCertificate; then the router takes it by itself',
  },
  {
    id: 'says-chart-repository-unknown',
    pattern:
      /no cached repository for (?<cached>\S+) found\. \(try 'helm repo update'\)|no repository definition for (?<url>\S+?)[.,]? ?(?:Please|$)/,
    cause: (found) =>
      `Helm does not know the repository${named(word(found, 'url'))} that a dependency of the chart comes from, or never fetched its index`,
    remedy:
      'Put the dependencies into the chart ("helm dependency update" where the internet is, and commit charts/), or give the repository to Helm or Argo CD under its name, where it can be reached',
  },
  {
    id: 'says-leadership-lost',
    isGeneral: true,
    pattern: /failed to renew lease (?<lease>\S+?):? |\bleader ?election lost\b/i,
    cause: (found) =>
      `The program ended itself, because it could not renew its lease${named(word(found, 'lease'))} in time: the API, or etcd behind it, did not answer or was too slow`,
    remedy:
      'It is started anew by itself. Where it comes again, look at the API servers and at how fast etcd writes ("etcdctl endpoint status", its log for "took too long"), and at the network of the machine',
  },
  {
    id: 'says-canary-fails',
    pattern:
      /(?:CanaryChecksRepetitiveFailures: )?Canary route checks for the (?<controller>\S+) ingress controller are failing|CanaryChecksRepetitiveFailures/,
    cause: (found) =>
      `The ingress operator does not reach its own test route (canary) through the routers${named(word(found, 'controller') && `of the ingress controller "${word(found, 'controller')}"`)}`,
    remedy:
      'Look whether *.apps resolves to the routers or their load balancer from inside the cluster, and whether ports 80 and 443 pass',
  },
  {
    id: 'says-payload-late',
    pattern:
      /Retrieving payload failed version="(?<version>[^"]+)" image="(?<image>[^"]+)" failure: .{0,160}deadline exceeded/i,
    cause: (found) =>
      `The cluster does not get the release ${word(found, 'version')} in time: the pod that unpacks ${word(found, 'image')} did not finish`,
    remedy:
      'Look at the pods "version-…" in openshift-cluster-version and their events: most often the image cannot be pulled (IDMS, pull secret, CA of the mirror), or no node runs them',
  },
  {
    id: 'says-package-in-several',
    pattern:
      /found bundles for package "(?<package>[^"]+)" in multiple catalogs with the same priority(?: \[?(?<catalogs>[^\]'"]{2,120}))?/,
    cause: (found) =>
      `Several catalogues hold the package ${word(found, 'package')}, and none comes before the others${because(word(found, 'catalogs'))}`,
    remedy:
      'Name the catalogue in the ClusterExtension (spec.source.catalog.selector), or give one of them a higher spec.priority',
  },
  {
    id: 'says-conversion-webhook',
    pattern:
      /conversion webhook for (?<kind>\S+, Kind=\w+) failed: (?:Post "?\S+"?: )?(?<why>.{4,200})/,
    cause: (found) =>
      `Objects of ${word(found, 'kind')} cannot be read or written: the webhook that converts between their versions does not answer well (${word(found, 'why')})`,
    remedy:
      'Bring back the service that the definition names ("oc get crd NAME -o yaml", spec.conversion) and its pods; where its operator was removed for good, set conversion to None or delete the definition',
  },
  {
    id: 'says-part-silent',
    isGeneral: true,
    pattern: /Failed to establish connection to (?<end>[\w.-]+:\d+): context deadline exceeded/,
    cause: (found) => `${word(found, 'end')} does not answer in time`,
    remedy:
      'Look at the pods behind that service, and whether a network policy or the service mesh keeps them apart',
  },
  {
    id: 'says-app-path-missing',
    pattern: /(?<path>[\w./-]+): app path does not exist/,
    cause: (found) =>
      `The Git repository has no folder ${word(found, 'path')} in the revision that the application names`,
    remedy: 'Correct path or targetRevision of the application',
  },
  {
    id: 'says-managed-cluster-silent',
    pattern: /Registration agent stopped updating its lease/,
    cause: () =>
      'The hub hears nothing of the managed cluster any more: its agent does not run, or no longer reaches the API of the hub',
    remedy:
      'On the managed cluster look at the pods of open-cluster-management-agent and their log (address, certificate and login of the hub), and at its API',
  },
];
