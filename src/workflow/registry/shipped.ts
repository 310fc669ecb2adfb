import { listAssets, readAsset } from '../../core/assets.ts';
import { parseStepRegistry, type StepRegistry } from './read-registry.ts';

const FOLDER = 'step-registry/';

/** The steps that ship with atoll: its ten stages, and the workflow made of them. */
export function shippedRegistry(): StepRegistry {
  return parseStepRegistry(
    listAssets(FOLDER).map((name) => ({ file: name.slice(FOLDER.length), text: readAsset(name) })),
  );
}
