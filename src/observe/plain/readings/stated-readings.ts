import { type PlainReading, word } from '../plain-reading.ts';
import { NO_REASON, reason } from './stated-reason.ts';

const NAMED_BY_IT = 'Correct what it names, and begin again';
/** Programs that check first and say what they do not take: their reason is the cause. */
export const STATED_READINGS: readonly PlainReading[] = [
  {
    id: 'says-installer',
    pattern: new RegExp(
      String.raw`failed to (?:generate|load|fetch|create) asset \\?"?(?<asset>[^":\\]+)\\?"?: ${NO_REASON}(?<why>.{8,})`,
      'i',
    ),
    cause: (found) => `The installer cannot make "${word(found, 'asset')}": ${reason(found)}`,
    remedy: NAMED_BY_IT,
  },
  {
    id: 'says-ansible',
    pattern: new RegExp(
      String.raw`(?:fatal|failed): \[(?<host>[^\]]+)\](?:.*?FAILED! | \(item=.{0,300}?\) )=> .*?"msg": "${NO_REASON}(?<why>(?:[^"\\]|\\.){8,}?)(?:"|\\n\\nThe error appears)`,
    ),
    cause: (found) => `A task of Ansible fails on ${word(found, 'host')}: ${reason(found)}`,
    remedy: 'Correct what it names (variables, packages, files), and run the playbook again',
  },
  {
    id: 'says-message',
    isVague: true,
    pattern: new RegExp(
      String.raw`^\s*(?:- )?(?:Message: +|message: +['"]?(?=[Ff]ailed|[Uu]nable|[Cc]annot|[Cc]ould not|[Ee]rror\b))${NO_REASON}(?<why>.{8,}?)'?$`,
    ),
    cause: (found) => `By its own message: ${reason(found)}`,
    remedy: NAMED_BY_IT,
  },
  {
    // Rows of "oc get clusterversion".
    id: 'says-update-stuck',
    pattern:
      /(?:Unable to apply|Error while (?<kept>reconciling)) (?<version>\d[\w.+-]*): (?!timed out waiting for the condition during \w+:?\s*$)(?:(?<none>an unknown error has occurred.*)|(?<why>.{8,}))/,
    cause: (found) =>
      word(found, 'none') === undefined
        ? `The cluster cannot be ${word(found, 'kept') ? 'kept at' : 'brought to'} ${word(found, 'version')}: ${reason(found)}`
        : `The cluster cannot be brought to ${word(found, 'version')}; why, this line does not tell: several of its parts cannot be applied`,
    remedy:
      '"oc get co" shows which operators are not at the new version, and "oc describe clusterversion" what it says of each',
  },
  {
    // The machine config operator, cut off where it would name the pool.
    id: 'says-operator-waits',
    isGeneral: true,
    pattern:
      /Unable to apply (?<version>\d[\w.+-]*): timed out waiting for the condition during (?<step>\w+)/,
    cause: (found) =>
      `An operator is not done with ${word(found, 'version')}: it waited too long in ${word(found, 'step')}`,
    remedy:
      '"oc get mcp" shows which pool is not done or degraded, and "oc describe mcp POOL" why; "oc get nodes" which machine it waits for',
  },
  {
    id: 'says-argument',
    pattern:
      /: error: (?:argument [^:]*: )?(?<why>(?:invalid choice|unrecognized arguments|the following arguments are required|expected \w+ argument|ambiguous option).*)/,
    cause: (found) => `The command is not one that the program takes: ${reason(found)}`,
    remedy: 'Compare it with its --help',
  },
  {
    id: 'says-libvirt',
    pattern: new RegExp(
      String.raw`\berror: (?:internal error|unsupported configuration|Requested operation is not valid|operation failed|invalid argument|XML error|Operation not supported): ${NO_REASON}(?<why>.{8,})|virError\(Code=\d+, Domain=\d+, Message='(?<code>.{8,}?)'(?:\)|$)`,
    ),
    cause: (found) => `libvirt refuses it: ${reason(found)}`,
    remedy: 'Correct what it names on the host of the virtual machines',
  },
  {
    // How the Azure command line and Azure Resource Manager give the code of an error and what it means.
    id: 'says-azure',
    pattern:
      /(?:^(?:ERROR: )?\(|\bCode: |\bCode=\\?")(?<name>(?!DeploymentFailed|ResourceDeploymentFailure|InternalServerError)[A-Z][a-z]+(?:[A-Z][a-zA-Z]+)+)(?:\) |,? Message: |\\?" Message=\\?")(?<why>(?!At least one)[A-Z][^"\\]{12,})/,
    cause: (found) => `Azure refuses it (${word(found, 'name')}): ${reason(found)}`,
    remedy: NAMED_BY_IT,
  },
  {
    // It prints nothing but errors so.
    id: 'says-govc',
    pattern: /(?:^|["\s])(?:\.{0,2}\/\S*\/)?govc(?:_\w+)?: (?<why>(?!.*\bwarning\b)\S[^"]{7,})/i,
    cause: (found) => `vSphere does not do what govc asks: ${reason(found)}`,
    remedy:
      'Correct what it names (path in the inventory, options, the OVA itself); "govc ... -trace" shows the whole conversation, and the tasks in vCenter tell more',
  },
  {
    id: 'says-config-line',
    pattern:
      /(?<file>\/etc\/[\w./-]+\.(?:conf|cfg)):(?<line>\d+): (?!.*(?:deprecated|obsolete|default))(?<why>.{5,})|Bungled (?<squid>\S+) line (?<no>\d+): (?<code>.+)/,
    cause: (found) =>
      `A line of ${word(found, 'file', 'squid')} is not taken (line ${word(found, 'line', 'no')}): ${reason(found)}`,
    remedy: 'Correct that line (or the one before it), and start the service again',
  },
  {
    id: 'says-local-host',
    pattern:
      /(?<why>Need to (?:install|upgrade) docker\S{0,40} .{1,80}|Hyper-V (?:is )?not installed|failed to start the virtual machine .{1,60} because one of the Hyper-V components|Hyper-V [\w -]{0,40}service not (?:available|running)|Virtual Switch not found|Windows Home edition is not supported|Please update Windows\. Currently .{1,120}|crc should be r[ua]n .{1,80}|Virtualization is not available for your? CPU|You need to enable virtualization in BIOS|kvm kernel module is not loaded|Libvirt cli virsh was not found in path|libvirtd(?:\.service)? is not (?:enabled|running)|\S+ not part of libvirtd? group|NetworkManager is required.{0,80}|NetworkManager\.service is not running|crc daemon is not running|(?:libvirtd|virtqemud)\.socket is neither running nor listening|Libvirt (?:network crc not found|crc network is not active)|(?:CPUs|Memory) required >=\d+|only [\d.]+ ?\w* of memory found \([^)]{1,40}\)|\S+ bundle is not supported for this release.{0,120}|vmnet: error from vmnet\.framework: -?\d+)/,
    cause: (found) => `By the program's own check of this host: ${reason(found)}`,
    remedy:
      'Set the host up as it says (virtualisation, groups, services, memory, version), log in anew where a group changed, and run "crc setup" again',
  },
  {
    // podman and OpenShift Local on a Mac; why, vfkit tells nobody.
    id: 'says-vfkit',
    pattern: /(?<what>vfkit|krunkit) exited unexpectedly with exit code (?<code>\d+)/,
    cause: (found) =>
      `The virtual machine ended as soon as it was started (${word(found, 'what')}, exit code ${word(found, 'code')}): most often the program or its image is built for the other processor (amd64 on Apple silicon), or macOS is older than it needs`,
    remedy:
      'Compare "uname -m" with the architecture of the program ("file $(which podman)"), install the one for this Mac, and make the machine anew; "podman machine start --log-level=debug" shows the command of the machine, to be run by hand',
  },
  {
    id: 'says-translator',
    pattern: /No translator exists for variant (?<variant>\S+) with version (?<version>\S+)/,
    cause: (found) =>
      `Butane knows no version ${word(found, 'version')} of the variant ${word(found, 'variant')}`,
    remedy: 'Correct "version" at the head of the Butane file, or use a newer Butane',
  },
  {
    id: 'says-unit-bad',
    pattern:
      /Unit (?<unit>\S+) has a bad unit file setting|(?<file>\S+\.service):\d+: (?<why>.{4,200})/,
    cause: (found) => {
      const why = word(found, 'why');
      return /ignor/i.test(why ?? '')
        ? `systemd leaves out a line of ${word(found, 'file')}: ${why}`
        : `systemd does not take the unit ${word(found, 'unit', 'file')}: ${why ?? 'its file has a mistake'}`;
    },
    remedy:
      '"systemd-analyze verify UNIT" names the line; correct it, then "systemctl daemon-reload"',
  },
];
