import { at, because, named, type PlainReading, word } from './plain-reading.ts';

const LOOK_AT_LOGIN =
  'Look at the login that was sent: user, password or token, and whether it may do this';

/** What LDAP servers mean by their codes, and Active Directory by its own behind 49. */
const LDAP_SAYS: Readonly<Record<string, string>> = {
  1: 'it wants a login (bind) that succeeds first',
  3: 'the search takes longer than it allows',
  4: 'the search finds more than it gives out at once',
  8: 'it wants signed or encrypted connections',
  11: 'the search goes beyond a limit of it',
  13: 'it takes logins over TLS only',
  19: 'a rule of the directory forbids it, such as too many failed logins',
  34: 'a name (DN) is written wrongly',
  48: 'it does not take logins of this kind',
  50: 'the user that searches may not read there',
  51: 'it is busy',
  52: 'it is not available',
  53: 'it is not willing to',
  525: 'there is no such user',
  530: 'not at this time of day',
  531: 'not from this machine',
  532: 'the password has expired',
  533: 'the account is disabled',
  701: 'the account has expired',
  773: 'the password must be changed first',
  775: 'the account is locked',
};

/** What another program answered: refusals, missing things, trouble of its own. */
export const ANSWER_READINGS: readonly PlainReading[] = [
  {
    id: 'says-quota',
    pattern:
      /missing quota|quota ?['"]?(?<what>[\w-]+)?['"]? ?(?:has been |was |is )?exceeded|exceed(?:s|ed|ing)? (?:the |your |approved )?(?:\S+ ){0,2}quota|QuotaExceeded|(?<!Backoff)LimitExceeded|InsufficientInstanceCapacity|(?:maximum|limit) (?:number )?of (?<limit>[\w -]{3,40}?) (?:has been |was )?(?:reached|exceeded)|not enough .{0,40}quota|over the quota(?:: (?<hard>used \d+ .{0,40}\d+))?|MissingQuota\): (?<missing>.+)|required number of resources \(\d+\) is more than the limit of \d+|exceeds? the configured upper limit/i,
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
    // How every check of the API server refuses an object; what a user may not do has words of its own.
    id: 'says-not-admitted',
    isGeneral: true,
    pattern:
      /\b(?<kind>[A-Za-z][\w.-]+) "(?<name>[^"]+)" is forbidden: (?!User |unable to validate against)(?<why>.{8,})/,
    cause: (found) =>
      `The API server does not admit ${word(found, 'kind')} "${word(found, 'name')}": ${word(found, 'why')}`,
    remedy: 'Correct what it names in the object or its namespace',
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
    id: 'says-token-expired',
    pattern:
      /(?:oidc: |\b(?:bearer|access|refresh|id|security|service account|session|login) ?)?\btoken (?:is|has) expired(?: \(Token Expiry: (?<until>[\d-]+ [\d:]+)[^)]*\))?|\bExpiredToken(?:Exception)?\b|token is expired by (?<by>\S+)|exp claim .{0,40}(?:past|expired)/i,
    cause: (found) =>
      `The token that was sent has expired${because(word(found, 'until') ?? (word(found, 'by') && `${found.groups.by} ago`))}, or the clock of one side is wrong`,
    remedy:
      'Log in again for a new one; where a fresh one is refused too, compare the clocks ("chronyc tracking") of both sides',
  },
  {
    id: 'says-token-of-others',
    pattern:
      /(?:invalid bearer token, )?(?:oidc: verify token: )?oidc: (?<why>(?:expected audience|id token issued by|id token signed with|failed to verify signature|email not verified|parse username claims|fetching keys|current time \S+ before the nbf|malformed jwt).{0,200})|invalid bearer token, (?<bearer>.{8,200})/i,
    cause: (found) =>
      `The API does not take the token of the identity provider: ${word(found, 'why', 'bearer')?.replace(/\]?"?$/, '')}`,
    remedy:
      'Compare issuer, audience (client ID) and claims that the API was configured with, with those in the token',
  },
  {
    id: 'says-ldap-refused',
    pattern:
      /(?:LDAP Result Code|LDAP: error code) (?<code>1(?=\b.*bind must be completed)|[348]|11|13|19|34|48|50|51|52|53)\b[- ]*"?(?<name>[A-Z][a-zA-Z ]{3,40})?"?:? ?(?<why>[^"]{0,200})|(?:LDAP Result Code|LDAP: error code) 49\b.*\bdata (?<data>5(?!2e)\w\w|7\w\w)\b/,
    cause: (found) => {
      const { code = '', data = '', name, why } = found.groups;
      const said = [name, why].filter((one) => one?.trim()).join(': ');
      return `${at(found)} refuses the login or the search: ${LDAP_SAYS[code || data] ?? `code ${code || data}`}${because(word({ ...found, groups: { said } }, 'said'))}`;
    },
    remedy:
      'Correct bindDN and bindPassword of the provider, unlock or renew that account, or use ldaps:// where the server wants TLS; "ldapsearch" with the same shows it',
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
      /toomanyrequests(?!.*disruption budget)|(?<!etcdserver: )too many requests|\b429\b (?:Too|status)|rate ?limit(?:ed)? exceeded|RequestLimitExceeded|Throttling/i,
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
    id: 'says-token-refused',
    pattern:
      /\bInvalid token \(\d{3}\)|(?:invalid|expired|unknown) (?:join|bootstrap|registration|cluster|agent|node|bearer|authentication) token\b|(?:join|bootstrap|registration|cluster|agent|node|bearer|access|refresh) token (?:\S+ )?(?:is |has |was )?(?:already )?(?:invalid|expired|not valid|unknown|used)|the token (?:is|has) (?:invalid|expired)/i,
    cause: (found) =>
      `${at(found)} does not know the token that it was shown, or no longer: it has ended, was used already, or is written wrongly`,
    remedy:
      'Have a new one made there ("kubeadm token create --print-join-command", "microk8s add-node", "oc whoami -t" after a login), and use it in time',
  },
  {
    id: 'says-login-refused',
    pattern:
      /\bunauthorized\b|(?<!\.\w{1,4}:)\b401\b|authentication (?:failed|required|error)|invalid (?:username|user name|credentials?|client secret|password)|incorrect (?:username|user name|password)|cannot complete login|login failed|InvalidClientTokenId|SignatureDoesNotMatch|AuthFailure|NotAuthenticated|no basic auth credentials|cannot be authenticated with|WRONGPASS/i,
    cause: (found) =>
      `${at(found)} does not accept the login, was sent none, or gives it no right to this`,
    remedy: LOOK_AT_LOGIN,
  },
  {
    id: 'says-forbidden',
    isGeneral: true,
    pattern:
      /\bforbidden\b(?! (?:when|whitespace|character)|: (?:not a|host not))|(?<!\.\w{1,4}:)\b403\b|requested access to the resource is denied|access (?:is |was )?denied|: denied\b|^\W*denied: |not allowed to write|is DENIED; last ACL checked: (?<acl>\S+)|\bTCP_DENIED\b/i,
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
      /(?<!\.\w{1,4}:)\b(?<status>50[0234]|52[0-7])\b(?!\.\d)[:,\]]? ?"?(?<text>Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)?|(?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)/i,
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
];
