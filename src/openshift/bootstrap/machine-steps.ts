import { ANY_UNIT, type BootstrapStep } from './step.ts';

const PULL_ERROR = '(?<note>(?:initializing source|pinging container registry|reading manifest).*)';
const WITH_CONSOLE = [...ANY_UNIT, 'console:bootstrap'];

/** From power-on to a running kubelet. */
export const MACHINE_STEPS: readonly BootstrapStep[] = [
  {
    id: 'boot',
    title: 'Machine booted',
    lane: 'System',
    part: 1,
    limitMinutes: 10,
    waitsFor: 'the machine to start',
    signals: [
      { says: 'started', where: ANY_UNIT, pattern: 'Linux version \\d' },
      {
        says: 'finished',
        where: ANY_UNIT,
        pattern: 'Reached target .*(?:Basic System|basic\\.target)',
      },
    ],
  },
  {
    id: 'ignition',
    title: 'Ignition applied',
    lane: 'Ignition',
    part: 1,
    limitMinutes: 10,
    waitsFor: 'the Ignition config: S3 object, user data or HTTP',
    signals: [
      {
        says: 'started',
        where: WITH_CONSOLE,
        pattern: 'Ignition 2\\.\\d+\\.\\d+|ignition\\[\\d+\\]: Stage:',
      },
      { says: 'finished', where: WITH_CONSOLE, pattern: 'Ignition finished successfully' },
      { says: 'failed', where: WITH_CONSOLE, pattern: 'Ignition failed: (?<note>.*)' },
    ],
  },
  {
    id: 'node-image-pull',
    title: 'Node image pulled',
    lane: 'registry',
    part: 1,
    limitMinutes: 10,
    waitsFor: 'the release image and the node OS image from the mirror (retried for ever)',
    service: 'node-image-pull',
    ends: 'Checking out node image content',
    components: ['machine-config-operator', 'rhel-coreos'],
    signals: [
      {
        says: 'started',
        where: ANY_UNIT,
        pattern: 'Starting node-image-pull\\.service|Starting .*Node Image Pull',
      },
      {
        says: 'started',
        pattern:
          'Extracting machine-config-osimagestream|Currently on CoreOS version|Target node image is|Could not resolve release image to pull by digest',
      },
      {
        says: 'loop',
        pattern:
          'Failed to (?:query MCO image from release|query for OS image pullspec|query release image|fetch release image); retrying',
      },
      { says: 'note', pattern: PULL_ERROR },
      {
        says: 'finished',
        where: ['journal:bootstrap/systemd', 'journal:bootstrap/init'],
        pattern: 'Finished node-image-pull\\.service|Finished .*Node Image Pull',
      },
    ],
  },
  {
    id: 'node-image-overlay',
    title: 'Node image laid over the system',
    lane: 'System',
    part: 1,
    limitMinutes: 5,
    waitsFor: 'the checkout of the node image',
    service: 'node-image-overlay',
    starts: 'Overlaying node image content',
    signals: [
      {
        says: 'started',
        where: ANY_UNIT,
        pattern: 'Starting node-image-overlay\\.service|Starting .*Node Image Overlay',
      },
      { says: 'finished', where: ANY_UNIT, pattern: 'Node image overlay complete' },
    ],
  },
  {
    id: 'release-image',
    title: 'Release image pulled',
    lane: 'registry',
    part: 1,
    limitMinutes: 5,
    waitsFor: 'the release image from the mirror (retried for ever)',
    service: 'release-image',
    signals: [
      {
        says: 'started',
        where: ANY_UNIT,
        pattern: 'Starting Download the OpenShift Release Image|Starting release-image\\.service',
      },
      {
        says: 'finished',
        where: ANY_UNIT,
        pattern: 'Finished Download the OpenShift Release Image|Finished release-image\\.service',
      },
      { says: 'loop', pattern: 'Pull failed\\. Retrying ' },
      { says: 'note', pattern: PULL_ERROR },
    ],
  },
  {
    id: 'crio-configure',
    title: 'CRI-O configured',
    lane: 'CRI-O',
    part: 1,
    limitMinutes: 5,
    waitsFor: 'the pause image of the release',
    service: 'crio-configure',
    components: ['pod'],
  },
  {
    id: 'crio',
    title: 'CRI-O running',
    lane: 'CRI-O',
    part: 1,
    limitMinutes: 3,
    waitsFor: 'crio.service',
    service: 'crio',
    signals: [
      {
        says: 'started',
        where: ANY_UNIT,
        pattern: 'Starting crio\\.service|Starting Container Runtime Interface for OCI',
      },
      {
        says: 'finished',
        where: ANY_UNIT,
        pattern: 'Started crio\\.service|Started Container Runtime Interface for OCI',
      },
    ],
  },
  {
    id: 'kubelet',
    title: 'kubelet running',
    lane: 'kubelet',
    part: 1,
    limitMinutes: 5,
    waitsFor: 'kubelet.service and its pause image',
    service: 'kubelet',
    endsBeforeService: true,
    signals: [
      {
        says: 'finished',
        where: ANY_UNIT,
        pattern:
          'Started Kubernetes Kubelet|Started kubelet\\.service|Started Bootstrap Kubernetes Kubelet',
      },
    ],
  },
];
