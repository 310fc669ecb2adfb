import * as z from 'zod';
import { AtollError } from '../../../core/errors.ts';
import { parseYaml } from '../../../core/yaml.ts';
import { ARCHITECTURES } from '../../../oci/platform.ts';
import { parseReference, type Reference } from '../../../oci/reference.ts';
import type { Payload } from './payload.ts';

const BOOT_IMAGES = '0000_50_installer_coreos-bootimages.yaml';

/** A container disk of RHCOS, for clusters whose nodes are virtual machines of another. */
export interface KubeVirtDisk {
  /** As the mirror tags it: with the architecture where there are several. */
  readonly name: string;
  readonly architecture: string;
  readonly image: Reference;
}

const configMap = z.looseObject({ data: z.looseObject({ stream: z.string() }) });
const stream = z.looseObject({
  architectures: z.record(
    z.string(),
    z.looseObject({
      images: z
        .looseObject({ kubevirt: z.looseObject({ 'digest-ref': z.string() }).nullish() })
        .nullish(),
    }),
  ),
});

/** The disks for these architectures (Go's names); at least one, or an error that says what is there. */
export function kubeVirtDisks(
  payload: Payload,
  architectures: readonly string[],
): readonly KubeVirtDisk[] {
  const images = readStream(payload);
  const found = architectures.flatMap((architecture) => {
    const key = ARCHITECTURES[architecture as keyof typeof ARCHITECTURES];
    const image = images.get(key);
    return image ? [{ architecture, key, image: parseReference(image) }] : [];
  });
  if (found.length === 0) {
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot find a KubeVirt disk for ${architectures.join(', ')} in release ${payload.version}`,
      { hint: `It has one for ${[...images.keys()].join(', ') || 'no architecture'}` },
    );
  }
  const several = found.length > 1;
  return found.map(({ architecture, key, image }) => ({
    name: several ? `kube-virt-container-${key}` : 'kube-virt-container',
    architecture,
    image,
  }));
}

/** RPM architecture to pull spec. */
function readStream(payload: Payload): ReadonlyMap<string, string> {
  const file = payload.manifests.get(BOOT_IMAGES);
  if (!file) return new Map();
  try {
    const { data } = configMap.parse(parseYaml(Buffer.from(file.bytes).toString('utf8'), 'strict'));
    const { architectures } = stream.parse(JSON.parse(data.stream));
    return new Map(
      Object.entries(architectures).flatMap(([name, { images }]) =>
        images?.kubevirt ? [[name, images.kubevirt['digest-ref']]] : [],
      ),
    );
  } catch (cause) {
    const shown = `${BOOT_IMAGES} of release ${payload.version}`;
    throw new AtollError('PAYLOAD_INVALID', `Cannot read ${shown}`, { cause });
  }
}
