import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What container engines say that do not start, or do not take what they are asked for. */
export const ENGINE_START_READINGS: readonly PlainReading[] = [
  {
    id: 'says-engine-api',
    pattern:
      /client version (?<client>[\d.]+) is too (?<how>old|new)\. M\w+ supported API version is (?<api>[\d.]+)|server API version is too old\. Client "(?<asks>[^"]+)" server "(?<has>[^"]+)"/i,
    cause: (found) =>
      `Client and container engine do not speak the same version of the API: the client asks by ${word(found, 'client', 'asks')}, the engine ${word(found, 'how') === 'old' ? 'takes none before' : 'goes up to'} ${word(found, 'api', 'has')}`,
    remedy:
      'Bring the older one up to date (a client inside a program or image counts, too), or set DOCKER_API_VERSION to a version that both know',
  },
  {
    id: 'says-storage-driver',
    pattern:
      /(?<several>\S+ contains several valid graphdrivers: [^;]{3,80})|initializing graphdriver: driver not supported(?:: (?<driver>\w+))?|(?<kernel>'overlay' not found as a supported filesystem)|(?<type>\S+ does not support d_type|the backing \w+ filesystem is formatted without d_type support)|(?<quota>--storage-opt .{0,60}overlay over xfs with 'pquota')/,
    cause: (found) => {
      const driver = word(found, 'driver');
      const why = word(found, 'several', 'kernel', 'type', 'quota');
      return `The engine cannot use the storage of images as it is set up: ${why ?? `the driver${named(driver)} does not work on this file system or kernel`}`;
    },
    remedy:
      'Put the storage on a local xfs with ftype=1 (and pquota, where sizes are limited) or ext4, load the module overlay ("modprobe overlay"; restart after a new kernel), and name one driver in the settings where an older one left its folder',
  },
  {
    id: 'says-cgroups-not-set-up',
    pattern:
      /(?<devices>Devices cgroup isn't mounted|cgroup mountpoint does not exist)|(?<wants>requires cgroup v2)|(?<path>\/sys\/fs\/cgroup[^\s:`'"]*)[`'"]?: Read-only file system/i,
    cause: (found) =>
      `The control groups of this host are not as the container engine needs them${because(word(found, 'devices', 'wants', 'path'))}: they are not mounted, are of the old version, or may only be read, as inside another container`,
    remedy:
      'On the host: systemd mounts them ("mount -t cgroup2", "stat -fc %T /sys/fs/cgroup"; systemd.unified_cgroup_hierarchy=1 switches to version 2); inside a container run it with --privileged, or podman with --cgroups=disabled',
  },
  {
    id: 'says-engine-not-root',
    pattern:
      /(?<who>dockerd) needs to be started with root|(?<nerd>rootless containerd) not running\?|(?<build>rootless mode) requires to be executed as the mapped root|cannot access containerd socket "(?<socket>[^"]+)": permission denied/,
    cause: (found) =>
      `The engine is asked for as a user who is not root, and is not set up for that (${word(found, 'who', 'nerd', 'build', 'socket')})`,
    remedy:
      'Run it as root, or set up the engine for this user first (dockerd-rootless-setuptool.sh, containerd-rootless-setuptool.sh install, rootlesskit)',
  },
  {
    id: 'says-runtime-unknown',
    pattern:
      /unknown or invalid runtime name: (?<docker>\S+)|unknown or unsupported runtime: (?<nerd>\S+)|could not select device driver "(?<device>[^"]*)" with capabilities: \[\[(?<what>\w+)/,
    cause: (found) =>
      `The container engine of this machine has no runtime or driver ${word(found, 'docker', 'nerd', 'device', 'what')}: it is not installed, or not in its settings`,
    remedy:
      'Install it (for GPUs nvidia-container-toolkit, then "nvidia-ctk runtime configure") and restart the engine, or ask for the usual runtime',
  },
  {
    id: 'says-mount-kinds',
    pattern:
      /error mounting \\*"(?<source>[^"\\]+)\\*" to rootfs at \\*"(?<target>[^"\\]+)\\*".{0,300}not a directory|Are you trying to mount a directory onto a file/,
    cause: (found) =>
      `A path of the host${named(word(found, 'source'))} is to be mounted over ${word(found, 'target') ?? 'one of the image'}, and one of them is a file, the other a directory: mostly the file is not there on the host, and the engine made a directory in its place`,
    remedy:
      'Remove the empty directory on the host, put the file there, and start the container again; check the order of the paths (host first)',
  },
  {
    id: 'says-container-name',
    pattern:
      /container name "\/?(?<name>[^"]+)" is already in use by (?:container )?"?(?<id>[\w.-]{1,16})/i,
    cause: (found) =>
      `There is a container by the name ${word(found, 'name')} already (${word(found, 'id')}), of an earlier run, perhaps stopped`,
    remedy: 'Start that one, or remove it ("podman rm -f NAME"; --replace) and run again',
  },
  {
    id: 'says-apparmor',
    pattern: /AppArmor enabled on system but the (?<profile>\S+) profile could not be loaded/,
    cause: (found) =>
      `The container engine may not load its AppArmor profile (${word(found, 'profile')}) on this host: mostly the engine runs inside another container, which may not, or apparmor_parser is missing`,
    remedy:
      'Give the outer container the right (security.nesting for LXC, --privileged), or install the package apparmor on the host',
  },
  {
    id: 'says-containerd-settings',
    pattern:
      /(?<version>expected containerd config version equal to or less than .{1,3}\d+.{1,3} got .?\d+`?)|(?<clash>`?mirrors`? cannot be set when `?config_path`? is provided)|failed to (?:decode|load|parse) (?<hosts>\S*hosts\.toml)\b.{0,20}(?:error="?)?(?<why>.{0,160})/,
    cause: (found) =>
      word(found, 'hosts') === undefined
        ? `containerd does not take its settings (config.toml): ${word(found, 'version', 'clash')}`
        : `containerd cannot read ${word(found, 'hosts')}, so it does not know the mirrors or authorities of that registry${because(word(found, 'why'))}`,
    remedy:
      'Mirrors stand in one place only: config_path = "/etc/containerd/certs.d" and below it REGISTRY/hosts.toml; "containerd config default" shows the version that this containerd writes',
  },
  {
    id: 'says-pull-stalled',
    pattern:
      /cancel pulling image "?(?<image>\S+?)"? because of no progress in (?<time>\w+)|failed to pull image "?(?<cri>\S+?)"?:? .{0,80}context deadline exceeded: no progress/,
    cause: (found) =>
      `The pull of ${word(found, 'image', 'cri')} was broken off: nothing more came for ${word(found, 'time') ?? 'too long'}, from the registry or a proxy in between`,
    remedy:
      'Look at the way to the registry (proxy, MTU, its load and disk) with a large layer by hand; image_pull_progress_timeout gives it more time',
  },
  {
    // The kernel calls a quota of keys a full disk.
    id: 'says-keyring-full',
    pattern:
      /(?:join keyctl|session key(?:ring)?)\b.{0,80}: (?:os: process\S* )?disk quota exceeded/i,
    cause: () =>
      'No disk is full: the user has all the keys that the kernel gives one (each container takes one)',
    remedy:
      'Raise kernel.keys.maxkeys and maxbytes ("cat /proc/key-users" shows what is used), or let containers do without ([containers] keyring=false in containers.conf)',
  },
  {
    id: 'says-runtime-other-version',
    pattern:
      /(?<child>write child: broken pipe)|crun: (?<version>unknown version specified)|(?<conmon>conmon (?:failed|exited prematurely)[^"]{0,60})/,
    cause: (found) =>
      `The program that starts the container ended at once (${word(found, 'child', 'version', 'conmon')}): mostly runtime (crun, runc) or conmon are of another version than podman needs, or are not whole`,
    remedy:
      'Bring podman, conmon and crun or runc to versions that belong together (one source of packages); "podman --log-level=debug run …" and the journal show what it said',
  },
  {
    id: 'says-owner-outside',
    pattern: /\blchown (?<path>[^:]{1,200}): invalid argument/,
    cause: (found) =>
      `${word(found, 'path')} belongs, in the image, to a user or group that this container engine has no id for: it runs without root or with mapped ids, and the range it was given (/etc/subuid, /etc/subgid) does not go so far`,
    remedy:
      'Give the user a wider range (65536 at least; "podman system migrate" afterwards) where the id is an ordinary one; where the image has ids of many digits, have it built with sane owners, or pull it as root',
  },
  {
    id: 'says-engine-bridge',
    pattern:
      /netavark: (?:.{0,80}: )?(?<bridge>create (?:bridge|veth).{0,60}(?:Operation not supported|Unknown device type)[^)"]{0,20})|netavark: (?<nft>nftables error: .{3,120})|(?:aardvark-dns failed to start|failed to bind udp listener on) .{0,160}?(?<end>[\d.a-f:]+:53)\b.{0,40}Address already in use/,
    cause: (found) =>
      word(found, 'end') === undefined
        ? `Podman cannot make the network of the container: ${word(found, 'bridge', 'nft')}. The kernel has not what it needs, often since it was updated without a restart, or nft is missing or refuses`
        : `The name server of Podman's networks (aardvark-dns) cannot listen at ${word(found, 'end')}: another name server of this host has that port on all addresses`,
    remedy:
      'Restart after a kernel update, and load bridge, veth and nf_tables; for names let the other server (dnsmasq, named) listen at its own address only, or set dns_bind_port in containers.conf',
  },
  {
    id: 'says-cgroup-managers',
    pattern:
      /configured with (?<has>systemd|cgroupfs) cgroup manager, but (?:did not receive slice|received systemd slice) as parent/,
    cause: (found) =>
      `Kubelet and container runtime manage control groups in different ways: the runtime by ${word(found, 'has')}, the kubelet by ${word(found, 'has') === 'systemd' ? 'cgroupfs' : 'systemd'}`,
    remedy:
      'Set both alike, by systemd: cgroupDriver in the configuration of the kubelet, cgroup_manager in /etc/crio/crio.conf.d (SystemdCgroup = true for containerd), then restart both',
  },
  {
    id: 'says-memory-limit-low',
    pattern: /set memory limit (?<has>\d+) too low; should be at least (?<wants>\d+)/,
    cause: (found) =>
      `The memory limit of the container (${word(found, 'has')} bytes) is below what the runtime itself needs to start one (${word(found, 'wants')} bytes): mostly the unit is missing behind the number`,
    remedy: 'Raise the limit, and write its unit (64Mi, not 64 or 64m)',
  },
  {
    id: 'says-short-name-ambiguous',
    pattern: /short name mode is enforcing, but image name (?<image>\S+) returns ambiguous list/,
    cause: (found) =>
      `The image ${word(found, 'image')} is named without its registry, and several registries of this machine could be meant`,
    remedy:
      'Name it in full (REGISTRY/PATH:TAG); else leave one registry in unqualified-search-registries, or set short-name-mode = "permissive" in registries.conf',
  },
];
