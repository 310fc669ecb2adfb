import { at, because, named, type PlainReading, word } from './plain-reading.ts';

const LOOK_AT_LOGIN =
  'Look at the login that was sent: user, password or token, and whether it may do this';

/** What another program answered: refusals, missing things, trouble of its own. */
export const ANSWER_READINGS: readonly PlainReading[] = [
  {
    id: 'says-quota',
    pattern:
      /quota ?['"]?(?<what>[\w-]+)?['"]? ?(?:has been |was |is )?exceeded|exceed(?:s|ed|ing)? (?:the |your |approved )?(?:\S+ ){0,2}quota|QuotaExceeded|LimitExceeded|InsufficientInstanceCapacity|(?:maximum|limit) (?:number )?of (?<limit>[\w -]{3,40}?) (?:has been |was )?(?:reached|exceeded)|not enough .{0,40}quota|over the quota(?:: (?<hard>used \d+ .{0,40}\d+))?|MissingQuota\): (?<missing>.+)|required number of resources \(\d+\) is more than the limit of \d+|exceeds? the configured upper limit/i,
    cause: (found) =>
      `A quota or limit is used up${because(word(found, 'what', 'limit', 'missing', 'hard'))}`,
    remedy:
      'Ask for more of it, remove what is no longer used, or ask for less (machines, sizes, region)',
  },
  {
    id: 'says-proxy-login',
    pattern: /Proxy Authentication Required|\b407\b .*proxy/i,
    cause: () => 'The proxy wants a login that was not given, or refuses it',
    remedy:
      'Give the proxy as http://USER:PASSWORD@HOST:PORT, or name what needs no proxy in noProxy',
  },
  {
    id: 'says-not-permitted',
    pattern:
      /User "(?<user>(?!system:anonymous)[^"]+)" cannot (?<verb>\w+) resource "(?<resource>[^"]+)"|(?<arn>arn:\S+|\S+@\S+) (?:is not authorized|does not have permission)[^:]*to perform:? (?<action>\S+)|does not have (?:authorization|permission) to perform action '?(?<azure>[^\s']+)|Required '(?<gcp>[^']+)' permission|AuthorizationFailed|Authorization failed for template resource|UnauthorizedOperation|AccessDenied(?:Exception)?\b|is not authorized to perform|NoPermission\b|insufficient (?:permissions|privileges)/i,
    cause: (found) => {
      const what = word(found, 'action', 'azure', 'gcp', 'verb');
      const who = word(found, 'user', 'arn');
      return `The login${named(who)} lacks the permission${named(what)}${because(word(found, 'resource'))}`;
    },
    remedy: 'Give it this permission (role, policy), or use a login that has it',
  },
  {
    id: 'says-webhook-denied',
    pattern: /admission webhook "(?<name>[^"]+)" denied the request:? ?(?<why>.*)/i,
    cause: (found) =>
      `The admission webhook${named(word(found, 'name'))} refuses the object${because(word(found, 'why'))}`,
    remedy: 'Correct what it names; its operator says what is allowed',
  },
  {
    id: 'says-webhook-unserved',
    pattern:
      /failed calling webhook "(?<name>[^"]+)".*(?:no endpoints available|connection refused|timeout|deadline exceeded|EOF|no such host|not found)/i,
    cause: (found) =>
      `The webhook${named(word(found, 'name'))} is not served, so what it checks cannot be made`,
    remedy:
      'Look why the pods behind its service are not ready; of something that was removed, delete the webhook configuration, too',
  },
  {
    id: 'says-key-refused',
    pattern:
      /Permission denied \((?:publickey|password|keyboard)|no supported methods remain|handshake failed: ssh: unable to authenticate/i,
    cause: (found) => `${at(found)} refuses the SSH key or password`,
    remedy:
      'Use the private key that belongs to the public key given to the machine, and its user ("core" on nodes)',
  },
  {
    id: 'says-rate-limited',
    pattern:
      /toomanyrequests|too many requests|\b429\b (?:Too|status)|rate ?limit(?:ed)? exceeded|RequestLimitExceeded|Throttling/i,
    cause: (found) => `${at(found)} was asked too often and refuses for a while`,
    remedy: 'Log in where that raises the limit, ask for fewer things at once, and try again later',
  },
  {
    id: 'says-denied',
    pattern:
      /(?:^\W*|: )(?:unauthorized: (?=You )|denied: (?!denied\b|requested access|access forbidden|permission denied\b))(?<why>\w.{7,})/i,
    cause: (found) => `${at(found)} refuses it: ${word(found, 'why')}`,
    remedy: LOOK_AT_LOGIN,
  },
  {
    id: 'says-login-refused',
    pattern:
      /\bunauthorized\b|\b401\b|authentication (?:failed|required|error)|invalid (?:username|user name|credentials?|client secret|password)|incorrect (?:username|user name|password)|cannot complete login|login failed|InvalidClientTokenId|SignatureDoesNotMatch|AuthFailure|NotAuthenticated|no basic auth credentials|cannot be authenticated with|WRONGPASS/i,
    cause: (found) => `${at(found)} does not accept the login, or was sent none`,
    remedy: LOOK_AT_LOGIN,
  },
  {
    id: 'says-forbidden',
    isGeneral: true,
    pattern:
      /\bforbidden\b(?! (?:when|whitespace|character)|: (?:not a|host not))|\b403\b|requested access to the resource is denied|access (?:is |was )?denied|: denied\b|^\W*denied: |not allowed to write|is DENIED; last ACL checked: (?<acl>\S+)|\bTCP_DENIED\b/i,
    cause: (found) =>
      word(found, 'acl') === undefined
        ? `${at(found)} forbids it`
        : `The proxy does not let it pass to ${at(found)} (its rule ${word(found, 'acl')})`,
    remedy: LOOK_AT_LOGIN,
  },
  {
    id: 'says-ldap-base-missing',
    pattern: /LDAP Result Code 32\b/,
    cause: (found) =>
      `${at(found)} has no entry by the name that is searched: the base of the search, or the user that searches, is written wrongly`,
    remedy: 'Correct the base in the URL of the provider and its bindDN; "ldapsearch" shows both',
  },
  {
    id: 'says-too-large',
    pattern: /\b413\b|Request Entity Too Large|Payload Too Large/i,
    cause: (found) => `${at(found)}, or a proxy before it, takes no request of this size`,
    remedy: 'Raise the limit of bodies there (client_max_body_size of nginx)',
  },
  {
    id: 'says-server-fails',
    isGeneral: true,
    pattern:
      /(?<!\.go:)\b(?<status>50[0234]|52[0-7])\b(?!\.\d)[:,\]]? ?"?(?<text>Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)?|(?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)/i,
    cause: (found) =>
      `${at(found)} answers with an error of its own${because(word(found, 'status'))}: what stands behind it does not serve`,
    remedy:
      'Its own log tells why; behind a proxy or load balancer, look whether the servers behind it are up',
  },
  {
    id: 'says-page-missing',
    pattern:
      /(?<url>https?:\/\/\S+?)["']?[:,]? .{0,60}\b404\b|\b404\b:? ?Not Found|HTTP(?:\/\d\S*)? (?:error |status |response )?(?:code:? )?404|(?:server error|status)(?: code)?:? 404\b|^\W*unknown: Not Found/i,
    cause: (found) =>
      `${word(found, 'url') ?? 'What was asked for'} is not there: ${found.end?.text ?? 'the server'} answers, and has nothing by that name`,
    remedy: 'Correct the path, or put the file or image there',
  },
  {
    id: 'says-not-contacted',
    pattern: /could not contact (?<what>[\w-]+)|version discovery document at (?<url>\S+?),? /i,
    cause: (found) =>
      `${word(found, 'what') ?? at(found)} does not answer as it should, or not at all`,
    remedy: 'Look whether this service runs, at its log, and at the address that it is asked by',
  },
  {
    id: 'says-not-offered',
    pattern: /code = Unimplemented desc = unknown (?:service|method) (?<service>[\w.]+)/i,
    cause: (found) =>
      `The program that was asked does not offer ${word(found, 'service')}: it is of another version, or that part of it is switched off`,
    remedy:
      'Compare the versions of both; of a container runtime, look whether its CRI plugin is on (disabled_plugins of containerd)',
  },
  {
    id: 'says-kind-unknown',
    pattern:
      /no matches for kind "(?<kind>[^"]+)" in version "(?<version>[^"]+)"|doesn't have a resource type "(?<type>[^"]+)"/i,
    cause: (found) =>
      `The cluster does not know the kind${named(word(found, 'kind', 'type'))}${because(word(found, 'version'))}: what defines it is not installed, or of another version`,
    remedy:
      'Install the operator or the definition (CRD) first, or write the version that this cluster has ("oc api-resources")',
  },
];
