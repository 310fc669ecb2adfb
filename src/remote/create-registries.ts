import { AtollError } from '../core/errors.ts';
import type { Registries, RegistryOptions } from './registries.ts';

/** Opens the way to registries; nothing is asked before the first operation. */
export function createRegistries(_options: RegistryOptions = {}): Registries {
  throw new AtollError('NOT_BUILT', 'Cannot reach registries: this part is being built');
}
