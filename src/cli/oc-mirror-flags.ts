import { withVerb } from './oc-mirror-lines.ts';

/** What a flag of oc-mirror is here: other words for it, or a sentence that says what to do instead. */
type Meaning = { readonly words: readonly string[] } | { readonly instead: string };

const INSECURE: Meaning = { words: ['--insecure'] };
const RETRIES =
  'Leave it out: atoll tries again by itself, and "atoll mirror retry" does what failed';
const NO_CACHE = 'Leave it out: atoll keeps no cache and runs no local registry';
const CONCURRENCY = 'Write --concurrency N: how many blobs move at once';
const VERIFIED = 'Leave it out: every digest is always compared';
const ONLY_NEW =
  'What is new is told by the mirror: "atoll mirror inventory" inside, then "atoll mirror save --have inventory.json"; without --have all of it is saved';
const LOCAL_CATALOG = 'Leave it out: write the catalog as oci:///PATH in the image set';
const MISSING_PLACE =
  'Write "atoll mirror sync -c FILE --to docker://HOST", or "atoll mirror save -c FILE --to DIR"';
const DELETE =
  'Run "atoll mirror delete -c FILE --at docker://HOST", look at its list, then add --execute';

/** Flags that people who know oc-mirror type. Those with a value of their own take it along. */
const FLAGS: Readonly<Record<string, Meaning>> = {
  '--v2': { words: [] },
  '--remove-signatures': { words: ['--no-signatures'] },
  '--remove-signatures=true': { words: ['--no-signatures'] },
  '--remove-signatures=false': { words: [] },
  '--workspace': { words: ['--dir'] },
  '--registries.d': { words: ['--registries-d'] },
  '--src-tls-verify=false': INSECURE,
  '--dest-tls-verify=false': INSECURE,
  '--src-tls-verify=true': { words: [] },
  '--dest-tls-verify=true': { words: [] },
  '--dest-skip-tls': INSECURE,
  '--source-skip-tls': INSECURE,
  '--dest-use-http': INSECURE,
  '--source-use-http': INSECURE,
  '--v1': { instead: 'Leave it out: files of oc-mirror v1 (v1alpha2) are read as they are' },
  '--cache-dir': { instead: NO_CACHE },
  '--port': { instead: NO_CACHE },
  '--force-cache-delete': { instead: NO_CACHE },
  '--parallel-images': { instead: CONCURRENCY },
  '--parallel-layers': { instead: CONCURRENCY },
  '--max-per-registry': { instead: CONCURRENCY },
  '--retry-times': { instead: RETRIES },
  '--retry-delay': { instead: RETRIES },
  '--image-timeout': { instead: RETRIES },
  '--strict-archive': { instead: 'Leave it out: no chunk is larger than --chunk-size says' },
  '--secure-policy': { instead: 'Write --sigstore-key FILE: releases are always verified by GPG' },
  '--policy': { instead: 'Write --sigstore-key FILE: releases are always verified by GPG' },
  '--rootless-storage-path': { instead: 'Leave it out: no container storage is used' },
  '--log-level': { instead: 'Write --verbose or --quiet' },
  '--dry-run-manifest-lists': { instead: 'Write --dry-run' },
  '--continue-on-error': { instead: 'Leave it out: one failed image never stops the others' },
  '--skip-missing': { instead: 'Leave it out: one failed image never stops the others' },
  '--skip-pruning': { instead: 'Leave it out: nothing is pruned but by "atoll mirror prune"' },
  '--since': { instead: ONLY_NEW },
  '--ignore-history': { instead: ONLY_NEW },
  '--skip-metadata-check': { instead: 'Leave it out: bundles have no sequence to keep' },
  '--skip-verification': { instead: VERIFIED },
  '--skip-image-pin': { instead: 'Leave it out: names and digests are kept as upstream has them' },
  '--skip-cleanup': { instead: 'Leave it out: nothing is unpacked that would be cleaned up' },
  '--manifests-only': {
    instead:
      'Leave it out: every run writes working-dir/cluster-resources, also one that has nothing to copy',
  },
  '--include-local-oci-catalogs': { instead: LOCAL_CATALOG },
  '--oci-registries-config': { instead: 'Write --registries-conf FILE' },
  '--oci-insecure-signature-policy': { instead: 'Write --no-signatures' },
  '--config': { instead: MISSING_PLACE },
  '-c': { instead: MISSING_PLACE },
  '--generate': { instead: DELETE },
  '--delete-yaml-file': { instead: DELETE },
  '--delete-id': { instead: DELETE },
  '--delete-signatures': { instead: 'Leave it out: signatures go with their images' },
};

/** Flags whose value is a folder, which oc-mirror writes as a URL. */
const FOLDER_FLAGS: ReadonlySet<string> = new Set([
  ...['--from', '--to', '--dir', '--workspace', '--registries.d'],
]);

/**
 * A command line of `atoll mirror` in our words; what has no word here stays for the parser to refuse.
 * `mirror release` speaks as `oc adm release mirror` does, for which `file://` names a repository in a folder.
 */
export function inOurWords(line: readonly string[]): readonly string[] {
  if (line[0] !== 'mirror' || line[1] === 'release') return line;
  const argv = withVerb(line);
  return argv.flatMap((word, index) => {
    if (FOLDER_FLAGS.has(argv[index - 1] ?? '')) return [folderOf(word)];
    const [, flag = word, value] = /^(--[a-z.-]+)=(.*)$/.exec(word) ?? [];
    const meaning = FLAGS[word] ?? FLAGS[flag];
    const isFolder = value !== undefined && FOLDER_FLAGS.has(flag);
    if (!meaning || !('words' in meaning)) return isFolder ? [flag, folderOf(value)] : [word];
    return isFolder ? [...meaning.words, folderOf(value)] : meaning.words;
  });
}

const folderOf = (text: string): string => text.replace(/^file:\/\/(?=.)/, '');

/** What to do instead of a flag that only oc-mirror has. */
export function insteadOf(flag: string): string | undefined {
  const meaning = FLAGS[flag.split('=')[0] ?? ''];
  return meaning && 'instead' in meaning ? meaning.instead : undefined;
}
