import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import {
  type CredentialsRequest,
  readCredentialsRequests,
} from '../../../generate/credentials/credentials-request.ts';
import { broadActions } from '../../../generate/credentials/iam-policy.ts';
import { selectRequests } from '../../../generate/credentials/select-requests.ts';
import type { OptionSpec, OptionValues } from '../../command.ts';

/** Flags that say which requests are meant. */
export const REQUEST_OPTIONS = {
  requests: {
    type: 'strings',
    value: 'PATH',
    required: true,
    summary: 'CredentialsRequests: a file, or a folder of "atoll release extract"',
  },
  disabledCapability: {
    type: 'strings',
    value: 'NAME',
    summary: 'Capability that is off, so that its namespaces do not exist',
  },
  featureSet: {
    type: 'string',
    value: 'SET',
    default: 'Default',
    summary: 'Feature set of the cluster, such as TechPreviewNoUpgrade',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** The requests this cluster needs. What is left out, and what asks for much, is told. */
export async function requestsFrom(
  ctx: Context,
  options: OptionValues<typeof REQUEST_OPTIONS>,
  kind = 'AWSProviderSpec',
): Promise<readonly CredentialsRequest[]> {
  const files = (await Promise.all(options.requests.map(filesAt))).flat();
  const texts = await Promise.all(files.map(readText));
  const requests = texts.flatMap((text, index) =>
    readCredentialsRequests(text, files[index] ?? ''),
  );
  const { selected, skipped } = selectRequests(requests, {
    kind,
    disabledCapabilities: options.disabledCapability,
    featureSet: options.featureSet,
  });
  for (const { name, reason } of skipped) {
    ctx.emit({ type: 'note.added', message: `Left out ${name}: ${reason}` });
  }
  if (selected.length === 0) throw nothingLeft(options.requests, kind);
  for (const request of selected) warnOfBroadActions(ctx, request);
  return selected;
}

async function filesAt(path: string): Promise<string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  const names = (await readdir(path)).filter((name) => /\.(?:ya?ml|json)$/.test(name));
  return names.toSorted().map((name) => join(path, name));
}

function warnOfBroadActions(ctx: Context, request: CredentialsRequest): void {
  const broad = broadActions(request);
  if (broad.length === 0) return;
  ctx.emit({
    type: 'warning.raised',
    subject: request.name,
    message: `${request.name} asks for whole services: ${broad.join(', ')}`,
    hint: 'Look whether it comes from the release you trust',
  });
}

function nothingLeft(paths: readonly string[], kind: string): AtollError {
  return new AtollError(
    'INPUT_INVALID',
    `Cannot find a request for ${kind} in ${paths.join(', ')}`,
    {
      hint: 'Take the files of "atoll release extract --credentials-requests --cloud aws"',
    },
  );
}
