import * as z from 'zod';
import { isObject } from '../../core/shape.ts';
import type { IssueNotes } from '../../core/yaml-input.ts';
import { isRepository, isTag } from '../../oci/reference.ts';
import { type CatalogOrigin, readOrigin, type Wrong } from './references.ts';
import { compareLenient, isReleaseVersion, parseLenientVersion } from './versions.ts';

const notes = (values: IssueNotes) => ({ ...values });

/** Text that passes a test; the test answers what is wrong, or undefined. */
export function textThat(test: (value: string) => Wrong | undefined) {
  return z.string().superRefine((value, ctx) => {
    const found =
      value.trim() === '' ? { wrong: 'expected text, found an empty one' } : test(value);
    if (!found) return;
    const params = notes({ hint: found.hint, at: 'value', complete: true });
    ctx.addIssue({ code: 'custom', message: found.wrong, params });
  });
}

/** What a text stands for, or what is wrong with it. */
export function textAs<T extends object>(read: (value: string) => T | Wrong) {
  const test = (value: string) => {
    const found = read(value);
    return 'wrong' in found ? found : undefined;
  };
  return textThat(test).transform((value) => read(value) as T);
}

export const text = textThat(() => undefined);
export const flag = z.boolean().default(false);

const WHOLE = 'expected a whole number, not a negative one';
export const wholeNumber = z.int().min(0, WHOLE);

export const repositoryPath = textThat((value) =>
  isRepository(value)
    ? undefined
    : {
        wrong: `"${value}" is not a repository path`,
        hint: 'lower case, parts joined by "/", without host, tag or digest',
      },
);

export const repositoryName = textThat((value) =>
  isRepository(value) && !value.includes('/') ? undefined : { wrong: `"${value}" is not a name` },
);

export const tag = textThat((value) =>
  isTag(value) ? undefined : { wrong: `"${value}" is not a tag` },
);

export const operatorVersion = textThat((value) =>
  parseLenientVersion(value) ? undefined : { wrong: `"${value}" is not a version` },
);

export const releaseVersion = textThat((value) =>
  isReleaseVersion(value)
    ? undefined
    : {
        wrong: `"${value}" is not a release version`,
        hint: 'write all three numbers, such as 4.18.1',
      },
);

/** A field people know from elsewhere that is not one here, and why. */
export function refused(why: string) {
  return z.never({ error: why }).exactOptional();
}

/** A field that one version of the file has; the others say where it belongs. */
export function only<S extends z.ZodType>(isHere: boolean, schema: S, why: string) {
  return isHere ? schema.optional() : refused(why);
}

/** Notes what is wrong between fields, at the field that is named. */
type Mistake = (field: string, message: string, hint?: string) => void;

/** What fields must be together. It is asked when each of those it reads is right by itself. */
export function together<T extends object>(
  reads: readonly (keyof T & string)[],
  test: (value: T, mistake: Mistake) => void,
) {
  const fields: readonly unknown[] = reads;
  return z.superRefine<T>(
    (value, ctx) =>
      test(value, (field, message, hint) => {
        const path = field in value ? [field] : [];
        ctx.addIssue({ code: 'custom', path, message, params: notes({ hint, complete: true }) });
      }),
    {
      when: ({ value, issues }) =>
        isObject(value) && !issues.some(({ path }) => fields.includes(path?.[0])),
    },
  );
}

/** An object without any field asks for nothing. Where a field is wrong or misspelled, that alone is said. */
export function asksForSomething<T extends object>(name: string) {
  return z.superRefine<T>(
    (value, ctx) => {
      if (Object.values(value).some((field) => field !== undefined)) return;
      const message = `"${name}" asks for nothing`;
      ctx.addIssue({ code: 'custom', message, params: notes({ complete: true }) });
    },
    { when: ({ value, issues }) => isObject(value) && issues.length === 0 },
  );
}

/** Two items with one key are a mistake; items without a key are left alone. */
export function unique<T>(keyOf: (item: T) => string | undefined, describe: (item: T) => string) {
  return z.superRefine<T[]>(
    (items, ctx) => {
      const first = new Map<string, number>();
      for (const [index, item] of items.entries()) {
        // An empty item is a mistake of its own.
        const key = item === undefined ? undefined : keyOf(item);
        const sameAs = key === undefined ? undefined : first.get(key);
        if (key !== undefined && sameAs === undefined) first.set(key, index);
        if (sameAs === undefined) continue;
        const message = `${describe(item)} is listed twice`;
        const params = notes({ at: 'value', complete: true, sameAs });
        ctx.addIssue({ code: 'custom', path: [index], message, params });
      }
    },
    { when: ({ value }) => Array.isArray(value) },
  );
}

/** Items that are the same when their names are. */
export const uniqueNames = <T extends { readonly name: string }>() =>
  unique<T>(
    ({ name }) => name,
    ({ name }) => `"${name}"`,
  );

export function isAbove(min: string | undefined, max: string | undefined): boolean {
  return min !== undefined && max !== undefined && (compareLenient(min, max) ?? 0) > 0;
}

export type ApiVersion = 'v1alpha2' | 'v2alpha1';

export const ONLY_V2 = 'it belongs to apiVersion mirror.openshift.io/v2alpha1';
const KERNEL_NAMES: Readonly<Record<string, string>> = { x86_64: 'amd64', aarch64: 'arm64' };

export function architectures<const T extends readonly string[]>(names: T) {
  return z.enum(names, {
    error: ({ input }) => {
      const meant = typeof input === 'string' ? KERNEL_NAMES[input] : undefined;
      return meant && `"${input}" is none of ${names.join(', ')} (did you mean "${meant}"?)`;
    },
  });
}

export const MACHINES = ['amd64', 'arm64', 'ppc64le', 's390x'] as const;

export const platforms = z
  .array(z.strictObject({ os: text, architecture: architectures(MACHINES) }))
  .check(
    unique(
      ({ os, architecture }) => os && architecture && `${os}/${architecture}`,
      ({ os, architecture }) => `${os}/${architecture}`,
    ),
  )
  .transform((list) => (list.length > 0 ? list : undefined))
  .describe('Only these platforms of images that have several');

export const origin = textThat((value) => {
  const read = readOrigin(value);
  return 'wrong' in read ? read : undefined;
});

export function originOf(name: string): CatalogOrigin {
  const read = readOrigin(name);
  if ('wrong' in read) throw new Error(`"${name}" was accepted and is not an image`);
  return read;
}
