import { ANY_UNIT, type BootstrapStep, failed, finished, loops, notes, started } from './step.ts';

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
      started('Linux version \\d', ANY_UNIT),
      finished('Reached target .*(?:Basic System|basic\\.target)', ANY_UNIT),
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
      started('Ignition 2\\.\\d+\\.\\d+|ignition\\[\\d+\\]: Stage:', WITH_CONSOLE),
      finished('Ignition finished successfully', WITH_CONSOLE),
      failed('Ignition failed: (?<note>.*)', WITH_CONSOLE),
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
      started('Starting node-image-pull\\.service|Starting .*Node Image Pull', ANY_UNIT),
      started(
        'Extracting machine-config-osimagestream|Currently on CoreOS version|Target node image is|Could not resolve release image to pull by digest',
      ),
      loops(
        'Failed to (?:query MCO image from release|query for OS image pullspec|query release image|fetch release image); retrying',
      ),
      notes(PULL_ERROR),
      finished('Finished node-image-pull\\.service|Finished .*Node Image Pull', [
        'journal:bootstrap/systemd',
        'journal:bootstrap/init',
      ]),
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
      started('Starting node-image-overlay\\.service|Starting .*Node Image Overlay', ANY_UNIT),
      finished('Node image overlay complete', ANY_UNIT),
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
      started(
        'Starting Download the OpenShift Release Image|Starting release-image\\.service',
        ANY_UNIT,
      ),
      finished(
        'Finished Download the OpenShift Release Image|Finished release-image\\.service',
        ANY_UNIT,
      ),
      loops('Pull failed\\. Retrying '),
      notes(PULL_ERROR),
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
      started('Starting crio\\.service|Starting Container Runtime Interface for OCI', ANY_UNIT),
      finished('Started crio\\.service|Started Container Runtime Interface for OCI', ANY_UNIT),
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
      finished(
        'Started Kubernetes Kubelet|Started kubelet\\.service|Started Bootstrap Kubernetes Kubelet',
        ANY_UNIT,
      ),
    ],
  },
];
