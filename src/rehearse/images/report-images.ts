import * as z from 'zod';
import { CONTENT_KINDS } from '../../content/content-image.ts';
import { AtollError } from '../../core/errors.ts';
import { readText } from '../../core/files.ts';
import { parseJson } from '../../core/shape.ts';
import { isDigest } from '../../oci/digest.ts';
import { parseReference, type Reference } from '../../oci/reference.ts';
import { type WantedImage, wantedImage } from './wanted-image.ts';

const record = z.looseObject({
  kind: z.enum(CONTENT_KINDS),
  source: z.string(),
  target: z.string(),
  digest: z.string().refine(isDigest).optional(),
  reason: z.string(),
  component: z.string().optional(),
  release: z.looseObject({ version: z.string() }).optional(),
  packages: z.array(z.string()).optional(),
});
const schema = z.looseObject({ images: z.array(record) });

type Row = z.infer<typeof record>;

/** Every image of `report.json` or `mirrored.json`, under the name the cluster will use for it. */
export async function reportImages(path: string): Promise<WantedImage[]> {
  const parsed = schema.safeParse(parseJson(await readText(path)));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot read "${path}": ${issue?.path.join('.') || 'document'}: ${issue?.message}`,
      { hint: 'Name working-dir/report.json or working-dir/mirrored.json of "atoll mirror"' },
    );
  }
  return parsed.data.images.map(wantedOf);
}

function wantedOf(row: Row): WantedImage {
  const { kind, reason, component, packages, release } = row;
  return wantedImage(kind, pulledAs(row), reason, {
    component,
    packages,
    release: release?.version,
  });
}

/** Catalogs and graph data go by their place in the mirror; releases by digest, whatever their tag. */
function pulledAs({ kind, source, target, digest }: Row): Reference {
  if (kind === 'catalog' || kind === 'graph') return parseReference(target);
  const { tag: _tag, ...reference } = parseReference(source);
  const isPinned = kind === 'release' || kind === 'component';
  return isPinned && digest ? { ...reference, digest } : parseReference(source);
}
