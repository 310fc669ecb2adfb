import { ANY_UNIT, type BootstrapStep, finished, loops, notes, started } from './step.ts';

/** What the bootstrap machine does besides where it provisions the masters itself. */
export const BARE_METAL_STEPS: readonly BootstrapStep[] = [
  {
    id: 'ironic',
    title: 'Ironic running',
    lane: 'masters',
    part: 3,
    parallel: true,
    only: 'bare metal',
    limitMinutes: 15,
    waitsFor:
      'images of Ironic and of the machine OS from the mirror, and the provisioning network',
    service: 'ironic',
    components: ['ironic', 'ironic-agent', 'machine-os-images'],
    signals: [
      started(
        'Starting (?:build-ironic-env\\.service|Build Ironic environment|ironic\\.service|Ironic baremetal deployment service)',
        ANY_UNIT,
      ),
      finished('Started (?:ironic\\.service|Ironic baremetal deployment service)', ANY_UNIT),
    ],
  },
  {
    id: 'metal3-baremetal-operator',
    title: 'Bare metal operator running',
    lane: 'masters',
    part: 3,
    parallel: true,
    only: 'bare metal',
    limitMinutes: 15,
    waitsFor: 'Ironic, and the image of the bare metal operator',
    service: 'metal3-baremetal-operator',
    components: ['baremetal-operator', 'machine-image-customization-controller'],
    signals: [
      started(
        'Starting (?:build-metal3-env\\.service|Build Metal3 environment|metal3-baremetal-operator\\.service|Metal3 deployment service)',
        ANY_UNIT,
      ),
      finished(
        'Started (?:metal3-baremetal-operator\\.service|Metal3 deployment service)',
        ANY_UNIT,
      ),
    ],
  },
  {
    id: 'master-bmh-update',
    title: 'Masters provisioned',
    lane: 'masters',
    part: 3,
    parallel: true,
    only: 'bare metal',
    limitMinutes: 60,
    waitsFor: 'every control plane host to be provisioned by Ironic (asked for ever)',
    service: 'master-bmh-update',
    ends: 'Stopping provisioning services...',
    signals: [
      loops('(?<note>Waiting for BareMetalHosts CRD to appear)'),
      loops('(?<note>Waiting for \\d+ masters to become provisioned)'),
      finished(
        'Finished (?:master-bmh-update\\.service|Update master BareMetalHosts with introspection data)',
        ANY_UNIT,
      ),
    ],
  },
];

const AFTER_REBOOT = ['journal:bootstrap/bootkube', 'journal:node/bootkube'];

const toDisk = (
  stage: string,
  row: Pick<BootstrapStep, 'title' | 'limitMinutes' | 'waitsFor'> & Partial<BootstrapStep>,
): BootstrapStep => ({
  id: `install-to-disk-${stage}`,
  lane: 'System',
  part: 7,
  only: 'in place',
  service: 'install-to-disk',
  stage,
  ...row,
});

/** What a single node does when it was its own bootstrap machine: it writes itself to disk and boots again. */
export const IN_PLACE_STEPS: readonly BootstrapStep[] = [
  toDisk('wait-for-bootkube', {
    title: 'End of bootkube noticed',
    parallel: true,
    limitMinutes: 120,
    waitsFor: 'bootkube to end',
    starts: 'Waiting for /opt/openshift/.bootkube.done',
  }),
  toDisk('coreos-installer', {
    title: 'System written to disk',
    limitMinutes: 20,
    waitsFor: 'coreos-installer and the installation disk',
    signals: [started('Executing coreos-installer with the following options')],
  }),
  toDisk('reboot', {
    title: 'Machine rebooted',
    part: 8,
    completes: true,
    limitMinutes: 10,
    waitsFor: 'the machine to boot from its disk',
    starts: 'Going to reboot',
  }),
  {
    id: 'in-place-control-plane',
    title: 'Node became the cluster',
    lane: 'operators',
    part: 10,
    only: 'in place',
    oftenUnseen: true,
    limitMinutes: 40,
    waitsFor: 'the API of the node, its CSRs and the version operator (asked for ever)',
    signals: [
      started('Running bootkube bootstrap-in-place post reboot', AFTER_REBOOT),
      notes('(?<note>Still waiting for cvo)', AFTER_REBOOT),
    ],
  },
];
