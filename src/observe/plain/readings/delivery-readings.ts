import { at, because, named, type PlainReading, word } from '../plain-reading.ts';
import { type Meanings, meant } from './meanings.ts';

/** What NooBaa calls the state of a backing store. */
const STORES: Meanings = [
  [/ALL_NODES_OFFLINE/, 'none of its storage pods runs, or none reaches the NooBaa core'],
  [/INVALID_CREDENTIALS|AUTH_FAILED/, 'the object store refuses its keys'],
  [/STORAGE_NOT_EXIST/, 'the bucket it names is not there'],
  [/NO_CAPACITY|LOW_CAPACITY/, 'its storage is full, or nearly so'],
  [/IO_ERRORS/, 'the object store behind it does not answer, or with errors'],
];

/** What brings applications, certificates and further clusters to a cluster says: Argo CD, cert-manager, hubs, hosts. */
export const DELIVERY_READINGS: readonly PlainReading[] = [
  {
    id: 'says-argo-not-permitted',
    pattern:
      /User "system:serviceaccount:(?<own>[\w-]+):[\w-]*argocd-application-controller" cannot (?<verb>\w+) resource "(?<what>[^"]+)"(?:.{0,80}in the namespace "(?<namespace>[^"]+)")?/,
    cause: (found) =>
      `Argo CD may not ${word(found, 'verb')} ${word(found, 'what')} ${word(found, 'namespace') === undefined ? 'in the whole cluster' : `in the namespace ${word(found, 'namespace')}`}: it was not given this`,
    remedy:
      'One namespace: label it argocd.argoproj.io/managed-by=NAMESPACE-OF-ARGO-CD. What belongs to no namespace, or to all: give the service account of the application controller a ClusterRole',
  },
  {
    id: 'says-git-untrusted',
    pattern:
      /(?:service=git-(?:upload|receive)-pack|testing repository connectivity|repository not accessible).{0,200}x509: certificate signed by unknown authority/,
    cause: (found) =>
      `The authority that signed the certificate of the Git server (${at(found)}) is not trusted here`,
    remedy:
      'Of Argo CD: put the CA into the config map argocd-tls-certs-cm, under the name of the server as key (of the ArgoCD object: tls.initialCerts); else into the trust of the machine that asks',
  },
  {
    id: 'says-git-host-unknown',
    pattern: /ssh: handshake failed: knownhosts: key (?<how>is unknown|mismatch)/,
    cause: (found) =>
      word(found, 'how') === 'mismatch'
        ? 'The SSH server shows another host key than the known ones have for it'
        : 'The host key of the SSH server is not among the known ones, so it is not talked to',
    remedy:
      'Add what "ssh-keyscan SERVER" shows, once it is compared with the server: of Argo CD to the config map argocd-ssh-known-hosts-cm, else to known_hosts',
  },
  {
    id: 'says-manifest-late',
    pattern:
      /(?:failed to generate manifest|[Mm]anifest generation error).{0,120}(?:DeadlineExceeded|context deadline exceeded)/,
    cause: () =>
      'Argo CD did not get the manifests of an application in time: its repo server is too slow, or waits for Git or a chart repository that it does not reach',
    remedy:
      'Read the log of the repo server in the same minute. Where it waits for charts or bases on the internet, put them into the Git server of the site; where it is only slow, give it more processor, or raise controller.repo.server.timeout.seconds',
  },
  {
    id: 'says-project-forbids',
    pattern:
      /application (?<what>destination.{4,200}?) do(?:es)? not match any of the allowed destinations in project '(?<project>[^']+)/,
    cause: (found) =>
      `The project ${word(found, 'project')} of Argo CD does not allow this application (${word(found, 'what')})`,
    remedy:
      'Add it to the AppProject (destinations), or give the application a project that allows it',
  },
  {
    id: 'says-kustomize-without-helm',
    pattern: /must specify --enable-helm/,
    cause: () => 'The kustomization uses a Helm chart, and kustomize was not told that it may',
    remedy:
      'Call it with --enable-helm; of Argo CD set kustomizeBuildOptions: "--enable-helm" in the ArgoCD object (kustomize.buildOptions of argocd-cm). Without internet the chart must be in the repository',
  },
  {
    id: 'says-annotation-too-long',
    pattern: /metadata\.annotations: Too long: .{0,30}262144/,
    cause: () =>
      'The object is too large for "apply", which keeps a copy of all of it in an annotation (last-applied-configuration)',
    remedy:
      'Apply it on the side of the server: "oc apply --server-side", of Argo CD syncOptions: ServerSideApply=true; or "oc create", "oc replace"',
  },
  {
    id: 'says-definition-not-yet',
    pattern:
      /The Kubernetes API could not find (?<type>\S+) for requested resource (?<object>\S+?)\. Make sure the "[^"]+" CRD is installed/,
    cause: (found) =>
      `The cluster does not know ${word(found, 'type')} yet, so Argo CD cannot make ${word(found, 'object')}: the operator that brings the definition is not installed`,
    remedy:
      'Where the same application installs that operator: an earlier sync wave for it, and the annotation argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true on the object; else look why the operator is not there',
  },
  {
    id: 'says-acme-unreached',
    pattern:
      /failed to register an ACME account.{0,400}(?:no such host|server misbehaving|i\/o timeout|connection refused|timed out|no route to host|unreachable|deadline exceeded)/,
    cause: (found) =>
      `cert-manager does not reach ${at(found)}, where the issuer gets its certificates (ACME)`,
    remedy:
      'Without internet use an issuer of the site: kind CA or Vault, or an ACME server of its own; with a proxy give its variables to the pod of cert-manager',
  },
  {
    id: 'says-acme-not-proven',
    pattern: /propagation check failed.{0,20}"? ?(?:err|error)="(?<why>.{4,200}?)"(?: |$)/,
    cause: (found) =>
      `cert-manager does not find what is to prove that the name belongs to it${because(word(found, 'why'))}, and asks for no certificate before`,
    remedy:
      'HTTP-01: the name must lead to the routers, also from inside the cluster, and the route or ingress of the pod cm-acme-http-solver be admitted. DNS-01: the record must be seen by the name servers it asks (--dns01-recursive-nameservers)',
  },
  {
    id: 'says-identity-untrusted',
    pattern:
      /(?:(?:with provider "(?<login>[^"]+)": )?LDAP Result Code 200 "Network Error"|failed to apply IDP (?<provider>\S+) config).{0,120}x509: certificate signed by unknown authority/,
    cause: (found) =>
      `The login of the cluster does not trust the certificate of the identity provider${named(word(found, 'provider', 'login'))}: it was not given its authority`,
    remedy:
      'Put the CA into a config map of openshift-config, under the key ca.crt, and name it as "ca" of this provider in the OAuth object ("oc edit oauth cluster"); the trust of the nodes does not count there',
  },
  {
    id: 'says-hub-untrusted',
    pattern:
      /(?:cluster\.open-cluster-management\.io|bootstrap-hub-kubeconfig|klusterlet).{0,300}x509: certificate signed by unknown authority/,
    cause: (found) =>
      `The managed cluster does not trust the API of its hub (${at(found)}): mostly the certificate of that API was replaced after the import, or its authority is not in the kubeconfig that the import gave`,
    remedy:
      'Compare certificate-authority-data in the secret bootstrap-hub-kubeconfig with what the API shows ("openssl s_client -connect"); import the cluster again, or write the new CA into it',
  },
  {
    id: 'says-node-pool-ahead',
    pattern:
      /node ?pool version \(?(?<pool>[\w.-]+)\)? can(?:'t|not) be (?:higher|greater) than (?:the )?HostedCluster version:? \(?(?<of>[\w.-]+)/i,
    cause: (found) =>
      `The node pool is to run ${word(found, 'pool')}, and its hosted cluster is only at ${word(found, 'of')}`,
    remedy:
      'Update the hosted cluster first (spec.release of the HostedCluster), then the node pool; or give the pool the release of its cluster',
  },
  {
    id: 'says-hosted-ignition-untrusted',
    pattern: /ignition-server\S*\/ignition"?: .{0,60}x509: certificate signed by unknown authority/,
    cause: () =>
      'A machine does not trust the ignition server of its hosted cluster: the user data that it was started with have the authority of another one, or something on the way opens TLS',
    remedy:
      'Start the machine with the present user data (for agents: the ISO of the present InfraEnv); the route of the ignition server must pass TLS through, and no proxy or balancer may open it',
  },
  {
    id: 'says-host-image-not-had',
    pattern:
      /Failed to download image (?<url>https?:\/\/\S+?):? .{0,200}(?<why>Max retries exceeded|ConnectTimeout\w*|NewConnectionError|HTTP (?:status )?code \d+|404|checksum\w*)/,
    cause: (found) =>
      `The host that is installed does not get the image of its system from ${word(found, 'url')} (${word(found, 'why')})`,
    remedy:
      'No answer: look at the network between the host and that address (provisioning network, VLAN, port 6180 or 6181) and at the pods metal3 and metal3-image-cache. Not there: the cache did not get the image itself, its log says why',
  },
  {
    id: 'says-provisioner-too-old',
    pattern: /(?:claim|provision)\b.{0,200}selfLink was empty, can't make reference/,
    cause: () =>
      'The provisioner is too old for this cluster: it reads a field (selfLink) that Kubernetes no longer fills since 1.20',
    remedy:
      'Replace nfs-client-provisioner by nfs-subdir-external-provisioner 4.0 or newer (or another one of today), and mirror its image',
  },
  {
    id: 'says-machine-template-missing',
    pattern: /unable to get template "?(?<template>[^"\s]+?)"?: .{0,40}not found/,
    cause: (found) =>
      `vSphere has no template ${word(found, 'template')}, which the machine set names, so it makes no machine`,
    remedy:
      'Import the RHCOS image of the release as that template into the folder and data center of the machine set (govc import.ova), or correct template and workspace in its providerSpec',
  },
  {
    id: 'says-mirror-policies-differ',
    pattern: /conflicting mirrorSourcePolicy is set for the same source "(?<source>[^"]+)/,
    cause: (found) =>
      `Two mirror settings of the cluster say different things of ${word(found, 'source')}: one lets it be asked itself, the other does not (mirrorSourcePolicy), so none reaches the nodes`,
    remedy:
      'Give both the same mirrorSourcePolicy, or remove one: "oc get idms,itms,imagecontentsourcepolicy -o yaml"',
  },
  {
    id: 'says-logs-not-taken',
    pattern: /could not push logs to Elasticsearch cluster(?:.{0,200}\): (?<why>[^"]{4,100}))?/,
    cause: (found) =>
      `The log collector does not get its records to Elasticsearch${because(word(found, 'why'))}: that is full, too slow, or does not run`,
    remedy:
      'Look at its state ("oc exec -c elasticsearch POD -- es_util --query=_cat/health"), its disks and its memory; the collector sends again what it has kept, until its buffer is full',
  },
  {
    id: 'says-olm-api-unserved',
    pattern: /phase Failed with reason: APIServiceInstallFailed|APIService install failed: /,
    cause: () =>
      'OLM cannot register the API of packageserver: the API server does not reach its pods, or they do not run',
    remedy:
      'Look at the pods packageserver in openshift-operator-lifecycle-manager, at "oc get apiservice v1.packages.operators.coreos.com -o yaml", and at the pod network between control plane machines; then delete the packageserver CSV, which is made anew',
  },
  {
    id: 'says-backing-store-ill',
    pattern:
      /BackingStore\W{1,4}(?<store>[\w.-]+).{0,80}\b(?<mode>ALL_NODES_OFFLINE|INVALID_CREDENTIALS|AUTH_FAILED|STORAGE_NOT_EXIST|NO_CAPACITY|LOW_CAPACITY|IO_ERRORS)\b/,
    cause: (found) =>
      `The backing store ${word(found, 'store')} of NooBaa cannot be used: ${meant(word(found, 'mode'), STORES)} (${word(found, 'mode')})`,
    remedy:
      'Look at its pods and their claims in openshift-storage, or at the bucket and the secret that it names: "oc -n openshift-storage describe backingstore"',
  },
];
