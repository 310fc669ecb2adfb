import { registriesConf } from '../../../generate/registries-conf.ts';
import { renderCommand } from './render-command.ts';
import { RULE_OPTIONS, rulesFrom } from './rule-options.ts';

export const renderRegistriesConfCommand = renderCommand({
  name: 'render registries-conf',
  summary: 'registries.conf for nodes, podman and skopeo',
  options: {
    ...RULE_OPTIONS,
    block: {
      type: 'strings',
      value: 'HOST[/PATH]',
      summary: 'Never pull from there, only from its mirrors: proves that nothing leaks',
    },
    insecure: {
      type: 'strings',
      value: 'HOST',
      summary: 'Host with plain HTTP or an unverified certificate',
    },
    search: { type: 'strings', value: 'HOST', summary: 'Where short names are looked up' },
  },
  examples: [
    ['atoll render registries-conf --mirror mirror.example:5000', 'the release from the mirror'],
    [
      'atoll render registries-conf --rules-from idms.yaml --block quay.io --to registries.conf',
      'all rules of a mirror set, and quay.io blocked',
    ],
  ],
  async render(_ctx, { options }) {
    const { block: blocked, insecure, search: unqualifiedSearch } = options;
    const { rules, tagRules } = await rulesFrom(options);
    return { contents: registriesConf({ rules, tagRules, blocked, insecure, unqualifiedSearch }) };
  },
});
