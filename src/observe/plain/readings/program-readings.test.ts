import { expect, test } from 'vitest';
import { testNearLines, testSaidLines } from '../../../../test/support/readings.ts';
import { readPlainly } from '../read-plainly.ts';
import { MACHINE_READINGS } from './machine-readings.ts';
import { PROGRAM_READINGS } from './program-readings.ts';
import { SERVER_READINGS } from './server-readings.ts';

/** Lines as the programs say them, and below each what is made of it. */
const SAID = `
[stderr] skipping: no hosts matched
  says-ansible-no-hosts: Ansible has no host for this play: no inventory was read
fatal: [moss]: FAILED! => {"msg": "An unhandled exception occurred while running the lookup plugin 'file'. original message: could not locate file in lookup: ~/.ssh/fern.pub"}
  says-ansible-no-file: Ansible finds no file ~/.ssh/fern.pub on the machine that runs the playbook
fatal: [moss]: FAILED! => {"changed": false, "msg": "Could not find or access 'files/lid.crt'\\nSearched in:\\n\\t/srv/play/files"}
  says-ansible-no-file: Ansible finds no file files/lid.crt on the machine
fatal: [moss]: FAILED! => {"changed": false, "msg": "AnsibleUndefinedVariable: 'dict object' has no attribute 'lids'"}
  says-ansible-undefined: The playbook uses lids, which no variable gives (dict object)
fatal: [moss]: FAILED! => {"msg": "The task includes an option with an undefined variable. The error was: 'tide_vip' is undefined\\n\\nThe error appears to be in '/srv/play/main.yml'"}
  says-ansible-undefined: The playbook uses tide_vip, which no variable gives
fatal: [moss]: FAILED! => {"changed": false, "msg": "Can't create container depot", "stderr": "Error: unknown flag: --lid\\n", "stdout": ""}
  says-ansible-option: A task of Ansible calls a program with --lid, which that one does not know
Error: Get "https://127.0.0.1:6443/readyz": dial tcp 127.0.0.1:6443: connect: connection refused
  says-own-api-down: No API server runs on the machine itself (127.0.0.1:6443)
CrashLoopBackOff: "back-off 5m0s restarting failed container=machine-config-controller pod=bootstrap-machine-config-operator-moss_default(71)"
  says-bootstrap-part-falls: machine-config-controller on the bootstrap machine ends again and again
back-off 2m40s restarting failed container=kube-controller-manager pod=bootstrap-kube-controller-manager-moss
  says-bootstrap-part-falls: kube-controller-manager on the bootstrap machine ends again and again
error: ostree-finalize-staged.service failed on previous boot: Finalizing deployment: Finalizing SELinux policy: failed to run semodule: Child process killed by signal 9
  says-staged-not-finished: its SELinux policy most often does not fit the image that the machine was started from
error: ostree-finalize-staged.service failed on previous boot: Finalizing deployment: Bootloader write config: grub2-mkconfig: Child process exited with code 2
  says-staged-not-finished: The new operating system could not be finished, so the machine starts the old one (Bootloader write config
error: Preparing import: Fetching manifest: remote error: Get "https://cdn07.quay.io/sha256/aa/aa11?X-Amz
  says-ostree-asks-source: rpm-ostree asks cdn07.quay.io itself for the operating system
/dev/mapper/fern-data   50G   50G   20K 100% /srv/depot
  says-mount-full: The file system at /srv/depot is full (/dev/mapper/fern-data)
Build 'qemu.fern' errored after 5 minutes 22 seconds: Timeout waiting for SSH.
  says-packer-waited: Packer waited in vain for SSH of the machine that it builds (qemu.fern)
[   12.335560] Kernel panic - not syncing: broken padding
  says-kernel-stops: The kernel of the machine stops (broken padding): its initial ram disk did not come whole
Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100
  says-kernel-stops: the first program that it started ended
rdcore[1076]: Error: System has 0 devices with a filesystem labeled 'boot'
  says-boot-label: No disk of the machine has a file system with the label boot
rdcore[1076]: Error: System has 2 devices with a filesystem labeled 'boot': ["/dev/sda3", "/dev/sdb3"]
  says-boot-label: 2 disks of the machine have a file system with the label boot
Synchronous Exception at 0x000000003384D000
  says-firmware-fault: The firmware (UEFI) of the machine crashed at 0x000000003384D000
modprobe: ERROR: could not insert 'ferndrv': Required key not available
  says-module-refused: The kernel refuses the module ferndrv (Required key not available): it is not signed by a key that this machine trusts
modprobe: ERROR: could not insert 'ferndrv': Invalid module format
  says-module-refused: it was built for another kernel or processor
modprobe: FATAL: Module ferndrv not found in directory /lib/modules/5.14.0-1.el9.x86_64
  says-module-missing: There is no module ferndrv for the kernel of /lib/modules/5.14.0-1.el9.x86_64
failed to register layer: write /usr/lib/fern/lid.so: input/output error
  says-layer-not-unpacked: cannot be unpacked into the storage of images on this machine: write /usr/lib/fern/lid.so: input/output error
ERROR: failed to register layer: ApplyLayer exit status 1 stdout:  stderr: unlinkat /var/cache/fern: invalid argument
  says-layer-not-unpacked: unlinkat /var/cache/fern: invalid argument
oci runtime error: container_linux.go:247: starting container process caused "process_linux.go:245: running exec setns process for init caused \\"exit status 17\\""
  says-runtime-broke-off: runtime, engine and kernel do not fit each other
Error response from daemon: client version 1.24 is too old. Minimum supported API version is 1.44, please upgrade your client to a newer version
  says-engine-api: the client asks by 1.24, the engine takes none before 1.44
Error: server API version is too old. Client "5.0.0" server "4.3.1"
  says-engine-api: the client asks by 5.0.0, the engine goes up to 4.3.1
failed to start daemon: error initializing graphdriver: driver not supported: overlay2
  says-storage-driver: the driver overlay2 does not work on this file system or kernel
failed to start daemon: /srv/docker contains several valid graphdrivers: overlay2, vfs; cleanup or explicitly choose storage driver (-s <DRIVER>)
  says-storage-driver: /srv/docker contains several valid graphdrivers: overlay2, vfs
failed to start daemon: Devices cgroup isn't mounted
  says-cgroups-not-set-up: Devices cgroup isn't mounted
Error: crun: error creating cgroup directory \`/sys/fs/cgroup/fern\`: Read-only file system: OCI runtime error
  says-cgroups-not-set-up: (/sys/fs/cgroup/fern)
dockerd needs to be started with root privileges. To run dockerd in rootless mode
  says-engine-not-root: not set up for that (dockerd)
Error response from daemon: unknown or invalid runtime name: fernrun
  says-runtime-unknown: has no runtime or driver fernrun
Error response from daemon: could not select device driver "" with capabilities: [[gpu]]
  says-runtime-unknown: has no runtime or driver gpu
Error response from daemon: failed to create task for container: error mounting "/srv/depot/lid.yml" to rootfs at "/etc/lid.yml": mount /srv/depot/lid.yml:/etc/lid.yml: not a directory: unknown: Are you trying to mount a directory onto a file (or vice-versa)?
  says-mount-kinds: A path of the host /srv/depot/lid.yml is to be mounted over /etc/lid.yml
Error: creating container storage: the container name "depot" is already in use by 1f2e3d. You have to remove that container
  says-container-name: There is a container by the name depot already (1f2e3d)
Error response from daemon: AppArmor enabled on system but the docker-default profile could not be loaded: running '/sbin/apparmor_parser' failed with output: Access denied.
  says-apparmor: may not load its AppArmor profile (docker-default)
containerd: expected containerd config version equal to or less than \`3\`, got \`4\`
  says-containerd-settings: expected containerd config version equal to or less than \`3\`, got \`4\`
level=error msg="failed to decode hosts.toml" error="failed to parse TOML: (3, 1): unexpected token"
  says-containerd-settings: containerd cannot read hosts.toml
level=error msg="cancel pulling image depot.fern.lan/lid:9 because of no progress in 1m0s"
  says-pull-stalled: The pull of depot.fern.lan/lid:9 was broken off: nothing more came for 1m0s
Error: OCI runtime error: crun: join keyctl \`1f2e3d\`: Disk quota exceeded
  says-keyring-full: No disk is full
Error: write child: broken pipe
  says-runtime-other-version: ended at once (write child: broken pipe)
failed to register layer: ApplyLayer exit status 1 stdout:  stderr: lchown /opt/fern/lid.md: invalid argument
  says-owner-outside: /opt/fern/lid.md belongs, in the image, to a user or group that this container engine has no id for
Error: netavark: create bridge: Netlink error: Operation not supported (os error 95)
  says-engine-bridge: create bridge: Netlink error: Operation not supported
Error: netavark: aardvark-dns failed to start: failed to bind udp listener on 10.89.0.1:53: IO error: Address already in use (os error 98)
  says-engine-bridge: cannot listen at 10.89.0.1:53
Error: subnet 10.88.0.0/16 is already used on the host or by another config
  says-network-pool: The addresses of the new container network (10.88.0.0/16) are used
Error: mount /srv/containers/storage/overlay:/srv/containers/storage/overlay, flags: 0x1000: permission denied
  says-nested-denied: (/srv/containers/storage/overlay)
Error during unshare(CLONE_NEWUSER): Operation not permitted
  says-nested-denied: (unshare(CLONE_NEWUSER)
error running container: error creating container for [touch /x]: mount \`/proc\` to \`/proc\`: Operation not permitted
  says-nested-denied: (/proc)
Error: no policy.json file found at any of the following: "/home/u/.config/containers/policy.json", "/etc/containers/policy.json"
  says-policy-missing: (/home/u/.config/containers/policy.json, /etc/containers/policy.json)
docker: 'buildx' is not a docker command.
  says-docker-plugin-missing: This Docker has no command buildx
docker: unknown command: docker compose
  says-docker-plugin-missing: This Docker has no command compose
level=error msg="Image depot.fern.lan/lid:1 exists in local storage but may be corrupted (remove the image to resolve the issue)"
  says-storage-damaged: (depot.fern.lan/lid:1)
Error: "docker-archive" does not support saving multiple images ([a b])
  says-one-image-only: (docker-archive) holds one image
rpc error: code = Unknown desc = cri-o configured with systemd cgroup manager, but did not receive slice as parent: /kubepods/besteffort/pod1f
  says-cgroup-managers: the runtime by systemd, the kubelet by cgroupfs
Error: set memory limit 4194304 too low; should be at least 12582912 bytes
  says-memory-limit-low: (4194304 bytes) is below what the runtime itself needs to start one (12582912 bytes)
Failed to pull image "lid:1": short name mode is enforcing, but image name lid:1 returns ambiguous list
  says-short-name-ambiguous: The image lid:1 is named without its registry
ERRO[0011] Error: unable to save "depot.fern.lan/lids/web:3": copying image to the remote destination: Can not copy signatures: Storing signatures for docker tar files is not supported
  says-signatures-not-kept: the form that it is written in (docker tar files) cannot keep signatures
FATA[0002] Can not copy signatures to oci-archive:/srv/lids.tar: Pushing signatures for OCI images is not supported
  says-signatures-not-kept: the form that it is written in (OCI images) cannot keep signatures
FATA[0002] copying system image from manifest list: Copying this image would require changing layer representation, which we cannot do: "Would invalidate signatures"
  says-signatures-not-kept: The image is signed, and would have to be altered
Error: open index_tmp_55012/var/lids/tide.conf: permission denied
  says-opm-unpacks: opm unpacks an image as a user who may not write all of its files (index_tmp_55012/var/lids/tide.conf)
Error: error loading bundle from image: mkdir bundle_tmp40113/manifests: permission denied
  says-opm-unpacks: (bundle_tmp40113/manifests)
level=fatal msg="writing signatures: writing sigstore attachments is disabled by configuration"
  says-sigstore-off: do not let them be written beside the copy
Error: pull-from-mirror must not be set for a non-mirror registry "depot.fern.lan"
  says-registries-setting: pull-from-mirror must not be set for a non-mirror registry
level=fatal msg="copying multiple images: destination transport \\"docker-archive\\" does not support copying multiple images as a group"
  says-one-image-only: (docker-archive) holds one image
level=fatal msg="initializing destination docker-archive:/srv/a.tar: docker-archive doesn't support modifying existing images"
  says-one-image-only: The file that is written to is there already
ERROR: Multi-platform build is not supported for the docker driver.
  says-builder-limited: Multi-platform build is not done by the builder that is in use (driver docker)
ERROR: failed to solve: failed to compute cache key: failed to calculate checksum of ref 1f::2e: "/lid": not found
  says-not-in-context: /lid is not in the directory that the image is built from
Error: building at STEP "COPY lid /lid": checking on sources under "/srv/fern": copier: stat: "/lid": no such file or directory
  says-not-in-context: /lid is not in the directory that the image is built from
level=fatal msg="compression using zstd required together with format application/vnd.docker.distribution.manifest.v2+json, which does not support it"
  says-compression-of-format: are to be compressed by zstd
level=fatal msg="deleting depot.fern.lan/lid:9: unsupported: The operation is unsupported."
  says-delete-off: The registry does not let images be deleted (depot.fern.lan/lid:9)
Error: signing depot.fern.lan/lid:1: getting signer: reading key: decrypt: encrypted: decryption failed
  says-key-locked: The private key cannot be opened
Error: realm scheme "http" not allowed for a secure registry; use https
  says-token-address: to an address that it does not take (http://)
Error: PUT "https://depot.fern.lan/v2/lid/blobs/uploads/1": response status code 416: range invalid: invalid content range
  says-upload-range: depot.fern.lan (the mirror registry) does not know how far this upload came (416)
level=fatal msg="parsing signature https://depot.fern.lan/sig/lid/signature-1: unrecognized signature format, starting with binary 0x3c"
  says-signature-no-signature: is no signature, but a web page
3: sh: 1: Syntax error: "(" unexpected
  says-shell-syntax: The shell (sh) cannot read the command, so nothing of it ran: Syntax error: "(" unexpected
-bash: syntax error near unexpected token \`('
  says-shell-syntax: The shell (bash) cannot read the command
error: unable to read image depot.fern.lan/release:4.1: no alternative image references found for image: depot.fern.lan/release@sha256:1f
  says-mirrors-not-listed: has no entry for depot.fern.lan/release@sha256:1f
Error response from daemon: unsupported: Docker Image Format v1 and Docker Image manifest version 2, schema 1 support has been removed. Suggest the author of depot.fern.lan/lid:1 to upgrade the image
  says-schema-1-gone: The image depot.fern.lan/lid:1 is kept in an old format
level=fatal msg="Error determining repository tags: fetching tags list: name unknown: repository name not known to registry"
  says-repository-unknown: The registry has no repository
Error: INSTALLATION FAILED: create: failed to create: Secret "sh.helm.release.v1.lid.v1" is invalid: data: Too long: may not be more than 1048576 bytes
  says-release-too-large: The release lid is too large for Helm to keep
Error: INSTALLATION FAILED: chart requires kubeVersion: >=1.30.0-0 which is incompatible with Kubernetes v1.28.4
  says-chart-for-other-cluster: (>=1.30.0-0) than the cluster has (v1.28.4)
Error: found in Chart.yaml, but missing in charts/ directory: redis
  says-chart-parts-missing: not there as it names them: redis
Error: INSTALLATION FAILED: YAML parse error on lid/templates/x.yaml: error converting YAML to JSON: yaml: line 12: did not find expected key
  says-chart-output: What the template lid/templates/x.yaml of the chart gives with these values is no valid manifest: yaml: line 12
Error: could not find protocol handler for: s3
  says-chart-protocol: does not take (s3)
Error: failed to perform "FetchReference" on source: depot.fern.lan/charts/lid:1.0.0: not found
  says-chart-not-had: Helm does not get the chart depot.fern.lan/charts/lid:1.0.0
Error: looks like "oci://depot.fern.lan/charts/lid" is not a valid chart repository or cannot be reached: object required
  says-registry-no-repository: depot.fern.lan/charts/lid is a registry (oci://)
Error: INSTALLATION FAILED: failed to download "oci://depot.fern.lan/charts/lid" at version "0.14.0"
  says-chart-not-had: Helm does not get the chart oci://depot.fern.lan/charts/lid (0.14.0)
Error response from daemon: open /var/lib/docker/tmp/docker-import-537/repo/etc/json: no such file or directory
  says-archive-no-image: it holds etc where an image would be
failed to start daemon: invalid mirror: unsupported scheme "depot.fern.lan" in "depot.fern.lan:8080"
  says-docker-mirror: Docker does not take a registry mirror from its settings: unsupported scheme "depot.fern.lan" in "depot.fern.lan:8080"
Username: Error: EOF
  says-login-not-typed: asks for a user name or password, and nobody can type one
Error: Cannot perform an interactive login from a non TTY device
  says-login-not-typed: it runs without a terminal, and was given none
Error response from daemon: invalid X-Registry-Auth header: EOF
  says-logins-unreadable: (X-Registry-Auth) cannot be read: EOF
error: failed to parse "X-Registry-Auth" header for /images/depot/push: illegal base64 data at input byte 7
  says-logins-unreadable: The logins of registries that the client sends along (X-Registry-Auth) cannot be read: illegal base64 data at input byte 7
  - package lid-2.1-4.el9.x86_64 from depot requires libfern.so.3, but none of the providers can be installed
  says-package-unmet: The package lid-2.1-4.el9.x86_64 cannot be installed: what it requires (libfern.so.3)
Public key for lid-2.1-4.el9.x86_64.rpm is not installed
  says-package-unsigned: The signature of lid-2.1-4.el9.x86_64.rpm is not accepted
error: Could not depsolve transaction; 2 problems detected: Problem 1: The operation would result in removing the following protected packages: systemd, systemd-udev Problem 2: fern
  says-package-protected: to go on, protected packages would have to be removed (systemd, systemd-udev)
Error: Error parsing /srv/fern/main.tf: At 4:25: Unknown token: 4:25 IDENT formatlist
  says-terraform-old: This Terraform is too old (before 0.12) for /srv/fern/main.tf
ERROR    Error validating install location: Could not find an installable distribution at 'http://fern.lan/boot.iso'
  says-install-tree: virt-install finds no install tree (http://fern.lan/boot.iso): --location wants the root of one
ERROR    Unknown OS name 'rhel9.9'. See \`--osinfo list\` for valid values.
  says-guest-system: virt-install knows no system rhel9.9 by the list of this host (osinfo-db), or was told none
fatal: [bastion]: FAILED! => {"changed": false, "msg": "2 out of 3 hunks FAILED -- saving rejects to file lid.cfg.rej\\n"}
  says-patch-unfit: A patch does not fit the file that it is for lid.cfg (2 of 3 parts of it)
error: patch failed: lid.cfg:12
  says-patch-unfit: A patch does not fit the file that it is for lid.cfg: that file is another version
-- Checking if FernBox is installed ... FAIL
  says-check-unpassed: A check before the work does not pass: FernBox is installed
error: gather did not start for pod must-gather-x: timed out waiting for the condition
  says-gather-late: must-gather did not begin or end in its time (must-gather-x)
E: cluster creation failed: 'create_fern_clusters' capability is not set for this account
  says-account-capability: The account at Red Hat is not enabled for this (capability create_fern_clusters)
VBoxManage: error: Failed to attach the network LUN (VERR_SUPDRV_COMPONENT_NOT_FOUND)
  says-virtualbox-network: VirtualBox cannot connect a network card of the virtual machine (VERR_SUPDRV_COMPONENT_NOT_FOUND)
fatal: [a]: FAILED! => No package matching 'depot' found available
  says-packages: The package depot is in no repository
Error: Unable to find a match: depotctl
  says-packages: The package depotctl is in no repository that this machine has
Error: Failed to download metadata for repo 'depot': Cannot prepare internal mirrorlist: No URLs in mirrorlist
  says-repository-ended: The list of mirrors of the package repository depot is empty
Error: Failed to download metadata for repo 'depot': 404
  says-repository-unread: repository depot
haproxy.service: Main process exited, code=exited, status=217/USER
  says-unit-step: systemd cannot start haproxy.service: the user that it is to run as does not exist here (User=)
registry.service: Failed at step USER spawning /usr/bin/registry: No such process
  says-unit-step: systemd cannot start registry.service (No such process): the user that it is to run as does not exist here
Failed to start mirror.service: Unit mirror.service is masked.
  says-unit-masked: The unit mirror.service is masked: it may not be started at all
Failed to start chronyd.service: Unit chronyd.service not found.
  says-unit-missing: This machine has no unit chronyd.service: what brings it is not installed
Failed to enable unit: Unit file fernd.service does not exist.
  says-unit-missing: This machine has no unit fernd.service
curl: (77) Problem with the SSL CA cert (path? access rights?)
  says-curl: The file of authorities that curl is to trust cannot be read: it is not at that path
fatal: unable to access 'https://git.fern.lan/a.git/': error setting certificate verify locations:  CAfile: /etc/fern.pem
  says-authorities-unread: The file of authorities to trust cannot be read: /etc/fern.pem
OSError: Could not find a suitable TLS CA certificate bundle, invalid path: /etc/fern.pem
  says-authorities-unread: The file of authorities to trust cannot be read: /etc/fern.pem
mirror.service: Failed to load environment files: No such file or directory
  says-unit-environment: A file of settings that the unit mirror.service names cannot be read (EnvironmentFile=): No such file or
mirror.service: Service has no ExecStart=, ExecStop=, or SuccessAction=. Refusing.
  says-unit-without-program: The unit mirror.service names no program to run (ExecStart=)
mirror.service: start operation timed out. Terminating.
  says-unit-slow: mirror.service did not tell within its time that it is up, and was stopped
quay-app.service: Watchdog timeout (limit 3min)!
  says-unit-watchdog: quay-app.service hung and was killed by its watchdog (limit 3min)
registry.service: Job registry.service/start failed with result 'dependency'.
  says-unit-dependency: registry.service is not started, because a unit that it needs did not start
Timed out waiting for device /dev/disk/by-uuid/1a2b.
  says-mount-device: The disk /dev/disk/by-uuid/1a2b that is to be mounted at boot is not there
mount: /var/mirror: wrong fs type, bad option, bad superblock on /dev/vdb1, missing codepage or helper program, or other error.
  says-mount-wrong: /dev/vdb1 cannot be mounted (/var/mirror): it has no file system, another one than is said, or a damaged one
System has not been booted with systemd as init system (PID 1). Can't operate.
  says-no-systemd: No systemd runs here: mostly a container, or WSL without it
mirror.service: Found ordering cycle on network-online.target/start
  says-unit-cycle: Units wait for each other in a circle (mirror.service and network-online.target): systemd leaves one of them
Timeout occurred while waiting for network connectivity.
  says-network-late: The network of this machine was not up in time at its start
Failed to start foo.service: Access denied
  says-needs-root: The command wants the rights of root, and was run without them
Volume group "vg0" has insufficient free space (0 extents): 2560 required.
  says-volume-group-full: The volume group vg0 has no room for it: 0 extents are free, 2560 are asked for
Cannot process volume group vg0
  says-volume-group-missing: This machine has no volume group vg0
WARNING: Couldn't find device with uuid aB-cD.
  says-volume-part-missing: A disk of a volume group is gone (aB-cD)
Can't open /dev/sdb exclusively.  Mounted filesystem?
  says-disk-in-use: The disk /dev/sdb is not free: it is mounted, or has partitions, a file system or the signature of another
Thin pool vg0-thin-tpool (253:2) has reached its 100% data
  says-thin-pool-full: The thin pool vg0-thin-tpool is full, or nearly so
mdadm: /dev/md0 assembled from 1 drive - not enough to start the array.
  says-raid-incomplete: The RAID /dev/md0 lacks disks
mpatha: remaining active paths: 0
  says-paths-lost: All paths to the multipath disk mpatha are lost
iscsiadm: initiator reported error (24 - iSCSI login failed due to authorization failure)
  says-iscsi-login: The iSCSI target does not let this initiator in: its name is not on the list of the target, or the CHAP login
iscsiadm: No records found
  says-iscsi-target-missing: The iSCSI target that is named is not known: it was not found or not discovered
iscsiadm: initiator reported error (8 - connection timed out)
  says-iscsi-unreached: The iSCSI server does not take the connection (8 - connection timed out)
Device /dev/vdb1 is not a valid LUKS device.
  says-luks: /dev/vdb1 is no encrypted (LUKS) disk, or its header is gone
No key available with this passphrase.
  says-luks: The passphrase or key file does not open the encrypted disk
nfs: server nfs.fern.lan not responding, still trying
  says-nfs-silent: The NFS server nfs.fern.lan does not answer any more
wipefs: error: /dev/sdb: probing initialization failed: Read-only file system
  says-device-read-only: The device /dev/sdb itself is read-only
  WARNING: xfs signature detected on /dev/sdc at offset 0. Wipe it? [y/n]: [n]
  says-signature-left: The disk /dev/sdc bears the traces of an earlier use (xfs)
  Can't initialize physical volume "/dev/sdb" of volume group "fern" without -ff
  says-signature-left: The disk /dev/sdb bears the traces of an earlier use (volume group fern)
iSCSI Initiator Node: iqn.1994-05.com.redhat:fern is not authorized to access iSCSI target portal group: 1.
  says-iscsi-login: The iSCSI target does not let this initiator (iqn.1994-05.com.redhat:fern) in
sudo: a password is required
  says-sudo-asks: sudo does not let the user become root without asking (a password is required)
fern is not in the sudoers file.  This incident will be reported.
  says-sudo-asks: sudo does not let the user fern become root
device (eno1): state change: activated -> unavailable (reason 'carrier-changed', sys-iface-state: 'managed')
  says-link-lost: The network card eno1 has lost its link
Unable to verify server's identity: (104, 'Connection reset by peer')
  says-subscription-unreached: the connection is refused or cut ((104, 'Connection reset by peer'))
Error: '*' does not match a valid repository ID. Use "subscription-manager repos --list" to see valid repositories.
  says-repository-not-entitled: This machine has no repository at all from its subscription
E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4410 (unattended-upgr)
  says-packages-locked: Another program of apt or dpkg runs on this machine: process 4410 (unattended-upgr)
E: The repository 'http://depot.fern.lan/debian trixie Release' does not have a Release file.
  says-apt-repository: apt does not take the repository http://depot.fern.lan/debian trixie Release: it does not have a Release file
W: GPG error: http://depot.fern.lan/debian trixie InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY 4D64390375060AA4
  says-apt-repository: apt does not have the key 4D64390375060AA4 with which the repository http://depot.fern.lan/debian is signed
E: Release file for http://depot.fern.lan/debian/dists/trixie/InRelease is not valid yet (invalid for another 3h 12min 5s). Updates for this repository will not be applied.
  says-apt-repository: the clock of this machine is wrong, or the mirror was not renewed
 lid-tools : Depends: liblid2 (= 2.1-4) but 2.1-5 is to be installed
  says-apt-unmet: The package lid-tools cannot be installed: it needs liblid2 (= 2.1-4), but 2.1-5 is to be installed
  - Status code: 403 for https://depot.fern.lan/rhel9/repodata/repomd.xml (IP: 10.9.0.3)
  says-repository-status: The package repository answers 403 for https://depot.fern.lan/rhel9/repodata/repomd.xml: this machine has no right to it
quadlet-generator[74]: converting "depot.container": unsupported key 'Pod' in group 'Container' in /etc/containers/systemd/depot.container
  says-quadlet: Quadlet makes no unit from depot.container: unsupported key 'Pod' in group 'Container', which is misspelt or newer than this podman
/usr/lib/systemd/system-generators/podman-system-generator failed with exit status 1
  says-quadlet: podman-system-generator of podman could not make units from the container files
drop connection #10 from [10.9.0.7]:4410 on [10.9.0.2]:22 past MaxStartups
  says-ssh-throttles: turns new connections away (10.9.0.7): too many are open at once
mount: /srv/depot: can't find in /etc/fstab.
  says-fstab-entry: /etc/fstab has no entry for /srv/depot
XFS (vdb1): Filesystem has duplicate UUID 1a2b - can't mount
  says-file-system-twice: The XFS file system on vdb1 has the same UUID as one that is mounted already
resize2fs: Bad magic number in super-block while trying to open /dev/mapper/fern-root
  says-not-ext: The file system on /dev/mapper/fern-root is no ext2, ext3 or ext4
smartd[74]: Device: /dev/sda [SAT], FAILED SMART self-check. BACK UP DATA NOW!
  says-smart: The disk /dev/sda reports that it is failing (FAILED SMART self-check)
connection3:0: detected conn error (1020)
  says-iscsi-cut: The connection to the iSCSI target is lost (1020)
clnt_create: RPC: Program not registered
  says-rpc: The other machine does not offer the service of NFS 3 that is asked for (Program not registered)
rpc.mountd[74]: Cannot register service: RPC: Unable to receive; errno = Connection refused
  says-rpc: rpcbind does not run here, or does not let it
Package lid-2.1-4.el9.x86_64.rpm is not signed
  says-package-bears-none: The package lid-2.1-4.el9.x86_64.rpm bears no signature at all
Error: Failed to download metadata for repo 'depot': repomd.xml GPG signature verification error: Bad GPG signature
  says-repository-signature: The signature of the list of the package repository depot is not accepted (Bad GPG signature)
Error: GPG check FAILED
  says-package-check-failed: it bears none, or this machine does not have the key
fatal: [10.9.0.3]: FAILED! => {"msg": "non-zero return code", "stderr": "\\u001b[91mError: INVALID_ZONE: reef\\u001b[00m", "stdout": ""}
  says-firewalld: firewalld does not do it (INVALID_ZONE): reef
ERROR: COMMAND_FAILED: 'handle'
  says-firewalld: firewalld does not do it (COMMAND_FAILED)
managed-keys-zone: DNSKEY set for zone '.' could not be verified with current keys
  says-dnssec: The keys by which the name server checks signatures (DNSSEC) do not fit
2026/11/16 03:11:42 kid1| FATAL: No valid signing certificate configured for HTTP_port 0.0.0.0:3128
  says-squid: The proxy squid does not start: No valid signing certificate configured for HTTP_port 0.0.0.0:3128
2026/11/16 03:11:42 kid1| FATAL: The /usr/lib64/squid/security_file_certgen -s /srv/squid/db -M 4MB helpers are crashing too rapidly, need help!
  says-squid: its helper /usr/lib64/squid/security_file_certgen ends at once, mostly because the store of its certificates was not made yet
error: Requested operation is not valid: network 'fern' is not active
  says-virtual-network-down: The virtual network fern of libvirt is not started
Warning: /lib/dracut/hooks/initqueue/finished/devexists-\\x2fdev\\x2ffern-root.sh: "[ -e "/dev/fern-root" ]"
  says-root-awaited: the device /dev/fern-root for its root file system does not appear
exportfs: /etc/exports:3: unknown keyword "rw,no_root_sqash"
  says-exports-wrong: Line 3 of /etc/exports is not taken: unknown keyword "rw,no_root_sqash"
exportfs: Failed to stat /srv/fern: No such file or directory
  says-exports-wrong: The folder /srv/fern that is to be exported by NFS is not there
exportfs: /srv/fern requires fsid= for NFS export
  says-exports-wrong: The file system of /srv/fern cannot be exported by NFS as it is (requires fsid= for NFS export)
exportfs: No host name given with /srv/fern (rw,sync), suggest *(rw,sync) to avoid warning
  says-exports-wrong: The export of /srv/fern names no client
mount error(13): Permission denied
  says-share-login: The file server (CIFS) does not accept the login for this share
mount: /mnt: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.<type> helper program.
  says-mount-helper: The machine lacks the program that mounts such a file system (/mnt)
mount: /mnt/iso: failed to setup loop device for /srv/rhcos.iso.
  says-mount-helper: /srv/rhcos.iso cannot be mounted as a disk: there is no free loop device, or the file is not there
Error: There are no enabled repositories in "/etc/yum.repos.d", "/etc/yum/repos.d", "/etc/distro.repos.d".
  says-packages-none: This machine has no package repository: it is not registered, or none is enabled for it
libc.so.6(GLIBC_2.34)(64bit) is needed by oc-mirror-4.18-1.el9.x86_64
  says-packages-needed: The package oc-mirror-4.18-1.el9.x86_64 needs libc.so.6(GLIBC_2.34)(64bit), which is neither installed here
file /usr/bin/podman from install of podman-4.9.4-1.el9.x86_64 conflicts with file from package podman-catatonit-4.9.3-1.el9.x86_64
  says-packages-conflict: Two packages cannot be installed together (podman-4.9.4-1.el9.x86_64): both bring /usr/bin/podman
package haproxy-2.8.1-1.el9.x86_64 is filtered out by modular filtering
  says-packages-filtered: The package haproxy-2.8.1-1.el9.x86_64 is there, and the stream of its module is not enabled
warning: /var/lib/rpm/.rpm.lock: can't create transaction lock on /var/lib/rpm/.rpm.lock (Resource temporarily unavailable)
  says-packages-locked: Another dnf or rpm runs on this machine, or the command is not run as root
error: db5 error(-30973) from dbenv->open: BDB0087 DB_RUNRECOVERY: Fatal error, run database recovery
  says-packages-database: The database of rpm on this machine is damaged
Unable to verify server's identity: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed (_ssl.c:897)
  says-subscription-unreached: The certificate of the subscription server is not trusted here: its own authority, or a proxy in between
Unable to reach the server at subscription.rhsm.redhat.com:443/subscription
  says-subscription-unreached: The subscription server subscription.rhsm.redhat.com:443/subscription cannot be reached from here
HTTP error (410 - Gone): Unit 77aa has been deleted
  says-subscription-gone: The registration of this machine was removed on the server
Error: 'rhocp-4.18-for-rhel-9-x86_64-rpms' does not match a valid repository ID. Use "subscription-manager repos --list" to see valid repositories.
  says-repository-not-entitled: This machine is not entitled to the repository rhocp-4.18-for-rhel-9-x86_64-rpms, or its name is misspelt
Error: Connection activation failed: No suitable device found for this connection (device eth0 not available because profile is not compatible with device (mismatching interface name)).
  says-card-of-other-profile: No network card fits this connection (eth0: profile is not compatible with device (mismatching interface
Error: Connection activation failed: IP configuration could not be reserved (no available address, timeout, etc.)
  says-address-not-given: The network card gets no address: mostly no DHCP server answered it in time
Error: NetworkManager is not running.
  says-networkmanager-down: NetworkManager does not run on this machine
NmstateError: InvalidArgument: Interface eth1 has unknown port: eth9
  says-nmstate: nmstate does not bring the network into the wanted state: Interface eth1 has unknown port: eth9
<warn>  [1730.1] device (ens3): carrier: link lost
  says-link-lost: The network card ens3 has lost its link
<warn>  [1730.1] keyfile: load: "/etc/NetworkManager/system-connections/ens3.nmconnection": failed to load connection: File permissions (100644) are insecure
  says-profile-rights: NetworkManager does not read /etc/NetworkManager/system-connections/ens3.nmconnection: others than root may
RTNETLINK answers: File exists
  says-route-there: The address or route that is to be added is there already
RTNETLINK answers: Network is unreachable
  says-gateway-outside: The gateway of the route lies in no network that this machine has an address in
Error: INVALID_ZONE: internl
  says-firewalld: firewalld does not do it (INVALID_ZONE): internl
FirewallD is not running
  says-firewalld-down: firewalld does not run on this machine, so nothing can be opened in it
iptables: No chain/target/match by that name.
  says-chain-gone: The packet filter lacks a chain or a module that the rule wants: mostly the firewall was loaded anew after
Error response from daemon: driver failed programming external connectivity on endpoint registry (77aa): (iptables failed: iptables --wait -t nat -A DOCKER -p tcp -d 0/0 --dport 5000 -j DNAT --to-destination 172.17.0.2:5000 ! -i docker0: iptables: No chain/target/match by that name.
  says-chain-gone: The packet filter lacks a chain or a module that the rule wants (DOCKER): mostly the firewall was loaded anew
iptables v1.8.4 (legacy): can't initialize iptables table 'nat': Table does not exist (do you need to insmod?)
  says-filter-table-missing: The kernel has no table nat of iptables: its module is not loaded, or the machine only does nftables, which the iptables of this host or image (legacy) does not
506 Cannot talk to daemon
  says-chronyd-down: chronyd does not run on this machine, or this user may not ask it
Fatal error : adjtimex(0x8001) failed : Operation not permitted
  says-clock-not-settable: The time service may not set the clock: it runs in a container, or without the right
client @0x7f 192.168.7.20#44211 (quay.io): query (cache) 'quay.io/A/IN' denied
  says-recursion-denied: The name server does not answer 192.168.7.20 for quay.io: that client may not ask it for this
mirror.fern.lan: resolve call failed: DNSSEC validation failed: no-signature
  says-dnssec: What the name server is told does not pass the check of signatures (DNSSEC), mostly because zones inside are
managed-keys-zone: Unable to fetch DNSKEY set '.': timed out
  says-dnssec: The name server cannot fetch the keys of "." for the check of signatures (DNSSEC), as is so without internet
chronyd[900]: System clock wrong by 7200.331201 seconds
  says-clock-was-wrong: The clock of this machine was 7200.3 seconds off when its time service looked
Detected falseticker 192.168.7.2 (ntp.fern.lan)
  says-time-source-wrong: The time server 192.168.7.2 tells another time than the others
ValueError: Port tcp/22623 already defined
  says-selinux-defined: SELinux has a setting of its own already: Port tcp/22623
dns_master_load: fern.lan.zone:9: api.fern.lan: CNAME and other data
  says-zone-record: api.fern.lan has a CNAME beside other records (fern.lan.zone line 9), which no zone may have
rndc: 'reload' failed: dynamic zone
  says-zone-journal: The zone is changed by updates, and its file was edited beside them
/etc/nftables.conf:12:3-8: Error: syntax error, unexpected string, expecting newline or semicolon
  says-setting-line: Line 12 of /etc/nftables.conf is not taken: syntax error, unexpected string, expecting newline or semicolon
Fatal error : Could not parse allow directive at line 12 in file /etc/chrony.conf
  says-setting-line: Line 12 of /etc/chrony.conf is not taken: Could not parse allow directive
error execution phase preflight: couldn't validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"
  says-join-token-unknown: The cluster does not know the token abcdef any more: such tokens end after a day
error execution phase preflight: couldn't validate the identity of the API Server: cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "sha256:aa" are pinned
  says-join-authority: The hash that the machine was given is not of the authority of this cluster
level=fatal msg="starting kubernetes: preparing server: bootstrap data already found and encrypted with different token"
  says-join-other-token: The data of the cluster was encrypted with another token than this server is given
level=error msg="Node password rejected, duplicate hostname or contents of '/etc/rancher/node/password' may not match server node-passwd entry, try enabling a unique node name with the --with-node-id flag"
  says-join-name-taken: The cluster knows a node of this name with another password: the machine was made anew, or two have the same
error execution phase kubelet-start: a Node with name "w1" and status "Ready" already exists in the cluster. You must delete the existing Node or change the name of this new joining Node
  says-join-name-taken: The cluster has a node w1 already
level=fatal msg="starting kubernetes: preparing server: critical configuration value mismatch between servers: cluster-cidr"
  says-join-settings-differ: This server is configured otherwise than the ones that are there: cluster-cidr
[ERROR Swap]: running with swap on is not supported. Please disable swap
  says-join-check: kubeadm does not take this machine as it is (Swap): running with swap on is not supported. Please disable swap
level=fatal msg="Failed to find memory cgroup, you may need to add \\"cgroup_memory=1 cgroup_enable=memory\\" to your linux cmdline (/boot/cmdline.txt on a Raspberry Pi)"
  says-cgroup-memory: The kernel of this machine was started without the cgroup memory
level=fatal msg="Failed to start networking: unable to initialize network policy controller: error getting node subnet: failed to find interface with specified node ip"
  says-node-address-missing: No network card of this machine has the address that it is to join with
/dev/vsock is not readable by the current user
  says-crc-check: CRC finds this host not set up for it: /dev/vsock is not readable by the current user
IDRAC.2.8.LIC501: The required license is missing or expired. Obtain an appropriate license and try again
  says-bmc-license: The management controller has no licence for what is asked of it (mostly virtual media)
Error in open session response message : insufficient resources for session
  says-bmc-sessions: The management controller has no session left: others are still open
Error: Unable to establish LAN session
  says-bmc-unreached: The management controller does not answer to IPMI
Address lookup for tide-bmc.lan failed
  says-bmc-name: The name of the management controller does not resolve: tide-bmc.lan
Could not open device at /dev/ipmi0 or /dev/ipmi/0 or /dev/ipmidev/0: No such file or directory
  says-bmc-local: This machine has no /dev/ipmi0
ironic_python_agent.errors.LookupNodeError: Error getting configuration from Ironic: Could not look up node info. Check logs for details.
  says-ironic-node-unknown: Ironic does not answer the agent on the server, or knows no host with its network cards
Failed looking up node with addresses '52:54:00:00:00:01,52:54:00:00:00:02' at https://10.9.0.3:6385: Error 404: Not Found
  says-ironic-node-unknown: knows no host with its network cards (52:54:00:00:00:01,52:54:00:00:00:02)
F0301 10:00:00.0 1200 run.go:100] failed to read configuration: error validating node.nodeIP ("10.9.0.77"): no card has it
  says-microshift-setting: MicroShift does not take its configuration or this host: error validating node.nodeIP ("10.9.0.77")
executable (4.14.2) is older than existing data (4.16.0): migration is not supported
  says-microshift-data: This MicroShift (4.14.2) does not take the data of another version (4.16.0): it does not go back
level=warning msg="tide.apps-crc.testing resolved to 127.0.0.1 but 192.168.130.11 was expected"
  says-crc-check: CRC finds this host not set up for it: tide.apps-crc.testing resolved to 127.0.0.1 but 192.168.130.11 was expected
libvirt 'crc' network definition is incorrect
  says-crc-check: CRC finds this host not set up for it: libvirt 'crc' network definition is incorrect
permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: Get "http://%2Fvar%2Frun%2Fdocker.sock/v1.24/version": dial unix /var/run/docker.sock: connect: permission denied
  says-docker-group: This user may not talk to Docker: it is not in its group, or not since this login
An error occurred: DOCKER_COMMAND_ERROR Please verify if Docker client is installed and running.
  says-docker-absent: The command needs Docker, which is not installed here, or does not run
Error response from daemon: failed to parse "X-Registry-Config" header for /build: failed to decode "X-Registry-Config": illegal base64 data at input byte 9
  says-logins-unreadable: The logins of registries that the client sends along (X-Registry-Config) cannot be read: illegal base64 data at input byte 9
unable to configure the Docker daemon with file /etc/docker/daemon.json: invalid character '}' looking for beginning of object key string
  says-docker-settings: Docker does not start with /etc/docker/daemon.json: invalid character '}' looking for beginning of object key
Error response from daemon: could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network
  says-network-pool: The addresses of the new container network are used by another network of this host
Error: readlink /var/lib/containers/storage/overlay/l/ABC: no such file or directory
  says-storage-damaged: The storage of images on this machine is damaged (/var/lib/containers/storage/overlay/l/ABC): a layer lacks
Error: mounting storage for container 77aa: creating overlay mount to /var/lib/containers/storage/overlay/ab/merged, mount_data="...": invalid argument
  says-overlay-mount: The layers of a container cannot be put together (/var/lib/containers/storage/overlay/ab/merged): invalid
Error: invalid internal status, try resetting the pause process with "podman system migrate": could not find any running process: no such process
  says-pause-process-gone: Podman of this user lost the process that holds its namespaces
ERRO[0000] User-selected graph driver "overlay" overwritten by graph driver "vfs" from database - delete libpod local files ("/home/core/.local/share/containers/storage") to resolve. May prevent use of images created by other tools
  says-graph-driver: Podman keeps images of this user with one driver, and is configured for another (overlay, vfs)
ERROR: error during connect: Get "http://%2Frun%2Ftide.sock/v1.40/info": EOF
  says-engine-ended: The container engine behind the socket /run/tide.sock took the request and ended before it answered (EOF)
Error: runc: runc create failed: unable to start container process: error during container init: error mounting "proc" to rootfs at "/proc": mount proc:/proc (via /proc/self/fd/6), flags: 0xe: operation not permitted: OCI permission denied
  says-nested-denied: The host does not let the container be set up (proc): mostly it is to run inside another container, or the
failed to start daemon: Error initializing network controller: error obtaining controller instance: failed to register "bridge" driver: failed to create NAT chain DOCKER: iptables failed: iptables -t nat -N DOCKER: iptables v1.8.7 (nf_tables): Could not fetch rule set generation id: Permission denied
  says-engine-firewall: The rules for the network of containers or virtual machines cannot be set (DOCKER): iptables or nftables
FATA[0000] validate service connection: CRI v1 runtime API is not implemented for endpoint "unix:///var/run/containerd/containerd.sock": rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService
  says-cri-off: The container runtime at unix:///var/run/containerd/containerd.sock does not serve the kubelet: its CRI part
FATA[0002] failed to connect: failed to connect, make sure you are running as root and the runtime has been started: context deadline exceeded
  says-cri-off: The container runtime does not run, or the command was not run as root
error: internal error: process exited while connecting to monitor: qemu-kvm: -drive file=/var/lib/libvirt/images/m0.qcow2: Failed to get "write" lock
  says-image-locked: The disk image /var/lib/libvirt/images/m0.qcow2 is used by another virtual machine or program
error: unsupported configuration: Unable to find 'efi' firmware that is compatible with the current configuration
  says-firmware-missing: The host of the virtual machines has no EFI firmware that fits what is asked (Secure Boot, architecture)
error: the CPU is incompatible with host CPU: Host CPU does not provide required features: avx2
  says-guest-processor: The processor of the host lacks what the virtual machine is to have: avx2
ERROR    Host does not support any virtualization options
  says-no-hypervisor: The host offers no virtualisation to libvirt: it is off in the firmware (or, in a virtual machine, not passed on to it), QEMU is not installed, or its service does not run
2026/11/03 10:11:12 [error] 2211#2211: *12 open() "/usr/share/nginx/html/rhcos/rootfs.img" failed (2: No such file or directory), client: 192.168.7.21
  says-file-not-served: The server cannot hand out /usr/share/nginx/html/rhcos/rootfs.img: it is not there
2026/11/03 10:11:12 [error] 2211#2211: *12 open() "/srv/www/bootstrap.ign" failed (13: Permission denied), client: 192.168.7.21
  says-file-not-served: The server cannot hand out /srv/www/bootstrap.ign: it may not read it (rights of the file or its folders, or
2026/11/03 10:11:12 [crit] 2211#2211: *3 connect() to 127.0.0.1:5000 failed (13: Permission denied) while connecting to upstream
  says-upstream-denied: SELinux does not let the web server connect to 127.0.0.1:5000, or its socket may not be opened
1730628672.123   5003 192.168.7.20 TCP_MISS/503 0 CONNECT quay.io:443 - HIER_NONE/- -
  says-proxy-no-way: The proxy itself does not reach quay.io:443: no address, or no way out
https://pxe.fern.lan/boot.ipxe... Permission denied (https://ipxe.org/022c6092)
  says-ipxe-not-started: iPXE may not fetch https://pxe.fern.lan/boot.ipxe: mostly it does not trust the certificate of that server,
Could not boot: Exec format error (https://ipxe.org/2e008081)
  says-ipxe-not-started: iPXE cannot start the file that it fetched: it is no kernel, script or loader that this firmware takes (BIOS
exec /opt/tide/start.sh: no such file or directory
  says-script-not-started: The script /opt/tide/start.sh cannot be started: it is not in the image, or what its first line names (#!) is not
java.lang.OutOfMemoryError: Java heap space
  says-java-heap: The Java program has too little memory of its own (Java heap space)
kex_exchange_identification: Connection closed by remote host
  says-ssh-closed: The SSH server ends the connection before any login (Connection closed by remote host): too many at once
channel 3: open failed: administratively prohibited: open failed
  says-ssh-forward: The SSH server does not allow this forwarding
rsync: connection unexpectedly closed (0 bytes received so far) [sender]
  says-rsync-no-shell: rsync got no other end: the login by ssh failed, or that machine has no rsync (the lines before tell)
skopeo: error while loading shared libraries: libgpgme.so.11: cannot open shared object file: No such file or directory
  says-library-missing: The library libgpgme.so.11 is not on this machine
curl: (22) The requested URL returned error: 404
  says-curl: The server answers with an error (The requested URL returned error: 404)
curl: (35) OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to mirror.fern.lan:8443
  says-tls-cut: mirror.fern.lan:8443 cut the connection while TLS was agreed: a proxy, firewall or balancer in between, or
fatal: detected dubious ownership in repository at '/srv/gitops'
  says-git-owner: The repository /srv/gitops belongs to another user than the one who runs git
error: failed to push some refs to 'git.fern.lan:ocp/gitops.git'
  says-git-behind: The push (git.fern.lan:ocp/gitops.git) is refused: the branch there is ahead, or may not be written
remote: GitLab: You are not allowed to push code to protected branches on this project.
  says-git-protected: The Git server does not let this account push to protected branches
fatal: repository 'https://git.fern.lan/ocp/gitop.git/' not found
  says-git-missing: There is no repository https://git.fern.lan/ocp/gitop.git/, or this login may not see it
fatal: couldn't find remote ref release-4.18
  says-git-missing: The repository has no branch or tag release-4.18
Error: Inconsistent dependency lock file
  says-terraform-init: The directory of Terraform is not initialised for what its files ask, or its lock file is of other providers
An argument named "memoryy" is not expected here.
  says-terraform-input: Terraform does not know the argument memoryy there: it is misspelt, or of another version of the provider
An input variable with the name "clusterid" has not been declared.
  says-terraform-input: The variable clusterid of Terraform is used and not declared
This configuration does not support Terraform version 0.12.31.
  says-terraform-version: These files are for another version of Terraform than 0.12.31
[WARNING]: Could not match supplied host pattern, ignoring: masters
  says-ansible-hosts: The inventory of Ansible has no host or group masters: nothing is run there
ERROR! couldn't resolve module/action 'community.libvirt.virt'. This often indicates a misspelling, missing collection, or incorrect module path.
  says-ansible-part: Ansible has no module community.libvirt.virt here
fatal: [bastion]: FAILED! => {"changed": false, "msg": "Timeout when waiting for 192.168.7.21:6443"}
  says-ansible-waited: Ansible waited in vain for 192.168.7.21:6443
Error: openstack_compute_instance_v2.fern: "network.0.floating_ip": [REMOVED] Use the moss resource instead
  says-terraform-removed: no longer knows the argument network.0.floating_ip (openstack_compute_instance_v2.fern): Use the moss
Argument names must not be quoted.
  says-terraform-removed: The files are written for a Terraform before 0.12
│ Error: Provider produced inconsistent final plan
  says-terraform-provider-fault: fails by a fault of its own (Provider produced inconsistent final plan)
fatal: [bastion]: FAILED! => {"changed": false, "msg": "Failed to find exact match for project.openshift.io/v1.Project by [kind, name, singularName, shortNames]"}
  says-ansible-kind: The API of the cluster does not offer Project of project.openshift.io/v1 to Ansible
Error: Cycle: aws_security_group.a, aws_security_group.b
  says-terraform-cycle: Resources of Terraform need each other in a circle: aws_security_group.a, aws_security_group.b
Referenced "ClusterIssuer" not found: clusterissuer.cert-manager.io "letsencrypt" not found
  says-issuer-missing: cert-manager finds no ClusterIssuer letsencrypt
Error from server (NotAcceptable): unknown (get nodes)
  says-client-other-version: mostly one of them is much older than the other. Its words: Error from server (NotAcceptable)
error: No Auth Provider found for name "oidc"
  says-client-plugin-missing: does not know the way to log in that the kubeconfig names (oidc)
Unable to connect to the server: getting credentials: exec: executable fern-login not found
  says-client-plugin-missing: The program fern-login, by which the kubeconfig lets oc log in, is not on this machine
Error: rendered manifests contain a resource that already exists. Unable to continue with install: ServiceAccount "fern" in namespace "garden" exists and cannot be imported into the current release: invalid ownership metadata
  says-release-others-object: Helm does not install what is there already and not of this release: ServiceAccount "fern"
Error: rendered manifests contain a resource that already exists. Unable to continue with install: existing resource conflict: namespace: , name: fern, existing_kind: storageClass, new_kind: storage.k8s.io/v1, Kind=StorageClass
  says-release-others-object: of this release: storageClass fern
Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress
  says-release-busy: Helm holds the release for locked
Error: UPGRADE FAILED: "fern" has no deployed releases
  says-release-name: Helm cannot upgrade the release fern
Error: INSTALLATION FAILED: failed to download "garden/fern" at version "1.2.3"
  says-chart-not-had: Helm does not get the chart garden/fern (1.2.3)
Error: repo garden not found
  says-chart-not-had: This machine knows no Helm repository garden
Error: UPGRADE FAILED: post-upgrade hooks failed: job failed: BackoffLimitExceeded
  says-hook-failed: The post-upgrade hook of the chart does not end well. Its words: UPGRADE FAILED
Error: fork/exec /home/core/fern.sh: permission denied
  says-not-executable: The machine may not run /home/core/fern.sh
chown: changing ownership of '/srv/fern': Operation not permitted
  says-owner-fixed: Owner and rights of /srv/fern cannot be changed
error: Transaction in progress: upgrade
  says-packages-locked: Another rpm-ostree works on this machine (upgrade)
rpc error: code = 2 desc = oci runtime error: exec failed: starting container process caused "process_linux.go:110: decoding init error from pipe caused "read parent: connection reset by peer""
  says-runtime-broke-off: The container runtime (runc) lost the process that it was starting
ls: reading directory .: Input/output error
  says-disk-unread: What lies on a disk or volume cannot be read or written any more (reading directory
error: Bus owner changed, aborting. This likely means the daemon crashed; check logs with journalctl -xe.
  says-ostree-daemon: The daemon of rpm-ostree ended while it worked
error: Updating rpm-md repo 'fern': cannot update repo 'fern': Cannot download repomd.xml
  says-repository-unread: The package repository fern cannot be read
fatal: [fern-0]: UNREACHABLE! => {"changed": false, "msg": "Failed to connect to the host via ssh.", "unreachable": true}
  says-ansible-unreachable: Ansible does not reach fern-0 over SSH, and does not tell why
Error from server (BadRequest): json: cannot unmarshal object into Go value of type jsonpatch.Patch
  says-patch-no-list: A patch of the type json is a list of operations
Error from server: Invalid JSON Patch
  says-patch-unread: The patch that was given is not valid JSON or YAML (Invalid JSON Patch)
External interface not usable
  says-no-way-out: Podman (pasta) finds no network card with a default route on this host
systemd[1]: depot.service: Failed to set up mount namespacing: /srv/depot: No such file or directory
  says-unit-set-up: systemd cannot start depot.service (No such file or directory): /srv/depot that it is to see is missing (ReadWritePaths=, BindPaths=), or it runs in
systemd[1]: depot.service: Changing to the requested working directory failed: No such file or directory
  says-unit-set-up: systemd cannot start depot.service (No such file or directory): its working directory is not there, or may not be entered (WorkingDirectory=)
systemd[1]: depot.service: New main PID 8123 does not belong to service, and PID file is not owned by root. Refusing.
  says-unit-set-up: systemd cannot start depot.service: its pid file names a process of somebody else (New main PID 8123 does not belong to service, and PID file is not
systemd[1]: depot.timer: Refusing to start, unit depot.service to trigger not loaded.
  says-unit-set-up: depot.timer is not started: the unit depot.service that it is to start is not there, or its file has a mistake
[MIRROR] podman-4.9.rpm: Curl error (28): Timeout was reached for http://depot.fern.lan/podman-4.9.rpm [Operation too slow. Less than 1000 bytes/sec transferred the last 30 seconds]
  says-repository-transfer: The packages do not come from http://depot.fern.lan/podman-4.9.rpm: it does not answer in time, or too slowly (Operation too slow. Less than 1000
  Insufficient free space: 2560 extents needed, but only 511 available
  says-volume-group-full: The volume group has no room for it: 511 extents are free, 2560 are asked for
NetworkManager[900]: <warn>  [1700000000.1] keyfile: load: "/etc/NetworkManager/system-connections/ens3.nmconnection": failed to load connection: invalid connection: connection.interface-name: 'ens3-very-long-name' is not a valid interface name
  says-profile-rights: NetworkManager does not take /etc/NetworkManager/system-connections/ens3.nmconnection: invalid connection: connection.interface-name:
NetworkManager[900]: <warn>  [1700000000.1] ifcfg-rh: loading "/etc/sysconfig/network-scripts/ifcfg-ens3" fails: Unknown connection type 'Fern'
  says-profile-rights: NetworkManager does not take /etc/sysconfig/network-scripts/ifcfg-ens3: Unknown connection type 'Fern'
chronyd[800]: Could not set system clock frequency : Operation not permitted
  says-clock-not-settable: The time service may not set the clock: it runs in a container, or without the right
chronyd[800]: CAP_SYS_TIME not present
  says-clock-not-settable: The time service may not set the clock: it runs in a container, or without the right
named[700]: fern.lan.db:14: unknown RR type 'AA'
  says-zone-record: Line 14 of the zone file fern.lan.db is not taken: unknown RR type 'AA'
named[700]: dns_master_load: fern.lan.db:9: unexpected end of line
  says-zone-record: Line 9 of the zone file fern.lan.db is not taken: unexpected end of line
channel 2: open failed: connect failed: Connection refused
  says-ssh-forward: The SSH connection stands, and the server at its end does not get to the place that the tunnel leads to (Connection refused)
Failed to get D-Bus connection: Operation not permitted
  says-no-systemd: No systemd runs here: mostly a container, or WSL without it
sshd[901]: /etc/ssh/sshd_config: line 77: Bad configuration option: PermitRootLogins
  says-setting-line: Line 77 of /etc/ssh/sshd_config is not taken: Bad configuration option: PermitRootLogins
AppArmor parser error for /etc/apparmor.d/usr.sbin.named in profile /etc/apparmor.d/usr.sbin.named at line 12: syntax error, unexpected TOK_ID
  says-setting-line: Line 12 of /etc/apparmor.d/usr.sbin.named is not taken: syntax error, unexpected TOK_ID
multipathd[900]: /etc/multipath.conf line 12, invalid keyword: blacklst
  says-setting-line: Line 12 of /etc/multipath.conf is not taken: invalid keyword: blacklst
mdadm: /dev/sdb1 appears to be part of a raid array
  says-disk-in-use: The disk /dev/sdb1 is not free: it is mounted, or has partitions, a file system or the signature of another use on it
mdadm: Cannot open /dev/sdb1: Device or resource busy
  says-disk-in-use: The disk /dev/sdb1 is not free: it is mounted, or has partitions, a file system or the signature of another use on it
error: Some base packages would be replaced
  says-base-replaced: A layered package needs another version of a package than the base image has
  libfern 4.4.10-2.fc31 -> 4.4.12-1.fc31 (updates)
  says-base-replaced: A layered package needs libfern 4.4.12-1.fc31 (updates), and the base image has 4.4.10-2.fc31
- Curl error (58): Problem with the local SSL certificate for https://depot.fern.lan/os/repodata/repomd.xml [could not load PEM client certificate, No such file or directory]
  says-repository-transfer: the client certificate or key (of the subscription) is not there
iscsiadm: initiator reported error (15 - session exists)
  says-iscsi-refused: The session of iSCSI is not begun (session exists): there is one already
iscsiadm: Cannot perform discovery. Initiatorname required.
  says-iscsi-refused: This machine has no name of its own for iSCSI
iscsiadm: Could not find records for [tgtname: *, portal: 10.20.0.9]
  says-iscsi-refused: Nothing is recorded of such a target on this machine (tgtname: *, portal: 10.20.0.9)
iscsiadm: Login authentication failed with target iqn.2026-01.lan.fern:disk1
  says-iscsi-refused: The target iqn.2026-01.lan.fern:disk1 does not accept the login of CHAP
iscsiadm: Could not perform SendTargets discovery: encountered connection failure
  says-iscsi-unreached: The iSCSI server does not take the connection (encountered connection failure)
`;

const LINES = SAID.trim().split('\n');
const CASES = LINES.flatMap((line, index) => {
  const [, id = '', cause = ''] = /^ {2}(says-[\w-]+): (.+)$/.exec(LINES[index + 1] ?? '') ?? [];
  return index % 2 === 0 ? [{ line, id, cause }] : [];
});

/** What tells why stands in the command that was typed. */
const TYPED = [
  {
    lead: String.raw`$ oc patch depot/main --type merge -p '{\"spec\":{\"size\": 2}}'`,
    line: 'Error from server: Invalid JSON Patch',
    id: 'says-patch-quotes',
    cause: 'between single quotes the shell hands over',
  },
  {
    lead: '$ docker compose up -d',
    line: "unknown shorthand flag: 'd' in -d",
    id: 'says-compose-missing',
    cause: `Docker takes the options of "docker compose" for its own ('d' in -d)`,
  },
  {
    lead: `$ oc patch depot/main --type=json -p '[{"op":"remove","path":"/spec/size"}]'`,
    line: 'The request is invalid: the server rejected our request due to an error in our request',
    id: 'says-patch-path',
    cause: 'The server cannot carry out an operation of the patch',
  },
];

// What servers and machines say has tables of its own.
const ELSEWHERE = [...SERVER_READINGS, ...MACHINE_READINGS];
testSaidLines(
  [...CASES, ...TYPED],
  PROGRAM_READINGS.filter((reading) => !ELSEWHERE.includes(reading)),
);

testNearLines([
  ['/dev/loop0   55M   55M     0 100% /snap/fern'],
  ['error: /etc/fern/depot.toml: the lid does not close'],
  ['Error: IPv6 is not supported for the fern driver', 'says-not-taken'],
  ['Error: invalid location: tide-north'],
  ['composefs   8.5M  8.5M     0 100% /'],
  ['/dev/sda4   50G   20G   30G  40% /srv/depot'],
  ['Error: failed to download "https://depot.fern.lan/oc.tar.gz"'],
  ['bash: /etc/hosts: Permission denied', 'says-access-denied'],
  ['No external routable interface for IPv6'],
  ['depot.service: Main process exited, code=exited, status=255/EXCEPTION'],
  ['depot.service: Main process exited, code=exited, status=203/EXEC', 'says-unit-not-run'],
  ['Unit depot.service is now unmasked'],
  ['Timed out waiting for device /dev/tpmrm0.'],
  ['depotctl must not be run as root'],
  ['/etc/multipath.conf does not exist, blacklisting all devices.'],
  ['mpatha: remaining active paths: 3'],
  ['eth0: NIC Link is Up 1000 Mbps Full Duplex'],
  ['Warning: ALREADY_ENABLED: 8443:tcp'],
  ['[WARNING]: provided hosts list is empty, only localhost is available.'],
  ['[ERROR depot]: the lid does not close'],
  ['curl: (22) The requested URL returned error: 401', 'says-login-refused'],
  ['curl: (22) The requested URL returned error: 503', 'says-server-fails'],
  ['connect() failed (111: Connection refused) while connecting to upstream', 'says-refused'],
  ['open() "/srv/www/favicon.ico" failed (2: No such file or directory)'],
  ['file /srv/tftp/pxelinux.cfg/01-52-54-00-aa-bb-cc not found for 10.9.0.7'],
  ['Server api/m1 is DOWN, reason: Layer4 timeout, check duration: 2ms.', 'says-server-down'],
  ['Complete! The package haproxy-2.4.22-3.el9.x86_64 is installed'],
  ['kernel: nfs: server nfs.fern.lan OK'],
  ['smartd[74]: Device: /dev/sda [SAT], is SMART capable. Adding to "monitor" list.'],
  ["ERROR: UNKNOWN_INTERFACE: 'tun0' is not in any zone"],
  ['cp: cannot create /srv/depot/a: Read-only file system', 'says-read-only'],
  ['Could not boot: Permission denied (https://ipxe.org/022c6092)'],
]);

test.each([
  ['Layer4 connection problem', 'nothing serves the port'],
  ['Layer6 invalid response', 'check and server do not speak the same'],
  ['Layer7 wrong status', 'what answers at the port is not what its check wants'],
])('a server that is down by %s is told so', (why, told) => {
  const line = `Server api/m1 is DOWN, reason: ${why}, check duration: 2ms.`;

  expect(readPlainly(line)?.cause).toContain(told);
});
