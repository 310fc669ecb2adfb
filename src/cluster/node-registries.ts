import * as z from 'zod';
import type { Context } from '../core/context.ts';
import { mergeFiles, type RegistriesConf } from '../oci/registries/model.ts';
import { parseRegistriesFile } from '../oci/registries/parse.ts';
import { KINDS } from './api/kinds.ts';
import type { KubeObject } from './api/object.ts';
import type { Resources } from './api/resources.ts';

const PATH = '/etc/containers/registries.conf';

const machineConfigSchema = z.object({
  spec: z.object({
    config: z
      .object({
        storage: z
          .object({
            files: z
              .array(
                z.object({
                  path: z.string(),
                  contents: z.object({ source: z.string().default('') }).optional(),
                }),
              )
              .default([]),
          })
          .default({ files: [] }),
      })
      .optional(),
  }),
});

/** What the nodes of a pool know of mirrors, read from the configuration that they were given. */
export async function nodeRegistries(
  ctx: Context,
  resources: Resources,
  machineConfig: string,
): Promise<RegistriesConf> {
  const found = await resources.get(ctx, { ...KINDS.machineConfig, name: machineConfig });
  const text = found && registriesText(found);
  return mergeFiles(text === undefined ? [] : [parseRegistriesFile(PATH, text)]);
}

/** `registries.conf` as a MachineConfig writes it; the last file of that path counts. */
function registriesText(machineConfig: KubeObject): string | undefined {
  const files = machineConfigSchema.safeParse(machineConfig).data?.spec.config?.storage.files ?? [];
  const source = files.findLast(({ path }) => path === PATH)?.contents?.source;
  return source === undefined ? undefined : dataUrlText(source);
}

/** `data:[type][;base64],…`, the only form in which MachineConfigs hold texts. */
function dataUrlText(source: string): string | undefined {
  const [, parameters = '', data = ''] = /^data:([^,]*),([\s\S]*)$/.exec(source) ?? [];
  if (data === '') return undefined;
  if (parameters.endsWith(';base64')) return Buffer.from(data, 'base64').toString('utf8');
  return decodeURIComponent(data);
}
