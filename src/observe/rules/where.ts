import { ANYWHERE } from '../file-kind.ts';

/**
 * Whether evidence of one origin is what a rule asks for.
 *
 *   journal:bootstrap/*   all units of the bootstrap machine
 *   object:Node           all objects of the kind; object:Node/x one of them
 *   pod:ns/name           the pod of that name, with whatever its controller appends
 *   *                     whatever the origin is
 *
 * Text nobody can place may be what any rule asks for.
 */
export function whereMatcher(where: string): (origin: string) => boolean {
  const fits = placeMatcher(where);
  return (origin) => origin === ANYWHERE || fits(origin);
}

function placeMatcher(where: string): (origin: string) => boolean {
  if (where.includes('*')) {
    const pattern = new RegExp(`^${where.split('*').map(escaped).join('.*')}$`);
    return (origin) => pattern.test(origin);
  }
  if (where.startsWith('object:') && !where.includes('/')) {
    return (origin) => origin === where || origin.startsWith(`${where}/`);
  }
  if (where.startsWith('pod:')) {
    return (origin) => origin === where || origin.startsWith(`${where}-`);
  }
  return (origin) => origin === where;
}

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
