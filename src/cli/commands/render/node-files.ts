import { AtollError } from '../../../core/errors.ts';
import { chronyConf } from '../../../generate/chrony.ts';
import { crioDropIn } from '../../../generate/crio.ts';
import { policyJson, type Trust } from '../../../generate/policy-json.ts';
import { splitPair } from './flag-values.ts';
import { renderCommand } from './render-command.ts';

export const renderPolicyCommand = renderCommand({
  name: 'render policy',
  summary: 'policy.json: which images must be signed by whom',
  options: {
    default: {
      type: 'string',
      value: 'TRUST',
      default: 'accept',
      summary: 'accept, reject, gpg:KEYFILE or sigstore:KEYFILE for all other images',
    },
    scope: {
      type: 'strings',
      value: 'PLACE=TRUST',
      summary: 'The same for one registry or repository',
    },
  },
  examples: [
    [
      'atoll render policy --default reject --scope mirror.example:5000=accept',
      'nothing but the mirror',
    ],
  ],
  async render(_ctx, { options }) {
    const scopes = options.scope.map((text) => {
      const [place, trust] = splitPair('scope', text);
      return [place, trustOf(trust)] as const;
    });
    return {
      contents: policyJson({
        default: trustOf(options.default),
        scopes: Object.fromEntries(scopes),
      }),
    };
  },
});

function trustOf(text: string): Trust {
  if (text === 'accept' || text === 'reject') return { type: text };
  const [, type, keyPath] = /^(gpg|sigstore):(\/\S+)$/.exec(text) ?? [];
  if (keyPath !== undefined) return { type: type === 'gpg' ? 'gpg' : 'sigstore', keyPath };
  throw new AtollError('USAGE', `Cannot use trust "${text}"`, {
    hint: 'Write accept, reject, gpg:/path/of/key or sigstore:/path/of/key',
  });
}

export const renderCrioCommand = renderCommand({
  name: 'render crio',
  summary: 'Drop-in for CRI-O that takes the pause image from the mirror',
  options: {
    pauseImage: {
      type: 'string',
      value: 'IMAGE',
      required: true,
      summary: 'Component "pod" of the release',
    },
    authFile: { type: 'string', value: 'PATH', summary: 'Pull secret on the node' },
  },
  examples: [
    ['atoll render crio --pause-image mirror.example:5000/openshift/release:pod', 'one drop-in'],
  ],
  async render(_ctx, { options: { pauseImage, authFile } }) {
    return { contents: crioDropIn({ pauseImage, pauseImageAuthFile: authFile }) };
  },
});

export const renderChronyCommand = renderCommand({
  name: 'render chrony',
  summary: 'chrony.conf with time servers inside the network',
  options: {
    server: {
      type: 'strings',
      value: 'HOST',
      required: true,
      summary: 'Time server; may be given more than once',
    },
  },
  examples: [
    [
      'atoll render chrony --server ntp.example --to chrony.conf',
      'then "render machine-config" carries it',
    ],
  ],
  async render(_ctx, { options: { server } }) {
    return { contents: chronyConf(server) };
  },
});
