import { join } from 'node:path';
import { loadSigstoreKey } from '../content/release/signatures/sigstore.ts';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { readText, readTextIfPresent, writeFileAtomic } from '../core/files.ts';
import { counted, shellLine } from '../core/format.ts';
import { WorkingDir } from '../mirror/flow/working-dir.ts';
import { NO_FILES } from '../rehearse/node/config-files.ts';
import type { NodeConfig } from '../rehearse/node/node-config.ts';
import { readNodeConfig } from '../rehearse/node/read-config.ts';
import type { Rehearsal } from '../rehearse/rehearse.ts';
import { type RehearsalRunOptions, runRehearsal } from '../rehearse/run-rehearsal.ts';
import { hashOf } from '../workflow/hash.ts';
import { hasMirror, mirrorHost, mirrorName } from './mirror-place.ts';
import { sitePath } from './read-site.ts';
import { INSTALL_FILES } from './stages/config.ts';
import type { StageWork } from './stages/stage.ts';

/** What a rehearsal is of: the files that nodes get, and what is to be in the mirror. */
export async function rehearsedWith({ paths }: Pick<StageWork, 'paths'>): Promise<string> {
  const files = Object.values(INSTALL_FILES).map((name) => join(paths.install, name));
  const report = new WorkingDir(paths.mirror).file('mirrored.json');
  const texts = await Promise.all([...files, report].map(readTextIfPresent));
  return hashOf(texts.map((text) => text ?? ''));
}

/** What the last rehearsal found, for those who look at it afterwards. */
export const rehearsalFile = (state: string): string => join(state, 'rehearsal.json');

export const writeRehearsal = (state: string, rehearsal: Rehearsal): Promise<void> =>
  writeFileAtomic(rehearsalFile(state), `${JSON.stringify(rehearsal)}\n`);

export interface SiteRehearsal {
  readonly config: NodeConfig;
  readonly options: RehearsalRunOptions;
}

/** What nodes of a site are given, and all that they will pull. */
export async function siteRehearsal({
  site,
  paths,
}: Pick<StageWork, 'site' | 'paths'>): Promise<SiteRehearsal> {
  const { sigstoreKey } = site.mirror;
  const file = (name: keyof typeof INSTALL_FILES) => join(paths.install, INSTALL_FILES[name]);
  const files = {
    ...NO_FILES,
    registriesConf: [file('registriesConf')],
    installConfig: file('installConfig'),
    pullSecret: file('pullSecret'),
    trustBundles: [file('trustBundle')],
  };
  const config = await readNodeConfig(files, { dns: true, architectures: [] });
  const { address } = site.platformKind.mirror;
  const hosts = address ? new Map([[mirrorName(site), address]]) : config.hosts;
  const report = new WorkingDir(paths.mirror).file('mirrored.json');
  const none = { reports: [], releases: [], catalogs: [], packages: [], images: [], manifests: [] };
  return {
    config: { ...config, hosts },
    options: {
      inputs: {
        ...none,
        ...(hasMirror(site)
          ? { reports: [report] }
          : { releases: [await readText(file('releaseImage'))] }),
      },
      depth: 'head',
      allowUpstream: site.mode === 'private',
      mirrors: hasMirror(site) ? [mirrorHost(site)] : [],
      sigstoreKey: sigstoreKey ? await loadSigstoreKey(sitePath(site, sigstoreKey)) : undefined,
    },
  };
}

/** Pulls all that the nodes of a site will pull, with what they were given, and throws where they could not. */
export async function rehearseSite(ctx: Context, work: StageWork): Promise<Rehearsal> {
  const { paths } = work;
  const { config, options } = await siteRehearsal(work);
  const rehearsal = await runRehearsal(ctx, config, options);
  await writeRehearsal(paths.state, rehearsal);
  const report = new WorkingDir(paths.mirror).file('mirrored.json');
  if (!rehearsal.clean) throw notReady(rehearsal, [paths.install, '--report', report]);
  return rehearsal;
}

const SHOWN = 5;

/** Each cause once, with what closes it: nothing has booted, so nothing is lost. */
function notReady({ findings, unread }: Rehearsal, again: readonly string[]): AtollError {
  const holes = findings.filter(({ severity }) => severity === 'hole');
  const causes = [
    ...holes.map(({ title, images, evidence }) => {
      const cost = images.length > 0 ? `, ${counted(images.length, 'image')}` : '';
      return `${title}${cost}${evidence[0] ? `: ${evidence[0]}` : ''}`;
    }),
    ...unread.map(({ subject, message }) => `${subject} could not be listed: ${message}`),
  ];
  const commands = [...new Set(holes.flatMap((hole) => hole.commands))].slice(0, SHOWN);
  const isContent = unread.length > 0 || holes.some(({ fault }) => fault === 'content');
  const more = causes.length > SHOWN ? `\n  and ${causes.length - SHOWN} more` : '';
  return new AtollError(
    isContent ? 'IMAGES_MISSING' : 'PREFLIGHT_FAILED',
    `Nothing was booted: nodes could not pull what they need\n  ${causes.slice(0, SHOWN).join('\n  ')}${more}`,
    {
      hint: [...commands, `all of it: ${shellLine(['atoll', 'rehearse', ...again])}`].join('; '),
      details: { causes: causes.length },
    },
  );
}
