import * as z from 'zod';
import { isTag } from '../../oci/reference.ts';
import {
  architectures,
  MACHINES,
  repositoryPath,
  tag,
  text,
  textThat,
  together,
} from './fields.ts';

// What a mirror holds besides images: the section `atoll` of an image set. Everything here becomes an OCI artifact.

const url = textThat((value) =>
  /^(https?|file):\/\/./.test(value)
    ? undefined
    : { wrong: `"${value}" is not an http(s) or file URL` },
);

const sha256 = textThat((value) =>
  /^[0-9a-f]{64}$/.test(value) ? undefined : { wrong: `"${value}" is not a sha256 in hex` },
);

const place = {
  targetRepo: repositoryPath.optional().describe('Repository in the mirror; by default files/NAME'),
  targetTag: tag.optional().describe('By default "latest"'),
};

const name = textThat((value) =>
  /^[a-z0-9]+([._-][a-z0-9]+)*$/.test(value) && isTag(value)
    ? undefined
    : {
        wrong: `"${value}" is not a name`,
        hint: 'Lower case letters, digits, and . _ - between them',
      },
);

const file = z
  .strictObject({
    name,
    url: url.optional(),
    path: text.optional().describe('A file, or a folder with all that is in it, on this machine'),
    sha256: sha256.optional(),
    sums: url.optional().describe('File of sums, as sha256sum writes it, that names the file'),
    ...place,
  })
  .check(
    together(['url', 'path', 'sha256', 'sums'], (value, mistake) => {
      if ((value.url === undefined) === (value.path === undefined))
        mistake('url', 'a file has either "url" or "path"');
      if (value.path !== undefined && (value.sha256 || value.sums))
        mistake('path', '"sha256" and "sums" are for what has a "url"');
    }),
  );

const machines = z.array(architectures(MACHINES)).min(1).default(['amd64']);

const tool = z.strictObject({
  name: z.enum([
    ...['oc', 'openshift-install', 'oc-mirror', 'opm', 'helm', 'tkn', 'coreos-installer'],
  ] as const),
  version: text
    .optional()
    .describe('Of oc-mirror, opm and helm; oc and openshift-install come from each release'),
  architectures: machines,
});

const bootImages = z.strictObject({
  formats: z
    .array(
      textThat((value) =>
        /^[a-z]+\/[a-z0-9.-]+$/.test(value)
          ? undefined
          : {
              wrong: `"${value}" is not a platform and a format`,
              hint: 'Such as metal/iso or openstack/qcow2.gz',
            },
      ),
    )
    .min(1)
    .describe(
      'Platform and format as the stream metadata names them: metal/iso, metal/pxe, vmware/ova',
    ),
  architectures: machines,
  stream: text
    .optional()
    .describe('URL or file of stream metadata; by default that of each release'),
});

const packageRepository = z
  .strictObject({
    name,
    type: z.enum(['rpm', 'deb']),
    url,
    suites: z.array(text).default([]).describe('deb: such as bookworm'),
    components: z.array(text).default(['main']).describe('deb: such as main'),
    architectures: machines,
    packages: z.array(text).default([]).describe('Only these names; empty means all'),
    ...place,
  })
  .check(
    together(['type', 'suites'], ({ type, suites }, mistake) => {
      if (type === 'deb' && suites.length === 0)
        mistake('suites', 'a deb repository needs "suites"');
    }),
  );

export const downloadsContent = z.strictObject({
  files: z.array(file).default([]),
  tools: z.array(tool).default([]),
  bootImages: z.array(bootImages).default([]),
  repositories: z
    .array(packageRepository)
    .default([])
    .describe('RPM and deb repositories, as files'),
});
