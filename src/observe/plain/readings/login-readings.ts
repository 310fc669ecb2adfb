import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What people and programs are told who want to log in to a cluster, or to talk to its API. */
export const LOGIN_READINGS: readonly PlainReading[] = [
  {
    id: 'says-ldap-password',
    pattern: /LDAP Result Code 49\b(?!.*\bdata (?!52e))/,
    cause: () =>
      'The LDAP server does not accept the login: the bindDN of the identity provider and its password, or those of the user',
    remedy:
      'Try both with "ldapsearch -D BINDDN -W"; correct the secret in openshift-config that bindPassword names (no line break at its end)',
  },
  {
    id: 'says-ldap-entry',
    pattern:
      /search for entry with (?:base )?dn=\\*"(?<dn>[^"\\]*)\\*".{0,200}?(?:would search outside of the base dn specified \(dn=\\*"(?<base>[^"\\]*)|(?:refers to a non-existent entry|did not return any results))/,
    cause: (found) =>
      word(found, 'base') === undefined
        ? `The LDAP server has no entry ${word(found, 'dn')} that the search allows, though a group names it`
        : `The LDAP entry ${word(found, 'dn')} lies outside of ${word(found, 'base')}, where the sync configuration searches`,
    remedy:
      'Correct baseDN (and the filter) of that query in the sync configuration, or the members of the group; tolerateMemberNotFoundErrors and tolerateMemberOutOfScopeErrors let the sync leave such members out',
  },
  {
    id: 'says-user-claimed',
    pattern:
      /user "(?<user>[^"]+)" cannot be claimed by identity "(?<identity>[^"]+)" because it is already mapped/,
    cause: (found) =>
      `The user ${word(found, 'user')} belongs to another identity provider already, so ${word(found, 'identity')} cannot use this name`,
    remedy:
      'Delete the old identity ("oc get identity"), give the user another name, or set mappingMethod: add',
  },
  {
    id: 'says-user-not-provisioned',
    pattern: /AuthenticationError: users\.user\.openshift\.io "(?<user>[^"]+)" not found/,
    cause: (found) =>
      `The user ${word(found, 'user')} does not exist, and its identity provider makes none (mappingMethod: lookup)`,
    remedy: 'Make user, identity and mapping by hand, or set mappingMethod: claim',
  },
  {
    id: 'says-client-refused',
    pattern:
      /\b(?:invalid_client|unauthorized_client)\b(?:.{0,20}error_description\\?": ?\\?"(?<why>[^"\\]+))?/,
    cause: (found) =>
      `The identity provider does not accept the client that asks for people to log in (as OpenShift does): its id, its secret, or what it may do${because(word(found, 'why'))}`,
    remedy:
      'Compare clientID and the secret in openshift-config with the client at the provider (confidential, authorization code flow on)',
  },
  {
    id: 'says-redirect-refused',
    pattern: /invalid_redirect_uri|Invalid parameter: redirect_uri|redirect_uri_mismatch/,
    cause: () =>
      'The identity provider does not know the address that it is to send people back to',
    remedy:
      'Register https://oauth-openshift.apps.CLUSTER.DOMAIN/oauth2callback/NAME there, with NAME of the identity provider',
  },
  {
    id: 'says-issuer-differs',
    pattern:
      /id token issued by a different provider, expected "(?<wanted>[^"]+)" got "(?<got>[^"]+)"|issuer did not match the issuer returned by provider, expected "(?<asked>[^"]+)" got "(?<is>[^"]+)"/,
    cause: (found) =>
      `The identity provider calls itself ${word(found, 'got', 'is')}, and ${word(found, 'wanted', 'asked')} is configured`,
    remedy: 'Write the issuer as the provider does, to the last slash',
  },
  {
    id: 'says-identity-config',
    pattern:
      /failed to apply IDP (?<name>\S+) config: (?<why>.{4,240})|error validating (?<object>(?:secret|configmap) \S+): (?<lacks>missing required key: \S+)/,
    cause: (found) =>
      `The identity provider${named(word(found, 'name'))} cannot be used${because(word(found, 'why') ?? [word(found, 'object'), word(found, 'lacks')].filter(Boolean).join(': '))}`,
    remedy:
      'Correct the OAuth object ("oc edit oauth cluster") and the secrets and config maps that it names, which must be in openshift-config',
  },
  {
    id: 'says-htpasswd-line',
    pattern: /Ignoring malformed htpasswd line|(?<why>crypt password hashes are not supported)/,
    cause: () =>
      'A line of the htpasswd file cannot be used: it has no password hash of a kind that OpenShift knows',
    remedy:
      'Write the user anew with "htpasswd -B", and put the file into the secret in openshift-config',
  },
  {
    id: 'says-no-token',
    pattern: /no token is currently in use for this session/,
    cause: () =>
      'oc is logged in by a certificate, as with the kubeconfig of the installation, or not at all: it has no token, which this command needs',
    remedy: 'Log in as a user ("oc login -u USER"), and run it again',
  },
  {
    id: 'says-not-logged-in',
    pattern: /You must be logged in to the server \((?<why>[^)]+)\)/,
    cause: (found) =>
      `The API does not accept the token or certificate that oc sends (${word(found, 'why')}): it has ended, or is of another cluster`,
    remedy:
      'Log in again ("oc login"), or use the kubeconfig of the installation (auth/kubeconfig); where that one is refused, too, its certificate has ended',
  },
  {
    id: 'says-api-refused',
    pattern:
      /The connection to the server (?!localhost)(?<server>\S+) was refused - did you specify/,
    cause: (found) =>
      `Nothing listens at ${word(found, 'server')}: the API of the cluster does not run there, or the load balancer has no server behind it`,
    remedy:
      'Look at the load balancer and at the control plane machines ("crictl ps --name kube-apiserver" there)',
  },
  {
    id: 'says-api-authority',
    pattern: /server uses a certificate signed by (?:an )?unknown authority/,
    cause: () =>
      'oc does not know the authority that signed the certificate of the API: most often of the ingress or a CA of the site',
    remedy:
      'Give it ("oc login --certificate-authority=FILE"), or install the CA on this host; of a kubeconfig of the installation, use the one of this cluster',
  },
  {
    id: 'says-context-missing',
    pattern:
      /context was not found for specified context: (?<name>\S+)|context "(?<other>[^"]+)" does not exist/,
    cause: (found) => `The kubeconfig has no context ${word(found, 'name', 'other')}`,
    remedy:
      '"oc config get-contexts" lists those it has; KUBECONFIG may name another file than is meant',
  },
  {
    id: 'says-tls-silent',
    pattern: /TLS handshake timeout/,
    cause: ({ end }) =>
      `${end?.text ?? 'The other end'} takes the connection and does not go on with TLS in time`,
    remedy:
      'It is overloaded, the servers behind a load balancer are not up, or large packets are lost on the way (MTU): "curl -kv" from that machine shows how far it comes',
  },
  {
    id: 'says-etcd-late',
    isGeneral: true,
    pattern:
      /etcdserver: (?<what>request timed out|leader changed|too many requests)|the server was unable to return a response in the time allotted/,
    cause: (found) =>
      word(found, 'what') === undefined
        ? 'The API does not answer in time: it, or etcd behind it, is overloaded or too slow'
        : `etcd behind the API does not answer in time (${word(found, 'what')}): its disks or the network between its members are too slow, or a member is gone`,
    remedy:
      'Look at "oc get co etcd" and the etcd pods ("took too long", "leader changed"); its disks must write within 10 ms',
  },
];
