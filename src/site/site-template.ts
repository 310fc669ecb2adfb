import type { JsonObject } from '../core/json.ts';
import { toYamlLines } from '../core/yaml.ts';
import { OPERATOR_CATALOG } from '../openshift/repositories.ts';
import { minorOf } from '../openshift/version.ts';
import type { PlatformKind } from '../platform/platform.ts';

/** What `atoll init` asks: the rest has defaults, which the file shows as comments. */
export interface SiteAnswers {
  readonly name: string;
  readonly mode: string;
  readonly version: string;
  /** Update channel, where it is not the stable one. */
  readonly channel?: string | undefined;
  /** Names of operators, and the catalog they are in. */
  readonly operators?: { readonly catalog: string; readonly names: readonly string[] } | undefined;
  readonly platform: PlatformKind;
  /** What the platform asked; the rest of its settings are those of its example. */
  readonly settings: JsonObject;
  readonly baseDomain: string;
  readonly registryHost: string | undefined;
  readonly pullSecret: string;
  /** Public key that may log in to the nodes. */
  readonly sshKey?: string | undefined;
}

/** A commented site file: what was asked is set, what has a default is shown. */
export function siteTemplate(answers: SiteAnswers): string {
  const minor = minorOf(answers.version);
  const host = answers.registryHost
    ? `  host: ${scalar(answers.registryHost)}\n`
    : '  # host: mirror.example.com   # the name nodes use\n';
  return `# yaml-language-server: $schema=./atoll.schema.json
# A site of atoll: everything one installation needs. "atoll validate" checks it,
# "atoll plan" shows what will happen, "atoll up" does it, "atoll down" undoes it.

name: ${scalar(answers.name)}
mode: ${scalar(answers.mode)}   # disconnected: no way out; private: internal, with a way out

release:
  version: ${scalar(answers.version)}
${answers.channel ? `  channel: ${scalar(answers.channel)}` : `  # channel: stable-${minor}`}
  # architecture: amd64

platform:
  type: ${scalar(answers.platform.name)}   # ${answers.platform.summary}
${settingsText(answers)}
# The machine with a leg on both sides. Without an address it is made, or is this machine.
bastion:
  # address: bastion.example.com
  user: core

registry:
  type: embedded   # or existing: one the site has; then say ca and authfile, too
${host}  port: 5000

proxy:
  enabled: false

# What comes besides the release. Or: imageSet: imageset-config.yaml
mirror:
  flow: sync   # or bundle: save here, carry, load there
${operatorsText(answers)}  # additionalImages:
  # - name: registry.redhat.io/ubi9/ubi:latest

cluster:
  name: ${scalar(answers.name)}
  baseDomain: ${scalar(answers.baseDomain)}
  pullSecret: ${scalar(answers.pullSecret)}   # a file, readable by you alone; its content stays there
${answers.sshKey ? `  sshKey: ${scalar(answers.sshKey)}` : '  # sshKey: ~/.ssh/id_ed25519.pub'}   # who may log in to the nodes
  controlPlane: 3
  workers: 2

postInstall:
  defaultCatalogs: false
  samples: Removed
`;
}

function operatorsText({ operators, version }: SiteAnswers): string {
  if (operators) {
    const packages = operators.names.map((name) => ({ name }));
    const all = { operators: [{ catalog: operators.catalog, packages }] };
    return toYamlLines(all).replace(/^(?=.)/gm, '  ');
  }
  return `  # operators:
  # - catalog: ${OPERATOR_CATALOG}:v${minorOf(version)}
  #   packages:
  #   - name: openshift-cert-manager-operator
`;
}

function settingsText({ platform, settings }: SiteAnswers): string {
  const all = { ...platform.init.example, ...settings };
  if (Object.keys(all).length === 0) return '';
  return toYamlLines(all).replace(/^(?=.)/gm, '  ');
}

/** Text that YAML reads as this very text, on one line. */
function scalar(text: string): string {
  return toYamlLines(text).trimEnd();
}
