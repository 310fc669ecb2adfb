import { dirname } from 'node:path/posix';
import * as z from 'zod';
import { AtollError } from '../../../../core/errors.ts';
import { DISTRIBUTION_IMAGE } from '../../../../generate/ignition/bastion-distribution.ts';
import { distributionConfig } from '../../../../generate/units/distribution-config.ts';
import { podmanUnit } from '../../../../generate/units/podman-unit.ts';
import { registryConfig } from '../../../../generate/units/registry-config.ts';
import { REGISTRY_DEFAULTS, registryUnit } from '../../../../generate/units/registry-unit.ts';
import { SQUID_PORT, squidConf } from '../../../../generate/units/squid-conf.ts';
import type { SiteInputs } from '../../../../site/inputs.ts';
import { pair } from '../flag-files.ts';
import { choice, many, manyTexts, number, someTexts, text } from '../flags.ts';
import { renderTarget } from '../target.ts';

const KIND = {
  kind: choice(
    'KIND',
    ['atoll', 'distribution'],
    'The embedded registry, or registry:2 (CNCF distribution) by podman',
  ).default('atoll'),
  data: text('DIR', 'Directory of the content').optional(),
};

const registryPort = ({ site }: SiteInputs) => ({ port: site.registry.port });

export const registryUnitTarget = renderTarget({
  name: 'registry-unit',
  summary: 'systemd unit of the mirror registry, with as few rights as possible',
  schema: z.object({
    ...KIND,
    program: text('PATH', 'atoll itself').default(REGISTRY_DEFAULTS.program),
    config: text('FILE', 'Configuration file of the registry').optional(),
    user: text('NAME', 'User of the service').default(REGISTRY_DEFAULTS.user),
    image: text('IMAGE', 'Image of the container').default(DISTRIBUTION_IMAGE),
    port: number('PORT', 'Its lowest port: below 1024 needs a right').default(5000),
  }),
  examples: {
    'atoll render registry-unit --to /etc/systemd/system/atoll-registry.service': 'embedded',
    'atoll render registry-unit --kind distribution --config /etc/registry/config.yml --data /srv/registry':
      'registry:2 by podman',
  },
  fromSite: registryPort,
  make: ({ kind, data, program, config, user, image, port }) => {
    if (kind === 'atoll') return registryUnit({ program, config, data, user, lowestPort: port });
    const file = config ?? '/etc/registry/config.yml';
    const folder = dirname(file);
    return podmanUnit({
      ...{ name: `registry-${port}`, description: 'Mirror registry', image, command: [file] },
      volumes: [
        { host: data ?? '/var/lib/registry', container: '/var/lib/registry' },
        { host: folder, container: folder, readOnly: true },
      ],
    });
  },
});

export const registryConfigTarget = renderTarget({
  name: 'registry-config',
  summary: 'Configuration of the mirror registry, embedded or registry:2',
  schema: z.object({
    ...KIND,
    port: number('PORT', 'Port of the mirror').default(5000),
    certificate: text('PATH', 'Server certificate on that machine').optional(),
    key: text('PATH', 'Its private key there').optional(),
    htpasswd: text('PATH', 'Users file there, with bcrypt hashes').optional(),
    cache: many(
      'PORT=HOST',
      'Pull-through cache of a registry; for registry:2 just one, instead of the mirror',
      pair('cache'),
    ),
  }),
  examples: {
    'atoll render registry-config --cache 6001=quay.io --cache 6002=registry.redhat.io': 'embedded',
    'atoll render registry-config --kind distribution --htpasswd /etc/registry/htpasswd':
      'registry:2',
  },
  fromSite: registryPort,
  make: ({ kind, data, port, certificate, key, htpasswd, cache }) => {
    const tls = certificate && key ? { certificate, key } : undefined;
    const caches = cache.map(([at, upstream]) => ({ port: Number(at), upstream }));
    if (kind === 'atoll') {
      const listeners = [{ port }, ...caches];
      const folder = data ?? `${REGISTRY_DEFAULTS.data}/data`;
      return registryConfig({ data: folder, tls, htpasswd, listeners });
    }
    const [only, ...more] = caches;
    if (more.length > 0) throw onlyOneCache();
    return distributionConfig({
      ...{ port: only?.port ?? port, data: data ?? '/var/lib/registry', tls, htpasswd },
      cacheOf: only && { url: `https://${only.upstream}` },
    });
  },
});

function onlyOneCache(): AtollError {
  return new AtollError('USAGE', 'Cannot cache more than one registry with registry:2', {
    hint: 'Run one for each upstream, or use "--kind atoll"',
  });
}

export const squidConfTarget = renderTarget({
  name: 'squid-conf',
  summary: 'squid.conf of a proxy that is open to named networks only',
  schema: z.object({
    client: someTexts('CIDR', 'Network that may use it'),
    port: number('PORT', 'Port for plain HTTP').default(SQUID_PORT),
    tlsPort: number('PORT', 'Port for TLS; needs --certificate and --key').optional(),
    certificate: text('PATH', 'On that machine').default('/etc/squid/tls.crt'),
    key: text('PATH', 'On that machine').default('/etc/squid/tls.key'),
    htpasswd: text('PATH', 'Users file on that machine; no login without it').optional(),
    helper: text('PATH', 'basic_ncsa_auth on that machine').optional(),
    destination: manyTexts('DOMAIN', 'Where it may lead, such as .quay.io'),
  }),
  examples: {
    'atoll render squid-conf --client 10.0.0.0/16 --htpasswd /etc/squid/htpasswd --destination .quay.io':
      'for one VPC, with users, to one domain',
  },
  fromSite: (inputs) => ({
    client: [...inputs.bastionStack().access.clients],
    port: inputs.site.proxy.port,
  }),
  make: ({ client: clients, port, tlsPort, certificate, key, htpasswd, helper, destination }) =>
    squidConf({
      clients,
      port,
      ...(tlsPort === undefined ? {} : { tls: { port: tlsPort, certificate, key } }),
      ...(htpasswd === undefined ? {} : { auth: { htpasswd, helper } }),
      ...(destination.length > 0 ? { destinations: destination } : {}),
    }),
});
