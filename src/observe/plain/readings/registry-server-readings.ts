import { because, type PlainReading, word } from '../plain-reading.ts';

/** What registries and the storage behind them write into their own logs. */
export const REGISTRY_SERVER_READINGS: readonly PlainReading[] = [
  {
    // Its code stands in a field that is not kept; what was asked for tells as much.
    id: 'says-registry-answered',
    pattern:
      /response completed with error"? .{0,120}?\b(?:error|err\.detail)="?(?<detail>unknown (?:tag|manifest)[^"]{1,160}?|sha256:\w+|map\[[Nn]ame:[^\]]{1,160}\])"? (?:err\.message="?[^"=]*"? )?(?:go\.version=\S+ )?http\./,
    cause: (found) => `The registry does not have what it was asked for: ${word(found, 'detail')}`,
    remedy:
      'Compare name and tag with what it has ("skopeo list-tags docker://HOST/NAME"); before a push clients ask so for what is not there yet, and it means nothing',
  },
  {
    id: 'says-client-hung-up',
    pattern:
      /client disconnected during (?<what>blob \w+|\w+ \w+)|Error serving blob from local storage: write tcp \S+->(?<client>\S+?): write: (?:broken pipe|connection reset)/,
    cause: (found) =>
      `Who talked to the registry (${word(found, 'client') ?? 'a client, or the proxy before the registry'}) ended the connection in the middle of ${word(found, 'what') ?? 'a layer that was sent'}`,
    remedy:
      'Look at the log of the client and of the proxy or balancer before the registry, at their limits of time and size',
  },
  {
    id: 'says-upload-restarted',
    pattern: /upload resumed at wrong offset: (?<has>\d+) != (?<said>\d+)/,
    cause: (found) =>
      `The registry has ${word(found, 'has')} bytes of an upload that is to go on behind ${word(found, 'said')}: a part of it went to another registry, or its storage does not show yet what was written`,
    remedy:
      'Let all parts of an upload go to the same registry (a balancer that keeps a client at one), or give all of them one storage that is consistent, one http.secret and one Redis',
  },
  {
    id: 'says-zot-setting',
    pattern:
      /"error":"invalid server config(?:: (?<behind>[^"]{6,200}))?".{0,400}?"message":"(?<why>[^"]{6,200})"|"message":"(?<said>[^"]{6,200})".{0,200}?"error":"invalid server config(?:: (?<after>[^"]{6,200}))?"|"message":"invalid server config".{0,100}"error":"(?<only>[^"]{6,200})"/,
    cause: (found) =>
      `zot does not start with its configuration: ${word(found, 'behind', 'after', 'only') ?? word(found, 'why', 'said')}`,
    remedy: 'Correct it in its file; "zot verify FILE" checks it',
  },
  {
    id: 'says-artifactory',
    pattern:
      /The repository '(?<excluded>[^']+)' rejected the (?:artifact|resolution of an artifact|request) .{0,200}due to its include\/exclude patterns|(?<black>[Tt]he repository .{0,80}(?:is )?(?:in )?blacked[- ]?out(?: state)?)|(?:file was not found within (?<time>\d+) seconds: '(?<master>[^']*master\.key)'|Timed out waiting for (?<join>join key))/,
    cause: (found) => {
      const excluded = word(found, 'excluded');
      if (excluded !== undefined)
        return `The repository ${excluded} of Artifactory does not take this path: its include or exclude patterns leave it out`;
      return word(found, 'black') === undefined
        ? `Artifactory does not start: it has no ${word(found, 'join') ?? `master key (${word(found, 'master')})`}`
        : `The repository of Artifactory is switched off ("blacked out")`;
    },
    remedy:
      'Look at the settings of the repository (patterns, "blacked out"); of a start: give all nodes the same master.key and join.key in var/etc/security, readable for its user',
  },
  {
    id: 'says-nexus-space',
    pattern:
      /Available disk space is below the configured limit:? ?(?<limit>\d+ ?\w*)|[Ss]torage is in read-only mode/,
    cause: (found) =>
      `Nexus takes no more writes: the disk with its database has less room than it wants${because(word(found, 'limit'))}`,
    remedy: 'Make room on the disk of its data directory, then start it again',
  },
  {
    id: 'says-pulp',
    pattern:
      /Cannot connect to host (?<host>[\w.-]+:\d+) ssl:\S+ \[(?<why>(?!SSL: CERTIFICATE)[^\]]{4,120})|(?<status>40[134]), message='(?<said>[^']+)', url=(?:URL\()?'(?<url>[^']+)'|(?<backend>Unable to reach the backend service pulp3)|Response payload is not completed/,
    cause: (found) => {
      const { host, url, backend } = found.groups;
      if (host !== undefined) return `${host} cannot be reached from here (${word(found, 'why')})`;
      if (url !== undefined)
        return `${url} is ${word(found, 'status') === '404' ? 'not there' : 'not given out to this login or certificate'} (${word(found, 'status')}, ${word(found, 'said')})`;
      return backend === undefined
        ? 'The download broke off before its end'
        : 'Pulp, which holds the content of Satellite or Katello, does not answer on its machine';
    },
    remedy:
      'Look at the URL of the repository, its credentials or entitlement certificate and its proxy; of the backend at "satellite-maintain service status" or the pulpcore units',
  },
  {
    // One line per request, as a cache of registries writes it; the client is given the same answer.
    id: 'says-cache-answered',
    pattern:
      /"upstream_cache_status":"[^"]*".{0,40}"method":"(?<method>\w+)","uri":"(?<uri>[^"]+)".{0,120}"status":"(?<status>4\d\d|5\d\d)".{0,200}"host":"(?<host>[^"]+)"/,
    cause: (found) =>
      `${word(found, 'host')} answers ${word(found, 'status')} to what the cache passes on (${word(found, 'method')} ${word(found, 'uri')})${word(found, 'status') === '401' ? ': without a login that it takes; where its tokens come from another host, the cache must know that one, too' : ''}`,
    remedy:
      'Ask the registry directly for the same; of 401 give the cache a login for it, and name the host of its tokens (www-authenticate) among those whose requests it opens',
  },
  {
    id: 'says-scanner-unfed',
    pattern:
      /--skip-(?:\w+-)?(?:db-)?update cannot be specified on the first run|failed to download (?<which>vulnerability|Java) DB\b/,
    cause: (found) =>
      `The scanner (Trivy) has no ${word(found, 'which') ?? 'vulnerability'} database, and ${word(found, 'which') === undefined ? 'was told not to fetch one' : 'cannot fetch it'}`,
    remedy:
      'Bring the database here: mirror trivy-db and trivy-java-db into a registry inside (--db-repository, TRIVY_DB_REPOSITORY), or unpack trivy-offline.tar.gz into the db folder of its cache; then --skip-db-update holds',
  },
  {
    // In a log it is the first answer to each client, which is noise; whoever shows these words alone has no other answer.
    id: 'says-registry-login-unread',
    pattern:
      /error authorizing context: basic authentication challenge for realm \\?"(?<realm>[^"\\]*)/,
    cause: (found) =>
      `The registry (realm ${word(found, 'realm')}) takes no login from the request: none was sent, or it is not in its htpasswd file as it can read it (bcrypt only)`,
    remedy: 'Log in first; then look at the file: "htpasswd -B" writes it as registries want it',
  },
  {
    id: 'says-quay-component',
    pattern:
      /(?<part>ObjectStorage|Route|Monitoring|HorizontalPodAutoscaler|TLS) component (?:marked|flagged|set) as managed, but `?(?<api>\w+)`? API is not available/i,
    cause: (found) =>
      `The Quay operator is to bring ${word(found, 'part')} along (managed: true), and the cluster has nothing that makes it: no API ${word(found, 'api')}`,
    remedy:
      'For ObjectStorage install OpenShift Data Foundation (its Multicloud Object Gateway alone will do), or set the component to managed: false in the QuayRegistry and name a storage in DISTRIBUTED_STORAGE_CONFIG of the config bundle; the others likewise',
  },
  {
    id: 'says-no-fqdn',
    pattern: /Failed to automatically acquire host FQDN/,
    cause: () =>
      'The installer of the mirror registry cannot find the full name of this machine ("hostname -f" fails)',
    remedy:
      'Set the name ("hostnamectl hostname NAME.DOMAIN") and let DNS or /etc/hosts know it, or give it with --quayHostname and --targetHostname',
  },
  {
    // As registries answer in JSON; whoever knows the words says more.
    id: 'says-registry-body',
    isGeneral: true,
    pattern:
      /\{"errors": ?\[\{"code": ?"(?<code>CONFLICT|PRECONDITION|BAD_REQUEST|UNSUPPORTED|SIZE_INVALID|TAG_INVALID|NAME_INVALID|DIGEST_INVALID|NOT_FOUND|NAME_UNKNOWN|METHOD_NOT_ALLOWED|TOOBIG)".{0,200}?"message": ?"(?<why>[^"]{8,300})/,
    cause: (found) =>
      `The registry refuses the request (${word(found, 'code')}): ${word(found, 'why')}`,
    remedy: 'Correct what it names: the name, the tag, or a rule of the project',
  },
];
