import * as z from 'zod';
import { linearPattern } from '../../core/linear-pattern.ts';
import { downloadsContent } from './downloads-schema.ts';
import {
  type ApiVersion,
  asksForSomething,
  ONLY_V2,
  only,
  origin,
  originOf,
  platforms,
  repositoryPath,
  tag,
  text,
  textThat,
  unique,
  uniqueNames,
} from './fields.ts';
import { operatorCatalog } from './operator-schema.ts';
import { platformContent } from './platform-schema.ts';

// One schema says what a file may hold, what is wrong with it, and what becomes of it: the types of
// `image-set.ts` are what it makes, with defaults filled in and the fields of v1alpha2 translated.

const additionalImage = (version: ApiVersion) => {
  const isV2 = version === 'v2alpha1';
  return z
    .strictObject({
      name: origin,
      targetRepo: only(isV2, repositoryPath, ONLY_V2),
      targetTag: only(isV2, tag, ONLY_V2),
      platforms: only(isV2, platforms, ONLY_V2),
    })
    .transform((image) => ({ ...image, origin: originOf(image.name) }));
};

const blockedImage = z
  .strictObject({
    name: textThat((value) => {
      try {
        linearPattern(value);
        return undefined;
      } catch {
        return { wrong: `"${value}" is not a regular expression` };
      }
    }).describe(
      'A regular expression; it blocks where it is found in the origin or the destination',
    ),
  })
  .transform(({ name }) => ({ name, pattern: linearPattern(name) }));

const chart = (version: ApiVersion) => ({
  name: text,
  version: text.optional(),
  imagePaths: z.array(text).default([]).describe('JSONPaths to images, besides the usual ones'),
  valuesFiles: z
    .array(text)
    .default([])
    .describe(
      'Files of values to render with; of two that say the same, the later counts. Of atoll alone',
    ),
  platforms: only(version === 'v2alpha1', platforms, ONLY_V2),
});

const repositoryUrl = textThat((value) =>
  /^(https?|oci):\/\/[^/]/.test(value)
    ? undefined
    : { wrong: `"${value}" is not an http(s) or oci URL` },
);

const helmContent = (version: ApiVersion) =>
  z.strictObject({
    repositories: z
      .array(
        z.strictObject({
          name: text,
          url: repositoryUrl,
          charts: z
            .array(z.strictObject({ ...chart(version), path: text.optional() }))
            .default([])
            .describe('Empty means every chart, in every version'),
        }),
      )
      .check(uniqueNames())
      .default([]),
    local: z
      .array(z.strictObject({ ...chart(version), path: text }))
      .default([])
      .describe('Charts on this machine'),
  });

/** What stands under `mirror` or `delete`. */
export const contentSchema = (version: ApiVersion, purpose: 'mirror' | 'delete') =>
  z
    .strictObject({
      platform: platformContent(version).optional(),
      operators: z
        .array(operatorCatalog(version))
        .check(
          unique(
            ({ catalog, targetCatalog, targetTag }) =>
              catalog && [catalog, targetCatalog, targetTag].join(' '),
            ({ catalog }) => `the catalog "${catalog}" with the same target`,
          ),
        )
        .optional(),
      additionalImages: z.array(additionalImage(version)).optional(),
      blockedImages: only(
        purpose === 'mirror',
        z.array(blockedImage),
        'what is deleted cannot be blocked: leave it out',
      ),
      helm: helmContent(version).optional(),
      atoll: only(
        version === 'v2alpha1' && purpose === 'mirror',
        downloadsContent,
        'files are mirrored by an ImageSetConfiguration of v2alpha1',
      ),
      samples: z.array(z.strictObject({ name: text })).optional(),
    })
    .check(asksForSomething(purpose))
    .transform(({ platform, operators, additionalImages, blockedImages, helm, atoll }) => ({
      platform,
      operators: operators ?? [],
      additionalImages: additionalImages ?? [],
      blockedImages: blockedImages ?? [],
      helm: helm ?? { repositories: [], local: [] },
      atoll: atoll ?? { files: [], tools: [], bootImages: [], repositories: [] },
    }));

export type Content = z.output<ReturnType<typeof contentSchema>>;
export type ContentInput = z.input<ReturnType<typeof contentSchema>>;
