import { dirname, join, resolve } from 'node:path';
import { AtollError } from '../../core/errors.ts';
import { exists, writeFileAtomic } from '../../core/files.ts';
import { shellLine } from '../../core/format.ts';
import { outputPlace } from '../../core/output-place.ts';
import { inputError } from '../../core/yaml-input.ts';
import { minorOf } from '../../openshift/version.ts';
import type { PlatformKind } from '../../platform/platform.ts';
import { parseSite } from '../../site/read-site.ts';
import { siteJsonSchema } from '../../site/schema.ts';
import { type SiteAnswers, siteTemplate } from '../../site/site-template.ts';
import { defineCommand, type OptionSpec, type Terminal } from '../command.ts';
import { onOff, text, texts } from '../flags.ts';
import { PLATFORMS } from '../platforms.ts';
import { REGISTRY_OPTIONS } from '../registry-options.ts';
import {
  type AnswerCheck,
  askUntil,
  catalogOf,
  findAnswers,
  isAmong,
  isChannel,
  isDomain,
  isName,
  isPublicKey,
  isPullSecret,
  isVersion,
  namesIn,
} from './init-answers.ts';
import type { InitOffers, initOffers } from './init-offers.ts';

export const initCommand = defineCommand({
  name: 'init',
  summary: 'Write a commented site file',
  description:
    'Asks a few questions on a terminal, and offers what the update service and the catalog have; elsewhere the flags answer them. Writes atoll.yaml and its JSON Schema for editors beside it.',
  options: {
    to: text('FILE', 'File to write', { default: 'atoll.yaml' }),
    name: text('NAME', 'Name of the site'),
    mode: text('MODE', 'Kind of site', { choices: ['disconnected', 'private'] }),
    release: text('VERSION', 'OpenShift release, such as 4.18.2'),
    channel: text('CHANNEL', 'Update channel, such as stable-4.18'),
    operator: texts('NAME', 'Operator to mirror, of the catalog of Red Hat; may be repeated'),
    platform: text('TYPE', 'Where it runs', { choices: PLATFORMS.map(({ name }) => name) }),
    ...platformOptions(PLATFORMS),
    baseDomain: text('DOMAIN', 'Base domain of the cluster'),
    registryHost: text('HOST', 'Name of the mirror registry, as nodes use it'),
    pullSecret: text('FILE', 'Pull secret of the upstream registries'),
    sshKey: text('FILE', 'Public SSH key that may log in to the nodes'),
    force: onOff('Replace a file that is there'),
    ui: onOff('Compose what is to be mirrored in the browser instead: releases and operators'),
    imageSet: text('FILE', 'With --ui: the ImageSetConfiguration to write', {
      default: 'imageset.yaml',
    }),
    graph: text('URL|FILE', 'Update graph, instead of the public service'),
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll init': 'asks',
    'atoll init --name north --release 4.18.2 --platform none --base-domain example.com --registry-host mirror.example.com':
      'does not',
    'atoll init --ui': 'a page to choose releases and operators on; writes imageset.yaml',
  },
  async run(ctx, { options, terminal }): Promise<Written> {
    if (options.ui) {
      const { composeImageSet } = await import('./compose.ts');
      return { ...(await composeImageSet(ctx, options, terminal)), isComposed: true };
    }
    const path = resolve(options.to);
    const { isStream } = await outputPlace(path);
    if (!options.force && !isStream && (await exists(path))) {
      throw new AtollError('USAGE', `Cannot write "${options.to}": it is there already`, {
        hint: 'Name another file with --to, or replace it with --force',
      });
    }
    const text = siteTemplate(
      await answersFrom(options, terminal, await offersTo(ctx, options, terminal)),
    );
    const { problems } = parseSite(path, text, {}, PLATFORMS);
    if (problems.length > 0) throw inputError(options.to, problems);
    await writeFileAtomic(path, text);
    // Beside a device or a pipe there is no place of ours.
    return isStream ? { file: path } : { file: path, schema: await writeSchema(dirname(path)) };
  },
  text: ({ file, isComposed }: Written, style) =>
    isComposed
      ? `next: ${shellLine(['atoll', 'mirror', 'sync', '-c', file])} docker://HOST --dry-run`
      : `Wrote ${style.bold(file)}\nnext: ${shellLine(['atoll', 'validate', '--site', file])}`,
});

interface Written {
  readonly file: string;
  readonly schema?: string;
  /** It is an image set, made in the browser. */
  readonly isComposed?: boolean;
}

async function writeSchema(folder: string): Promise<string> {
  const path = join(folder, 'atoll.schema.json');
  await writeFileAtomic(path, `${JSON.stringify(siteJsonSchema(PLATFORMS), null, 2)}\n`);
  return path;
}

/** What platforms ask, as flags. */
function platformOptions(platforms: readonly PlatformKind[]): Readonly<Record<string, OptionSpec>> {
  const asked = platforms.flatMap(({ init }) => Object.entries(init.asks));
  return Object.fromEntries(
    asked.map(([field, summary]) => [field, text(field.toUpperCase(), summary)]),
  );
}

/** Without a terminal there is no question to make an offer for. */
async function offersTo(...[ctx, flags, terminal]: Parameters<typeof initOffers>) {
  if (!terminal.interactive) return undefined;
  const { initOffers } = await import('./init-offers.ts');
  return initOffers(ctx, flags, terminal);
}

type InitFlags = Readonly<Record<string, unknown>>;

async function answersFrom(
  flags: InitFlags,
  terminal: Terminal,
  offers: InitOffers | undefined,
): Promise<SiteAnswers> {
  const found = await findAnswers(terminal.env);
  const ask = async (flag: string, question: string, fallback: string, check?: AnswerCheck) => {
    const given = flags[flag];
    if (typeof given === 'string') return given;
    return await askUntil(terminal, question, fallback, check);
  };
  const name = await ask('name', 'Name of the site', 'my-site', isName);
  const kinds = PLATFORMS.map((each) => each.name);
  const platform = chosenPlatform(
    await ask('platform', `Platform (${kinds.join(', ')})`, 'none', isAmong(kinds, 'atoll')),
  );
  const settings: Record<string, string> = {};
  for (const [field, question] of Object.entries(platform.init.asks)) {
    settings[field] = await ask(field, question, String(platform.init.example[field] ?? ''));
  }
  const modes = ['disconnected', 'private'];
  const isMode = isAmong(modes, 'atoll');
  const mode = await ask('mode', `Kind of site (${modes.join(', ')})`, 'disconnected', isMode);
  const release = await releaseFrom(ask, offers, flags.release);
  const baseDomain = await ask('baseDomain', 'Base domain of the cluster', 'example.com', isDomain);
  const host = `mirror.${name}.example.com`;
  const registryHost = await ask('registryHost', 'Name of the mirror registry', host);
  const secret = found.pullSecret ?? 'pull-secret.json';
  const pullSecret = await ask('pullSecret', 'Pull secret file', secret, isPullSecret);
  const catalog = catalogOf(release.version);
  const names = await operatorsFrom(flags, terminal, async () =>
    offers?.operators(catalog, pullSecret),
  );
  return {
    ...{ name, platform, settings, mode, baseDomain, registryHost, pullSecret, ...release },
    operators: names.length > 0 ? { catalog, names } : undefined,
    sshKey: await sshKeyFrom(flags, terminal, found.sshKey),
  };
}

type Ask = (
  flag: string,
  question: string,
  fallback: string,
  check?: AnswerCheck,
) => Promise<string>;

const SHOWN = 5;

/** The channel first: it says which releases there are. */
async function releaseFrom(ask: Ask, offers: InitOffers | undefined, given: unknown) {
  const stable = `stable-${minorOf(typeof given === 'string' ? given : EXAMPLE)}`;
  const channel = await ask('channel', 'Update channel', stable, isChannel);
  const versions = typeof given === 'string' ? undefined : await offers?.versions(channel);
  const newest = versions?.slice(-SHOWN) ?? [];
  const question = `OpenShift release${newest.length > 0 ? ` (${newest.join(', ')})` : ''}`;
  const check = versions ? isAmong(versions, channel) : isVersion;
  const version = await ask('release', question, newest.at(-1) ?? EXAMPLE, check);
  return { version, ...(channel === `stable-${minorOf(version)}` ? {} : { channel }) };
}

/** A release of a minor version that is asked about first. */
const EXAMPLE = '4.18.2';

async function operatorsFrom(
  flags: InitFlags,
  terminal: Terminal,
  offer: () => Promise<readonly string[] | undefined>,
): Promise<readonly string[]> {
  const given = flags.operator as readonly string[];
  if (given.length > 0 || !terminal.interactive) return given;
  const question = 'Operators to mirror, with commas between them ("?" shows all)';
  let known: Promise<readonly string[] | undefined> | undefined;
  // A catalog is large: it is read for those who want something of it.
  const check: AnswerCheck = async (answer) => {
    if (namesIn(answer).length === 0) return undefined;
    known ??= offer();
    return await isAmong(await known, 'the catalog')(answer);
  };
  return namesIn(await askUntil(terminal, question, '', check));
}

/** Without a terminal there is no question: the SSH key that is found is used, if there is one. */
async function sshKeyFrom(flags: InitFlags, terminal: Terminal, found: string | undefined) {
  if (typeof flags.sshKey === 'string') return flags.sshKey;
  if (!terminal.interactive) return found;
  return await askUntil(terminal, 'Public SSH key', found ?? 'id_ed25519.pub', isPublicKey);
}

function chosenPlatform(name: string): PlatformKind {
  const names = PLATFORMS.map((each) => each.name);
  const platform = PLATFORMS.find((each) => each.name === name);
  if (platform) return platform;
  throw new AtollError('INPUT_INVALID', `Cannot use platform "${name}": there is none like it`, {
    hint: `Known: ${names.join(', ')}`,
  });
}
