import { AtollError } from '../../../core/errors.ts';
import { DISTRIBUTION_IMAGE } from '../../../generate/ignition/bastion-distribution.ts';
import { distributionConfig } from '../../../generate/units/distribution-config.ts';
import { podmanUnit } from '../../../generate/units/podman-unit.ts';
import { registryConfig } from '../../../generate/units/registry-config.ts';
import { REGISTRY_DEFAULTS, registryUnit } from '../../../generate/units/registry-unit.ts';
import { SQUID_PORT, squidConf } from '../../../generate/units/squid-conf.ts';
import type { OptionSpec } from '../../command.ts';
import { splitPair } from './flag-values.ts';
import { renderCommand } from './render-command.ts';

const KIND = {
  kind: {
    type: 'string',
    value: 'KIND',
    choices: ['atoll', 'distribution'],
    default: 'atoll',
    summary: 'The embedded registry, or registry:2 (CNCF distribution) by podman',
  },
  data: { type: 'string', value: 'DIR', summary: 'Directory of the content' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export const renderRegistryUnitCommand = renderCommand({
  name: 'render registry-unit',
  summary: 'systemd unit of the mirror registry, with as few rights as possible',
  options: {
    ...KIND,
    program: {
      type: 'string',
      value: 'PATH',
      default: REGISTRY_DEFAULTS.program,
      summary: 'atoll itself',
    },
    config: { type: 'string', value: 'FILE', summary: 'Configuration file of the registry' },
    user: {
      type: 'string',
      value: 'NAME',
      default: REGISTRY_DEFAULTS.user,
      summary: 'User of the service',
    },
    image: {
      type: 'string',
      value: 'IMAGE',
      default: DISTRIBUTION_IMAGE,
      summary: 'Image of the container',
    },
    port: {
      type: 'number',
      value: 'PORT',
      default: 5000,
      summary: 'Its lowest port: below 1024 needs a right',
    },
  },
  examples: [
    ['atoll render registry-unit --to /etc/systemd/system/atoll-registry.service', 'embedded'],
    [
      'atoll render registry-unit --kind distribution --config /etc/registry/config.yml --data /srv/registry',
      'registry:2 by podman',
    ],
  ],
  async render(_ctx, { options }) {
    const { program, user, image, port } = options;
    const { data, config } = options;
    if (options.kind === 'atoll') {
      return { contents: registryUnit({ program, config, data, user, lowestPort: port }) };
    }
    const file = config ?? '/etc/registry/config.yml';
    return {
      contents: podmanUnit({
        ...{ name: `registry-${port}`, description: 'Mirror registry', image, command: [file] },
        volumes: [
          { host: data ?? '/var/lib/registry', container: '/var/lib/registry' },
          {
            host: file.slice(0, file.lastIndexOf('/')),
            container: file.slice(0, file.lastIndexOf('/')),
            readOnly: true,
          },
        ],
      }),
    };
  },
});

export const renderRegistryConfigCommand = renderCommand({
  name: 'render registry-config',
  summary: 'Configuration of the mirror registry, embedded or registry:2',
  options: {
    ...KIND,
    port: { type: 'number', value: 'PORT', default: 5000, summary: 'Port of the mirror' },
    certificate: { type: 'string', value: 'PATH', summary: 'Server certificate on that machine' },
    key: { type: 'string', value: 'PATH', summary: 'Its private key there' },
    htpasswd: { type: 'string', value: 'PATH', summary: 'Users file there, with bcrypt hashes' },
    cache: {
      type: 'strings',
      value: 'PORT=HOST',
      summary: 'Pull-through cache of a registry; for registry:2 just one, instead of the mirror',
    },
  },
  examples: [
    [
      'atoll render registry-config --cache 6001=quay.io --cache 6002=registry.redhat.io',
      'embedded',
    ],
    [
      'atoll render registry-config --kind distribution --htpasswd /etc/registry/htpasswd',
      'registry:2',
    ],
  ],
  async render(_ctx, { options }) {
    const { port, certificate, key, htpasswd } = options;
    const tls = certificate && key ? { certificate, key } : undefined;
    const caches = options.cache.map((text) => {
      const [at, upstream] = splitPair('cache', text);
      return { port: Number(at), upstream };
    });
    if (options.kind === 'atoll') {
      const data = options.data ?? `${REGISTRY_DEFAULTS.data}/data`;
      return {
        contents: registryConfig({ data, tls, htpasswd, listeners: [{ port }, ...caches] }),
      };
    }
    const [cache, ...more] = caches;
    if (more.length > 0) throw onlyOneCache();
    return {
      contents: distributionConfig({
        ...{ port: cache?.port ?? port, data: options.data ?? '/var/lib/registry', tls, htpasswd },
        cacheOf: cache && { url: `https://${cache.upstream}` },
      }),
    };
  },
});

function onlyOneCache(): AtollError {
  return new AtollError('USAGE', 'Cannot cache more than one registry with registry:2', {
    hint: 'Run one for each upstream, or use "--kind atoll"',
  });
}

export const renderSquidConfCommand = renderCommand({
  name: 'render squid-conf',
  summary: 'squid.conf of a proxy that is open to named networks only',
  options: {
    client: { type: 'strings', value: 'CIDR', required: true, summary: 'Network that may use it' },
    port: { type: 'number', value: 'PORT', default: SQUID_PORT, summary: 'Port for plain HTTP' },
    tlsPort: {
      type: 'number',
      value: 'PORT',
      summary: 'Port for TLS; needs --certificate and --key',
    },
    certificate: {
      type: 'string',
      value: 'PATH',
      default: '/etc/squid/tls.crt',
      summary: 'On that machine',
    },
    key: {
      type: 'string',
      value: 'PATH',
      default: '/etc/squid/tls.key',
      summary: 'On that machine',
    },
    htpasswd: {
      type: 'string',
      value: 'PATH',
      summary: 'Users file on that machine; no login without it',
    },
    helper: { type: 'string', value: 'PATH', summary: 'basic_ncsa_auth on that machine' },
    destination: {
      type: 'strings',
      value: 'DOMAIN',
      summary: 'Where it may lead, such as .quay.io',
    },
  },
  examples: [
    [
      'atoll render squid-conf --client 10.0.0.0/16 --htpasswd /etc/squid/htpasswd --destination .quay.io',
      'for one VPC, with users, to one domain',
    ],
  ],
  async render(_ctx, { options }) {
    const { client: clients, port, tlsPort, certificate, key, htpasswd, helper } = options;
    return {
      contents: squidConf({
        clients,
        port,
        ...(tlsPort === undefined ? {} : { tls: { port: tlsPort, certificate, key } }),
        ...(htpasswd === undefined ? {} : { auth: { htpasswd, helper } }),
        ...(options.destination.length > 0 ? { destinations: options.destination } : {}),
      }),
    };
  },
});
