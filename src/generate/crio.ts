import { AtollError } from '../core/errors.ts';

export interface CrioDropInInput {
  /** Image of the container that holds a pod's namespaces. */
  readonly pauseImage: string;
  /** Auth file CRI-O reads for that image. */
  readonly pauseImageAuthFile?: string | undefined;
}

/** Where the installer's own drop-in lies; ours sorts after it and wins. */
export const CRIO_DROP_IN_PATH = '/etc/crio/crio.conf.d/60-pause-image.conf';

/** A drop-in for `/etc/crio/crio.conf.d` that names the pause image. */
export function crioDropIn(input: CrioDropInInput): string {
  if (!/^\S+\/\S+$/.test(input.pauseImage)) {
    throw new AtollError('INPUT_INVALID', `Cannot use pause image "${input.pauseImage}"`, {
      hint: 'Write it in full, with registry and tag or digest',
    });
  }
  const authFile = input.pauseImageAuthFile;
  return [
    '[crio.image]',
    `pause_image = ${JSON.stringify(input.pauseImage)}`,
    ...(authFile === undefined ? [] : [`pause_image_auth_file = ${JSON.stringify(authFile)}`]),
    'pause_command = "/usr/bin/pod"',
    '',
  ].join('\n');
}
