import { dirname, join } from 'node:path';
import type { PageData } from './model/page-data.ts';
import { filesBelow, readConfig } from './sections/config.ts';
import { readImages } from './sections/images.ts';
import { readRehearsal, rehearsalFindings } from './sections/rehearsal.ts';
import { PastRuns, pastSections } from './sections/runs.ts';
import type { Sections, Watched } from './watched.ts';

/** A command that has a page beside it. */
export interface WatchedCommand {
  /** As people type it, such as `mirror sync`. */
  readonly name: string;
  /** The one thing it does, by the name of a stage. */
  readonly stage: 'images' | 'rehearsal';
  /** Where images go to, or are pulled from. */
  readonly mirror: string;
  readonly runs: string;
  /** The folder of `working-dir`, of commands that fill a mirror. */
  readonly mirrorFolder?: string | undefined;
  /** The folder of `rehearsal.json`, of a rehearsal. */
  readonly rehearsalFolder?: string | undefined;
  /** Files that say what it is to do. */
  readonly files?: readonly string[] | undefined;
}

const VIEWS = {
  images: ['overview', 'images', 'config', 'runs'],
  rehearsal: ['overview', 'rehearsal', 'findings', 'runs'],
} as const;

/** One command as something to look at: its only stage is what it does. */
export function watchedCommand(command: WatchedCommand): Watched {
  const { name, stage, mirror, runs } = command;
  const stages = [{ id: stage, title: stage }];
  const none = { platform: '', mode: '', release: '', remarks: [], simulated: [], real: [] };
  return {
    facts: { ...none, name, mirror },
    views: VIEWS[stage],
    runs,
    stages,
    keyFile: join(runs, 'dashboard.key'),
    // The page is served by the process that works, and goes away with it.
    isWorkedOn: async () => true,
    registerSecrets: async () => undefined,
    sections: (_ctx, page) => ({
      ...pastSections(new PastRuns(runs, stages), page),
      ...mirrorSections(command, page),
      ...rehearsalSections(command, page),
    }),
    close: async () => undefined,
  };
}

function mirrorSections(
  { mirrorFolder, files = [], runs }: WatchedCommand,
  page: () => PageData,
): Sections {
  if (mirrorFolder === undefined) return {};
  const resources = join(mirrorFolder, 'working-dir', 'cluster-resources');
  return {
    images: { everyMs: 1500, read: () => readImages(mirrorFolder) },
    config: {
      everyMs: 4000,
      read: async () => {
        const directory = dirname(files[0] ?? join(mirrorFolder, 'working-dir'));
        const paths = [...files, ...(await filesBelow(resources))];
        return await readConfig({ directory, paths }, runs, page().run?.run);
      },
    },
  };
}

function rehearsalSections({ rehearsalFolder }: WatchedCommand, page: () => PageData): Sections {
  if (rehearsalFolder === undefined) return {};
  return {
    rehearsal: { everyMs: 1000, read: () => readRehearsal(rehearsalFolder) },
    findings: { everyMs: 1000, read: async () => rehearsalFindings(page().rehearsal) },
  };
}
