import * as z from 'zod';
import { definePlatform } from '../platform/platform.ts';

/** A lab: machines are folders on this one, and this one is the bastion. */
export const labPlatform = definePlatform({
  name: 'lab',
  summary: 'machines that are played on this one',
  settings: z.strictObject({ type: z.literal('lab') }),
  // The registry shares its cores with the machines, and is for them alone.
  mirror: { address: '127.0.0.1', workers: 1, asProcess: true },
  standsFor: {
    simulated: [
      'the machines: each is a process of its own with its own file system root',
      'the Kubernetes that would run on them: a folder of facts stands for its API',
      'the internet: a registry on this machine, with releases made here; programs in the images are made-up bytes',
    ],
    real: [
      'images, manifests, layers and digests, in the formats of OCI and OpenShift, each verified when pulled',
      'release signatures (GPG and Sigstore), the update graph, the operator catalog with its dependencies',
      'the mirror registry with TLS, users and access log, and every byte that moved into it',
      'registries.conf, pull secret, trust bundle, Ignition and install-config: the files a real install gets',
      'the logs: journals and service records in the formats of a real bootstrap',
    ],
  },
  installPlatform: () => ({ platform: { type: 'none' } }),
  // Most commands ask the row alone, and need not read what plays machines.
  open: async (site) => (await import('./open-lab.ts')).openLab(site),
});
