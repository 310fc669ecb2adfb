import { X509Certificate } from 'node:crypto';
import { counted } from '../../core/format.ts';
import type { KubeObject } from '../api/object.ts';
import { type Check, unlessAny } from './check.ts';
import { dataSchema } from './checks-content.ts';
import type { ClusterSnapshot } from './snapshot.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Where the ingress operator shows what its routers show. */
const ROUTERS = 'default-ingress-cert';

interface Trouble {
  readonly evidence: string;
  readonly commands: readonly string[];
}

export const certificatesCheck: Check = {
  id: 'certificates',
  title: 'No certificate of the mirror, the API, the routers or a node runs out soon',
  look(snapshot) {
    const { trust, signatures, serving, kubelets } = snapshot;
    const routers = signatures.filter(({ metadata }) => metadata.name === ROUTERS);
    const troubles = [
      ...inMaps(snapshot, trust, ['atoll registry init --help', 'atoll apply']),
      ...inMaps(snapshot, routers, ['oc get co ingress', 'oc -n openshift-ingress get secrets']),
      ...ofApi(snapshot),
      ...ofNodes(snapshot),
    ];
    const seen = kubelets.filter(({ validTo }) => validTo !== undefined).length;
    const count = certificatesIn(trust).length + certificatesIn(routers).length + seen;
    const unseen = kubelets.length - seen;
    const more = unseen > 0 ? `; of ${counted(unseen, 'node')} it cannot be seen from here` : '';
    const good = `${counted(count + (serving ? 1 : 0), 'certificate')}${more}`;
    return unlessAny(
      troubles.map(({ evidence }) => evidence),
      good,
      {
        message: `${counted(troubles.length, 'certificate')} to renew`,
        commands: [...new Set(troubles.flatMap(({ commands }) => commands))],
      },
    );
  },
};

function certificatesIn(maps: readonly KubeObject[]) {
  return maps.flatMap((map) =>
    Object.entries(dataSchema.parse(map).data).flatMap(([key, text]) => {
      const where = `${map.metadata.namespace}/${map.metadata.name}/${key}`;
      return (text.match(PEM) ?? []).map((pem) => ({ where, pem }));
    }),
  );
}

function inMaps(
  { now }: ClusterSnapshot,
  maps: readonly KubeObject[],
  commands: readonly string[],
): Trouble[] {
  return certificatesIn(maps).flatMap(({ where, pem }) => {
    const trouble = certificateTrouble(pem, now);
    return trouble === undefined ? [] : { evidence: `${where}: ${trouble}`, commands };
  });
}

function ofApi({ serving, now }: ClusterSnapshot): Trouble[] {
  const days = serving && daysUntil(serving.validTo, now);
  if (days === undefined || days >= SOON_DAYS) return [];
  const evidence = `${serving?.server}: the API's own runs out in ${counted(days, 'day')}`;
  return [{ evidence, commands: ['oc get co kube-apiserver', 'oc get csr'] }];
}

/** Nodes get a new one every few weeks by themselves: only one that was not renewed is news. */
function ofNodes({ kubelets, now }: ClusterSnapshot): Trouble[] {
  return kubelets.flatMap(({ node, validTo }) => {
    if (validTo === undefined || validTo > now) return [];
    const evidence = `${node}: that of its kubelet ran out on ${validTo.toISOString()}`;
    return { evidence, commands: ['oc get csr', 'oc adm certificate approve --help'] };
  });
}

const daysUntil = (until: Date, now: Date): number =>
  Math.floor((until.getTime() - now.getTime()) / DAY_MS);

function certificateTrouble(pem: string, now: Date): string | undefined {
  try {
    const { validTo, subject } = new X509Certificate(pem);
    const days = daysUntil(new Date(validTo), now);
    const name = subject.split('\n').at(-1) ?? '';
    if (days < 0) return `${name} ran out on ${new Date(validTo).toISOString()}`;
    return days < SOON_DAYS ? `${name} runs out in ${counted(days, 'day')}` : undefined;
  } catch {
    return 'it is no certificate';
  }
}
