import { toYaml } from '../../core/yaml.ts';
import { type ConfigMap, configMap } from './config-map.ts';

/** Telemetry off: nothing inside shall try to report to the internet. */
export function telemetryOff(): ConfigMap {
  return configMap('openshift-monitoring', 'cluster-monitoring-config', {
    'config.yaml': toYaml({ telemeterClient: { enabled: false } }),
  });
}
