import { readSite } from '../../site/read-site.ts';
import { siteJsonSchema } from '../../site/schema.ts';
import { validateSite } from '../../site/validate-site.ts';
import { defineCommand } from '../command.ts';
import { onOff } from '../flags.ts';
import { PLATFORMS } from '../platforms.ts';
import { SITE_OPTION } from '../site-options.ts';

export const validateCommand = defineCommand({
  name: 'validate',
  summary: 'Check a site file: every mistake in one go, with line and column',
  options: {
    ...SITE_OPTION,
    schema: onOff('Print the JSON Schema for editors instead'),
  },
  examples: {
    'atoll validate': 'checks atoll.yaml',
    'atoll validate --schema > atoll.schema.json': 'for editors',
  },
  async run(ctx, { options, terminal }) {
    if (options.schema) return { schema: siteJsonSchema(PLATFORMS) };
    const site = await readSite(options.site, terminal.env, PLATFORMS);
    const unseen = await validateSite(ctx, site, terminal.env);
    return { valid: true, site: site.name, file: site.path, overrides: site.overrides, unseen };
  },
  text: (result) =>
    'schema' in result
      ? JSON.stringify(result.schema, null, 2)
      : [
          `${result.file} is valid`,
          ...result.unseen.map((what) => `  not looked at: ${what}`),
        ].join('\n'),
});
