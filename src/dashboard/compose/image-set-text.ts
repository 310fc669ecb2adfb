import { parseImageSet } from '../../content/image-set/parse-image-set.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { toYaml } from '../../core/yaml.ts';
import type { ComposedChoice, ComposedText } from '../model/choice.ts';

/** A choice as the file that mirroring reads, with what mirroring would say against it. */
export function imageSetText(choice: ComposedChoice): ComposedText {
  const yaml = toYaml({
    kind: 'ImageSetConfiguration',
    apiVersion: 'mirror.openshift.io/v2alpha1',
    mirror: {
      ...(choice.channels.length > 0 ? { platform: platformOf(choice) } : {}),
      ...(choice.operators.length > 0 ? { operators: choice.operators.map(operatorsOf) } : {}),
      ...(choice.additionalImages.length > 0
        ? { additionalImages: choice.additionalImages.map((name) => ({ name })) }
        : {}),
    },
  });
  return { yaml, problems: problemsOf(yaml) };
}

function platformOf({ channels, graph }: ComposedChoice) {
  return {
    channels: channels.map(({ name, minVersion, maxVersion, shortestPath }) => ({
      name,
      ...(minVersion ? { minVersion } : {}),
      ...(maxVersion ? { maxVersion } : {}),
      ...(shortestPath ? { shortestPath } : {}),
    })),
    ...(graph ? { graph } : {}),
  };
}

function operatorsOf({ catalog, packages }: ComposedChoice['operators'][number]) {
  return {
    catalog,
    packages: packages.map(({ name, channel }) => ({
      name,
      ...(channel ? { channels: [{ name: channel }] } : {}),
    })),
  };
}

function problemsOf(yaml: string): readonly string[] {
  try {
    parseImageSet(yaml, 'imageset.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof AtollError)) throw error;
    return messageOf(error).split('\n');
  }
}
