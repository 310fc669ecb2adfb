/** How skopeo, podman, CRI-O and oc-mirror say that they will try again: where that fails, too, the error comes once more. */
export const RETRY = /retrying (?:in|after) \S+|\(attempt \d+\/\d+\)/i;

/** How they say that all went well in the end. */
export const RECOVERED =
  '(images mirrored successfully|Writing manifest to image destination|Successfully pulled image|mirroring completed)';

/** How the installer says that what it met until then is overcome. */
export const FINISHED = '(It is now safe to remove the bootstrap|Install complete!)';
