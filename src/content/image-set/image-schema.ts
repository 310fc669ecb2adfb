import {
  type ApiVersion,
  named,
  only,
  origin,
  platforms,
  repositoryPath,
  tag,
  unknownBefore,
} from './fields.ts';
import { goRegExp } from './go-regexp.ts';
import { list, mapping, text, textThat } from './readers.ts';

export const additionalImageReader = (version: ApiVersion) =>
  mapping(
    {
      name: origin,
      ...only(version, { targetRepo: repositoryPath, targetTag: tag, platforms }),
    },
    {
      required: ['name'],
      explain: unknownBefore(version, ['targetRepo', 'targetTag', 'platforms']),
    },
  );

export const blockedImageReader = mapping(
  {
    name: textThat((value) => {
      try {
        goRegExp(value);
        return undefined;
      } catch {
        return `"${value}" is not a regular expression`;
      }
    }),
  },
  { required: ['name'] },
);

const chart = (version: ApiVersion, required: readonly ('name' | 'path')[]) =>
  mapping(
    {
      name: text,
      version: text,
      path: text,
      imagePaths: list(text),
      ...only(version, { platforms }),
    },
    {
      required,
      explain: unknownBefore(version, ['platforms']),
      check({ path }, report) {
        if (path && !required.includes('path')) {
          report.warn('path', '"path" means nothing for a chart of a repository');
        }
      },
    },
  );

const repositoryUrl = textThat((value) =>
  /^(https?|oci):\/\/[^/]/.test(value) ? undefined : `"${value}" is not an http(s) or oci URL`,
);

export const helmReader = (version: ApiVersion) =>
  mapping({
    repositories: list(
      mapping(
        { name: text, url: repositoryUrl, charts: list(chart(version, ['name'])) },
        { required: ['name', 'url'] },
      ),
      named,
    ),
    local: list(chart(version, ['name', 'path'])),
  });

export const sampleReader = mapping({ name: text }, { required: ['name'] });
