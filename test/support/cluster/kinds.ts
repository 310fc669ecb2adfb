import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { KINDS } from '../../../src/cluster/api/kinds.ts';
import { Resources } from '../../../src/cluster/api/resources.ts';
import type { Context } from '../../../src/core/context.ts';
import { readYaml } from '../../../src/core/yaml.ts';

/** Where `scripts/peers` links the definitions from the Go modules that hold them. */
const FOLDER = join(process.env.ATOLL_PEERS_PREFIX ?? '/usr/local', 'share/atoll-peers/crds');
const FOLDERS = [
  'openshift/config/v1/zz_generated.crd-manifests',
  'openshift/operator/v1alpha1/zz_generated.crd-manifests',
  'openshift/machineconfiguration/v1/zz_generated.crd-manifests',
  'openshift/samples/v1/zz_generated.crd-manifests',
  'olm',
  'catalogd/bases',
];
/** Definitions for clusters that nobody has: previews, and other shapes of the same kind. */
const OTHERS = /-(?:CustomNoUpgrade|DevPreviewNoUpgrade|TechPreviewNoUpgrade|OKD|Hypershift)\b/;

const crdSchema = z.looseObject({
  kind: z.literal('CustomResourceDefinition'),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({ names: z.looseObject({ kind: z.string() }), group: z.string() }),
});
type Definition = z.output<typeof crdSchema>;

/** The definitions of the kinds that atoll speaks, as OpenShift and OLM publish them. */
function publishedDefinitions(): Definition[] {
  const wanted = new Set(
    Object.values(KINDS).map(({ apiVersion, kind }) => `${apiVersion.split('/')[0]} ${kind}`),
  );
  const all = FOLDERS.flatMap((folder) => {
    const path = join(FOLDER, folder);
    const files = readdirSync(path).filter((name) => name.endsWith('.yaml') && !OTHERS.test(name));
    return files.flatMap((name) => readYaml(readFileSync(join(path, name), 'utf8'), name));
  });
  return all
    .flatMap((document) => crdSchema.safeParse(document).data ?? [])
    .filter(({ spec }) => wanted.has(`${spec.group} ${spec.names.kind}`));
}

/**
 * The update service's own definition is in no registry of modules: this one has the fields that we
 * write, so it shows that the order and the address are right, and not that all values are.
 */
function ownUpdateService(): Definition {
  const text = { type: 'string' };
  const spec = {
    type: 'object',
    required: ['releases', 'graphDataImage', 'replicas'],
    properties: { releases: text, graphDataImage: text, replicas: { type: 'integer' } },
  };
  const names = { kind: 'UpdateService', plural: 'updateservices', singular: 'updateservice' };
  const group = 'updateservice.operator.openshift.io';
  return crdSchema.parse({
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `${names.plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { ...names, listKind: 'UpdateServiceList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  });
}

export async function installKinds(ctx: Context, resources: Resources): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const definitions = [...publishedDefinitions(), ownUpdateService()];
  for (const body of definitions) {
    const what = `define ${body.metadata.name}`;
    await resources.client.json(ctx, { method: 'POST', path, body, what });
  }
  const kinds = Object.values(KINDS);
  for (let tries = 0; tries < 300; tries += 1) {
    const known = await Promise.all(kinds.map((kind) => isServed(ctx, resources, kind)));
    if (known.every(Boolean)) return;
    await sleep(100);
  }
  throw new Error('the API does not serve all kinds');
}

/** Listed is not yet served. */
async function isServed(
  ctx: Context,
  { client }: Resources,
  kind: (typeof KINDS)[keyof typeof KINDS],
): Promise<boolean> {
  const fresh = new Resources(client);
  try {
    return (await fresh.knows(ctx, kind)) && (await fresh.list(ctx, kind)) !== undefined;
  } catch {
    return false;
  }
}
