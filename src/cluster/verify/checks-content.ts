import * as z from 'zod';
import { counted } from '../../core/format.ts';
import { parseYaml } from '../../core/yaml.ts';
import type { KubeObject } from '../api/object.ts';
import { catalogTrouble } from '../apply/wait-catalogs.ts';
import { pinnedTrouble } from '../apply/wait-pinned.ts';
import { type Check, fails, holds, unlessAny } from './check.ts';
import { releaseOf } from './checks-control-plane.ts';
import type { ClusterSnapshot } from './snapshot.ts';

const hubSchema = z.object({
  spec: z.object({ disableAllDefaultSources: z.boolean().default(false) }),
});

export const catalogsCheck: Check = {
  id: 'catalogs',
  title: 'All catalogs are ready',
  look({ catalogSources, clusterCatalogs }) {
    const catalogs = [...catalogSources, ...clusterCatalogs.filter((one) => !isOff(one))];
    const bad = catalogs.flatMap((object) => {
      const trouble = catalogTrouble(object);
      return trouble === undefined ? [] : [`${object.kind} ${object.metadata.name}: ${trouble}`];
    });
    return unlessAny(bad, counted(catalogs.length, 'catalog'), {
      message: `${bad.length} of ${counted(catalogs.length, 'catalog')} not ready`,
      commands: ['oc -n openshift-marketplace get pods', 'oc get catalogsource -A'],
    });
  },
};

export const pinnedCheck: Check = {
  id: 'pinned',
  title: 'Nodes keep the images that are pinned',
  look({ pinnedSets, poolNodes }) {
    const behind = pinnedTrouble(pinnedSets, poolNodes);
    return unlessAny(behind, counted(pinnedSets.length, 'set'), {
      message: `${counted(behind.length, 'set')} not on every node`,
      commands: ['oc get machineconfignodes', 'oc describe pinnedimageset'],
    });
  },
};

const catalogSpec = z.object({ spec: z.object({ availabilityMode: z.string().optional() }) });

const isOff = (object: KubeObject): boolean =>
  catalogSpec.safeParse(object).data?.spec.availabilityMode === 'Unavailable';

const SIGNATURE_LABEL = 'release.openshift.io/verification-signatures';
export const dataSchema = z.object({
  data: z.record(z.string(), z.string()).default({}),
  binaryData: z.record(z.string(), z.string()).default({}),
});

export const signaturesCheck: Check = {
  id: 'signatures',
  title: 'The signature of the release is in the cluster',
  look(snapshot) {
    const digest = /sha256:([0-9a-f]{64})$/.exec(releaseOf(snapshot)?.image ?? '')?.[1];
    if (digest === undefined)
      return {
        outcome: 'unknown',
        message: 'the cluster does not say by digest which release it runs',
      };
    const maps = snapshot.signatures.filter(
      ({ metadata }) => metadata.labels?.[SIGNATURE_LABEL] !== undefined,
    );
    const keys = maps.flatMap((map) => {
      const { data, binaryData } = dataSchema.parse(map);
      return [...Object.keys(data), ...Object.keys(binaryData)];
    });
    if (keys.some((key) => key.startsWith(`sha256-${digest}`)))
      return holds(`sha256:${digest} is signed`);
    return fails({
      message: 'an update from or to this release would not be believed',
      evidence: [
        `${counted(keys.length, 'signature')} in ${counted(maps.length, 'ConfigMap')}, none of sha256:${digest}`,
      ],
      commands: ['atoll mirror sync', 'atoll apply'],
    });
  },
};

const samplesSchema = z.object({
  spec: z.object({
    managementState: z.string().default('Managed'),
    samplesRegistry: z.string().default(''),
  }),
});
const telemetrySchema = z.object({ telemeterClient: z.object({ enabled: z.boolean() }) });
const channelSchema = z.object({
  spec: z.object({ channel: z.string().default(''), upstream: z.string().default('') }),
});

interface Wish {
  readonly evidence: string;
  readonly command: string;
}

/** What in the cluster is set to ask the internet for something. */
const WISHES: readonly ((snapshot: ClusterSnapshot) => Wish | undefined)[] = [
  ({ operatorHubs }) =>
    operatorHubs.length > 0 &&
    !hubSchema.safeParse(operatorHubs[0]).data?.spec.disableAllDefaultSources
      ? {
          evidence: 'OperatorHub: the catalogs on the internet are on',
          command: `oc patch operatorhub cluster --type merge -p '{"spec":{"disableAllDefaultSources":true}}'`,
        }
      : undefined,
  ({ samples }) => {
    const spec = samplesSchema.safeParse(samples[0]).data?.spec;
    return spec?.managementState === 'Managed' && spec.samplesRegistry === ''
      ? {
          evidence: 'samples: image streams are imported from the internet',
          command: 'atoll render samples > samples.yaml && atoll apply samples.yaml',
        }
      : undefined;
  },
  ({ monitoring, operators }) => {
    const hasMonitoring = operators.some(({ metadata }) => metadata.name === 'monitoring');
    return hasMonitoring && !isTelemetryOff(monitoring)
      ? {
          evidence: 'monitoring: telemetry is not switched off',
          command:
            'atoll render monitoring-config > monitoring.yaml && atoll apply monitoring.yaml',
        }
      : undefined;
  },
  ({ versions }) => {
    const spec = channelSchema.safeParse(versions[0]).data?.spec;
    return spec && spec.channel !== '' && spec.upstream === ''
      ? {
          evidence: `ClusterVersion: updates of ${spec.channel} are asked for at api.openshift.com`,
          command:
            'point spec.upstream at the update service, or: oc adm upgrade channel --allow-explicit-channel ""',
        }
      : undefined;
  },
  ({ clusterCatalogs }) => {
    const on = clusterCatalogs.filter(
      (one) => one.metadata.name.startsWith('openshift-') && !isOff(one),
    );
    const [first] = on;
    return first
      ? {
          evidence: `ClusterCatalogs on the internet: ${on.map(({ metadata }) => metadata.name).join(', ')}`,
          command: `oc patch clustercatalog ${first.metadata.name} --type merge -p '{"spec":{"availabilityMode":"Unavailable"}}'`,
        }
      : undefined;
  },
];

function isTelemetryOff(maps: readonly KubeObject[]): boolean {
  const map = maps.find(({ metadata }) => metadata.name === 'cluster-monitoring-config');
  const text = map && dataSchema.parse(map).data['config.yaml'];
  if (!text) return false;
  try {
    const config = telemetrySchema.safeParse(parseYaml(text, 'strict'));
    return config.data?.telemeterClient.enabled === false;
  } catch {
    return false;
  }
}

export const egressCheck: Check = {
  id: 'egress',
  title: 'Nothing in the cluster wants to get out',
  look(snapshot) {
    if (snapshot.expected.wayOut) return holds('the site has a way out by intention');
    const wishes = WISHES.flatMap((wish) => wish(snapshot) ?? []);
    return unlessAny(
      wishes.map(({ evidence }) => evidence),
      'catalogs, samples, telemetry and updates stay inside',
      {
        message: `${counted(wishes.length, 'part')} of the cluster ask the internet`,
        commands: wishes.map(({ command }) => command),
      },
    );
  },
};
