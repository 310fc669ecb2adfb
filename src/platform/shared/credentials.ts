import * as z from 'zod';
import { readText } from '../../core/files.ts';
import { registerSecret } from '../../core/redact.ts';
import { inputError, parseYamlInput } from '../../core/yaml-input.ts';
import type { InstallPlatformFacts, PlatformSite } from '../platform.ts';

/** A setting of platforms that want a login. Its content never stands in the site file. */
export const credentialsFile = z
  .string()
  .min(1)
  .describe('YAML file with username and password, readable by you alone');

const login = z.strictObject({ username: z.string().min(1), password: z.string().min(1) });

/** The login in the file that the setting `credentials` names. */
export function readCredentials({ files }: InstallPlatformFacts): z.output<typeof login> {
  const { value, problems } = parseYamlInput(login, files.credentials ?? '');
  if (value === undefined) throw inputError('platform.credentials', problems);
  registerSecret(value.password);
  return value;
}

/** The same for a site that is worked on. */
export async function siteCredentials({ files }: Pick<PlatformSite, 'files'>) {
  return readCredentials({ files: { credentials: await readText(files.credentials ?? '') } });
}
