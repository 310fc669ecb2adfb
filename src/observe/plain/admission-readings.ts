import { because, named, type PlainReading, word } from './plain-reading.ts';

/** `pods "NAME" is forbidden: `, as the API begins whatever it does not admit. */
const POD = `(?:pods? "(?<pod>[^"]+)" is forbidden: )?`;

/** What the API of a cluster does not admit, and by which of its own rules: no login would change that. */
export const ADMISSION_READINGS: readonly PlainReading[] = [
  {
    id: 'says-namespace-ending',
    pattern:
      /unable to create new content in namespace (?<namespace>[\w.-]+) because it is being terminated|Operation cannot be fulfilled on namespaces "(?<name>[^"]+)": The system is ensuring all content is removed/,
    cause: (found) =>
      `The namespace ${word(found, 'namespace', 'name')} is being deleted, and takes nothing new until it is gone`,
    remedy:
      'Wait until it is gone and make it anew; where it does not go, "oc describe namespace" tells what remains in it',
  },
  {
    id: 'says-pod-security',
    pattern: new RegExp(
      `${POD}(?<!would )violates PodSecurity "(?<level>[^"]+)"(?:: (?<why>.{1,400}))?`,
    ),
    cause: (found) =>
      `The pod${named(word(found, 'pod'))} does not meet the pod security level of its namespace, ${word(found, 'level')}${because(word(found, 'why'))}`,
    remedy:
      'Set what it names in the securityContext of the pod (allowPrivilegeEscalation, capabilities, runAsNonRoot, seccompProfile); a pod that needs more runs in a namespace with the label pod-security.kubernetes.io/enforce of a lower level',
  },
  {
    id: 'says-quota-of-project',
    pattern:
      /(?:"(?<object>[^"]+)" is forbidden: )?exceeded quota: (?<quota>[\w.-]+), requested: (?<why>.{1,240})/,
    cause: (found) =>
      `A quota or limit is used up: the quota ${word(found, 'quota')} of the namespace has no room for${word(found, 'object') === undefined ? ' it' : named(word(found, 'object'))} (requested: ${word(found, 'why')})`,
    remedy:
      'Let it ask for less, remove what is no longer used in the namespace, or raise the quota ("oc describe quota -n NAMESPACE")',
  },
  {
    id: 'says-limits-missing',
    pattern:
      /(?:"(?<object>[^"]+)" is forbidden: )?failed quota: (?<quota>[\w.-]+): must specify (?<what>.{1,200})/,
    cause: (found) =>
      `The namespace has a quota (${word(found, 'quota')}), so every pod must say what it takes, and${word(found, 'object') === undefined ? ' this one' : named(word(found, 'object'))} does not: ${word(found, 'what')}`,
    remedy:
      'Set these requests and limits on the containers, or give the namespace a LimitRange with defaults',
  },
  {
    id: 'says-limit-range',
    pattern: new RegExp(
      String.raw`${POD}\[?(?<why>(?:maximum|minimum) [\w.-]+ usage per (?:Container|Pod|PersistentVolumeClaim) is .{1,240}|[\w.-]+ max limit to request ratio per .{1,200})`,
    ),
    cause: (found) =>
      `A LimitRange of the namespace does not allow what${word(found, 'pod') === undefined ? ' it' : named(word(found, 'pod'))} asks for (${word(found, 'why')?.replace(/\]$/, '')})`,
    remedy:
      'Correct the requests and limits of the container, or the LimitRange ("oc get limitrange -n NAMESPACE -o yaml")',
  },
  {
    id: 'says-service-account-missing',
    pattern:
      /error looking up service account (?<account>[^\s:]+): serviceaccounts? "[^"]+" not found/,
    cause: (found) =>
      `The service account ${word(found, 'account')} does not exist, so pods that run as it are not made`,
    remedy:
      'Make the service account in that namespace, or name another one in the pod (serviceAccountName)',
  },
  {
    id: 'says-webhook-silent',
    pattern:
      /failed calling webhook "(?<name>[^"]+)".{0,300}(?:context deadline exceeded|i\/o timeout|Client\.Timeout|connection refused|no route to host)/,
    cause: (found) =>
      `The webhook ${word(found, 'name')} does not answer the API, so what it checks cannot be made`,
    remedy:
      'Look whether the pods behind its service are ready, and whether the control plane reaches the pod network (network policies, the network operator); of something that was removed, delete the webhook configuration',
  },
  {
    id: 'says-field-fixed',
    pattern:
      /\bThe (?<kind>\w+) "(?<object>[^"]+)" is invalid: (?<field>[\w.[\]-]+): .{0,300}field is immutable/,
    cause: (found) =>
      `The field ${word(found, 'field')} of the ${word(found, 'kind')} ${word(found, 'object')} cannot be changed once it is there`,
    remedy: 'Delete the object and make it anew, or leave this field as it was',
  },
  {
    id: 'says-service-port-taken',
    pattern:
      /(?:The Service "(?<service>[^"]+)" is invalid: )?[\w.[\]]*(?:nodePort|clusterIPs?(?:\[\d+\])?|loadBalancerIP): Invalid value: .{0,80}?(?<value>[\da-f.:]{4,})\W{1,3}.{0,60}(?:provided (?:port|IP) is already allocated)/,
    cause: (found) =>
      `The service${named(word(found, 'service'))} asks for a node port or address that another service of the cluster has already (${word(found, 'value')})`,
    remedy:
      'Leave the field out, so that the cluster chooses one, or take another; "oc get svc -A" shows who has it',
  },
  {
    id: 'says-object-changed',
    pattern:
      /Operation cannot be fulfilled on (?<what>[\w.]+ "[^"]+"): the object has been modified/,
    cause: (found) =>
      `${word(found, 'what')} was changed by somebody else between reading and writing it`,
    remedy:
      'Read it again and repeat the change; where it goes on, two controllers or people write the same object',
  },
  {
    id: 'says-image-policy-slow',
    pattern: /admission plugin "(?<plugin>[^"]+)" failed to complete (?:mutation|validation) in/,
    cause: (found) =>
      `The check ${word(found, 'plugin')} of the API does not end in time: the API that it asks (openshift-apiserver), or etcd behind it, is down or slow`,
    remedy:
      'Look at "oc get co openshift-apiserver etcd" and at the pods of openshift-apiserver first',
  },
];
