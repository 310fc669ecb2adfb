import type { Context } from '../../core/context.ts';
import { readText } from '../../core/files.ts';
import { registerPullSecret } from '../../core/redact.ts';
import { parsePullSecret } from '../../generate/pull-secret.ts';
import { parseReference } from '../../oci/reference.ts';
import { OPERATOR_CATALOG, RELEASE_REPOSITORY } from '../../openshift/repositories.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import type { Registries } from '../../remote/registries.ts';
import { sitePath } from '../read-site.ts';
import type { StageWork } from '../stages/stage.ts';
import { failureOf, problem, quiet, withImpatientRegistries } from './probe.ts';

/** Of no registry: what the installer's pull secret holds for the console of Red Hat. */
const NO_REGISTRIES: readonly string[] = ['cloud.openshift.com'];
/** Repositories that every login may read. For one that does not exist, registries answer with a refusal. */
const READABLE: Readonly<Record<string, string>> = Object.fromEntries(
  [RELEASE_REPOSITORY, OPERATOR_CATALOG]
    .map(parseReference)
    .map(({ registry, repository }) => [registry, repository]),
);

/** Each login of the pull secret, really tried; `told` are registries of which all is said already. */
export async function loginChecks(
  ctx: Context,
  work: StageWork,
  told: ReadonlySet<string>,
): Promise<PreflightCheck[]> {
  const path = sitePath(work.site, work.site.cluster.pullSecret);
  const text = await readText(path).catch(() => undefined);
  if (text === undefined)
    return [problem('pull secret', `There is no file "${path}"`, 'Put the pull secret there')];
  registerPullSecret(text);
  const entries = Object.keys(parsePullSecret(text, `"${path}"`).auths).filter(
    (entry) => !NO_REGISTRIES.includes(entry) && !told.has(entry.split('/')[0] ?? ''),
  );
  return await withImpatientRegistries(work, path, (registries) =>
    Promise.all(entries.map((entry) => loginCheck(ctx, registries, entry))),
  );
}

async function loginCheck(
  ctx: Context,
  registries: Registries,
  entry: string,
): Promise<PreflightCheck> {
  const [host = '', ...path] = entry.split('/');
  const subject = `login ${entry}`;
  const repository = path.join('/') || READABLE[host] || 'atoll/probe';
  const failure = await failureOf(() =>
    registries.repository(host, repository).resolve(quiet(ctx), 'atoll-doctor'),
  );
  if (failure === undefined) return { subject, severity: 'ok', message: 'it is accepted' };
  const message = `Cannot log in to ${entry}: ${failure.message}`;
  // A registry that nothing is mirrored from may be away; one that says no is told anyway.
  const isSure = failure.code === 'REGISTRY_DENIED' && READABLE[host] !== undefined;
  const hint = failure.hint ?? 'Get a new pull secret, or remove the entry';
  if (!isSure) return { subject, severity: 'warning', message, hint };
  return { ...problem(subject, message, hint), code: failure.code };
}
