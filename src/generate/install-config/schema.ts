import * as z from 'zod';
import { nearest } from '../../core/nearest.ts';
import { isObject } from '../../core/shape.ts';
import { inputError, type Locate, parseYamlInput } from '../../core/yaml-input.ts';
import { platformFields, poolFields } from './platforms/index.ts';
import { capabilityFields } from './sections/capabilities.ts';
import { identityFields } from './sections/identity.ts';
import { machineFields } from './sections/machines.ts';
import { mirrorFields } from './sections/mirror.ts';
import { networkFields } from './sections/networks.ts';
import { proxyFields } from './sections/proxy.ts';
import { trustFields } from './sections/trust.ts';
import { error, type Violation } from './violation.ts';

const schema = z.looseObject({
  ...identityFields,
  ...machineFields(poolFields),
  ...networkFields,
  ...mirrorFields,
  ...trustFields,
  ...proxyFields,
  ...capabilityFields,
  ...platformFields,
});

/** `install-config.yaml`. Fields this tool does not know are kept. */
export type InstallConfig = z.infer<typeof schema>;

/** Reads an `install-config.yaml` and finds every mistake of form in one go; `file` names it. */
export function parseInstallConfig(text: string, file: string): InstallConfig {
  return readInstallConfig(text, file).config;
}

/** The same, with a way from a path inside to its line. */
export function readInstallConfig(
  text: string,
  file: string,
): { readonly config: InstallConfig; readonly locate: Locate } {
  const parsed = parseYamlInput(z.preprocess(withoutNulls, schema), text);
  if (parsed.value === undefined) throw inputError(file, parsed.problems);
  return { config: parsed.value, locate: parsed.locate };
}

/** To the installer, a field without a value is not there. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const present = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(present.map(([key, one]) => [key, withoutNulls(one)]));
}

/** Fields that the installer does not know: it refuses the file, and older ones do not heed them. */
export const checkFields = (config: InstallConfig): Violation[] =>
  unknownFields(schema, config, '');

function unknownFields(wrapped: unknown, value: unknown, path: string): Violation[] {
  const known = bare(wrapped);
  if (known instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((one, index) => unknownFields(known.element, one, `${path}[${index}]`));
  }
  if (!(known instanceof z.ZodObject) || !isObject(value)) return [];
  const { shape } = known;
  return Object.entries(value).flatMap(([name, one]) => {
    const place = path === '' ? name : `${path}.${name}`;
    if (Object.hasOwn(shape, name)) return unknownFields(shape[name], one, place);
    const close = nearest(name, Object.keys(shape));
    const fix = close ? `Did you mean "${close}"?` : 'Remove it, or look at its spelling';
    return [error(place, 'the installer does not know it', fix)];
  });
}

function bare(schemaOf: unknown): unknown {
  const isWrapped = schemaOf instanceof z.ZodOptional || schemaOf instanceof z.ZodDefault;
  return isWrapped ? bare(schemaOf.unwrap()) : schemaOf;
}
