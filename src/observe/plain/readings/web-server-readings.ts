import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What an authority means by the code of its refusal. */
const ACME_SAYS: Readonly<Record<string, string>> = {
  dns: 'it does not find the name in the public DNS',
  connection: 'it does not reach this machine at the name, on port 80 or 443',
  unauthorized: 'what it is answered at the name is not the proof that it asked for',
  tls: 'it does not get on with the TLS of this machine',
  rejectedIdentifier: 'it signs no such name: public authorities take only names of the public DNS',
  caa: 'a CAA record of the name does not allow this authority',
  rateLimited: 'it was asked too often for this name or account',
};
const ACME_REMEDY =
  'It must reach the proof from where it stands: a public authority cannot without internet, nor for names that only the site knows. Use one inside (an ACME server or CA of the site), or the DNS challenge';

/** What Apache means by its codes, where its words alone do not say what to do. */
const APACHE_SAYS: Readonly<Record<string, string>> = {
  AH00957: 'it does not reach the server behind it',
  AH01102: 'the server behind it does not answer in time',
  AH01144: 'a module that it needs to pass this on is not loaded (proxy_http)',
  AH00037:
    'it does not follow this symbolic link (Options FollowSymLinks), or may not read where it leads',
  AH01618: 'it does not know this user',
  AH01617: 'the password of this user is wrong',
};

/** What web servers and balancers before a registry say, and authorities that they ask for certificates. */
export const WEB_SERVER_READINGS: readonly PlainReading[] = [
  {
    id: 'says-web-certificate',
    pattern:
      /cannot load certificate(?: key)? "(?<nginx>[^"]+)": (?:BIO_new_file|PEM_read_bio\w*)\(\) failed \(SSL:(?<why>.*(?:Permission denied|No such file|no start line|values mismatch|bad end line|bad password))|SSLCertificate(?:Key)?File: file '(?<apache>[^']+)' (?<empty>does not exist or is empty)|Certificate and private key \S+ from (?<crt>\S+) and (?<key>\S+) do not match/,
    cause: (found) => {
      const why = word(found, 'why') ?? '';
      const file = word(found, 'nginx', 'apache', 'key');
      if (word(found, 'crt') !== undefined || /mismatch/.test(why))
        return `The web server does not start: the key ${file} does not belong to the certificate${named(word(found, 'crt'))}`;
      if (/Permission/.test(why))
        return `The web server does not start: it may not read ${file} (owner and rights of the file or its folders, or SELinux)`;
      return /start line|end line|password/.test(why)
        ? `The web server does not start: ${file} is no PEM text that it can read${/password/.test(why) ? ' without a password' : ''}`
        : `The web server does not start: its certificate or key ${file} ${word(found, 'empty') ?? 'is not there'}`;
    },
    remedy:
      'Put a certificate with its chain and the key that belongs to it there, in PEM, readable for the server (in a container: under the path inside); "openssl x509 -noout -pubkey" and "openssl pkey -pubout" show whether they belong together',
  },
  {
    id: 'says-nginx-setting',
    pattern:
      /nginx: \[emerg\] (?!bind\(\)|host not found|cannot load certificate)(?<why>.{4,200}?) in (?<file>\/\S+?):(?<line>\d+)|adapting config using caddyfile: (?:parsing caddyfile tokens for '\w+': )?(?<caddyfile>\/?\S+?):(?<caddyline>\d+)(?: -)?:? (?<caddy>.{6,200})/,
    cause: (found) =>
      `The web server does not start: line ${word(found, 'line', 'caddyline')} of ${word(found, 'file', 'caddyfile')} is not taken: ${found.groups.why ?? found.groups.caddy}`,
    remedy:
      'Correct that line; "nginx -t" or "caddy validate" checks all of it. A directive that is unknown may need a module that is not installed; one that is "not allowed here" stands in the wrong block',
  },
  {
    id: 'says-apache',
    pattern:
      /(?<denied>\(13\)Permission denied: )?(?:\[client [^\]]+\] )?\b(?<code>AH00957|AH01102|AH01144|AH00037|AH01618|AH01617): (?<why>[^\n]{8,300})/,
    cause: (found) => {
      const { code = '', denied } = found.groups;
      const said = because(word(found, 'why'));
      return denied === undefined
        ? `The web server (Apache): ${APACHE_SAYS[code]}${said}`
        : `SELinux does not let the web server (Apache) connect to what is behind it${said}`;
    },
    remedy:
      'Correct it in its configuration ("httpd -t" checks it), or start what it passes requests on to; for SELinux "setsebool -P httpd_can_network_connect 1"',
  },
  {
    id: 'says-upstream-unnamed',
    pattern:
      /(?<![\w.-])(?<name>[\w.-]{1,253}) could not be resolved \((?<code>\d+): (?<why>[^)]+)\)|no resolver defined to resolve (?<asked>[\w.-]+)/,
    cause: (found) =>
      word(found, 'asked') === undefined
        ? `The web server (nginx) finds no address for ${word(found, 'name')} to pass requests on to (${word(found, 'why')})`
        : `The web server (nginx) is told no name server by which to look up ${word(found, 'asked')}`,
    remedy:
      'Set "resolver" in its configuration to a name server that knows the name (in containers 127.0.0.11, in a cluster the address of its DNS service); it does not read /etc/hosts for this',
  },
  {
    id: 'says-traefik',
    pattern:
      /permissions (?<mode>\d+) for (?<file>\/\S+) are too open, please use 600|(?:the router (?<router>\S+) uses a non-?existent (?:certificate )?resolver:? ?"?(?<resolver>[\w.@-]+))|(?<kind>middleware|service|entryPoint|TLS options?) \\?"(?<name>[^"\\]+)\\?" does not exist|service \\?"(?<ported>[^"\\]+)\\?" error: (?<port>port is missing|unable to find the IP address for the container \S+)|error while parsing rule (?<rule>.{3,200})/,
    cause: (found) => {
      const { file, mode, resolver, kind, name, ported, port, rule } = found.groups;
      if (file !== undefined)
        return `Traefik does not use ${file} and gets no certificates: others may read it (${mode})`;
      if (resolver !== undefined)
        return `Traefik has no certificate resolver ${resolver}, which the router ${word(found, 'router')} names, or left it out for an error that it told before`;
      if (kind !== undefined)
        return `Traefik has no ${kind} ${name}, which something else of it names`;
      return rule === undefined
        ? `Traefik does not know where to pass requests for ${ported} on to: ${port}`
        : `A rule of Traefik cannot be read: ${word(found, 'rule')}`;
    },
    remedy:
      'Correct the labels or the file of the dynamic configuration ("name@docker", "name@file" say where it is defined; "loadbalancer.server.port" names the port); acme.json needs mode 600',
  },
  {
    id: 'says-acme-refused',
    pattern:
      /acme:error:(?<code>dns|connection|unauthorized|tls|rejectedIdentifier|caa|rateLimited|malformed)\b(?!.*\bTXT\b)\W{0,6}(?:title":"[^"]*","detail":")?(?<why>[^\n]{5,240})|Detail: (?:[\da-fA-F.:]+: )?(?<detail>(?:DNS problem: (?!.*\bTXT\b)|Fetching http|Invalid response from|no valid A records|CAA record|During secondary validation|Timeout during connect|Connection refused).{4,200})/,
    cause: (found) => {
      const meant = ACME_SAYS[word(found, 'code') ?? codeOf(word(found, 'detail') ?? '')];
      return `The authority does not issue the certificate${meant === undefined ? '' : `: ${meant}`}${because(word(found, 'why', 'detail')?.replace(/\\?"[\s}]*$/, ''))}`;
    },
    remedy: ACME_REMEDY,
  },
  {
    id: 'says-acme-client',
    pattern:
      /(?<plugin>The requested [\w-]+ plugin does not appear to be installed)|NS (?<server>\S+?)\.? did not return the expected TXT record \[fqdn: (?<record>\S+?)\.?,|Could not bind TCP port (?<port>\d+) because (?:it is already in use|you don't have)|too many (?<many>certificates|failed authorizations|new orders|registrations)\b.{0,80}(?:already issued|recently|in the last)/,
    cause: (found) => {
      const { plugin, server, port } = found.groups;
      if (plugin !== undefined) return `${plugin} with certbot`;
      if (server !== undefined)
        return `The record ${word(found, 'record')} that is to prove the name is not at its name server ${server} (yet)`;
      return port === undefined
        ? `The authority gives out no more for this name for now: too many ${word(found, 'many')}`
        : `certbot cannot listen on port ${port} itself: another program does, or it may not`;
    },
    remedy:
      'Install the plugin of the web server or DNS service; look that the record is made in the right zone, and wait longer for it; stop the web server for that time, or use --webroot; against limits try with the staging address of the authority first',
  },
];

/** Which of the codes the words of certbot are of. */
const codeOf = (detail: string): string =>
  [
    ['dns', /^DNS problem|no valid A/],
    ['connection', /Timeout|refused|unreachable|reset/],
    ['caa', /^CAA/],
    ['unauthorized', /Invalid response/],
  ].find(([, words]) => (words as RegExp).test(detail))?.[0] as string;
