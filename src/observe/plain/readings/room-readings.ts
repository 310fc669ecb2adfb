import { because, named, type PlainReading, word } from '../plain-reading.ts';

const RAISE_LIMIT =
  'Raise the limit of that container (resources.limits.memory) or slice (MemoryMax, systemReserved), or see why the process takes so much';

/** What a machine has run out of: room, memory, ports, files. */
export const ROOM_READINGS: readonly PlainReading[] = [
  {
    id: 'says-disk-full',
    pattern:
      /(?<!\/sys\/fs\/cgroup\/[^\s:]{1,300}: )no space left on device|\bErr(?:no)?:? ?28\b|disk quota exceeded|not enough (?:free )?(?:disk )?space|insufficient (?:disk|storage|free) space|ENOSPC(?!.{0,80}\bwatch)|(?<!No)DiskPressure(?!\s+False)|(?<!no )disk pressure/i,
    cause: () => 'A disk is full, or nearly so',
    remedy:
      'Make room, or point the work at a larger disk: "df -h" and "df -i" show which one is full',
  },
  {
    id: 'says-memory-limit',
    pattern:
      /oom-kill:constraint=CONSTRAINT_MEMCG,.{0,200}oom_memcg=(?<cgroup>[^,]{1,200}),.{0,300}task=(?<task>[^,]{1,40})/,
    cause: (found) =>
      `The memory that ${word(found, 'cgroup')} may use is used up, and the kernel killed ${word(found, 'task')} there; the machine itself need not be short of it`,
    remedy: RAISE_LIMIT,
  },
  {
    // The kernel names the container or slice in another line.
    id: 'says-memory-limit-reached',
    isGeneral: true,
    pattern: /Memory cgroup out of memory: Kill(?:ed)? process \d+,? \(?(?<name>[^\s,)]+)/,
    cause: (found) =>
      `The memory that a container or slice (its cgroup) may use is used up, and the kernel killed ${word(found, 'name')} there; the machine itself need not be short of it`,
    remedy: RAISE_LIMIT,
  },
  {
    id: 'says-memory',
    pattern:
      /(?<!Memory cgroup |(?:CUDA|GPU|VRAM) (?:error: )?)out of memory(?:.{0,20}(?<killed>Killed process \d+ )\((?<process>[^)]+)\))?|(?<oom>OOMKill|oom-kill)|(?<!\/sys\/fs\/cgroup\/[^\s:]{1,300}: )cannot allocate memory/i,
    cause: (found) =>
      `There is not enough memory${(found.groups.killed ?? found.groups.oom) === undefined ? '' : `: a process${because(word(found, 'process'))} was killed for it`}`,
    remedy: 'Give the machine or the container more memory, or run less beside it',
  },
  {
    id: 'says-killed',
    isGeneral: true,
    pattern:
      /(?:exit(?:ed)?|status|code)[ :=]+137\b|signal: killed|line \d+: +\d+ Killed\s+(?<command>\S+)/i,
    cause: (found) =>
      `A process${because(word(found, 'command'))} was killed (SIGKILL): most often for memory, or by who runs it, as where a probe fails or it does not end in time`,
    remedy:
      'The kernel log and the reason beside the code (OOMKilled) tell whether it was memory; else look at the events: probes that fail, a drain',
  },
  {
    id: 'says-socket-taken',
    pattern: /listen unix (?<socket>\/\S+?): bind: address already in use/i,
    cause: (found) =>
      `The socket ${word(found, 'socket')} is there already: another run of the program has it, or one that crashed left it`,
    remedy: 'See whether the program runs already ("ss -xlp"); if none does, remove the socket',
  },
  {
    id: 'says-port-taken',
    pattern:
      /(?<end>[\w.[\]:-]*:\d+)?:? ?bind: address already in use|address already in use|could not listen on (?:UDP|TCP) socket: address in use|Could not bind socket: \(98\) Address in use|port is already allocated|\bEADDRINUSE\b|bind: An attempt was made to access a socket in a way|^\s*socket in a way forbidden by its access permissions/i,
    cause: (found) => `The port${named(word(found, 'end'))} is taken by another program`,
    remedy: 'See who has it ("ss -ltnp"), and stop that or choose another port',
  },
  {
    id: 'says-open-files',
    pattern: /too many open files|\bEMFILE\b/i,
    cause: () => 'The limit of open files is reached',
    remedy: 'Raise it (LimitNOFILE of the unit, "ulimit -n")',
  },
  {
    id: 'says-read-only',
    pattern:
      /(?<path>\/(?:usr|bin|sbin|lib64|lib|opt|var|etc|mnt|home|data|root|tmp|run|sysroot|boot|dev|srv)\b[^\s:'"‘’]*)?['"’]?:? ?read-only file system|\bEROFS\b/i,
    cause: (found) => {
      const path = word(found, 'path');
      const isOfSystem = /^\/(?:usr|s?bin|lib|sysroot)/.test(path ?? '');
      return `The file system${named(path && `of ${path}`)} is mounted read-only${isOfSystem ? ', as /usr is on every CoreOS' : ''}`;
    },
    remedy:
      'Write elsewhere (on CoreOS under /etc, /var or /usr/local); where it was writable before, the kernel log tells of a broken disk',
  },
];
