import { clusterObject } from '../cluster-object.ts';

/** Where the cluster's own registry keeps its content. */
export type ImageRegistryStorage = 'volume' | 'emptyDir';

const CLAIM = 'image-registry-storage';
const NAMESPACE = 'openshift-image-registry';

/**
 * The registry inside a cluster, on platforms that give it no storage: there it is switched off until it
 * has some. A disk belongs to one node, so one replica has it, and the old one goes before the new one comes.
 */
export function imageRegistryObjects(storage: ImageRegistryStorage) {
  const kept = storage === 'volume' ? { pvc: { claim: CLAIM } } : { emptyDir: {} };
  const spec = {
    managementState: 'Managed',
    replicas: 1,
    rolloutStrategy: 'Recreate',
    storage: kept,
  };
  const config = clusterObject(
    'imageregistry.operator.openshift.io/v1',
    'Config',
    { name: 'cluster' },
    spec,
  );
  return storage === 'volume' ? [volumeClaim(), config] : [config];
}

/** Of the storage class that is the default: the one of the CSI driver of the platform. */
function volumeClaim() {
  return clusterObject(
    'v1',
    'PersistentVolumeClaim',
    { name: CLAIM, namespace: NAMESPACE },
    { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '100Gi' } } },
  );
}
