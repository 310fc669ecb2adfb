import * as z from 'zod';
import { AtollError } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import { yamlDocuments } from '../../../core/yaml.ts';
import type { Payload } from '../payload/payload.ts';

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

export interface CredentialsRequestFile {
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
