import { because, named, type PlainReading, word } from '../plain-reading.ts';

const CORRECT_LINE = 'Correct that line (or the one before it), and start the service again';

/** What the services around a cluster say of their own settings: addresses, names, time, firewall. */
export const DAEMON_READINGS: readonly PlainReading[] = [
  {
    id: 'says-card-of-other-profile',
    pattern:
      /No suitable device found for this connection(?: \(device (?<card>\S+) not available because (?<why>.{5,120}?)\)\.?$)?/,
    cause: (found) =>
      `No network card fits this connection${because(word(found, 'card') && `${word(found, 'card')}: ${word(found, 'why')}`)}`,
    remedy:
      '"nmcli device" shows the cards: set connection.interface-name (or the MAC address) of the profile to one that is there',
  },
  {
    id: 'says-address-not-given',
    pattern: /IP configuration could not be reserved/,
    cause: () => 'The network card gets no address: mostly no DHCP server answered it in time',
    remedy:
      'Look at the DHCP server, the VLAN and the cable; else give a static address (ipv4.method manual)',
  },
  {
    id: 'says-networkmanager-down',
    pattern: /Error: NetworkManager is not running/,
    cause: () => 'NetworkManager does not run on this machine',
    remedy: '"systemctl enable --now NetworkManager"; its journal tells where it does not start',
  },
  {
    id: 'says-nmstate',
    pattern:
      /Nmstate\w*Error: (?:InvalidArgument: |VerificationError: |NotSupportedError: |PluginFailure: )?(?<why>[^\n]{8,300})/,
    cause: (found) =>
      `nmstate does not bring the network into the wanted state: ${word(found, 'why')}`,
    remedy:
      'Correct the desired state (names of cards and ports, modes, addresses); "nmstatectl show" is what the machine has. What was changed is rolled back',
  },
  {
    id: 'says-link-lost',
    pattern:
      /(?<card>[\w.@-]+): (?:NIC )?Link is Down\b|device \((?<nm>[^)]+)\): carrier: link (?:lost|disconnected)|device \((?<gone>[^)]+)\): state change: activated -> unavailable \(reason 'carrier-changed'/,
    cause: (found) => `The network card ${word(found, 'card', 'nm', 'gone')} has lost its link`,
    remedy: 'Look at cable, switch port and, of a virtual machine, whether its card is connected',
  },
  {
    id: 'says-profile-rights',
    pattern:
      /(?:"(?<file>[^"]+)": )?failed to load connection: (?:File permissions \((?<mode>\d+)\) are insecure|(?<why>.{6,200}))|ifcfg-rh: loading "(?<ifcfg>[^"]+)" fails: (?<said>.{6,200})/,
    cause: (found) =>
      `NetworkManager does not ${word(found, 'mode') === undefined ? 'take' : 'read'}${named(word(found, 'file', 'ifcfg')) || ' a profile'}: ${word(found, 'why', 'said') ?? `others than root may read it (${word(found, 'mode')})`}`,
    remedy:
      'Correct the file ("chmod 600" and "chown root:root" it where it is about rights), then "nmcli connection reload"',
  },
  {
    id: 'says-route-there',
    pattern: /RTNETLINK answers: File exists/,
    cause: () => 'The address or route that is to be added is there already',
    remedy: '"ip route" and "ip address" show it; use "replace" instead of "add"',
  },
  {
    id: 'says-gateway-outside',
    pattern: /RTNETLINK answers: Network is unreachable|Nexthop has invalid gateway/,
    cause: () => 'The gateway of the route lies in no network that this machine has an address in',
    remedy: 'Give the card its address (with the right prefix) first, or correct the gateway',
  },
  {
    id: 'says-firewalld',
    pattern:
      /(?:\b|\dm)(?:Error|ERROR): (?<code>ZONE_CONFLICT|NOT_ENABLED|COMMAND_FAILED|ZONE_ALREADY_SET|INVALID_[A-Z]+|UNKNOWN_(?!INTERFACE\b)[A-Z]+): (?<why>[^"\\]{3,300})/,
    cause: (found) => `firewalld does not do it (${word(found, 'code')}): ${found.groups.why}`,
    remedy:
      'Compare with "firewall-cmd --list-all-zones" and --get-services; a port is written as 8443/tcp, and --permanent wants --reload. Where its rules fail, "nft list ruleset" shows who else sets some; "Direct" means a rule in /etc/firewalld/direct.xml',
  },
  {
    id: 'says-firewalld-down',
    pattern: /FirewallD is not running/,
    cause: () => 'firewalld does not run on this machine, so nothing can be opened in it',
    remedy:
      'Start it where it is wanted ("systemctl enable --now firewalld"); where not, nothing is to be opened, unless iptables or nftables filter by themselves',
  },
  {
    id: 'says-chain-gone',
    pattern:
      /-A (?<chain>DOCKER[\w-]*|NETAVARK[\w-]*|CNI[\w-]*) .{0,300}No chain\/target\/match by that name|iptables: No chain\/target\/match by that name/,
    cause: (found) =>
      `The packet filter lacks a chain or a module that the rule wants${because(word(found, 'chain'))}: mostly the firewall was loaded anew after the program that made the chain`,
    remedy:
      'Restart that program (docker; "podman network reload --all"; libvirt), and start it after firewalld',
  },
  {
    id: 'says-filter-table-missing',
    pattern:
      /can't initialize ip6?tables table [`'](?<table>\w+)|(?:iptables: )Table does not exist|Module (?<module>ip6?_tables) not found/,
    cause: (found) =>
      `The kernel has no table${named(word(found, 'table'))} of iptables: its module is not loaded, or the machine only does nftables, which the iptables of this host or image (legacy) does not`,
    remedy:
      '"modprobe ip_tables iptable_nat"; after an update of the kernel restart the machine first; else use the nft variant of iptables (iptables-nft), in the image, too',
  },
  {
    id: 'says-chronyd-down',
    pattern: /506 Cannot talk to daemon/,
    cause: () => 'chronyd does not run on this machine, or this user may not ask it',
    remedy: '"systemctl enable --now chronyd"; its journal tells where it does not start',
  },
  {
    id: 'says-clock-not-settable',
    pattern:
      /adjtimex\(\w+\) failed : Operation not permitted|Could not set system clock frequency|CAP_SYS_TIME not present/,
    cause: () =>
      'The time service may not set the clock: it runs in a container, or without the right',
    remedy: 'Let the host keep the time, or give the container CAP_SYS_TIME',
  },
  {
    id: 'says-recursion-denied',
    pattern:
      /client \S+ (?<client>[\d.:a-f]+)#\d+ \((?<name>[^)]+)\): query(?: \(cache\))? .{0,100}denied/,
    cause: (found) =>
      `The name server does not answer ${word(found, 'client')} for ${word(found, 'name')}: that client may not ask it for this`,
    remedy: 'Add the network of the client to allow-query, allow-recursion and allow-query-cache',
  },
  {
    id: 'says-dnssec',
    pattern:
      /DNSSEC validation failed|broken trust chain resolving '(?<name>[^'/]+)|no valid signature found|Unable to fetch DNSKEY set '(?<keys>[^']+)'|DNSKEY set for zone '(?<anchor>[^']+)' could not be verified with current keys|managed-keys-zone: loading from master file (?<store>\S+) failed/,
    cause: (found) =>
      found.groups.anchor !== undefined || found.groups.store !== undefined
        ? 'The keys by which the name server checks signatures (DNSSEC) do not fit, or their file on this machine is damaged or out of date'
        : found.groups.keys === undefined
          ? `What the name server is told${named(word(found, 'name') && `of ${word(found, 'name')}`)} does not pass the check of signatures (DNSSEC), mostly because zones inside are not signed`
          : `The name server cannot fetch the keys of "${found.groups.keys}" for the check of signatures (DNSSEC), as is so without internet`,
    remedy:
      'Switch the check off for the zones inside (validate-except, dnssec-validation no, domain-insecure, DNSSEC=no of systemd-resolved); of damaged keys, remove managed-keys.bind and its journal, and start named where it reaches the root',
  },
  {
    id: 'says-ssh-throttles',
    pattern:
      /beginning MaxStartups throttling|drop connection #\d+ from \[?(?<from>[^\]\s]+).{0,80} past MaxStartups/,
    cause: (found) =>
      `The SSH server of this machine turns new connections away${because(word(found, 'from'))}: too many are open at once that have not logged in yet (MaxStartups)`,
    remedy:
      'Let fewer connect at once (forks of Ansible, loops over hosts), or raise MaxStartups in sshd_config; see whether a stranger tries passwords',
  },
  {
    id: 'says-squid',
    pattern:
      /(?<cert>No valid signing (?:SSL )?certificate configured for HTTPS?_port \S+)|(?<store>Uninitialized SSL certificate database directory: [^\s"]+?)\.? |The (?<helper>\S+) .{0,120}helpers are crashing too rapidly|^\d{4}\/\d\d\/\d\d [\d:]{8}(?: kid\d+)?\| FATAL: (?<why>(?!Bungled|The \S+ .{0,120}helpers are crashing).{6,200})/,
    cause: (found) =>
      `The proxy squid does not start: ${
        word(found, 'cert', 'store', 'why') ??
        `its helper ${word(found, 'helper')} ends at once${/certgen|ssl_crtd/.test(found.groups.helper ?? '') ? ', mostly because the store of its certificates was not made yet, or belongs to another user' : ''}`
      }`,
    remedy:
      '"squid -k parse" checks the settings; cert= must be a PEM with certificate and key that the user squid may read; "security_file_certgen -c -s DIRECTORY -M 4MB" makes the store, which must belong to that user',
  },
  {
    id: 'says-virtual-network-down',
    pattern: /network '(?<name>[^']+)' is not active/,
    cause: (found) =>
      `The virtual network ${word(found, 'name')} of libvirt is not started, so no machine can be put into it`,
    remedy:
      '"virsh net-start NAME" and "virsh net-autostart NAME"; where it does not start, it says why (a firewall that does not run, an address that is taken, dnsmasq)',
  },
  {
    id: 'says-time-source-wrong',
    pattern: /Detected falseticker (?<source>\S+)/,
    cause: (found) => `The time server ${word(found, 'source')} tells another time than the others`,
    remedy: 'Correct its clock or leave it out; "chronyc sources -v" compares them',
  },
  {
    id: 'says-clock-was-wrong',
    isGeneral: true,
    pattern: /System clock wrong by (?<off>-?\d{2,}\.\d)\d* seconds/,
    cause: (found) =>
      `The clock of this machine was ${word(found, 'off')} seconds off when its time service looked: what was signed, or checked, before that has the wrong time`,
    remedy:
      'Set the hardware clock, or that of the hypervisor, to UTC ("hwclock --systohc --utc"; whole hours off mean local time there); make certificates and Ignition files again that were made meanwhile',
  },
  {
    id: 'says-selinux-defined',
    pattern:
      /ValueError: (?<what>(?:Port|File context|Login|Boolean) .{1,120}?) (?:is )?already defined|Could not change active booleans: (?<boolean>Invalid boolean)/,
    cause: (found) =>
      word(found, 'what') === undefined
        ? 'SELinux of this system knows no such boolean'
        : `SELinux has a setting of its own already: ${word(found, 'what')}`,
    remedy:
      'Change it with "semanage … -m" instead of -a; "semanage port -l", "getsebool -a" show what there is',
  },
  {
    id: 'says-zone-record',
    pattern:
      /(?<![\w./-])(?=[^a-z\s:]*[a-z])(?<file>[\w./-]+):(?<line>\d+): (?:(?<name>\S+): CNAME and other data|(?<why>unknown RR type '[^']+'|(?:unexpected end of (?:line|input)|extra input text)(?!.*expecting).{0,60}|near '[^']{0,60}': .{3,60}))/,
    cause: (found) =>
      word(found, 'name') === undefined
        ? `Line ${word(found, 'line')} of the zone file ${word(found, 'file')} is not taken: ${word(found, 'why')}`
        : `${word(found, 'name')} has a CNAME beside other records (${word(found, 'file')} line ${word(found, 'line')}), which no zone may have`,
    remedy:
      'Correct the record (of a CNAME and others of one name, keep one), raise the serial, check with "named-checkzone ZONE FILE", and load the zone again',
  },
  {
    id: 'says-zone-journal',
    pattern: /zone (?<zone>\S+?)\/IN: journal rollforward failed|rndc: '\w+' failed: dynamic zone/,
    cause: (found) =>
      `The zone${named(word(found, 'zone'))} is changed by updates, and its file was edited beside them`,
    remedy:
      '"rndc freeze ZONE", edit, "rndc thaw ZONE"; where its journal does not fit, remove the .jnl file',
  },
  {
    id: 'says-setting-line',
    pattern: new RegExp(
      [
        String.raw`(?<dhcpd>/[^\s:]+):? line (?<no>\d+)[:,] (?!.*: command not found)(?<why>(?:semicolon|expecting|unknown|unexpected|Bad configuration option|invalid keyword|[Uu]nsupported option).{3,100}|.{1,40} expected.{0,40})`,
        String.raw`parser error (?:for .{1,120} in (?:profile )?|in )(?<armor>/\S+) (?:in profile \S+ )?at line (?<arno>\d+): (?<armored>.{3,100})`,
        String.raw`Syntax error on line (?<ano>\d+) of (?<apache>[^\s:]+):?(?<behind>.{0,200})`,
        String.raw`\(Line (?<kno>\d+)\) (?<keep>Unknown keyword .{2,80})`,
        String.raw`(?<head>(?:illegal|bad|missing|Could not parse|Invalid|unknown) [\w -]{3,60}) at line (?<dno>\d+) (?:of|in file) (?<file>/\S+)`,
        String.raw`(?<toml>/\S+\.toml): \((?<tno>\d+), \d+\): (?<said>.{3,80})`,
        String.raw`(?<nft>/[^\s:]+):(?<nno>\d+):\d+-\d+: Error: (?<error>.{3,120})`,
      ].join('|'),
    ),
    cause: (found) =>
      `Line ${word(found, 'no', 'ano', 'kno', 'dno', 'tno', 'nno', 'arno')} of ${word(found, 'dhcpd', 'apache', 'file', 'toml', 'nft', 'armor') ?? 'the configuration'} is not taken${named(word(found, 'why', 'behind', 'keep', 'head', 'said', 'error', 'armored')).replace(/^ /, ': ')}`,
    remedy: CORRECT_LINE,
  },
];
