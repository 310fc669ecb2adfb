import { because, type PlainReading, word } from '../plain-reading.ts';

/** What Ansible says of its inventory, its tasks and what they are given. */
export const ANSIBLE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-ansible-unreachable',
    pattern:
      /fatal: \[(?<host>[^\]]+)\](?: -> [^:]{1,80})?: UNREACHABLE! => .{0,80}"msg": "(?<why>Failed to connect to the host via ssh\.?(?=")|SSH encountered an unknown error|Data could not be sent to remote host)/,
    cause: (found) =>
      `Ansible does not reach ${word(found, 'host')} over SSH, and does not tell why (${word(found, 'why')}): no way to its port 22 (firewall, security group, a jump host that is not named), or no login there`,
    remedy:
      '"ssh -v USER@HOST" from the machine that runs Ansible says which; where a bastion stands between, name it (ProxyJump in ansible_ssh_common_args)',
  },
  {
    id: 'says-ansible-hosts',
    pattern: /Could not match supplied host pattern, ignoring: (?<group>\S+)/,
    cause: (found) =>
      `The inventory of Ansible has no host or group ${word(found, 'group')}: nothing is run there`,
    remedy: 'Give the inventory with -i, and see "ansible-inventory --graph"',
  },
  {
    id: 'says-ansible-part',
    pattern:
      /couldn't resolve module\/action '(?<module>[^']+)'|the role '(?<role>[^']+)' was not found/,
    cause: (found) =>
      `Ansible has no ${word(found, 'module') === undefined ? `role ${word(found, 'role')}` : `module ${word(found, 'module')}`} here`,
    remedy:
      'Install its collection or role; without internet "ansible-galaxy collection download" outside, and install from the files inside',
  },
  {
    id: 'says-ansible-kind',
    pattern:
      /Failed to find exact match for (?<group>[\w.-]+(?:\/[\w.]+)?)\.(?<kind>\w+) by \[kind/,
    cause: (found) =>
      `The API of the cluster does not offer ${word(found, 'kind')} of ${word(found, 'group')} to Ansible: what defines it is not installed, or the server behind that part of the API does not answer (yet)`,
    remedy:
      '"oc api-resources" and "oc get apiservices" show what is served and which servers do not answer; wait for them, or install the definition first',
  },
  {
    id: 'says-ansible-waited',
    pattern: /"msg": "Timeout when waiting for (?<what>[^"]{3,120})"/,
    cause: (found) => `Ansible waited in vain for ${word(found, 'what')}`,
    remedy:
      'Look on that machine why nothing serves there ("ss -ltn", its journal), and at the firewall',
  },
  {
    // Ordinary of a play for a group that is empty: other errors say more.
    id: 'says-ansible-no-hosts',
    isGeneral: true,
    pattern: /skipping: no hosts matched/,
    cause: () =>
      'Ansible has no host for this play: no inventory was read (the ansible.cfg that names it is in another folder), or it lists none for it',
    remedy: 'Run it in the folder of the playbook, or give the inventory with -i',
  },
  {
    id: 'says-ansible-no-file',
    pattern:
      /could not locate file in lookup: (?<lookup>[^\s"'\\]+)|FAILED! =>.{0,900}Could not find or access '(?<access>[^'\\]+)/,
    cause: (found) =>
      `Ansible finds no file ${word(found, 'lookup', 'access')} on the machine that runs the playbook`,
    remedy:
      'Make it first (a key pair with ssh-keygen), or correct the path in the variables; ~ is the home of the user who runs Ansible',
  },
  {
    id: 'says-ansible-undefined',
    pattern:
      /(?:FAILED! =>.{0,900}?|UndefinedVariable: )(?:'(?<where>[^']{2,80})' has no attribute '(?<field>[^']+)'|(?<![\w.])'?(?<name>[\w.]+)'? is undefined)/,
    cause: (found) =>
      `The playbook uses ${word(found, 'field', 'name')}, which no variable gives${because(word(found, 'where'))}`,
    remedy:
      'Give it where the playbook has its variables (vars.yaml, group_vars, the inventory; "-e @FILE"), as its example file spells and indents it; where it is the result of an earlier task, look at whether that one was skipped or failed',
  },
  {
    // What was called answers with the error of its own command line.
    id: 'says-ansible-option',
    pattern:
      /FAILED! =>.{0,900}?(?:unknown (?:shorthand )?flag: |unrecognized option |no such option: )['"]?(?<option>[^\s"'\\]+)/,
    cause: (found) =>
      `A task of Ansible calls a program with ${word(found, 'option')}, which that one does not know: the module or playbook and the program on the host do not fit each other`,
    remedy:
      'Update the module or its collection (such as containers.podman), or install the version of the program that it was written for',
  },
];
