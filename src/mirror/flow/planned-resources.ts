import { rm } from 'node:fs/promises';
import type { Context } from '../../core/context.ts';
import { formatReference } from '../../oci/reference.ts';
import type { MirroredImage } from '../image-rules.ts';
import { clusterResources, installConfigPart, type ResourceOptions } from './cluster-resources.ts';
import { knownMirrors, type OtherMirrors } from './other-mirrors.ts';
import type { RunContent } from './run.ts';
import type { KnownSignature, WorkingDir } from './working-dir.ts';
import { earlierNames, type ResourceWriteOptions, writeTold } from './write-resources.ts';

/** Writes what a run would leave for clusters below `dry-run`, and changes nothing else. Returns the folder. */
export async function writePlannedResources(
  ctx: Context,
  workingDir: WorkingDir,
  content: Pick<RunContent, 'placed' | 'signatures'>,
  { icsp, alsoAt }: ResourceWriteOptions,
): Promise<string> {
  const known = await workingDir.mirrored();
  const images = [...byTarget([...known, ...content.placed]).values()];
  const options: ResourceOptions = { icsp, others: await othersWith(workingDir, alsoAt) };
  // Only a mirror that was filled before has signatures of before.
  const earlier = known.length > 0 ? await workingDir.signatures() : [];
  const signatures = byDigest([...earlier, ...content.signatures]);
  const names = await earlierNames(workingDir);
  const folder = workingDir.file('dry-run', 'cluster-resources');
  await rm(folder, { recursive: true, force: true });
  for (const [name, text] of clusterResources(images, signatures, options, names))
    await writeTold(ctx, workingDir.file('dry-run', 'cluster-resources', name), text);
  const part = installConfigPart(images, options);
  if (part) await writeTold(ctx, workingDir.file('dry-run', 'install-config.yaml'), part);
  return folder;
}

/** As they are remembered, and those that are given now. */
async function othersWith(workingDir: WorkingDir, given: OtherMirrors | undefined) {
  const known = await knownMirrors(workingDir, undefined);
  return given ? [...known.filter((each) => each.of !== given.of), given] : known;
}

const byTarget = (images: readonly MirroredImage[]) =>
  new Map(images.map((each) => [formatReference(each.target), each]));

function byDigest(signatures: readonly KnownSignature[]): KnownSignature[] {
  const first = new Map(signatures.map((each) => [each.digest, each]));
  return [...first.values()].toSorted((a, b) => (a.digest < b.digest ? -1 : 1));
}
