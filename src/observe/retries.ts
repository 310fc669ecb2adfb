/** How skopeo, podman, CRI-O and oc-mirror say that they will try again: where that fails, too, the error comes once more. */
export const RETRY = /retrying (?:in|after) \S+|\(attempt \d+\/\d+\)/i;

/** How they say that all went well in the end. */
export const RECOVERED =
  '(images mirrored successfully|Writing manifest to image destination|Successfully pulled image|mirroring completed)';

/** A task of Ansible that failed: the summary of the play tells whether that was ignored, or made good. */
export const OF_PLAY = /^\s*(?:fatal|failed): \[[^\]]+\]|^\s*FAILED - RETRYING: /;

/** How programs sum up a run that went well to its end: what they only warned of is no cause. */
export const WENT_WELL =
  '(✓ .*images mirrored successfully|Mirroring completed in|Synced \\d+ images from|Quay installed successfully|unreachable=0 +failed=0)';

/** How they say in the same summary that a part of it did not. */
export const WENT_ILL =
  '(✗ .*(?:images mirrored|mirrored images)|unreachable=[1-9]|unreachable=0 +failed=[1-9]|one or more errors occurred)';

/** How the installer says that what it met until then is overcome. */
export const FINISHED = '(It is now safe to remove the bootstrap|Install complete!)';
