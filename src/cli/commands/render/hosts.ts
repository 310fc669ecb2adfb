import { hostsFile, upstreamHosts } from '../../../generate/hosts-file.ts';
import { splitPair } from './flag-values.ts';
import { renderCommand } from './render-command.ts';
import { RULE_OPTIONS, rulesFrom } from './rule-options.ts';

export const renderHostsCommand = renderCommand({
  name: 'render hosts',
  summary: '/etc/hosts with upstream names that lead to the bastion',
  options: {
    ...RULE_OPTIONS,
    host: { type: 'strings', value: 'ADDRESS=NAME[,NAME…]', summary: 'Names of an address' },
    upstreamsAt: {
      type: 'string',
      value: 'ADDRESS',
      summary: 'Point the upstream names of the rules at this address',
    },
  },
  examples: [
    [
      'atoll render hosts --upstreams-at 10.0.10.10 --mirror mirror.example:5000',
      'quay.io leads to the bastion',
    ],
    ['atoll render hosts --host 10.0.10.10=mirror.example,bastion.example', 'only these names'],
  ],
  async render(_ctx, { options }) {
    const { rules, tagRules } = await rulesFrom(options);
    const named = options.host.map((value) => {
      const [address, names] = splitPair('host', value);
      return { address, names: names.split(',') };
    });
    const upstreams =
      options.upstreamsAt === undefined
        ? []
        : [upstreamHosts([...rules, ...tagRules], options.upstreamsAt)];
    return { contents: hostsFile([...named, ...upstreams]) };
  },
});
