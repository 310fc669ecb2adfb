import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { writeFileAtomic } from '../../../core/files.ts';
import { nearest } from '../../../core/nearest.ts';
import { yamlDocuments } from '../../../core/yaml.ts';
import type { OpenRelease } from '../open-release.ts';
import type { Payload } from '../payload/payload.ts';
import type { ExtractedFile } from './extract-tools.ts';

export interface ExtractManifestsOptions {
  readonly to: string;
  /** Only the credential requests for this cloud. */
  readonly cloud?: string | undefined;
  /** Only these; all when empty and no cloud is given. */
  readonly file?: readonly string[];
}

/** Writes manifests of a payload, each whole or not at all. */
export async function extractManifests(
  ctx: Context,
  { payload }: OpenRelease,
  { to, cloud, file = [] }: ExtractManifestsOptions,
): Promise<readonly ExtractedFile[]> {
  const chosen = new Map<string, Uint8Array>();
  const names = file.length > 0 || cloud !== undefined ? file : [...payload.manifests.keys()];
  for (const name of names) chosen.set(name, manifestOf(payload, name));
  if (cloud !== undefined) {
    for (const { name, content } of credentialsRequests(payload, cloud)) {
      chosen.set(name, Buffer.from(content));
    }
  }
  const written: ExtractedFile[] = [];
  for (const [name, bytes] of chosen) {
    ctx.signal.throwIfAborted();
    const path = join(to, name);
    await writeFileAtomic(path, bytes);
    ctx.emit({ type: 'file.written', path, sizeBytes: bytes.length });
    written.push({ path, sizeBytes: bytes.length, from: `release-manifests/${name}` });
  }
  return written;
}

function manifestOf(payload: Payload, name: string): Uint8Array {
  const found = payload.manifests.get(name);
  if (found) return found.bytes;
  const near = nearest(name, payload.manifests.keys());
  throw new AtollError('INPUT_INVALID', `Cannot find "${name}" in release ${payload.version}`, {
    hint: near ? `Did you mean "${near}"?` : 'Extract all without --file to see the names',
  });
}

/** Clouds and the kind of provider specification their requests carry. */
const CLOUD_KINDS: Readonly<Record<string, string>> = {
  alibabacloud: 'AlibabaCloudProviderSpec',
  aws: 'AWSProviderSpec',
  azure: 'AzureProviderSpec',
  gcp: 'GCPProviderSpec',
  ibmcloud: 'IBMCloudProviderSpec',
  nutanix: 'NutanixProviderSpec',
  openstack: 'OpenStackProviderSpec',
  powervs: 'IBMCloudPowerVSProviderSpec',
  vsphere: 'VSphereProviderSpec',
};

interface CredentialsRequestFile {
  /** Name of the manifest in the payload. */
  readonly name: string;
  readonly content: string;
}

const request = z.looseObject({
  kind: z.literal('CredentialsRequest'),
  metadata: z.looseObject({ annotations: z.record(z.string(), z.unknown()).nullish() }).optional(),
  spec: z.looseObject({ providerSpec: z.looseObject({ kind: z.string() }).nullish() }),
});
const DELETE = 'release.openshift.io/delete';

/** What the cluster's operators ask of a cloud, one file for each manifest that has a request for it. */
export function credentialsRequests(
  payload: Payload,
  cloud: string,
): readonly CredentialsRequestFile[] {
  const kind = kindOf(cloud);
  return [...payload.manifests].flatMap(([name, file]) => {
    const text = Buffer.from(file.bytes).toString('utf8');
    if (!/\.(ya?ml|json)$/.test(name) || !text.includes('CredentialsRequest')) return [];
    const documents = requestsIn(name, text, kind, payload.version);
    return documents.length > 0 ? [{ name, content: documents.join('') }] : [];
  });
}

function requestsIn(name: string, text: string, kind: string, version: string): string[] {
  return yamlDocuments(text, 'strict').flatMap((document) => {
    if (document.error) {
      throw new AtollError('PAYLOAD_INVALID', `Cannot read ${name} of release ${version}`, {
        cause: document.error,
      });
    }
    const parsed = request.safeParse(document.value());
    if (!parsed.success || parsed.data.spec.providerSpec?.kind !== kind) return [];
    // It tells the cluster to remove the request: nobody should create it.
    if (parsed.data.metadata?.annotations?.[DELETE] === 'true') return [];
    return [`---\n${document.text()}`];
  });
}

function kindOf(cloud: string): string {
  const kind = CLOUD_KINDS[cloud.toLowerCase()];
  if (kind) return kind;
  const clouds = Object.keys(CLOUD_KINDS);
  const near = nearest(cloud, clouds);
  throw new AtollError('USAGE', `Cannot use the cloud "${cloud}": it is not known`, {
    hint: near ? `Did you mean "${near}"?` : `Choose from ${clouds.join(', ')}`,
  });
}
