import type { CollectDeps } from '../../content/collecting.ts';
import { createPacer, type Pacer } from '../../core/pacer.ts';
import { bulkSourceOf } from '../../oci/bulk.ts';
import type { Source } from '../../oci/content.ts';

/** Sources whose blobs together come no faster than this; as they are where nothing is said. */
export function pacedBy(bytesPerSecond: number | undefined): (source: Source) => Source {
  if (bytesPerSecond === undefined) return (source) => source;
  const pacer = createPacer(bytesPerSecond);
  return (source) => pacedSource(source, pacer);
}

/** The same for files that are downloaded. Documents are small and come at once. */
export function pacedWeb(
  web: CollectDeps['web'],
  bytesPerSecond: number | undefined,
): CollectDeps['web'] {
  if (bytesPerSecond === undefined) return web;
  const pacer = createPacer(bytesPerSecond);
  return {
    ...web,
    download: (ctx, url, download) =>
      web.download(ctx, url, {
        ...download,
        sink: async (chunk) => {
          await pacer.take(ctx, chunk.length);
          await download.sink(chunk);
        },
      }),
  };
}

/** A source whose blobs together come no faster than a pacer lets them. */
export function pacedSource(source: Source, pacer: Pacer): Source {
  const { openBlob } = bulkSourceOf(source);
  return {
    ...(source.location ? { location: source.location } : {}),
    resolve: (ctx, tagOrDigest) => source.resolve(ctx, tagOrDigest),
    manifest: (ctx, descriptor) => source.manifest(ctx, descriptor),
    async *blob(ctx, descriptor, offset) {
      for await (const chunk of source.blob(ctx, descriptor, offset)) {
        await pacer.take(ctx, chunk.length);
        yield chunk;
      }
    },
    can: {
      ...source.can,
      openBlob: async (ctx, blob, offset) => {
        const download = await openBlob(ctx, blob, offset);
        return {
          size: download.size,
          // One chunk at a time: under a rate cap, reading ahead gains nothing.
          pump: (pumping, sink) =>
            download.pump(pumping, async (chunk) => {
              await pacer.take(pumping, chunk.length);
              await sink(chunk);
            }),
          cancel: () => download.cancel(),
        };
      },
    },
  };
}
