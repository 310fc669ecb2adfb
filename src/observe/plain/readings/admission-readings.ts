import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** `pods "NAME" is forbidden: `, as the API begins whatever it does not admit. */
const POD = `(?:pods? "(?<pod>[^"]+)" is forbidden: )?`;

/** What the API of a cluster does not admit, and by which of its own rules: no login would change that. */
export const ADMISSION_READINGS: readonly PlainReading[] = [
  {
    id: 'says-namespace-ending',
    pattern:
      /unable to create new content in namespace (?<namespace>[\w.-]+) because it is being terminated|Operation cannot be fulfilled on namespaces "(?<name>[^"]+)": The system is ensuring all content is removed|object is being deleted: namespaces "(?<ending>[^"]+)" already exists/,
    cause: (found) =>
      `The namespace ${word(found, 'namespace', 'name', 'ending')} is being deleted, and takes nothing new until it is gone`,
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
    id: 'says-owner-not-set',
    pattern:
      /(?:(?<kind>[\w.]+) \\?"(?<name>[^"\\]+)\\?" is forbidden: )?cannot set (?:blockOwnerDeletion if an ownerReference refers to|(?<ref>an ownerRef) on) a resource you can't (?:set finalizers on|delete)/,
    cause: (found) =>
      `The program may not make itself the owner of ${word(found, 'name') === undefined ? 'what it makes' : `${word(found, 'kind')} "${word(found, 'name')}"`}: its role lacks ${word(found, 'ref') === undefined ? '"update" on the finalizers of its own kind' : '"delete" on that object'}, which OpenShift asks for`,
    remedy:
      'Add the resource "KINDs/finalizers" with the verb update (or the verb delete on what it makes) to the (cluster) role of its service account, or take a release of the operator that brings it',
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
    id: 'says-rights-not-held',
    pattern:
      /(?:(?<role>[\w.-]+) \\*"(?<name>[^"\\]+)\\*" is forbidden: )?user \\*"(?<user>[^"\\]+)\\*" \(groups=.{0,300}is attempting to grant RBAC permissions not currently held/,
    cause: (found) =>
      `${word(found, 'user')} may not give rights that it does not have itself${because(word(found, 'name'))}`,
    remedy:
      'Let an administrator of the cluster make this role or binding, or give that user or service account the same rights (or "escalate" and "bind" on roles) first',
  },
  {
    id: 'says-object-too-large',
    pattern: /etcdserver: request is too large/,
    cause: () =>
      'The object is too large for the store of the API (etcd takes about 1.5 MiB at once)',
    remedy:
      'Make it smaller: split config maps, secrets and custom resources, or keep large content in a volume; an annotation last-applied-configuration doubles what is applied (use --server-side)',
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
      /(?:(?<open>failing open)\b.{0,200})?failed calling webhook "(?<name>[^"]+)".{0,300}(?:context deadline exceeded|i\/o timeout|timed out|Client\.Timeout|connection refused|no route to host|connection reset|handshake timeout|: EOF)/,
    cause: (found) =>
      `The webhook ${word(found, 'name')} does not answer the API, ${word(found, 'open') === undefined ? 'so what it checks cannot be made' : 'and is passed over after the wait (failing open)'}`,
    remedy:
      'Look whether the pods behind its service are ready, and whether the control plane reaches the pod network (network policies, the network operator); of something that was removed, delete the webhook configuration',
  },
  {
    id: 'says-webhook-broken',
    pattern:
      /failed calling webhook "(?<name>[^"]+)": (?:failed to call webhook: )?(?<why>the server could not find the requested resource|an error on the server .{0,160}|the server responded with .{0,120}|received invalid webhook response: .{0,160}|expected response\.uid.{0,120})/,
    cause: (found) =>
      `The webhook ${word(found, 'name')} answers the API with an error of its own (${word(found, 'why')}), so what it checks cannot be made`,
    remedy:
      'Look at the log of the pods behind its service, and whether the path of the webhook configuration is of the same version as they are',
  },
  {
    id: 'says-field-fixed',
    pattern:
      /(?:\b(?<kind>\w+)[\w.]* "(?<object>[^"]+)" is invalid: )?\b(?<field>[\w.[\]-]{1,120}): (?:Invalid value|Forbidden): .{0,300}(?:field is immutable|cannot change roleRef)|\b(?<of>StatefulSet|Pod|Job|Secret|ConfigMap|PersistentVolumeClaim)[\w.]* "(?<set>[^"]+)" is invalid: (?:spec|data): Forbidden: (?:updates to statefulset spec|pod updates may not change fields|spec is immutable|field is immutable|is immutable)/,
    cause: (found) =>
      word(found, 'set') === undefined
        ? `The field ${word(found, 'field')} of ${word(found, 'object') === undefined ? 'the object' : `the ${word(found, 'kind')} ${word(found, 'object')}`} cannot be changed once it is there`
        : `The ${word(found, 'of')} ${word(found, 'set')} is to be changed in a field that cannot be changed once it is there`,
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
    id: 'says-object-of-no-release',
    pattern:
      /(?<kind>[A-Z]\w+) "(?<name>[^"]+)"(?: in namespace "(?<namespace>[^"]*)")? exists and cannot be imported into the current release/,
    cause: (found) =>
      `The ${word(found, 'kind')} ${word(found, 'name')}${word(found, 'namespace') === undefined ? '' : ` in ${word(found, 'namespace')}`} is there already and does not belong to this Helm release, so Helm does not touch it`,
    remedy:
      'Delete the object where nothing else needs it, or hand it over: label app.kubernetes.io/managed-by=Helm and the annotations meta.helm.sh/release-name and release-namespace',
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
      `The check ${word(found, 'plugin')} of the API does not end in time: ${word(found, 'plugin')?.includes('AdmissionWebhook') ? 'a webhook that it calls does not answer, or slowly' : 'the API that it asks (openshift-apiserver), or etcd behind it, is down or slow'}`,
    remedy:
      'Look at "oc get co openshift-apiserver etcd" and their pods first; of webhooks, at the pods behind the services that the (mutating, validating) webhook configurations name',
  },
];
