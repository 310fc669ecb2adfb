import { CLUSTER_BOOTSTRAP_STAGE, HAND_OVER_STAGES, RENDER_STAGES } from './bootkube-stages.ts';
import { CONTROL_PLANE_STEPS, INSTALL_STEPS } from './later-steps.ts';
import { MACHINE_STEPS } from './machine-steps.ts';
import type { BootstrapStep, StepSignal } from './step.ts';
import { BARE_METAL_STEPS, IN_PLACE_STEPS } from './variant-steps.ts';

const [bootkubeComplete, ...afterBootkube] = INSTALL_STEPS;

/** The real sequence of a bootstrap, in order, with what happens only in some ways to install. */
export const BOOTSTRAP_STEPS: readonly BootstrapStep[] = [
  ...MACHINE_STEPS,
  ...RENDER_STAGES,
  ...CONTROL_PLANE_STEPS,
  ...BARE_METAL_STEPS,
  CLUSTER_BOOTSTRAP_STAGE,
  ...HAND_OVER_STAGES,
  ...(bootkubeComplete ? [bootkubeComplete] : []),
  ...IN_PLACE_STEPS,
  ...afterBootkube,
];

/** The ten steps in which the process is usually told, in order. Each real step names the one it belongs to. */
export const ABSTRACT_STEPS: readonly string[] = [
  'The bootstrap machine boots and hosts what the control plane machines need',
  'A single-node etcd and a temporary control plane start on the bootstrap machine',
  'The control plane machines fetch their config and finish booting',
  'The temporary control plane schedules the production one onto the masters',
  'The CVO comes up and the etcd operator scales etcd to all masters',
  'The temporary control plane shuts down and hands over',
  'The bootstrap machine injects the components into the production control plane',
  'The installer shuts the bootstrap machine down',
  'The control plane sets up the compute machines',
  'The control plane installs further services as operators',
];

/** Units that only a bootstrap machine has. */
export const BOOTSTRAP_UNITS: ReadonlySet<string> = new Set([
  'approve-csr',
  'node-image-finish',
  'build-ironic-env',
  'build-metal3-env',
  ...BOOTSTRAP_STEPS.flatMap(({ service }) => service ?? []).filter(
    (service) => service !== 'crio' && service !== 'kubelet',
  ),
]);

/** Units of which each can only do its work once those before it have done theirs. */
export const START_ORDER: readonly string[] = [
  'node-image-pull',
  'node-image-overlay',
  'node-image-finish',
  'crio-configure',
  'crio',
  'kubelet',
  'bootkube',
];

/** Units whose journals tell how far a bootstrap machine is. */
export const JOURNALED_UNITS: readonly string[] = [
  'release-image',
  'node-image-pull',
  'crio',
  'kubelet',
  'bootkube',
];

/** Programs that do not carry the name of their unit. */
export const UNIT_OF_PROGRAM: Readonly<Record<string, string>> = {
  'cluster-bootstrap': 'bootkube',
  'wait-for-ceo': 'bootkube',
  etcdctl: 'bootkube',
  'release-image-download': 'release-image',
  'report-progress': 'progress',
  kubenswrapper: 'kubelet',
  hyperkube: 'kubelet',
};

/** Pods of the production control plane that cluster-bootstrap waits for. */
export const REQUIRED_PODS: readonly string[] = [
  'openshift-kube-apiserver/kube-apiserver',
  'openshift-kube-scheduler/openshift-kube-scheduler',
  'openshift-kube-controller-manager/kube-controller-manager',
  'openshift-cluster-version/cluster-version-operator',
];

/** All lines that tell of a step: those its row spells out, and those of its first and last words. */
export function signalsOf(step: BootstrapStep): Required<StepSignal>[] {
  const own = step.service ? [`journal:bootstrap/${step.service}`] : [];
  const signals: StepSignal[] = [
    ...(step.starts ? [{ says: 'started' as const, pattern: linePattern(step.starts) }] : []),
    ...(step.ends ? [{ says: 'finished' as const, pattern: linePattern(step.ends) }] : []),
    ...(step.signals ?? []),
  ];
  return signals.map((signal) => ({ where: own, ...signal }));
}

/** A line as it is printed. Dots at its end are not always there, but then nothing else is. */
function linePattern(line: string): string {
  const words = line.replace(/\.+$/, '').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return line.endsWith('...') ? `${words}\\.\\.\\.|${words}$` : words;
}
