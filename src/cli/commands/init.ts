import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AtollError } from '../../core/errors.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { shellLine } from '../../core/format.ts';
import { inputError } from '../../core/yaml-input.ts';
import { parseSite } from '../../site/read-site.ts';
import { siteJsonSchema } from '../../site/schema.ts';
import { type SiteAnswers, siteTemplate } from '../../site/site-template.ts';
import { defineCommand, type Terminal } from '../command.ts';

export const initCommand = defineCommand({
  name: 'init',
  summary: 'Write a commented site file',
  description:
    'Asks a few questions on a terminal; elsewhere the flags answer them. Writes atoll.yaml and its JSON Schema for editors beside it.',
  options: {
    to: { type: 'string', value: 'FILE', summary: 'File to write', default: 'atoll.yaml' },
    name: { type: 'string', value: 'NAME', summary: 'Name of the site' },
    mode: {
      type: 'string',
      value: 'MODE',
      summary: 'Kind of site',
      choices: ['disconnected', 'private'],
    },
    release: { type: 'string', value: 'VERSION', summary: 'OpenShift release, such as 4.18.2' },
    platform: {
      type: 'string',
      value: 'TYPE',
      summary: 'Where it runs',
      choices: ['lab', 'none', 'aws', 'vsphere', 'nutanix'],
    },
    region: { type: 'string', value: 'REGION', summary: 'AWS region' },
    baseDomain: { type: 'string', value: 'DOMAIN', summary: 'Base domain of the cluster' },
    registryHost: {
      type: 'string',
      value: 'HOST',
      summary: 'Name of the mirror registry, as nodes use it',
    },
    pullSecret: {
      type: 'string',
      value: 'FILE',
      summary: 'Pull secret of the upstream registries',
    },
    force: { type: 'boolean', summary: 'Replace a file that is there' },
  },
  examples: [
    ['atoll init', 'asks'],
    [
      'atoll init --name north --release 4.18.2 --platform none --base-domain example.com --registry-host mirror.example.com',
      'does not',
    ],
  ],
  async run(_ctx, { options, terminal }) {
    const path = resolve(options.to);
    if (!options.force && (await exists(path))) {
      throw new AtollError('USAGE', `Cannot write "${options.to}": it is there already`, {
        hint: 'Name another file with --to, or replace it with --force',
      });
    }
    const text = siteTemplate(await answersFrom(options, terminal));
    const { problems } = parseSite(path, text, {});
    if (problems.length > 0) throw inputError(options.to, problems);
    await writeFileAtomic(path, text);
    const schema = join(dirname(path), 'atoll.schema.json');
    await writeFileAtomic(schema, `${JSON.stringify(siteJsonSchema(), null, 2)}\n`);
    return { file: path, schema };
  },
  text: ({ file }, style) =>
    `Wrote ${style.bold(file)}\nnext: ${shellLine(['atoll', 'validate', '--site', file])}`,
});

interface InitFlags {
  readonly name: string | undefined;
  readonly mode: string | undefined;
  readonly release: string | undefined;
  readonly platform: string | undefined;
  readonly region: string | undefined;
  readonly baseDomain: string | undefined;
  readonly registryHost: string | undefined;
  readonly pullSecret: string | undefined;
}

async function answersFrom(flags: InitFlags, terminal: Terminal): Promise<SiteAnswers> {
  const ask = async (flag: string | undefined, question: string, fallback: string) =>
    flag ?? (await terminal.ask(question, fallback));
  const name = await ask(flags.name, 'Name of the site', 'my-site');
  const platform = (await ask(
    flags.platform,
    'Platform (lab, none, aws, vsphere, nutanix)',
    'none',
  )) as SiteAnswers['platform'];
  return {
    name,
    platform,
    mode: (await ask(
      flags.mode,
      'Kind of site (disconnected, private)',
      'disconnected',
    )) as SiteAnswers['mode'],
    version: await ask(flags.release, 'OpenShift release', '4.18.2'),
    region: platform === 'aws' ? await ask(flags.region, 'AWS region', 'us-east-1') : undefined,
    baseDomain: await ask(flags.baseDomain, 'Base domain of the cluster', 'example.com'),
    registryHost: await ask(
      flags.registryHost,
      'Name of the mirror registry',
      `mirror.${name}.example.com`,
    ),
    pullSecret: await ask(flags.pullSecret, 'Pull secret file', 'pull-secret.json'),
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
