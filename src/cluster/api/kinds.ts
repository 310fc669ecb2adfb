import type { Kind } from './resources.ts';

/** A kind by its version and name. */
export const kind = (apiVersion: string, name: string): Kind => ({ apiVersion, kind: name });

/** The kinds that atoll reads and writes, with the version it speaks. */
export const KINDS = {
  node: kind('v1', 'Node'),
  pod: kind('v1', 'Pod'),
  configMap: kind('v1', 'ConfigMap'),
  certificateRequest: kind('certificates.k8s.io/v1', 'CertificateSigningRequest'),
  clusterVersion: kind('config.openshift.io/v1', 'ClusterVersion'),
  clusterOperator: kind('config.openshift.io/v1', 'ClusterOperator'),
  operatorHub: kind('config.openshift.io/v1', 'OperatorHub'),
  image: kind('config.openshift.io/v1', 'Image'),
  digestMirrors: kind('config.openshift.io/v1', 'ImageDigestMirrorSet'),
  tagMirrors: kind('config.openshift.io/v1', 'ImageTagMirrorSet'),
  contentPolicy: kind('operator.openshift.io/v1alpha1', 'ImageContentSourcePolicy'),
  pool: kind('machineconfiguration.openshift.io/v1', 'MachineConfigPool'),
  machineConfig: kind('machineconfiguration.openshift.io/v1', 'MachineConfig'),
  machineConfigNode: kind('machineconfiguration.openshift.io/v1', 'MachineConfigNode'),
  pinnedImageSet: kind('machineconfiguration.openshift.io/v1', 'PinnedImageSet'),
  clusterImagePolicy: kind('config.openshift.io/v1', 'ClusterImagePolicy'),
  imagePolicy: kind('config.openshift.io/v1', 'ImagePolicy'),
  samples: kind('samples.operator.openshift.io/v1', 'Config'),
  catalogSource: kind('operators.coreos.com/v1alpha1', 'CatalogSource'),
  clusterCatalog: kind('olm.operatorframework.io/v1', 'ClusterCatalog'),
  updateService: kind('updateservice.operator.openshift.io/v1', 'UpdateService'),
} as const;
