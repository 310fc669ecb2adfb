import { testNearLines, testSaidLines } from '../../../../test/support/readings.ts';
import { SERVER_READINGS } from './server-readings.ts';

/** A line of each kind as registries, web servers, databases and authorities write it, and what it says. */
const SAID: readonly (readonly [line: string, id: string, cause: string])[] = [
  [
    'error authorizing context: basic authentication challenge for realm "Lids": invalid authorization credential',
    'says-registry-login-unread',
    'The registry (realm Lids) takes no login from the request',
  ],
  [
    'peewee.OperationalError: FATAL:  password authentication failed for user "lid"',
    'says-database-password',
    'The database does not take the password of the user lid',
  ],
  [
    'FATAL:  no pg_hba.conf entry for host "10.6.6.4", user "lid", database "tide", no encryption',
    'says-database-entry',
    'lets nobody in who comes from 10.6.6.4 as lid (no encryption)',
  ],
  [
    'ERROR:  permission denied for schema public',
    'says-database-right',
    'The user of the database has no right to the schema public',
  ],
  [
    'pq: SSL is not enabled on the server',
    'says-database-right',
    'wants TLS of the database (sslmode), and the database has none set up',
  ],
  [
    'Error: adapting config using caddyfile: /etc/caddy/Caddyfile:3: unrecognized directive: lid',
    'says-nginx-setting',
    'line 3 of /etc/caddy/Caddyfile is not taken: unrecognized directive: lid',
  ],
  [
    'FATAL Fatal error init error: DB error: database error: --skip-db-update cannot be specified on the first run',
    'says-scanner-unfed',
    'The scanner (Trivy) has no vulnerability database, and was told not to fetch one',
  ],
  ['FATAL:  role "lid" does not exist', 'says-database-unmade', 'The database has no role lid'],
  [
    'ERROR:  extension "pg_trgm" is not available',
    'says-database-unmade',
    'lacks the extension pg_trgm',
  ],
  [
    'DETAIL:  The data directory was initialized by PostgreSQL version 10, which is not compatible with this version 13.13.',
    'says-database-older',
    'made by another version (10, and 13.13 is started)',
  ],
  [
    "# Can't handle RDB format version 12",
    'says-database-older',
    'The data of Redis were written by a newer version (format 12)',
  ],
  [
    'FATAL:  sorry, too many clients already',
    'says-database-crowded',
    'The database has as many connections open as it allows',
  ],
  [
    'PANIC:  could not locate a valid checkpoint record',
    'says-database-damaged',
    'are damaged, as after a loss of power',
  ],
  [
    'initdb: error: directory "/var/lib/postgresql/data/pg13" exists but is not empty',
    'says-database-directory',
    'The data directory of PostgreSQL /var/lib/postgresql/data/pg13 is not empty',
  ],
  [
    'FATAL:  data directory "/var/lib/pgsql/data" has wrong ownership',
    'says-database-directory',
    'may not use its data directory /var/lib/pgsql/data (wrong ownership)',
  ],
  [
    'peewee.OperationalError: database is locked',
    'says-database-locked',
    'another process holds it locked',
  ],
  [
    'redis.exceptions.ResponseError: MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk.',
    'says-redis-refuses',
    'it cannot save its data to disk',
  ],
  [
    'failed to migrate the database, error: Dirty database version 111. Fix and force version.',
    'says-database-schema',
    '(step 111) broke off half way',
  ],
  [
    "alembic.util.exc.CommandError: Can't locate revision identified by 'a648ff20'",
    'says-database-schema',
    'changed by a newer version of the program than the one that runs (a648ff20)',
  ],
  [
    'psycopg2.OperationalError: could not translate host name "tide-db" to address: Name or service not known',
    'says-database-not-reached',
    'The name of the database tide-db is not known',
  ],
  [
    'psycopg2.OperationalError: connection to server at "10.6.6.4", port 5432 failed: Connection refused',
    'says-database-not-reached',
    'The database at 10.6.6.4:5432 cannot be reached (Connection refused)',
  ],
  [
    'decrypt password failed, key: ldap_search_password, error cipher: message authentication failed, skipping corrupted value',
    'says-secret-undecryptable',
    'another key than the one it was encrypted with',
  ],
  [
    'nginx: [emerg] cannot load certificate key "/etc/nginx/tide.key": PEM_read_bio_PrivateKey() failed (SSL: error:0B080074:x509 certificate routines:X509_check_private_key:key values mismatch)',
    'says-web-certificate',
    'the key /etc/nginx/tide.key does not belong to the certificate',
  ],
  [
    "SSLCertificateFile: file '/etc/pki/tls/certs/tide.crt' does not exist or is empty",
    'says-web-certificate',
    '/etc/pki/tls/certs/tide.crt does not exist or is empty',
  ],
  [
    'nginx: [emerg] open() "/etc/nginx/conf.d/lid.conf" failed (2: No such file or directory) in /etc/nginx/nginx.conf:30',
    'says-nginx-setting',
    'line 30 of /etc/nginx/nginx.conf is not taken: open() "/etc/nginx/conf.d/lid.conf"',
  ],
  [
    '(13)Permission denied: AH00957: HTTP: attempt to connect to 127.0.0.1:5000 (127.0.0.1) failed',
    'says-apache',
    'SELinux does not let the web server (Apache) connect',
  ],
  [
    '[error] 31#31: *5 no resolver defined to resolve depot.fern.lan, client: 10.6.6.9',
    'says-upstream-unnamed',
    'is told no name server by which to look up depot.fern.lan',
  ],
  [
    'level=error msg="unable to get ACME account: permissions 755 for /certs/acme.json are too open, please use 600"',
    'says-traefik',
    'Traefik does not use /certs/acme.json',
  ],
  [
    'ERR error="middleware \\"lid@docker\\" does not exist" routerName=tide@docker',
    'says-traefik',
    'Traefik has no middleware lid@docker',
  ],
  [
    'acme: error: 400 :: urn:ietf:params:acme:error:rejectedIdentifier :: Error creating new order :: Cannot issue for "depot.lan": Domain name does not end with a valid public suffix (TLD)',
    'says-acme-refused',
    'it signs no such name',
  ],
  [
    '  Detail: DNS problem: NXDOMAIN looking up A for depot.fern.lan - check that a DNS record exists for this domain',
    'says-acme-refused',
    'it does not find the name in the public DNS',
  ],
  [
    'last error: NS ns1.fern.lan. did not return the expected TXT record [fqdn: _acme-challenge.depot.fern.lan., value: abc]',
    'says-acme-client',
    'The record _acme-challenge.depot.fern.lan that is to prove the name is not at its name server ns1.fern.lan',
  ],
  [
    'Could not bind TCP port 80 because it is already in use by another process on this system (such as a web server).',
    'says-acme-client',
    'certbot cannot listen on port 80 itself',
  ],
  [
    'level=error msg="response completed with error" error=unknown tag=1.0 http.request.method=GET http.request.uri=/v2/lid/manifests/1.0 http.response.status=404',
    'says-registry-answered',
    'The registry does not have what it was asked for: unknown tag=1.0',
  ],
  [
    'level=error msg="Error serving blob from local storage: write tcp 10.6.6.1:5000->10.6.6.2:4444: write: broken pipe"',
    'says-client-hung-up',
    'Who talked to the registry (10.6.6.2:4444) ended the connection',
  ],
  [
    'level=error msg="upload resumed at wrong offset: 0 != 31457280"',
    'says-upload-restarted',
    'has 0 bytes of an upload that is to go on behind 31457280',
  ],
  [
    '{"level":"error","message":"invalid config: dedupe with remote storage requires a remote cache","error":"invalid server config"}',
    'says-zot-setting',
    'zot does not start with its configuration: invalid config: dedupe',
  ],
  [
    `{"errors":[{"status":403,"message":"The repository 'lids' rejected the artifact 'lids:tide/1/manifest.json' due to its include/exclude patterns"}]}`,
    'says-artifactory',
    'The repository lids of Artifactory does not take this path',
  ],
  [
    'OLocalPaginatedStorage - Available disk space is below the configured limit: 4096 MB, storage is in read-only mode',
    'says-nexus-space',
    'less room than it wants (4096 MB)',
  ],
  [
    'FATAL Unable to initialize backend: Drive /data returned an unexpected error: file access denied, please investigate - drive will be offline',
    'says-object-store',
    'cannot use its drive /data: file access denied',
  ],
  [
    "An error occurred (AuthorizationHeaderMalformed) when calling the PutObject operation: The authorization header is malformed; the region 'lid-1' is wrong; expecting 'lid-2'",
    'says-s3-answers',
    'refuses a request (PutObject): the request is signed for another region',
  ],
  [
    '<Error><Code>NoSuchBucket</Code><BucketName>lids</BucketName><RequestId>tx0</RequestId></Error>',
    'says-s3-answers',
    'it has no such bucket (lids)',
  ],
  [
    'botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: "https://store.fern.lan/lids"',
    'says-storage-not-reached',
    'cannot be reached at https://store.fern.lan/lids',
  ],
  [
    'azure.core.exceptions.ResourceNotFoundError: The specified container does not exist.',
    'says-storage-right',
    'Azure has no container of this name',
  ],
  [
    'message: could not check for object bucket claims: ObjectStorage component marked as managed, but `ObjectBucketClaims` API is not available',
    'says-quay-component',
    'the cluster has nothing that makes it: no API ObjectBucketClaims',
  ],
  [
    'FATA[0002] Failed to automatically acquire host FQDN, please set manually with --targetHostname. exit status 1',
    'says-no-fqdn',
    'cannot find the full name of this machine',
  ],
  [
    '{"errors":[{"code":"CONFLICT","message":"a previous scan process is running"}]}',
    'says-registry-body',
    'refuses the request (CONFLICT): a previous scan process is running',
  ],
  [
    'migration: Your database (migration version: 312) is for a newer Gitea, you can not use the newer database for this old Gitea release (280).',
    'says-database-schema',
    'than the one that runs (312)',
  ],
  [
    "404, message='Not Found', url=URL('https://depot.fern.lan/lids/repodata/repomd.xml')",
    'says-pulp',
    'https://depot.fern.lan/lids/repodata/repomd.xml is not there (404, Not Found)',
  ],
  [
    '{"access_time":"27/Jan/2026:09:21:37 +0000","upstream_cache_status":"MISS","method":"GET","uri":"/v2/lid/manifests/1","request_type":"manifest","status":"401","bytes_sent":"188","host":"depot.fern.lan","upstream":"10.6.6.4:443"}',
    'says-cache-answered',
    'depot.fern.lan answers 401 to what the cache passes on (GET /v2/lid/manifests/1)',
  ],
];

testSaidLines(
  SAID.map(([line, id, cause]) => ({ line, id, cause })),
  SERVER_READINGS,
);

testNearLines([
  ['LOG:  database system was shut down at 2026-03-02 10:11:12 UTC'],
  ['nginx: [emerg] host not found in upstream "lid:5000" in /etc/nginx/lid.conf:3'],
  ['Error: database "lid" is not known to the depot'],
  ['level=info msg="response completed" http.request.method=GET http.response.status=200'],
]);
