import { resolve } from 'node:path';
import type { Context } from '../../core/context.ts';
import { mapBounded } from '../../core/pool.ts';
import type { CollectDeps } from '../collecting.ts';
import type { ContentImage } from '../content-image.ts';
import type { OpenRelease } from '../release/open-release.ts';
import type { CarriedFile } from './artifact.ts';
import { fetchFile, type WantedFile } from './fetch-file.ts';

export type DownloadDeps = Pick<CollectDeps, 'source' | 'web' | 'downloads'>;

export const AT_ONCE = 4;

/** One artifact to be. */
export interface Made {
  readonly repository: string;
  readonly tag: string;
  readonly reason: string;
  readonly files: readonly CarriedFile[];
}

/** What everything that is downloaded needs. */
export interface DownloadWorld {
  readonly ctx: Context;
  readonly deps: DownloadDeps;
  /** Paths of the image set are relative to it. */
  readonly folder: string;
  readonly payloads: readonly ContentImage[];
  readonly open: (image: ContentImage) => Promise<OpenRelease>;
}

export const downloadsOf = ({ downloads }: DownloadDeps): string =>
  downloads ?? resolve('working-dir', 'downloads');

export function fetchAll(
  { ctx, deps }: DownloadWorld,
  files: readonly WantedFile[],
): Promise<CarriedFile[]> {
  const fetching = { web: deps.web, folder: downloadsOf(deps) };
  return mapBounded(ctx, AT_ONCE, files, (file) => fetchFile(ctx, fetching, file));
}
