import { named, type PlainReading, word } from './plain-reading.ts';

/** What the kernel means, by how it refuses a module. */
const SAYS: readonly (readonly [RegExp, string])[] = [
  [/key|unsigned/i, 'it is not signed by a key that this machine trusts, as Secure Boot asks for'],
  [/format/i, 'it was built for another kernel or processor'],
  [/device/i, 'the hardware that it drives is not in this machine'],
  [/symbol/i, 'it was built for another kernel, or needs a module that is not loaded'],
];

/** Kernel modules that are not loaded. */
export const MODULE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-module-refused',
    pattern:
      /could not (?:insert|load) (?:module )?['"]?(?<module>[\w./<>-]+)['"]?: (?<why>Required key not available|Key was rejected by service|Invalid module format|Exec format error|Unknown symbol in module|No such device)|(?<said>Loading of unsigned module is rejected)/,
    cause: (found) => {
      const why = word(found, 'why', 'said') ?? '';
      return `The kernel refuses the module${named(word(found, 'module'))} (${why}): ${SAYS.find(([words]) => words.test(why))?.[1] ?? ''}`;
    },
    remedy:
      'Build it for the kernel that runs ("uname -r"), and with Secure Boot sign it with a key that is enrolled on the machine ("mokutil --list-enrolled"); "dmesg" says more',
  },
  {
    id: 'says-module-missing',
    pattern: /Module (?<module>[\w.-]+) not found in directory (?<folder>\/\S+)/,
    cause: (found) =>
      `There is no module ${word(found, 'module')} for the kernel of ${word(found, 'folder')}`,
    remedy:
      'Correct its name, or install or build it for this kernel (the package kernel-modules-extra has the rarer ones)',
  },
];
