import { because, named, type PlainReading, word } from '../plain-reading.ts';
import { ROOM_READINGS } from './room-readings.ts';

/** What the machine itself lacks or refuses. */
export const HOST_READINGS: readonly PlainReading[] = [
  ...ROOM_READINGS,
  {
    id: 'says-other-architecture',
    pattern: /exec format error|cannot execute binary file/i,
    cause: () => 'A program or image is of another processor architecture than the machine',
    remedy:
      'Use the one built for this architecture, or an image of several ("oc image info" shows which)',
  },
  {
    id: 'says-old-processor',
    pattern: /CPU does not support x86-64-v(?<level>\d)|illegal instruction/i,
    cause: (found) =>
      `The processor is too old for the program${because(word(found, 'level') && `it wants x86-64-v${found.groups.level}`)}, or the hypervisor shows it as an older one`,
    remedy:
      'Give the virtual machine the processor of its host ("host" instead of "qemu64"), or use a newer machine',
  },
  {
    id: 'says-old-library',
    pattern:
      /version [`'](?<library>GLIBC\w*_[\d.]+)['`] not found|\b(?<bare>GLIBC\w*_[\d.]+) not found/i,
    cause: (found) =>
      `The program was built for a newer system than this one${because(word(found, 'library', 'bare'))}`,
    remedy: 'Use the build for this system (for RHEL 8, where there is one), or a newer system',
  },
  {
    id: 'says-program-missing',
    pattern:
      /exec: \\*"(?<exec>[^"\\]+)\\*": (?:executable file not found|stat)|(?<shell>[\w.+-]+): command not found|\b(?:ba|z|da|k)?sh: (?:line )?(?:\d+: )?(?<plain>[\w.+/-]+): not found(?=\s*(?:$|["\\]))|failed to run command ['‘](?<coreutils>[^'’]+)['’]: No such file|executable file `(?<crun>[^`]+)` not found in|OCI runtime attempted to invoke a command that was not found|(?<python>[\w.-]+): No such file or directory: '|'(?<windows>[\w.\\/-]+)' is not recognized as (?:an internal or external command|(?:the|a) name of a cmdlet)/i,
    cause: (found) =>
      `The program${named(word(found, 'exec', 'shell', 'plain', 'coreutils', 'crun', 'python', 'windows'))} is not there`,
    remedy: 'Install it, or put it on the PATH; in a container, use an image that has it',
  },
  {
    id: 'says-device-missing',
    pattern:
      /config drive \("?(?<drive>[^")]+)"?\) not found|(?<path>\/dev\/[\w./-]+(?::[\w.-]+)*)["']?:? (?:was |is )?(?:not found|does not exist|is not a block device)|can't find (?<label>(?:LABEL|UUID)=\S+)/i,
    cause: (found) =>
      `The disk or device${named(word(found, 'drive', 'path', 'label'))} is not there`,
    remedy:
      'See what there is ("lsblk -f", "ls /dev/disk/by-label"), and name that one; of a virtual machine, attach it',
  },
  {
    id: 'says-driver-firmware',
    pattern:
      /(?<driver>[\w-]+) [\da-f:.]{7,14}: Direct firmware load for (?<file>\S+) failed with error -2\b|Can't load firmware file (?<named>\S+)/,
    cause: (found) =>
      `The driver${named(word(found, 'driver'))} finds no firmware ${word(found, 'file', 'named')} for its device`,
    remedy:
      'Install the package that has it (linux-firmware), and make the initramfs anew ("dracut -f") where the device is needed at boot; where the device works all the same, an older firmware was found',
  },
  {
    id: 'says-card-missing',
    pattern:
      /unknown interface (?<dnsmasq>[\w.@-]+)|interface (?<keepalived>[\w.@-]+) for vrrp_instance \S+ doesn't exist|Can't find interface (?<track>\S+) for vrrp_instance|\(Line \d+\) \(\S+\) interface (?<vrrp>\S+) doesn't exist|Cannot find device "(?<ip>[^"]+)"|could not open network device (?<ovs>\S+) \(No such device\)/,
    cause: (found) =>
      `There is no network card ${word(found, 'dnsmasq', 'keepalived', 'track', 'vrrp', 'ip', 'ovs')} on this machine, or not yet`,
    remedy:
      '"ip -br link" shows what there is: name that one in the configuration; where it only comes up later, let the service start after network-online.target',
  },
  {
    id: 'says-program-not-run',
    pattern:
      /Failed at step EXEC spawning (?<path>\S+?): (?<why>.{3,80})|Unable to locate executable '(?<executable>[^']+)': (?<reason>.{3,80})/,
    cause: (found) => {
      const why = word(found, 'why', 'reason') ?? '';
      return `systemd cannot start the program${named(word(found, 'path', 'executable'))}${because(why)}: ${notRun(why)}`;
    },
    remedy:
      'Look at ExecStart of the unit ("systemctl cat UNIT"): install that program, or correct its path, rights and SELinux label ("ls -lZ", restorecon)',
  },
  {
    id: 'says-unit-not-run',
    isGeneral: true,
    pattern: /(?<unit>[\w@.-]+\.service): .{0,60}status=203\/EXEC|status=203\/EXEC/,
    cause: (found) =>
      `systemd cannot start the program of${named(word(found, 'unit')) || ' a unit'}: it is not there, or may not be run`,
    remedy:
      'Look at ExecStart of the unit ("systemctl cat UNIT"): install that program, or correct its path, rights and SELinux label ("ls -lZ", restorecon)',
  },
  {
    id: 'says-no-own-address',
    pattern: /DHCP packet received on (?<card>\S+) which has no address/,
    cause: (found) =>
      `The DHCP server cannot answer on ${word(found, 'card')}: this network card has no address of its own`,
    remedy: 'Give the card an address in the network that is to be served, then restart the server',
  },
  {
    id: 'says-docker-down',
    pattern:
      /Is (?:the )?docker(?: daemon)? running(?: on this host)?\?|Cannot connect to the Docker daemon|Failed to query Docker API/i,
    cause: () => 'Docker does not run on this host, or this user may not talk to it',
    remedy:
      'Start it ("systemctl start docker"), and put the user into its group; where podman is used instead, name its socket (DOCKER_HOST)',
  },
  {
    id: 'says-docker-argument',
    pattern: /did not detect an? (?<flag>--[\w-]+) argument on the Docker daemon/i,
    cause: (found) => `The Docker daemon of this host runs without ${word(found, 'flag')}`,
    remedy: 'Give it the argument that the message shows (daemon.json, its unit), and restart it',
  },
  {
    id: 'says-key-unreadable',
    pattern:
      /^(?!.*failed to initialize the SSH agent).*(?:failed to parse SSH private key|cannot decode encrypted private keys?|this private key is passphrase protected)/i,
    cause: () => 'An SSH private key cannot be read: it is encrypted with a passphrase, or no key',
    remedy: 'Add it to ssh-agent ("ssh-add"), or give one without a passphrase',
  },
  {
    id: 'says-is-directory',
    pattern:
      /(?:open|read|stat)\w* (?<path>\/[^\s:'"]+): is a directory|(?<bare>\/[^\s:'"]+): Is a directory/i,
    cause: (found) => `${word(found, 'path', 'bare')} is a directory, and a file is wanted there`,
    remedy:
      'Remove the directory and put the file there; a container that mounts a file which is not there makes such a directory',
  },
  {
    id: 'says-encoding',
    pattern:
      /codec can't (?:en|de)code (?:characters?|bytes?) .{0,60}|invalid (?:UTF-8|byte sequence)|illegal base64 data/i,
    cause: () => 'A text is encoded in another way than the program expects (characters, base64)',
    remedy:
      'Look for letters outside of ASCII in names, user and password, and for a secret that was encoded wrongly (base64 of the text itself, without a line break)',
  },
  {
    id: 'says-no-virtualisation',
    pattern:
      /could not access KVM kernel module|\/dev\/kvm|KVM (?:is )?not (?:available|supported)|domain type ['"]?kvm|virtualization (?:is )?(?:not|disabled)|VERR_(?:VMX|SVM)_\w+|(?:VT-x|AMD-V) is (?:not available|disabled)|the hypervisor is not running/i,
    cause: () => 'This machine offers no hardware virtualisation',
    remedy:
      'Turn it on in the firmware; inside a virtual machine, allow nested virtualisation on its host',
  },
  {
    id: 'says-cgroup-missing',
    pattern:
      /\/sys\/fs\/cgroup\/(?:\S*user-(?<user>\d+)\.slice)?\S*\/(?<file>pids|memory|cpu|cpuset|io)\.[\w.]+['"`]?: no such file|cgroup controller `(?<controller>\w+)` is not available|controller `(?<crun>\w+)` is not available under/i,
    cause: (found) =>
      `${word(found, 'user') === undefined ? 'The container' : `The user ${word(found, 'user')}`} may not use the cgroup controller ${word(found, 'file', 'controller', 'crun')}: it was not handed down to this part of the tree`,
    remedy:
      'Let systemd hand it down to users (Delegate= in a drop-in of user@.service), and log in by a session of its own; "cat cgroup.controllers" there shows which are',
  },
  {
    id: 'says-no-session',
    pattern:
      /there is no systemd user session available|you can enable lingering with: .?loginctl enable-linger/i,
    cause: () =>
      'This user has no systemd session, so containers without root are run without it (cgroupfs)',
    remedy:
      'Log in by ssh as that user (not by su or sudo), or enable lingering for it ("loginctl enable-linger USER")',
  },
  {
    id: 'says-socket-path-denied',
    pattern:
      /UNIX sockets?\W.{0,40}permission denied\)?:? \[(?<path>\/[^\]]+)\]|listen unix (?<go>\/\S+?): bind: permission denied/i,
    cause: (found) =>
      `The program may not make its socket ${word(found, 'path', 'go')}: SELinux, or the rights of the folder`,
    remedy:
      '"ausearch -m avc" shows what SELinux forbade, which is all that stops a service that root starts; else look at the owner of the folder ("ls -ldZ")',
  },
  {
    id: 'says-port-denied',
    pattern:
      /(?:could not listen on (?:UDP|TCP) socket|cannot bind(?: to)?(?: UNIX)? socket|bind\(\)? to \S+ failed|\bbind)\b.{0,40}permission denied\)?(?: \[(?<end>[^\]]+)\])?/i,
    cause: (found) =>
      `The program may not listen at${named(word(found, 'end')) || ' this port or socket'}: a port below 1024 without the right to it, or SELinux`,
    remedy:
      'Run it as root or with CAP_NET_BIND_SERVICE, or take a higher port; "ausearch -m avc" shows what SELinux forbade (semanage port, setsebool)',
  },
  {
    id: 'says-ssh-server-keys',
    pattern: /no hostkeys available -- exiting/,
    cause: () => 'The SSH server has no host keys that it can read, and does not start',
    remedy: 'Make them ("ssh-keygen -A"), and look at their owner and rights (root, 0600 or 0640)',
  },
  {
    id: 'says-not-bound',
    pattern:
      /cannot bind (?:UNIX |to )?socket(?: \((?<why>Cannot assign requested address)\))?(?: for)? \[(?<end>[^\]]+:\d+)\]|bind\(\) to (?<nginx>\S+:\d+) failed \(99: (?<reason>[^)]+)\)|listen tcp (?<go>\S+:\d+): bind: (?<said>cannot assign requested address)/i,
    cause: (found) => {
      const why = word(found, 'why', 'reason', 'said');
      return `The program cannot listen at ${word(found, 'end', 'nginx', 'go')}${because(why)}: ${why === undefined ? 'the address is not one of this machine, or the port is taken' : 'the address is not one of this machine, or not yet'}`;
    },
    remedy:
      '"ip -br address" shows what this machine has, "ss -ltnp" who has the port; for an address that comes later (keepalived), set net.ipv4.ip_nonlocal_bind',
  },
  {
    id: 'says-firewall',
    pattern:
      /(?<rule>[\w-]*(?:REJECT|DROP|DENY|BLOCK)[\w-]*)\W{1,3}IN=(?<in>\S*) OUT=(?<out>\S*) .*SRC=(?<from>\S+) DST=(?!\S+\.255\b|2[23]\d\.)(?<to>\S+)(?:.*DPT=(?<port>\d+))?/,
    cause: (found) =>
      `The firewall of this machine (${word(found, 'rule')}) turns away what comes from ${word(found, 'from')} for ${word(found, 'to')}${named(word(found, 'port') && `port ${found.groups.port}`)}`,
    remedy:
      'Allow it: open the port or trust the interface in the zone ("firewall-cmd --list-all"), or correct the rule that the line names',
  },
  {
    id: 'says-selinux',
    pattern:
      /SELinux is preventing (?<what>\S+ from .{3,160}?)(?:\.(?: For|\s|$)|$)|avc: +denied +\{ (?<action>[^}]+) \}(?!.*permissive=1) for .{0,80}comm="?(?<comm>[^"\s]+)"?(?: (?:name|path)="?(?<file>[^"\s]+)"?)?(?: (?:dest|src)=(?<port>\d+))?(?:.*tcontext=\S+?:\w+:(?<label>\w+_t)\b)?/,
    cause: (found) =>
      word(found, 'what') === undefined
        ? `SELinux denies ${word(found, 'comm')} an access (${word(found, 'action')}${named(word(found, 'port') && `port ${word(found, 'port')}`)}${named(word(found, 'label') && `on what has the label ${word(found, 'label')}`)})${because(word(found, 'file'))}`
        : `SELinux keeps ${word(found, 'what')}`,
    remedy:
      '"ausearch -m avc -ts recent | audit2why" says what would allow it: a label (restorecon), a boolean (setsebool) or a port (semanage)',
  },
  {
    id: 'says-program-forbidden',
    pattern: /\b(?:ba|z|k|da)?sh: (?:line \d+: )?(?<path>\/[^\s:]+): Operation not permitted$/,
    cause: (found) =>
      `This machine does not let ${word(found, 'path')} run, though its rights may allow it: a list of trusted programs (fapolicyd) or another security module forbids it`,
    remedy:
      'See "systemctl status fapolicyd" and its log ("fapolicyd --debug-deny"); "fapolicyd-cli --file add PATH" trusts the file. Look also at "lsattr" of it',
  },
  {
    id: 'says-container-set-up-denied',
    pattern:
      /(?:crun|runc|container \S+): (?<what>[^:]{4,200}): (?:Permission denied|Operation not permitted): OCI permission denied/i,
    cause: (found) =>
      `The runtime may not set up the container (${word(found, 'what')}): it runs inside another container that lacks a privilege, its storage belongs to another user or range of ids, or SELinux or AppArmor forbids it`,
    remedy:
      'Look at denials ("ausearch -m avc -ts recent", "journalctl -k | grep DENIED") and at owner and label of the storage ("ls -ldZ"); where ids were changed, "podman system migrate"; inside a container, give that one the privilege',
  },
  {
    id: 'says-capability-missing',
    pattern:
      /(?:^|[\s:])(?<call>chroot|unshare|setns|mknod|pivot_root|sethostname|mount namespacing|capset)(?:\(\))?:? (?:failed: )?Operation not permitted/,
    cause: (found) =>
      `The program may not do what it begins with (${word(found, 'call')}): it does not run as root, or in a container without that privilege`,
    remedy:
      'Run it as root on a host; in a container give it the capability (--cap-add, such as SYS_CHROOT or SYS_ADMIN), or choose a program that does without',
  },
  {
    id: 'says-access-denied',
    pattern:
      /(?:open|mkdir|stat|lstat|exec|chmod|chown|rename|unlink|remove|create|write|read|access|creat)\w*:? (?:to |(?:\w+ )?directory )?['"`]?(?<path>\/[^\s:'"`]+)['"`]?: (?:permission denied|operation not permitted)|(?:rename|open|remove|mkdir|CreateFile|chdir)\w* (?<windows>[a-z]:\\[^\s:"]{1,200})(?: [a-z]:\\[^:"]{1,200})?: Access is denied|permission denied(?!.*ipxe\.org)|operation not permitted(?!.*ipxe\.org)|\bEACCES\b|\bEPERM\b/i,
    cause: (found) =>
      `The machine refuses access${because(word(found, 'path', 'windows'))}: ${refusedFor(word(found, 'path'), word(found, 'windows'))}`,
    remedy:
      'Look at owner and rights ("ls -lZ") of the file and its folders, and at "ausearch -m avc" for SELinux',
  },
  {
    id: 'says-busy',
    pattern:
      /device or resource busy|target is busy|(?:image|layer|volume|network) is (?:in use by|being used)|database file is already in use|boltdb file is already in use|Error acquiring the state lock|could not get lock|(?:is|are) locked by|lock(?:ed)? (?:is )?held by|\bEBUSY\b/i,
    cause: () => 'Something else is using it: it is locked or busy',
    remedy: 'Let the other run end, or end it ("fuser", "lsof"); then begin again',
  },
];

/** What the kernel keeps in /proc and /sys is refused for other reasons than what lies on a disk. */
function refusedFor(path: string | undefined, windows: string | undefined): string {
  if (windows !== undefined) return 'rights of the file, or another program that holds it';
  return /^\/(?:proc|sys)\//.test(path ?? '')
    ? 'the program is not root, or runs in a container without the privilege for it'
    : `rights of ${path === undefined ? 'a file, or of the account that asks' : 'the file'}, or SELinux`;
}

/** What systemd means by the reason it has from the kernel. */
function notRun(why: string): string {
  if (/permission denied/i.test(why))
    return 'it may not be run (its rights, those of its folders, or its SELinux label)';
  return /no such file/i.test(why)
    ? 'it is not there, or what it is run by is not'
    : 'it is not there, or may not be run';
}
