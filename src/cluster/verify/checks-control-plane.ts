import * as z from 'zod';
import { counted } from '../../core/format.ts';
import { conditionOf, conditionText, type KubeObject } from '../api/object.ts';
import { stateOf } from '../csr/certificate-request.ts';
import { missingMirrors, poolOf, wantedMirrors } from '../pools.ts';
import { type Check, fails, holds, unlessAny } from './check.ts';
import type { ClusterSnapshot } from './snapshot.ts';

const versionSchema = z.object({
  status: z.object({
    history: z
      .array(z.object({ state: z.string(), version: z.string(), image: z.string().default('') }))
      .default([]),
  }),
});

/** The release that the cluster runs or moves to. */
export function releaseOf({ versions }: ClusterSnapshot) {
  return versionSchema.safeParse(versions[0]).data?.status.history[0];
}

/** Conditions that are not as they have to be, in words. */
function unlike(object: KubeObject, wanted: Readonly<Record<string, string>>): string[] {
  return Object.entries(wanted).flatMap(([type, status]) => {
    const found = conditionOf(object, type);
    if (found?.status === status) return [];
    // Not every release writes each of them; absent is as good as False.
    if (!found) return status === 'False' ? [] : [`${type} is not said`];
    return [conditionText(found)];
  });
}

export const versionCheck: Check = {
  id: 'version',
  title: 'The cluster runs the release',
  look(snapshot) {
    const [object] = snapshot.versions;
    const release = releaseOf(snapshot);
    if (!object || !release)
      return fails({
        message: 'there is no ClusterVersion with a history: this is no OpenShift that came up',
        commands: ['oc get clusterversion'],
      });
    const { version, release: digest } = snapshot.expected;
    const problems = [
      ...(release.state === 'Completed' ? [] : [`${release.version} is ${release.state}`]),
      ...unlike(object, { Available: 'True', Failing: 'False', Progressing: 'False' }),
      ...(version && version !== release.version
        ? [`it runs ${release.version}, expected is ${version}`]
        : []),
      ...(digest && !release.image.endsWith(digest)
        ? [`its release image is ${release.image}, expected is ${digest}`]
        : []),
    ];
    return unlessAny(problems, `${release.version} (${release.image})`, {
      message: `${release.version} is not settled, or not what was expected`,
      commands: ['oc adm upgrade', 'oc get clusterversion version -o yaml'],
    });
  },
};

const operatorSchema = z.object({
  status: z.object({ versions: z.array(z.unknown()).default([]) }),
});

export const operatorsCheck: Check = {
  id: 'operators',
  title: 'All operators are available',
  look({ operators }) {
    if (operators.length === 0)
      return fails({ message: 'there are no ClusterOperators', commands: ['oc get co'] });
    const bad = operators.flatMap((object) => {
      const versions = operatorSchema.safeParse(object).data?.status.versions ?? [];
      const problems = [
        ...unlike(object, { Available: 'True', Progressing: 'False', Degraded: 'False' }),
        ...(versions.length === 0 ? ['it reports no version'] : []),
      ];
      return problems.map((problem) => ({ name: object.metadata.name, problem }));
    });
    const names = [...new Set(bad.map(({ name }) => name))];
    return unlessAny(
      bad.map(({ name, problem }) => `${name}: ${problem}`),
      counted(operators.length, 'operator'),
      {
        message: `${names.length} of ${operators.length} operators are not well`,
        commands: names.map((name) => `oc describe co ${name}`),
      },
    );
  },
};

export const nodesCheck: Check = {
  id: 'nodes',
  title: 'All nodes are there and ready',
  look({ nodes, expected }) {
    const there = new Set(nodes.map(({ metadata }) => metadata.name));
    const missing = (expected.nodes ?? []).filter((name) => !there.has(name));
    const bad = nodes.flatMap((node) => {
      const problems = unlike(node, {
        Ready: 'True',
        DiskPressure: 'False',
        MemoryPressure: 'False',
        PIDPressure: 'False',
      });
      return problems.map((problem) => `${node.metadata.name}: ${problem}`);
    });
    const evidence = [...missing.map((name) => `${name}: it never joined`), ...bad];
    if (nodes.length === 0 && evidence.length === 0) evidence.push('there are no nodes');
    return unlessAny(evidence, counted(nodes.length, 'node'), {
      message: `${evidence.length} things are wrong with the nodes`,
      commands: ['oc get nodes', ...(missing.length > 0 ? ['oc get csr'] : [])],
    });
  },
};

export const poolsCheck: Check = {
  id: 'pools',
  title: 'Nodes have the configuration of the cluster',
  look(snapshot) {
    const { pools, registries, digestMirrors, tagMirrors, contentPolicies } = snapshot;
    const wanted = wantedMirrors([...digestMirrors, ...tagMirrors, ...contentPolicies]);
    const evidence = pools.map(poolOf).flatMap((pool) => {
      const { name, degraded, settled, updated, machines } = pool;
      if (degraded !== undefined) return [`${name}: degraded: ${degraded}`];
      if (!settled) return [`${name}: ${updated} of ${machines} machines updated`];
      const conf = registries.get(name);
      const missing = conf && machines > 0 ? missingMirrors(conf, wanted) : [];
      return missing.map(
        ({ source, mirror }) => `${name}: nodes do not know ${mirror} for ${source}`,
      );
    });
    return unlessAny(evidence, counted(pools.length, 'pool'), {
      message: 'not all nodes have what the cluster wants them to have',
      commands: ['oc get mcp', 'oc describe mcp', 'atoll apply'],
    });
  },
};

export const requestsCheck: Check = {
  id: 'requests',
  title: 'No certificate request waits',
  look({ requests }) {
    const open = requests
      .map((object) => ({ name: object.metadata.name, state: stateOf(object) }))
      .filter(({ state }) => state !== 'approved');
    if (open.length === 0) return holds(counted(requests.length, 'request'));
    return fails({
      message: `${counted(open.length, 'request')} not granted`,
      evidence: open.map(({ name, state }) => `${name}: ${state}`),
      commands: ['oc get csr', ...open.map(({ name }) => `oc describe csr ${name}`)],
    });
  },
};
