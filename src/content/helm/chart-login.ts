import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { readTextIfPresent } from '../../core/files.ts';
import { registerCredential } from '../../core/redact.ts';
import { parseYaml } from '../../core/yaml.ts';

/** A name and a password for a chart repository. */
export interface ChartLogin {
  readonly username: string;
  readonly password: string;
}

const schema = z.looseObject({
  repositories: z
    .array(
      z.looseObject({
        url: z.string(),
        username: z.string().nullish(),
        password: z.string().nullish(),
      }),
    )
    .nullish(),
});

/** What "helm repo add --username" wrote down for a repository; undefined where it did not. */
export async function helmLogin(
  env: Readonly<Record<string, string | undefined>>,
  url: string,
): Promise<ChartLogin | undefined> {
  const config = env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), '.config');
  const file = env.HELM_REPOSITORY_CONFIG ?? join(config, 'helm', 'repositories.yaml');
  const text = await readTextIfPresent(file);
  const parsed = text === undefined ? undefined : schema.safeParse(parseYaml(text, 'lenient'));
  const bare = (each: string) => each.replace(/\/+$/, '');
  const found = parsed?.data?.repositories?.find((each) => bare(each.url) === bare(url));
  if (!found?.username || !found.password) return undefined;
  registerCredential(found.username, found.password);
  return { username: found.username, password: found.password };
}
