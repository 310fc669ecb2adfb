import { CA_DAYS, createCa } from '../registry/tls/certificates.ts';
import type { Break } from './lab-settings.ts';
import type { NodeConfiguration } from './machine.ts';

/** What nodes get when something about them is wrong. `image` and `disk` spoil other things. */
export async function spoil(
  kind: Break | undefined,
  good: NodeConfiguration,
  now: Date,
): Promise<NodeConfiguration> {
  switch (kind) {
    case 'ca': {
      const other = await createCa('a CA that signed something else', { now, days: CA_DAYS });
      return { ...good, trustBundle: other.certificate };
    }
    case 'auth':
      return { ...good, pullSecret: '{"auths":{}}' };
    case 'dns':
      return { ...good, mirrorAddress: undefined };
    default:
      return good;
  }
}
