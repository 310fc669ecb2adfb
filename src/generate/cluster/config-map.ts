import { sortedRecord } from '../../core/order.ts';
import { objectName } from '../dns-name.ts';

export interface ConfigMap {
  readonly apiVersion: 'v1';
  readonly kind: 'ConfigMap';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** A ConfigMap of texts, keys in order. */
export function configMap(
  namespace: string,
  name: string,
  data: Readonly<Record<string, string>>,
): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: objectName('a ConfigMap', name), namespace },
    data: sortedRecord(data),
  };
}
