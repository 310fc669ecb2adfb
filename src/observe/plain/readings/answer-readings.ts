import { at, because, type FoundWords, named, type PlainReading, word } from '../plain-reading.ts';

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
      /(?<scrape>(?:sample|label|target|body size)[ _]limit) exceeded|missing quota|(?<thing>(?:[\w-]+ ){1,3})quota limit exceeded|(?<kind>(?:[\w-]+ ){0,2}(?:gateway|VPC|bucket|zone|balancer|address|instance|vCPU|volume)(?:e?s)?) limit exceeded|quota ?['"]?(?<what>[\w-]+)?['"]? ?(?:has been |was |is )?exceeded|exceed(?:s|ed|ing)? (?:the |your |approved )?(?:\S+ ){0,2}quota|QuotaExceeded|(?<!Backoff)LimitExceeded|InsufficientInstanceCapacity|(?:maximum|limit) (?:number )?of (?<limit>[\w -]{3,40}?) (?:has been |was )?(?:reached|exceeded)|not enough .{0,40}quota|over the quota(?:: (?<hard>used \d+ .{0,40}\d+))?|MissingQuota\): (?<missing>.+)|required number of resources \(\d+\) is more than the limit of \d+|exceeds? the configured upper limit/i,
    cause: (found) =>
      `A quota or limit is used up${because(word(found, 'thing', 'kind', 'what', 'limit', 'missing', 'hard', 'scrape'))}`,
    remedy:
      'Ask for more of it, remove what is no longer used, or ask for less (machines, sizes, region)',
  },
  {
    // Quay locks an account out for a while; the words come in a body that the client cannot parse.
    id: 'says-login-locked',
    pattern: /Too many login attempts\b(?<why>[^"]{0,120})/i,
    cause: (found) =>
      `${at(found)} takes no login of this account for now, after too many with a wrong or outdated password`,
    remedy:
      'Find who still sends the old password (pull secrets, auth.json, jobs) and stop it; set a new one, or use the token of a robot account, and wait before the next try',
  },
  {
    id: 'says-answer-unparsed',
    pattern:
      /error parsing HTTP (?:(?<status>\d{3}) response body: [^"]{0,160}?: "(?<body>(?!\\n|<)[^"<]{8,300})"|(?<bare>429|50[0-4]) response body)/,
    cause: (found) =>
      word(found, 'bare') === undefined
        ? `${at(found)} answers ${word(found, 'status')}: ${word(found, 'body')?.replace(/\s*\\n\s*/g, ' ')}`
        : `${at(found)}, or what is before it, answers ${word(found, 'bare') === '429' ? 'that there are too many requests (429)' : `with an error of its own (${word(found, 'bare')})`}`,
    remedy:
      'The status and the words are what it refuses: 401 and 403 a login or right, 404 a name or path, 429 too many requests, 5xx trouble there or at a proxy before it',
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
      /(?:(?<kind>[\w./-]+) is forbidden: )?User "(?<user>(?!system:anonymous)[^"]+)" cannot(?: (?<oldverb>\w+) (?<old>[\w./-]+) (?:in (?:the namespace|project) "(?<project>[^"]+)"|at the cluster scope)| (?<verb>\w+) resource(?: "(?<resource>[^"]+)"(?:.{0,120}in the namespace "(?<namespace>[^"]+)")?|$)|\s*$)|(?<arn>arn:\S+|\S+@\S+) (?:is not authorized|does not have permission)[^:]*to perform:? (?<action>\S+)|does not have (?:authorization|permission) to perform action '?(?<azure>[^\s']+)|Required '(?<gcp>[^']+)' permission|AuthorizationFailed|Authorization failed for template resource|UnauthorizedOperation|AccessDenied(?:Exception)?\b|is not authorized to perform|(?<!status=\d+\/)NoPermission\b|insufficient (?:permissions|privileges)/i,
    cause: (found) => {
      const what = word(found, 'action', 'azure', 'gcp', 'verb', 'oldverb');
      const who = word(found, 'user', 'arn');
      const namespace = word(found, 'namespace', 'project');
      const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
      return `The login${named(who)} lacks the permission${named(what)}${because(word(found, 'resource', 'old', 'kind'))}${where}`;
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
    pattern: /admission webhook \\?"?(?<name>[\w.-]+)\\?"? denied the request:? ?(?<why>.*)/i,
    cause: (found) =>
      `The admission webhook${named(word(found, 'name'))} refuses the object${because(word(found, 'why'))}`,
    remedy: 'Correct what it names; its operator says what is allowed',
  },
  {
    id: 'says-webhook-unserved',
    pattern:
      /(?:(?<open>failing open)\b.{0,200})?failed calling webhook "(?<name>[^"]+)".*(?:no endpoints available|connection refused|timeout(?!=)|deadline exceeded|context canceled|EOF|no such host|not found)/i,
    cause: (found) =>
      `The webhook${named(word(found, 'name'))} is not served, ${word(found, 'open') === undefined ? 'so what it checks cannot be made' : 'and is passed over after the wait (failing open)'}`,
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
      /(?<api>the server has received too many (?:API )?requests and has asked us to try again later)|toomanyrequests(?!.*(?:disruption budget|received too many))|(?<!etcdserver: )too many requests|\b429\b (?:Too|status)|rate ?limit(?:ed)? exceeded|RequestLimitExceeded|\bThrottling(?:Exception|Error)?\b/i,
    cause: (found) =>
      word(found, 'api') === undefined
        ? `${at(found)} was asked too often and refuses for a while`
        : 'The API server has too many requests at once and refuses some for a while (429)',
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
    id: 'says-package-right',
    pattern: /unauthorized: reqPackageAccess|\breqPackageAccess\b.{0,40}(?:401|denied)/,
    cause: (found) =>
      `Gitea or Forgejo (${at(found)}) gives this login no right to the packages of the owner that stands in the name of the image`,
    remedy:
      'Log in with an access token that has write:package, of a user who may write to that owner (for an organisation: a member of a team with packages); the first part of the name is the owner',
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
    id: 'says-password-rules',
    pattern:
      /(?<why>\b[\w-]{0,12}password (?:must|should|needs? to) (?:be (?:at|between|longer|shorter|no|more|less|\d)|have|contain|match)\b[^"}]{3,160}|password (?:is |was )?too (?:short|weak|simple|common|long)\b[^"}]{0,80}|BAD PASSWORD: [^"}]{4,120}|password does not (?:meet|satisfy|comply)\b[^"}]{0,120})/i,
    cause: (found) => `The password that was chosen is not taken: ${word(found, 'why')}`,
    remedy: 'Choose one that meets this rule, and begin again',
  },
  {
    id: 'says-login-refused',
    pattern:
      /(?<![|-])\bunauthorized\b(?!-)|(?<!\.\w{1,4}:|\||== |[.\d]|\d\/)\b401\b(?![./]\d)(?<!^\s*401(?= *(?:\||$)))|authentication (?:failed|required|error)|invalid (?:username|user name|credentials?|client secret|password)|incorrect (?:username|user name|password)|cannot complete login|login failed|no push access to|InvalidClientTokenId|SignatureDoesNotMatch|AuthFailure|NotAuthenticated|no basic auth credentials|cannot be authenticated with|WRONGPASS/i,
    cause: (found) =>
      `${at(found)} does not accept the login, was sent none, or gives it no right to this`,
    remedy: LOOK_AT_LOGIN,
  },
  {
    // How the API server and the installer refuse a field, whoever sets it.
    id: 'says-field-forbidden',
    pattern:
      /(?:\b(?<kind>\w+)[\w.]* "(?<object>[^"]+)" is invalid: )?(?<field>[a-zA-Z][\w-]*(?:\.[\w-]+|\[[^\]]*\])+): Forbidden: (?!not usable|User )(?<why>.{8,})/,
    cause: (found) =>
      `The field ${word(found, 'field')}${word(found, 'object') === undefined ? '' : ` of ${word(found, 'kind')} "${word(found, 'object')}"`} may not be so: ${word(found, 'why')}`,
    remedy: 'Correct this field as it says: leave it out, or change what it does not go with',
  },
  {
    id: 'says-selector-unknown',
    pattern: /"(?<field>[^"]+)" is not a known field selector(?:: (?<only>only .{3,160}))?/,
    cause: (found) =>
      `Objects of this kind cannot be chosen by the field ${word(found, 'field')}${because(word(found, 'only'))}`,
    remedy:
      'Choose by a field that it names, by labels (-l), or from "oc get -o json" with jq; a CRD tells in selectableFields what more there is',
  },
  {
    id: 'says-proxy-denied',
    pattern:
      /(?<end>[\w.*-]+:\d+) CONNECT 403 TCP_DENIED|\bTCP_DENIED(?:_ABORTED|_REPLY)?\/403 (?:\d+ )?[A-Z]{3,7} (?<url>\S+)/,
    cause: (found) =>
      `The proxy (Squid) does not let it pass to ${word(found, 'end', 'url')}: its access rules deny it`,
    remedy:
      'Look at the acl and http_access lines of squid.conf (allowed hosts, Safe_ports, SSL_ports); for a host inside, add it to noProxy',
  },
  {
    id: 'says-forbidden',
    isGeneral: true,
    pattern:
      /(?<!\+\w+:|in a way )\bforbidden\b(?! (?:when|whitespace|character|sysctls:)|: (?:not a|host not))|(?<!\.\w{1,4}:|\||== |[.\d]|\d\/)\b403\b(?![./]\d)(?<!^\s*403(?= *(?:\||$)))|requested access to the resource is denied|access (?:is |was )?denied|: denied\b|^\W*denied: |not allowed to write|\bdoes not have permissions? for\b|is DENIED; last ACL checked: (?<acl>\S+)|\bTCP_DENIED\b/i,
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
      /(?:status|HTTP(?:\/\d\S*)?|code|errors?|server|responses?|responded|returned|returns|answer(?:s|ed)?|got|gave|with|unexpected|received|failed|failure|rc|\d{3},)["')\]]{0,2}(?: (?:is|was|of|an?|HTTP|code|status))*(?!\W*==)[:= "'[(<]{1,4}(?<status>50[0234]|52[0-7])\b(?!\.[a-z\d]|%| ?[KMGT]i?B\b| ?m?s\b)|^\W*(?<bare>50[0234]|52[0-7])\b(?=[,:] ?\D)|(?:\b(?<before>50[0234]) )?(?<!GET result: )\b(?<text>Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)/i,
    cause: (found) =>
      `${at(found)} answers with an error of its own${because(word(found, 'status', 'bare', 'before'))}${isOfWhatIsBehind(found) ? ': what stands behind it does not serve' : ''}`,
    remedy:
      'Its own log tells why; behind a proxy or load balancer, look whether the servers behind it are up',
  },
  {
    id: 'says-page-missing',
    pattern:
      /(?<url>https?:\/\/(?!\S{0,200}\/error\/)\S+?)["']?[:,]? .{0,60}\b404\b|\b404\b:? ?Not Found|HTTP(?:\/\d\S*)? (?:error |status |response )?(?:code:? )?404|(?:reading manifest (?<image>\S+ in [^\s:]+(?::\d+\S*)?): |server error|status"?)(?:status)?(?: ?code)?:? 404\b|^\W*unknown: Not Found/i,
    cause: (found) =>
      `${word(found, 'url', 'image') ?? 'What was asked for'} is not there: ${found.end?.text ?? 'the server'} answers, and has nothing by that name`,
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

/** A gateway speaks for somebody else; an error 500 is of whoever answers. */
const isOfWhatIsBehind = (found: FoundWords): boolean =>
  /^(?:50[234]|52\d)$/.test(word(found, 'status', 'bare', 'before') ?? '') ||
  /Gateway|Unavailable/i.test(found.groups.text ?? '');
