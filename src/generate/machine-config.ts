import { AtollError } from '../core/errors.ts';
import { by } from '../core/order.ts';
import { clusterObject } from './cluster-object.ts';
import type { FileEntry, UnitEntry } from './ignition/config.ts';

export interface MachineConfigInput {
  /** Such as `99-worker-chrony`; later names win over earlier ones. */
  readonly name: string;
  /** The pool: `master`, `worker`, or one the cluster defines. */
  readonly role: string;
  readonly files?: readonly FileEntry[] | undefined;
  readonly units?: readonly UnitEntry[] | undefined;
  readonly kernelArguments?: readonly string[] | undefined;
}

/** What every release since 4.7 understands inside a MachineConfig. */
const MACHINE_CONFIG_IGNITION = '3.2.0';
const NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** Files and units for every node of a pool. */
export function machineConfig(input: MachineConfigInput) {
  checkNames(input);
  const files = (input.files ?? []).toSorted(by(({ path }) => path));
  const units = (input.units ?? []).toSorted(by(({ name }) => name));
  const labels = { 'machineconfiguration.openshift.io/role': input.role };
  const spec = {
    config: {
      ignition: { version: MACHINE_CONFIG_IGNITION },
      ...(files.length > 0 ? { storage: { files } } : {}),
      ...(units.length > 0 ? { systemd: { units } } : {}),
    },
    ...(input.kernelArguments?.length ? { kernelArguments: input.kernelArguments } : {}),
  };
  const metadata = { name: input.name, labels };
  return clusterObject('machineconfiguration.openshift.io/v1', 'MachineConfig', metadata, spec);
}

function checkNames({ name, role }: MachineConfigInput): void {
  const wrong = [name, role].find((text) => !NAME.test(text));
  if (wrong === undefined) return;
  throw new AtollError('INPUT_INVALID', `Cannot name a MachineConfig or its role "${wrong}"`, {
    hint: 'Use lower case letters, digits, dots and dashes, such as "99-worker-registries"',
  });
}
