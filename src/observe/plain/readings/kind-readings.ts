import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What a server does not serve: kinds of OpenShift, of every cluster, of older and newer ones, of operators. */
export const KIND_READINGS: readonly PlainReading[] = [
  {
    id: 'says-kind-of-openshift-unknown',
    pattern:
      /doesn't have a resource type "(?<type>dc|deploymentconfigs?|bc|buildconfigs?|builds?|is|imagestreams?|istag|routes?|projects?|templates?|scc|securitycontextconstraints|oauthclients?|users?|identities|clusterversions?|clusteroperators?|co|mcp|machineconfig(?:pool)?s?|machinesets?)"|no matches for kind "(?<kind>[^"]+)" in version "(?:route|image|build|apps|project|template|security|user|oauth)\.openshift\.io\/v1"|could not find the requested resource \(\w+ (?<plural>[\w.-]+\.openshift\.io)\)/i,
    cause: (found) =>
      `The server does not offer this client the kind ${word(found, 'type', 'kind', 'plural')} of OpenShift: it is no OpenShift, the part of it that serves the kind does not answer, or client and server are too far apart in version`,
    remedy:
      'Compare the versions ("oc version") and the server ("oc whoami --show-server"); "oc get apiservices" shows parts that do not answer',
  },
  {
    id: 'says-kind-core-unknown',
    pattern:
      /doesn't have a resource type "(?<type>pods?|po|nodes?|no|services?|svc|namespaces?|ns|secrets?|configmaps?|cm|deployments?|deploy|events?)"/i,
    cause: (found) =>
      `The server does not tell this client what it serves, not even ${word(found, 'type')}, which every cluster has: it is no API server, or the client has no valid login or a stale cache`,
    remedy:
      'Look at the address and the login of the kubeconfig ("oc whoami --show-server", "oc login"); remove ~/.kube/cache',
  },
  {
    id: 'says-kind-of-older-cluster',
    pattern:
      /no matches for kind "(?<kind>[^"]+)" in version "(?<version>(?:extensions|apps|policy|batch|autoscaling|(?:networking|rbac\.authorization|apiextensions|admissionregistration|apiregistration|scheduling|coordination|storage|certificates|discovery|events|node|flowcontrol\.apiserver)\.k8s\.io)\/v\d(?:alpha|beta)\d)"/,
    cause: (found) =>
      `The cluster does not serve ${word(found, 'kind')} as ${word(found, 'version')}: newer clusters have dropped that version of the API`,
    remedy:
      'Write the version that this cluster serves ("oc api-resources", "oc explain KIND"), or use a newer release of what brings the manifest; PodSecurityPolicy has no successor of that kind',
  },
  {
    id: 'says-kind-of-newer-cluster',
    pattern:
      /(?:no matches for kind "(?<kind>[^"]+)" in version "|no kind "(?<bare>[^"]+)" is registered for version ")(?<version>(?:apps|policy|batch|(?:networking|rbac\.authorization|apiextensions|admissionregistration|storage)\.k8s\.io)\/v1)"(?! in scheme)|no matches for (?<group>apiextensions\.k8s\.io)\/, Kind=(?<crd>CustomResourceDefinition)/,
    cause: (found) =>
      `The cluster does not know ${word(found, 'kind', 'bare', 'crd')} (${word(found, 'version', 'group')}), which every newer one has: it is too old for what it is given`,
    remedy:
      'Compare the version of the cluster ("oc version") with what the manifest asks for: update the cluster, or take an older release of the manifest',
  },
  {
    id: 'says-kind-not-in-program',
    pattern: /no kind "(?<kind>[^"]+)" is registered for version "(?<version>[^"]+)" in scheme/,
    cause: (found) =>
      `The program does not know ${word(found, 'kind')} of ${word(found, 'version')}: what it reads is of another version than the program`,
    remedy: 'Write the version that this program takes, or use the release that the file is for',
  },
  {
    id: 'says-kind-not-served',
    pattern:
      /failed to (?:list|watch) \S+: (?:failed to list \S+: )?the server could not find the requested resource(?: \(get (?<resource>[\w.-]+)\))?/,
    cause: (found) =>
      `The program watches a kind${because(word(found, 'resource'))} that the cluster does not serve, or not in that version: what defines it is not installed`,
    remedy:
      'Install the definition (CRD) in the version that the program asks for ("oc api-resources"), or a release of the program that fits the cluster',
  },
  {
    id: 'says-kind-unknown',
    pattern:
      /no matches for kind "(?<kind>[^"]+)" in (?:version|group) "(?<version>[^"\\]+)|doesn't have a resource type "(?<type>[^"]+)"|could not find the requested resource \(\w+ (?<plural>[\w-]+\.[\w.-]+)\)/i,
    cause: (found) =>
      `The cluster does not know the kind${named(word(found, 'kind', 'type', 'plural'))}${because(word(found, 'version'))}: what defines it is not installed, or of another version`,
    remedy:
      'Install the operator or the definition (CRD) first, or write the version that this cluster has ("oc api-resources")',
  },
];
