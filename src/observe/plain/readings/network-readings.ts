import { at, because, named, type PlainReading, word } from '../plain-reading.ts';

/** Names, connections and TLS. The more specific stand first: the first that fits a line speaks for it. */
export const NETWORK_READINGS: readonly PlainReading[] = [
  {
    id: 'says-socket-denied',
    pattern: /(?<!listen on \w{2,4} )socket: (?:permission denied|operation not permitted)/i,
    cause: () =>
      'The machine forbids the program to open a connection: the rights of its container, a sandbox or a security module',
    remedy:
      'Run it outside of that container or with the right to use the network; "ausearch -m avc" and the log of AppArmor tell who forbade it',
  },
  {
    id: 'says-ipxe-protocol',
    pattern:
      /(?<url>(?<scheme>https?|nfs|ftp|tftp|iscsi|ib):\S{2,300}?)\.{2,6} ?Operation not supported \(https?:\/\/ipxe\.org\/3c/,
    cause: (found) =>
      `This iPXE cannot fetch ${word(found, 'url')}: it was built without that protocol (${word(found, 'scheme')}), or the server sends it on to one that it was built without (https)`,
    remedy:
      'Chain to an iPXE that has it (its banner lists the features), or serve the file by plain http without a redirect',
  },
  {
    id: 'says-proxy-answers',
    pattern: /Received HTTP code (?<status>[45]\d\d) from proxy/,
    cause: (found) =>
      `It is the proxy that answers (${word(found, 'status')}), not whom was asked: it does not let the connection through, or does not get there`,
    remedy:
      'Add what the proxy is not for (hosts, the service and pod networks) to no_proxy; else have the proxy let it pass',
  },
  {
    id: 'says-connect-denied',
    pattern: /dial (?:tcp|udp)\S* \S+: connect: (?:permission denied|operation not permitted)/,
    cause: (found) =>
      `This machine itself does not let the connection to ${at(found)} out: a firewall or a route on it forbids that`,
    remedy:
      'Look at its own rules ("nft list ruleset", "iptables -S OUTPUT") and routes that prohibit ("ip route get ADDRESS")',
  },
  {
    id: 'says-internet-asked',
    isOfInternet: true,
    pattern:
      /connection refused|no route to host|network is unreachable|i\/o timeout|(?:connection|operation) timed out|context deadline exceeded|Client\.Timeout|no such host|Temporary failure in name resolution|: Try again\b|lame referral|server misbehaving|Could not resolve/i,
    cause: (found) =>
      `${found.end?.name ?? 'A registry'} is on the internet and cannot be reached from here: without internet, what it has must come from a mirror`,
    remedy:
      'Mirror it and lead there who asks (mirror sets, registries.conf, the pause image in the configuration of the runtime); where there is a way out, look at proxy and DNS',
  },
  {
    id: 'says-member-silent',
    pattern:
      /(?<member>\S+) is unhealthy: failed to connect: .{0,80}(?:timed out|deadline exceeded|refused)/i,
    cause: (found) => `${word(found, 'member')} does not answer, where others are asked, too`,
    remedy:
      'Look whether it runs on that machine and listens at its port, and whether a firewall is between them',
  },
  {
    id: 'says-acme-record',
    pattern:
      /(?:No TXT record found at|NXDOMAIN looking up TXT for) (?<name>_acme-\S{0,80}?)(?:["'\\ ,]|$)/i,
    cause: (found) =>
      `The authority that is to sign the certificate does not find the TXT record ${word(found, 'name')} in the public DNS`,
    remedy:
      'Look whether the record was made in the zone that the internet asks, and wait until all of its name servers have it',
  },
  {
    id: 'says-dns-answer-unread',
    pattern:
      /lookup (?<name>[\w.*-]+)(?: on (?<server>\S+?))?: (?:cannot|can't) (?<what>un)?marshal DNS message|Can't find (?<asked>[\w.-]+): Parse error/i,
    cause: (found) =>
      word(found, 'name') !== undefined && word(found, 'what') === undefined
        ? `The name ${word(found, 'name')} cannot be asked for as it is (a part of a name has at most 63 characters), or the program does not cope with the DNS messages of${named(word(found, 'server') ?? 'its server')}`
        : `The answer of the name server${named(word(found, 'server'))} for ${word(found, 'name', 'asked')} cannot be read: mostly it is longer than the program takes by UDP (512 bytes)`,
    remedy:
      'Compare with "dig NAME" and "dig +bufsize=512 NAME"; let the server send less (bufsize of its forwarder), or use a program that asks again by TCP',
  },
  {
    id: 'says-name-server-fails',
    pattern:
      /lookup (?<name>[\w.*-]+) on (?<server>\S+?):? .*(?:i\/o timeout|connection refused|(?<fails>server misbehaving|lame referral)|no route to host|network is unreachable)|lookup (?<again>[\w.*-]+): Try again\b|read udp \S+->(?<udp>\S+):53: i\/o timeout|communications error to (?<asked>\S+?)[:#]\d*:? .*timed out|no servers could be reached/i,
    cause: (found) =>
      `The name server${named(word(found, 'server', 'asked', 'udp'))} ${word(found, 'fails') === undefined ? 'does not answer' : 'answers with a failure'}${because(word(found, 'name', 'again'))}`,
    remedy:
      'Look at the name servers of this machine (resolv.conf, DHCP, NetworkManager), and whether port 53 of them is open to it',
  },
  {
    id: 'says-name-is-no-name',
    pattern:
      /lookup (?<name>false|true|null|none|nil|undefined)\.?(?: on \S+)?: no such host|could not resolve host(?:name)?:? ?["'‘]?(?<curl>false|true|null|none|nil|undefined)\b(?![.-])|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<node>false|true|null|none|nil|undefined)\b(?![.-])|(?:lookup|could not resolve host(?:name)?:|UnknownHostException:) (?<unset>\$\{?\w+\}?)|could not resolve hostname (?<template>[^:"\s][^:"]{0,80}(?:\{\{|\| ?\w)[^:"]{0,80})/i,
    cause: (found) =>
      `Where the name of a host should be, the settings have the word "${word(found, 'name', 'curl', 'node', 'unset', 'template')}": a value is empty there, or was written wrongly`,
    remedy:
      'Correct the host name in the settings of the program that asks (its kubeconfig, inventory, variables or template), not in the DNS',
  },
  {
    // What getaddrinfo says where no answer came: the name may well be known.
    id: 'says-name-unanswered',
    pattern:
      /getaddrinfo EAI_AGAIN (?<node>[\w.-]+)|(?<name>[\w-]+\.[\w.-]+)['"’]?:? Temporary failure in name resolution|Temporary failure (?:in name resolution|resolving '(?<apt>[^']+)')/i,
    cause: (found) =>
      `The name${named(word(found, 'node', 'name', 'apt') ?? found.end?.name)} cannot be looked up: no name server answers the machine or container that asked`,
    remedy:
      'Look at /etc/resolv.conf there, whether the name servers in it are the right ones, and whether they are reached (network, route, port 53); a container may see others than its host',
  },
  {
    id: 'says-name-unknown',
    pattern:
      /lookup (?<name>[\w.*-]+)(?: on \S+)?: no such host|could not resolve (?!address of|symbol|module|reference|dependenc)(?:(?:host(?:name)?(?: address)?|proxy|member|peer|server):? ?)?["'‘]?(?<curl>[\w.*-]+)|(?:getaddrinfo ENOTFOUND (?<node>[\w.-]+))|(?<ssh>(?<![\w.-])(?!information:)[\w.-]+): (?:Name or service not known|nodename nor servname)|Name or service not known|unable to resolve host address ["'‘]?(?<wget>[\w.-]+)|UnknownHostException: (?<java>[\w.-]+)|NXDOMAIN/i,
    cause: (found) =>
      `The name${named(word(found, 'name', 'curl', 'node', 'ssh', 'wget', 'java') ?? found.end?.name)} is not known to the name servers of the machine that asked${word(found, 'curl', 'wget', 'java') === undefined ? '' : ', or they do not answer'}`,
    remedy:
      'Make a record for it in the DNS that this machine asks, or correct the name; "dig NAME" on that machine shows what it is answered',
  },
  {
    id: 'says-network-not-up',
    pattern:
      /(?:NetworkManager|systemd-networkd)-wait-online\.service: (?:Failed with result|Main process exited)|Failed to start Network ?Manager Wait Online|(?:Dependency failed for|Timed out waiting for) Network is Online|\/tmp\/net\.(?<card>[\w.:-]{1,40})\.did-setup/i,
    cause: (found) =>
      `No network connection of this machine${because(word(found, 'card'))} came up in time, so what starts behind it has no network`,
    remedy:
      'Look at the cards and their cables ("ip -br link"), at what gives them an address (DHCP, ip= of the kernel, profiles: "nmcli device", "journalctl -u NetworkManager")',
  },
  {
    id: 'says-plain-http',
    pattern:
      /server gave HTTP response to HTTPS client|first record does not look like a TLS handshake|wrong version number|SSL routines:[^:]*:http request|oversized record received with length 20527|plaintext connection/i,
    cause: (found) => `${at(found)} speaks plain HTTP where TLS is expected`,
    remedy:
      'Serve TLS there, correct the port, or look whether a proxy or load balancer in between answers instead',
  },
  {
    id: 'says-tls-expected',
    pattern:
      /Client sent an HTTP request to an HTTPS server|plain HTTP request was sent to HTTPS port|(?<way>https:\/\/\S+ (?:(?!http:\/\/).){0,120})?malformed HTTP response (?<!x509: .{0,400})\\*"\\*x15/i,
    cause: (found) =>
      found.groups.way === undefined
        ? `${at(found)} wants TLS, and was asked by plain HTTP`
        : `What stands on the way to ${at(found)} (most often a proxy) wants TLS, and was asked by plain HTTP`,
    remedy: 'Ask it by https://',
  },
  {
    id: 'says-certificate-time',
    pattern:
      /certificate has expired or is not yet valid(?::? current time (?<now>\S+) is (?<side>after|before) (?<limit>[\w:.+-]+))?|certificate (?:has|is) expired|\bcerts? (?:have|has) expired|(?<early>certificate is not (?:valid yet|yet valid))|SSL certificate problem: certificate (?:has expired|is not yet valid)|chain uses expired certificate|(?<ahead>chain uses not yet valid certificate)/i,
    cause: (found) =>
      word(found, 'side') === 'before' || word(found, 'early', 'ahead') !== undefined
        ? `The certificate of ${at(found)} begins later than this machine's clock says: a clock is wrong`
        : `The certificate of ${at(found)} has expired${because(word(found, 'limit'))}, or the clock of this machine is ahead`,
    remedy:
      'Compare the clocks ("chronyc tracking"), then renew the certificate; certificates of an installation that was interrupted end after 24 hours: begin it anew',
  },
  {
    id: 'says-certificate-old-name',
    pattern:
      /relies on (?<legacy>legacy Common Name)|certificate is not valid for any names(?:, but wanted to match (?<wanted>[\w.-]+))?/i,
    cause: (found) =>
      word(found, 'legacy') === undefined
        ? `The certificate of ${at(found)} carries no name at all that programs compare (subjectAltName)${because(word(found, 'wanted') && `asked as ${word(found, 'wanted')}`)}`
        : `The certificate of ${at(found)} has its name only as Common Name, which programs no longer read: it has no subjectAltName`,
    remedy:
      'Make a certificate whose subjectAltName has every name and address by which it is asked',
  },
  {
    id: 'says-certificate-name',
    pattern:
      /certificate is valid for (?<names>.*?), not (?<name>[\w.:*-]+)|doesn't contain any IP SANs|\b(?:hostname|name)s? (?:mismatch|does not match)|no alternative certificate subject name matches|ERR_TLS_CERT_ALTNAME_INVALID/i,
    cause: (found) =>
      `The certificate of ${at(found)} does not carry the name${named(word(found, 'name'))} by which it is asked${because(word(found, 'names'))}`,
    remedy:
      'Ask by a name of the certificate, or make one whose subjectAltName has this name or address',
  },
  {
    id: 'says-webhook-untrusted',
    pattern:
      /failed calling webhook "(?<name>[^"]+)".*(?:signed by unknown authority|certificate is not (?:trusted|valid)|self[- ]signed certificate)/i,
    cause: (found) =>
      `The API does not trust the certificate of ${at(found)}, which serves the webhook ${word(found, 'name')}: the caBundle of its configuration is not the authority that signed it`,
    remedy:
      'Let the operator or the service CA write caBundle anew (annotation service.beta.openshift.io/inject-cabundle, or of cert-manager), and see that the pods serve the certificate of that authority',
  },
  {
    id: 'says-certificate-weak',
    pattern:
      /\b(?<which>ca|ee) (?:(?<what>md)|(?:certificate )?key|signature (?<digest>digest) algorithm) too (?:weak|small)/i,
    cause: (found) =>
      `The certificate of ${word(found, 'which')?.toLowerCase() === 'ca' ? `an authority of ${at(found)}` : at(found)} is ${word(found, 'what', 'digest') !== undefined ? 'signed by a digest (SHA-1, MD5)' : 'of a key'} that the policy of this machine holds for too weak`,
    remedy:
      'Have it made anew (SHA-256, RSA with 2048 bits or more); until then a weaker policy takes it ("update-crypto-policies --set LEGACY", or SECLEVEL of OpenSSL)',
  },
  {
    id: 'says-authority-unknown',
    pattern:
      /signed by unknown authority|x509: certificate sign\w*$|unable to get local issuer certificate|(?<!(?:creat|generat|us|mak)\w{0,4} (?:an? |the |your )?)self[- ]signed certificate|certificate verify failed|CERTIFICATE_VERIFY_FAILED|PKIX path building failed|unable to verify the first certificate|server certificate verification failed|certificate of '[^']+' (?:is not trusted|doesn't have a known issuer)|SSL certificate problem(?!: (?:EE|CA) (?:certificate key|md|signature digest algorithm) too|: (?:certificate (?:has|is)|unable to get certificate CRL|IP address mismatch|hostname mismatch))/i,
    cause: (found) =>
      `The authority that signed the certificate of ${at(found)} is not trusted here`,
    remedy:
      'Give its CA to the program or machine that asks (trust bundle, --cacert, update-ca-trust); where a proxy opens TLS, the CA of the proxy',
  },
  {
    id: 'says-certificate-refused',
    pattern:
      /remote error: tls: (?<why>bad certificate|unknown certificate(?: authority)?|certificate required|expired certificate)/i,
    cause: (found) =>
      `${at(found)} does not accept the certificate that it is shown${because(word(found, 'why'))}: it does not know its authority, the certificate is out of date or for another name, or there is none`,
    remedy:
      'Compare the certificate of this side with the CA that the other side trusts ("openssl x509 -noout -issuer -dates"); the log of the other side says which it is',
  },
  {
    id: 'says-tls-refused',
    pattern:
      /tls: handshake failure|remote error: tls: |sslv3 alert|no protocols available|unsupported protocol|no cipher suites? |TLS handshake timeout/i,
    cause: (found) => `${at(found)} and this machine do not come to a TLS connection`,
    remedy:
      'Compare versions and ciphers of TLS on both sides ("openssl s_client -connect HOST:PORT"), and look for a firewall or proxy that breaks it off',
  },
  {
    id: 'says-socket-silent',
    pattern:
      /dial unix:? ?(?:\/\/(?=\/))?(?<socket>\/[\w./-]+):? .*(?:timeout|connection refused|no such file)/i,
    cause: (found) =>
      `Nothing answers at the socket ${word(found, 'socket')}: the service behind it does not run, or listens at another one`,
    remedy:
      'Look whether the service runs, and which socket it was told to make; name that one (--address, --runtime-endpoint, CONTAINER_HOST)',
  },
  {
    id: 'says-server-down',
    // That one of several is gone may be wanted, and the bootstrap machine goes in the end.
    pattern:
      /Server (?<name>(?!\S*bootstrap)[^\s/]+\/\S+) is DOWN\b(?!, reason: Layer(?:7 wrong status, code: 4|[67] invalid))(?!.*\b[1-9]\d* active and \d+ backup)(?:, reason: (?<why>[^,]{3,60}))?/,
    cause: (found) =>
      `The load balancer takes its server${named(word(found, 'name'))} for down${because(word(found, 'why'))}: ${/^Layer[67]/.test(word(found, 'why') ?? '') ? 'what answers at the port is not what its check wants' : 'nothing serves the port that it checks there'}`,
    remedy:
      'Look whether the service runs on that machine and listens at the port, at the address in the configuration of the load balancer, and at the firewall between them',
  },
  {
    // docker takes the address off what it says of an upload: that it asks is the registry's own word.
    id: 'says-upload-elsewhere',
    pattern:
      /^(?:error: )?dial tcp (?<address>\S+:\d+): (?:\w+: )?(?:connection refused|no route to host|i\/o timeout|connection timed out)$/i,
    after: /\b[0-9a-f]{12}: (?:Pushing|Retrying|Pushed|Layer already exists)/,
    cause: (found) =>
      `The push had begun, and is then led to ${word(found, 'address')}, where nothing answers: the registry names that address for uploads, or stopped meanwhile`,
    remedy:
      'Where it is not the address that is pushed to: tell the registry by which name and port it is reached (REGISTRY_HTTP_HOST, or Host and X-Forwarded-Proto from the proxy before it)',
  },
  {
    // Layers of the same push went through: the other end is there, and is too slow for what is asked of it.
    id: 'says-upload-stalls',
    pattern:
      /^(?:error: )?(?:net\/http: )?(?:request canceled .{0,60}Client\.Timeout|TLS handshake timeout|timeout awaiting response headers|(?:Put|Patch|Post) \S+ .{0,120}(?:Client\.Timeout|i\/o timeout))/i,
    after: /\b[0-9a-f]{12}: (?:Pushing|Retrying|Pushed|Layer already exists)/,
    cause: ({ end }) =>
      `The push had begun, and single requests of it get no answer in time: the way to ${end?.text ?? 'the registry'} is too slow for all that is sent at once, or something before it ends what takes long`,
    remedy:
      'Push fewer layers at once ("max-concurrent-uploads" of docker, --parallel-layers), from a machine nearer to it, and look at the time limits of proxies in between',
  },
  {
    id: 'says-leads-to-itself',
    pattern:
      /https?:\/\/(?<name>(?!localhost|host\.|\S*crc\.testing)[a-z][\w-]*\.[\w.-]*[a-z])(?::\d+)?[/"].{0,300}?dial tcp (?<address>127\.[\d.]+|\[::1\]):(?<port>\d+): connect: connection refused/i,
    cause: (found) =>
      `${word(found, 'name')} leads to the machine that asks itself (${word(found, 'address')}), where nothing listens at port ${word(found, 'port')}`,
    remedy:
      'Look at /etc/hosts and at the name server of that machine or pod: the name must lead to the machine that serves it',
  },
  {
    id: 'says-refused',
    pattern: /connection refused|ECONNREFUSED|actively refused/i,
    cause: (found) => `Nothing listens at ${at(found)}: the connection is refused`,
    remedy:
      'Look whether that service runs and listens at this address and port ("ss -ltn" there), and whether the name leads to the right machine',
  },
  {
    id: 'says-no-route',
    pattern:
      /no route to host|network is unreachable|host is unreachable|EHOSTUNREACH|ENETUNREACH|Destination Host Unreachable/i,
    cause: (found) =>
      `There is no way to ${at(found)}: no route, the machine is off, or a firewall rejects`,
    remedy:
      'Look whether the machine is up and has this address, at the route to it ("ip route get ADDRESS") and at the firewall of it',
  },
  {
    id: 'says-unanswered',
    pattern:
      /dial (?:tcp|udp)\S* \S+: (?:connect: )?(?:i\/o timeout|(?:connection|operation) timed out|operation was canceled)|(?:connect|connection)(?: to .{1,80})? timed out|timed out when dialing|ETIMEDOUT|Client\.Timeout exceeded while awaiting headers|net\/http: (?:request canceled|timeout awaiting)|https?:\/\/\S+: (?:operation |request )?timed out|https?:\/\/\S+ .{0,80}(?:context deadline exceeded|i\/o timeout)/i,
    cause: (found) => `${at(found)} does not answer: the connection times out`,
    remedy:
      'Look whether a firewall or security group drops packets on the way, whether a proxy is needed, and whether the machine is up',
  },
  {
    id: 'says-no-preface',
    pattern: /before server preface received|error reading server preface/,
    cause: (found) =>
      `${at(found)} closes the connection before it speaks: most often it wants TLS, or a client certificate, and was asked without`,
    remedy:
      'Ask by https, with the authority, certificate and key of a client (for etcd: run etcdctl in its pod, which has them set); or it is another service that listens there',
  },
  {
    id: 'says-cut',
    pattern:
      /(?<!caused.{0,80}read \S{1,12}: )connection reset by peer|ECONNRESET|broken pipe|(?:https?:\/\/|\b(?:Get|Post|Put|Head|Patch|Delete)\b|\btcp\b|\brpc\b|connect|handshake|server|stream|dial|registry|proxy).{0,600}\S: EOF["'}\]\s]*$|use of closed network connection|server closed (?:idle )?connection|connection (?:was )?(?:closed|aborted) by (?:remote|the peer)|socket hang up/i,
    cause: (found) => `${at(found)} takes the connection and cuts it`,
    remedy:
      'Look behind the address: a load balancer without servers, a proxy or firewall that refuses, or a service that crashes; its own log tells',
  },
];
