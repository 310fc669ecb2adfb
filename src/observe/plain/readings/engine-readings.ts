import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What container engines and virtual machines say of the host they run on. */
export const ENGINE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-runtime-broke-off',
    pattern:
      /(?:decoding (?:sync type|init error) from (?:init )?pipe|read (?:init-p|parent)): ?(?:.{0,40}read (?:init-p|parent): )?(?:caused .{0,6}read parent: )?connection reset by peer|init error from pipe caused .{0,12}connection reset by peer|running exec setns process for init caused .{0,6}exit status \d+/,
    cause: () =>
      'The container runtime (runc) lost the process that it was starting: it was killed at once (a limit of memory that is too small), or runtime, engine and kernel do not fit each other',
    remedy:
      'Look at the kernel log for a kill at that time and at the memory limit of the container; else bring container engine, runc and kernel to versions that belong together',
  },
  {
    id: 'says-docker-group',
    pattern:
      /permission denied while trying to connect to the Docker (?:daemon|API).{0,40}socket|connect to the docker API at unix:\S+: permission denied/i,
    cause: () =>
      'This user may not talk to Docker: it is not in its group, or not since this login',
    remedy: 'Add the user to the group docker and log in anew, or use sudo',
  },
  {
    id: 'says-docker-absent',
    pattern: /verify if Docker client is installed and running|requires running the docker daemon/i,
    cause: () => 'The command needs Docker, which is not installed here, or does not run',
    remedy:
      'Start Docker on this machine, or have the command give out a token ("az acr login --expose-token") and log in with podman',
  },
  {
    id: 'says-logins-unreadable',
    pattern:
      /(?:pars|decod|unmarshal)\w* \\*"?(?<header>X-Registry-(?:Config|Auth)).*: (?<why>(?:illegal|invalid|unexpected|json|cannot|EOF)[^:]{0,120}.{0,80})|invalid (?<docker>X-Registry-Auth) header: (?<said>.{3,160})/i,
    cause: (found) =>
      `The logins of registries that the client sends along (${word(found, 'header', 'docker')}) cannot be read: ${word(found, 'why', 'said')}`,
    remedy:
      'Look at the entries ("auth") of the file that the client takes them from (auth.json, ~/.docker/config.json): each is base64 of USER:PASSWORD without a line break; log out and in again where one is not',
  },
  {
    id: 'says-docker-settings',
    pattern: /unable to configure the Docker daemon with file (?<file>\S+?): (?<why>.{5,200})/,
    cause: (found) => `Docker does not start with ${word(found, 'file')}: ${word(found, 'why')}`,
    remedy:
      'Correct it ("jq . FILE"); what the unit gives as an argument may not stand in the file, too',
  },
  {
    id: 'says-docker-mirror',
    pattern: /invalid mirror: (?<why>.{5,200})/,
    cause: (found) =>
      `Docker does not take a registry mirror from its settings: ${word(found, 'why')}`,
    remedy:
      'Write each of "registry-mirrors" in daemon.json as http:// or https:// with host and port, without a path, user or query; mirrors serve Docker Hub only',
  },
  {
    id: 'says-network-pool',
    pattern:
      /non-overlapping IPv4 address pool among the defaults|Pool overlaps with other one on this address space|subnet (?<subnet>[\da-f.:/]+) is already used on the host|could not find free subnet from subnet pools/,
    cause: (found) =>
      `The addresses of the new container network${because(word(found, 'subnet'))} are used by another network of this host`,
    remedy:
      'Remove networks that nobody uses ("docker network prune"), or give it a free subnet (--subnet, default-address-pools)',
  },
  {
    id: 'says-no-way-out',
    pattern: /(?<why>External interface not usable|Couldn't pick external interface)/,
    cause: (found) =>
      `Podman (pasta) finds no network card with a default route on this host, by which its containers would go out (${word(found, 'why')})`,
    remedy:
      'Give the host a default route ("ip route"), even one to nowhere; or set default_rootless_network_cmd = "slirp4netns" in containers.conf, or run with --network host or none',
  },
  {
    id: 'says-storage-damaged',
    pattern:
      /readlink (?<link>\S+\/overlay2?\/l\/\w+): no such file|layer not known|Image (?<image>\S+) exists in local storage but may be corrupted|(?<layer>\S*\/overlay2?\/\w+\/(?:link|diff|lower)): no such file/,
    cause: (found) =>
      `The storage of images on this machine is damaged${because(word(found, 'link', 'layer', 'image'))}: a layer lacks its files, mostly since it was cut off from power`,
    remedy:
      'Remove the image and pull it again ("podman rmi -f"; "crictl rmi" on nodes); where many are so, "podman system check --repair" or reset the storage, which removes all images and containers',
  },
  {
    // The layer came: what follows is of the machine that unpacks it, whatever the words.
    id: 'says-layer-not-unpacked',
    pattern:
      /(?:failed to register layer|ApplyLayer (?:exit status \d+ )?stdout|(?:applying|extracting|unpacking) layer[^:]{0,100}|adding layer with blob \S+|failed to extract layer \S+): (?!.*(?:no space left|unexpected EOF|connection|timeout|denied by|unauthorized|digest))(?:Error processing tar file\(exit status \d+\): )?(?<why>(?:.{0,200}: )?(?:invalid argument|input\/output error|permission denied|operation not (?:permitted|supported)|no such file or directory|read-only file system|file exists|structure needs cleaning|directory not empty|function not implemented|file name too long))/i,
    cause: (found) =>
      `The layer came, and cannot be unpacked into the storage of images on this machine: ${word(found, 'why')}`,
    remedy:
      'Look at the disk and file system under the storage ("dmesg", "df -h"; no NFS, no overlay inside overlay, ext4 or xfs with ftype=1), at rights and security programs there; where the storage is damaged, remove the image and pull it again',
  },
  {
    id: 'says-archive-no-image',
    pattern: /docker-import-\d+\/(?<path>\S+)\/json: no such file/,
    cause: (found) =>
      `The archive that "docker load" was given is no saved image: it holds ${word(found, 'path')?.replace(/^repo\//, '')} where an image would be, as the file system of a container or a packed folder does`,
    remedy:
      'Save it with "docker save -o FILE IMAGE" where it comes from; what "docker export" wrote is taken in with "docker import"',
  },
  {
    id: 'says-overlay-mount',
    pattern:
      /creating overlay mount to (?<path>[^\s,]+).{0,400}: (?<why>invalid argument|permission denied|operation not permitted|too many levels of symbolic links)|(?<kernel>kernel does not support overlay fs(?!.{0,80}without d_type))/,
    cause: (found) =>
      `The layers of a container cannot be put together${because(word(found, 'path', 'kernel'))}: ${word(found, 'why') ?? 'the kernel does not allow overlay here'}`,
    remedy:
      'Its storage must lie on a local xfs (ftype=1) or ext4; inside a container use fuse-overlayfs or vfs. "dmesg" tells the reason of the kernel',
  },
  {
    id: 'says-pause-process-gone',
    pattern: /try resetting the pause process with/,
    cause: () => 'Podman of this user lost the process that holds its namespaces',
    remedy:
      '"podman system migrate"; where it repeats, let the user linger (loginctl enable-linger)',
  },
  {
    id: 'says-graph-driver',
    pattern:
      /graph driver "(?<had>\w+)" (?:does not match our graph driver|overwritten by graph driver) "(?<wants>\w+)"/,
    cause: (found) =>
      `Podman keeps images of this user with one driver, and is configured for another (${word(found, 'had')}, ${word(found, 'wants')})`,
    remedy:
      'Set the old driver in storage.conf, or "podman system reset", which removes all images and containers of this user',
  },
  {
    id: 'says-engine-ended',
    pattern: /"https?:\/\/(?<socket>%2F[\w.%-]+\.sock)\/\S*": (?<why>EOF|.{0,80}connection reset)/i,
    cause: (found) =>
      `The container engine behind the socket ${word(found, 'socket')?.replaceAll(/%2F/gi, '/')} took the request and ended before it answered (${word(found, 'why')})`,
    remedy:
      'Look at its service ("systemctl status podman.socket podman", "journalctl -u podman"): the one of Podman ends by itself after a while (--time)',
  },
  {
    id: 'says-nested-denied',
    pattern:
      /error mounting "(?<what>proc|sysfs|cgroup)" to rootfs.{0,200}operation not permitted|bpf_prog_query\((?<bpf>\w+)\) failed: operation not permitted|failed to create namespace: .{0,120}operation not permitted|(?<call>unshare\(CLONE_NEWUSER\)): Operation not permitted|mount `(?<proc>\/proc|\/sys)` to `\/\w+`: Operation not permitted|mount (?<store>\/\S+\/storage\/overlay):\S+ flags: 0x1000: (?:permission denied|operation not permitted)|(?:writ\w+|open) (?:.{1,40} to )?(?<map>\/proc\/\w+\/[ug]id_map): .*operation not permitted/,
    cause: (found) =>
      `The host does not let the container be set up${because(word(found, 'what', 'bpf', 'map', 'store', 'call', 'proc'))}: mostly it is to run inside another container${word(found, 'map') === undefined ? ', or the engine is older than the kernel' : ' that lacks a capability or a range of ids for it'}`,
    remedy:
      'Run it on the host, or give the outer container what it needs (--privileged, /dev/fuse, security_opt; for a build in a pod a constraint with SETUID, SETGID and SETFCAP); update runc or crun',
  },
  {
    id: 'says-engine-firewall',
    pattern:
      /failed to create NAT chain (?<chain>\S+): iptables failed.{0,200}: (?<why>Permission denied|[\w ]{5,60})|(?<apply>Failed to apply firewall rules) .{0,200}/,
    cause: (found) =>
      `The rules for the network of containers or virtual machines cannot be set${because(word(found, 'chain', 'apply'))}: iptables or nftables refuse it on this host`,
    remedy:
      'Look whether the module is loaded ("modprobe ip_tables nf_nat") and the kernel is the one that is installed (restart after updates); restart firewalld, then the engine',
  },
  {
    id: 'says-cri-off',
    pattern:
      /CRI v1 (?:runtime|image) API is not implemented for endpoint "?(?<end>[^"\s]+)|make sure you are running as root and the runtime has been started/,
    cause: (found) =>
      word(found, 'end') === undefined
        ? 'The container runtime does not run, or the command was not run as root'
        : `The container runtime at ${word(found, 'end')} does not serve the kubelet: its CRI part is switched off, or it is too old`,
    remedy:
      'Start it and ask as root; containerd: remove "cri" from disabled_plugins in /etc/containerd/config.toml, and restart it',
  },
  {
    id: 'says-image-locked',
    pattern:
      /(?:file=(?<file>[^\s,:]+).{0,200})?Failed to get (?:shared )?"(?:write|consistent read)" lock|Is another process using the image \[?(?<image>[^\]?\s]+)/,
    cause: (found) =>
      `The disk image${named(word(found, 'image', 'file'))} is used by another virtual machine or program`,
    remedy: 'Stop that one ("fuser -v FILE", "virsh list"), or give this machine a copy',
  },
  {
    id: 'says-firmware-missing',
    pattern: /Unable to find '(?<kind>\w+)' firmware that is compatible/,
    cause: (found) =>
      `The host of the virtual machines has no ${word(found, 'kind')?.toUpperCase()} firmware that fits what is asked (Secure Boot, architecture)`,
    remedy: 'Install edk2-ovmf (edk2-aarch64), or leave Secure Boot or the firmware choice out',
  },
  {
    id: 'says-guest-processor',
    pattern: /Host CPU does not provide required features: (?<what>[\w., -]{2,120})/,
    cause: (found) =>
      `The processor of the host lacks what the virtual machine is to have: ${word(found, 'what')}`,
    remedy: 'Give the machine the processor of its host (cpu mode host-passthrough or host-model)',
  },
  {
    id: 'says-no-hypervisor',
    pattern: /Host does not support any virtualization options/,
    cause: () =>
      'The host offers no virtualisation to libvirt: it is off in the firmware (or, in a virtual machine, not passed on to it), QEMU is not installed, or its service does not run',
    remedy:
      '"virt-host-validate qemu" tells which: where /dev/kvm is missing, switch on VT-x or AMD-V, or nested virtualisation of the host above; else install qemu-kvm and start virtqemud or libvirtd',
  },
  {
    id: 'says-file-not-served',
    pattern:
      /open\(\) "(?<path>(?!\S*(?:favicon|robots))[^"]+)" failed \((?<code>2|13): (?<why>[^)]+)\)|access to (?<url>\/\S*) denied \(filesystem path '(?<apache>[^']+)'\)|(?:cannot access|\bfile) (?<tftp>\/(?!\S*(?:pxelinux\.cfg|grub\.cfg|\/\d\d-))[^\s:]+):? (?<said>not found for|Permission denied)|(?<nak>sending NAK \(1, File not found\))/,
    cause: (found) =>
      `The server cannot hand out ${word(found, 'path', 'apache', 'tftp') ?? 'the file that is asked for'}: ${/2|not found/i.test(word(found, 'code', 'said', 'nak') ?? '') ? 'it is not there' : 'it may not read it (rights of the file or its folders, or SELinux)'}`,
    remedy:
      'Put the file there, readable for the server: "namei -l PATH" shows the rights, "restorecon -Rv" sets the labels',
  },
  {
    id: 'says-upstream-denied',
    pattern:
      /connect\(\) to (?<end>\S+) failed \(13: Permission denied\) while connecting to upstream/,
    cause: (found) =>
      `SELinux does not let the web server connect to ${word(found, 'end')}, or its socket may not be opened`,
    remedy: '"setsebool -P httpd_can_network_connect 1"; of a socket, look at its rights',
  },
  {
    id: 'says-proxy-no-way',
    pattern: /TCP_(?:MISS|TUNNEL)\/50[34] \d+ \w+ (?<site>\S+) - HIER_NONE/,
    cause: (found) =>
      `The proxy itself does not reach ${word(found, 'site')}: no address, or no way out`,
    remedy:
      'On the proxy: look up that name and connect to it; without internet, mirror what is asked for',
  },
  {
    id: 'says-ipxe-not-started',
    pattern:
      /Exec format error \(https?:\/\/ipxe\.org|(?<url>https:\/\/\S+?)\.{3} ?Permission denied \(https?:\/\/ipxe\.org/,
    cause: (found) =>
      word(found, 'url') === undefined
        ? 'iPXE cannot start the file that it fetched: it is no kernel, script or loader that this firmware takes (BIOS or UEFI, architecture)'
        : `iPXE may not fetch ${word(found, 'url')}: mostly it does not trust the certificate of that server, else the server forbids it`,
    remedy:
      'Name the file for this firmware; serve boot files by plain HTTP, or build iPXE with the authority (TRUST=)',
  },
  {
    // The kernel says so of what the first line of a script names, too.
    id: 'says-script-not-started',
    pattern:
      /\bexec:? \\*"?(?<script>\/[^\s:"\\]+\.(?:sh|bash|py|pl))\\*"?: no such file or directory/,
    cause: (found) =>
      `The script ${word(found, 'script')} cannot be started: it is not in the image, or what its first line names (#!) is not, as with the line ends of Windows`,
    remedy:
      'See that the file is copied to that path, that its first line names a shell that the image has, and that its lines end without a carriage return (dos2unix)',
  },
  {
    id: 'says-java-heap',
    pattern: /OutOfMemoryError: (?<what>[\w ]{4,60})/,
    cause: (found) => `The Java program has too little memory of its own (${word(found, 'what')})`,
    remedy: 'Raise its heap (-Xmx, INSTALL4J_ADD_VM_PARAMS of Nexus), within what the machine has',
  },
];
