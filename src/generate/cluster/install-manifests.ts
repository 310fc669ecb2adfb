import { toYaml } from '../../core/yaml.ts';

export interface NamedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/**
 * Objects as files of an installer's folder, by path. One object a file: the bootstrap reads no more.
 * MachineConfigs go where the installer keeps its own, all else beside its manifests.
 */
export function installManifests(
  objects: readonly NamedObject[],
): Readonly<Record<string, string>> {
  const files = objects.map((object) => {
    const { kind, metadata } = object;
    const folder = kind === 'MachineConfig' ? 'openshift' : 'manifests';
    const name = `99-atoll-${kind.toLowerCase()}-${metadata.name}.yaml`;
    return [`${folder}/${name}`, toYaml(object)] as const;
  });
  return Object.fromEntries(files);
}
