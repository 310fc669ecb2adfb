/** Half a megabyte that most runs do not need: read when the first key or signature is looked at. */
export const loadOpenpgp = () => import('openpgp');
