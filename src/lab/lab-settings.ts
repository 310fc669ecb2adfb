import { join } from 'node:path';
import * as z from 'zod';
import { readTextIfPresent, SECRET_DIRECTORY_MODE, writeFileAtomic } from '../core/files.ts';

/** Ways a lab can be spoilt on purpose, to see what happens and whether it is explained. */
export const BREAKS = ['image', 'ca', 'auth', 'disk', 'dns'] as const;
export type Break = (typeof BREAKS)[number];

const schema = z.object({
  break: z.enum(BREAKS).optional(),
  upstreamPidFile: z.string().optional(),
});

/** What the lab command tells the stages beyond the site file. */
export type LabSettings = z.output<typeof schema>;

const pathOf = (state: string) => join(state, 'lab.json');

export async function readLabSettings(state: string): Promise<LabSettings> {
  const text = await readTextIfPresent(pathOf(state));
  return text === undefined ? {} : schema.parse(JSON.parse(text));
}

export async function writeLabSettings(state: string, settings: LabSettings): Promise<void> {
  await writeFileAtomic(pathOf(state), `${JSON.stringify(settings)}\n`, {
    directoryMode: SECRET_DIRECTORY_MODE,
  });
}
