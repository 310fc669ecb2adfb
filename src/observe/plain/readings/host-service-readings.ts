import { because, named, type PlainReading, word } from '../plain-reading.ts';
import { type Meanings, meant } from './meanings.ts';

const NGINX: Meanings = [
  [/nginx\.pid|PID number/, 'no nginx runs that could be told so'],
  [/no such file|\(2: /i, 'a file that it names is not there'],
  [/permission denied/i, 'it may not use a file (run it as root; else its rights, or SELinux)'],
  [/key values mismatch/, 'the private key does not belong to the certificate'],
  [/hash_bucket_size/, 'a name is longer than its table takes: raise that setting'],
  [/instead of/, 'a module is of another version of nginx'],
];

const HTTPD: Meanings = [
  [/misspelled/, 'the word is misspelt, or its module is not loaded'],
  [/at least one certificate/, 'the virtual host has TLS switched on and no certificate'],
];

const KEEPALIVED: Meanings = [
  [/Cant send advert/, 'a firewall on this machine keeps the packets of VRRP back (protocol 112)'],
  [/regular non-executable/, 'it has the right to be executed, or is no plain file: "chmod 0644"'],
  [/track script|script '/, 'the check is left out, so a dead service behind it is not noticed'],
];

const KEA: Meanings = [
  [/ALLOC_FAIL/, 'the pools of that subnet are used up, or none fits the client'],
  [/OPEN_SOCKET_FAIL/, 'it cannot listen on that network card'],
  [/PARSER|CONFIG|INIT_FAIL/, 'its configuration is not taken'],
];

/** What servers around a cluster say of what they serve and whom they ask. */
export const HOST_SERVICE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-nginx',
    pattern:
      /nginx: \[(?:emerg|alert|crit|error)\] (?<why>(?!.{0,300}no start line|PEM_read_bio|bind\(\)|mkdir\(\)|getpwnam|unknown directive|host not found in upstream).{8,300})/,
    cause: (found) => {
      const means = meant(found.groups.why, NGINX);
      return `nginx does not do it: ${word(found, 'why')}${means === undefined ? '' : ` (${means})`}`;
    },
    remedy:
      '"sudo nginx -t" checks the configuration and names file and line; correct that, then "systemctl restart nginx"',
  },
  {
    id: 'says-httpd',
    pattern:
      /AH0(?:2572|2577|2201): (?<why>.{8,240})|(?<word>Invalid command '[^']+', perhaps misspelled or defined by a module not included)/,
    cause: (found) => {
      const why = word(found, 'why', 'word') ?? '';
      const means = meant(why, HTTPD);
      return `httpd does not start with its configuration: ${why}${means === undefined ? '' : ` (${means})`}`;
    },
    remedy:
      '"apachectl configtest" names file and line; correct the path or make the file, or install the module (mod_ssl), then start httpd again',
  },
  {
    id: 'says-not-served',
    pattern:
      /AH01630: client denied by server configuration: (?<denied>\S+)|AH01276: Cannot serve directory (?<listing>[^\s:]+)|AH0(?:0035|0132): (?:access to \S+ denied \(filesystem path '(?<search>[^']+)'\)|file permissions deny server access: (?<rights>\S+))/,
    cause: (found) => {
      const rights = word(found, 'search', 'rights');
      if (rights !== undefined)
        return `httpd may not read ${rights}: rights of the file or of a folder above it, or SELinux`;
      return word(found, 'denied') === undefined
        ? `httpd lists no directories, and ${word(found, 'listing')} has no index page`
        : `The configuration of httpd does not let this client have ${word(found, 'denied')}`;
    },
    remedy:
      'Allow it ("Require all granted" for that <Directory>, "Options Indexes" for listings), give read rights down to the file, and "restorecon -Rv" the folder',
  },
  {
    id: 'says-keepalived',
    pattern:
      /(?:Keepalived(?:_\w+)?\[\d+\]: |^\s*(?=Unsafe permissions found for script))(?:\(Line (?<line>\d+)\) )?(?<why>\(\S+\) Cant send advert to .{4,80}|Configuration file '[^']+' is not a regular non-executable file|Disabling track script \S+ since .{4,60}|Unsafe permissions found for script '[^']+'|\(\S+\) the virtual id must be .{4,60}|IPVS: Can't initialize ipvs: .{4,60}|(?<=\(Line \d+\) )(?!Unknown keyword|.{0,120}for vrrp_instance|\S+ interface \S+ doesn't exist).{8,160})/,
    cause: (found) => {
      const means = meant(found.groups.why, KEEPALIVED);
      return `keepalived does not do what it is set up for${because(word(found, 'line') && `line ${word(found, 'line')} of its configuration`)}: ${word(found, 'why')}${means === undefined ? '' : ` (${means})`}`;
    },
    remedy:
      '"keepalived -t" checks the configuration; scripts must belong to root and be writable by nobody else; allow VRRP in the firewall ("firewall-cmd --add-protocol=vrrp"), and load ip_vs where virtual servers are used',
  },
  {
    id: 'says-forwarder',
    pattern:
      /\b(?<why>(?:REFUSED|SERVFAIL|NOTIMP|FORMERR) unexpected RCODE|connection refused|timed out|host unreachable|broken trust chain) resolving '(?<name>[^'/]{2,255})\/\w+\/IN': (?<server>[\d.a-f:]+)#\d+/,
    cause: (found) =>
      `The name server ${word(found, 'server')}, which this one asks, does not answer for ${word(found, 'name')} (${word(found, 'why')})`,
    remedy:
      'Ask that server itself ("dig @SERVER NAME"): it must run, let this machine ask it (recursion, allow-query), and know the zone; else name another one as forwarder',
  },
  {
    id: 'says-queries-pile-up',
    pattern:
      /Maximum number of concurrent DNS queries(?: to (?<server>\S+))? reached|no more recursive clients/,
    cause: (found) =>
      `The name server waits for as many answers as it may: those that it asks itself${because(word(found, 'server'))} do not answer, or ask it in turn`,
    remedy:
      'Ask each of its forwarders ("dig @SERVER NAME"), and take out those that do not answer from here; only then raise the limit (dns-forward-max, recursive-clients)',
  },
  {
    id: 'says-name-server-control',
    pattern:
      /rndc: connect failed: (?<end>\S+?): (?<why>.{4,60})|rndc: connection to remote host closed|couldn't add command channel (?<taken>\S+): (?<said>.{4,60})/,
    cause: (found) =>
      word(found, 'end') !== undefined
        ? `named does not listen for rndc at ${word(found, 'end')} (${word(found, 'why')}): it does not run, or has no control channel there`
        : word(found, 'taken') !== undefined
          ? `named cannot be controlled by rndc: it does not get ${word(found, 'taken')} (${word(found, 'said')})`
          : 'named does not accept the key of rndc, its clock is another, or the machine may not control it',
    remedy:
      '"systemctl status named", and whether another named has the port ("ss -ltnp"); "rndc-confgen -a" makes a key for both',
  },
  {
    id: 'says-zone-request-denied',
    pattern:
      /client @?\S+ (?<client>[\d.a-f:]+)#\d+.{0,80}: (?:zone transfer '(?<transfer>[^']+)' denied|update '(?<update>[^']+)' denied|request has invalid signature: (?<key>.{4,120}))|transfer of '(?<zone>[^']+)' from (?<from>\S+): failed while receiving responses: (?<why>.{3,40})|update failed: (?<answer>REFUSED|NOTAUTH(?:\([A-Z]+\))?|SERVFAIL|NOTZONE|BADKEY)/,
    cause: (found) => {
      if (word(found, 'answer') !== undefined)
        return `The name server does not take the update (${word(found, 'answer')}): ${/KEY|SIG|AUTH/.test(found.groups.answer ?? '') ? 'it does not know the key that signs it, or does not have the zone' : 'this client or key may not change the zone'}`;
      if (word(found, 'zone') !== undefined)
        return `The zone ${word(found, 'zone')} is not handed over by ${word(found, 'from')} (${word(found, 'why')})`;
      return word(found, 'key') === undefined
        ? `The name server does not let ${word(found, 'client')} ${word(found, 'transfer') === undefined ? `change ${word(found, 'update')}` : `have ${word(found, 'transfer')}`}`
        : `The name server does not accept the signature of ${word(found, 'client')} (${word(found, 'key')}): key, algorithm or clock differ`;
    },
    remedy:
      'Compare name, algorithm and secret of the key on both sides and their clocks; add client or key to allow-transfer, allow-update or update-policy of the zone',
  },
  {
    id: 'says-dhcp-server',
    pattern:
      /DHCP(?:DISCOVER|REQUEST)\b.{0,80} via (?<relay>\S+): unknown network segment|No subnet declaration for (?<card>\S+) \((?<address>[^)]+)\)|DHCP(?:DISCOVER|REQUEST)\b.{0,40} from (?<unknown>[\da-f:]{17}) .{0,80}: unknown client|(?<range>bad range, address \S+ not in subnet \S+ netmask \S+)|(?<twice>There's already a DHCP server running)/,
    cause: (found) => {
      if (word(found, 'twice') !== undefined)
        return 'The DHCP server does not start: another one runs on this machine, or its pid file is left over';
      if (word(found, 'unknown') !== undefined)
        return `The DHCP server gives addresses to known machines only, and knows none with the MAC address ${word(found, 'unknown')}`;
      if (word(found, 'range') !== undefined)
        return `The configuration of the DHCP server is wrong: ${word(found, 'range')}`;
      return word(found, 'relay') === undefined
        ? `The DHCP server has no subnet declared for the network of ${word(found, 'card')} (${word(found, 'address')})`
        : `The DHCP server has no subnet declared for the network that ${word(found, 'relay')} is in, from where it is asked`;
    },
    remedy:
      'Declare the subnet with its range ("subnet … netmask … { range … }"), or the machine with its MAC address ("host NAME { hardware ethernet …; fixed-address …; }"), check with "dhcpd -t", and restart the server',
  },
  {
    id: 'says-reserved-address',
    pattern:
      /not using configured address (?<address>[\d.a-f:]+\w) because it (?<why>(?:is leased to|was previously declined|is in use by) ?.{0,60})/,
    cause: (found) =>
      `dnsmasq does not give a machine the address ${word(found, 'address')} that is reserved for it, because it ${word(found, 'why')}: the machine gets another one, or none`,
    remedy:
      'Leased: the machine was made anew with another MAC address, or two have that reservation; stop dnsmasq, remove the line of the address from its leases (/var/lib/dnsmasq/dnsmasq.leases, of libvirt /var/lib/libvirt/dnsmasq), start it. Declined or in use: another machine answers for the address ("arping ADDRESS")',
  },
  {
    id: 'says-zone-record-ignored',
    isGeneral: true,
    pattern: /(?<file>[\w./-]+):(?<line>\d+): ignoring out-of-zone data \((?<name>[^)]{1,120})\)/,
    cause: (found) =>
      `Line ${word(found, 'line')} of the zone file ${word(found, 'file')} is left out, so the name is not answered: ${word(found, 'name')} does not lie in that zone`,
    remedy:
      'Write the name without the domain, or with the one of this zone and a dot at its end (look at $ORIGIN, too); a record of another domain belongs into its own zone. Then raise the serial and "rndc reload"',
  },
  {
    id: 'says-balancer-check',
    isGeneral: true,
    pattern:
      /Server (?<server>\S+) is DOWN, reason: (?<why>Layer7 wrong status, code: 4\d\d|Layer[67] invalid response)/,
    cause: (found) =>
      `The check of the load balancer does not accept what ${word(found, 'server')} answers (${word(found, 'why')}): ${/status/.test(found.groups.why ?? '') ? 'the server is there, and does not hand out the path that is asked for' : 'check and server do not speak the same, TLS and plain text'}`,
    remedy:
      'Ask for "/readyz" on 6443, "/healthz" on 22623 and "/healthz/ready" on 1936 of the routers (plain HTTP), the first two by TLS ("option httpchk GET /readyz HTTP/1.0", "check check-ssl verify none"); a plain check of the port ("check" alone) does for 22623, 443 and 80',
  },
  {
    id: 'says-kea',
    pattern:
      /(?:ERROR|FATAL|WARN) +\[kea-(?<server>[\w-]+)\.[\w.-]+\/[\d.x a-f]+\] (?<code>[A-Z0-9_]*(?:FAIL|PARSER|CONFIG|ERROR|INVALID)[A-Z0-9_]*)(?: (?<why>.{4,300}))?/,
    cause: (found) => {
      const means = meant(found.groups.code, KEA);
      return `Kea (${word(found, 'server')}) tells ${word(found, 'code')}${means === undefined ? '' : `: ${means}`}${because(word(found, 'why'))}`;
    },
    remedy:
      '"kea-dhcp4 -t FILE" checks the configuration; look at the network card that it names ("ip -br address") and at the size of the pools',
  },
  {
    // Once is an ordinary answer, by which the program slows down.
    id: 'says-time-too-often',
    isGeneral: true,
    pattern: /Received KoD RATE from (?<server>\S+)/,
    cause: (found) =>
      `The time server ${word(found, 'server')} answers that it is asked too often (KoD RATE), and gives no time meanwhile`,
    remedy:
      'Raise minpoll and maxpoll of that server in chrony.conf (the defaults are 6 and 10), leave iburst out on machines that start often, or use a time server of the site',
  },
  {
    id: 'says-profile-not-up',
    isGeneral: true,
    pattern:
      /Error: (?:Connection activation failed|Failed to (?:add|modify)(?: connection)? '(?<profile>[^']+)'(?: connection)?): (?<why>(?!.{0,20}dependency of the connection).{6,240})/,
    cause: (found) =>
      `NetworkManager does not bring up or take the connection${named(word(found, 'profile'))}: ${word(found, 'why')}`,
    remedy:
      '"nmcli device" and "journalctl -u NetworkManager -n 50" tell which card and why; correct the profile ("nmcli connection show NAME"), the cable or the switch',
  },
];
