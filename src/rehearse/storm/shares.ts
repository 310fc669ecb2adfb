import {
  BOOTSTRAP_COMPONENTS,
  CONTROL_PLANE_COMPONENTS,
  isOsComponent,
  NODE_COMPONENTS,
  nodeImageComponent,
} from '../../openshift/components.ts';
import { parseReleaseVersion } from '../../openshift/version.ts';
import type { ImageCheck } from '../check/image-checker.ts';
import { isPayload } from '../images/wanted-image.ts';

export type StormRole = 'bootstrap' | 'control plane' | 'worker';

/** What one node pulls, in order. */
export interface PlannedPulls {
  readonly name: string;
  readonly role: StormRole;
  readonly images: readonly ImageCheck[];
}

/** Nodes that pull at the same time; the next phase starts when all are done. */
export interface PullPhase {
  readonly role: StormRole;
  readonly nodes: readonly PlannedPulls[];
}

const CONTROL_PLANE_NODES = 3;

/**
 * Who pulls what when so many nodes are installed: first the bootstrap machine, then the control plane
 * at once, then the workers at once. What only runs somewhere is dealt out evenly. Of several systems nodes pull
 * the one of their stream.
 */
export function pullPlan(
  checks: readonly ImageCheck[],
  nodes: number,
  stream?: string,
): PullPhase[] {
  const images = checks.filter(({ found }) => found !== undefined);
  const masters = Math.min(CONTROL_PLANE_NODES, nodes);
  const workers = nodes - masters;
  const payload = images.filter(({ image }) => isPayload(image));
  const workload = images.filter(({ image }) => !isPayload(image));
  const release = payload.filter(({ image }) => image.kind === 'release');
  const system = systemOf(payload, stream);
  const named = (names: readonly string[]) =>
    pick(
      payload,
      names.map((name) => (name === NODE_IMAGE && system ? system : name)),
    );
  const everywhere = named(NODE_COMPONENTS);
  const control = [...release, ...everywhere, ...named(CONTROL_PLANE_COMPONENTS)];
  const rest = payload.filter((check) => !control.includes(check) && !isSystem(check));
  const phases: PullPhase[] = [
    phaseOf('bootstrap', 1, () => [...release, ...named(BOOTSTRAP_COMPONENTS)]),
    phaseOf('control plane', masters, (index) => [
      ...control,
      ...dealt(workers > 0 ? rest : [...rest, ...workload], index, masters),
    ]),
    phaseOf('worker', workers, (index) => [...everywhere, ...dealt(workload, index, workers)]),
  ];
  return phases.filter((phase) => phase.nodes.length > 0);
}

/** Nodes of 5.0 run another system than those before, where the payload has both and nobody chose. */
function systemOf(payload: readonly ImageCheck[], stream: string | undefined): string | undefined {
  const [version] = payload.flatMap(({ image }) => image.release ?? []);
  const name = version && nodeImageComponent(parseReleaseVersion(version), stream);
  return payload.some(({ image }) => image.component === name) ? name : undefined;
}

const NODE_IMAGE = nodeImageComponent(undefined);

/** A system that is not that of the nodes, or extensions, which they pull only when told to. */
const isSystem = ({ image: { component } }: ImageCheck) =>
  component !== undefined && isOsComponent({ name: component, annotations: {} });

function phaseOf(
  role: StormRole,
  count: number,
  imagesOf: (index: number) => readonly ImageCheck[],
): PullPhase {
  const nodes = Array.from({ length: count }, (_, index) => ({
    name: role === 'bootstrap' ? role : `${role === 'worker' ? 'worker' : 'master'}-${index}`,
    role,
    images: imagesOf(index),
  }));
  return { role, nodes };
}

function pick(checks: readonly ImageCheck[], names: readonly string[]): ImageCheck[] {
  return names.flatMap((name) => checks.find(({ image }) => image.component === name) ?? []);
}

function dealt<T>(items: readonly T[], index: number, players: number): T[] {
  return items.filter((_, position) => position % players === index);
}
