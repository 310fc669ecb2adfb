/**
 * Whether evidence of one origin is what a rule asks for.
 *
 *   journal:bootstrap/*   all units of the bootstrap machine
 *   object:Node           all objects of the kind; object:Node/x one of them
 *   pod:ns/name           the pod of that name, with whatever its controller appends
 *   cli:unknown           the origin of text nobody can place: every tool may have written it
 */
export function whereMatcher(where: string): (origin: string) => boolean {
  if (where.includes('*')) {
    const pattern = new RegExp(`^${where.split('*').map(escaped).join('.*')}$`);
    return (origin) => pattern.test(origin) || isUnknownTool(where, origin);
  }
  if (where.startsWith('object:') && !where.includes('/')) {
    return (origin) => origin === where || origin.startsWith(`${where}/`);
  }
  if (where.startsWith('pod:')) {
    return (origin) => origin === where || origin.startsWith(`${where}-`);
  }
  return (origin) => origin === where || isUnknownTool(where, origin);
}

const isUnknownTool = (where: string, origin: string): boolean =>
  origin === 'cli:unknown' && where.startsWith('cli:');

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
