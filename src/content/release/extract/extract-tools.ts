import { basename, join } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { writeFileAtomic } from '../../../core/files.ts';
import type { Platform } from '../../../oci/descriptor.ts';
import { ANY_PLATFORM, chooseImage } from '../../layers/choose-image.ts';
import { type OpenLayerFile, openLayerFile } from '../../layers/layer-files.ts';
import { type ComponentReach, locateComponent } from '../locate-component.ts';
import type { OpenRelease } from '../open-release.ts';
import { componentOf } from '../payload/payload.ts';
import { fillMarkers, type Marker } from './markers.ts';
import { placeOf, type Tool, type ToolPlace } from './tools.ts';

const PROGRAM_MODE = 0o755;

export interface ExtractToolsOptions {
  readonly tools: readonly Tool[];
  readonly platform: Platform;
  readonly to: string;
  readonly reach: ComponentReach;
}

export interface ExtractedFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Component and file it came from. */
  readonly from: string;
}

/** Takes programs out of a payload, whole or not at all, and pins the installer to this very release. */
export async function extractTools(
  ctx: Context,
  release: OpenRelease,
  options: ExtractToolsOptions,
): Promise<readonly ExtractedFile[]> {
  const extracted: ExtractedFile[] = [];
  for (const tool of options.tools) extracted.push(await extractTool(ctx, release, tool, options));
  return extracted;
}

async function extractTool(
  ctx: Context,
  release: OpenRelease,
  tool: Tool,
  { platform, to, reach }: ExtractToolsOptions,
): Promise<ExtractedFile> {
  const place = placeOf(tool, release.payload, platform);
  const file = await openTool(ctx, release, place, reach);
  const suffix = basename(place.path).endsWith('.exe') ? '.exe' : '';
  const path = join(to, `${tool.name}${suffix}`);
  const { chunks, missing } = fillMarkers(file.body, markersOf(tool, release));
  await writeFileAtomic(path, chunks, { mode: PROGRAM_MODE });
  warnMissing(ctx, tool, missing());
  ctx.emit({ type: 'file.written', path, sizeBytes: file.size });
  return { path, sizeBytes: file.size, from: `${place.component}:/${place.path}` };
}

async function openTool(
  ctx: Context,
  release: OpenRelease,
  { component, path, platform }: ToolPlace,
  reach: ComponentReach,
): Promise<OpenLayerFile> {
  const wanted = componentOf(release.payload, component);
  const { source, descriptor } = await locateComponent(ctx, release, wanted, reach);
  const choice = platform === 'any' ? ANY_PLATFORM : platform;
  const manifest = await chooseImage(ctx, source, descriptor, choice);
  const file = await openLayerFile(ctx, source, manifest, path);
  if (file) return file;
  throw new AtollError(
    'PAYLOAD_INVALID',
    `Cannot find "/${path}" in component "${component}" of release ${release.payload.version}`,
    { details: { digest: descriptor.digest } },
  );
}

function markersOf(tool: Tool, { pullSpec, payload }: OpenRelease): Marker[] {
  const image = pullSpec
    ? [{ name: '_RELEASE_IMAGE_LOCATION_' as const, value: pullSpec }]
    : unnamed(tool);
  const version = { name: '_RELEASE_VERSION_LOCATION_' as const, value: payload.version };
  return [...(tool.pinsImage ? image : []), ...(tool.pinsVersion ? [version] : [])];
}

/** An installer that does not know its release would install another one. */
function unnamed(tool: Tool): [] {
  if (!tool.pinsImage) return [];
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot extract "${tool.name}": it has to name its release image, and this folder gives none`,
    { hint: 'Read the release from a registry, or from a layout whose name is a reference' },
  );
}

function warnMissing(ctx: Context, tool: Tool, missing: readonly string[]): void {
  if (missing.length === 0) return;
  ctx.emit({
    type: 'warning.raised',
    message: `${tool.name} has no place for ${missing.join(' and ')}: it keeps its own default`,
    hint: 'Set OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE to the release image by digest',
    subject: tool.name,
  });
}
