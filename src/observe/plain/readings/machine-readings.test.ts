import { testNearLines, testSaidLines } from '../../../../test/support/readings.ts';
import { MACHINE_READINGS } from './machine-readings.ts';

/** Lines as the programs say them, and below each what is made of it. */
const SAID = `
dnsmasq[2101]: Maximum number of concurrent DNS queries reached (max: 300)
  says-queries-pile-up: The name server waits for as many answers as it may
named[811]: client @0x7f 10.7.0.9#4011 (lid.fern.lan): no more recursive clients (1000/900/1000): quota reached
  says-queries-pile-up: The name server waits for as many answers as it may
4017A8F7:error:11000080:X509 V3 routines:X509V3_EXT_nconf_int:error in extension:crypto/x509/v3_conf.c:48:section=lids, name=subjectAltName, value=tide.fern.lan
  says-certificate-extension: OpenSSL does not take tide.fern.lan for subjectAltName of the certificate (error in extension)
1400:error:22074079:X509 V3 routines:X509V3_EXT_nconf:error in extension:crypto/x509v3/v3_conf.c:47:name=keyUsage, value=lidSign
  says-certificate-extension: OpenSSL does not take lidSign for keyUsage of the certificate (error in extension)
Aug 11 11:34:05 w-1 systemd[1893]: user@1007.service: Failed to set up PAM session: Operation not permitted
  says-session-refused: PAM does not set up the session of a user (user@1007.service)
WARNING: pip is configured with locations that require TLS/SSL, however the ssl module in Python is not available.
  says-python-without-tls: This Python was built without TLS
sudo: /etc/sudoers is world writable
  says-sudo-unusable: sudo cannot be used on this machine (/etc/sudoers is world writable): the file must belong to root and be writable by nobody else
sudo: /etc/sudoers.d/atoll is owned by uid 1000, should be 0
  says-sudo-unusable: sudo cannot be used on this machine (/etc/sudoers.d/atoll is owned by uid 1000, should be 0): the file must belong to root and be writable by nobody
sudo: /usr/bin/sudo must be owned by uid 0 and have the setuid bit set
  says-sudo-unusable: sudo cannot be used on this machine (/usr/bin/sudo must be owned by uid 0 and have the setuid bit set): the program has lost its owner or its setuid
sudo: effective uid is not 0, is /usr/bin/sudo on a file system with the 'nosuid' option set or an NFS file system without root privileges?
  says-sudo-unusable: sudo cannot be used on this machine (effective uid is not 0, is /usr/bin/sudo): it lies on a file system without setuid, or has lost its owner
sudo: The "no new privileges" flag is set, which prevents sudo from running as root.
  says-sudo-unusable: sudo cannot be used on this machine (The "no new privileges" flag is set): the process may gain no rights: a container or a unit is set up so
sudo: sorry, you are not allowed to set the following environment variables: KUBECONFIG
  says-sudo-not-this: The rules of sudo do not let this user pass KUBECONFIG on
Sorry, user fjord is not allowed to execute '/usr/bin/podman ps' as root on bastion.
  says-sudo-not-this: The rules of sudo do not let fjord run /usr/bin/podman ps as root
sudo: account validation failure, is your account locked?
  says-account-kept-out: The account is not let in (account validation failure, is your account locked?): it is locked, mostly after too many wrong passwords
pam_sss(sshd:account): Access denied for user fjord: 6 (Permission denied)
  says-account-kept-out: The account fjord is not let in (pam_sss(sshd:account)): the rules of its directory (SSSD, FreeIPA, AD) do not let it in here
pam_faillock(sshd:auth): Consecutive login failures for user core account temporarily locked
  says-account-kept-out: The account is not let in (account temporarily locked): it is locked, mostly after too many wrong passwords
pam_access(sshd:account): access denied for user \`fjord' from \`10.20.0.9'
  says-account-kept-out: The account fjord is not let in (pam_access(sshd:account)): /etc/security/access.conf does not let it in
crond[901]: (fjord) FAILED to authorize user with PAM (Permission denied)
  says-account-kept-out: The account fjord is not let in (Permission denied)
sudo: PAM account management error: Authentication service cannot retrieve authentication info
  says-pam-broken: The check of the account by PAM fails (Authentication service cannot retrieve authentication info): mostly an account without an entry in
PAM unable to dlopen(/usr/lib64/security/pam_tally2.so): /usr/lib64/security/pam_tally2.so: cannot open shared object file: No such file or directory
  says-pam-broken: The settings for logins name the module /usr/lib64/security/pam_tally2.so, which this machine does not have or cannot load
sudo: unknown user fjord
  says-user-unknown: This machine has no user or group fjord
systemd[1]: depot.service: Failed to determine user credentials: No such process
  says-user-unknown: systemd cannot start depot.service: the user or group that it is to run as does not exist here (User=, Group=)
dnsmasq: unknown user or group: dnsmasq
  says-user-unknown: This machine has no user or group dnsmasq
nginx: [emerg] SSL_CTX_use_PrivateKey("/etc/pki/tls/private/depot.key") failed (SSL: error:05800074:x509 certificate routines::key values mismatch)
  says-nginx: nginx does not do it: SSL_CTX_use_PrivateKey("/etc/pki/tls/private/depot.key") failed (SSL: error:05800074:x509 certificate routines::key values
nginx: [emerg] open() "/var/log/nginx/error.log" failed (13: Permission denied)
  says-nginx: nginx does not do it: open() "/var/log/nginx/error.log" failed (13: Permission denied) (it may not use a file (run it as root; else its rights, or
[ssl:emerg] [pid 900] AH02572: Failed to configure at least one certificate and key for depot.fern.lan:443
  says-httpd: httpd does not start with its configuration: Failed to configure at least one certificate and key for depot.fern.lan:443 (the virtual host has TLS
Invalid command 'SSLEngine', perhaps misspelled or defined by a module not included in the server configuration
  says-httpd: httpd does not start with its configuration: Invalid command 'SSLEngine', perhaps misspelled or defined by a module not included (the word is
[core:error] [pid 900] (13)Permission denied: [client 10.20.0.9:51234] AH00132: file permissions deny server access: /var/www/html/rootfs.img
  says-not-served: httpd may not read /var/www/html/rootfs.img: rights of the file or of a folder above it, or SELinux
[core:error] [pid 900] (13)Permission denied: [client 10.20.0.9:5123] AH00035: access to /depot denied (filesystem path '/srv/depot') because search permissions are missing on a component of the path
  says-not-served: httpd may not read /srv/depot: rights of the file or of a folder above it, or SELinux
[authz_core:error] [pid 900] [client 10.20.0.9:5123] AH01630: client denied by server configuration: /srv/depot
  says-not-served: The configuration of httpd does not let this client have /srv/depot
[autoindex:error] [pid 900] [client 10.20.0.9:5123] AH01276: Cannot serve directory /var/www/html/: No matching DirectoryIndex (index.html) found
  says-not-served: httpd lists no directories, and /var/www/html/ has no index page
Nov 18 10:02:11 rim1 Keepalived_vrrp[1431]: (VI_API) Cant send advert to 224.0.0.18 (Operation not permitted)
  says-keepalived: keepalived does not do what it is set up for: (VI_API) Cant send advert to 224.0.0.18 (Operation not permitted) (a firewall on this machine keeps the
Nov 18 10:02:11 rim1 Keepalived[1430]: Configuration file '/etc/keepalived/keepalived.conf' is not a regular non-executable file
  says-keepalived: keepalived does not do what it is set up for: Configuration file '/etc/keepalived/keepalived.conf' is not a regular non-executable file (it has the
Nov 18 10:02:11 rim1 Keepalived_vrrp[1431]: Disabling track script chk_haproxy since not found
  says-keepalived: keepalived does not do what it is set up for: Disabling track script chk_haproxy since not found (the check is left out, so a dead service behind it
Nov 18 10:02:11 rim1 Keepalived_vrrp[1431]: Unsafe permissions found for script '/usr/local/bin/chk.sh'.
  says-keepalived: keepalived does not do what it is set up for: Unsafe permissions found for script '/usr/local/bin/chk.sh' (the check is left out, so a dead service
Nov 18 10:02:11 rim1 Keepalived_healthcheckers[1432]: IPVS: Can't initialize ipvs: Protocol not available
  says-keepalived: keepalived does not do what it is set up for: IPVS: Can't initialize ipvs: Protocol not available
named[700]: REFUSED unexpected RCODE resolving 'depot.fern.lan/A/IN': 10.20.0.3#53
  says-forwarder: The name server 10.20.0.3, which this one asks, does not answer for depot.fern.lan (REFUSED unexpected RCODE)
named[700]: SERVFAIL unexpected RCODE resolving 'depot.fern.lan/A/IN': 10.20.0.3#53
  says-forwarder: The name server 10.20.0.3, which this one asks, does not answer for depot.fern.lan (SERVFAIL unexpected RCODE)
named[700]: connection refused resolving 'depot.fern.lan/A/IN': 10.20.0.3#53
  says-forwarder: The name server 10.20.0.3, which this one asks, does not answer for depot.fern.lan (connection refused)
named[700]: couldn't add command channel 127.0.0.1#953: address in use
  says-name-server-control: named cannot be controlled by rndc: it does not get 127.0.0.1#953 (address in use)
rndc: connect failed: 127.0.0.1#953: connection refused
  says-name-server-control: named does not listen for rndc at 127.0.0.1#953 (connection refused): it does not run, or has no control channel there
named[700]: transfer of 'fern.lan/IN' from 10.20.0.2#53: failed while receiving responses: REFUSED
  says-zone-request-denied: The zone fern.lan/IN is not handed over by 10.20.0.2#53 (REFUSED)
named[700]: client @0x7f 10.20.0.9#4123 (fern.lan): zone transfer 'fern.lan/AXFR/IN' denied
  says-zone-request-denied: The name server does not let 10.20.0.9 have fern.lan/AXFR/IN
named[700]: client @0x7f 10.20.0.9#4123: update 'fern.lan/IN' denied
  says-zone-request-denied: The name server does not let 10.20.0.9 change fern.lan/IN
named[700]: client @0x7f 10.20.0.9#4123: request has invalid signature: TSIG depot-key: tsig verify failure (BADKEY)
  says-zone-request-denied: The name server does not accept the signature of 10.20.0.9 (TSIG depot-key: tsig verify failure (BADKEY)): key, algorithm or clock differ
nsupdate: update failed: REFUSED
  says-zone-request-denied: The name server does not take the update (REFUSED): this client or key may not change the zone
dhcpd[900]: No subnet declaration for ens3 (10.20.0.2).
  says-dhcp-server: The DHCP server has no subnet declared for the network of ens3 (10.20.0.2)
dhcpd[900]: DHCPDISCOVER from 52:54:00:aa:bb:cc via 10.20.1.1: unknown network segment
  says-dhcp-server: The DHCP server has no subnet declared for the network that 10.20.1.1 is in, from where it is asked
dhcpd[900]: DHCPDISCOVER from 52:54:00:aa:bb:cd via ens3: unknown client
  says-dhcp-server: The DHCP server gives addresses to known machines only, and knows none with the MAC address 52:54:00:aa:bb:cd
dnsmasq-dhcp[900]: not using configured address 10.20.0.21 because it is leased to 52:54:00:aa:bb:ce
  says-reserved-address: dnsmasq does not give a machine the address 10.20.0.21 that is reserved for it, because it is leased to 52:54:00:aa:bb:ce: the machine gets another one, or none
named[700]: db.fern:14: ignoring out-of-zone data (api.till.lan)
  says-zone-record-ignored: Line 14 of the zone file db.fern is left out, so the name is not answered: api.till.lan does not lie in that zone
haproxy[900]: Server mcs/master0 is DOWN, reason: Layer7 wrong status, code: 404, info: "Not Found", check duration: 3ms. 2 active and 0 backup servers left.
  says-balancer-check: The check of the load balancer does not accept what mcs/master0 answers (Layer7 wrong status, code: 404): the server is there, and does not hand out the path that is asked for
haproxy[900]: Server api/master0 is DOWN, reason: Layer6 invalid response, info: "SSL handshake failure", check duration: 1ms.
  says-balancer-check: check and server do not speak the same, TLS and plain text
dhcpd[900]: There's already a DHCP server running.
  says-dhcp-server: The DHCP server does not start: another one runs on this machine, or its pid file is left over
dhcpd[900]: bad range, address 10.20.1.5 not in subnet 10.20.0.0 netmask 255.255.255.0
  says-dhcp-server: The configuration of the DHCP server is wrong: bad range, address 10.20.1.5 not in subnet 10.20.0.0 netmask 255.255.255.0
ERROR [kea-dhcp4.dhcp4/900] DHCP4_INIT_FAIL failed to initialize Kea server: configuration error using file '/etc/kea/kea-dhcp4.conf': subnet configuration failed: mandatory 'subnet' parameter is missing
  says-kea: Kea (dhcp4) tells DHCP4_INIT_FAIL: its configuration is not taken (failed to initialize Kea server: configuration error using file
ERROR [kea-dhcp4.dhcpsrv/900] DHCPSRV_OPEN_SOCKET_FAIL failed to open socket: the interface ens9 is not running
  says-kea: Kea (dhcp4) tells DHCPSRV_OPEN_SOCKET_FAIL: it cannot listen on that network card (failed to open socket: the interface ens9 is not running)
WARN  [kea-dhcp4.alloc-engine/900] ALLOC_ENGINE_V4_ALLOC_FAIL_SUBNET [hwtype=1 52:54:00:aa:bb:cc], cid=[no info], tid=0x1: failed to allocate an IPv4 lease in the subnet 10.20.0.0/24, subnet-id 1, shared network (none)
  says-kea: Kea (dhcp4) tells ALLOC_ENGINE_V4_ALLOC_FAIL_SUBNET: the pools of that subnet are used up, or none fits the client ([hwtype=1 52:54:00:aa:bb:cc],
ERROR [kea-dhcp4.commands/900] COMMAND_ACCEPTOR_START_FAIL
  says-kea: Kea (dhcp4) tells COMMAND_ACCEPTOR_START_FAIL
ERROR [kea-dhcp4.dhcp4/900] DHCP4_PARSER_EXCEPTION failed to create or run parser for configuration element subnet4: /etc/kea/kea-dhcp4.conf:12.5: syntax error, unexpected ","
  says-kea: Kea (dhcp4) tells DHCP4_PARSER_EXCEPTION: its configuration is not taken (failed to create or run parser for configuration element subnet4:
Error: Connection activation failed: The base network connection was interrupted
  says-profile-not-up: NetworkManager does not bring up or take the connection: The base network connection was interrupted
Error: Connection activation failed: Connection 'bond0-port1' is not available on device enp3s0 because device has no carrier
  says-profile-not-up: NetworkManager does not bring up or take the connection: Connection 'bond0-port1' is not available on device enp3s0 because device has no carrier
Error: Connection activation failed: Master connection not found or invalid
  says-profile-not-up: NetworkManager does not bring up or take the connection: Master connection not found or invalid
Error: Connection activation failed: Secrets were required, but not provided
  says-profile-not-up: NetworkManager does not bring up or take the connection: Secrets were required, but not provided
Error: Failed to add 'br-ex' connection: ipv4.addresses: this property cannot be empty for 'method=manual'
  says-profile-not-up: NetworkManager does not bring up or take the connection br-ex: ipv4.addresses: this property cannot be empty for 'method=manual'
  Cannot use device /dev/sdb with duplicates.
  says-volume-refused: LVM does not do it (Cannot use device /dev/sdb with duplicates): the same physical volume is seen on several paths or as a copy of a disk
  Volume group name "vg_depot" has already been used.
  says-volume-refused: LVM does not do it (Volume group name "vg_depot" has already been used): that name is taken on this machine
  Logical Volume "lv1" already exists in volume group "vg_depot"
  says-volume-refused: LVM does not do it (Logical Volume "lv1" already exists in volume group "vg_depot"): that name is taken on this machine
  Logical volume vg_depot/lv1 contains a filesystem in use.
  says-volume-refused: LVM does not do it (Logical volume vg_depot/lv1 contains a filesystem in use): it is mounted, opened by a program, or part of another device
  Logical volume vg_depot/lv1 in use.
  says-volume-refused: LVM does not do it (Logical volume vg_depot/lv1 in use): it is mounted, opened by a program, or part of another device
mount.nfs: mount point /srv/x does not exist
  says-mount-place: It cannot be mounted or unmounted (/srv/x): mount point /srv/x does not exist
mount.nfs: remote share not in 'host:dir' format
  says-mount-place: It cannot be mounted or unmounted: remote share not in 'host:dir' format
mount: /srv/depot: mount point does not exist.
  says-mount-place: It cannot be mounted or unmounted (/srv/depot): mount point does not exist
mount: /srv/depot: /dev/sdb1 already mounted or mount point busy.
  says-mount-place: It cannot be mounted or unmounted (/srv/depot): /dev/sdb1 already mounted or mount point busy
mount: /srv/depot: can't read superblock on /dev/sdb1.
  says-mount-place: /dev/sdb1 cannot be mounted: its file system is damaged, or the disk cannot be read
systemd-fsck[600]: /dev/sda3: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY.
  says-file-system-refused: The file system (/dev/sda3) is not used as it is: it is damaged, or the disk below it fails (UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY)
xfs_repair: couldn't verify primary superblock - not enough secondary superblocks with matching geometry!!!
  says-file-system-refused: The file system is not used as it is: it is damaged, or the disk below it fails (couldn't verify primary superblock)
ERROR: The filesystem has valuable metadata changes in a log which needs to be replayed.
  says-file-system-refused: The file system is not used as it is: it was not unmounted cleanly (The filesystem has valuable metadata changes in a log which needs to be replayed)
XFS (sdb1): log recovery write I/O error at daddr 0x1 len 8 error -5
  says-file-system-refused: The file system (sdb1) is not used as it is: it is damaged, or the disk below it fails (log recovery write I/O error at daddr 0x1 len 8 error -5)
XFS (sdb1): Superblock has unknown read-only compatible features (0x8) enabled.
  says-file-system-refused: The file system (sdb1) is not used as it is: it was made by a newer system, with features that this kernel does not have (Superblock has unknown
systemd-cryptsetup[610]: Failed to activate with specified passphrase: Operation not permitted
  says-disk-unlocked-not: The encrypted disk is not opened: no key or passphrase that was tried fits
Keyslot open failed.
  says-disk-unlocked-not: The encrypted disk is not opened: no key or passphrase that was tried fits
Requested PBKDF parameters: Not enough available memory to open a keyslot.
  says-disk-unlocked-not: The encrypted disk is not opened: the machine has less memory than its key asks for (PBKDF)
Error unlocking /dev/sdb2 with clevis
  says-disk-unlocked-not: The encrypted disk (/dev/sdb2) is not opened: no key or passphrase that was tried fits
Error communicating with server http://tang.fern.lan
  says-disk-unlocked-not: The Tang server http://tang.fern.lan does not answer, so the encrypted disk is not opened
dracut: FATAL: Don't know how to handle 'root=live:http://depot.fern.lan/rootfs.img'
  says-dracut: The initramfs is not made or does not go on (Don't know how to handle 'root=live:http://depot.fern.lan/rootfs.img'): the initramfs lacks the module
dracut: FATAL: No or empty root= argument
  says-dracut: The initramfs is not made or does not go on (No or empty root= argument): the kernel line names no root file system
dracut: FATAL: iscsiroot requested but kernel/initrd does not support iscsi
  says-dracut: The initramfs is not made or does not go on (iscsiroot requested but kernel/initrd does not support iscsi): the initramfs or the kernel lacks the
dracut: FATAL: FIPS integrity test failed
  says-dracut: The initramfs is not made or does not go on (FIPS integrity test failed): kernel or libraries are not those that their checksums were made for, or
dracut: Will not override existing initramfs (/boot/initramfs-5.14.0-427.el9.x86_64.img) without --force
  says-dracut: The initramfs is not made or does not go on (Will not override existing initramfs (/boot/initramfs-5.14.0-427.el9.x86_64.img)): it is there already:
error: ../../grub-core/fs/fshelp.c:257:file \`/boot/grub2/i386-pc/normal.mod' not found.
  says-grub: GRUB gets no further: file \`/boot/grub2/i386-pc/normal.mod' not found: the disk or network that GRUB started from does not hold it
error: unknown filesystem.
  says-grub: GRUB gets no further: unknown filesystem: it cannot read the file system there: no module for it, damaged, or with newer features
error: no such partition.
  says-grub: GRUB gets no further: no such partition: the disk or partition that its configuration names is not there any more
error: no such device: 3f1c9a2e.
  says-grub: GRUB gets no further: no such device: 3f1c9a2e: the disk or partition that its configuration names is not there any more
error: file \`/vmlinuz-5.14.0' not found.
  says-grub: GRUB gets no further: file \`/vmlinuz-5.14.0' not found: the disk or network that GRUB started from does not hold it
INFO: task kworker/u8:1:900 blocked for more than 120 seconds.
  says-kernel-hangs: kworker/u8:1 waited more than 120 seconds for something, mostly for a disk or network storage that does not answer
watchdog: BUG: soft lockup - CPU#2 stuck for 22s! [kworker:900]
  says-kernel-hangs: A processor of the machine got no further (soft lockup - CPU#2 stuck for 22s!): the host of a virtual machine is overloaded or halted it, or a driver
rcu: INFO: rcu_preempt self-detected stall on CPU
  says-kernel-hangs: A processor of the machine got no further (rcu: INFO: rcu_preempt self-detected stall): the host of a virtual machine is overloaded or halted it, or
mce: [Hardware Error]: CPU 2: Machine Check: 0 Bank 5: bea0000000000108
  says-hardware-fails: The hardware of the machine reports an error (CPU 2: Machine Check: 0 Bank 5: bea0000000000108)
systemd-coredump[911]: Process 900 (haproxy) of user 188 dumped core.
  says-program-fell: The program haproxy crashed by a fault of its own, or of a library or memory that it uses
haproxy[900]: segfault at 0 ip 000055 sp 00007f error 4 in haproxy[55+1f]
  says-program-fell: The program haproxy crashed by a fault of its own, or of a library or memory that it uses
traps: podman[900] general protection fault ip:55 sp:7f error:0
  says-program-fell: The program podman crashed by a fault of its own, or of a library or memory that it uses
ixgbe 0000:03:00.0 ens3: Detected Tx Unit Hang
  says-card-hangs: The network card ens3 hangs and sends nothing (ixgbe)
bnxt_en 0000:3b:00.0 ens1f0np0: NETDEV WATCHDOG: CPU: 3: transmit queue 4 timed out 5020 ms
  says-card-hangs: The network card ens1f0np0 hangs and sends nothing (bnxt_en)
ModuleNotFoundError: No module named 'kubernetes'
  says-python-part: The Python that runs the program does not have kubernetes
ImportError: cannot import name 'soft_unicode' from 'markupsafe'
  says-python-part: The installed markupsafe of Python has no soft_unicode: it is another version than the program was written for
ImportError: libssl.so.1.1: cannot open shared object file: No such file or directory
  says-python-part: The library libssl.so.1.1 that a part of Python needs is not on this machine
pkg_resources.DistributionNotFound: The 'ansible-core>=2.15' distribution was not found and is required by the application
  says-python-part: The Python that runs the program does not have ansible-core>=2.15
ERROR: Could not find a version that satisfies the requirement ansible-core==2.19 (from versions: 2.11.0, 2.15.0)
  says-pip: pip finds no ansible-core==2.19: the index has other versions only, or others need a newer Python
ERROR: No matching distribution found for ansible-core==2.19
  says-pip: pip finds no ansible-core==2.19: the index that was asked does not have it for this Python and machine, or cannot be reached
error: externally-managed-environment
  says-pip: The Python of this system is managed by its packages, and pip may not install into it
ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.
  says-pip: A package is not the one that the file of requirements has the checksum of: changed on a mirror, or of another build
error 20 at 0 depth lookup: unable to get local issuer certificate
  says-chain-unverified: The chain of certificates does not verify (unable to get local issuer certificate, the certificate itself)
error 10 at 0 depth lookup: certificate has expired
  says-chain-unverified: The chain of certificates does not verify (certificate has expired, the certificate itself)
bad decrypt
  says-passphrase-wrong: The password of the key or key store is not the right one
keytool error: java.io.IOException: keystore password was incorrect
  says-passphrase-wrong: The password of the key or key store is not the right one
gpg: Can't check signature: No public key
  says-gpg: gpg does not do it (Can't check signature: No public key): the key that it was signed with is not in this keyring
gpg: BAD signature from "Fern <a@fern.lan>"
  says-gpg: gpg does not do it (BAD signature from "Fern <a@fern.lan>"): what was signed has been changed since, or did not come whole
gpg: no valid OpenPGP data found.
  says-gpg: gpg does not do it (no valid OpenPGP data found): the file is no key or signature, mostly the page of an error or of a proxy
gpg: decryption failed: No secret key
  says-gpg: gpg does not do it (decryption failed: No secret key): the private key that it is encrypted for is not in this keyring
Partial credentials found in shared-credentials-file, missing: aws_secret_access_key
  says-cloud-command: The command of the cloud cannot begin (Partial credentials found in shared-credentials-file, missing: aws_secret_access_key): the files in ~/.aws do
Connect timeout on endpoint URL: "https://sts.amazonaws.com/"
  says-cloud-command: The command of the cloud cannot begin (Connect timeout on endpoint URL: "https://sts.amazonaws.com/"): that address does not answer: no way out, a
-bash: ./install.sh: /bin/bash^M: bad interpreter: No such file or directory
  says-interpreter: The script has line ends of Windows, so /bin/bash is not found
-bash: fork: retry: Resource temporarily unavailable
  says-process-limit: No further process can be started: the user or container has as many as it may, or memory is used up
error: unable to set AppArmor profile 'libvirt-3f1c' for '/usr/bin/kvm': No such file or directory
  says-guest-device: libvirt cannot set up AppArmor for the virtual machine libvirt-3f1c
qemu-system-x86_64: -accel kvm: failed to initialize kvm: No such file or directory
  says-guest-device: QEMU cannot use the virtualisation of the processor (failed to initialize kvm: No such file or directory)
failed to parse default acl file \`/etc/qemu/bridge.conf'
  says-guest-device: QEMU may not attach the virtual machine to that bridge (failed to parse default acl file \`/etc/qemu/bridge.conf')
access denied by acl file
  says-guest-device: QEMU may not attach the virtual machine to that bridge (access denied by acl file)
ERROR    Disk /srv/a.qcow2 is already in use by other guests ['sno2'].
  says-guest-device: The disk /srv/a.qcow2 belongs to another virtual machine: ['sno2']
dracut-initqueue[287]: Warning: Not all disks have been found.
  says-dracut: a disk that the initramfs waits for is not there, or has other identifiers
chronyd[8]: Received KoD RATE from 10.20.0.3
  says-time-too-often: The time server 10.20.0.3 answers that it is asked too often
`;

const LINES = SAID.trim().split('\n');
const CASES = LINES.flatMap((line, index) => {
  const [, id = '', cause = ''] = /^ {2}(says-[\w-]+): (.+)$/.exec(LINES[index + 1] ?? '') ?? [];
  return index % 2 === 0 ? [{ line, id, cause }] : [];
});

testSaidLines(CASES, MACHINE_READINGS);

testNearLines([
  ['sudo: unable to resolve host tide.fern.lan: Name or service not known', 'says-name-unknown'],
  ["error: file 'depot.yaml' not found."],
  ['EDAC MC0: 1 CE memory read error on CPU_SrcID#0'],
  ['gpg: Good signature from "Fern <a@fern.lan>"'],
  ["dracut[I]: 74nfs: Could not find any command of 'rpcbind portmap'!", 'says-object-missing'],
  ["AH00558: httpd: Could not reliably determine the server's fully qualified domain name"],
  ['nginx: configuration file /etc/nginx/nginx.conf test is successful'],
  ['Keepalived_vrrp[9]: (VI_API) Entering BACKUP STATE'],
  ["named[7]: network unreachable resolving './NS/IN': 2001:503:ba3e::2:30#53"],
]);
