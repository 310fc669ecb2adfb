import {
  type ApiVersion,
  ARCHITECTURES,
  isAbove,
  KERNEL_NAMES,
  named,
  only,
  platforms,
  pullSpec,
  releaseVersion,
  unknownBefore,
} from './fields.ts';
import { flag, list, mapping, oneOf, text } from './readers.ts';

const releaseChannel = mapping(
  {
    name: text,
    type: oneOf(['ocp', 'okd']),
    minVersion: releaseVersion,
    maxVersion: releaseVersion,
    shortestPath: flag,
    full: flag,
  },
  {
    required: ['name'],
    check({ minVersion, maxVersion, shortestPath, full }, report) {
      if (isAbove(minVersion, maxVersion)) {
        report.mistake('minVersion', `minVersion ${minVersion} is above maxVersion ${maxVersion}`);
      }
      if (shortestPath && full) {
        report.mistake('full', '"full" and "shortestPath" exclude each other');
      } else if (shortestPath && !minVersion && !maxVersion) {
        report.warn('shortestPath', 'without minVersion and maxVersion there is no path to take');
      }
    },
  },
);

export const platformReader = (version: ApiVersion) =>
  mapping(
    {
      graph: flag,
      channels: list(releaseChannel, named),
      architectures: list(oneOf(ARCHITECTURES, KERNEL_NAMES), {
        key: (value) => value,
        describe: (value) => value,
      }),
      ...only(version, { platforms, release: pullSpec, kubeVirtContainer: flag }),
    },
    {
      explain: unknownBefore(version, ['platforms', 'release', 'kubeVirtContainer']),
      check(values, report) {
        if (values.platforms?.length && values.architectures?.length) {
          report.mistake('architectures', '"architectures" and "platforms" exclude each other');
        }
        if (values.release && values.channels?.length) {
          report.warn('channels', 'the channels are not looked at, because "release" is set');
        }
        if (!values.release && !values.channels?.length && !values.graph) {
          report.warn(
            'channels',
            '"platform" asks for no release: it has neither channels nor one',
          );
        }
      },
    },
  );
